package remittances

import (
	"context"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// match matches each claim of the remittance to one of our claims, if that
// accepts it, and returns how many match. It takes earlier claims of the
// remittance into account.
func (w *worker) match(ctx context.Context, tx ports.Tx, e *billing.ERA, claims []*billing.ERAClaim, now time.Time) (matched int, err error) {
	found, err := matching(ctx, tx, claims)
	if err != nil {
		return 0, err
	}
	cause := billing.ClaimCause{File: &e.File, At: now}
	for _, c := range found {
		for _, p := range w.file.pending[c.ID] {
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
			if c.CanApply(r) {
				r.ClaimID = c.ID
				matched++
				if r.Balanced {
					put(c, r, e.ID, cause)
				}
				break
			}
			if w.mustWait(e.ID, c, r, now) {
				return 0, errLater
			}
		}
	}
	return matched, nil
}

// matching locks our claims that may match claims of a remittance.
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

// candidates returns the claims that a claim of a remittance may be about, the
// likeliest first: the one with our control number, then those with the payer's
// number. The payer assigns its number, so claims for another payer are
// excluded. Payers that the directory lacks may pay for those that it has.
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
