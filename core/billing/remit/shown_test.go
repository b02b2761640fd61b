package remit_test

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

func TestStatusOfARemittanceClaimAsShown(t *testing.T) {
	t.Parallel()
	ours := billing.ClaimID{15: 1}
	for _, c := range []struct {
		is     remit.ClaimProgress
		status remit.Status
		review remit.ReviewCode
	}{
		{remit.ClaimProgress{Status: remit.StatusPending}, remit.StatusUnmatched, remit.ReviewUnderWay},
		{remit.ClaimProgress{Status: remit.StatusPending, ClaimID: ours}, remit.StatusNeedsReview, remit.ReviewUnderWay},
		{remit.ClaimProgress{Status: remit.StatusNeedsReview, ClaimID: ours, Review: remit.ReviewUnbalanced}, remit.StatusNeedsReview, remit.ReviewUnbalanced},
		{remit.ClaimProgress{Status: remit.StatusUnmatched, Review: remit.ReviewNoClaim}, remit.StatusUnmatched, remit.ReviewNoClaim},
		{remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: ours}, remit.StatusApplied, ""},
		{remit.ClaimProgress{Status: remit.StatusIgnored, Review: remit.ReviewUnbalanced}, remit.StatusIgnored, ""},
		{remit.ClaimProgress{Status: remit.StatusForwarded}, remit.StatusForwarded, ""},
	} {
		if status, review := c.is.Shown(); status != c.status || review != c.review {
			t.Errorf("%+v is shown as %s %q, want %s %q", c.is, status, review, c.status, c.review)
		}
	}
}

func TestRemarksOfARemittanceClaimAreListedOnce(t *testing.T) {
	t.Parallel()
	r := &remit.Claim{Remarks: []string{"MA01", "N362"}, Lines: []remit.Line{{Remarks: []string{"N362", "N1"}}, {Remarks: []string{"MA01"}}}}
	if got := r.AllRemarks(); !slices.Equal(got, []string{"MA01", "N362", "N1"}) {
		t.Errorf("remarks %v", got)
	}
}
