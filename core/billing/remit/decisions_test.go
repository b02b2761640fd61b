package remit_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestDecisionsByStatus makes each decision on a remittance claim in each status.
func TestDecisionsByStatus(t *testing.T) {
	t.Parallel()
	const changes, same, conflict = "changes", "same", string(billing.CodeConflict)
	ours, other := billing.ClaimID{15: 1}, billing.ClaimID{15: 2}
	done, applying := remit.ERA{Stage: remit.Done}, remit.ERA{Stage: remit.Applying}
	posted := remit.ERA{Stage: remit.Done, State: remit.Posted}
	for name, c := range map[string]struct {
		of                                        remit.ERA
		is                                        remit.ClaimProgress
		match, matchOther, apply, ignore, unapply string
	}{
		"applied":             {done, remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: ours}, same, conflict, same, conflict, changes},
		"applied, posted":     {posted, remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: ours}, same, conflict, same, conflict, conflict},
		"forwarded":           {done, remit.ClaimProgress{Status: remit.StatusForwarded, ClaimID: ours}, same, changes, same, changes, conflict},
		"forwarded, no claim": {done, remit.ClaimProgress{Status: remit.StatusForwarded}, changes, changes, same, changes, conflict},
		"needs review":        {done, remit.ClaimProgress{Status: remit.StatusNeedsReview, ClaimID: ours}, changes, changes, changes, changes, conflict},
		"unapplied": {
			done, remit.ClaimProgress{Status: remit.StatusNeedsReview, Review: remit.ReviewUnapplied, ClaimID: ours}, changes, changes, changes, changes, same,
		},
		"unmatched": {done, remit.ClaimProgress{Status: remit.StatusUnmatched}, changes, changes, conflict, changes, conflict},
		"ignored":   {done, remit.ClaimProgress{Status: remit.StatusIgnored, ClaimID: ours}, changes, changes, changes, same, conflict},
		"about to be applied": {
			applying, remit.ClaimProgress{Status: remit.StatusPending, ClaimID: ours}, conflict, conflict, conflict, conflict, conflict,
		},
		"left by the work": {done, remit.ClaimProgress{Status: remit.StatusPending, ClaimID: ours}, changes, changes, changes, changes, conflict},
	} {
		r := &remit.Claim{ClaimProgress: c.is}
		check := func(does, want string) func(bool, error) {
			return func(ok bool, err error) {
				got := map[bool]string{true: changes, false: same}[ok]
				if err != nil {
					got = string(billing.CodeOf(err))
				}
				if got != want {
					t.Errorf("%s: %s is %q, want %q", name, does, got, want)
				}
			}
		}
		check("match", c.match)(r.CanMatch(&c.of, ours))
		check("match to another claim", c.matchOther)(r.CanMatch(&c.of, other))
		check("apply", c.apply)(r.CanApply(&c.of))
		check("ignore", c.ignore)(r.CanIgnore(&c.of))
		check("unapply", c.unapply)(r.CanUnapply(&c.of))
	}
}
