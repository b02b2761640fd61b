package claim

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Accuracy is an estimate beside what payers decided of its claim.
type Accuracy struct {
	Estimate *estimate.Record
	Claim    *Claim
	Standing *Standing
	Lines    []lineAccuracy // by line of the estimate
	Because  []string       // why the totals differ otherwise than the lines do
	// Uncertain says why the figures may change.
	Uncertain []string
}

// lineAccuracy is a line of an estimate beside what payers decided of it.
type lineAccuracy struct {
	Number  int       // of the claim's line, from 1; 0 if the claim does not have the service
	Decided *Decision // nil while the payer has not decided the line
	Because []string  // why they differ
}

// Decision is what payers decided of a line.
type Decision struct {
	Charge     billing.Money
	Allowed    billing.Money // by the claim's payer; what it refuses to pay for, it does not allow
	Deductible billing.Money
	Copay      billing.Money
	Paid       billing.Money // by the claim's payer
	Later      billing.Money // by the payers after it
	WriteOff   billing.Money
	Patient    billing.Money // what the last payer leaves to the patient

	reasons []remit.Adjustment // of the claim's payer
}

// AccuracyOf compares an estimate with its claims, the newest first. The claim to the payer of the
// estimate counts. It returns CodeConflict while there is none, or no decision of a payer is applied to it.
func AccuracyOf(e *estimate.Record, claims []*Record) (*Accuracy, error) {
	var c *Record
	for _, r := range claims {
		if r.Kind == KindClaim && r.Frequency != FrequencyVoid && r.State != Voided && r.Payer.ID == e.Payer.ID && r.SecondaryTo.IsZero() {
			c = r
			break
		}
	}
	if c == nil {
		return nil, &billing.Error{Code: billing.CodeConflict, Message: "No claim has this estimate. Create the claim with its ID as estimate_id."}
	}
	if c.Ledger == nil || c.Standing == nil {
		message := "No payer has decided the claim " + c.ID.String() + " of this estimate yet. Wait for its remittance."
		if !c.ReviewERA.IsZero() {
			message = "The remittance " + c.ReviewERA.String() + " for the claim " + c.ID.String() + " of this estimate needs review. Apply it to the claim first."
		}
		return nil, &billing.Error{Code: billing.CodeConflict, Message: message}
	}
	a := &Accuracy{Estimate: e, Claim: c.Claim, Standing: c.Standing}
	if !c.ReviewERA.IsZero() {
		a.Uncertain = append(a.Uncertain, "The remittance "+c.ReviewERA.String()+" for the claim needs review. What it says of the claim is not in these figures.")
	}
	if !e.SecondCheck.IsZero() && !c.Ledger.laterDecides() {
		a.Uncertain = append(a.Uncertain, "The second plan has not decided the claim yet. What it pays is not in these figures.")
	}
	for i, n := range numbersOf(c.Lines, e.Services) {
		l := lineAccuracy{Number: n}
		if l.Number > 0 {
			l.Decided = c.Ledger.decisionOf(l.Number)
		}
		l.Because = l.differences(&e.Estimate.Lines[i])
		a.Lines = append(a.Lines, l)
	}
	a.Because = a.others(c.Ledger)
	return a, nil
}

// others returns in words what services cost the patient that only the claim has, or only the estimate.
func (a *Accuracy) others(l *Ledger) (out []string) {
	patient := l.patient()
	owed, missing := patient.total()-patient[0], estimate.Range{}
	for i := range a.Lines {
		if n := a.Lines[i].Number; n > 0 {
			owed -= patient[n]
			continue
		}
		r := &a.Estimate.Estimate.Lines[i]
		least, most := r.Least.PatientPays, r.Most.PatientPays
		missing = estimate.Range{Least: missing.Least + min(least, most), Most: missing.Most + max(least, most)}
	}
	if owed != 0 {
		out = append(out, "The claim has services that are not in the estimate. The patient owes "+owed.Dollars()+" for them.")
	}
	if missing.Most > 0 {
		out = append(out, "The estimate has services that are not in the claim. The patient's part of them was "+missing.String()+".")
	}
	return out
}

// From adds what the remittance of the standing means for the figures: until a person posts it, they may change.
func (a *Accuracy) From(e *remit.ERA) {
	if e.State == remit.NeedsReview {
		a.Uncertain = append(a.Uncertain, "The remittance "+e.ID.String()+" is not posted yet. Look at it and post it: until then these figures may change.")
	}
}

// Told returns the service of the estimate for each line of the claim, by its position; -1 for a line that it does not
// have, and for all of them where the estimate is of another payer.
func (c *Claim) Told(e *estimate.Record) []int {
	all := slices.Repeat([]int{-1}, len(c.Lines))
	if e.Payer.ID != c.Payer.ID {
		return all
	}
	for i, n := range numbersOf(c.Lines, e.Services) {
		if n > 0 && c.Lines[n-1].Quantity == e.Services[i].Quantity {
			all[n-1] = i
		}
	}
	return all
}

// numbersOf returns for each service the number of the line that has it, each line once; 0 without one. Those of the
// same tooth find each other before those of any.
func numbersOf(lines []Line, services []estimate.Service) []int {
	numbers, used := make([]int, len(services)), make([]bool, len(lines))
	for _, anyTooth := range []bool{false, true} {
		for i := range services {
			s := &services[i]
			for n := range lines {
				l := &lines[n]
				if numbers[i] == 0 && !used[n] && l.ProcedureCode == s.Code && (anyTooth || strings.Join(l.AllTeeth(), " ") == s.Tooth) {
					numbers[i], used[n] = n+1, true
				}
			}
		}
	}
	return numbers
}

// decisionOf returns what stands of a line; nil if nothing does.
func (l *Ledger) decisionOf(number int) *Decision {
	d := &Decision{Patient: l.patient()[number]}
	own := l.latest(l.claim.Turn())
	decided := false
	for _, e := range l.decisions() {
		for i, stands := range e.stands {
			switch {
			case !stands || e.numbers[i] != number:
			case slices.Contains(own, e):
				decided = true
				d.add(&e.Lines[i])
			case e.sequence.Rank() > l.claim.Turn().Rank():
				d.Later += e.Lines[i].Paid
			}
		}
	}
	if !decided {
		return nil
	}
	d.Patient = min(d.Patient, max(0, d.Charge-d.Paid-d.Later-d.WriteOff)) // as in the figures of the claim
	return d
}

// laterDecides reports whether a decision of a payer after the claim's own stands.
func (l *Ledger) laterDecides() bool {
	return slices.ContainsFunc(l.decisions(), func(e *ledgerEntry) bool { return e.sequence.Rank() > l.claim.Turn().Rank() && e.stand() })
}

// add adds what the claim's payer decided.
func (d *Decision) add(l *remit.Line) {
	s := l.Shares()
	d.Charge, d.Allowed, d.Paid = d.Charge+l.Charge, d.Allowed+l.AllowedAmount(), d.Paid+l.Paid
	d.Deductible, d.Copay, d.WriteOff = d.Deductible+s.Deductible, d.Copay+s.Copay, d.WriteOff+s.Contractual
	d.reasons = append(d.reasons, l.Adjustments...)
}

// off returns how far an amount is from the nearest end of what was estimated: more than 0 if it
// is more.
func off(actual, one, other billing.Money) billing.Money {
	switch low, high := min(one, other), max(one, other); {
	case actual < low:
		return actual - low
	case actual > high:
		return actual - high
	}
	return 0
}

// Off returns how far what the patient owes for the line is from the estimate.
func (d *Decision) Off(r *estimate.Result) billing.Money {
	return off(d.Patient, r.Least.PatientPays, r.Most.PatientPays)
}

// Off returns how far what the patient owes is from the estimate.
func (a *Accuracy) Off() billing.Money {
	return off(a.Standing.PatientResponsibility, a.Estimate.Estimate.Least.PatientPays, a.Estimate.Estimate.Most.PatientPays)
}

// differences returns in words why a line came out otherwise than it was estimated.
func (l *lineAccuracy) differences(r *estimate.Result) (out []string) {
	switch d := l.Decided; {
	case l.Number == 0:
		return []string{"The claim does not have this service."}
	case d == nil:
		return []string{"The payer has not decided this service."}
	default:
		return d.differences(r)
	}
}

func (d *Decision) differences(r *estimate.Result) (out []string) {
	differ := func(what string, actual, one, other billing.Money) {
		if off(actual, one, other) != 0 {
			out = append(out, what+" "+actual.Dollars()+". The estimate had "+estimate.Range{Least: min(one, other), Most: max(one, other)}.String()+".")
		}
	}
	least, most := &r.Least, &r.Most
	differ("The claim charges", d.Charge, least.Fee, most.Fee)
	refused := d.labels(refuses)
	if d.Paid == 0 && refused != "" && max(least.PlanPays, most.PlanPays) > 0 {
		out = append(out, "The payer denied this service: "+refused+".")
	} else {
		spent := d.labels(beyondMaximum)
		if d.Paid > 0 || spent == "" { // what a used-up maximum leaves unpaid is allowed
			differ("The payer allows", d.Allowed, least.Allowed, most.Allowed)
		}
		differ("The deductible takes", d.Deductible, least.Deductible, most.Deductible)
		differ("The copayment is", d.Copay, least.Copay, most.Copay)
		if spent != "" && off(d.Paid, least.PlanPays, most.PlanPays) < 0 {
			out = append(out, "The plan's maximum is used up: "+remit.Sum(d.reasons, beyondMaximum).Dollars()+" is not paid for this reason.")
		}
		if len(out) == 0 || refused != "" {
			differ("The payer pays", d.Paid, least.PlanPays, most.PlanPays)
			if refused != "" && len(out) > 0 {
				out = append(out, "The payer gives as reasons: "+refused+".")
			}
		}
	}
	differ("Later payers pay", d.Later, least.SecondPlanPays, most.SecondPlanPays)
	if len(out) == 0 {
		differ("The office writes off", d.WriteOff, least.WriteOff, most.WriteOff)
	}
	return out
}

// refuses reports whether the payer refuses the amount, to the practice or to the patient. What the patient
// pays by the plan or beyond a maximum, and what only a contract takes off, is no refusal to the patient.
func refuses(a remit.Adjustment) bool {
	discount := remit.Adjustment{Group: "CO", Reason: a.Reason}.Contractual()
	return a.NotPaid() || a.OfPatient() && !slices.Contains([]string{"1", "2", "3"}, a.Reason) && !discount && !beyondMaximum(a)
}

// beyondMaximum reports whether the amount is not paid because a maximum is reached.
func beyondMaximum(a remit.Adjustment) bool { return a.Reason == "119" || a.Reason == "35" }

// labels returns the labels of the payer's reasons, each once.
func (d *Decision) labels(fits func(remit.Adjustment) bool) string {
	var all []string
	for _, a := range d.reasons {
		if label := remit.ReasonLabel(a.Reason); fits(a) && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return strings.ToLower(strings.Join(all, ", "))
}
