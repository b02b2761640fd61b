package billing

import (
	"slices"
	"strconv"
	"time"
)

// SecondPlan is the plan of the patient's secondary payer.
type SecondPlan struct {
	Payer        PayerSummary
	Subscriber   ClaimSubscriber // with the number and the name of the group
	Relationship Relationship    // of the patient to the subscriber
}

// BillSecondary returns a claim to the secondary payer for the same services, with
// what the primary payer has decided by the ledger. The numbers that the primary
// payer gave stay out of it. The rules have not judged the claim. Again allows a
// second one, after the first was voided; what was decided about that no longer counts.
func (r *ClaimRecord) BillSecondary(id ClaimID, controlNumber string, plan SecondPlan, again bool, request RequestID, at time.Time) (*Claim, error) {
	switch {
	case r.Turn() != SequencePrimary:
		return nil, &Error{Code: CodeConflict, Message: "Only the claim to the primary payer is billed to the secondary one. Create a claim to the tertiary payer with coverage and other_coverage."}
	case !r.SecondaryID.IsZero() && !again:
		return nil, &Error{Code: CodeConflict, Message: "The secondary payer was already billed. secondary_claim_id is the ID of that claim; void it first to bill another payer."}
	}
	if _, err := r.ask(TriggerBillSecondary, at); err != nil {
		return nil, err
	}
	next := &Claim{
		ID: id, Scope: r.Scope, Kind: KindClaim, Frequency: FrequencyOriginal, SecondaryTo: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, ClaimContent: r.ClaimContent, ClaimProgress: ClaimProgress{UpdatedAt: at},
	}
	next.Payer, next.Subscriber, next.Patient = plan.Payer, plan.Subscriber, r.patientUnder(plan)
	next.PriorAuthorization, next.PredeterminationNumber, next.ReferralNumber = "", "", ""
	next.Coverage, next.OtherCoverage = SequenceSecondary, []OtherCoverage{{
		Sequence: SequencePrimary, Payer: r.Payer, Subscriber: r.Subscriber, Relationship: r.Subject().Subscriber.Relationship,
		Adjudication: r.Ledger.Adjudication(),
	}}
	for _, o := range r.OtherCoverage {
		if o.Sequence == SequenceTertiary {
			next.OtherCoverage = append(next.OtherCoverage, o)
		}
	}
	if r.SecondaryID = id; r.Ledger != nil {
		r.Share(r.Ledger.Beside(nil), at)
	}
	return next, nil
}

// patientUnder returns the patient as a dependent of the plan's subscriber, or nil
// when the subscriber is the patient.
func (c *ClaimContent) patientUnder(plan SecondPlan) *ClaimPatient {
	if plan.Relationship == RelationSelf {
		return nil
	}
	s := c.Subscriber
	p := ClaimPatient{
		FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, DateOfBirth: s.DateOfBirth, Gender: s.Gender,
	}
	if c.Patient != nil {
		p = *c.Patient
	}
	if p.Relationship = plan.Relationship; p.Address == (Address{}) {
		p.Address = s.Address
	}
	return &p
}

// Adjudication returns what the primary payer has decided, or nil when nothing of it
// stands. Amounts stand on the lines if the payer stated lines of the claim.
func (l *Ledger) Adjudication() *CoverageAdjudication {
	if l == nil {
		return nil
	}
	var a *CoverageAdjudication
	byNumber := map[int]*CoverageLine{}
	var unmatched CoverageLine
	for _, e := range slices.Backward(l.latest(SequencePrimary)) {
		if !slices.Contains(l.entries, e) {
			continue
		}
		if a == nil {
			a = &CoverageAdjudication{}
		}
		a.PaymentDate, a.PayerClaimNumber = e.Date, e.PayerClaimNumber
		if len(e.Lines) == 0 {
			a.Paid += e.left()
		}
		if e.levelStands() {
			a.Adjustments = merged(a.Adjustments, e.Adjustments)
			if len(e.Lines) > 0 {
				a.Paid -= sumOf(e.Adjustments, func(Adjustment) bool { return true })
			}
		}
		for i, stands := range e.stands {
			switch {
			case !stands:
			case e.numbers[i] == 0:
				unmatched.add(&e.Lines[i], 0)
			default:
				a.Paid += e.Lines[i].Paid
				line := byNumber[e.numbers[i]]
				if line == nil {
					line = &CoverageLine{LineNumber: e.numbers[i]}
					byNumber[e.numbers[i]] = line
				}
				line.add(&e.Lines[i], l.claim.Lines[e.numbers[i]-1].Quantity)
			}
		}
	}
	if len(byNumber) == 0 && a != nil {
		a.Paid, a.Adjustments = a.Paid+unmatched.Paid, merged(a.Adjustments, unmatched.Adjustments)
	}
	for n := range l.claim.Lines {
		if line := byNumber[n+1]; line != nil {
			a.Lines = append(a.Lines, *line)
		}
	}
	return a
}

// add adds a line of the remittance. Payers split lines. Billed is the number of
// units of the claim's line, for a payer that states none.
func (l *CoverageLine) add(r *ERALine, billed int) {
	units, err := strconv.Atoi(r.Units)
	if err != nil {
		units = billed
	}
	l.ProcedureCode = r.ProcedureCode
	l.Paid += r.Paid
	l.Units = min(l.Units+units, billed)
	l.Adjustments = merged(l.Adjustments, r.Adjustments)
}

// merged adds adjustments to others, one for each group and reason.
func merged(all, more []Adjustment) []Adjustment {
	for _, a := range more {
		i := slices.IndexFunc(all, func(b Adjustment) bool { return a.Group == b.Group && a.Reason == b.Reason })
		if i < 0 {
			all = append(all, a)
			continue
		}
		all[i].Amount, all[i].Quantity = all[i].Amount+a.Amount, ""
	}
	return slices.DeleteFunc(all, func(a Adjustment) bool { return a.Amount == 0 })
}
