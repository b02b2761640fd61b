package claims

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Make creates a claim or a predetermination, as a draft when the request asks
// for one. It queues the claim when the request asks for that and validation
// finds nothing.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault of
// form, CodeNotFound for the office, the payer or the provider, and
// CodeConflict for a control number that another claim has. Findings of the
// rules are not errors: the claim then needs attention.
func (s *Service) Make(ctx context.Context, call idempotency.Write[*claim.Record], in intake.ClaimRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) {
		now := tx.Clock.Now()
		c, faults := in.Claim()
		c.ID, c.Scope, c.RequestID, c.CreatedAt, c.UpdatedAt = billing.NewID[billing.ClaimID](tx.Real.Now()), call.Scope, call.Request.ID, now, now
		if c.PatientControlNumber == "" {
			c.PatientControlNumber = claim.NewControlNumber(c.ID)
		}
		p, err := s.name(ctx, tx, &c.Content, in, faults)
		if err != nil {
			return nil, err
		}
		if err := p.notRetired(&claim.Content{}); err != nil {
			return nil, err
		}
		r := &claim.Record{Claim: &c}
		events, err := s.settle(ctx, tx, r, p, in.Draft, in.Submit, now)
		if err != nil {
			return nil, err
		}
		c.Made(call.Principal)
		if err := tx.Claims.Insert(ctx, &c); err != nil {
			return nil, err
		}
		return r, emit(ctx, tx, events)
	})
}

// follow stores a new claim that was made from another one, validated or with
// findings, and the other one, which names it.
func (s *Service) follow(ctx context.Context, tx ports.Tx, c, from *claim.Claim, now time.Time) (*claim.Record, error) {
	p, err := s.name(ctx, tx, &c.Content, intake.ClaimRequest{}, nil)
	if err != nil {
		return nil, err
	}
	r := &claim.Record{Claim: c}
	events, err := s.settle(ctx, tx, r, p, false, false, now)
	if err != nil {
		return nil, err
	}
	if err := tx.Claims.Insert(ctx, c); err != nil {
		return nil, err
	}
	if err := tx.Claims.Save(ctx, from); err != nil {
		return nil, err
	}
	return r, emit(ctx, tx, events)
}
