package remittances

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// apply applies the next claims of a remittance.
func (w *worker) apply(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	rows, err := tx.ERAClaims.Pending(ctx, e.ID, w.chunk)
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
	cause   billing.ClaimCause

	changed []*billing.Claim
	events  []billing.Event
}

// openPosting reads the ledgers of the claims.
func openPosting(
	ctx context.Context, tx ports.Tx, e *billing.ERA, claims map[billing.ClaimID]*billing.Claim, now time.Time,
) (*posting, error) {
	ids := make([]billing.ClaimID, 0, len(claims))
	for id := range claims {
		ids = append(ids, id)
	}
	entries, err := tx.ERAClaims.Ledger(ctx, ids)
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
	return p, nil
}

func (p *posting) entry(r *billing.ERAClaim) *billing.LedgerEntry {
	return &billing.LedgerEntry{ERAClaim: r, ERA: p.era.Source()}
}

// applyAll applies the claims that match one of ours, reversals first. A reversal
// whose payment is among the others waits for it.
func (p *posting) applyAll(rows []*billing.ERAClaim) {
	var waiting []*billing.ERAClaim
	for _, r := range reversalsFirst(rows) {
		switch code := p.review(r); {
		case code == billing.ReviewNoPayment:
			waiting = append(waiting, r)
		case code != "":
			p.leave(r, billing.RemitNeedsReview, code)
		default:
			p.apply(r, r.MatchedBy)
			waiting = slices.DeleteFunc(waiting, func(back *billing.ERAClaim) bool {
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

// reversalsFirst returns the rows that match one of our claims.
func reversalsFirst(rows []*billing.ERAClaim) []*billing.ERAClaim {
	all := slices.DeleteFunc(slices.Clone(rows), func(r *billing.ERAClaim) bool { return r.Status != billing.RemitPending })
	slices.SortStableFunc(all, func(a, b *billing.ERAClaim) int {
		switch {
		case a.Reverses() == b.Reverses():
			return 0
		case a.Reverses():
			return -1
		default:
			return 1
		}
	})
	return all
}

// review returns why the row cannot be applied; the empty string when it can.
func (p *posting) review(r *billing.ERAClaim) billing.ReviewCode {
	if p.ledgers[r.ClaimID].Full() {
		return billing.ReviewTooMany
	}
	r.LineNumbers = p.claims[r.ClaimID].MatchLines(r)
	return p.ledgers[r.ClaimID].Review(p.entry(r), r.MatchedBy)
}

// apply applies a row to its claim.
func (p *posting) apply(r *billing.ERAClaim, by billing.MatchedBy) {
	c, entry := p.claims[r.ClaimID], p.entry(r)
	l := p.ledgers[c.ID].With(entry)
	to := r.ERAClaimProgress
	to.Status, to.Review, to.MatchedBy, to.AppliedAt = billing.RemitApplied, "", by, p.cause.At
	to.Sequence, to.Warnings = l.Sequence(entry), l.Warnings(entry, p.era.Warnings)
	p.era.Move(r, to)
	p.ledgers[c.ID] = l
	if r.Estimates() {
		p.record(c)(c.Returned(r.Estimate(p.era.ID, r.LineNumbers), p.cause))
	} else {
		p.record(c)(c.Settle(l, entry, p.cause))
	}
}

// leave records why a row is not applied. An unmatched one has no claim.
func (p *posting) leave(r *billing.ERAClaim, status billing.RemitStatus, code billing.ReviewCode) {
	to := r.ERAClaimProgress
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
		}
		if changed && !slices.Contains(p.changed, c) {
			p.changed = append(p.changed, c)
		}
	}
}

// save stores the rows, the changed claims and the events.
func (p *posting) save(ctx context.Context, tx ports.Tx, rows []*billing.ERAClaim) error {
	if err := tx.ERAClaims.Save(ctx, p.era.ID, rows); err != nil {
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

// matchAgain looks again at what the rows can change: reversals that wait for a
// payment, and payments that were no repetition, because the rows take the first
// one back. It reports whether the remittance itself has any.
func (p *posting) matchAgain(ctx context.Context, tx ports.Tx, rows []*billing.ERAClaim) (own bool, err error) {
	var control, payer []string
	var reversed []billing.ClaimID
	for _, r := range rows {
		switch {
		case r.Status != billing.RemitApplied:
		case r.Reverses():
			reversed = append(reversed, r.ClaimID)
		default:
			control, payer = add(control, p.claims[r.ClaimID].PatientControlNumber), add(payer, r.PayerClaimNumber)
		}
	}
	var waiting []billing.ERAID
	if len(control) > 0 {
		if waiting, err = tx.ERAClaims.Unmatched(ctx, control, payer); err != nil {
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
		n, err := tx.ERAClaims.Reconsider(ctx, p.era.ID, reversed)
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
	n, err := tx.ERAClaims.Again(ctx, e.ID)
	e.Progress.Unmatched -= n
	return n > 0, err
}

// stage stages a job that applies the remittance.
func stage(ctx context.Context, tx ports.Tx, scope billing.Scope, id billing.ERAID) error {
	return tx.Outbox.Stage(ctx, jobs.Job{ID: billing.NewID[billing.JobID](tx.Clock.Now()), Kind: jobs.KindERA, Scope: scope, Subject: id})
}
