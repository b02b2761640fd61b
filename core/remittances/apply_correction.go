package remittances

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// setAside sets aside claims of a remittance that does not stand.
func setAside(e *billing.ERA, rows []*billing.RemittanceClaim) {
	for _, r := range rows {
		e.SetAside(r)
	}
}

// correct does what comes before the claims of a remittance are applied, when it is one of
// several of its payment. Done reports that this was the work of the commit.
func (w *worker) correct(ctx context.Context, tx ports.Tx, e *billing.ERA) (done bool, err error) {
	switch {
	case e.Undecided():
		return true, w.decide(ctx, tx, e)
	case !e.Stands():
		return true, w.dropPending(ctx, tx, e)
	case len(e.TakingBack) > 0:
		return true, w.takeOver(ctx, tx, e)
	case e.Decided == nil:
		return false, nil
	}
	rows, err := tx.Corrections.Aside(ctx, e.ID, nil, w.chunk)
	for _, r := range rows {
		e.TakeUp(r)
	}
	if err == nil {
		err = tx.RemittanceClaims.Save(ctx, e.ID, rows)
	}
	return false, err
}

// decide makes a correction stand if nothing was made of what it corrects. Otherwise it
// waits for a person.
func (w *worker) decide(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	rivals, siblings, err := w.rivals(ctx, tx, e)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rivals, func(o *billing.ERA) bool { return !o.Untouched() || o.Stage != billing.ERADone }) {
		e.Stage = billing.ERADone
		return tx.ERAs.Save(ctx, e)
	}
	return replace(ctx, tx, e, rivals, siblings, billing.ERANote{At: tx.Clock.Now()})
}

// replace makes a remittance stand in the place of its rivals.
func replace(ctx context.Context, tx ports.Tx, e *billing.ERA, rivals []*billing.ERA, siblings []*billing.Remittance, n billing.ERANote) error {
	if err := e.Replace(rivals, n); err != nil {
		return err
	}
	if err := arrange(ctx, tx, e, siblings); err != nil {
		return err
	}
	return tx.ERAs.Save(ctx, e)
}

// dropPending sets aside claims that nothing was made of before their remittance was
// replaced or discarded.
func (w *worker) dropPending(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	rows, err := tx.RemittanceClaims.Pending(ctx, e.ID, w.chunk)
	if err != nil {
		return err
	}
	setAside(e, rows)
	if err := tx.RemittanceClaims.Save(ctx, e.ID, rows); err != nil {
		return err
	}
	if len(rows) < w.chunk {
		e.Stage = billing.ERADone
	}
	return tx.ERAs.Save(ctx, e)
}

// takeOver takes back the next claims of a remittance that is replaced, and applies those
// of its correction about the same claims of ours, in one commit: no claim of ours ever has
// neither, or both.
func (w *worker) takeOver(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	taking := &e.TakingBack[0]
	old, err := tx.ERAs.Lock(ctx, taking.ERA)
	if err != nil {
		return err
	}
	was, err := tx.Corrections.Left(ctx, old.ID, taking.After, w.chunk)
	if err != nil {
		return err
	}
	if len(was) == 0 {
		e.TakingBack = e.TakingBack[1:]
		return tx.ERAs.Save(ctx, e)
	}
	taking.After = was[len(was)-1].Ordinal
	x, err := w.exchange(ctx, tx, old, e, was)
	if err != nil {
		return err
	}
	x.run(e.Decided)
	if err := x.back.save(ctx, tx, x.was); err != nil {
		return err
	}
	if err := x.forth.save(ctx, tx, x.is); err != nil {
		return err
	}
	if _, err := x.forth.matchAgain(ctx, tx, x.is); err != nil {
		return err
	}
	if err := tx.ERAs.Save(ctx, old); err != nil {
		return err
	}
	return tx.ERAs.Save(ctx, e)
}

// exchange moves the claims of a remittance to its correction.
type exchange struct {
	back, forth *application // of the remittance that is replaced, and of its correction
	was, is     []*billing.RemittanceClaim
	twins       map[*billing.RemittanceClaim]*billing.RemittanceClaim // of the correction, with the same figures
}

// exchange prepares the claims of the old remittance, all others of it that are applied to
// the same claims of ours, and those of the correction with the same control numbers.
func (w *worker) exchange(ctx context.Context, tx ports.Tx, old, e *billing.ERA, was []*billing.RemittanceClaim) (*exchange, error) {
	found, err := matching(ctx, tx, was)
	if err != nil {
		return nil, err
	}
	claims := indexed(found).byID
	var applied []billing.ClaimID
	for _, r := range was {
		if r.Status != billing.RemitApplied {
			continue
		}
		applied = append(applied, r.ClaimID)
		if claims[r.ClaimID] == nil {
			c, err := tx.Claims.Lock(ctx, r.ClaimID)
			if err != nil {
				return nil, err
			}
			claims[c.ID] = c.Claim
		}
	}
	x := &exchange{was: was, twins: map[*billing.RemittanceClaim]*billing.RemittanceClaim{}}
	entries, err := tx.RemittanceClaims.Ledger(ctx, applied)
	if err != nil {
		return nil, err
	}
	numbers := []string{}
	for _, r := range was {
		numbers = add(numbers, r.ControlNumber)
	}
	for id, all := range entries {
		numbers = append(numbers, claims[id].Numbers()...)
		for _, entry := range all {
			if entry.ERA.ID == old.ID && !slices.ContainsFunc(x.was, func(r *billing.RemittanceClaim) bool { return r.Ordinal == entry.Ordinal }) {
				x.was = append(x.was, entry.RemittanceClaim)
			}
		}
	}
	if x.is, err = tx.Corrections.Aside(ctx, e.ID, numbers, math.MaxInt32); err != nil {
		return nil, err
	}
	changed := x.pair(e)
	more, err := w.match(ctx, tx, e, changed, tx.Clock.Now())
	if err != nil {
		return nil, err
	}
	maps.Copy(claims, more)
	if x.back, err = openApplication(ctx, tx, old, claims, tx.Clock.Now()); err != nil {
		return nil, err
	}
	x.forth = x.back.of(e)
	return x, nil
}

// pair takes up the claims of the correction. It finds those that it does not change, and
// returns the others.
func (x *exchange) pair(e *billing.ERA) (changed []*billing.RemittanceClaim) {
	same := map[billing.Digest][]*billing.RemittanceClaim{}
	for _, r := range x.was {
		if r.Status != billing.RemitPending {
			same[r.Figures()] = append(same[r.Figures()], r)
		}
	}
	for _, r := range x.is {
		e.TakeUp(r)
		if all := same[r.Figures()]; len(all) > 0 {
			x.twins[all[0]], same[r.Figures()] = r, all[1:]
		} else {
			changed = append(changed, r)
		}
	}
	return changed
}

// run moves the claims. What the correction does not change moves as it is, with what a
// person decided about it, and nothing happens to our claim.
func (x *exchange) run(decided *billing.ERANote) {
	slices.SortFunc(x.was, billing.ReversalsFirst)
	noted := map[billing.ClaimID]bool{}
	for _, r := range x.was {
		if x.twins[r] != nil || r.Status != billing.RemitApplied {
			continue
		}
		x.back.unapply(r)
		if c := x.back.claims[r.ClaimID]; !noted[c.ID] {
			noted[c.ID] = true
			c.Noted(billing.TriggerCorrect, x.forth.cause, billing.Principal{ID: decided.By}, decided.Note)
			x.back.keep(c)
		}
	}
	for _, r := range x.was {
		if twin := x.twins[r]; twin != nil {
			x.forth.carry(x.back, r, twin)
		}
	}
	x.forth.applyAll(x.is)
	setAside(x.back.era, x.was)
	x.back.was = maps.Clone(x.back.ledgers) // the claims to later payers follow once, after both
}

// of returns an application of another remittance on the same claims.
func (a *application) of(e *billing.ERA) *application {
	q := *a
	q.era, q.cause.File, q.changed, q.events = e, &e.File, nil, nil
	return &q
}

// carry moves a row from another remittance to this one, which states the same.
func (a *application) carry(from *application, was, is *billing.RemittanceClaim) {
	a.era.Move(is, was.RemittanceClaimProgress)
	if was.Status != billing.RemitApplied {
		return
	}
	c := a.claims[was.ClaimID]
	l := a.ledgers[c.ID].Without(from.entry(was)).With(a.entry(is))
	a.set(c, l)
	c.Restate(l)
	a.keep(c)
}
