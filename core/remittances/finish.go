package remittances

import (
	"cmp"
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// MatchClaim applies a remittance claim to the claim that a person names. The
// person takes responsibility for differences. Nothing changes if it is applied to
// that claim already. A forwarded one is only matched, because its payer decided
// nothing.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal, and for the field claim_id; CodeInvalidRequest for faults of the body;
// CodeConflict when it is applied to another claim, or the claim cannot have it.
func (s *Service) MatchClaim(
	ctx context.Context, call idempotency.Write[*remit.Claim], era billing.ERAID, ordinal int, in intake.MatchRequest,
) (caller.Reply, error) {
	m, faults := in.Match()
	return s.finish(ctx, call, era, ordinal, decision{
		does: claim.TriggerMatch, in: intake.NoteRequest{Faults: faults}, claim: m.ClaimID,
		can: func(r *remit.Claim, e *remit.ERA) (bool, error) { return r.CanMatch(e, m.ClaimID) },
		change: func(a *application, r *remit.Claim, c *claim.Claim) error {
			if err := c.CanHave(r); err != nil {
				return err
			}
			numbers, faults := m.Numbers(c, r)
			if err := faults.Err(); err != nil {
				return err
			}
			to := r.ClaimProgress
			to.ClaimID, to.LineNumbers = c.ID, numbers
			a.era.Move(r, to)
			a.byHand(r, remit.MatchedByUser)
			return nil
		},
	})
}

// ApplyClaim applies a remittance claim that needs review to the claim that it
// matches. Nothing changes if it is applied already, or forwarded.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it matches
// no claim, or the claim cannot have it.
func (s *Service) ApplyClaim(
	ctx context.Context, call idempotency.Write[*remit.Claim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (caller.Reply, error) {
	return s.finish(ctx, call, era, ordinal, decision{
		does: claim.TriggerApply, in: in, can: (*remit.Claim).CanApply,
		change: func(a *application, r *remit.Claim, c *claim.Claim) error {
			if err := c.CanHave(r); err != nil {
				return err
			}
			r.LineNumbers = c.LineNumbers(r)
			a.byHand(r, r.MatchedBy)
			return nil
		},
	})
}

// IgnoreClaim finishes a remittance claim without applying it. Nothing changes if
// it is ignored already.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it is
// applied.
func (s *Service) IgnoreClaim(
	ctx context.Context, call idempotency.Write[*remit.Claim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (caller.Reply, error) {
	return s.finish(ctx, call, era, ordinal, decision{
		does: claim.TriggerIgnore, in: in, can: (*remit.Claim).CanIgnore,
		change: func(a *application, r *remit.Claim, _ *claim.Claim) error {
			to := r.ClaimProgress
			to.Status, to.Review = remit.StatusIgnored, ""
			a.era.Move(r, to)
			return nil
		},
	})
}

// UnapplyClaim reverses the application of a remittance claim. It then needs
// review, and is never applied again automatically. Nothing changes if it is unapplied
// already.
//
// Errors: those of the idempotency key; CodeNotFound for an unknown remittance or
// ordinal; CodeInvalidRequest for faults of the note; CodeConflict when it is not
// applied, the remittance is posted, or an applied reversal takes it back.
func (s *Service) UnapplyClaim(
	ctx context.Context, call idempotency.Write[*remit.Claim], era billing.ERAID, ordinal int, in intake.NoteRequest,
) (caller.Reply, error) {
	return s.finish(ctx, call, era, ordinal, decision{
		does: claim.TriggerUnapply, in: in, can: (*remit.Claim).CanUnapply,
		change: func(a *application, r *remit.Claim, c *claim.Claim) error {
			if by := a.ledgers[c.ID].TakenBackBy(a.entry(r)); by != nil {
				return &billing.Error{Code: billing.CodeConflict, Message: "A reversal takes it back: " + by.ERA.ID.String() + ". Unapply the reversal first."}
			}
			a.unapply(r)
			return nil
		},
	})
}

// decision is what a person decides about a remittance claim.
type decision struct {
	does  claim.Trigger // the cause in our claim's history
	in    intake.NoteRequest
	claim billing.ClaimID // ours, which the person names; zero for the one that it matches

	// can reports whether the decision changes anything, and returns the conflict when
	// it cannot be made now.
	can func(r *remit.Claim, e *remit.ERA) (bool, error)

	// change changes the remittance claim and ours, which is nil when it matches
	// none. The application is about these two.
	change func(a *application, r *remit.Claim, c *claim.Claim) error
}

// finish makes a person's decision on one remittance claim, at most once for the
// call's key. It notes the decision in the history of our claim, and returns the
// remittance claim.
func (s *Service) finish(
	ctx context.Context, call idempotency.Write[*remit.Claim], era billing.ERAID, ordinal int, d decision,
) (caller.Reply, error) {
	note, faults := d.in.Text()
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*remit.Claim, error) {
		e, err := lock(ctx, tx, era)
		if err == nil {
			err = e.CanFinishClaims()
		}
		if err != nil {
			return nil, err
		}
		r, err := tx.RemittanceClaims.Get(ctx, era, ordinal)
		if err != nil {
			return nil, err
		}
		if changes, err := d.can(r, e); err != nil || !changes {
			return r, err
		}
		a, c, err := d.open(ctx, tx, e, r)
		if err != nil {
			return nil, err
		}
		if err := d.change(a, r, c); err != nil {
			return nil, err
		}
		e.ByHand = true
		if c != nil {
			c.Noted(d.does, a.cause, call.Principal, note)
			a.keep(c)
		}
		return r, a.close(ctx, tx, r)
	})
}

// open locks our claim, if there is one, and opens an application for it.
func (d decision) open(ctx context.Context, tx ports.Tx, e *remit.ERA, r *remit.Claim) (*application, *claim.Claim, error) {
	claims, now := map[billing.ClaimID]*claim.Claim{}, tx.Clock.Now()
	id := cmp.Or(d.claim, r.ClaimID)
	if !id.IsZero() {
		c, err := tx.Claims.Lock(ctx, id)
		switch {
		case err != nil && id == d.claim:
			return nil, nil, absent(err, "claim", "claim_id")
		case err != nil:
			return nil, nil, err
		}
		claims[id] = c.Claim
	}
	a, err := openApplication(ctx, tx, e, claims, now)
	return a, claims[id], err
}

// close stores the application of one row, and queues the remittances that the row changes
// to be matched again.
func (a *application) close(ctx context.Context, tx ports.Tx, r *remit.Claim) error {
	rows := []*remit.Claim{r}
	if err := a.save(ctx, tx, rows); err != nil { // the row first: what is unmatched is matched again
		return err
	}
	again, err := a.matchAgain(ctx, tx, rows)
	if err == nil && again {
		err = stage(ctx, tx, a.era.Scope, a.era.ID)
	}
	if err != nil {
		return err
	}
	return keep(ctx, tx, a.era)
}

// byHand applies a row to its claim for a person, or matches one that the payer
// forwarded.
func (a *application) byHand(r *remit.Claim, by remit.MatchedBy) {
	if !r.Forwards() {
		a.apply(r, by)
		return
	}
	to := r.ClaimProgress
	to.Status, to.Review, to.MatchedBy = remit.StatusForwarded, "", by
	a.era.Move(r, to)
}

// unapply reverses the application of a row to its claim.
func (a *application) unapply(r *remit.Claim) {
	c, entry := a.claims[r.ClaimID], a.entry(r)
	l := a.ledgers[c.ID].Without(entry)
	to := r.ClaimProgress
	to.Status, to.Review, to.AppliedAt = remit.StatusNeedsReview, remit.ReviewUnapplied, time.Time{}
	to.Warnings = l.Warnings(entry, a.era.Warnings)
	a.era.Move(r, to)
	a.set(c, l)
	if c.EstimatedBy(r) {
		c.Unreturn(l, a.era.ID, a.cause.At)
		a.keep(c)
		return
	}
	a.record(c)(c.Unsettle(l, entry, a.cause))
}
