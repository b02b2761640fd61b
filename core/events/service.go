// Package events reads events: one, a page, or all from a point on.
package events

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of events.
type Service struct {
	store ports.Store
}

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Get reads an event. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.EventID) (*event.Event, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*event.Event, error) {
		return tx.Events.Get(ctx, id)
	})
}

// List reads a page of events, newest first, and the start of the next page:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f event.Filter, p billing.Page,
) ([]*event.Event, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
		return tx.Events.List(ctx, f, p)
	})
}

// Tail reads up to limit events after the given one, or from the first when it
// is zero, and reports whether there are more. No event ever appears before one
// that was read, so a reader that continues from the last one misses none. An
// unknown event is CodeNotFound.
func (s *Service) Tail(
	ctx context.Context, scope billing.Scope, f event.Filter, after billing.EventID, limit int,
) (page []*event.Event, more bool, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Events.Tail(ctx, f, after, limit)
		return err
	})
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

// Continue reads on from a page of Tail, after its last event. If that event is no longer
// kept it reads from the oldest one that is, and reports the gap.
func (s *Service) Continue(
	ctx context.Context, scope billing.Scope, f event.Filter, last billing.EventID, limit int,
) (page []*event.Event, more, gap bool, err error) {
	page, more, err = s.Tail(ctx, scope, f, last, limit)
	if _, expired := errors.AsType[*event.ExpiredError](err); expired || billing.IsNotFound(err) {
		page, more, err = s.Tail(ctx, scope, f, billing.EventID{}, limit)
		return page, more, true, err
	}
	return page, more, false, err
}
