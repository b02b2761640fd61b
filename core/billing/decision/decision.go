// Package decision has what people decide about the work that a resource makes.
package decision

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// As is what a person decides.
type As string

// What a person can decide.
const (
	Accepted          As = "accepted"           // what the payer refuses stays as it is
	NotBilled         As = "not_billed"         // the next payer does not get a claim
	WillNotSend       As = "will_not_send"      // the payer does not get what it asked for, or what was begun
	ReceivedElsewhere As = "received_elsewhere" // the payment arrived where Molar does not see it
	NotInsurance      As = "not_insurance"      // the deposit is not the payment of a payer
	Handled           As = "handled"            // what there is to do is done, until the resource changes
	Canceled          As = "canceled"           // the visit is off, until the resource changes
)

// Values lists everything that a person can decide.
func Values() []As {
	return []As{Accepted, NotBilled, WillNotSend, ReceivedElsewhere, NotInsurance, Handled, Canceled}
}

// lasts reports whether the decision outlives a change of the resource that leaves the amount.
func (a As) lasts() bool { return a != Handled && a != Canceled }

// Decision ends the work of one kind while its amount stays. One that the work is handled, or that
// the visit is off, ends with the next change of the resource, too.
type Decision struct {
	Of     string        // the kind of work
	As     As            // empty takes back the decision before it
	Amount billing.Money // what was at stake; 0 for none
	Note   string        // empty for none
	By     string        // the key or the user
	At     time.Time

	Payers []billing.PayerID `json:",omitempty"` // it is about them alone; empty for whomever the work is about
}

// List has the last decision for each kind of work that has one.
type List []Decision

// Of returns the decision about a kind of work; nil if there is none.
func (l List) Of(kind string) *Decision {
	for i := range l {
		if l[i].Of == kind {
			return &l[i]
		}
	}
	return nil
}

// Ends reports whether a decision of the list ends work of a kind and amount, whose resource changed
// last at the time.
func (l List) Ends(kind string, amount billing.Money, changed time.Time) bool {
	d := l.Of(kind)
	return d != nil && d.Amount == amount && (d.As.lasts() || !changed.After(d.At))
}

// About reports whether the decision about a kind of work counts for a payer; for the zero one it does.
func (l List) About(kind string, payer billing.PayerID) bool {
	d := l.Of(kind)
	return payer.IsZero() || d == nil || len(d.Payers) == 0 || slices.Contains(d.Payers, payer)
}

// Adding returns the decision for one more payer, beside those that the decision before it with the same amount is about.
func (l List) Adding(payer billing.PayerID, d Decision) Decision {
	if was := l.Of(d.Of); was != nil && was.As == d.As && was.Amount == d.Amount {
		d.Payers = slices.Clone(was.Payers)
	}
	d.Payers = append(d.Payers, payer)
	return d
}

// With returns the list with a decision, which replaces the one before it, or takes it back.
func (l List) With(d Decision) List {
	rest := slices.DeleteFunc(slices.Clone(l), func(was Decision) bool { return was.Of == d.Of })
	if d.As == "" {
		return rest
	}
	return append(rest, d)
}

// Erased returns the list without what people wrote.
func (l List) Erased() List {
	all := slices.Clone(l)
	for i := range all {
		all[i].Note = ""
	}
	return all
}
