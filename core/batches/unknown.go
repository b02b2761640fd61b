package batches

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Unknown lists the batches of all organizations whose outcome is unknown, the
// longest first.
func (s *Service) Unknown(ctx context.Context) (all []*billing.Batch, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		all, err = tx.Routes.Unknown(ctx)
		return err
	})
	return all, err
}

// Resend sends a batch again whose outcome is unknown, because the operator knows
// that the clearinghouse does not have it. It returns CodeNotFound for any other
// batch.
func (s *Service) Resend(ctx context.Context, id billing.FileID) (*billing.Batch, error) {
	return s.decide(ctx, id, func(ctx context.Context, tx ports.Tx, b *billing.Batch) error {
		now := tx.Clock.Now()
		b.Resend()
		j := jobs.Job{ID: billing.NewID[billing.JobID](now), Kind: jobs.KindBatchSend, Scope: b.Scope, Subject: b.ID}
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		return tx.Batches.Save(ctx, b)
	})
}

// MarkSent records that a batch was sent whose outcome is unknown, because the
// operator knows that the clearinghouse has it. It returns CodeNotFound for any other
// batch.
func (s *Service) MarkSent(ctx context.Context, id billing.FileID) (*billing.Batch, error) {
	return s.decide(ctx, id, func(ctx context.Context, tx ports.Tx, b *billing.Batch) error {
		return sent(ctx, tx, b.ID, tx.Clock.Now())
	})
}

// decide applies the operator's decision on a batch whose outcome is unknown.
func (s *Service) decide(
	ctx context.Context, id billing.FileID, do func(ctx context.Context, tx ports.Tx, b *billing.Batch) error,
) (b *billing.Batch, err error) {
	all, err := s.Unknown(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(b *billing.Batch) bool { return b.ID == id })
	if at < 0 {
		return nil, billing.NotFound("batch with an unknown outcome", "id")
	}
	err = s.store.InTx(ctx, all[at].Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err = tx.Batches.Lock(ctx, id)
		switch {
		case err != nil:
			return err
		case b.UnknownSince.IsZero(): // an acknowledgement came meanwhile
			return billing.NotFound("batch with an unknown outcome", "id")
		}
		return do(ctx, tx, b)
	})
	return b, err
}
