package billing_test

import (
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func TestStatusOfARemittanceClaimAsShown(t *testing.T) {
	t.Parallel()
	ours := billing.ClaimID{15: 1}
	for _, c := range []struct {
		is     billing.RemittanceClaimProgress
		status billing.RemitStatus
		review billing.ReviewCode
	}{
		{billing.RemittanceClaimProgress{Status: billing.RemitPending}, billing.RemitUnmatched, billing.ReviewUnderWay},
		{billing.RemittanceClaimProgress{Status: billing.RemitPending, ClaimID: ours}, billing.RemitNeedsReview, billing.ReviewUnderWay},
		{billing.RemittanceClaimProgress{Status: billing.RemitNeedsReview, ClaimID: ours, Review: billing.ReviewUnbalanced}, billing.RemitNeedsReview, billing.ReviewUnbalanced},
		{billing.RemittanceClaimProgress{Status: billing.RemitUnmatched, Review: billing.ReviewNoClaim}, billing.RemitUnmatched, billing.ReviewNoClaim},
		{billing.RemittanceClaimProgress{Status: billing.RemitApplied, ClaimID: ours}, billing.RemitApplied, ""},
		{billing.RemittanceClaimProgress{Status: billing.RemitIgnored, Review: billing.ReviewUnbalanced}, billing.RemitIgnored, ""},
		{billing.RemittanceClaimProgress{Status: billing.RemitForwarded}, billing.RemitForwarded, ""},
	} {
		if status, review := c.is.Shown(); status != c.status || review != c.review {
			t.Errorf("%+v is shown as %s %q, want %s %q", c.is, status, review, c.status, c.review)
		}
	}
}

func TestRemarksOfARemittanceClaimAreListedOnce(t *testing.T) {
	t.Parallel()
	r := &billing.RemittanceClaim{Remarks: []string{"MA01", "N362"}, Lines: []billing.ERALine{{Remarks: []string{"N362", "N1"}}, {Remarks: []string{"MA01"}}}}
	if got := r.AllRemarks(); !slices.Equal(got, []string{"MA01", "N362", "N1"}) {
		t.Errorf("remarks %v", got)
	}
}
