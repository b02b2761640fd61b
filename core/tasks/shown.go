package tasks

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// Shown is a task as it is at a time, with the newest notes of its resource.
type Shown struct {
	*task.Task

	State task.State
	Notes task.Notes
}

// shown reads tasks by the clock of their scope, and their notes.
func (s *Service) shown(ctx context.Context, tx ports.Tx, found ...*task.Task) ([]Shown, error) {
	of := make([][16]byte, len(found))
	for i, t := range found {
		of[i] = t.Resource.ID
		t.Review()
		if err := correct(ctx, tx, t); err != nil {
			return nil, err
		}
		t.Actions = slices.DeleteFunc(slices.Clone(t.Actions), func(a string) bool {
			return !t.Allows(a) || a == task.AskPayer && !s.asks(t.Scope, t.Payer.ID) // connections are no part of what is stored
		})
	}
	notes, err := tx.Notes.Newest(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([]Shown, len(found))
	for i, t := range found {
		all[i] = Shown{t, t.State(tx.Clock.Now()), notes[t.Resource.ID]}
	}
	return all, nil
}

// correct lets the task of a correction begin with what it corrects, while that is posted: it is unposted before the
// correction replaces it. The correction itself does not know.
func correct(ctx context.Context, tx ports.Tx, t *task.Task) error {
	if t.Kind != task.RemittanceCorrection || !t.EndedAt.IsZero() {
		return nil
	}
	e, err := tx.ERAs.Get(ctx, t.Resource.ID)
	if err != nil {
		return err
	}
	for _, id := range e.Corrects {
		old, err := tx.ERAs.Get(ctx, id)
		switch {
		case billing.IsNotFound(err): // it is being read
		case err != nil:
			return err
		case old.State == remit.Posted:
			t.CorrectsPosted(id)
			return nil
		}
	}
	return nil
}

// one is shown for one task.
func (s *Service) one(ctx context.Context, tx ports.Tx, t *task.Task) (out Shown, err error) {
	all, err := s.shown(ctx, tx, t)
	if err == nil {
		out = all[0]
	}
	return out, err
}
