package lists

import (
	"context"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/ports"
)

// Terms sets on claims what the fee schedules of their scope say of them, and returns the claims
// of which that changed. It asks once for all claims of an office to a payer. The claims are new or
// locked, so that a schedule that is stored meanwhile finds them.
func Terms(ctx context.Context, tx ports.Tx, claims ...*claim.Claim) (changed []*claim.Claim, err error) {
	lines := map[fee.Question][]fee.Line{}
	for _, c := range claims {
		k := c.Contracted()
		lines[k.Question] = append(lines[k.Question], k.Lines()...)
	}
	among := map[fee.Question][]*fee.Schedule{}
	for q, of := range lines {
		if among[q], err = tx.FeeSchedules.Pricing(ctx, q, of); err != nil {
			return nil, err
		}
	}
	for _, c := range claims {
		if k := c.Contracted(); k.SetTerms(among[k.Question]) {
			changed = append(changed, c)
		}
	}
	return changed, nil
}
