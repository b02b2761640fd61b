package remittances

import (
	"context"
	"iter"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

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
		n, err := w.match(ctx, tx, e, claims, tx.Clock.Now())
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
