package remittances

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// reading is the file of a remittance under a worker's eyes: the claims that
// are to be kept next, and what the remittance did before them.
type reading struct {
	era   billing.ERAID
	next  func() (*billing.ERAClaim, error, bool)
	close func()
	from  int // how many claims of the file stand before those at hand
	hand  []*billing.ERAClaim
	// told is what the claims before those at hand will do to claims of ours,
	// which shows there only when it is applied.
	told map[billing.ClaimID][]billing.ClaimPayment
}

// open begins to read the file, of which kept claims are kept.
func (w *worker) open(ctx context.Context, tx ports.Tx, era billing.ERAID, kept int) (*reading, error) {
	content, err := tx.ERAs.Content(ctx, era)
	if err != nil {
		return nil, err
	}
	f := &reading{era: era, told: map[billing.ClaimID][]billing.ClaimPayment{}}
	for f.from < kept {
		page, err := tx.ERAClaims.List(ctx, era, f.from, false, w.chunk)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		f.tell(page)
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

// tell notes what claims do that are kept.
func (f *reading) tell(claims []*billing.ERAClaim) {
	for _, r := range claims {
		if !r.ClaimID.IsZero() && r.Balanced {
			f.told[r.ClaimID] = append(f.told[r.ClaimID], r.Payment(f.era))
		}
	}
	f.from += len(claims)
}

// after gives the next claims of the file, a chunk of them, that follow those
// that are kept: the same again, when those that were given before have not been
// kept.
func (f *reading) after(kept, chunk int) ([]*billing.ERAClaim, error) {
	if f.hand != nil && f.from == kept {
		return f.hand, nil
	}
	f.tell(f.hand)
	f.hand = make([]*billing.ERAClaim, 0, chunk)
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

// read keeps the next claims of a remittance, matched. After the last one the
// remittance can be seen.
func (w *worker) read(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	kept, matched, err := tx.ERAClaims.Count(ctx, e.ID)
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
		n, err := w.match(ctx, tx, e, claims, w.clock.Now())
		if err != nil {
			return err
		}
		matched += n
		if err := tx.ERAClaims.Insert(ctx, e.ID, claims); err != nil {
			return err
		}
	}
	if len(claims) == w.chunk {
		return nil
	}
	if err := w.show(ctx, tx, e, kept+len(claims), matched); err != nil {
		return err
	}
	return tx.ERAs.Save(ctx, e)
}

// match gives each claim of the remittance the claim of ours that it is about,
// if that takes it, and answers how many have one. It takes into account what
// the remittance says before.
func (w *worker) match(ctx context.Context, tx ports.Tx, e *billing.ERA, claims []*billing.ERAClaim, now time.Time) (matched int, err error) {
	found, err := matching(ctx, tx, claims)
	if err != nil {
		return 0, err
	}
	cause := billing.ClaimCause{File: &e.File, At: now}
	for _, c := range found {
		for _, p := range w.file.told[c.ID] {
			if c.Kind == billing.KindPredetermination {
				c.Returned(billing.ClaimEstimate{}, cause)
			} else {
				c.Pay(p, cause)
			}
		}
	}
	ours := indexed(found)
	for _, r := range claims {
		r.ClaimID = billing.ClaimID{} // the commit may be a second try
		for _, c := range ours.candidates(e, r) {
			if c.Takes(r) {
				r.ClaimID = c.ID
				matched++
				if r.Balanced {
					put(c, r, e.ID, cause)
				}
				break
			}
			if w.waits(e.ID, c, r, now) {
				return 0, later(now)
			}
		}
	}
	return matched, nil
}

// matching locks the claims that those of a remittance may be about.
func matching(ctx context.Context, tx ports.Tx, claims []*billing.ERAClaim) ([]*billing.Claim, error) {
	if len(claims) == 0 {
		return nil, nil
	}
	var control, payer []string
	for _, r := range claims {
		control = add(control, r.ControlNumber)
		payer = add(add(payer, r.PayerClaimNumber), r.Original)
	}
	return tx.Clearing.Match(ctx, control, payer)
}

func add(numbers []string, n string) []string {
	if n == "" {
		return numbers
	}
	return append(numbers, n)
}

// index finds claims by their numbers.
type index struct {
	byControl map[string]*billing.Claim // lower case
	byPayer   map[string][]*billing.Claim
}

func indexed(claims []*billing.Claim) index {
	x := index{map[string]*billing.Claim{}, map[string][]*billing.Claim{}}
	for _, c := range claims {
		x.byControl[strings.ToLower(c.PatientControlNumber)] = c
		if c.PayerClaimNumber != "" {
			x.byPayer[c.PayerClaimNumber] = append(x.byPayer[c.PayerClaimNumber], c)
		}
	}
	return x
}

// candidates are the claims that a claim of a remittance may be about, the
// likeliest first: the one with our control number, then those with the payer's
// number. Such a number is the payer's own, so a claim for another payer is
// none; payers that the directory does not know may pay for those it does.
func (x index) candidates(e *billing.ERA, r *billing.ERAClaim) (all []*billing.Claim) {
	if c := x.byControl[strings.ToLower(r.ControlNumber)]; c != nil && r.ControlNumber != "" {
		all = append(all, c)
	}
	for _, n := range add(add(nil, r.PayerClaimNumber), r.Original) {
		for _, c := range x.byPayer[n] {
			if e.Payer.ID.IsZero() || c.Payer.ID == e.Payer.ID {
				all = append(all, c)
			}
		}
	}
	return all
}
