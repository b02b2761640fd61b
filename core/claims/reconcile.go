package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Reconcile records that the user has posted the payment, and keeps what they accept of
// the open amount. It has no event.
//
// Errors: those of the idempotency key; CodeNotFound; CodeConflict for a claim that
// is neither paid, denied, nor reconciled with a changed payment, and for an open amount that is not accepted;
// CodeInvalidRequest for every fault, and for another amount than the open one.
func (s *Service) Reconcile(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.ReconcileRequest,
) (caller.Reply, error) {
	accept, faults := in.Accepted()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		now, by := tx.Clock.Now(), call.Principal.ID
		if accept != nil {
			accept.ID, accept.By, accept.At = billing.NewID[billing.AcceptedID](tx.Real.Now()), by, now
		}
		if err := weigh(ctx, tx, c); err != nil {
			return nil, err
		}
		if err := c.Reconcile(accept, by, now); err != nil {
			return nil, err
		}
		return nil, settleLinked(ctx, tx, c, accept.Sum())
	})
}

// Reopen returns a reconciled claim to the state that its payments give, and takes back
// what was accepted. It has no event.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a
// claim that is not reconciled.
func (s *Service) Reopen(ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID) (caller.Reply, error) {
	return s.change(ctx, call, id, nil, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		var back billing.Money
		for i := range c.Accepted {
			back -= c.Accepted[i].Sum()
		}
		if err := c.Reopen(call.Principal.ID, tx.Clock.Now()); err != nil {
			return nil, err
		}
		return nil, settleLinked(ctx, tx, c, back)
	})
}

// settleLinked adds an accepted amount to what is settled elsewhere of the claims to the
// other payers for the same services.
func settleLinked(ctx context.Context, tx ports.Tx, c *claim.Record, accepted billing.Money) error {
	if accepted == 0 {
		return nil
	}
	linked, err := tx.RemittanceClaims.Linked(ctx, []billing.ClaimID{c.ID})
	if err != nil {
		return err
	}
	byID := map[billing.ClaimID]*claim.Claim{}
	for _, other := range linked {
		byID[other.ID] = other
	}
	for _, other := range c.Beside(byID) {
		other.Elsewhere += accepted
		if err := tx.Claims.Save(ctx, other); err != nil {
			return err
		}
	}
	return nil
}
