package lists

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
)

// SecondPlans sets on claims which plan of another payer an active check shows, and returns the claims of which that changed. It
// asks once for all claims, and not at all if no payer has decided any. The claims are locked, so that the job of a check that is answered
// meanwhile looks at them after the commit.
func SecondPlans(ctx context.Context, tx ports.Tx, claims ...*claim.Claim) (changed []*claim.Claim, err error) {
	seen := map[billing.PatientID]bool{}
	var patients []billing.PatientID
	for _, c := range claims {
		if c.Standing != nil && !c.PatientID.IsZero() && !seen[c.PatientID] {
			seen[c.PatientID], patients = true, append(patients, c.PatientID)
		}
	}
	if len(patients) == 0 {
		return nil, nil
	}
	active, err := tx.Checks.Active(ctx, patients)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		if c.SeePlans(active[c.PatientID]) {
			changed = append(changed, c)
		}
	}
	return changed, nil
}
