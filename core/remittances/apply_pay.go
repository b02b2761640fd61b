package remittances

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// apply applies the next claims of a remittance.
func (w *worker) apply(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
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
	p, err := openPosting(ctx, tx, e, claims, now)
	if err != nil {
		return err
	}
	p.applyAll(rows)
	if err := p.save(ctx, tx, rows); err != nil {
		return err
	}
	again, err := p.matchAgain(ctx, tx, rows)
	if err != nil {
		return err
	}
	if len(rows) < w.chunk && !again {
		e.Stage = billing.ERADone
		w.waits.forget(e.ID)
	}
	return tx.ERAs.Save(ctx, e)
}

// posting applies claims of one remittance to our claims in one commit.
type posting struct {
	era     *billing.ERA
	claims  map[billing.ClaimID]*billing.Claim // locked
	ledgers map[billing.ClaimID]*billing.Ledger
	was     map[billing.ClaimID]*billing.Ledger // the ledgers before
	cause   billing.ClaimCause

	changed []*billing.Claim
	events  []billing.Event
}

// openPosting reads the ledgers of the claims. It locks the claims to other payers for
// the same services, and adds them.
func openPosting(
	ctx context.Context, tx ports.Tx, e *billing.ERA, claims map[billing.ClaimID]*billing.Claim, now time.Time,
) (*posting, error) {
	if err := addLinked(ctx, tx, claims); err != nil {
		return nil, err
	}
	ids := slices.Collect(maps.Keys(claims))
	entries, err := tx.RemittanceClaims.Ledger(ctx, ids)
	if err != nil {
		return nil, err
	}
	p := &posting{
		era: e, claims: claims, ledgers: make(map[billing.ClaimID]*billing.Ledger, len(claims)),
		cause: billing.ClaimCause{File: &e.File, At: now},
	}
	for id, c := range claims {
		p.ledgers[id] = c.Ledger(entries[id])
	}
	for _, c := range claims {
		p.weigh(c)
	}
	p.was = maps.Clone(p.ledgers)
	return p, nil
}

// addLinked locks the claims to other payers for the services of the claims, and adds
// them.
func addLinked(ctx context.Context, tx ports.Tx, claims map[billing.ClaimID]*billing.Claim) error {
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
func (p *posting) weigh(c *billing.Claim) *billing.Ledger {
	l := p.ledgers[c.ID]
	if others := c.Beside(p.claims); len(others) > 0 {
		beside := make([]*billing.Ledger, len(others))
		for i, o := range others {
			beside[i] = p.ledgers[o.ID]
		}
		l = l.Beside(beside...)
		p.ledgers[c.ID] = l
	}
	return l
}

// set sets the ledger of a claim, and with it the figures of the claims to other payers
// for the same services.
func (p *posting) set(c *billing.Claim, l *billing.Ledger) {
	p.ledgers[c.ID] = l
	for _, other := range c.Beside(p.claims) {
		if other.Share(p.weigh(other), p.cause.At) {
			p.keep(other)
		}
	}
}

func (p *posting) entry(r *billing.RemittanceClaim) *billing.LedgerEntry {
	return &billing.LedgerEntry{RemittanceClaim: r, ERA: p.era.Source()}
}

// applyAll applies the claims that match one of ours, reversals first. A reversal
// whose payment is among the others waits for it.
func (p *posting) applyAll(rows []*billing.RemittanceClaim) {
	var waiting []*billing.RemittanceClaim
	for _, r := range billing.ToApply(rows) {
		switch code := p.review(r); {
		case code == billing.ReviewNoPayment:
			waiting = append(waiting, r)
		case code != "":
			p.leave(r, billing.RemitNeedsReview, code)
		default:
			p.apply(r, r.MatchedBy)
			waiting = slices.DeleteFunc(waiting, func(back *billing.RemittanceClaim) bool {
				if back.ClaimID != r.ClaimID || p.review(back) != "" {
					return false
				}
				p.apply(back, back.MatchedBy)
				return true
			})
		}
	}
	for _, r := range waiting {
		p.leave(r, billing.RemitUnmatched, billing.ReviewNoPayment)
	}
}

// review returns why the row cannot be applied; the empty string when it can.
func (p *posting) review(r *billing.RemittanceClaim) billing.ReviewCode {
	if p.ledgers[r.ClaimID].Full() {
		return billing.ReviewTooMany
	}
	r.LineNumbers = p.claims[r.ClaimID].MatchLines(r)
	return p.ledgers[r.ClaimID].Review(p.entry(r), r.MatchedBy)
}

// apply applies a row to its claim.
func (p *posting) apply(r *billing.RemittanceClaim, by billing.MatchedBy) {
	c, entry := p.claims[r.ClaimID], p.entry(r)
	l := p.ledgers[c.ID].With(entry)
	to := r.RemittanceClaimProgress
	to.Status, to.Review, to.MatchedBy, to.AppliedAt = billing.RemitApplied, "", by, p.cause.At
	to.Sequence, to.Warnings = l.Sequence(entry), l.Warnings(entry, p.era.Warnings)
	p.era.Move(r, to)
	p.set(c, l)
	if c.EstimatedBy(r) {
		p.record(c)(c.Returned(r.Estimate(p.era.ID, r.LineNumbers), p.cause))
	} else {
		p.record(c)(c.Settle(l, entry, p.cause))
	}
}

// leave records why a row is not applied. An unmatched one has no claim.
func (p *posting) leave(r *billing.RemittanceClaim, status billing.RemitStatus, code billing.ReviewCode) {
	to := r.RemittanceClaimProgress
	to.Status, to.Review, to.Warnings = status, code, p.ledgers[r.ClaimID].Warnings(p.entry(r), p.era.Warnings)
	if status == billing.RemitUnmatched {
		to.ClaimID, to.MatchedBy = billing.ClaimID{}, ""
	}
	p.era.Move(r, to)
}

// record returns a function that keeps a change of the claim, with its event.
func (p *posting) record(c *billing.Claim) func(e billing.Event, changed bool) {
	return func(e billing.Event, changed bool) {
		if changed {
			p.events = append(p.events, e)
			p.keep(c)
		}
	}
}

// keep adds the claim to those that save stores.
func (p *posting) keep(c *billing.Claim) {
	if !slices.Contains(p.changed, c) {
		p.changed = append(p.changed, c)
	}
}

// follow lets the claims to later payers follow the ledgers that have changed.
func (p *posting) follow() {
	for id, l := range p.ledgers {
		if l == p.was[id] {
			continue
		}
		for _, later := range p.claims[id].After(p.claims) {
			events, changed := later.Follow(p.was[id], l, p.cause)
			if p.events = append(p.events, events...); changed {
				p.keep(later)
			}
		}
	}
}

// save stores the rows, the changed claims and the events. Every change of a ledger comes
// through here, so no claim to a later payer misses one.
func (p *posting) save(ctx context.Context, tx ports.Tx, rows []*billing.RemittanceClaim) error {
	p.follow()
	if err := tx.RemittanceClaims.Save(ctx, p.era.ID, rows); err != nil {
		return err
	}
	for _, c := range p.changed {
		if err := tx.Claims.Save(ctx, c); err != nil {
			return err
		}
	}
	for _, event := range p.events {
		if err := tx.Events.Append(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

// matchAgain sets what the rows can change to be matched again: reversals that wait for
// a payment, and payments beside another one that the rows take back. It reports
// whether the remittance itself has any.
func (p *posting) matchAgain(ctx context.Context, tx ports.Tx, rows []*billing.RemittanceClaim) (own bool, err error) {
	var control, payer []string
	var reversed []billing.ClaimID
	for _, r := range rows {
		switch {
		case r.Status != billing.RemitApplied:
		case r.Reverses():
			reversed = append(reversed, r.ClaimID)
		default:
			control, payer = append(control, p.claims[r.ClaimID].Numbers()...), add(payer, r.PayerClaimNumber)
		}
	}
	var waiting []billing.ERAID
	if len(control) > 0 {
		if waiting, err = tx.RemittanceClaims.Unmatched(ctx, control, payer); err != nil {
			return false, err
		}
	}
	for _, id := range waiting {
		if id != p.era.ID {
			err = stage(ctx, tx, p.era.Scope, id)
		} else {
			own, err = takeAgain(ctx, tx, p.era)
		}
		if err != nil {
			return false, err
		}
	}
	if len(reversed) > 0 {
		n, err := tx.RemittanceClaims.Reconsider(ctx, p.era.ID, reversed)
		if err != nil {
			return false, err
		}
		p.era.Progress.NeedsReview -= n
		own = own || n > 0
	}
	if own {
		p.era.Stage = billing.ERAApplying
	}
	return own, nil
}

// takeAgain sets the unmatched claims of the remittance to be matched again. It
// reports whether there are any.
func takeAgain(ctx context.Context, tx ports.Tx, e *billing.ERA) (bool, error) {
	n, err := tx.RemittanceClaims.Again(ctx, e.ID)
	e.Progress.Unmatched -= n
	return n > 0, err
}

// stage stages a job that applies the remittance.
func stage(ctx context.Context, tx ports.Tx, scope billing.Scope, id billing.ERAID) error {
	return tx.Outbox.Stage(ctx, jobs.ForERA(scope, id, tx.Clock.Now()))
}
