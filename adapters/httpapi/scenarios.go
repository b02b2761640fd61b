package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/scenarios"
)

// listScenarios handles GET /sandbox/scenarios.
func (a *api) listScenarios(x *exchange) (*reply, error) {
	q := x.query()
	about := oneOf(q, "operation", scenario.Eligibility, scenario.Claim, scenario.Attachment)
	return whole(a, x, q, "scenarios", func(ctx context.Context, scope billing.Scope) ([]scenarioJSON, error) {
		all, err := a.scenarios.List(ctx, scope, about)
		return mapped(all.Scenarios, func(s scenario.Scenario) scenarioJSON { return scenarioShape(&s, all) }), err
	}, func(s scenarioJSON) scenarioJSON { return s })
}

// addScenario handles POST /sandbox/scenarios.
func (a *api) addScenario(x *exchange) (*reply, error) {
	var in intake.ScenarioRequest
	doc := x.document(&in.Faults)
	in.Ending, in.Operation = doc.Text("ending"), doc.Text("operation")
	readScenario(doc, &in)
	doc.End()
	return kept(a.scenarios.Add(x.ctx, replying(x, http.StatusCreated, ownScenarioShape), in))
}

// changeScenario handles PATCH /sandbox/scenarios/{ending}.
func (a *api) changeScenario(x *exchange) (*reply, error) {
	var in intake.ScenarioRequest
	doc := x.document(&in.Faults)
	readScenario(doc, &in)
	doc.End()
	return kept(a.scenarios.Change(x.ctx, replying(x, http.StatusOK, ownScenarioShape), scenarioEnding(x), in))
}

// sendERA handles POST /sandbox/eras.
func (a *api) sendERA(x *exchange) (*reply, error) {
	var in intake.SandboxERA
	doc := x.document(&in.Faults)
	in.X12 = doc.Text("x12")
	doc.End()
	return kept(a.scenarios.SendERA(x.ctx, replying(x, http.StatusCreated, sandboxERAShape), in))
}

// simulate handles POST /sandbox/claims/{id}/simulate.
func (a *api) simulate(x *exchange) (*reply, error) {
	var in intake.SimulationRequest
	in.StepRequest = readStep(x.document(&in.Faults))
	return kept(a.scenarios.Simulate(x.ctx, replying(x, http.StatusCreated, simulationShape), claimID(x), in))
}

type simulationJSON struct {
	Object   string          `json:"object"`
	ClaimID  billing.ClaimID `json:"claim_id"`
	Action   scenario.Action `json:"action"`
	By       clearing.Side   `json:"by"`
	FileName string          `json:"file_name"`
	At       string          `json:"at"`
	Dropped  []droppedJSON   `json:"dropped"`
}

type droppedJSON struct {
	Action scenario.Action `json:"action"`
	By     clearing.Side   `json:"by"`
	DueAt  string          `json:"due_at"`
}

func simulationShape(s *scenario.Simulated) simulationJSON {
	return simulationJSON{
		Object: "sandbox_simulation", ClaimID: s.ClaimID, Action: s.Step.Do, By: s.Step.By, FileName: s.Message.Name,
		At:      event.Timestamp(s.Message.Due),
		Dropped: mapped(s.Dropped, func(d scenario.Dropped) droppedJSON { return droppedJSON{d.Do, d.By, event.Timestamp(d.Due)} }),
	}
}

type sandboxERAJSON struct {
	Object   string `json:"object"`
	FileName string `json:"file_name"`
}

func sandboxERAShape(name string) sandboxERAJSON { return sandboxERAJSON{"sandbox_era", name} }

func readScenario(doc *jsonbody.Object, in *intake.ScenarioRequest) {
	in.Summary, in.X12, in.Dates = doc.OptionalText("summary"), doc.OptionalText("x12"), doc.OptionalText("dates")
	in.Steps = mapped(doc.OptionalObjects("steps"), readStep)
	if plan := doc.OptionalObject("plan"); plan != nil {
		in.Plan = new(scenario.Plan)
		plan.Fill(in.Plan)
	}
}

func readStep(step *jsonbody.Object) intake.StepRequest {
	r := intake.StepRequest{After: step.Text("after")}
	for _, do := range scenario.Actions() {
		o := step.OptionalObject(string(do))
		if o == nil {
			continue
		}
		r.Do = append(r.Do, do)
		switch do { //nolint:exhaustive // the others have no fields
		case scenario.Accept:
			r.By = o.OptionalText("by")
		case scenario.Reject:
			r.By, r.Codes = o.OptionalText("by"), o.OptionalTexts("codes")
		case scenario.Deny:
			r.Reason = o.OptionalText("reason")
		case scenario.Pay, scenario.Estimate:
			r.Percent, r.PatientPercent = o.OptionalNumber("percent"), o.OptionalNumber("patient_percent")
			r.Lines = mapped(o.OptionalObjects("lines"), readStepLine)
		}
		o.End()
	}
	step.End()
	return r
}

func readStepLine(line *jsonbody.Object) intake.StepLine {
	l := intake.StepLine{Paid: line.Text("paid"), Allowed: line.Text("allowed"), Remarks: line.OptionalTexts("remarks"), Unbalanced: line.Flag("unbalanced")}
	l.Adjustments = mapped(line.OptionalObjects("adjustments"), func(o *jsonbody.Object) intake.StepAdjustment {
		a := intake.StepAdjustment{Group: o.Text("group"), Reason: o.Text("reason"), Amount: o.Text("amount")}
		o.End()
		return a
	})
	line.End()
	return l
}

// getScenario handles GET /sandbox/scenarios/{ending}.
func (a *api) getScenario(x *exchange) (*reply, error) {
	return read(x, a.scenarios.Get, scenarioEnding(x), ownScenarioShape)
}

// removeScenario handles DELETE /sandbox/scenarios/{ending}.
func (a *api) removeScenario(x *exchange) (*reply, error) {
	return kept(a.scenarios.Remove(x.ctx, removing[*scenario.Own](x), scenarioEnding(x)))
}

func scenarioEnding(x *exchange) string { return pathText(x, "ending") }

// ownScenarioJSON is a scenario of the organization's own, as its maker sees it.
type ownScenarioJSON struct {
	Object    string             `json:"object"`
	Ending    string             `json:"ending"`
	Operation scenario.Operation `json:"operation"`
	Summary   string             `json:"summary"`
	Dates     scenario.Dates     `json:"dates"`
	Plan      *scenario.Plan     `json:"plan"`
	Messages  []string           `json:"messages"`
	BuiltIn   bool               `json:"built_in"`
}

func ownScenarioShape(o *scenario.Own) ownScenarioJSON {
	plan, _ := o.Plan() // as it was stored
	return ownScenarioJSON{
		Object: "sandbox_scenario", Ending: o.Ending, Operation: o.Operation, Summary: o.Summary,
		Dates: o.Dates, Plan: plan, Messages: o.Messages,
	}
}

type scenarioJSON struct {
	Object    string             `json:"object"`
	Ending    string             `json:"ending"`
	Operation scenario.Operation `json:"operation"`
	Summary   string             `json:"summary"`
	Follows   []followJSON       `json:"follows"`
	Example   json.RawMessage    `json:"example"`
	BuiltIn   bool               `json:"built_in"`
}

type followJSON struct {
	Awaits *scenario.Act `json:"awaits"`
	After  string        `json:"after"`
	Event  *event.Type   `json:"event"`
	What   string        `json:"what"`
}

func scenarioShape(s *scenario.Scenario, with *scenarios.Listed) scenarioJSON {
	shape := scenarioJSON{
		Object: "sandbox_scenario", Ending: s.Ending, Operation: s.Operation, Summary: s.Summary, Example: json.RawMessage("null"), BuiltIn: s.BuiltIn,
		Follows: mapped(s.Follows, func(f scenario.Step) followJSON {
			return followJSON{orNull(f.Awaits), scenario.Period(f.After), orNull(f.Event), f.What}
		}),
	}
	if with.Office != nil {
		shape.Example = encoded(exampleOf(s, with))
	}
	return shape
}

// exampleJSON is a request that the scenario decides.
type exampleJSON struct {
	Kind         string            `json:"kind,omitempty"`
	OfficeID     billing.OfficeID  `json:"office_id"`
	PayerID      string            `json:"payer_id"`
	Narrative    string            `json:"narrative,omitempty"`
	Patient      *examplePerson    `json:"patient,omitempty"`
	Subscriber   examplePerson     `json:"subscriber"`
	ServiceDates map[string]string `json:"service_dates,omitempty"`
	Lines        []exampleLine     `json:"lines,omitempty"`
	Submit       bool              `json:"submit,omitempty"`
}

type examplePerson struct {
	FirstName    string            `json:"first_name"`
	LastName     string            `json:"last_name"`
	DateOfBirth  string            `json:"date_of_birth,omitempty"`
	MemberID     string            `json:"member_id,omitempty"`
	Relationship string            `json:"relationship,omitempty"`
	Gender       string            `json:"gender,omitempty"`
	Address      map[string]string `json:"address,omitempty"`
}

type exampleLine struct {
	ProcedureCode string `json:"procedure_code"`
	ServiceDate   string `json:"service_date,omitempty"`
	Fee           string `json:"fee"`
	Tooth         string `json:"tooth,omitempty"`
}

// exampleOf returns a request of the office that the scenario decides.
func exampleOf(s *scenario.Scenario, with *scenarios.Listed) exampleJSON {
	const member, born = "SANDBOX", "1984-02-29"
	e := exampleJSON{OfficeID: with.Office.ID, PayerID: "CHTEST", Subscriber: examplePerson{FirstName: "Sam", LastName: "Example", MemberID: member + s.Shown()}}
	day := with.Today.String()
	switch s.Operation {
	case scenario.Eligibility:
		e.Subscriber.DateOfBirth = born
	case scenario.Claim:
		e.Subscriber.DateOfBirth, e.Subscriber.Gender, e.Submit = born, "male", true
		e.Subscriber.Address = map[string]string{"line1": "2 Oak St", "city": "Albany", "state": "NY", "zip": "12207"}
		if s.Predetermination {
			e.Kind, day = "predetermination", ""
		}
		e.Lines = []exampleLine{{"D0120", day, "55.00", ""}, {"D2740", day, "1250.00", "14"}}
	case scenario.Attachment:
		e.Narrative = s.Shown() + ": The periodontal chart of the last visit."
		e.Patient = &examplePerson{FirstName: "Sam", LastName: "Example", DateOfBirth: born}
		e.Subscriber.MemberID, e.Subscriber.Relationship = member, "self"
		e.ServiceDates = map[string]string{"from": day, "to": day}
	}
	return e
}
