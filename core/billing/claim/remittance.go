package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// EstimatedBy reports whether the claim of a remittance is an estimate for this claim. Some
// payers answer a predetermination as if it were a claim: denied, or processed without a
// payment. That is an estimate, too.
func (c *Claim) EstimatedBy(r *remit.Claim) bool {
	if c.Kind != KindPredetermination || r.Reverses() || r.Forwards() {
		return false
	}
	paysLine := func(l remit.Line) bool { return l.Paid != 0 }
	return r.Estimates() || r.Paid == 0 && !slices.ContainsFunc(r.Lines, paysLine)
}

// Suits reports whether the claim of a remittance is of the kind that the claim asks for:
// a decision, or an estimate.
func (c *Claim) Suits(r *remit.Claim) bool {
	if c.Kind == KindPredetermination {
		return c.EstimatedBy(r)
	}
	return !r.Estimates()
}

// CanHave returns CodeConflict when the remittance claim can never be applied
// to this claim: the claim was not sent, or one of them is about an estimate.
func (c *Claim) CanHave(r *remit.Claim) error {
	switch {
	case c.Frequency == FrequencyVoid:
		return &billing.Error{Code: billing.CodeConflict, Message: "A void is not paid. Match the remittance to the claim that it voids: " + c.ParentID.String() + "."}
	case !c.Awaits():
		return &billing.Error{Code: billing.CodeConflict, Message: "The claim was never sent. Submit it, or match the remittance to another claim."}
	case !c.Suits(r):
		return &billing.Error{Code: billing.CodeConflict, Message: remit.ReviewKindDiffers.Message() + " " + remit.ReviewKindDiffers.Fix()}
	default:
		return nil
	}
}

// Fits reports whether the mark has a control number of the claim, and either the
// claim's charge, with any sign, or the patient's name.
func (c *Claim) Fits(m clearing.ClaimMark) bool {
	named := func(number string) bool { return strings.EqualFold(m.ControlNumber, number) }
	if m.ControlNumber == "" || !slices.ContainsFunc(c.Numbers(), named) {
		return false
	}
	first, last := c.Subscriber.FirstName, c.Subscriber.LastName
	if c.Patient != nil {
		first, last = c.Patient.FirstName, c.Patient.LastName
	}
	charge := c.Charge()
	return m.Charge == charge || m.Charge == -charge ||
		m.LastName != "" && billing.ComparableName(m.LastName) == billing.ComparableName(last) && billing.ComparableName(m.FirstName) == billing.ComparableName(first)
}

func (c *Claim) sameCharge(r *remit.Claim) bool { return r.Charge.Abs() == c.Charge() }

// patientName returns the name of the person who was treated.
func (c *Content) patientName() (first, last string) {
	if c.Patient != nil {
		return c.Patient.FirstName, c.Patient.LastName
	}
	return c.Subscriber.FirstName, c.Subscriber.LastName
}

func (c *Claim) sameLastName(r *remit.Claim) bool {
	_, last := c.patientName()
	return r.PatientLastName != "" && billing.ComparableName(r.PatientLastName) == billing.ComparableName(last)
}

// patientDiffers reports whether member ID and name both differ. A value that the
// remittance leaves out does not differ, and of an erased claim nothing does.
func (c *Claim) patientDiffers(r *remit.Claim) bool {
	if !c.ErasedAt.IsZero() || r.MemberID == "" || r.PatientLastName == "" || billing.ComparableName(r.MemberID) == billing.ComparableName(c.Subscriber.MemberID) {
		return false
	}
	first, last := c.patientName()
	return billing.ComparableName(r.PatientLastName) != billing.ComparableName(last) || billing.ComparableName(r.PatientFirstName) != billing.ComparableName(first)
}

// Identifies reports how surely the remittance, which has the payer's number of the claim, is about
// the claim; 0 if nothing else shows it. What it asks for counts most, then the patient, the charge,
// and the days.
func (c *Claim) Identifies(r *remit.Claim) (sure int) {
	first, _ := c.patientName()
	named, charged := c.sameLastName(r), c.sameCharge(r)
	if !named && !charged {
		return 0
	}
	serves := func(l remit.Line) bool {
		return slices.ContainsFunc(c.Lines, func(o Line) bool { return !l.ServiceDate.IsZero() && o.ServiceDate == l.ServiceDate })
	}
	for _, fits := range []bool{
		c.Suits(r), named, named && billing.ComparableName(r.PatientFirstName) == billing.ComparableName(first), charged, slices.ContainsFunc(r.Lines, serves),
	} {
		if sure *= 2; fits {
			sure++
		}
	}
	return sure
}

// bill reports whether the claim bills the procedure.
func (c *Claim) bill(procedure string) bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return strings.EqualFold(l.ProcedureCode, procedure) })
}
