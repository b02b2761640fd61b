package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Post records that the user has posted a remittance. A posted one stays as it
// is.
//
// Errors: those of the idempotency key, and of Get.
func (s *Service) Post(ctx context.Context, call idempotency.Write[*billing.ERARecord], id billing.ERAID) (billing.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*billing.ERARecord, error) {
		if _, err := tx.ERAs.Get(ctx, id); err != nil { // it is invisible until it is read
			return nil, err
		}
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		if e.Post(tx.Clock.Now()) {
			if err := tx.ERAs.Save(ctx, e); err != nil {
				return nil, err
			}
		}
		return record(ctx, tx, e)
	})
}
