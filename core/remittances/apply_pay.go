package remittances

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// apply applies the next claims of a remittance.
func (w *worker) apply(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	rows, err := tx.ERAClaims.List(ctx, e.ID, 0, true, w.chunk)
	if err != nil {
		return err
	}
	claims, err := w.locked(ctx, tx, rows)
	if err != nil {
		return err
	}
	changed, events, err := w.putAll(e, rows, claims, tx.Clock.Now())
	if err != nil {
		return err
	}
	if err := tx.ERAClaims.Save(ctx, e.ID, rows); err != nil {
		return err
	}
	for _, c := range changed {
		if err := tx.Claims.Save(ctx, c); err != nil {
			return err
		}
	}
	for _, event := range events {
		if err := tx.Events.Append(ctx, event); err != nil {
			return err
		}
	}
	if len(rows) < w.chunk {
		e.Progress = billing.ERADone
		w.waits.forget(e.ID)
	}
	return tx.ERAs.Save(ctx, e)
}

// putAll applies rows of the remittance to our claims, and returns the changed
// claims and their events. A claim that no longer accepts its row is unmatched.
func (w *worker) putAll(
	e *billing.ERA, rows []*billing.ERAClaim, claims map[billing.ClaimID]*billing.Claim, now time.Time,
) (changed []*billing.Claim, events []billing.Event, err error) {
	cause := billing.ClaimCause{File: &e.File, At: now}
	for _, r := range rows {
		c := claims[r.ClaimID]
		event, ok := put(c, r, e.ID, cause)
		switch {
		case ok:
			r.Applied = true
			events = append(events, event)
			if !slices.Contains(changed, c) {
				changed = append(changed, c)
			}
		case w.mustWait(e.ID, c, r, now):
			return nil, nil, errLater
		default:
			r.ClaimID = billing.ClaimID{}
			e.MatchedCount--
		}
	}
	return changed, events, nil
}

// put applies a row of a remittance to a claim. It returns false and changes
// nothing when the claim does not accept it.
func put(c *billing.Claim, r *billing.ERAClaim, era billing.ERAID, cause billing.ClaimCause) (billing.Event, bool) {
	if r.Estimates() {
		return c.Returned(r.Estimate(era), cause)
	}
	return c.Pay(r.Payment(era), cause)
}

// locked returns the claims that the rows match, locked.
func (w *worker) locked(ctx context.Context, tx ports.Tx, rows []*billing.ERAClaim) (map[billing.ClaimID]*billing.Claim, error) {
	found, err := matching(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	claims := make(map[billing.ClaimID]*billing.Claim, len(found))
	for _, c := range found {
		claims[c.ID] = c
	}
	for _, r := range rows {
		if claims[r.ClaimID] != nil {
			continue
		}
		// An earlier chunk has changed the payer's number by which it matched.
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return nil, err
		}
		claims[c.ID] = c.Claim
	}
	return claims, nil
}

// mustWait reports whether the row has to wait because the claim's batch is not
// recorded as sent. Then its sender died before it recorded that, or the
// remittance is about an earlier file with the claim.
func (w *worker) mustWait(era billing.ERAID, c *billing.Claim, r *billing.ERAClaim, now time.Time) bool {
	return c.State == billing.ClaimQueued && !c.BatchID.IsZero() && c.Frequency != billing.FrequencyVoid &&
		r.Estimates() == (c.Kind == billing.KindPredetermination) && w.waits.wait(era, now)
}
