package batches

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// List reads a page of batches, newest first, and the start of the next page:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*clearing.Batch, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*clearing.Batch, error) {
		return tx.Batches.List(ctx, p)
	})
}

// Get reads a batch without its file. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.FileID) (*clearing.Batch, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*clearing.Batch, error) {
		return tx.Batches.Get(ctx, id)
	})
}

// File reads a batch with its file, as its network receives it. It returns
// CodeNotFound if there is none.
func (s *Service) File(ctx context.Context, scope billing.Scope, id billing.FileID) (b *clearing.Batch, content []byte, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if b, err = tx.Batches.Get(ctx, id); err != nil {
			return err
		}
		content, err = tx.Batches.Content(ctx, id)
		return err
	})
	return b, content, err
}

// Acknowledgement reads a file about a batch by its number, and its bytes. It returns
// CodeNotFound if there is none.
func (s *Service) Acknowledgement(
	ctx context.Context, scope billing.Scope, id billing.FileID, number int,
) (a *clearing.BatchAcknowledgement, content []byte, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		a, content, err = tx.Acknowledgements.Get(ctx, id, number)
		return err
	})
	return a, content, err
}
