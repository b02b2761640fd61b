package billing

// The benefits of a check, as the API contract lists them. They are encoded
// once, when the payer's response arrives, because clients read checks for
// years. The event has the same data.

type benefitsData struct {
	CoverageEffectiveDate   *Date           `json:"coverage_effective_date"`
	CoverageTerminationDate *Date           `json:"coverage_termination_date"`
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
	LastServiceDate  *Date            `json:"last_service_date"`
	NextEligibleDate *Date            `json:"next_eligible_date"`
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
		return spelled(benefitsData{})
	}
	return spelled(benefitsData{
		CoverageEffectiveDate:   orNull(b.CoverageEffectiveDate),
		CoverageTerminationDate: orNull(b.CoverageTerminationDate),
		Plan: &planData{
			orNull(b.Plan.Name), orNull(b.Plan.Type), orNull(b.Plan.GroupNumber), orNull(b.Plan.BenefitPeriod),
		},
		NetworkStatus: orNull(b.NetworkStatus),
		Maximums:      listed(b.Maximums, BenefitAmount.data),
		Deductibles:   listed(b.Deductibles, BenefitAmount.data),
		Coverage:      listed(b.Coverage, CategoryCoverage.data),
		Procedures:    listed(b.Procedures, ProcedureBenefit.data),
		PlanRules: &planRulesData{
			MissingToothClause:     orNull(b.PlanRules.MissingToothClause),
			WaitingPeriod:          orNull(b.PlanRules.WaitingPeriod),
			PreAuthorization:       orNull(b.PlanRules.PreAuthorization),
			CoordinationOfBenefits: orNull(b.PlanRules.CoordinationOfBenefits),
			MajorServicesPaidOn:    orNull(b.PlanRules.MajorServicesPaidOn),
		},
		PayerNotes:  append([]string{}, b.PayerNotes...),
		NotReturned: append([]string{}, b.NotReturned...),
	})
}

func (b BenefitAmount) data() amountData {
	return amountData{b.Level, b.Period, moneyOrNull(b.Amount), moneyOrNull(b.Used), moneyOrNull(b.Remaining), orNull(b.AppliesTo)}
}

func (c CategoryCoverage) data() coverageData {
	return coverageData{c.Category, c.PercentPaid, c.Covered, c.Frequency.data(), append([]string{}, c.Notes...)}
}

func (p ProcedureBenefit) data() procedureData {
	return procedureData{
		Code:             p.Code,
		Description:      orNull(p.Description),
		PercentPaid:      p.PercentPaid,
		Covered:          p.Covered,
		Frequency:        p.Frequency.data(),
		MaxAge:           p.MaxAge,
		LastServiceDate:  orNull(p.LastServiceDate),
		NextEligibleDate: orNull(p.NextEligibleDate),
		Status:           orNull(p.Status),
		Note:             orNull(p.Note),
	}
}

func (f *Frequency) data() *frequencyData {
	if f == nil {
		return nil
	}
	count, unit := f.Span()
	return &frequencyData{f.Count, orNull(f.Period), orNull(count), orNull(unit), orNull(f.Scope)}
}

// listed returns an array, never null.
func listed[T, D any](rows []T, data func(T) D) []D {
	out := make([]D, len(rows))
	for i, row := range rows {
		out[i] = data(row)
	}
	return out
}
