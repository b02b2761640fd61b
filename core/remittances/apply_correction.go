package remittances

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// setAside sets aside claims of a remittance that does not stand.
func setAside(e *remit.ERA, rows []*remit.Claim) {
	for _, r := range rows {
		e.SetAside(r)
	}
}

// correct does what comes before the claims of a remittance are applied, when it is one of
// several of its payment. Done reports that this was the work of the commit.
func (w *worker) correct(ctx context.Context, tx ports.Tx, e *remit.ERA) (done bool, err error) {
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
func (w *worker) decide(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	rivals, siblings, err := w.rivals(ctx, tx, e)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rivals, func(o *remit.ERA) bool { return !o.Untouched() || o.Stage != remit.Done }) {
		e.Stage = remit.Done
		return keep(ctx, tx, e)
	}
	return replace(ctx, tx, e, rivals, siblings, remit.Note{At: tx.Clock.Now()})
}

// replace makes a remittance stand in the place of its rivals.
func replace(ctx context.Context, tx ports.Tx, e *remit.ERA, rivals []*remit.ERA, siblings []*remit.Remittance, n remit.Note) error {
	if err := e.Replace(rivals, n); err != nil {
		return err
	}
	if err := arrange(ctx, tx, e, siblings); err != nil { // from then on it is known what it awaits
		return err
	}
	if err := inherits(ctx, tx, e, rivals); err != nil {
		return err
	}
	return keep(ctx, tx, e)
}

// dropPending sets aside claims that nothing was made of before their remittance was
// replaced or discarded.
func (w *worker) dropPending(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	rows, err := tx.RemittanceClaims.Pending(ctx, e.ID, w.chunk)
	if err != nil {
		return err
	}
	setAside(e, rows)
	if err := tx.RemittanceClaims.Save(ctx, e.ID, rows); err != nil {
		return err
	}
	if len(rows) < w.chunk {
		e.Stage = remit.Done
	}
	return keep(ctx, tx, e)
}

// takeOver takes back the next claims of a remittance that is replaced, and applies those
// of its correction about the same claims of ours, in one commit: no claim of ours ever has
// neither, or both.
func (w *worker) takeOver(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
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
		return keep(ctx, tx, e)
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
	if err := keep(ctx, tx, old); err != nil {
		return err
	}
	return keep(ctx, tx, e)
}

// exchange moves the claims of a remittance to its correction.
type exchange struct {
	back, forth *application // of the remittance that is replaced, and of its correction
	was, is     []*remit.Claim
	twins       map[*remit.Claim]*remit.Claim // of the correction, with the same figures
}

// exchange prepares the claims of the old remittance, all others of it that are applied to
// the same claims of ours, and those of the correction with the same control numbers.
func (w *worker) exchange(ctx context.Context, tx ports.Tx, old, e *remit.ERA, was []*remit.Claim) (*exchange, error) {
	found, err := matching(ctx, tx, was)
	if err != nil {
		return nil, err
	}
	claims := indexed(found).byID
	var applied []billing.ClaimID
	for _, r := range was {
		if r.Status != remit.StatusApplied {
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
	x := &exchange{was: was, twins: map[*remit.Claim]*remit.Claim{}}
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
			if entry.ERA.ID == old.ID && !slices.ContainsFunc(x.was, func(r *remit.Claim) bool { return r.Ordinal == entry.Ordinal }) {
				x.was = append(x.was, entry.Claim)
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
func (x *exchange) pair(e *remit.ERA) (changed []*remit.Claim) {
	same := map[remit.Digest][]*remit.Claim{}
	for _, r := range x.was {
		if r.Status != remit.StatusPending {
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
func (x *exchange) run(decided *remit.Note) {
	slices.SortFunc(x.was, remit.ReversalsFirst)
	noted := map[billing.ClaimID]bool{}
	for _, r := range x.was {
		if x.twins[r] != nil || r.Status != remit.StatusApplied {
			continue
		}
		x.back.unapply(r)
		if c := x.back.claims[r.ClaimID]; !noted[c.ID] {
			noted[c.ID] = true
			c.Noted(claim.TriggerCorrect, x.forth.cause, caller.Principal{ID: decided.By}, decided.Note)
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
func (a *application) of(e *remit.ERA) *application {
	q := *a
	q.era, q.cause.File, q.changed, q.events = e, &e.File, nil, nil
	return &q
}

// carry moves a row from another remittance to this one, which states the same.
func (a *application) carry(from *application, was, is *remit.Claim) {
	a.era.Move(is, was.ClaimProgress)
	if was.Status != remit.StatusApplied {
		return
	}
	c := a.claims[was.ClaimID]
	l := a.ledgers[c.ID].Without(from.entry(was)).With(a.entry(is))
	a.set(c, l)
	c.Restate(l)
	a.keep(c)
}
