package lists

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
)

// Amend reads what people added to a check, and what follows to it from earlier ones.
func Amend(ctx context.Context, tx ports.Tx, c *coverage.Check) (*coverage.Amended, error) {
	all, err := tx.Additions.Of(ctx, c)
	if err != nil {
		return nil, err
	}
	var others []billing.CheckID
	for _, a := range all {
		if a.CheckID != c.ID && !slices.Contains(others, a.CheckID) {
			others = append(others, a.CheckID)
		}
	}
	var earlier map[billing.CheckID]*coverage.Check
	if len(others) > 0 {
		if earlier, err = tx.Checks.Find(ctx, others); err != nil {
			return nil, err
		}
	}
	return c.Amend(all, earlier), nil
}
