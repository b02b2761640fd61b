package report

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Figures are the amounts by which reports count a claim. Claims for the same services each have
// their own: what a payer says of the services themselves is counted on the first of them.
type Figures struct {
	Open        billing.Money // of the claim's charge; see claim.Claim.Open
	Owed        billing.Money // by the patient, less what the claim states that the patient has paid
	Paid        billing.Money // by the payers of this claim
	Contractual billing.Money // what the primary payer's contract takes off the charge
	WriteOff    billing.Money // what people accepted as this
	Billed      billing.Money // what people accepted as the patient's
	Other       billing.Money // what people accepted otherwise

	DecidedOn billing.Date // the day of the payment, or of the denial; zero while nothing is decided
	FirstPass bool         // of a decided claim; see claim.Standing.FirstPass
	Refused   []remit.Refusal
}

// FiguresOf returns the figures of a claim, or nil for one that no report counts: a predetermination, a
// void transaction and a voided claim. A claim that was replaced waits for another decision, and
// until then counts as undecided.
func FiguresOf(c *claim.Claim) *Figures {
	if !c.HasOpen() {
		return nil
	}
	f := &Figures{Open: c.Open()}
	for i := range c.Accepted {
		switch a := &c.Accepted[i]; a.As {
		case claim.AcceptWriteOff:
			f.WriteOff += a.Sum()
		case claim.AcceptBillPatient:
			f.Billed += a.Sum()
		case claim.AcceptOther:
			f.Other += a.Sum()
		}
	}
	first, s := c.SecondaryTo.IsZero(), c.Standing
	// What a payer pays after it was billed is no longer the patient's.
	f.Owed = max(0, min(f.Billed, f.Open+c.AcceptedSum()))
	if decided := c.State == claim.Paid || c.State == claim.Denied || c.State == claim.Reconciled; decided && s != nil {
		f.Paid, f.DecidedOn, f.FirstPass, f.Refused = s.Paid, s.PaymentDate, s.FirstPass, s.Refused
		if f.DecidedOn.IsZero() {
			f.DecidedOn = c.Contract.Limits.Zone.Day(c.SettledAt)
		}
		if first {
			f.Contractual = s.Contractual
			f.Owed += s.PatientResponsibility
		}
	}
	if first {
		f.Owed = max(0, f.Owed-c.PatientPaid)
	}
	return f
}

// Column returns a figure by the name of its column, as Columns lists them.
func (f *Figures) Column(name Column) billing.Money {
	switch name {
	case Open:
		return f.Open
	case Owed:
		return f.Owed
	case Paid:
		return f.Paid
	case Contractual:
		return f.Contractual
	case WriteOff:
		return f.WriteOff
	case Billed:
		return f.Billed
	case Other:
		return f.Other
	case Refused:
		sum := billing.Money(0)
		for _, r := range f.Refused {
			sum += r.Amount
		}
		return sum
	default:
		return 0
	}
}

// Column is the name of a figure.
type Column string

// The figures.
const (
	Open        Column = "open"
	Owed        Column = "patient_owes"
	Paid        Column = "paid"
	Contractual Column = "contractual"
	WriteOff    Column = "write_off"
	Billed      Column = "bill_patient"
	Other       Column = "other"
	Refused     Column = "refused" // what payers refuse, which has several reasons
)

// Columns returns the names of all figures.
func Columns() []Column {
	return []Column{Open, Owed, Paid, Contractual, WriteOff, Billed, Other, Refused}
}

// ages are the columns of a report by age.
const (
	ageDays = 30
	ages    = 5
)

// Ages returns the days of each age up to today, the youngest first. The first has no end, because
// the clocks of machines differ; the last has no beginning.
func Ages(today billing.Date) (all [ages]billing.DateSpan) {
	for i := range all {
		if i > 0 {
			all[i].To = today.AddDays(-ageDays*i - 1)
		}
		if i < ages-1 {
			all[i].From = today.AddDays(-ageDays * (i + 1))
		}
	}
	return all
}
