package billing_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestDecisionsByStatus makes each decision on a remittance claim in each status.
func TestDecisionsByStatus(t *testing.T) {
	t.Parallel()
	const changes, same, conflict = "changes", "same", string(billing.CodeConflict)
	ours, other := billing.ClaimID{15: 1}, billing.ClaimID{15: 2}
	done, applying := billing.ERA{Stage: billing.ERADone}, billing.ERA{Stage: billing.ERAApplying}
	posted := billing.ERA{Stage: billing.ERADone, State: billing.ERAPosted}
	for name, c := range map[string]struct {
		of                                        billing.ERA
		is                                        billing.RemittanceClaimProgress
		match, matchOther, apply, ignore, unapply string
	}{
		"applied":             {done, billing.RemittanceClaimProgress{Status: billing.RemitApplied, ClaimID: ours}, same, conflict, same, conflict, changes},
		"applied, posted":     {posted, billing.RemittanceClaimProgress{Status: billing.RemitApplied, ClaimID: ours}, same, conflict, same, conflict, conflict},
		"forwarded":           {done, billing.RemittanceClaimProgress{Status: billing.RemitForwarded, ClaimID: ours}, same, changes, same, changes, conflict},
		"forwarded, no claim": {done, billing.RemittanceClaimProgress{Status: billing.RemitForwarded}, changes, changes, same, changes, conflict},
		"needs review":        {done, billing.RemittanceClaimProgress{Status: billing.RemitNeedsReview, ClaimID: ours}, changes, changes, changes, changes, conflict},
		"unapplied": {
			done, billing.RemittanceClaimProgress{Status: billing.RemitNeedsReview, Review: billing.ReviewUnapplied, ClaimID: ours}, changes, changes, changes, changes, same,
		},
		"unmatched": {done, billing.RemittanceClaimProgress{Status: billing.RemitUnmatched}, changes, changes, conflict, changes, conflict},
		"ignored":   {done, billing.RemittanceClaimProgress{Status: billing.RemitIgnored, ClaimID: ours}, changes, changes, changes, same, conflict},
		"about to be applied": {
			applying, billing.RemittanceClaimProgress{Status: billing.RemitPending, ClaimID: ours}, conflict, conflict, conflict, conflict, conflict,
		},
		"left by the work": {done, billing.RemittanceClaimProgress{Status: billing.RemitPending, ClaimID: ours}, changes, changes, changes, changes, conflict},
	} {
		r := &billing.RemittanceClaim{RemittanceClaimProgress: c.is}
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
