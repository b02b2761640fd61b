package coverage

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Benefits is the content of a payer's response. Every value comes from the
// 271; NotReturned names the values that the 271 lacks.
type Benefits struct {
	Status                  Status
	CoverageEffectiveDate   billing.Date
	CoverageTerminationDate billing.Date
	Plan                    Plan
	NetworkStatus           NetworkStatus
	Maximums                []BenefitAmount
	Deductibles             []BenefitAmount
	Coverage                []CategoryCoverage
	Procedures              []ProcedureBenefit
	WaitingPeriods          []WaitingPeriod // those that the payer returned with a category
	PlanRules               PlanRules
	OutOfNetwork            *OutsideNetwork // nil unless the payer returned other benefits for there
	Differences             []Difference    // from the inquiry
	PayerNotes              []string
	NotReturned             []string // field paths, such as "coverage.implants" or "plan_rules.waiting_period"
}

// YearOfAmounts returns the kind of year of the first amount that has one. It is empty if
// none has. A reply uses it as the benefit period if the payer states nothing else.
func (b *Benefits) YearOfAmounts() BenefitPeriod {
	for _, a := range slices.Concat(b.Maximums, b.Deductibles) {
		if a.Period != PeriodLifetime && a.Amount != nil {
			return a.Period
		}
	}
	return ""
}

// YearFrom returns the first day of the benefit year that the payer names, as of a day; zero
// if it names none.
func (b *Benefits) YearFrom(day billing.Date) billing.Date {
	if from, _ := period(b.Plan.BenefitPeriod); !from.IsZero() {
		return from
	}
	words := strings.ToUpper(b.Plan.BenefitPeriod)
	calendar := words == "CALENDAR_YEAR" || words == "CALENDAR YEAR" || words == "JANUARY 1 TO DECEMBER 31" ||
		words == "" && b.YearOfAmounts() == PeriodCalendarYear
	if calendar {
		return billing.Date{Year: day.Year, Month: time.January, Day: 1}
	}
	return billing.Date{}
}

// Difference is a value about a person that the payer has otherwise than the inquiry. Case,
// accents, signs, middle names and suffixes of names are none.
type Difference struct {
	Field    string // of the request, such as subscriber.member_id
	Sent     string
	Returned string // as the payer wrote it; dates and genders as the request has them
}

// NetworkStatus is the office's standing with the plan.
type NetworkStatus string

// The network statuses; empty when the payer does not mention networks.
const (
	InNetwork      NetworkStatus = "in_network"
	OutOfNetwork   NetworkStatus = "out_of_network"
	NetworkUnknown NetworkStatus = "unknown"
)

// Plan names the plan; empty strings were not returned.
type Plan struct {
	Name          string
	Type          string
	GroupNumber   string
	BenefitPeriod string
}

// BenefitLevel is the group of people that an amount counts for.
type BenefitLevel string

// The benefit levels.
const (
	LevelIndividual BenefitLevel = "individual"
	LevelFamily     BenefitLevel = "family"
)

// BenefitPeriod is the span that an amount covers.
type BenefitPeriod string

// The benefit periods.
const (
	PeriodCalendarYear BenefitPeriod = "calendar_year"
	PeriodPlanYear     BenefitPeriod = "plan_year"
	PeriodLifetime     BenefitPeriod = "lifetime"
)

// BenefitAmount is a maximum or a deductible. A nil amount was not returned and
// cannot be derived from the other two.
type BenefitAmount struct {
	Level     BenefitLevel
	Period    BenefitPeriod
	Amount    *billing.Money
	Used      *billing.Money
	Remaining *billing.Money
	AppliesTo string // a category, or the payer's text; empty for the whole plan
}

// Derive computes the missing one of amount, used and remaining from the other
// two. It leaves amounts that contradict each other, such as more used than the
// maximum.
func (b *BenefitAmount) Derive() {
	switch {
	case b.Amount == nil && b.Used != nil && b.Remaining != nil:
		b.Amount = new(*b.Used + *b.Remaining)
	case b.Used == nil && b.Amount != nil && b.Remaining != nil && *b.Remaining <= *b.Amount:
		b.Used = new(*b.Amount - *b.Remaining)
	case b.Remaining == nil && b.Amount != nil && b.Used != nil && *b.Used <= *b.Amount:
		b.Remaining = new(*b.Amount - *b.Used)
	}
}

// Category is a group of dental procedures that plans cover alike.
type Category string

// The categories, in the order in which replies list them.
const (
	CategoryPreventive     Category = "preventive"
	CategoryDiagnostic     Category = "diagnostic"
	CategoryBasic          Category = "basic"
	CategoryEndodontics    Category = "endodontics"
	CategoryPeriodontics   Category = "periodontics"
	CategoryOralSurgery    Category = "oral_surgery"
	CategoryMajor          Category = "major"
	CategoryProsthodontics Category = "prosthodontics"
	CategoryImplants       Category = "implants"
	CategoryOrthodontics   Category = "orthodontics"
)

// Categories lists every category in the order in which replies list them.
func Categories() []Category {
	return []Category{
		CategoryPreventive, CategoryDiagnostic, CategoryBasic, CategoryEndodontics, CategoryPeriodontics,
		CategoryOralSurgery, CategoryMajor, CategoryProsthodontics, CategoryImplants, CategoryOrthodontics,
	}
}

// CategoryCoverage is the coverage of one category.
type CategoryCoverage struct {
	Category    Category
	PercentPaid *float64 // the plan's share, 0 to 100
	Covered     *bool
	Copay       *billing.Money // what the patient pays of each service; nil was not returned
	Frequency   *Frequency
	Notes       []string
}

// Frequency is the plan's limit on a service: it pays Count times per Period.
type Frequency struct {
	Count  *int
	Used   *int   // of them in the present period; nil was not returned
	Period string // such as "calendar_year", "12 months", "lifetime"
	Scope  string // such as "per tooth"; empty when the payer did not say
}

// PeriodUnit is the unit of a period of a frequency limit.
type PeriodUnit string

// The units.
const (
	PeriodUnitMonth         PeriodUnit = "month"
	PeriodUnitYear          PeriodUnit = "year"
	PeriodUnitBenefitPeriod PeriodUnit = "benefit_period"
	PeriodUnitLifetime      PeriodUnit = "lifetime"
)

// Span returns the period as a number of units. The unit is empty for a period
// of days, weeks or visits, and for one that is no count of a unit.
func (f *Frequency) Span() (count int, unit PeriodUnit) {
	switch f.Period {
	case string(PeriodCalendarYear):
		return 1, PeriodUnitYear
	case string(PeriodPlanYear):
		return 1, PeriodUnitBenefitPeriod
	case string(PeriodLifetime):
		return 1, PeriodUnitLifetime
	}
	number, name, _ := strings.Cut(f.Period, " ")
	count, err := strconv.Atoi(number)
	unit = map[string]PeriodUnit{
		"month": PeriodUnitMonth, "year": PeriodUnitYear, "calendar year": PeriodUnitYear, "plan year": PeriodUnitBenefitPeriod,
	}[strings.TrimSuffix(name, "s")]
	if err != nil || count < 1 || unit == "" {
		return 0, ""
	}
	return count, unit
}

// Renewed returns the first day on which a service of the day is paid again. It is zero if
// other services decide, too, and for a period that is no number of months or years.
func (f *Frequency) Renewed(last billing.Date) billing.Date {
	if f == nil || f.Count == nil || *f.Count != 1 || last.IsZero() {
		return billing.Date{}
	}
	switch n, unit := f.Span(); {
	case f.Period == string(PeriodCalendarYear):
		return billing.Date{Year: last.Year + 1, Month: time.January, Day: 1}
	case unit == PeriodUnitMonth:
		return last.AddMonths(n)
	case unit == PeriodUnitYear && !strings.Contains(f.Period, "calendar"):
		return last.AddMonths(12 * n)
	}
	return billing.Date{}
}

// ProcedureStatus is the plan's present position on paying for a procedure.
type ProcedureStatus string

// The procedure statuses; empty when the payer does not say enough.
const (
	ProcedureCoveredNow ProcedureStatus = "covered_now"
	ProcedureNotDueYet  ProcedureStatus = "not_due_yet"
	ProcedureDowngraded ProcedureStatus = "downgraded"
	ProcedureAgeLimit   ProcedureStatus = "age_limit"
	ProcedureNotCovered ProcedureStatus = "not_covered"
)

// ProcedureBenefit is the coverage of one procedure.
type ProcedureBenefit struct {
	Code             string // D and four digits
	Description      string
	PercentPaid      *float64 // the plan's share, 0 to 100
	Covered          *bool
	Copay            *billing.Money // what the patient pays of each service; nil was not returned
	Frequency        *Frequency
	MaxAge           *int // the last age covered
	LastServiceDate  billing.Date
	NextEligibleDate billing.Date
	AlternateCode    string // of the procedure that the plan pays instead; empty was not returned
	Status           ProcedureStatus
	Note             string
}

// WaitingPeriod is the time before the plan pays for a category. Months counts from the begin
// of the coverage, and Until is the first day of benefits. One of the two may be absent.
type WaitingPeriod struct {
	Category Category
	Months   int // 0 was not returned
	Until    billing.Date
}

// OutsideNetwork has the benefits outside of the plan's network where they differ from those
// that the check shows. AppliesTo of its amounts names no network.
type OutsideNetwork struct {
	Maximums    []BenefitAmount
	Deductibles []BenefitAmount
	Coverage    []CategoryCoverage
}

// PlanRules are rules that plans state in words. Empty ones were not returned.
type PlanRules struct {
	MissingToothClause     string
	WaitingPeriod          string
	PreAuthorization       string
	CoordinationOfBenefits string
	MajorServicesPaidOn    string // "prep_date" or "seat_date"
}
