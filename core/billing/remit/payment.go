package remit

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
)

// Later is what became known of a remittance after it was stored: what a person
// decided about it, and the other remittances of its payment.
type Later struct {
	Acknowledged *Note           // that the payment does not balance; nil until a person did
	Decided      *Note           // on the correction; nil while it waits, and when it corrects nothing
	ReplacedBy   billing.ERAID   // what stands in its place; zero while it stands
	TakingBack   []taking        // from which its own claims are not all taken over yet
	Parts        []billing.ERAID // the others that stand: the payer split the payment
	Corrections  []billing.ERAID // those that correct it and wait for a decision
	Together     *LevelBalance   // of the payment, with its parts; nil when it balances alone, or has no parts
	Bank         *Bank           `json:",omitempty"` // nil until deposits of its account are known
	Decisions    decision.List   `json:",omitempty"` // of people about its work
	Posting      *Posting        `json:",omitempty"` // what its posting does with the claims; nil when it does nothing
	ByHand       bool            `json:",omitempty"` // a person unposted it, or finished a claim of it: no rule posts it
	PostedBy     string          `json:",omitempty"` // the key or the user; empty for a rule, and for one that is not posted
	Waiting      *billing.Money  `json:",omitempty"` // what its unfinished claims pay; nil while there are none, or that is not known
}

// Note is a decision of a person about a remittance. By is empty when Molar decided.
type Note struct {
	At   time.Time
	By   string
	Note string
}

// taking is a remittance whose claims a correction takes over, chunk by chunk.
type taking struct {
	ERA   billing.ERAID
	After int // the ordinal of the last claim that was taken over
}

// PaymentBalance returns the balance of the payment itself, with its parts.
func (e *ERA) PaymentBalance() LevelBalance {
	if e.Together != nil {
		return *e.Together
	}
	return e.Balance.Payment
}

// PaymentFindings returns what does not add up. A payment that adds up with its parts has
// no finding of its own.
func (e *ERA) PaymentFindings() []BalanceFinding {
	if e.PaymentBalance().Failed > 0 {
		return e.Balance.Findings
	}
	return slices.DeleteFunc(slices.Clone(e.Balance.Findings), BalanceFinding.ofPayment)
}

func (f BalanceFinding) ofPayment() bool { return f.Level == "payment" }

// Acknowledge records that a person knows that the payment does not balance. It reports
// false when that was recorded before. It returns CodeConflict for a payment that
// balances.
func (e *ERA) Acknowledge(n Note) (bool, error) {
	if err := e.mustStand(); err != nil {
		return false, err
	}
	if e.PaymentBalance().Failed == 0 {
		return false, &billing.Error{Code: billing.CodeConflict, Message: "The payment adds up. There is nothing to acknowledge."}
	}
	if e.Acknowledged != nil {
		return false, nil
	}
	e.Acknowledged = &n
	return true, nil
}

// Arrange relates the remittances of one payment to each other: those that stand are its
// parts, and are balanced together; the others may correct them.
func Arrange(all []*ERA) {
	var standing []*ERA
	for _, e := range all {
		e.Parts, e.Corrections, e.Together = nil, nil, nil
		if e.Stands() {
			standing = append(standing, e)
		}
	}
	together := balanced(standing)
	for _, e := range standing {
		for _, o := range all {
			switch {
			case o != e && o.Stands():
				e.Parts = append(e.Parts, o.ID)
			case o.Undecided() && slices.Contains(o.Corrects, e.ID):
				e.Corrections = append(e.Corrections, o.ID)
			}
		}
		if e.Balance.Payment.Failed > 0 {
			e.Together = together
		}
	}
	for _, e := range all {
		e.Balanced = e.PaymentBalance().Failed+e.Balance.Claims.Failed+e.Balance.Lines.Failed == 0
	}
}

// balanced returns the balance of a payment in parts; nil for a single remittance, and
// when a total cannot be read. Each part states its own total, or the whole payment's.
func balanced(parts []*ERA) *LevelBalance {
	if len(parts) < 2 {
		return nil
	}
	var stated, due billing.Money
	same := true
	for _, e := range parts {
		d, known := e.due()
		if !known {
			return nil
		}
		stated, due, same = stated+e.Payment.Total, due+d, same && e.Payment.Total == parts[0].Payment.Total
	}
	b := LevelBalance{Checked: 1, Off: (stated - due).Abs()}
	if same && due == parts[0].Payment.Total {
		b.Off = 0
	}
	if b.Off != 0 {
		b.Failed = 1
	}
	return &b
}

// due returns what the claims and the provider adjustments of the remittance come to.
// Known is false when its total cannot be read.
func (e *ERA) due() (due billing.Money, known bool) {
	if e.Balance.Payment.Failed == 0 {
		return e.Payment.Total, true
	}
	i := slices.IndexFunc(e.Balance.Findings, BalanceFinding.ofPayment)
	if i < 0 || e.Balance.Findings[i].Unread {
		return 0, false
	}
	return e.Balance.Findings[i].Expected, true
}
