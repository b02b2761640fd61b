// Package claims creates claims and predeterminations, changes them as callers
// ask, and shows them. Packages batches and remittances apply files to claims.
//
// Every use case that changes something is one transaction: the claim, its
// events and the reply under the call's key are committed together.
package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of claims.
type Service struct {
	store    ports.Store
	networks ports.Networks
	payers   *directory.PayerDirectory
	chunk    int // the number of claims that a commit of Enrolled checks
}

// defaultChunk bounds a commit, and the locks on its claims: two seconds on two cores.
const defaultChunk = 300

// New creates the use cases. Package batches sends claims through the networks.
func New(store ports.Store, networks ports.Networks, payers *directory.PayerDirectory) *Service {
	return &Service{store, networks, payers, defaultChunk}
}

// change changes a claim, at most once for the call's key, and returns it.
// Decide receives the locked claim, changes it and returns the events. Faults
// are those that the request has for any claim.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, faults billing.Faults,
	decide func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error),
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) {
		c, err := s.lock(ctx, tx, call.Call, id, faults)
		if err != nil {
			return nil, err
		}
		was := *c.Claim
		events, err := decide(ctx, tx, c)
		if err != nil {
			return nil, err
		}
		c.Edited(was, call.Principal, tx.Clock.Now())
		if err := s.complete(ctx, tx, c); err != nil {
			return nil, err
		}
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return nil, err
		}
		if was.OfficeID != c.OfficeID || was.PatientID != c.PatientID {
			if err := nameAgain(ctx, tx, c.Claim); err != nil {
				return nil, err
			}
		}
		return c, emit(ctx, tx, events)
	})
}

// nameAgain lets the payer requests about a claim have its office and its patient, once these are
// other ones.
func nameAgain(ctx context.Context, tx ports.Tx, c *claim.Claim) error {
	all, err := tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{ClaimID: c.ID}, billing.Page{Limit: billing.MaxPageLimit})
	if err != nil {
		return err
	}
	for _, r := range all {
		if r, err = tx.PayerRequests.Lock(ctx, r.ID); err != nil {
			return err
		}
		c.NameIn(r)
		if err := tx.PayerRequests.Save(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// lock reads a claim for a change. When the claim is absent, or has another version than
// the caller has seen, it reports the faults first; otherwise the caller reports them,
// with those that depend on the claim.
func (s *Service) lock(ctx context.Context, tx ports.Tx, call caller.Call, id billing.ClaimID, faults billing.Faults) (*claim.Record, error) {
	c, err := tx.Claims.Lock(ctx, id)
	if err == nil {
		err = c.Edits.Expect(call.Request.Seen)
	}
	if billing.CodeOf(err) != billing.CodeInternal && len(faults) > 0 {
		err = faults.Err()
	}
	if err != nil {
		return nil, err
	}
	c.Tasks = nil // as they are before the change
	return c, s.hold(ctx, tx, c)
}

// emit stores events in the commit that causes them.
func emit(ctx context.Context, tx ports.Tx, events []event.Event) error {
	for _, e := range events {
		if err := tx.Events.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
