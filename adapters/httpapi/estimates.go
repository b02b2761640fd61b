package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/intake"
)

// makeEstimate handles POST /estimates. A preview stores nothing.
func (a *api) makeEstimate(x *exchange) (*reply, error) {
	asked, faults := readBody[intake.EstimateRequest](x).Estimate()
	if !asked.Preview {
		return kept(a.estimates.Make(x.ctx, replying(x, http.StatusCreated, costEstimateShape), asked, faults))
	}
	if err := x.call.Request.Faults.Err(); err != nil {
		return nil, err
	}
	made, err := a.estimates.Preview(x.ctx, x.call.Scope, asked, faults)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: costEstimateShape(made)}, nil
}

// listEstimates handles GET /estimates.
func (a *api) listEstimates(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("estimates", x.call.Scope, "limit", "cursor")
	f := estimate.Filter{PatientID: id[billing.PatientID](q, "patient_id"), CheckID: id[billing.CheckID](q, "eligibility_id")}
	return listed(a, x, q, l, f, a.estimates.List, costEstimateShape)
}

type costEstimateJSON struct {
	ID                     *billing.EstimateID    `json:"id"`
	Object                 string                 `json:"object"`
	Preview                bool                   `json:"preview"`
	EligibilityID          billing.CheckID        `json:"eligibility_id"`
	SecondaryEligibilityID *billing.CheckID       `json:"secondary_eligibility_id"`
	PatientID              billing.PatientID      `json:"patient_id"`
	OfficeID               billing.OfficeID       `json:"office_id"`
	Payer                  payerJSON              `json:"payer"`
	Network                fee.Network            `json:"network"`
	Coordination           *estimate.Coordination `json:"coordination"`
	Lines                  []estimateLineJSON     `json:"lines"`
	Totals                 estimateAmountsJSON    `json:"totals"`
	Uncertain              []string               `json:"uncertain"`
	CreatedAt              string                 `json:"created_at"`
}

type rangeJSON struct {
	Least string `json:"least"`
	Most  string `json:"most"`
}

type percentRangeJSON struct {
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// estimateAmountsJSON has the amounts of two scenarios. Of each, write_off, plan_pays,
// second_plan_pays and patient_pays add up to fee.
type estimateAmountsJSON struct {
	Fee               rangeJSON `json:"fee"`
	Allowed           rangeJSON `json:"allowed"`
	WriteOff          rangeJSON `json:"write_off"`
	DeductibleApplied rangeJSON `json:"deductible_applied"`
	Copay             rangeJSON `json:"copay"`
	PlanPays          rangeJSON `json:"plan_pays"`
	SecondPlanPays    rangeJSON `json:"second_plan_pays"`
	PatientPays       rangeJSON `json:"patient_pays"`
}

type estimateLineJSON struct {
	ProcedureCode          string        `json:"procedure_code"`
	Procedure              string        `json:"procedure"`
	Quantity               int           `json:"quantity"`
	Tooth                  *string       `json:"tooth"`
	Surfaces               []string      `json:"surfaces"`
	OralCavity             []string      `json:"oral_cavity"`
	ServiceDate            billing.Date  `json:"service_date"`
	LastServiceDate        *billing.Date `json:"last_service_date"`
	ToothLostOn            *billing.Date `json:"tooth_lost_on"`
	PriorPlacementDate     *billing.Date `json:"prior_placement_date"`
	AlternateProcedureCode *string       `json:"alternate_procedure_code"`
	estimateAmountsJSON
	Percent        percentRangeJSON   `json:"percent"`
	FeeFrom        amountSourceJSON   `json:"fee_from"`
	AllowedFrom    amountSourceJSON   `json:"allowed_from"`
	Because        []estimateStepJSON `json:"because"`
	Unless         []estimateUnlessOf `json:"unless"`
	Warnings       []string           `json:"warnings"`
	Uncertain      []string           `json:"uncertain"`
	PaidFrom       *billing.Date      `json:"paid_from"`
	DeductibleLeft *rangeJSON         `json:"deductible_left"`
	MaximumLeft    *rangeJSON         `json:"maximum_left"`
}

type amountSourceJSON struct {
	Origin       estimate.SourceKind    `json:"origin"`
	ScheduleID   *billing.FeeScheduleID `json:"schedule_id"`
	ScheduleName *string                `json:"schedule_name"`
}

type estimateStepJSON struct {
	Text   string     `json:"text"`
	Path   *string    `json:"path"`
	Amount *rangeJSON `json:"amount"`
}

type estimateUnlessOf struct {
	Text        string    `json:"text"`
	Path        *string   `json:"path"`
	PatientPays rangeJSON `json:"patient_pays"`
}

func costEstimateShape(r *estimate.Record) costEstimateJSON {
	e := r.Estimate
	shape := costEstimateJSON{
		ID: orNull(r.ID), Object: "estimate", Preview: r.ID.IsZero(), EligibilityID: r.CheckID, SecondaryEligibilityID: orNull(r.SecondCheck),
		PatientID: r.PatientID, OfficeID: r.OfficeID, Payer: payerJSON(r.Payer), Network: r.Network, Coordination: orNull(r.Coordination),
		Totals: estimateAmounts(e.Least, e.Most), Uncertain: listOf(e.Uncertain), CreatedAt: event.Timestamp(r.CreatedAt),
	}
	for i := range e.Lines {
		shape.Lines = append(shape.Lines, estimateLineShape(&r.Services[i], &e.Lines[i]))
	}
	return shape
}

func estimateLineShape(s *estimate.Service, l *estimate.Result) estimateLineJSON {
	return estimateLineJSON{
		ProcedureCode: s.Code, Procedure: s.Name(), Quantity: s.Quantity, Tooth: orNull(s.Tooth), Surfaces: listOf(s.Surfaces), OralCavity: listOf(s.OralCavity),
		ServiceDate: s.ServiceDate, LastServiceDate: orNull(s.LastService), ToothLostOn: orNull(s.ToothLostOn),
		PriorPlacementDate: orNull(s.PriorPlacement), AlternateProcedureCode: orNull(s.Alternate),
		estimateAmountsJSON: estimateAmounts(l.Least, l.Most), Percent: percentRangeJSON{l.Least.Percent, l.Most.Percent},
		FeeFrom: sourceShape(&s.Fee), AllowedFrom: sourceShape(&s.Allowed),
		Because: mapped(l.Because, func(b estimate.Step) estimateStepJSON {
			return estimateStepJSON{b.Text, orNull(b.Path), rangeOrNull(b.Amount)}
		}),
		Unless: mapped(l.Unless, func(u estimate.Unless) estimateUnlessOf {
			return estimateUnlessOf{u.Text, orNull(u.Path), rangeShape(u.PatientPays)}
		}),
		Warnings: listOf(l.Warnings), Uncertain: listOf(l.Uncertain), PaidFrom: orNull(l.PaidFrom),
		DeductibleLeft: rangeOrNull(l.DeductibleLeft), MaximumLeft: rangeOrNull(l.MaximumLeft),
	}
}

func estimateAmounts(least, most estimate.Scenario) estimateAmountsJSON {
	both := func(of func(s *estimate.Scenario) billing.Money) rangeJSON {
		return rangeJSON{of(&least).String(), of(&most).String()}
	}
	return estimateAmountsJSON{
		Fee: both(func(s *estimate.Scenario) billing.Money { return s.Fee }), Allowed: both(func(s *estimate.Scenario) billing.Money { return s.Allowed }),
		WriteOff:          both(func(s *estimate.Scenario) billing.Money { return s.WriteOff }),
		DeductibleApplied: both(func(s *estimate.Scenario) billing.Money { return s.Deductible }),
		Copay:             both(func(s *estimate.Scenario) billing.Money { return s.Copay }), PlanPays: both(func(s *estimate.Scenario) billing.Money { return s.PlanPays }),
		SecondPlanPays: both(func(s *estimate.Scenario) billing.Money { return s.SecondPlanPays }),
		PatientPays:    both(func(s *estimate.Scenario) billing.Money { return s.PatientPays }),
	}
}

func rangeShape(r estimate.Range) rangeJSON { return rangeJSON{r.Least.String(), r.Most.String()} }

func rangeOrNull(r *estimate.Range) *rangeJSON {
	if r == nil {
		return nil
	}
	return new(rangeShape(*r))
}

func sourceShape(s *estimate.Source) amountSourceJSON {
	return amountSourceJSON{s.From, orNull(s.ScheduleID), orNull(s.ScheduleName)}
}
