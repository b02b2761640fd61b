package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Quarantined lists the files in quarantine without their content, the newest
// first.
func (s *Service) Quarantined(ctx context.Context) (files []*billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		files, err = tx.Quarantine.List(ctx)
		return err
	})
	return files, err
}

// QuarantinedFile reads a file in quarantine. It returns CodeNotFound for the
// field id if there is none.
func (s *Service) QuarantinedFile(ctx context.Context, id billing.FileID) (q *billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		q, err = tx.Quarantine.Get(ctx, id)
		return absent(err, "file in quarantine", "id")
	})
	return q, err
}

// Discard removes a file from the quarantine for good, and returns it. It
// returns CodeNotFound for the field id if there is none.
func (s *Service) Discard(ctx context.Context, id billing.FileID) (q *billing.Quarantined, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if q, err = tx.Quarantine.Get(ctx, id); err != nil {
			return absent(err, "file in quarantine", "id")
		}
		return tx.Quarantine.Remove(ctx, id)
	})
	return q, err
}
