package attachments

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// sweepBatch is the number of blobs per look-up.
const sweepBatch = 500

// Sweep removes the blobs that no row names and that are too old for a running
// request to name, and returns how many.
func (s *Service) Sweep(ctx context.Context) (removed int, err error) {
	var now time.Time
	if err := s.store.System(ctx, func(_ context.Context, tx ports.SystemTx) error { now = tx.Real.Now().Time; return nil }); err != nil {
		return 0, err
	}
	for _, prefix := range []string{attachment.DocumentBlobs, attachment.ThumbnailBlobs, attachment.StagingBlobs} {
		n, err := s.sweep(ctx, prefix, now.Add(-s.times.Orphan))
		if removed += n; err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// ForgetUploads deletes uploads that were settled long ago, a limited number in
// one transaction, and returns how many.
func (s *Service) ForgetUploads(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Uploads(ctx, tx.Real.Now().Add(-s.times.Settled))
	})
}

func (s *Service) sweep(ctx context.Context, prefix string, before time.Time) (removed int, err error) {
	var old []billing.DocumentID
	remove := func() error {
		n, err := s.orphans(ctx, prefix, old)
		removed += n
		old = old[:0]
		return err
	}
	for blob, err := range s.blobs.List(ctx, prefix) {
		if err != nil {
			return removed, err
		}
		id, err := billing.ParseID[billing.DocumentID](strings.TrimPrefix(blob.Name, prefix))
		if err != nil || !blob.WrittenAt.Before(before) {
			continue // not ours, or of a request that may still run
		}
		if old = append(old, id); len(old) == sweepBatch {
			if err := remove(); err != nil {
				return removed, err
			}
		}
	}
	return removed, remove()
}

// orphans removes the blobs that have no row.
func (s *Service) orphans(ctx context.Context, prefix string, ids []billing.DocumentID) (removed int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	var documents, pending []billing.DocumentID
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		documents, pending, err = tx.Images.Kept(ctx, ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		// The document of a pending upload may be committed soon.
		if slices.Contains(pending, id) || prefix != attachment.StagingBlobs && slices.Contains(documents, id) {
			continue
		}
		if err := s.blobs.Delete(ctx, prefix+id.String()); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
