package claim

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/remit"
)

// AcceptAs is what becomes of an open amount that a person accepts.
type AcceptAs string

// What becomes of it.
const (
	AcceptWriteOff    AcceptAs = "write_off"
	AcceptBillPatient AcceptAs = "bill_patient"
	AcceptOther       AcceptAs = "other"
)

// AcceptedOpen is an open amount that a person accepted to reconcile the claim.
type AcceptedOpen struct {
	ID    billing.AcceptedID
	As    AcceptAs
	Lines []LineAmount
	Note  string
	By    string // the key or the user
	At    time.Time
}

// LineAmount is an amount of a line of a claim.
type LineAmount struct {
	Number int // of the line, from 1; 0 for an amount of no line
	Amount billing.Money
}

// Sum returns the accepted amount; 0 for nil.
func (a *AcceptedOpen) Sum() (sum billing.Money) {
	if a == nil {
		return 0
	}
	for _, l := range a.Lines {
		sum += l.Amount
	}
	return sum
}

// AcceptedSum returns the sum of the accepted amounts.
func (c *Claim) AcceptedSum() (sum billing.Money) {
	for i := range c.Accepted {
		sum += c.Accepted[i].Sum()
	}
	return sum
}

// HasOpen reports whether an amount of the claim can be open: it asks for a payment.
func (c *Claim) HasOpen() bool {
	return c.Kind == KindClaim && c.Frequency != FrequencyVoid && c.State != Voided
}

// Open returns what is left of the charge, less all payments, the primary payer's
// write-off, the patient's part and the accepted amounts. See Ledger.Open.
func (c *Claim) Open() billing.Money {
	return c.Charge() - c.Standing.settled() - c.Elsewhere - c.AcceptedSum()
}

// DeniedAmount returns what a denial puts at stake: what is open, and what the payer leaves to the patient
// because a filing limit was missed. The latter is never the patient's, so it is not settled by itself.
func (c *Claim) DeniedAmount() billing.Money {
	if c.Standing == nil {
		return max(0, c.Open())
	}
	return max(0, c.Open()) + c.Standing.LateAmount
}

// AcceptsDenial reports whether a person accepted what the payer does not pay, as it is.
func (c *Claim) AcceptsDenial() bool {
	d := c.Decisions.Of("denied")
	return d != nil && d.As == decision.Accepted && c.Decisions.Ends(d.Of, c.DeniedAmount(), c.SettledAt)
}

// Overpaid returns by how much payments and write-off exceed the charge, as far as that
// was not accepted.
func (c *Claim) Overpaid() billing.Money { return max(0, -max(c.Open(), c.Open()+c.AcceptedSum())) }

// Refund returns the part of an overpayment of the services that is returned with this claim. The last payer returns it
// up to what it paid, and the payer before the rest: the claims to all of them have the same amount open. If
// nobody paid, the write-offs are too large, and the part is that of the first claim. Of a voided claim, all that its payers paid is returned.
func (c *Claim) Refund() billing.Money {
	s, over := c.Standing, c.Overpaid()
	switch {
	case s == nil:
		return 0
	case c.State == Voided:
		return max(0, s.Paid)
	case s.Paid <= 0 && s.PaidLater <= 0 && c.SecondaryTo.IsZero():
		return over
	default:
		return max(0, min(over-max(0, s.PaidLater), s.Paid))
	}
}

// refundStep returns what to do about an overpayment of the services. Another claim for them may have its part.
func (c *Claim) refundStep(over billing.Money) string {
	begins, back, other := "The claim is overpaid by "+over.Dollars()+", refund due: ", c.Refund(), c.SecondaryTo
	if later := c.SecondaryID; !later.IsZero() && (other.IsZero() || c.Standing != nil && c.Standing.PaidLater > 0) {
		other = later
	}
	switch {
	case back == over || other.IsZero():
		return begins + "ask the payer how to return it, then accept the amount."
	case back == 0:
		return begins + "act on claim " + other.String() + ", whose payer gets it back."
	default:
		return begins + "ask the payer how to return " + back.Dollars() + ". For the rest, act on claim " + other.String() + "."
	}
}

func (s *Standing) settled() billing.Money {
	if s == nil {
		return 0
	}
	return s.Paid + s.Contractual + s.PatientResponsibility
}

// openStep returns the next step for a claim that is decided, of which an amount is open.
func (c *Claim) openStep(open billing.Money) string {
	switch over := c.Overpaid(); {
	case over > 0:
		return c.refundStep(over)
	case open < 0:
		return "Accepted amounts exceed what is open by " + open.Abs().Dollars() + ": reopen the claim, which takes them back."
	}
	if s := c.Standing; s != nil && s.LaterDecided && !c.SecondaryID.IsZero() {
		return "The next payer decided, too, and " + open.Dollars() + " is open: act on its claim " + c.SecondaryID.String() + "."
	}
	reason := openTakenBack
	if c.Standing != nil {
		reason = c.Standing.OpenReason
	}
	switch amount := open.Dollars(); reason {
	case openTakenBack:
		return "The payer took back a payment and " + amount + " is open: wait for its next remittance, or accept the open amount."
	case openUndecided:
		return "A service is not decided yet and " + amount + " is open: wait for the next remittance, or ask the payer."
	case OpenRefused:
		return "The payer refuses a part and " + amount + " is open: " + refusedStep(c.Standing.Act)
	case openDiscount:
		return "A later payer's discount leaves " + amount + " open: accept it as a write-off if your contract says so, or as the patient's."
	default:
		return "The remittances do not add up and " + amount + " is open: ask the payer for a correction, or accept the open amount."
	}
}

// refusedStep returns what to do about a refusal, to follow a colon.
func refusedStep(act remit.Act) string {
	switch act {
	case remit.ActCorrect:
		return "correct what the adjustments name, then replace the claim."
	case remit.ActSend:
		return "send the documents that the payer asks for."
	case remit.ActAppeal:
		return "appeal with the records of the visit, or accept the open amount."
	case remit.ActBillNext:
		return "bill the payer who is responsible, or accept the open amount."
	case remit.ActWriteOff:
		return "the plan does not pay it, so accept it as a write-off, or appeal."
	case remit.ActNone:
		return "read the adjustments, then wait for what they announce."
	case remit.ActBillPatient:
	}
	return "read the adjustments, then replace the claim, or accept the open amount."
}
