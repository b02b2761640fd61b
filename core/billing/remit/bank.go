package remit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Bank is what is known of the payment at the bank.
type Bank struct {
	From billing.Date // deposits of its account are known from this day on; zero when none are
	Paid []Paid       // what arrived, the earliest first
	Seen bool         `json:",omitempty"` // money of it was in the account, and the bank took it back
}

// Paid is a deposit, or a part of one, that pays the remittance.
type Paid struct {
	Deposit billing.DepositID
	Date    billing.Date
	Amount  billing.Money
	Fee     billing.Money // what the processor of a virtual card kept
	Surplus billing.Money `json:",omitempty"` // what came with it for a remittance that this one corrects, and nothing explains
}

// BankStatus says where the money of a remittance is.
type BankStatus string

// The places.
const (
	DepositNotExpected BankStatus = "not_expected" // there is no money to come
	DepositUnknown     BankStatus = "unknown"      // no bank file of the account was imported
	DepositAwaited     BankStatus = "awaited"      // nothing has arrived
	DepositPartly      BankStatus = "partly"       // a part has arrived
	DepositReceived    BankStatus = "received"     // all of it has arrived
)

// Due is the day of the payment, or of its receipt when it states none.
func (e *ERA) Due() billing.Date {
	return cmp.Or(e.Payment.Date, billing.DateOf(e.ReceivedAt))
}

// Payable returns what the bank must receive for the remittance. A part of a payment that states
// the whole payment's total has its own share.
func (e *ERA) Payable() billing.Money {
	if e.Payment.Method == "NON" || !e.Stands() {
		return 0
	}
	if e.Together != nil && e.Together.Failed == 0 {
		if due, known := e.due(); known {
			return max(due, 0)
		}
	}
	return max(e.Payment.Total, 0)
}

// Received returns what has arrived, and what processors of virtual cards kept of it.
func (e *ERA) Received() (amount, fee billing.Money) {
	if e.Bank != nil {
		for _, p := range e.Bank.Paid {
			amount, fee = amount+p.Amount, fee+p.Fee
		}
	}
	return amount, fee
}

// Awaited returns what has not arrived yet.
func (e *ERA) Awaited() billing.Money {
	amount, fee := e.Received()
	return max(e.Payable()-amount-fee, 0)
}

// BankStatus returns where the money is.
func (e *ERA) BankStatus() BankStatus {
	amount, fee := e.Received()
	switch {
	case e.Payable() == 0:
		return DepositNotExpected
	case e.Awaited() == 0:
		return DepositReceived
	case amount+fee > 0:
		return DepositPartly
	case e.Bank == nil || !e.Bank.Seen && (e.Bank.From.IsZero() || e.Due().Before(e.Bank.From)):
		return DepositUnknown
	default:
		return DepositAwaited
	}
}

// Elsewhere reports whether a person decided that what the bank did not receive arrived where Molar
// does not see it. Another deposit, or one that is taken back, ends the decision.
func (e *ERA) Elsewhere() bool {
	switch e.BankStatus() {
	case DepositAwaited, DepositPartly:
		return e.Decisions.Ends("deposit_missing", e.Awaited(), time.Time{})
	case DepositNotExpected, DepositUnknown, DepositReceived:
	}
	return false
}

// Arrived records a deposit, or a part of one.
func (e *ERA) Arrived(p Paid) {
	b := e.bank()
	b.Paid = append(b.Paid, p)
	slices.SortStableFunc(b.Paid, func(x, y Paid) int { return x.Date.Compare(y.Date) })
}

// Withdrawn takes back what was recorded of a deposit.
func (e *ERA) Withdrawn(id billing.DepositID) {
	b := e.bank()
	b.Paid = slices.DeleteFunc(b.Paid, func(p Paid) bool { return p.Deposit == id })
}

// TakenBack records that the bank took a deposit back. The account has had the money, so it is awaited
// there from then on.
func (e *ERA) TakenBack(id billing.DepositID) {
	e.Withdrawn(id)
	e.Bank.Seen = true
}

// Follows takes over what is known of the account from a remittance in whose place this one stands.
func (e *ERA) Follows(was *ERA) {
	e.Known(was.Bank.From)
	if was.Bank.Seen {
		e.bank().Seen = true
	}
}

// TooMuch records how much of a deposit came beside what it pays, and is not explained.
func (e *ERA) TooMuch(id billing.DepositID, surplus billing.Money) {
	b := e.bank()
	for i := range b.Paid {
		if b.Paid[i].Deposit == id {
			b.Paid[i].Surplus, surplus = surplus, 0
		}
	}
}

// surplus says how much more came than the remittance pays.
func (e *ERA) surplus() string {
	amount, fee := e.Received()
	more := max(amount+fee-e.Payable(), 0)
	if e.Bank != nil {
		for _, p := range e.Bank.Paid {
			more += p.Surplus
		}
	}
	if more == 0 {
		return "."
	}
	return ", and " + more.Dollars() + " more than it pays."
}

// Known records from which day on the deposits of its account are known. It reports whether that
// differs from what was recorded.
func (e *ERA) Known(from billing.Date) bool {
	if from.IsZero() || e.Bank != nil && e.Bank.From == from {
		return false
	}
	e.bank().From = from
	return true
}

// bank returns a copy of what is known of the payment, which replaces it.
func (e *ERA) bank() *Bank {
	b := Bank{}
	if e.Bank != nil {
		b = Bank{e.Bank.From, slices.Clone(e.Bank.Paid), e.Bank.Seen}
	}
	e.Bank = &b
	return e.Bank
}

// Truth says in one line what is certain about the payment.
func (e *ERA) Truth() string {
	var said string
	switch {
	case !e.Stands():
		return "It does not count: another remittance of the payment stands, or a person must decide."
	case e.PaymentBalance().Failed > 0 && e.Acknowledged == nil:
		said = "Not balanced"
	case e.PaymentBalance().Failed > 0:
		said = "Not balanced, acknowledged"
	default:
		said = e.inside()
	}
	if e.State == Posted {
		said += ", posted, "
	} else {
		said += ", not posted, "
	}
	switch e.BankStatus() {
	case DepositNotExpected:
		return said + "no deposit expected" + e.surplus()
	case DepositUnknown:
		return said + "deposit unknown."
	case DepositPartly:
		if e.Elsewhere() {
			return said + "partly in the bank, the rest received elsewhere."
		}
		return said + "partly in the bank."
	case DepositReceived:
		return said + "in the bank" + e.surplus()
	case DepositAwaited:
		if e.Elsewhere() {
			return said + "received elsewhere."
		}
	}
	return said + "not in the bank."
}

// inside says whether the claims and the lines of a payment add up that does so itself.
func (e *ERA) inside() string {
	var off []string
	verb := " does"
	for _, of := range []struct {
		level string
		LevelBalance
	}{{"claim", e.Balance.Claims}, {"line", e.Balance.Lines}} {
		switch {
		case of.Failed == 0:
			continue
		case e.several(of.level, of.Failed):
			off, verb = append(off, of.level+"s"), " do"
		default:
			off = append(off, "a "+of.level)
		}
	}
	if len(off) == 0 {
		return "Balanced"
	}
	if len(off) > 1 {
		verb = " do"
	}
	return "Not balanced: " + strings.Join(off, " and ") + verb + " not add up"
}

// several reports whether more than one claim, or line, is behind the equations of a level that do
// not hold. One can have two of them.
func (e *ERA) several(level string, failed int) bool {
	if failed < 2 {
		return false
	}
	var first *BalanceFinding
	for i := range e.Balance.Findings {
		f := &e.Balance.Findings[i]
		switch {
		case f.Level != level:
		case first == nil:
			first = f
		case f.Claim != first.Claim || f.Line != first.Line:
			return true
		}
	}
	return first == nil // the list of findings ended before them
}
