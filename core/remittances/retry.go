package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// Retry queues a remittance that is done or was given up, if it has claims that are
// not applied, or that match none of ours. It returns false when nothing is left to
// do.
func (s *Service) Retry(ctx context.Context, scope billing.Scope, id billing.ERAID) (again bool, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		again = false
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil || e.Stage != remit.Done {
			return err
		}
		kept, err := tx.RemittanceClaims.Count(ctx, id)
		if err != nil {
			return err
		}
		left, err := tx.RemittanceClaims.Pending(ctx, id, 1)
		if err != nil {
			return err
		}
		if again, err = takeAgain(ctx, tx, e); err != nil {
			return err
		}
		switch {
		case kept < e.ClaimCount:
			e.Stage = remit.Reading
		case again || len(left) > 0 || len(e.TakingBack) > 0:
			e.Stage = remit.Applying
		default:
			return nil
		}
		again = true
		if err := tx.ERAs.Save(ctx, e); err != nil {
			return err
		}
		return stage(ctx, tx, scope, id)
	})
	return again, err
}
