package batches

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// Overdue is an acknowledgement of a batch that became overdue.
type Overdue struct {
	Batch      *clearing.Batch
	Connection string // its name
	Kind       clearing.AcknowledgementKind
}

// Review records which acknowledgements of the batches of all connections are overdue,
// and returns those that became so. It also settles batches whose claims moved on
// without an acknowledgement, such as by a payment. Of several processes, one returns
// each.
func (s *Service) Review(ctx context.Context) (news []Overdue, err error) {
	type group struct {
		of    *network.Connection
		scope billing.Scope
	}
	late := map[group][]billing.FileID{}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		clear(late)
		now := tx.Real.Now().Time
		all, err := tx.Connections.List(ctx)
		if err != nil {
			return err
		}
		for _, c := range all {
			if !c.Carried(network.Claims) {
				continue
			}
			sent, err := tx.Routes.Unsettled(ctx, c.Network(), now.Add(-c.Settings.Options.AcknowledgedAfter()))
			if err != nil {
				return err
			}
			for _, b := range sent {
				late[group{c, b.Scope}] = append(late[group{c, b.Scope}], b.ID)
			}
		}
		return nil
	})
	errs := []error{err}
	for g, ids := range late {
		overdue, err := s.reviewAll(ctx, g.scope, &g.of.Settings.Options, ids)
		errs = append(errs, err)
		for _, o := range overdue {
			o.Connection = g.of.Name
			news = append(news, o)
		}
	}
	return news, errors.Join(errs...)
}

// reviewAll reviews batches of a scope. It writes only those that change.
func (s *Service) reviewAll(ctx context.Context, scope billing.Scope, o *network.Options, ids []billing.FileID) (news []Overdue, err error) {
	var changed []billing.FileID
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		changed = nil
		all, err := tx.Acknowledgements.Of(ctx, ids)
		for _, b := range all {
			if _, differs := b.Review(o.Expected(), o.AcknowledgedAfter(), tx.Clock.Now()); differs {
				changed = append(changed, b.ID)
			}
		}
		return err
	})
	for _, id := range changed {
		var found []Overdue
		failed := s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) (err error) {
			found, err = review(ctx, tx, id, o, tx.Clock.Now())
			return err
		})
		if failed == nil {
			news = append(news, found...)
		}
		if !billing.IsResetting(failed) {
			err = errors.Join(err, failed)
		}
	}
	return news, err
}

// review records which acknowledgements of a batch are overdue, or that none is awaited.
func review(ctx context.Context, tx ports.Tx, id billing.FileID, o *network.Options, now time.Time) (news []Overdue, err error) {
	if _, err := tx.Batches.Lock(ctx, id); err != nil {
		return nil, err
	}
	all, err := tx.Acknowledgements.Of(ctx, []billing.FileID{id})
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		kinds, changed := b.Review(o.Expected(), o.AcknowledgedAfter(), now)
		if !changed {
			continue
		}
		if err := tx.Batches.Save(ctx, b); err != nil {
			return nil, err
		}
		for _, kind := range kinds {
			news = append(news, Overdue{Batch: b, Kind: kind})
		}
	}
	return news, nil
}
