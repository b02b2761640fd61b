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
	Dates     *string
	Steps     []StepRequest
	Faults    billing.Faults // found when the body was decoded
}

// Scenario validates the request for a new scenario. Its content is not read yet.
func (r ScenarioRequest) Scenario() (*scenario.Own, billing.Faults) {
	o := &scenario.Own{Ending: r.Ending, Operation: scenario.Operation(r.Operation), Summary: "A scenario of your own.", Dates: scenario.Move}
	f := r.Apply(o)
	if f.Required("ending", r.Ending, 0) && !scenario.ValidEnding(r.Ending) {
		f.Add("ending", billing.FaultFormat, "The ending must be a hyphen and 2 to 30 of A to Z, 0 to 9 and hyphens.")
	}
	switch f.Required("operation", r.Operation, 0); {
	case r.Operation == "":
	case o.Operation != scenario.Eligibility && o.Operation != scenario.Claim:
		f.Add("operation", billing.FaultNotAllowed, "The operation must be eligibility or claim.")
	case o.Operation == scenario.Eligibility && r.X12 == nil:
		f.Add("x12", billing.FaultRequired, "Send the 271 of a payer.")
	case o.Operation == scenario.Claim && len(r.Steps) == 0:
		f.Add("steps", billing.FaultRequired, "Send at least one step.")
	}
	return o, f
}

// Apply validates the request and sets its values on the scenario, but for the content.
func (r ScenarioRequest) Apply(o *scenario.Own) billing.Faults {
	f := slices.Clone(r.Faults)
	if r.Summary != nil && f.Optional("summary", r.Summary, scenario.MaxSummary) {
		o.Summary = *r.Summary
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
		f.Add("steps", billing.FaultConflict, "A scenario for checks has x12.")
	} else if all := steps(&f, r.Steps); len(all) > 0 {
		o.Content = scenario.Stored(all)
	}
	return f
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
