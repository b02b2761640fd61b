package remittances

import (
	"context"
	"iter"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// read stores the next claims of a remittance, matched. After the last one
// callers can see the remittance.
func (w *worker) read(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	kept, err := tx.RemittanceClaims.Count(ctx, e.ID)
	if err != nil {
		return err
	}
	if f := w.file; f == nil || f.era != e.ID || f.from != kept && f.from+len(f.hand) != kept {
		w.putDown()
		if w.file, err = w.open(ctx, tx, e.ID, kept); err != nil {
			return err
		}
	}
	claims, err := w.file.after(kept, w.chunk)
	if err != nil {
		w.putDown()
		return err
	}
	if len(claims) > 0 {
		for _, r := range claims { // the commit may be a second try
			r.ClaimProgress = remit.ClaimProgress{Status: remit.StatusPending}
		}
		found, err := w.match(ctx, tx, e, claims, tx.Clock.Now())
		if err != nil {
			return err
		}
		if e.Stands() {
			err = w.file.unpaid(ctx, tx, e, claims, found)
		} else {
			setAside(e, claims)
		}
		if err != nil {
			return err
		}
		if err := tx.RemittanceClaims.Insert(ctx, e.ID, claims); err != nil {
			return err
		}
	}
	if len(claims) < w.chunk {
		if err := w.show(ctx, tx, e, kept+len(claims)); err != nil {
			return err
		}
	}
	return tx.ERAs.Save(ctx, e)
}

// unpaid finds the reversals for which no payment exists yet. They do not count as
// matched.
func (f *reading) unpaid(
	ctx context.Context, tx ports.Tx, e *remit.ERA, rows []*remit.Claim, claims map[billing.ClaimID]*claim.Claim,
) error {
	reversing := map[billing.ClaimID]*claim.Claim{}
	paid := map[billing.ClaimID][]billing.Money{} // by the same remittance
	for _, r := range rows {
		switch {
		case r.ClaimID.IsZero() || !r.Balanced:
		case r.Reverses():
			reversing[r.ClaimID] = claims[r.ClaimID]
			paid[r.ClaimID] = append(paid[r.ClaimID], f.paid[r.ClaimID]...)
		default:
			paid[r.ClaimID] = append(paid[r.ClaimID], r.Paid)
		}
	}
	if len(reversing) == 0 {
		return nil
	}
	a, err := openApplication(ctx, tx, e, reversing, tx.Clock.Now())
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.ClaimID.IsZero() || !r.Reverses() || !r.Balanced || a.review(r) != remit.ReviewNoPayment {
			continue
		}
		if i := slices.Index(paid[r.ClaimID], -r.Paid); i >= 0 {
			paid[r.ClaimID] = slices.Delete(paid[r.ClaimID], i, i+1)
			continue
		}
		a.leave(r, remit.StatusUnmatched, remit.ReviewNoPayment)
	}
	return nil
}

// reading is the open file of a remittance: the claims to store next, and the
// effects of those before.
type reading struct {
	era   billing.ERAID
	next  func() (*remit.Claim, error, bool)
	close func()
	from  int // the number of claims in the file before the current ones
	hand  []*remit.Claim
	// paid has the payments of earlier claims of the file for our claims. Our
	// claims show a payment only after it is applied.
	paid map[billing.ClaimID][]billing.Money
}

// open opens the file. Kept is the number of its claims that are stored.
func (w *worker) open(ctx context.Context, tx ports.Tx, era billing.ERAID, kept int) (*reading, error) {
	content, err := tx.ERAs.Content(ctx, era)
	if err != nil {
		return nil, err
	}
	f := &reading{era: era, paid: map[billing.ClaimID][]billing.Money{}}
	for f.from < kept {
		page, err := tx.RemittanceClaims.List(ctx, era, f.from, w.chunk)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		f.note(page)
	}
	f.next, f.close = iter.Pull2(w.edi.Claims(content))
	for range f.from {
		if _, err, _ := f.next(); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// note records the payments of stored claims, except those that a reversal takes
// back.
func (f *reading) note(claims []*remit.Claim) {
	for _, r := range claims {
		paid := f.paid[r.ClaimID]
		if i := slices.Index(paid, -r.Paid); r.Reverses() && i >= 0 {
			f.paid[r.ClaimID] = slices.Delete(paid, i, i+1)
		} else if !r.ClaimID.IsZero() && r.Balanced && !r.Reverses() {
			f.paid[r.ClaimID] = append(paid, r.Paid)
		}
	}
	f.from += len(claims)
}

// after returns the next chunk of claims after those that are stored. It
// returns the same claims again when they have not been stored.
func (f *reading) after(kept, chunk int) ([]*remit.Claim, error) {
	if f.hand != nil && f.from == kept {
		return f.hand, nil
	}
	f.note(f.hand)
	f.hand = make([]*remit.Claim, 0, chunk)
	for len(f.hand) < chunk {
		r, err, ok := f.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		f.hand = append(f.hand, r)
	}
	return f.hand, nil
}
