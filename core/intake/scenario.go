package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// ScenarioRequest is a scenario of the sandbox, or a change of one, as a caller wrote it;
// nothing is parsed yet. Nil is a value that was left out.
type ScenarioRequest struct {
	Ending    string
	Operation string
	Summary   *string
	X12       *string
	Plan      *scenario.Plan
	Dates     *string
	Steps     []StepRequest
	Faults    billing.Faults // found when the body was decoded
}

// Scenario validates the request for a new scenario, on the day of the request. A 271 is not
// read yet.
func (r ScenarioRequest) Scenario(today billing.Date) (*scenario.Own, billing.Faults) {
	o := &scenario.Own{Ending: r.Ending, Operation: scenario.Operation(r.Operation), Summary: "A scenario of your own.", Dates: scenario.Move}
	f := r.Apply(o, today)
	if f.Required("ending", r.Ending, 0) && !scenario.ValidEnding(r.Ending) {
		f.Add("ending", billing.FaultFormat, "The ending must be a hyphen and 2 to 30 of A to Z, 0 to 9 and hyphens.")
	}
	switch f.Required("operation", r.Operation, 0); {
	case r.Operation == "":
	case o.Operation != scenario.Eligibility && o.Operation != scenario.Claim:
		f.Add("operation", billing.FaultNotAllowed, "The operation must be eligibility or claim.")
	case o.Operation == scenario.Eligibility && r.X12 == nil && r.Plan == nil:
		f.Add("x12", billing.FaultRequired, "Send the 271 of a payer, or a plan.")
	case o.Operation == scenario.Claim && len(r.Steps) == 0:
		f.Add("steps", billing.FaultRequired, "Send at least one step.")
	}
	return o, f
}

// Apply validates the request and sets its values on the scenario, but for the content of a
// 271. The dates of a plan are its own.
func (r ScenarioRequest) Apply(o *scenario.Own, today billing.Date) billing.Faults {
	f := slices.Clone(r.Faults)
	if r.Summary != nil && f.Optional("summary", r.Summary, scenario.MaxSummary) {
		o.Summary = *r.Summary
	}
	if was, err := o.Plan(); r.X12 != nil && (was != nil || err != nil) {
		o.Dates = scenario.Move
	}
	switch {
	case r.Dates == nil:
	case *r.Dates == string(scenario.Move), *r.Dates == string(scenario.Keep):
		o.Dates = scenario.Dates(*r.Dates)
	default:
		f.Add("dates", billing.FaultNotAllowed, "The dates must be move or keep.")
	}
	if r.X12 != nil && len(*r.X12) > scenario.MaxX12 {
		f.Add("x12", billing.FaultTooLong, "The 271 must have at most 262,144 bytes.")
	}
	if r.X12 != nil && o.Operation == scenario.Claim {
		f.Add("x12", billing.FaultConflict, "A scenario for claims has steps.")
	}
	if len(r.Steps) > 0 && o.Operation == scenario.Eligibility {
		f.Add("steps", billing.FaultConflict, "A scenario for checks has x12 or a plan.")
	} else if all := steps(&f, r.Steps); len(all) > 0 {
		o.Content = scenario.Stored(all)
	}
	r.plan(&f, o, today)
	return f
}

// plan validates the plan and makes it the content of the scenario.
func (r ScenarioRequest) plan(f *billing.Faults, o *scenario.Own, today billing.Date) {
	if r.Plan != nil {
		switch {
		case o.Operation == scenario.Claim:
			f.Add("plan", billing.FaultConflict, "A scenario for claims has steps.")
		case r.X12 != nil:
			f.Add("plan", billing.FaultConflict, "Send x12 or a plan, not both.")
		}
		_, _, faults := r.Plan.On(today)
		for _, at := range faults {
			f.Add(at.Field, at.Code, at.Message)
		}
		o.Content = r.Plan.Stored()
	}
	if kept, err := o.Plan(); kept != nil && err == nil && r.X12 == nil {
		if r.Dates != nil && *r.Dates == string(scenario.Move) {
			f.Add("dates", billing.FaultConflict, "The dates of a plan do not move. Write those that follow the day of the check as a distance from it, such as -P6M.")
		}
		o.Dates = scenario.Keep
	}
}

// SandboxERA is an 835 that the sandbox's clearinghouse is to have.
type SandboxERA struct {
	X12    string
	Faults billing.Faults // found when the body was decoded
}

// Check returns what is wrong with the request, but for the content.
func (r SandboxERA) Check() billing.Faults {
	f := slices.Clone(r.Faults)
	f.Required("x12", r.X12, 0)
	return f
}
