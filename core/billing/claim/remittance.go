package billing

import (
	"slices"
	"strings"
)

// EstimatedBy reports whether the claim of a remittance is an estimate for this claim. Some
// payers answer a predetermination as if it were a claim: denied, or processed without a
// payment. That is an estimate, too.
func (c *Claim) EstimatedBy(r *RemittanceClaim) bool {
	if c.Kind != KindPredetermination || r.Reverses() || r.Forwards() {
		return false
	}
	paysLine := func(l ERALine) bool { return l.Paid != 0 }
	return r.Estimates() || r.Paid == 0 && !slices.ContainsFunc(r.Lines, paysLine)
}

// Suits reports whether the claim of a remittance is of the kind that the claim asks for:
// a decision, or an estimate.
func (c *Claim) Suits(r *RemittanceClaim) bool {
	if c.Kind == KindPredetermination {
		return c.EstimatedBy(r)
	}
	return !r.Estimates()
}

// CanHave returns CodeConflict when the remittance claim can never be applied
// to this claim: the claim was not sent, or one of them is about an estimate.
func (c *Claim) CanHave(r *RemittanceClaim) error {
	switch {
	case c.Frequency == FrequencyVoid:
		return &Error{Code: CodeConflict, Message: "A void is not paid. Match the remittance to the claim that it voids: " + c.ParentID.String() + "."}
	case !c.Awaits():
		return &Error{Code: CodeConflict, Message: "The claim was never sent. Submit it, or match the remittance to another claim."}
	case !c.Suits(r):
		return &Error{Code: CodeConflict, Message: ReviewKindDiffers.Message() + " " + ReviewKindDiffers.Fix()}
	default:
		return nil
	}
}

// Fits reports whether the mark has a control number of the claim, and either the
// claim's charge, with any sign, or the patient's name.
func (c *Claim) Fits(m ClaimMark) bool {
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
		m.LastName != "" && comparableName(m.LastName) == comparableName(last) && comparableName(m.FirstName) == comparableName(first)
}

func (c *Claim) sameCharge(r *RemittanceClaim) bool { return r.Charge.Abs() == c.Charge() }

// patientName returns the name of the person who was treated.
func (c *ClaimContent) patientName() (first, last string) {
	if c.Patient != nil {
		return c.Patient.FirstName, c.Patient.LastName
	}
	return c.Subscriber.FirstName, c.Subscriber.LastName
}

func (c *Claim) sameLastName(r *RemittanceClaim) bool {
	_, last := c.patientName()
	return r.PatientLastName != "" && comparableName(r.PatientLastName) == comparableName(last)
}

// patientDiffers reports whether member ID and name both differ. A value that the
// remittance leaves out does not differ.
func (c *Claim) patientDiffers(r *RemittanceClaim) bool {
	if r.MemberID == "" || r.PatientLastName == "" || comparableName(r.MemberID) == comparableName(c.Subscriber.MemberID) {
		return false
	}
	first, last := c.patientName()
	return comparableName(r.PatientLastName) != comparableName(last) || comparableName(r.PatientFirstName) != comparableName(first)
}

// Identifies reports whether the charge or the patient's last name shows that the
// remittance, which has the payer's number of the claim, is about the claim.
func (c *Claim) Identifies(r *RemittanceClaim) bool { return c.sameCharge(r) || c.sameLastName(r) }

// bill reports whether the claim bills the procedure.
func (c *Claim) bill(procedure string) bool {
	return slices.ContainsFunc(c.Lines, func(l ClaimLine) bool { return strings.EqualFold(l.ProcedureCode, procedure) })
}
