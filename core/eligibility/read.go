package eligibility

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Get reads a check with what people added to it. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.CheckID) (*coverage.Amended, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*coverage.Amended, error) {
		c, err := tx.Checks.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return lists.Amend(ctx, tx, c)
	})
}

// Exchange reads the messages exchanged for a check, and finds the segments that its values
// come from. It returns CodeNotFound if there is no such check.
func (s *Service) Exchange(ctx context.Context, scope billing.Scope, id billing.CheckID) (e coverage.CheckExchange, err error) {
	var c *coverage.Check
	e, err = lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (coverage.CheckExchange, error) {
		if c, err = tx.Checks.Get(ctx, id); err != nil {
			return coverage.CheckExchange{}, err
		}
		return tx.Exchanges.Get(ctx, id)
	})
	if err != nil || len(e.Messages) == 0 {
		return e, err
	}
	replies := make([][]byte, len(e.Messages))
	for i, m := range e.Messages {
		replies[i] = m.Reply
	}
	e.Values = s.origins.Origins(network.Inquiry{Scope: scope, CheckID: id, CreatedAt: c.CreatedAt, Inquiry: c.Inquiry, Payer: c.Payer}, replies, c.Values())
	return e, nil
}

// List reads a page of checks, newest first, and the start of the next page:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f coverage.CheckFilter, p billing.Page,
) ([]*coverage.Check, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*coverage.Check, error) {
		return tx.Checks.List(ctx, f, p)
	})
}

// reading is a check that is read together with others.
type reading struct {
	scope billing.Scope
	id    billing.CheckID
	check *coverage.Check
	at    time.Time    // of the check's scope
	real  billing.Real // the same, by the database
}

// read is Get for many calls at the same time: they share a transaction.
func (t *together) read(ctx context.Context, scope billing.Scope, id billing.CheckID) (*reading, error) {
	r := &reading{scope: scope, id: id}
	if err := t.reads.Do(ctx, scope, r); err != nil {
		return nil, err
	}
	if r.check == nil {
		return nil, billing.NotFound("check", "")
	}
	return r, nil
}

func (s *Service) readAll(ctx context.Context, all []*reading) error {
	ids, scopes := make([]billing.CheckID, len(all)), make([]billing.Scope, len(all))
	for i, r := range all {
		ids[i], scopes[i] = r.id, r.scope
	}
	return s.store.ViewScopes(ctx, scopes, func(ctx context.Context, tx ports.ScopesTx) error {
		found, err := tx.Checks.Find(ctx, ids)
		if err != nil {
			return err
		}
		for _, r := range all {
			r.at, r.real = tx.ClockOf(r.scope).Now(), tx.Real.Now()
			if c := found[r.id]; c != nil && c.Scope == r.scope {
				r.check = c
			}
		}
		return nil
	})
}
