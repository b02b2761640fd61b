package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Retry applies a remittance again that is done or was given up, if it has
// claims that can still be applied. Claims that match none of ours are not
// matched again. It returns false when nothing is left to do.
func (s *Service) Retry(ctx context.Context, scope billing.Scope, id billing.ERAID) (again bool, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		again = false
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil || e.Progress != billing.ERADone {
			return err
		}
		kept, _, err := tx.ERAClaims.Count(ctx, id)
		if err != nil {
			return err
		}
		left, err := tx.ERAClaims.List(ctx, id, 0, true, 1)
		switch {
		case err != nil:
			return err
		case kept < e.ClaimCount:
			e.Progress = billing.ERAReading
		case len(left) > 0:
			e.Progress = billing.ERAApplying
		default:
			return nil
		}
		again = true
		if err := tx.ERAs.Save(ctx, e); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, jobs.Job{ID: billing.NewID[billing.JobID](tx.Clock.Now()), Kind: jobs.KindERA, Scope: scope, Subject: id})
	})
	return again, err
}
