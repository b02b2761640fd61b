package coverage

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// The benefits of a check, as the API contract lists them. They are encoded
// once, when the payer's response arrives, because clients read checks for
// years. The event has the same data.

type benefitsData struct {
	CoverageEffectiveDate   *billing.Date    `json:"coverage_effective_date"`
	CoverageTerminationDate *billing.Date    `json:"coverage_termination_date"`
	Plan                    *planData        `json:"plan"`
	NetworkStatus           *NetworkStatus   `json:"network_status"`
	Maximums                []amountData     `json:"maximums"`
	Deductibles             []amountData     `json:"deductibles"`
	Coverage                []coverageData   `json:"coverage"`
	Procedures              []procedureData  `json:"procedures"`
	WaitingPeriods          []waitData       `json:"waiting_periods"`
	PlanRules               *planRulesData   `json:"plan_rules"`
	OutOfNetwork            *outsideData     `json:"out_of_network"`
	Differences             []differenceData `json:"differences"`
	PayerNotes              []string         `json:"payer_notes"`
	NotReturned             []string         `json:"not_returned"`
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
	Copay       *string        `json:"copay"`
	Frequency   *frequencyData `json:"frequency"`
	Notes       []string       `json:"notes"`
}

type frequencyData struct {
	Count       *int        `json:"count"`
	Used        *int        `json:"used"`
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
	Copay            *string          `json:"copay"`
	Frequency        *frequencyData   `json:"frequency"`
	MaxAge           *int             `json:"max_age"`
	LastServiceDate  *billing.Date    `json:"last_service_date"`
	NextEligibleDate *billing.Date    `json:"next_eligible_date"`
	AlternateCode    *string          `json:"alternate_code"`
	Status           *ProcedureStatus `json:"status"`
	Note             *string          `json:"note"`
}

type waitData struct {
	Category Category      `json:"category"`
	Months   *int          `json:"months"`
	Until    *billing.Date `json:"until"`
}

type outsideData struct {
	Maximums    []amountData   `json:"maximums"`
	Deductibles []amountData   `json:"deductibles"`
	Coverage    []coverageData `json:"coverage"`
}

type differenceData struct {
	Field    string `json:"field"`
	Sent     string `json:"sent"`
	Returned string `json:"returned"`
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
		NetworkStatus:  event.OrNull(b.NetworkStatus),
		Maximums:       listed(b.Maximums, BenefitAmount.data),
		Deductibles:    listed(b.Deductibles, BenefitAmount.data),
		Coverage:       listed(b.Coverage, CategoryCoverage.data),
		Procedures:     listed(b.Procedures, ProcedureBenefit.data),
		WaitingPeriods: returned(b.WaitingPeriods, WaitingPeriod.data),
		OutOfNetwork:   b.OutOfNetwork.data(),
		PlanRules: &planRulesData{
			MissingToothClause:     event.OrNull(b.PlanRules.MissingToothClause),
			WaitingPeriod:          event.OrNull(b.PlanRules.WaitingPeriod),
			PreAuthorization:       event.OrNull(b.PlanRules.PreAuthorization),
			CoordinationOfBenefits: event.OrNull(b.PlanRules.CoordinationOfBenefits),
			MajorServicesPaidOn:    event.OrNull(b.PlanRules.MajorServicesPaidOn),
		},
		Differences: listed(b.Differences, Difference.data),
		PayerNotes:  append([]string{}, b.PayerNotes...),
		NotReturned: append([]string{}, b.NotReturned...),
	})
}

func (b BenefitAmount) data() amountData {
	return amountData{b.Level, b.Period, event.MoneyOrNull(b.Amount), event.MoneyOrNull(b.Used), event.MoneyOrNull(b.Remaining), event.OrNull(b.AppliesTo)}
}

func (c CategoryCoverage) data() coverageData {
	return coverageData{
		c.Category, c.PercentPaid, c.Covered, event.MoneyOrNull(c.Copay), c.Frequency.data(), append([]string{}, c.Notes...),
	}
}

func (d Difference) data() differenceData { return differenceData(d) }

func (w WaitingPeriod) data() waitData {
	return waitData{w.Category, event.OrNull(w.Months), event.OrNull(w.Until)}
}

func (o *OutsideNetwork) data() *outsideData {
	if o == nil {
		return nil
	}
	return &outsideData{
		listed(o.Maximums, BenefitAmount.data), listed(o.Deductibles, BenefitAmount.data), listed(o.Coverage, CategoryCoverage.data),
	}
}

func (p ProcedureBenefit) data() procedureData {
	return procedureData{
		Code:             p.Code,
		Description:      event.OrNull(p.Description),
		PercentPaid:      p.PercentPaid,
		Covered:          p.Covered,
		Copay:            event.MoneyOrNull(p.Copay),
		Frequency:        p.Frequency.data(),
		MaxAge:           p.MaxAge,
		LastServiceDate:  event.OrNull(p.LastServiceDate),
		NextEligibleDate: event.OrNull(p.NextEligibleDate),
		AlternateCode:    event.OrNull(p.AlternateCode),
		Status:           event.OrNull(p.Status),
		Note:             event.OrNull(p.Note),
	}
}

func (f *Frequency) data() *frequencyData {
	if f == nil {
		return nil
	}
	count, unit := f.Span()
	return &frequencyData{f.Count, f.Used, event.OrNull(f.Period), event.OrNull(count), event.OrNull(unit), event.OrNull(f.Scope)}
}

// returned returns an array, or null for what was not returned.
func returned[T, D any](rows []T, data func(T) D) []D {
	if len(rows) == 0 {
		return nil
	}
	return listed(rows, data)
}

// listed returns an array, never null.
func listed[T, D any](rows []T, data func(T) D) []D {
	out := make([]D, len(rows))
	for i, row := range rows {
		out[i] = data(row)
	}
	return out
}
