package billing

// Benefits is what a payer answered. Every value comes from the payer's 271;
// NotReturned names what it did not say.
type Benefits struct {
	Status                  CoverageStatus
	CoverageEffectiveDate   Date
	CoverageTerminationDate Date
	Plan                    Plan
	NetworkStatus           NetworkStatus
	Maximums                []BenefitAmount
	Deductibles             []BenefitAmount
	Coverage                []CategoryCoverage
	Procedures              []ProcedureBenefit
	PlanRules               PlanRules
	PayerNotes              []string
	NotReturned             []string // field paths, such as "coverage.implants" or "plan_rules.waiting_period"
}

// NetworkStatus is the office's standing with the plan.
type NetworkStatus string

// The network statuses; empty when the payer said nothing of networks.
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

// BenefitLevel says for whom an amount counts.
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

// BenefitAmount is a maximum or a deductible. A nil amount was neither
// returned nor to be derived from the other two.
type BenefitAmount struct {
	Level     BenefitLevel
	Period    BenefitPeriod
	Amount    *Money
	Used      *Money
	Remaining *Money
	AppliesTo string // a category, or words of the payer; empty for the whole plan
}

// Derive fills the one of amount, used and remaining that is missing when the
// other two are there and do not contradict each other, as when more was used
// than there was.
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

// Category groups dental procedures the way plans cover them.
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

// CategoryCoverage is what the plan pays of one category.
type CategoryCoverage struct {
	Category    Category
	PercentPaid *float64 // the plan's share, 0 to 100
	Covered     *bool
	Frequency   *Frequency
	Notes       []string
}

// Frequency is how often a service is paid for: Count times per Period.
type Frequency struct {
	Count  *int
	Period string // such as "calendar_year", "12 months", "lifetime"
	Scope  string // such as "per tooth"; empty when the payer did not say
}

// ProcedureStatus says whether a procedure would be paid for now.
type ProcedureStatus string

// The procedure statuses; empty when the payer said too little to tell.
const (
	ProcedureCoveredNow ProcedureStatus = "covered_now"
	ProcedureNotDueYet  ProcedureStatus = "not_due_yet"
	ProcedureDowngraded ProcedureStatus = "downgraded"
	ProcedureAgeLimit   ProcedureStatus = "age_limit"
	ProcedureNotCovered ProcedureStatus = "not_covered"
)

// ProcedureBenefit is what the plan pays for one procedure.
type ProcedureBenefit struct {
	Code             string // D and four digits
	Description      string
	PercentPaid      *float64 // the plan's share, 0 to 100
	Covered          *bool
	Frequency        *Frequency
	MaxAge           *int // the last age covered
	LastServiceDate  Date
	NextEligibleDate Date
	Status           ProcedureStatus
	Note             string
}

// PlanRules are rules that plans state in words; empty strings were not
// returned.
type PlanRules struct {
	MissingToothClause     string
	WaitingPeriod          string
	PreAuthorization       string
	CoordinationOfBenefits string
	MajorServicesPaidOn    string // "prep_date" or "seat_date"
}
