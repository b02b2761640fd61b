package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
)

// Begun is what the beginning of a restore did.
type Begun struct {
	*Report

	Restore *restore.Restore
	Lost    map[billing.ClaimID]bool // the claims of sent files that could not come back
}

// Begin lets the service work again on a restored database: it does again what the live
// files did that the database does not know, and lets all numbers continue past those that
// were given out. From then on live claims and webhooks wait for Resume. It may be called
// again: after it failed it goes on, and until Resume it returns the same. Two at the same time
// do the same. A database that
// is not behind is only restored if anyway is set; otherwise the error is CodeConflict.
//
// The order is that of a process that may end at each step: the gap in the numbers of
// events is there before the first event, and the number of live files, without which no
// process works, comes last.
func (s *Service) Begin(ctx context.Context, anyway bool) (*Begun, error) {
	r, err := s.compare(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(r.Newer) == 0 && r.Open != nil && r.Open.Replayed > 0:
		return s.report(ctx)
	case len(r.Newer) == 0 && r.Open == nil && !anyway:
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The database knows every live file, so it does not look restored." +
			" If it was restored from a backup all the same, run molar restore begin --anyway."}
	}
	if err := s.announce(ctx, r); err != nil {
		return nil, err
	}
	for _, c := range r.Newer {
		if err := s.again(ctx, c); err != nil {
			return nil, fmt.Errorf("replay live file %d: %w", c.Number, err)
		}
	}
	if err := s.deleteAgain(ctx); err != nil {
		return nil, err
	}
	if err := s.eraseAgain(ctx); err != nil {
		return nil, err
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		to := r.Want
		to.Batch, to.Attachment = to.Batch+restore.Past, to.Attachment+restore.Past
		return tx.Restores.Raise(ctx, to)
	})
	if err != nil {
		return nil, err
	}
	return s.report(ctx)
}

// report returns what the begin of the open restore did.
func (s *Service) report(ctx context.Context) (*Begun, error) {
	r, err := s.compare(ctx)
	if err != nil {
		return nil, err
	}
	if r.Open == nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The restore was resumed meanwhile."}
	}
	b := &Begun{Report: r, Restore: r.Open, Lost: map[billing.ClaimID]bool{}}
	copies, _, err := s.copies(ctx, r.Open.LiveFile)
	b.Newer = slices.DeleteFunc(copies, func(c Copies) bool { return c.Number > r.Open.Replayed })
	for _, c := range b.Newer {
		if err == nil && c.Sent != nil {
			err = s.missing(ctx, c.Sent, b.Lost)
		}
	}
	return b, err
}

// missing adds the claims of a sent file that the database does not have.
func (s *Service) missing(ctx context.Context, f *restore.SentFile, lost map[billing.ClaimID]bool) error {
	return s.store.View(ctx, f.Batch.Scope, func(ctx context.Context, tx ports.Tx) error {
		for _, c := range f.Claims {
			if _, err := tx.Claims.Get(ctx, c.ID); billing.IsNotFound(err) {
				lost[c.ID] = true
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// announce stores that a restore has begun, in the database and in the blob store. A begin
// that failed goes on with its restore, and one beside another begin with that of the other. It also stores restores that the database has lost:
// their gaps in the numbers of events stay.
func (s *Service) announce(ctx context.Context, of *Report) error {
	var earlier []*restore.Restore
	for blob, err := range s.blobs.List(ctx, restore.Begun) {
		if err != nil {
			return err
		}
		if id, err := billing.ParseID[billing.RestoreID](strings.TrimPrefix(blob.Name, restore.Begun)); err == nil {
			earlier = append(earlier, &restore.Restore{ID: id, BegunAt: id.Time(), ResumedAt: id.Time()})
		}
	}
	begun := of.Open
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		now := tx.Real.Now().Time
		if begun = of.Open; begun != nil && begun.Replayed > 0 { // the backup was made before it was resumed
			if err := tx.Restores.Resume(ctx, begun, now); err != nil {
				return err
			}
			begun = nil
		}
		if begun == nil {
			begun = &restore.Restore{BegunAt: now, LiveFile: of.Have.LiveFile}
		}
		for _, r := range append(slices.Clone(earlier), begun) {
			if err := tx.Restores.Insert(ctx, r); err != nil {
				return err
			}
		}
		open, err := tx.Restores.Open(ctx)
		if open != nil { // of another begin, which runs at the same time
			begun = open
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.put(ctx, restore.Begun+begun.ID.String(), []byte(begun.ID.String()))
}

// again does again what a live file did.
func (s *Service) again(ctx context.Context, c Copies) error {
	switch {
	case c.Sent != nil:
		return s.replay.Sent(ctx, c.Sent)
	case !c.Whole:
		return nil
	}
	return s.replay.Received(ctx, c.Parts[0].File, func(n int) ([]byte, error) {
		if n == len(c.Parts) {
			return nil, nil
		}
		var p restore.ReceivedPart
		err := s.read(ctx, c.Parts[n].Name(), &p)
		return p.Content, err
	})
}

// deleteAgain stores the deletions of organizations that were asked for. One whose copy has a key
// that was replaced matters only while the organization is there.
func (s *Service) deleteAgain(ctx context.Context) error {
	for blob, err := range s.blobs.List(ctx, restore.Deletions) {
		var d caller.Deletion
		if err == nil {
			err = s.read(ctx, blob.Name, &d)
		}
		if _, sealed := errors.AsType[*sealedError](err); sealed {
			if err = s.stays(ctx, strings.TrimPrefix(blob.Name, restore.Deletions), err); err == nil {
				continue
			}
		}
		if err == nil {
			err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Deletions.Again(ctx, &d) })
		}
		if err != nil {
			return fmt.Errorf("delete an organization again: %w", err)
		}
	}
	return nil
}

// stays returns the error if the organization is there, and the database does not delete it by itself.
func (s *Service) stays(ctx context.Context, org string, unread error) error {
	id, err := billing.ParseID[billing.OrgID](org)
	if err != nil {
		return unread
	}
	goes := false
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		wished, err := tx.Deletions.List(ctx)
		if err != nil {
			return err
		}
		goes = slices.ContainsFunc(wished, func(d *caller.Deletion) bool { return d.Org == id })
		_, err = tx.Orgs.Get(ctx, id)
		return err
	})
	switch {
	case billing.IsNotFound(err), err == nil && goes:
		return nil
	case err == nil:
		err = unread
	}
	return err
}

// eraseAgain stores the erasures of patients that had begun. One whose copy has a key that was
// replaced matters only while the patient is there.
func (s *Service) eraseAgain(ctx context.Context) error {
	unread := map[billing.PatientID]error{}
	for blob, err := range s.blobs.List(ctx, restore.Erasures) {
		var e directory.Erasure
		if err == nil {
			err = s.read(ctx, blob.Name, &e)
		}
		if _, sealed := errors.AsType[*sealedError](err); sealed {
			id, other := billing.ParseID[billing.PatientID](strings.TrimPrefix(blob.Name, restore.Erasures))
			if other == nil {
				unread[id] = err
				continue
			}
		}
		if err == nil {
			err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Erasures.Again(ctx, &e) })
		}
		if err != nil {
			return fmt.Errorf("erase a patient again: %w", err)
		}
	}
	if err := s.gone(ctx, unread); err != nil {
		return fmt.Errorf("erase a patient again: %w", err)
	}
	return nil
}

// gone returns the error of an unread order whose patient is in the database of any organization, unless an erasure
// of the patient has begun there.
func (s *Service) gone(ctx context.Context, unread map[billing.PatientID]error) error {
	if len(unread) == 0 {
		return nil
	}
	var orgs []*caller.Organization
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		begun, err := tx.Erasures.List(ctx)
		if err != nil {
			return err
		}
		for _, e := range begun { // the sweep carries them out
			delete(unread, e.Patient)
		}
		orgs, err = tx.Orgs.List(ctx)
		return err
	})
	for _, o := range orgs {
		for _, mode := range []billing.Mode{billing.ModeLive, billing.ModeTest} {
			if err != nil {
				return err
			}
			err = s.store.View(ctx, billing.Scope{Org: o.ID, Mode: mode}, func(ctx context.Context, tx ports.Tx) error {
				for id, sealed := range unread {
					switch _, err := tx.Patients.Get(ctx, id); {
					case err == nil:
						return sealed
					case !billing.IsNotFound(err):
						return err
					}
				}
				return nil
			})
		}
	}
	return err
}

// Resume ends a restore: live claims and webhooks go out again. It returns the restore; nil
// if none was open. It returns CodeConflict until a begin has come to its end: without one,
// an erased patient would stay.
func (s *Service) Resume(ctx context.Context) (ended *restore.Restore, err error) {
	if err := s.notBehind(ctx); err != nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The database is behind the live files. Run molar restore begin first.", Cause: err}
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if ended, err = tx.Restores.Open(ctx); err != nil || ended == nil {
			return err
		}
		if ended.Replayed == 0 {
			return &billing.Error{Code: billing.CodeConflict, Message: "molar restore begin has not come to its end. Run it again first: it goes on."}
		}
		return tx.Restores.Resume(ctx, ended, tx.Real.Now().Time)
	})
	return ended, err
}
