package remittances

import (
	"context"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// match finds our claim for each remittance claim that has none. It sets
// the status of those that match none, or that the payer forwarded. It returns all
// the claims that the others match, locked.
func (w *worker) match(
	ctx context.Context, tx ports.Tx, e *remit.ERA, rows []*remit.Claim, now time.Time,
) (map[billing.ClaimID]*claim.Claim, error) {
	claims, err := matching(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	ours := indexed(claims)
	for _, r := range rows {
		if r.ClaimID.IsZero() {
			c, to := ours.find(e, r)
			if c != nil && w.mustWait(e.ID, c, r, now) {
				return nil, errLater
			}
			e.Move(r, to)
		}
		if r.ClaimID.IsZero() || ours.byID[r.ClaimID] != nil {
			continue
		}
		// An earlier chunk has changed the payer's number by which it matched.
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return nil, err
		}
		ours.byID[c.ID] = c.Claim
	}
	return ours.byID, nil
}

// matching locks our claims that may match remittance claims.
func matching(ctx context.Context, tx ports.Tx, rows []*remit.Claim) ([]*claim.Claim, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	var control, payer []string
	for _, r := range rows {
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
	byID      map[billing.ClaimID]*claim.Claim
	byControl map[string]*claim.Claim // lower case
	byPayer   map[string][]*claim.Claim
}

func indexed(claims []*claim.Claim) index {
	x := index{map[billing.ClaimID]*claim.Claim{}, map[string]*claim.Claim{}, map[string][]*claim.Claim{}}
	for _, c := range claims {
		x.byID[c.ID] = c
		for _, n := range c.Numbers() {
			x.byControl[strings.ToLower(n)] = c
		}
		if c.PayerClaimNumber != "" {
			x.byPayer[c.PayerClaimNumber] = append(x.byPayer[c.PayerClaimNumber], c)
		}
	}
	return x
}

// find returns the claim that a remittance claim is about, even if that claim
// cannot have a remittance, and the progress that follows. It prefers our control
// number. Only the payer knows its own number, so find skips the claims of other
// payers. A payer that is not in the directory may pay for one that is.
func (x index) find(e *remit.ERA, r *remit.Claim) (*claim.Claim, remit.ClaimProgress) {
	found := remit.ClaimProgress{Status: remit.StatusUnmatched, Review: remit.ReviewNoClaim, Sequence: r.StatedSequence(), Warnings: e.Warnings}
	if r.Forwards() {
		found.Status, found.Review = remit.StatusForwarded, ""
	}
	of, by := x.byControl[strings.ToLower(r.ControlNumber)], remit.MatchedByControlNumber
	if of == nil || r.ControlNumber == "" || !of.Awaits() {
		switch c, several := x.likeliest(e, r); {
		case c != nil:
			of, by = c, remit.MatchedByPayerNumber
		case several && of == nil && !r.Forwards():
			found.Review = remit.ReviewSeveralClaims
		}
	}
	switch {
	case of == nil:
	case !of.Awaits():
		if !r.Forwards() && of.Frequency != claim.FrequencyVoid {
			found.Review = remit.ReviewClaimNotSent
		}
	default:
		found.ClaimID, found.MatchedBy = of.ID, by
		if !r.Forwards() {
			found.Status, found.Review = remit.StatusPending, ""
		}
	}
	return of, found
}

// likeliest returns the claim with the payer's number that the remittance
// identifies best, or nil. Several says that it fits several equally: it is then for none of them. What has the number
// of now comes before what has an earlier one, unless only the earlier one is identified by more than its number.
func (x index) likeliest(e *remit.ERA, r *remit.Claim) (best *claim.Claim, several bool) {
	for _, n := range add(add(nil, r.PayerClaimNumber), r.Original) {
		c, sure, equal := x.surest(n, e, r)
		if c != nil && (best == nil || sure > 0) {
			best, several = c, equal
		}
		if sure > 0 {
			break
		}
	}
	if several {
		return nil, true
	}
	return best, false
}

// surest returns the claim with a number of the payer that the remittance identifies best, how surely it does, and
// whether it identifies another equally.
func (x index) surest(n string, e *remit.ERA, r *remit.Claim) (best *claim.Claim, most int, equal bool) {
	for _, c := range x.byPayer[n] {
		if !c.Awaits() || !e.Payer.ID.IsZero() && c.Payer.ID != e.Payer.ID {
			continue
		}
		switch sure := c.Identifies(r); {
		case best == nil, sure > most:
			best, most, equal = c, sure, false
		case sure == most:
			equal = true
		}
	}
	return best, most, equal
}

// mustWait reports whether the row has to wait because the claim's batch is not
// recorded as sent. Either its sender died before it recorded that, or the
// remittance is about an earlier file with the claim.
func (w *worker) mustWait(era billing.ERAID, c *claim.Claim, r *remit.Claim, now time.Time) bool {
	return c.State == claim.Queued && !c.BatchID.IsZero() && c.Frequency != claim.FrequencyVoid &&
		c.Suits(r) && w.waits.wait(era, now)
}
