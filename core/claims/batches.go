package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Batches reads a page of the files of claims, newest first, and where the next
// page starts: nil after the last.
func (s *Service) Batches(
	ctx context.Context, scope billing.Scope, p billing.Page,
) (page []*billing.Batch, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Batches.List(ctx, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(b *billing.Batch) billing.Position {
		return billing.Position{Time: b.CreatedAt, ID: b.ID}
	})
	return page, next, err
}

// Batch reads a file of claims without its bytes. An absent one is
// CodeNotFound.
func (s *Service) Batch(ctx context.Context, scope billing.Scope, id billing.FileID) (b *billing.Batch, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		b, err = tx.Batches.Get(ctx, id)
		return err
	})
	return b, err
}

// BatchFile reads a file of claims with the bytes that the network is handed.
// An absent one is CodeNotFound.
func (s *Service) BatchFile(ctx context.Context, scope billing.Scope, id billing.FileID) (b *billing.Batch, content []byte, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if b, err = tx.Batches.Get(ctx, id); err != nil {
			return err
		}
		content, err = tx.Batches.Content(ctx, id)
		return err
	})
	return b, content, err
}
