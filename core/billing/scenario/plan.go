package scenario

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Plan is what a payer says about a plan, in the words of an answered check, as a caller
// wrote it. What is nil is not returned. Dates may follow the day of the check; see
// reading.date.
type Plan struct {
	Status                  string         `json:"status"`
	CoverageEffectiveDate   *string        `json:"coverage_effective_date,omitempty"`
	CoverageTerminationDate *string        `json:"coverage_termination_date,omitempty"`
	Plan                    *PlanNames     `json:"plan,omitempty"`
	NetworkStatus           *string        `json:"network_status,omitempty"`
	Maximums                []PlanAmount   `json:"maximums,omitempty"`
	Deductibles             []PlanAmount   `json:"deductibles,omitempty"`
	Coverage                []PlanCategory `json:"coverage,omitempty"`
	Procedures              []PlanCode     `json:"procedures,omitempty"`
	WaitingPeriods          []PlanWait     `json:"waiting_periods,omitempty"`
	OutOfNetwork            *PlanOutside   `json:"out_of_network,omitempty"`
	PlanRules               *PlanRules     `json:"plan_rules,omitempty"`
	PayerNotes              []string       `json:"payer_notes,omitempty"`
	NotReturned             []string       `json:"not_returned,omitempty"` // it wins over a value
}

// PlanOutside has the benefits out of network, where they differ.
type PlanOutside struct {
	Maximums    []PlanAmount   `json:"maximums,omitempty"`
	Deductibles []PlanAmount   `json:"deductibles,omitempty"`
	Coverage    []PlanCategory `json:"coverage,omitempty"`
}

// PlanNames name the plan.
type PlanNames struct {
	Name          *string `json:"name,omitempty"`
	Type          *string `json:"type,omitempty"`
	GroupNumber   *string `json:"group_number,omitempty"`
	BenefitPeriod *string `json:"benefit_period,omitempty"`
}

// PlanAmount is a maximum or a deductible.
type PlanAmount struct {
	Level     string  `json:"level"`
	Period    string  `json:"period"`
	Amount    *string `json:"amount,omitempty"`
	Used      *string `json:"used,omitempty"`
	Remaining *string `json:"remaining,omitempty"`
	AppliesTo *string `json:"applies_to,omitempty"`
}

// PlanCategory is the coverage of a category.
type PlanCategory struct {
	Category    string         `json:"category"`
	PercentPaid *float64       `json:"percent_paid,omitempty"`
	Covered     *bool          `json:"covered,omitempty"`
	Copay       *string        `json:"copay,omitempty"`
	Frequency   *PlanFrequency `json:"frequency,omitempty"`
	Notes       []string       `json:"notes,omitempty"`
}

// PlanCode is the coverage of a procedure. A check computes the status anew.
type PlanCode struct {
	Code             string         `json:"code"`
	Description      *string        `json:"description,omitempty"`
	PercentPaid      *float64       `json:"percent_paid,omitempty"`
	Covered          *bool          `json:"covered,omitempty"`
	Copay            *string        `json:"copay,omitempty"`
	Frequency        *PlanFrequency `json:"frequency,omitempty"`
	MaxAge           *int           `json:"max_age,omitempty"`
	LastServiceDate  *string        `json:"last_service_date,omitempty"`
	NextEligibleDate *string        `json:"next_eligible_date,omitempty"`
	AlternateCode    *string        `json:"alternate_code,omitempty"`
	Status           *string        `json:"status,omitempty"`
	Note             *string        `json:"note,omitempty"`
}

// PlanFrequency is how often a service is paid.
type PlanFrequency struct {
	Count       *int    `json:"count,omitempty"`
	Used        *int    `json:"used,omitempty"`
	Period      *string `json:"period,omitempty"`
	PeriodCount *int    `json:"period_count,omitempty"`
	PeriodUnit  *string `json:"period_unit,omitempty"`
	Scope       *string `json:"scope,omitempty"`
}

// PlanWait is the waiting period of a category.
type PlanWait struct {
	Category string  `json:"category"`
	Months   *int    `json:"months,omitempty"`
	Until    *string `json:"until,omitempty"` // the first day of benefits
}

// PlanRules are rules in words.
type PlanRules struct {
	MissingToothClause     *string `json:"missing_tooth_clause,omitempty"`
	WaitingPeriod          *string `json:"waiting_period,omitempty"`
	PreAuthorization       *string `json:"pre_authorization,omitempty"`
	CoordinationOfBenefits *string `json:"coordination_of_benefits,omitempty"`
	MajorServicesPaidOn    *string `json:"major_services_paid_on,omitempty"`
}

// Wait is the waiting period of a category on the day of a check.
type Wait struct {
	Category coverage.Category
	Months   int          // 0 if it is not stated
	Until    billing.Date // the first day of benefits; zero if it is not stated
}

// The limits of a plan. A decoder refuses a 271 of more than 2,000 benefits.
const (
	maxAmounts    = 50
	maxPlanCodes  = 300
	maxPlanNotes  = 50
	maxPlanText   = 1000 // characters
	maxPlanCount  = 998  // services; payers send 999 for a limit in words
	maxPlanMonths = 120
	maxPlanAge    = 150
)

// Stored returns the plan as the content of a scenario.
func (p *Plan) Stored() []byte {
	content, _ := json.Marshal(p)
	return content
}

// Plan reads the content of a scenario that is a plan; nil if it is something else.
func (o *Own) Plan() (*Plan, error) {
	if o.Operation != Eligibility || !bytes.HasPrefix(o.Content, []byte("{")) {
		return nil, nil // it is a 271, or steps
	}
	p := new(Plan)
	return p, json.Unmarshal(o.Content, p)
}

// reading collects the faults of a plan while it is read.
type reading struct {
	day    billing.Date // of the check
	faults billing.Faults
}

// On returns what the plan says in a check of the day, and what is wrong with it. The
// faults do not depend on the day.
func (p *Plan) On(day billing.Date) (*coverage.Benefits, []Wait, billing.Faults) {
	r := &reading{day: day}
	b := &coverage.Benefits{
		Status:                  choice(r, "status", &p.Status, true, coverage.Active, coverage.Inactive, coverage.Unknown),
		CoverageEffectiveDate:   r.date("coverage_effective_date", p.CoverageEffectiveDate, firstDay),
		CoverageTerminationDate: r.date("coverage_termination_date", p.CoverageTerminationDate, lastDay),
		NetworkStatus:           choice(r, "network_status", p.NetworkStatus, false, coverage.InNetwork, coverage.OutOfNetwork, coverage.NetworkUnknown),
		Maximums:                r.amounts("maximums", p.Maximums),
		Deductibles:             r.amounts("deductibles", p.Deductibles),
		PayerNotes:              r.notes("payer_notes", p.PayerNotes),
	}
	if n := p.Plan; n != nil {
		b.Plan = coverage.Plan{
			Name: r.text("plan.name", n.Name), Type: r.text("plan.type", n.Type), GroupNumber: r.text("plan.group_number", n.GroupNumber),
			BenefitPeriod: r.benefitPeriod("plan.benefit_period", n.BenefitPeriod, b),
		}
	}
	if n := p.PlanRules; n != nil {
		b.PlanRules = coverage.PlanRules{
			MissingToothClause:     r.text("plan_rules.missing_tooth_clause", n.MissingToothClause),
			WaitingPeriod:          r.text("plan_rules.waiting_period", n.WaitingPeriod),
			PreAuthorization:       r.text("plan_rules.pre_authorization", n.PreAuthorization),
			CoordinationOfBenefits: r.text("plan_rules.coordination_of_benefits", n.CoordinationOfBenefits),
			MajorServicesPaidOn:    choice(r, "plan_rules.major_services_paid_on", n.MajorServicesPaidOn, false, "prep_date", "seat_date"),
		}
	}
	b.Coverage = r.categories("coverage", p.Coverage)
	if o := p.OutOfNetwork; o != nil {
		b.OutOfNetwork = &coverage.OutsideNetwork{
			Maximums: r.amounts("out_of_network.maximums", o.Maximums), Deductibles: r.amounts("out_of_network.deductibles", o.Deductibles),
			Coverage: r.categories("out_of_network.coverage", o.Coverage),
		}
	}
	for i := range most(r, "procedures", p.Procedures, maxPlanCodes) {
		b.Procedures = append(b.Procedures, r.procedure("procedures."+strconv.Itoa(i), &p.Procedures[i]))
		r.once("procedures", i, func(k int) bool { return p.Procedures[k].Code == p.Procedures[i].Code })
	}
	waits := r.waits(p.WaitingPeriods)
	for i, path := range most(r, "not_returned", p.NotReturned, maxPlanCodes) {
		if !withhold(b, path) {
			r.add("not_returned."+strconv.Itoa(i), billing.FaultNotAllowed,
				"The value must be a path as a check lists it, such as maximums, coverage.implants, procedures.D2740 or plan.name.")
		}
		if path == "plan_rules.waiting_period" {
			waits = nil
		}
	}
	b.NotReturned = p.NotReturned
	return b, waits, r.faults
}

func (r *reading) add(field string, code billing.FaultCode, message string) {
	r.faults.Add("plan."+field, code, message)
}

// choice returns the value if it is one of those allowed.
func choice[T ~string](r *reading, field string, value *string, required bool, allowed ...T) T {
	switch {
	case value == nil, *value == "":
		if required {
			r.add(field, billing.FaultRequired, "A value is required.")
		}
		return ""
	case !slices.Contains(allowed, T(*value)):
		words := make([]string, len(allowed))
		for i, a := range allowed {
			words[i] = string(a)
		}
		r.add(field, billing.FaultNotAllowed, "The value must be one of "+strings.Join(words, ", ")+".")
	}
	return T(*value)
}

func (r *reading) text(field string, value *string) string {
	if value == nil || !r.faults.Optional("plan."+field, value, maxPlanText) {
		return ""
	}
	return strings.TrimSpace(*value)
}

// most returns the list, or none of one that is too long.
func most[T any](r *reading, field string, all []T, limit int) []T {
	if len(all) > limit {
		r.add(field, billing.FaultTooMany, "A plan may have at most "+strconv.Itoa(limit)+" of these.")
		return nil
	}
	return all
}

// once adds a fault for an item that is like one before it.
func (r *reading) once(field string, i int, like func(k int) bool) {
	for k := range i {
		if like(k) {
			r.add(field+"."+strconv.Itoa(i), billing.FaultConflict, "The plan has this already. Send it once.")
			return
		}
	}
}

func (r *reading) notes(field string, all []string) []string {
	for i := range most(r, field, all, maxPlanNotes) {
		if at := field + "." + strconv.Itoa(i); billing.Blank(all[i]) {
			r.add(at, billing.FaultRequired, "A value is required.")
		} else {
			r.text(at, &all[i])
		}
	}
	return all
}

func (r *reading) within(field string, value *int, most int) {
	if value != nil && (*value < 0 || *value > most) {
		r.add(field, billing.FaultRange, "The value must be from 0 to "+strconv.Itoa(most)+".")
	}
}

func (r *reading) amounts(field string, all []PlanAmount) (out []coverage.BenefitAmount) {
	for i := range most(r, field, all, maxAmounts) {
		a, at := &all[i], field+"."+strconv.Itoa(i)
		figure := func(name string, text *string) *billing.Money { return r.money(at+"."+name, text) }
		b := coverage.BenefitAmount{
			Level:     choice(r, at+".level", &a.Level, true, coverage.LevelIndividual, coverage.LevelFamily),
			Period:    choice(r, at+".period", &a.Period, true, coverage.PeriodCalendarYear, coverage.PeriodPlanYear, coverage.PeriodLifetime),
			Amount:    figure("amount", a.Amount),
			Used:      figure("used", a.Used),
			Remaining: figure("remaining", a.Remaining),
			AppliesTo: r.text(at+".applies_to", a.AppliesTo),
		}
		if b.Amount == nil && b.Used == nil && b.Remaining == nil {
			r.add(at, billing.FaultRequired, "Send at least one of amount, used and remaining.")
		}
		r.once(field, i, func(k int) bool {
			o := &out[k]
			return o.Level == b.Level && o.Period == b.Period && strings.EqualFold(o.AppliesTo, b.AppliesTo)
		})
		out = append(out, b)
	}
	return out
}

func (r *reading) money(field string, text *string) *billing.Money {
	if text == nil {
		return nil
	}
	m, err := billing.ParseMoney(*text)
	if err != nil || m < 0 {
		r.add(field, billing.FaultFormat, "The amount must be dollars and cents, such as 1500.00.")
	}
	return &m
}

// share adds the faults of a share and of whether the service is covered.
func (r *reading) share(at string, percent *float64, covered *bool) {
	if percent != nil && (*percent < 0 || *percent > 100) {
		r.add(at+".percent_paid", billing.FaultRange, "The value must be from 0 to 100.")
	}
	if percent != nil && covered != nil && *covered != (*percent > 0) {
		r.add(at+".covered", billing.FaultConflict, "A service is covered if the plan pays more than 0 percent. Leave out one of the two values.")
	}
}

func (r *reading) categories(field string, all []PlanCategory) (out []coverage.CategoryCoverage) {
	for i := range most(r, field, all, len(coverage.Categories())) {
		out = append(out, r.category(field+"."+strconv.Itoa(i), &all[i]))
		r.once(field, i, func(k int) bool { return all[k].Category == all[i].Category })
	}
	return out
}

func (r *reading) category(at string, c *PlanCategory) coverage.CategoryCoverage {
	if c.PercentPaid == nil && c.Covered == nil && c.Copay == nil && c.Frequency == nil && len(c.Notes) == 0 {
		r.add(at, billing.FaultRequired, "Send at least one of percent_paid, covered, copay, frequency and notes.")
	}
	r.share(at, c.PercentPaid, c.Covered)
	return coverage.CategoryCoverage{
		Category:    choice(r, at+".category", &c.Category, true, coverage.Categories()...),
		PercentPaid: c.PercentPaid, Covered: c.Covered, Copay: r.money(at+".copay", c.Copay),
		Frequency: r.frequency(at+".frequency", c.Frequency), Notes: r.notes(at+".notes", c.Notes),
	}
}

func (r *reading) procedure(at string, c *PlanCode) coverage.ProcedureBenefit {
	p := coverage.ProcedureBenefit{
		Code: c.Code, Description: r.text(at+".description", c.Description), PercentPaid: c.PercentPaid, Covered: c.Covered, MaxAge: c.MaxAge,
		Copay: r.money(at+".copay", c.Copay), AlternateCode: r.text(at+".alternate_code", c.AlternateCode),
		Frequency:        r.frequency(at+".frequency", c.Frequency),
		LastServiceDate:  r.date(at+".last_service_date", c.LastServiceDate, firstDay),
		NextEligibleDate: r.date(at+".next_eligible_date", c.NextEligibleDate, nextFirstDay),
		Note:             r.text(at+".note", c.Note),
		Status: choice(r, at+".status", c.Status, false, coverage.ProcedureCoveredNow, coverage.ProcedureNotDueYet, coverage.ProcedureDowngraded,
			coverage.ProcedureAgeLimit, coverage.ProcedureNotCovered),
	}
	if !coverage.ValidProcedureCode(p.Code) {
		r.add(at+".code", billing.FaultFormat, "A procedure code must be D and four digits.")
	}
	if a := p.AlternateCode; a != "" && (!coverage.ValidProcedureCode(a) || a == p.Code) {
		r.add(at+".alternate_code", billing.FaultFormat, "The alternate must be another procedure code: D and four digits.")
	}
	if none := (PlanCode{Code: c.Code, Description: c.Description}); *c == none {
		r.add(at, billing.FaultRequired, "Send what the payer says about the procedure, such as percent_paid, covered or frequency.")
	}
	r.within(at+".max_age", p.MaxAge, maxPlanAge)
	r.share(at, p.PercentPaid, p.Covered)
	if p.Status == coverage.ProcedureNotCovered && p.Covered == nil && p.PercentPaid == nil {
		p.Covered = new(false)
	}
	lacks := ""
	switch {
	case p.Status == coverage.ProcedureNotCovered && (p.PercentPaid != nil && *p.PercentPaid > 0 || p.Covered != nil && *p.Covered):
		lacks = "covered, with the value false"
	case p.Status == coverage.ProcedureAgeLimit && p.MaxAge == nil:
		lacks = "max_age"
	case p.Status == coverage.ProcedureNotDueYet && p.NextEligibleDate.IsZero() && p.LastServiceDate.IsZero():
		lacks = "next_eligible_date"
	}
	if lacks != "" {
		r.add(at+".status", billing.FaultConflict, "A check computes the status from other values. Send "+lacks+".")
	}
	return p
}

var frequencyPeriod = regexp.MustCompile(`^(calendar_year|plan_year|lifetime|[1-9][0-9]{0,2} (day|week|month|year|calendar year|plan year|visit)s?)$`)

func (r *reading) frequency(at string, f *PlanFrequency) *coverage.Frequency {
	if f == nil {
		return nil
	}
	out := &coverage.Frequency{
		Count: f.Count, Used: f.Used, Period: r.text(at+".period", f.Period),
		Scope: choice(r, at+".scope", f.Scope, false, "per tooth", "per quadrant", "per arch", "per sextant", "per surface"),
	}
	if r.within(at+".count", f.Count, maxPlanCount); f.Count == nil {
		r.add(at+".count", billing.FaultRequired, "A value is required.")
	}
	r.within(at+".used", f.Used, maxPlanCount)
	if !frequencyPeriod.MatchString(out.Period) {
		r.add(at+".period", billing.FaultFormat, "The period must be calendar_year, plan_year, lifetime, or a number such as 6 months: "+
			"of days, weeks, months, years, calendar years, plan years or visits.")
	}
	n, unit := out.Span()
	if f.PeriodCount != nil && *f.PeriodCount != n || f.PeriodUnit != nil && coverage.PeriodUnit(*f.PeriodUnit) != unit {
		r.add(at, billing.FaultConflict, "period_count and period_unit are not those of the period. Leave them out: a check computes them.")
	}
	return out
}

func (r *reading) waits(all []PlanWait) (out []Wait) {
	for i, w := range most(r, "waiting_periods", all, len(coverage.Categories())) {
		at := "waiting_periods." + strconv.Itoa(i)
		wait := Wait{Category: choice(r, at+".category", &w.Category, true, coverage.Categories()...), Until: r.date(at+".until", w.Until, nextFirstDay)}
		if r.within(at+".months", w.Months, maxPlanMonths); w.Months != nil {
			wait.Months = *w.Months
		}
		if w.Months == nil && w.Until == nil {
			r.add(at, billing.FaultRequired, "Send months, until or both.")
		}
		r.once("waiting_periods", i, func(k int) bool { return out[k].Category == wait.Category })
		out = append(out, wait)
	}
	return out
}

// withhold removes what a path of NotReturned names from the benefits. It reports whether
// there is such a path.
func withhold(b *coverage.Benefits, path string) bool {
	area, name, _ := strings.Cut(path, ".")
	switch {
	case path == "maximums":
		b.Maximums = nil
	case path == "deductibles":
		b.Deductibles = nil
	case path == "coverage_effective_date":
		b.CoverageEffectiveDate = billing.Date{}
	case path == "coverage_termination_date":
		b.CoverageTerminationDate = billing.Date{}
	case path == "network_status":
		b.NetworkStatus = ""
	case area == "coverage" && slices.Contains(coverage.Categories(), coverage.Category(name)):
		b.Coverage = slices.DeleteFunc(b.Coverage, func(c coverage.CategoryCoverage) bool { return string(c.Category) == name })
	case area == "procedures" && coverage.ValidProcedureCode(name):
		b.Procedures = slices.DeleteFunc(b.Procedures, func(p coverage.ProcedureBenefit) bool { return p.Code == name })
	default:
		text := map[string]*string{
			"plan.name": &b.Plan.Name, "plan.type": &b.Plan.Type, "plan.group_number": &b.Plan.GroupNumber, "plan.benefit_period": &b.Plan.BenefitPeriod,
			"plan_rules.missing_tooth_clause": &b.PlanRules.MissingToothClause, "plan_rules.waiting_period": &b.PlanRules.WaitingPeriod,
			"plan_rules.pre_authorization": &b.PlanRules.PreAuthorization, "plan_rules.coordination_of_benefits": &b.PlanRules.CoordinationOfBenefits,
			"plan_rules.major_services_paid_on": &b.PlanRules.MajorServicesPaidOn,
		}[path]
		if text == nil {
			return false
		}
		*text = ""
	}
	return true
}
