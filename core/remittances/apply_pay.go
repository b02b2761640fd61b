package remittances

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// apply applies the next remittance claims of a remittance.
func (w *worker) apply(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	if done, err := w.correct(ctx, tx, e); done || err != nil {
		return err
	}
	rows, err := tx.RemittanceClaims.Pending(ctx, e.ID, w.chunk)
	if err != nil {
		return err
	}
	now := tx.Clock.Now()
	claims, err := w.match(ctx, tx, e, rows, now)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if c := claims[r.ClaimID]; c != nil && w.mustWait(e.ID, c, r, now) {
			return errLater
		}
	}
	a, err := openApplication(ctx, tx, e, claims, now)
	if err != nil {
		return err
	}
	a.applyAll(rows)
	if err := a.save(ctx, tx, rows); err != nil {
		return err
	}
	again, err := a.matchAgain(ctx, tx, rows)
	if err != nil {
		return err
	}
	if len(rows) < w.chunk && !again {
		e.Stage = remit.Done
		w.waits.forget(e.ID)
		if err := offer(ctx, tx, e); err != nil {
			return err
		}
	}
	return keep(ctx, tx, e)
}

// keep stores a remittance of whose claims something became, with what those that wait for a person
// pay. The claims are stored before it.
func keep(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	e.Waiting = nil
	if e.Stage == remit.Done && e.Unfinished() > 0 {
		sum, err := tx.Reports.UnappliedOf(ctx, e.ID)
		if err != nil {
			return err
		}
		e.Waiting = &sum.Unfinished.Paid
	}
	return tx.ERAs.Save(ctx, e)
}

// application applies remittance claims, all of one remittance, to our claims in one
// commit.
type application struct {
	era     *remit.ERA
	claims  map[billing.ClaimID]*claim.Claim // locked
	ledgers map[billing.ClaimID]*claim.Ledger
	was     map[billing.ClaimID]*claim.Ledger // the ledgers before
	cause   claim.Cause

	changed []*claim.Claim
	events  []event.Event
}

// openApplication reads the ledgers of the claims. It locks the claims to other payers for
// the same services, and adds them.
func openApplication(
	ctx context.Context, tx ports.Tx, e *remit.ERA, claims map[billing.ClaimID]*claim.Claim, now time.Time,
) (*application, error) {
	if err := addLinked(ctx, tx, claims); err != nil {
		return nil, err
	}
	ids := slices.Collect(maps.Keys(claims))
	entries, err := tx.RemittanceClaims.Ledger(ctx, ids)
	if err != nil {
		return nil, err
	}
	a := &application{
		era: e, claims: claims, ledgers: make(map[billing.ClaimID]*claim.Ledger, len(claims)),
		cause: claim.Cause{File: &e.File, At: now},
	}
	for id, c := range claims {
		a.ledgers[id] = c.Ledger(entries[id])
	}
	for _, c := range claims {
		a.weigh(c)
	}
	a.was = maps.Clone(a.ledgers)
	return a, nil
}

// addLinked locks the claims to other payers for the services of the claims, and adds
// them.
func addLinked(ctx context.Context, tx ports.Tx, claims map[billing.ClaimID]*claim.Claim) error {
	var of []billing.ClaimID
	for id, c := range claims {
		if !c.SecondaryTo.IsZero() && claims[c.SecondaryTo] == nil || !c.SecondaryID.IsZero() && claims[c.SecondaryID] == nil {
			of = append(of, id)
		}
	}
	linked, err := tx.RemittanceClaims.Linked(ctx, of)
	for _, c := range linked {
		if claims[c.ID] == nil {
			claims[c.ID] = c
		}
	}
	return err
}

// weigh sets the ledgers beside that of a claim, and returns it.
func (a *application) weigh(c *claim.Claim) *claim.Ledger {
	l := a.ledgers[c.ID]
	if others := c.Beside(a.claims); len(others) > 0 {
		beside := make([]*claim.Ledger, len(others))
		for i, o := range others {
			beside[i] = a.ledgers[o.ID]
		}
		l = l.Beside(beside...)
		a.ledgers[c.ID] = l
	}
	return l
}

// set sets the ledger of a claim, and with it the figures of the claims to other payers
// for the same services.
func (a *application) set(c *claim.Claim, l *claim.Ledger) {
	a.ledgers[c.ID] = l
	for _, other := range c.Beside(a.claims) {
		if other.Share(a.weigh(other), a.cause.At) {
			a.keep(other)
		}
	}
}

func (a *application) entry(r *remit.Claim) *remit.LedgerEntry {
	return &remit.LedgerEntry{Claim: r, ERA: a.era.Source()}
}

// applyAll applies the claims that match one of ours, reversals first. A reversal
// whose payment is among the others waits for it.
func (a *application) applyAll(rows []*remit.Claim) {
	var waiting []*remit.Claim
	for _, r := range remit.ToApply(rows) {
		switch code := a.review(r); {
		case code == remit.ReviewNoPayment:
			waiting = append(waiting, r)
		case code != "":
			a.leave(r, remit.StatusNeedsReview, code)
		default:
			a.apply(r, r.MatchedBy)
			waiting = slices.DeleteFunc(waiting, func(back *remit.Claim) bool {
				if back.ClaimID != r.ClaimID || a.review(back) != "" {
					return false
				}
				a.apply(back, back.MatchedBy)
				return true
			})
		}
	}
	for _, r := range waiting {
		a.leave(r, remit.StatusUnmatched, remit.ReviewNoPayment)
	}
}

// review returns why the row cannot be applied; the empty string when it can.
func (a *application) review(r *remit.Claim) remit.ReviewCode {
	if a.ledgers[r.ClaimID].Full() {
		return remit.ReviewTooMany
	}
	r.LineNumbers = a.claims[r.ClaimID].MatchLines(r)
	return a.ledgers[r.ClaimID].Review(a.entry(r), r.MatchedBy)
}

// apply applies a row to its claim.
func (a *application) apply(r *remit.Claim, by remit.MatchedBy) {
	c, entry := a.claims[r.ClaimID], a.entry(r)
	l := a.ledgers[c.ID].With(entry)
	to := r.ClaimProgress
	to.Status, to.Review, to.MatchedBy, to.AppliedAt = remit.StatusApplied, "", by, a.cause.At
	to.Sequence, to.Warnings = l.Sequence(entry), l.Warnings(entry, a.era.Warnings)
	a.era.Move(r, to)
	if a.set(c, l); !c.ErasedAt.IsZero() {
		r.Erase()
	}
	if c.EstimatedBy(r) {
		a.record(c)(c.Returned(r.Estimate(a.era.ID, r.LineNumbers), a.cause))
	} else {
		a.record(c)(c.Settle(l, entry, a.cause))
	}
}

// leave records why a row is not applied. An unmatched one has no claim.
func (a *application) leave(r *remit.Claim, status remit.Status, code remit.ReviewCode) {
	to := r.ClaimProgress
	to.Status, to.Review, to.Warnings = status, code, a.ledgers[r.ClaimID].Warnings(a.entry(r), a.era.Warnings)
	if status == remit.StatusUnmatched {
		to.ClaimID, to.MatchedBy = billing.ClaimID{}, ""
	}
	a.era.Move(r, to)
}

// record returns a function that keeps a change of the claim, with its event.
func (a *application) record(c *claim.Claim) func(e event.Event, changed bool) {
	return func(e event.Event, changed bool) {
		if changed {
			a.events = append(a.events, e)
			a.keep(c)
		}
	}
}

// keep adds the claim to those that save stores.
func (a *application) keep(c *claim.Claim) {
	if !slices.Contains(a.changed, c) {
		a.changed = append(a.changed, c)
	}
}

// follow lets the claims to later payers follow the ledgers that have changed.
func (a *application) follow() {
	for id, l := range a.ledgers {
		if l == a.was[id] {
			continue
		}
		for _, later := range a.claims[id].After(a.claims) {
			events, changed := later.Follow(a.was[id], l, a.cause)
			if a.events = append(a.events, events...); changed {
				a.keep(later)
			}
		}
	}
}

// save stores the rows, the changed claims and the events. Every change of a ledger comes
// through here, so no claim to a later payer misses one.
func (a *application) save(ctx context.Context, tx ports.Tx, rows []*remit.Claim) error {
	a.follow()
	if err := tx.RemittanceClaims.Save(ctx, a.era.ID, rows); err != nil {
		return err
	}
	if _, err := lists.SecondPlans(ctx, tx, a.changed...); err != nil {
		return err
	}
	for _, c := range a.changed {
		if err := tx.Claims.Save(ctx, c); err != nil {
			return err
		}
	}
	for _, e := range a.events {
		if err := tx.Events.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// matchAgain sets what the rows can change to be matched again: reversals that wait for
// a payment, and payments beside another one that the rows take back. It reports
// whether the remittance itself has any.
func (a *application) matchAgain(ctx context.Context, tx ports.Tx, rows []*remit.Claim) (own bool, err error) {
	var control, payer []string
	var reversed []billing.ClaimID
	for _, r := range rows {
		switch {
		case r.Status != remit.StatusApplied:
		case r.Reverses():
			reversed = append(reversed, r.ClaimID)
		default:
			control, payer = append(control, a.claims[r.ClaimID].Numbers()...), add(payer, r.PayerClaimNumber)
		}
	}
	var waiting []billing.ERAID
	if len(control) > 0 {
		if waiting, err = tx.RemittanceClaims.Unmatched(ctx, control, payer); err != nil {
			return false, err
		}
	}
	for _, id := range waiting {
		if id != a.era.ID {
			err = stage(ctx, tx, a.era.Scope, id)
		} else {
			own, err = takeAgain(ctx, tx, a.era)
		}
		if err != nil {
			return false, err
		}
	}
	if len(reversed) > 0 {
		n, err := tx.RemittanceClaims.Reconsider(ctx, a.era.ID, reversed)
		if err != nil {
			return false, err
		}
		a.era.Progress.NeedsReview -= n
		own = own || n > 0
	}
	if own {
		a.era.Stage = remit.Applying
	}
	return own, nil
}

// takeAgain sets the unmatched claims of the remittance to be matched again. It
// reports whether there are any.
func takeAgain(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
	n, err := tx.RemittanceClaims.Again(ctx, e.ID)
	e.Progress.Unmatched -= n
	return n > 0, err
}

// stage stages a job that applies the remittance.
func stage(ctx context.Context, tx ports.Tx, scope billing.Scope, id billing.ERAID) error {
	return tx.Outbox.Stage(ctx, jobs.ForERA(scope, id))
}
