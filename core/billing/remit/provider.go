package remit

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// reasonForwarded is the reason of a provider adjustment that carries an amount from one
// payment to another: a negative one carries a debt of the practice forward, because no
// payment is below zero, and a positive one takes it back.
const reasonForwarded = "FB"

// ProviderAdjustment is money outside the claims of the payment (PLB).
type ProviderAdjustment struct {
	ProviderID string // PLB01: NPI, or the payer's number
	Reason     string // WO recovery, FB forwarded, L6 interest, ...
	Reference  string
	PeriodEnd  billing.Date
	Amount     billing.Money // a positive one reduced the payment
}

// References returns the numbers by which the adjustment may name a claim. The whole
// reference comes first; some payers put other words around the number.
func (a *ProviderAdjustment) References() []string {
	if a.Reason == reasonForwarded || billing.Blank(a.Reference) {
		return nil
	}
	whole := strings.TrimSpace(a.Reference)
	all := []string{whole}
	for _, word := range strings.FieldsFunc(whole, func(r rune) bool { return r == ' ' || r == '/' || r == ',' || r == ';' }) {
		if len(word) >= minReference && word != whole {
			all = append(all, word)
		}
	}
	return all
}

// minReference is the least length of a part of a reference that can name a claim.
const minReference = 6

// Named returns the claim that the adjustment is about, given the claims by number; zero
// when it names none, or several.
func (a *ProviderAdjustment) Named(by map[string][]billing.ClaimID) (id billing.ClaimID) {
	for _, n := range a.References() {
		if found := by[n]; len(found) > 0 {
			if len(found) == 1 {
				id = found[0]
			}
			return id
		}
	}
	return id
}

// References returns every number by which provider adjustments of the remittance may name
// a claim.
func (e *ERA) References() (all []string) {
	for i := range e.ProviderAdjustments {
		all = append(all, e.ProviderAdjustments[i].References()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Forwarded is what a payer carried from one payment to another in a remittance.
type Forwarded struct {
	ERA         billing.ERAID
	Date        billing.Date // of the payment
	TraceNumber string
	Reference   string
	Amount      billing.Money // a positive one reduced the payment
	Balance     billing.Money // what the payer has still to take after it; below 0 it owes the practice
}

// ForwardedBalance is the account of the balances that a payer carries from payment to
// payment.
type ForwardedBalance struct {
	Balance billing.Money // what the payer will still take from later payments
	Entries []Forwarded   // in the order of the payments, the last MaxForwarded
}

// MaxForwarded is the most entries that a ForwardedBalance shows.
const MaxForwarded = 100

// NewForwardedBalance returns the account of the entries, in their order; nil for none.
func NewForwardedBalance(entries []Forwarded) *ForwardedBalance {
	if len(entries) == 0 {
		return nil
	}
	b := &ForwardedBalance{Entries: entries}
	for i := range entries {
		b.Balance -= entries[i].Amount
		entries[i].Balance = b.Balance
	}
	b.Entries = entries[max(0, len(entries)-MaxForwarded):]
	return b
}
