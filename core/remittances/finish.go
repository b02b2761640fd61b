package remittances

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// MatchClaim applies a claim of a remittance to the claim that a person names. The
// person takes responsibility for differences. Nothing changes if it is applied to
// that claim already. A forwarded one is only matched, because its payer decided
// nothing.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal, and for the field claim_id; CodeInvalidRequest for faults of the body;
// CodeConflict when it is applied to another claim, or the claim cannot have it.
func (s *Service) MatchClaim(
	ctx context.Context, call idempotency.Write[*billing.ERAClaim], era billing.ERAID, ordinal int, in intake.MatchRequest,
) (billing.Reply, error) {
	m, faults := in.Match()
	call.Request.Faults = faults
	return s.finish(ctx, call, era, ordinal, func(ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim) error {
		if (r.Status == billing.RemitApplied || r.Status == billing.RemitForwarded) && r.ClaimID == m.ClaimID {
			return nil
		}
		if err := r.CanFinish(e); err != nil {
			return err
		}
		c, err := tx.Claims.Lock(ctx, m.ClaimID)
		if err != nil {
			return absent(err, "claim", "claim_id")
		}
		if err := c.CanHave(r); err != nil {
			return err
		}
		to := r.ERAClaimProgress
		to.ClaimID = c.ID
		numbers, faults := m.Numbers(c.Claim, r)
		if err := faults.Err(); err != nil {
			return err
		}
		to.LineNumbers = numbers
		e.Move(r, to)
		return s.byHand(ctx, tx, e, r, c.Claim, billing.MatchedByUser, call.Principal, billing.TriggerMatch, "")
	})
}

// ApplyClaim applies a claim of a remittance that needs review to the claim that it
// matches. Nothing changes if it is applied already, or forwarded.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it matches
// no claim, or the claim cannot have it.
func (s *Service) ApplyClaim(
	ctx context.Context, call idempotency.Write[*billing.ERAClaim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (billing.Reply, error) {
	note, faults := in.Text()
	call.Request.Faults = faults
	return s.finish(ctx, call, era, ordinal, func(ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim) error {
		if r.Status == billing.RemitApplied || r.Status == billing.RemitForwarded {
			return nil
		}
		if err := r.CanFinish(e); err != nil {
			return err
		}
		if r.ClaimID.IsZero() {
			return &billing.Error{Code: billing.CodeConflict, Message: "It matches no claim. Match it to a claim, which applies it too."}
		}
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return err
		}
		if err := c.CanHave(r); err != nil {
			return err
		}
		r.LineNumbers = c.LineNumbers(r)
		return s.byHand(ctx, tx, e, r, c.Claim, r.MatchedBy, call.Principal, billing.TriggerApply, note)
	})
}

// IgnoreClaim finishes a claim of a remittance without applying it. Nothing changes if
// it is ignored already.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it is
// applied.
func (s *Service) IgnoreClaim(
	ctx context.Context, call idempotency.Write[*billing.ERAClaim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (billing.Reply, error) {
	note, faults := in.Text()
	call.Request.Faults = faults
	return s.finish(ctx, call, era, ordinal, func(ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim) error {
		if r.Status == billing.RemitIgnored {
			return nil
		}
		if err := r.CanFinish(e); err != nil {
			return err
		}
		to := r.ERAClaimProgress
		to.Status, to.Review = billing.RemitIgnored, ""
		e.Move(r, to)
		if r.ClaimID.IsZero() {
			return nil
		}
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return err
		}
		c.Noted(billing.TriggerIgnore, billing.ClaimCause{File: &e.File, At: tx.Clock.Now()}, call.Principal, note)
		return tx.Claims.Save(ctx, c.Claim)
	})
}

// UnapplyClaim reverses the application of a claim of a remittance. The claim of the
// remittance then needs review, and is never applied again automatically. Nothing
// changes if it is unapplied already.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it is not
// applied, or the remittance is posted.
func (s *Service) UnapplyClaim(
	ctx context.Context, call idempotency.Write[*billing.ERAClaim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (billing.Reply, error) {
	note, faults := in.Text()
	call.Request.Faults = faults
	return s.finish(ctx, call, era, ordinal, func(ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim) error {
		if r.Review == billing.ReviewUnapplied {
			return nil
		}
		if err := r.CanUnapply(e); err != nil {
			return err
		}
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return err
		}
		p, err := s.posting(ctx, tx, e, c.Claim)
		if err != nil {
			return err
		}
		if by := p.ledgers[r.ClaimID].TakenBackBy(p.entry(r)); by != nil {
			return &billing.Error{Code: billing.CodeConflict, Message: "A reversal takes it back: " + by.ERA.ID.String() + ". Unapply the reversal first."}
		}
		p.unapply(r)
		c.Noted(billing.TriggerUnapply, p.cause, call.Principal, note)
		return p.save(ctx, tx, nil)
	})
}

// finish records a person's decision on one claim of a remittance, at most once for
// the call's key, and returns the claim of the remittance.
func (s *Service) finish(
	ctx context.Context, call idempotency.Write[*billing.ERAClaim], era billing.ERAID, ordinal int,
	decide func(ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim) error,
) (billing.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*billing.ERAClaim, error) {
		e, err := lock(ctx, tx, era)
		if err != nil {
			return nil, err
		}
		r, err := tx.ERAClaims.Get(ctx, era, ordinal)
		if err != nil {
			return nil, err
		}
		if err := decide(ctx, tx, e, r); err != nil {
			return nil, err
		}
		if err := tx.ERAClaims.Save(ctx, era, []*billing.ERAClaim{r}); err != nil {
			return nil, err
		}
		return r, tx.ERAs.Save(ctx, e)
	})
}

// byHand applies a claim of a remittance for a person, or matches one that the payer
// forwarded.
func (s *Service) byHand(
	ctx context.Context, tx ports.Tx, e *billing.ERA, r *billing.ERAClaim, c *billing.Claim,
	by billing.MatchedBy, who billing.Principal, what billing.ClaimTrigger, note string,
) error {
	if r.Forwards() {
		to := r.ERAClaimProgress
		to.Status, to.Review, to.MatchedBy = billing.RemitForwarded, "", by
		e.Move(r, to)
		c.Noted(what, billing.ClaimCause{File: &e.File, At: tx.Clock.Now()}, who, note)
		return tx.Claims.Save(ctx, c)
	}
	p, err := s.posting(ctx, tx, e, c)
	if err != nil {
		return err
	}
	p.apply(r, by)
	c.Noted(what, p.cause, who, note)
	rows := []*billing.ERAClaim{r}
	if err := p.save(ctx, tx, rows); err != nil { // the row first: what is unmatched is matched again
		return err
	}
	again, err := p.matchAgain(ctx, tx, rows)
	if err != nil || !again {
		return err
	}
	return stage(ctx, tx, e.Scope, e.ID)
}

// posting opens a posting for one claim.
func (s *Service) posting(ctx context.Context, tx ports.Tx, e *billing.ERA, c *billing.Claim) (*posting, error) {
	return openPosting(ctx, tx, e, map[billing.ClaimID]*billing.Claim{c.ID: c}, tx.Clock.Now())
}

// unapply reverses the application of a row to its claim.
func (p *posting) unapply(r *billing.ERAClaim) {
	c, entry := p.claims[r.ClaimID], p.entry(r)
	l := p.ledgers[c.ID].Without(entry)
	to := r.ERAClaimProgress
	to.Status, to.Review, to.AppliedAt = billing.RemitNeedsReview, billing.ReviewUnapplied, time.Time{}
	to.Warnings = l.Warnings(entry, p.era.Warnings)
	p.era.Move(r, to)
	p.ledgers[c.ID] = l
	if r.Estimates() {
		c.Unreturn(l, p.era.ID, p.cause.At)
		p.changed = append(p.changed, c)
		return
	}
	p.record(c)(c.Unsettle(l, entry, p.cause))
}
