// Package notes keeps what people write about the resources that have tasks.
package notes

import (
	"cmp"
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of notes.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Add adds a note to a resource.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound for
// the resource.
func (s *Service) Add(ctx context.Context, call idempotency.Write[*task.Note], to task.Resource, in intake.AddNoteRequest) (caller.Reply, error) {
	text, faults := in.Parsed()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*task.Note, error) {
		err := has(ctx, tx, to)
		if err != nil && !billing.IsNotFound(err) {
			return nil, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return nil, err
		}
		n := &task.Note{
			ID: billing.NewID[billing.NoteID](tx.Real.Now()), Scope: call.Scope, Resource: to, Text: text, At: tx.Clock.Now(), By: call.Principal.ID,
		}
		return n, tx.Notes.Insert(ctx, n)
	})
}

// Strike strikes a note, which stays in the list.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound, and
// CodeConflict for a note that is struck already.
func (s *Service) Strike(ctx context.Context, call idempotency.Write[*task.Note], id billing.NoteID, in intake.StrikeNoteRequest) (caller.Reply, error) {
	reason, faults := in.Parsed()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*task.Note, error) {
		n, err := tx.Notes.Lock(ctx, id)
		if err != nil && !billing.IsNotFound(err) {
			return nil, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return nil, err
		}
		if err := n.Strike(reason, call.Principal.ID, tx.Clock.Now()); err != nil {
			return nil, err
		}
		return n, tx.Notes.Save(ctx, n)
	})
}

// List reads a page of the notes of a resource. It returns CodeNotFound if there is no such
// resource.
func (s *Service) List(ctx context.Context, scope billing.Scope, of task.Resource, p billing.Page) ([]*task.Note, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		if err := has(ctx, tx, of); err != nil {
			return nil, err
		}
		return tx.Notes.List(ctx, of.ID, p)
	})
}

// has returns CodeNotFound unless callers see the resource.
func has(ctx context.Context, tx ports.Tx, of task.Resource) (err error) {
	switch of.Kind {
	case task.OfClaim:
		_, err = tx.Claims.Get(ctx, of.ID)
	case task.OfRemittance:
		_, err = tx.ERAs.Get(ctx, of.ID)
	case task.OfPayerRequest:
		_, err = tx.PayerRequests.Get(ctx, of.ID)
	case task.OfAttachment:
		_, err = tx.Attachments.Get(ctx, of.ID)
	case task.OfEnrollment:
		_, err = tx.Enrollments.Get(ctx, of.ID)
	case task.OfDeposit:
		_, err = tx.Deposits.Get(ctx, of.ID)
	}
	return err
}
