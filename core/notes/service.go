// Package notes keeps what people write about the resources that have tasks.
package notes

import (
	"cmp"
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
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

// Of names the resource that a note is about: by its ID, or an item of a batch of checks by the
// practice's own, which its ID follows from.
type Of struct {
	task.Resource

	Item task.Item
}

// Add adds a note to a resource.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound for
// the resource.
func (s *Service) Add(ctx context.Context, call idempotency.Write[*task.Note], of Of, in intake.AddNoteRequest) (caller.Reply, error) {
	text, faults := in.Parsed()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*task.Note, error) {
		to, err := resource(ctx, tx, of)
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
func (s *Service) List(ctx context.Context, scope billing.Scope, of Of, p billing.Page) ([]*task.Note, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		found, err := resource(ctx, tx, of)
		if err != nil {
			return nil, err
		}
		return tx.Notes.List(ctx, found.ID, p)
	})
}

// resource finds what is named. It returns CodeNotFound unless callers see it.
func resource(ctx context.Context, tx ports.Tx, of Of) (_ task.Resource, err error) {
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
	case task.OfCheckItem:
		var found []*coverage.BatchItem
		found, err = tx.CheckItems.List(ctx, coverage.ItemFilter{BatchID: of.Item.Batch, ItemID: of.Item.Name}, billing.Page{Limit: 1, Oldest: true})
		switch named := !of.Item.Batch.IsZero() && of.Item.Name != ""; {
		case err != nil:
		case named && len(found) == 1:
			of.ID = found[0].ID
		default:
			err = billing.NotFound("item", "")
		}
	case task.OfConnection:
		_, err = tx.Connections.Get(ctx, of.ID)
	case task.OfFile:
		_, err = tx.Quarantine.Get(ctx, of.ID)
	}
	return of.Resource, err
}
