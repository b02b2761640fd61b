package coverage

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// The benefits of a check, as the API contract lists them. They are encoded
// once, when the payer's response arrives, because clients read checks for
// years. The event has the same data.

type benefitsData struct {
	CoverageEffectiveDate   *billing.Date   `json:"coverage_effective_date"`
	CoverageTerminationDate *billing.Date   `json:"coverage_termination_date"`
	Plan                    *planData       `json:"plan"`
	NetworkStatus           *NetworkStatus  `json:"network_status"`
	Maximums                []amountData    `json:"maximums"`
	Deductibles             []amountData    `json:"deductibles"`
	Coverage                []coverageData  `json:"coverage"`
	Procedures              []procedureData `json:"procedures"`
	PlanRules               *planRulesData  `json:"plan_rules"`
	PayerNotes              []string        `json:"payer_notes"`
	NotReturned             []string        `json:"not_returned"`
}

type planData struct {
	Name          *string `json:"name"`
	Type          *string `json:"type"`
	GroupNumber   *string `json:"group_number"`
	BenefitPeriod *string `json:"benefit_period"`
}

type amountData struct {
	Level     BenefitLevel  `json:"level"`
	Period    BenefitPeriod `json:"period"`
	Amount    *string       `json:"amount"`
	Used      *string       `json:"used"`
	Remaining *string       `json:"remaining"`
	AppliesTo *string       `json:"applies_to"`
}

type coverageData struct {
	Category    Category       `json:"category"`
	PercentPaid *float64       `json:"percent_paid"`
	Covered     *bool          `json:"covered"`
	Frequency   *frequencyData `json:"frequency"`
	Notes       []string       `json:"notes"`
}

type frequencyData struct {
	Count       *int        `json:"count"`
	Period      *string     `json:"period"`
	PeriodCount *int        `json:"period_count"`
	PeriodUnit  *PeriodUnit `json:"period_unit"`
	Scope       *string     `json:"scope"`
}

type procedureData struct {
	Code             string           `json:"code"`
	Description      *string          `json:"description"`
	PercentPaid      *float64         `json:"percent_paid"`
	Covered          *bool            `json:"covered"`
	Frequency        *frequencyData   `json:"frequency"`
	MaxAge           *int             `json:"max_age"`
	LastServiceDate  *billing.Date    `json:"last_service_date"`
	NextEligibleDate *billing.Date    `json:"next_eligible_date"`
	Status           *ProcedureStatus `json:"status"`
	Note             *string          `json:"note"`
}

type planRulesData struct {
	MissingToothClause     *string `json:"missing_tooth_clause"`
	WaitingPeriod          *string `json:"waiting_period"`
	PreAuthorization       *string `json:"pre_authorization"`
	CoordinationOfBenefits *string `json:"coordination_of_benefits"`
	MajorServicesPaidOn    *string `json:"major_services_paid_on"`
}

// Data returns a JSON object with the fields that the benefits add to a check,
// without the status. Without benefits every field is null.
func (b *Benefits) Data() []byte {
	if b == nil {
		return event.Encode(benefitsData{})
	}
	return event.Encode(benefitsData{
		CoverageEffectiveDate:   event.OrNull(b.CoverageEffectiveDate),
		CoverageTerminationDate: event.OrNull(b.CoverageTerminationDate),
		Plan: &planData{
			event.OrNull(b.Plan.Name), event.OrNull(b.Plan.Type), event.OrNull(b.Plan.GroupNumber), event.OrNull(b.Plan.BenefitPeriod),
		},
		NetworkStatus: event.OrNull(b.NetworkStatus),
		Maximums:      listed(b.Maximums, BenefitAmount.data),
		Deductibles:   listed(b.Deductibles, BenefitAmount.data),
		Coverage:      listed(b.Coverage, CategoryCoverage.data),
		Procedures:    listed(b.Procedures, ProcedureBenefit.data),
		PlanRules: &planRulesData{
			MissingToothClause:     event.OrNull(b.PlanRules.MissingToothClause),
			WaitingPeriod:          event.OrNull(b.PlanRules.WaitingPeriod),
			PreAuthorization:       event.OrNull(b.PlanRules.PreAuthorization),
			CoordinationOfBenefits: event.OrNull(b.PlanRules.CoordinationOfBenefits),
			MajorServicesPaidOn:    event.OrNull(b.PlanRules.MajorServicesPaidOn),
		},
		PayerNotes:  append([]string{}, b.PayerNotes...),
		NotReturned: append([]string{}, b.NotReturned...),
	})
}

func (b BenefitAmount) data() amountData {
	return amountData{b.Level, b.Period, event.MoneyOrNull(b.Amount), event.MoneyOrNull(b.Used), event.MoneyOrNull(b.Remaining), event.OrNull(b.AppliesTo)}
}

func (c CategoryCoverage) data() coverageData {
	return coverageData{c.Category, c.PercentPaid, c.Covered, c.Frequency.data(), append([]string{}, c.Notes...)}
}

func (p ProcedureBenefit) data() procedureData {
	return procedureData{
		Code:             p.Code,
		Description:      event.OrNull(p.Description),
		PercentPaid:      p.PercentPaid,
		Covered:          p.Covered,
		Frequency:        p.Frequency.data(),
		MaxAge:           p.MaxAge,
		LastServiceDate:  event.OrNull(p.LastServiceDate),
		NextEligibleDate: event.OrNull(p.NextEligibleDate),
		Status:           event.OrNull(p.Status),
		Note:             event.OrNull(p.Note),
	}
}

func (f *Frequency) data() *frequencyData {
	if f == nil {
		return nil
	}
	count, unit := f.Span()
	return &frequencyData{f.Count, event.OrNull(f.Period), event.OrNull(count), event.OrNull(unit), event.OrNull(f.Scope)}
}

// listed returns an array, never null.
func listed[T, D any](rows []T, data func(T) D) []D {
	out := make([]D, len(rows))
	for i, row := range rows {
		out[i] = data(row)
	}
	return out
}
