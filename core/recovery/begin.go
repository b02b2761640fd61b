package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
)

// Begun is what the beginning of a restore did.
type Begun struct {
	*Report

	Restore *restore.Restore
	Claims  map[int64][]restore.ClaimFate // of sent files, by their numbers
	Stored  map[int64]bool                // received files that the database lacked, by their numbers
}

// Begin lets the service work again on a restored database: it does again what the live
// files did that the database does not know, and lets all numbers continue past those that
// were given out. From then on live claims and webhooks wait for Resume. It may be called
// again after it failed. A database that is not behind is only restored if anyway is set;
// otherwise the error is CodeConflict.
//
// The order is that of a process that may end at each step: the gap in the numbers of
// events is there before the first event, and the number of live files, without which no
// process works, comes last.
func (s *Service) Begin(ctx context.Context, anyway bool) (*Begun, error) {
	b := &Begun{Report: &Report{}, Claims: map[int64][]restore.ClaimFate{}, Stored: map[int64]bool{}}
	var err error
	if b.Newer, err = s.newer(ctx, b.Report); err != nil {
		return nil, err
	}
	switch {
	case len(b.Newer) == 0 && b.Open != nil:
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "A restore has begun already. Run molar restore resume once you have read its report."}
	case len(b.Newer) == 0 && !anyway:
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The database knows every live file, so it does not look restored." +
			" If it was restored from a backup all the same, run molar restore begin --anyway."}
	}
	if b.Restore, err = s.announce(ctx, b.Report); err != nil {
		return nil, err
	}
	for _, c := range b.Newer {
		if err := s.again(ctx, b, c); err != nil {
			return nil, fmt.Errorf("replay live file %d: %w", c.Number, err)
		}
	}
	return b, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		to := b.Want
		to.LiveFile, to.Batch, to.Attachment = to.LiveFile+1, to.Batch+restore.Past, to.Attachment+restore.Past
		return tx.Restores.Raise(ctx, to)
	})
}

// announce stores that a restore has begun, in the database and in the blob store. A begin
// that failed goes on with its restore. It also stores restores that the database has lost:
// their gaps in the numbers of events stay.
func (s *Service) announce(ctx context.Context, of *Report) (begun *restore.Restore, err error) {
	var earlier []*restore.Restore
	for blob, err := range s.blobs.List(ctx, restore.Begun) {
		if err != nil {
			return nil, err
		}
		if id, err := billing.ParseID[billing.RestoreID](strings.TrimPrefix(blob.Name, restore.Begun)); err == nil {
			earlier = append(earlier, &restore.Restore{ID: id, BegunAt: id.Time(), ResumedAt: id.Time()})
		}
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		now := tx.Real.Now()
		if begun = of.Open; begun == nil || begun.LiveFile != of.Have.LiveFile {
			begun = &restore.Restore{BegunAt: now.Time, LiveFile: of.Have.LiveFile}
		}
		if of.Open != nil && of.Open != begun { // the backup was made before it was resumed
			if err := tx.Restores.Resume(ctx, of.Open, now.Time); err != nil {
				return err
			}
		}
		for _, r := range append(slices.Clone(earlier), begun) {
			if err := tx.Restores.Insert(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return begun, s.put(ctx, restore.Begun+begun.ID.String(), []byte(begun.ID.String()))
}

// again does again what a live file did.
func (s *Service) again(ctx context.Context, b *Begun, c Copies) (err error) {
	switch {
	case c.Sent != nil:
		b.Claims[c.Number], err = s.replay.Sent(ctx, c.Sent)
	case c.Whole:
		b.Stored[c.Number], err = s.replay.Received(ctx, c.Parts[0].File, func(n int) ([]byte, error) {
			if n == len(c.Parts) {
				return nil, nil
			}
			var p restore.ReceivedPart
			err := s.read(ctx, c.Parts[n].Name(), &p)
			return p.Content, err
		})
	}
	return err
}

// Resume ends a restore: live claims and webhooks go out again. It returns the restore; nil
// if none was open.
func (s *Service) Resume(ctx context.Context) (ended *restore.Restore, err error) {
	if err := s.notBehind(ctx); err != nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The database is behind the live files. Run molar restore begin first.", Cause: err}
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if ended, err = tx.Restores.Open(ctx); err != nil || ended == nil {
			return err
		}
		return tx.Restores.Resume(ctx, ended, tx.Real.Now().Time)
	})
	return ended, err
}
