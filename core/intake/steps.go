package intake

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// StepRequest is a step of a scenario for claims, as a caller wrote it; nothing is parsed
// yet. Nil is a value that was left out.
type StepRequest struct {
	After          string
	Do             []scenario.Action // those that the step names
	By             *string
	Codes          []string
	Reason         *string
	Percent        *int
	PatientPercent *int
	Lines          []StepLine
}

// StepLine is a decision on a line of a claim in a step.
type StepLine struct {
	Paid, Allowed string
	Adjustments   []StepAdjustment
	Remarks       []string
	Unbalanced    bool
}

// StepAdjustment is an amount that a line is not paid in a step.
type StepAdjustment struct{ Group, Reason, Amount string }

// steps validates steps. The position of the first that cannot follow is a fault.
func steps(f *billing.Faults, all []StepRequest) []scenario.ClaimStep {
	var out []scenario.ClaimStep
	before := len(*f)
	if len(all) > scenario.MaxSteps {
		f.Add("steps", billing.FaultTooMany, "A scenario may have at most "+strconv.Itoa(scenario.MaxSteps)+" steps.")
		return nil
	}
	for i := range all {
		out = append(out, all[i].step(f, "steps."+strconv.Itoa(i)+"."))
	}
	if len(*f) > before {
		return nil
	}
	if at := scenario.Misplaced(out); at >= 0 {
		f.Add("steps."+strconv.Itoa(at), billing.FaultConflict, "This step cannot follow those before it. A payer decides a claim that it has accepted, and reverses what it has decided.")
	}
	return out
}

var (
	statusCode = regexp.MustCompile(`^A[3678]:[0-9]{1,3}$`)
	denial     = regexp.MustCompile(`^(CO|PR|OA|PI)-([A-Z]?[0-9]{1,3})$`)
	carc       = regexp.MustCompile(`^[A-Z]?[0-9]{1,3}$`)
)

// SimulationRequest is a step that comes now, as a caller wrote it.
type SimulationRequest struct {
	StepRequest

	Faults billing.Faults // found when the body was decoded
}

// Step validates the step.
func (r SimulationRequest) Step() (scenario.ClaimStep, billing.Faults) {
	f := slices.Clone(r.Faults)
	if r.After = cmp.Or(r.After, "PT0S"); r.After != "PT0S" {
		f.Add("after", billing.FaultConflict, "The step comes now. Leave after out, and advance the clock before.")
	}
	return r.step(&f, ""), f
}

// step validates a step whose fields have a prefix.
func (r *StepRequest) step(f *billing.Faults, at string) scenario.ClaimStep {
	s := scenario.ClaimStep{By: clearing.SidePayer}
	var err error
	if s.After, err = billing.ParseDuration(r.After); err != nil || s.After > scenario.MaxAfter {
		f.Add(at+"after", billing.FaultFormat, "The value must be a duration of at most 366 days, such as PT1S or P14D. Months and years have no length.")
	}
	if len(r.Do) != 1 {
		f.Add(strings.TrimSuffix(at, "."), billing.FaultRequired, "Name one action, such as pay.")
		return s
	}
	s.Do = r.Do[0]
	at += string(s.Do)
	switch s.Do { //nolint:exhaustive // the others have no fields
	case scenario.Accept, scenario.Reject:
		if r.By != nil {
			s.By = clearing.Side(*r.By)
		}
		if s.By != clearing.SidePayer && s.By != clearing.SideClearinghouse {
			f.Add(at+".by", billing.FaultNotAllowed, "The value must be clearinghouse or payer.")
		}
		if s.Codes = r.Codes; s.Do == scenario.Reject && s.Codes == nil {
			s.Codes = []string{"A7:164"}
		}
		for i, c := range s.Codes {
			if !statusCode.MatchString(c) || i >= 3 {
				f.Add(at+".codes."+strconv.Itoa(i), billing.FaultFormat, "Send one to three codes of a rejection, such as A7:164.")
			}
		}
	case scenario.Deny:
		reason := "CO-96"
		if r.Reason != nil {
			reason = *r.Reason
		}
		m := denial.FindStringSubmatch(reason)
		if m == nil {
			f.Add(at+".reason", billing.FaultFormat, "The value must be a group and an adjustment reason, such as CO-96.")
			break
		}
		s.Group, s.Reason = m[1], m[2]
	case scenario.Pay, scenario.Estimate:
		r.terms(f, at, &s)
	}
	return s
}

// terms sets what is paid: in percent, or line by line.
func (r *StepRequest) terms(f *billing.Faults, at string, s *scenario.ClaimStep) {
	percent := func(field string, value *int, otherwise int) int {
		if value == nil {
			return otherwise
		}
		if *value < 0 || *value > 100 {
			f.Add(at+"."+field, billing.FaultRange, "The value must be from 0 to 100.")
		}
		return *value
	}
	s.Terms = scenario.Terms{Allowed: percent("percent", r.Percent, 100), Patient: percent("patient_percent", r.PatientPercent, 0)}
	for i, l := range r.Lines {
		field := at + ".lines." + strconv.Itoa(i)
		amount := func(name, text string) billing.Money {
			m, err := billing.ParseMoney(text)
			if err != nil {
				f.Add(field+"."+name, billing.FaultFormat, "The amount must be dollars and cents, such as 80.00.")
			}
			return m
		}
		line := scenario.OnLine{Paid: amount("paid", l.Paid), Allowed: amount("allowed", l.Allowed), Remarks: slices.Clone(l.Remarks), Unbalanced: l.Unbalanced}
		ofPatient := billing.Money(0)
		for k, a := range l.Adjustments {
			name := "adjustments." + strconv.Itoa(k)
			if !slices.Contains([]string{"CO", "PR", "OA", "PI"}, a.Group) || !carc.MatchString(a.Reason) {
				f.Add(field+"."+name, billing.FaultFormat, "An adjustment needs a group (CO, PR, OA or PI) and a reason, such as 45.")
			}
			made := scenario.Adjustment{Group: a.Group, Reason: a.Reason, Amount: amount(name+".amount", a.Amount)}
			if line.Adjustments = append(line.Adjustments, made); a.Group == "PR" {
				ofPatient += made.Amount
			}
		}
		if !l.Unbalanced && line.Allowed != line.Paid+ofPatient {
			f.Add(field, billing.FaultConflict, "The allowed amount must be what is paid and what the patient owes (PR). Send unbalanced if the payer's figures do not add up.")
		}
		s.Lines = append(s.Lines, line)
	}
}
