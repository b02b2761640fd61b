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

// BillSecondary creates the claim to the patient's next payer for the services of a
// claim, with what the payers before have decided, and returns it, validated or with
// findings. The given claim names the new one from then on.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// CodeNotFound for the claim and the payer, and CodeConflict. A conflict is a claim
// that is to the tertiary payer, was never sent or is voided, or that has a claim to
// the next payer which is not voided.
func (s *Service) BillSecondary(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.SecondaryRequest,
) (caller.Reply, error) {
	plan, faults := in.Plan()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) {
		now := tx.Clock.Now()
		first, err := s.lock(ctx, tx, call.Call, id, faults)
		if err != nil {
			return nil, err
		}
		if err := faults.Err(); err != nil {
			return nil, err
		}
		payer, ok := s.payers.Find(in.PayerID)
		if !ok {
			var absent billing.Absent
			absent.Add("payer", "payer_id")
			return nil, absent.Err()
		}
		plan.Payer = payer.PayerSummary
		if first.Ledger, err = ledgerOf(ctx, tx, first.Claim); err != nil {
			return nil, err
		}
		again, err := secondaryVoided(ctx, tx, first.Claim)
		if err != nil {
			return nil, err
		}
		made := billing.NewID[billing.ClaimID](tx.Real.Now())
		c, err := first.BillSecondary(made, claim.NewControlNumber(made), plan, again, call.Request.ID, now)
		if err != nil {
			return nil, err
		}
		r, err := s.follow(ctx, tx, c, first.Claim, now)
		if err == nil && again && !first.SecondaryTo.IsZero() {
			err = shareAgain(ctx, tx, first.SecondaryTo, now)
		}
		return r, err
	})
}

// shareAgain sets the figures of a claim after another one took the place of a voided claim
// for the same services.
func shareAgain(ctx context.Context, tx ports.Tx, id billing.ClaimID, now time.Time) error {
	c, err := tx.Claims.Lock(ctx, id)
	if err != nil {
		return err
	}
	l, err := ledgerOf(ctx, tx, c.Claim)
	if err != nil || !c.Share(l, now) {
		return err
	}
	return tx.Claims.Save(ctx, c.Claim)
}

// secondaryVoided reports whether the claim to the next payer is voided.
func secondaryVoided(ctx context.Context, tx ports.Tx, c *claim.Claim) (bool, error) {
	if c.SecondaryID.IsZero() {
		return false, nil
	}
	second, err := tx.Claims.Get(ctx, c.SecondaryID)
	return err == nil && second.State == claim.Voided, err
}
