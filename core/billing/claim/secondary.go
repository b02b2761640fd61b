package claim

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// SecondPlan is the plan of the patient's next payer.
type SecondPlan struct {
	Payer        directory.PayerSummary
	Subscriber   Subscriber            // with the number and the name of the group
	Relationship coverage.Relationship // of the patient to the subscriber
}

// BillSecondary returns a claim to the next payer for the same services: the secondary one,
// or the tertiary one for a claim to the secondary payer. It has what the payers before have
// decided by the ledgers. The numbers that they gave stay out of it. The rules have not
// judged the claim. Again allows a second one, after the first was voided; what was decided
// about that no longer counts.
func (r *Record) BillSecondary(id billing.ClaimID, controlNumber string, plan SecondPlan, again bool, request billing.RequestID, at time.Time) (*Claim, error) {
	turn := r.Turn()
	to := turn.Next()
	switch {
	case to == "":
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The claim is to the tertiary payer. Molar bills three payers for the same services: bill another one outside Molar."}
	case !r.SecondaryID.IsZero() && !again:
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "The " + string(to) + " payer was already billed. secondary_claim_id is the ID of that claim; void it first to bill another payer."}
	}
	if _, err := r.ask(triggerBillSecondary, at); err != nil {
		return nil, err
	}
	next := &Claim{
		ID: id, Scope: r.Scope, Kind: KindClaim, Frequency: FrequencyOriginal, SecondaryTo: r.ID, PatientControlNumber: controlNumber,
		RequestID: request, CreatedAt: at, Content: r.Content, Progress: Progress{UpdatedAt: at},
	}
	next.Payer, next.Subscriber, next.Patient = plan.Payer, plan.Subscriber, r.patientUnder(plan)
	next.PriorAuthorization, next.PredeterminationNumber, next.ReferralNumber = "", "", ""
	next.Coverage, next.OtherCoverage = to, []OtherCoverage{{
		Sequence: turn, Payer: r.Payer, Subscriber: r.Subscriber, Relationship: r.Subject().Subscriber.Relationship,
		Adjudication: r.Ledger.Adjudication(),
	}}
	for _, o := range renewed(r.OtherCoverage, r.Ledger.Earlier(), (*Ledger).decided) {
		if o.Sequence != to {
			next.OtherCoverage = append(next.OtherCoverage, o)
		}
	}
	slices.SortStableFunc(next.OtherCoverage, func(a, b OtherCoverage) int { return cmp.Compare(a.Sequence.Rank(), b.Sequence.Rank()) })
	if r.SecondaryID = id; r.Ledger != nil {
		r.Share(r.Ledger.Beside(r.Ledger.Earlier()...), at)
	}
	return next, nil
}

// patientUnder returns the patient as a dependent of the plan's subscriber, or nil
// when the subscriber is the patient.
func (c *Content) patientUnder(plan SecondPlan) *Patient {
	if plan.Relationship == coverage.RelationSelf {
		return nil
	}
	s := c.Subscriber
	p := Patient{
		FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, DateOfBirth: s.DateOfBirth, Gender: s.Gender,
	}
	if c.Patient != nil {
		p = *c.Patient
	}
	if p.Relationship = plan.Relationship; p.Address == (directory.Address{}) {
		p.Address = s.Address
	}
	return &p
}

// Adjudication returns what the payer of the claim has decided, or nil when nothing of it
// stands. Amounts stand on the lines if the payer stated lines of the claim.
func (l *Ledger) Adjudication() *CoverageAdjudication {
	if l == nil {
		return nil
	}
	var a *CoverageAdjudication
	byNumber := map[int]*CoverageLine{}
	var unmatched CoverageLine
	for _, e := range slices.Backward(l.latest(l.claim.Turn())) {
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
				a.Paid -= remit.Sum(e.Adjustments, func(remit.Adjustment) bool { return true })
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
func (l *CoverageLine) add(r *remit.Line, billed int) {
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
func merged(all, more []remit.Adjustment) []remit.Adjustment {
	for _, a := range more {
		i := slices.IndexFunc(all, func(b remit.Adjustment) bool { return a.Group == b.Group && a.Reason == b.Reason })
		if i < 0 {
			all = append(all, a)
			continue
		}
		all[i].Amount, all[i].Quantity = all[i].Amount+a.Amount, ""
	}
	return slices.DeleteFunc(all, func(a remit.Adjustment) bool { return a.Amount == 0 })
}
