package billing

import (
	"slices"
	"time"
)

// CheckState is where an eligibility check stands.
type CheckState string

// The states of a check. A check moves once, from pending to completed.
const (
	CheckPending   CheckState = "pending"
	CheckCompleted CheckState = "completed"
)

// Outcome is how a check ended; it is empty while the check is pending.
type Outcome string

// The outcomes.
const (
	OutcomeAnswered         Outcome = "answered"
	OutcomeRejected         Outcome = "rejected"
	OutcomePayerUnavailable Outcome = "payer_unavailable"
	OutcomeError            Outcome = "error"
)

// CoverageStatus is what an answered check says of the coverage.
type CoverageStatus string

// The coverage statuses.
const (
	CoverageActive   CoverageStatus = "active"
	CoverageInactive CoverageStatus = "inactive"
	CoverageUnknown  CoverageStatus = "unknown"
)

// DetailLevel is how much a caller wants to know: standard gives the benefits
// and the procedures asked for, enhanced asks again for each procedure and
// gives every procedure the payer lists.
type DetailLevel string

// The detail levels.
const (
	DetailStandard DetailLevel = "standard"
	DetailEnhanced DetailLevel = "enhanced"
)

// Relationship is how a patient is related to the subscriber.
type Relationship string

// The relationships of a dependent, and RelationSelf for attachments.
const (
	RelationSelf   Relationship = "self"
	RelationSpouse Relationship = "spouse"
	RelationChild  Relationship = "child"
	RelationOther  Relationship = "other"
)

// Subscriber is the holder of a plan.
type Subscriber struct {
	FirstName   string
	LastName    string
	DateOfBirth Date
	MemberID    string
	GroupNumber *string // nil when the caller left it out
}

// Dependent is a patient who is covered by somebody else's plan.
type Dependent struct {
	FirstName    string
	LastName     string
	DateOfBirth  Date
	Relationship Relationship
}

// EligibilityCheck is a question to a payer about a person's coverage and,
// once completed, its answer.
type EligibilityCheck struct {
	ID              CheckID
	Scope           Scope
	OfficeID        OfficeID
	Payer           PayerSummary
	PatientID       PatientID
	State           CheckState
	Outcome         Outcome
	ParentID        CheckID
	RequestID       RequestID
	IdempotencyKey  string
	TenantReference *string
	CacheSource     CheckID // zero for a fresh check
	CreatedAt       time.Time
	Inquiry         Inquiry

	// Set on completion.
	Network     string
	LatencyMS   *int // nil for a cache hit
	CompletedAt time.Time
	Rejection   *Rejection // set exactly when the outcome is not answered
	Benefits    *Benefits  // set exactly when the outcome is answered
}

// Inquiry is the question itself, as the caller put it.
type Inquiry struct {
	Subscriber     Subscriber
	Patient        *Dependent // nil when the subscriber is the patient
	ServiceDate    Date
	ProcedureCodes []string
	DetailLevel    DetailLevel
	Office         InquiringOffice
}

// InquiringOffice is what a payer is told of the office that asks, as it was
// when the check was made.
type InquiringOffice struct {
	Name  string
	NPI   string
	TaxID string
}

// Person names who the inquiry is about: the dependent if there is one, else
// the subscriber.
func (q Inquiry) Person() (firstName, lastName string, born Date) {
	if q.Patient != nil {
		return q.Patient.FirstName, q.Patient.LastName, q.Patient.DateOfBirth
	}
	return q.Subscriber.FirstName, q.Subscriber.LastName, q.Subscriber.DateOfBirth
}

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

// RejectionKind says whether sending again can help.
type RejectionKind string

// The rejection kinds.
const (
	RejectionFixAndResend     RejectionKind = "fix_and_resend"
	RejectionPayerUnavailable RejectionKind = "payer_unavailable"
	RejectionRejected         RejectionKind = "rejected"
)

// Rejection is why a payer did not answer.
type Rejection struct {
	Kind      RejectionKind
	PayerCode string // the payer's own code: the first AAA03
	Reasons   []RejectionReason
}

// ReasonCode is a reason of a rejection.
type ReasonCode string

// The fifteen reasons.
const (
	ReasonMemberNotFound         ReasonCode = "MEMBER_NOT_FOUND"
	ReasonPatientIsDependent     ReasonCode = "PATIENT_IS_DEPENDENT"
	ReasonDateOfBirthMismatch    ReasonCode = "DATE_OF_BIRTH_MISMATCH"
	ReasonMemberIDInvalid        ReasonCode = "MEMBER_ID_INVALID"
	ReasonMemberIDDuplicate      ReasonCode = "MEMBER_ID_DUPLICATE"
	ReasonNameMismatch           ReasonCode = "NAME_MISMATCH"
	ReasonServiceDateInvalid     ReasonCode = "SERVICE_DATE_INVALID"
	ReasonRequestInvalid         ReasonCode = "REQUEST_INVALID"
	ReasonRequestNotAccepted     ReasonCode = "REQUEST_NOT_ACCEPTED"
	ReasonProviderNotOnFile      ReasonCode = "PROVIDER_NOT_ON_FILE"
	ReasonProviderNotEligible    ReasonCode = "PROVIDER_NOT_ELIGIBLE"
	ReasonPatientNotEligible     ReasonCode = "PATIENT_NOT_ELIGIBLE"
	ReasonPatientDetailsRequired ReasonCode = "PATIENT_DETAILS_REQUIRED"
	ReasonPayerNotAnswering      ReasonCode = "PAYER_NOT_ANSWERING"
	ReasonPayerRejectedOther     ReasonCode = "PAYER_REJECTED_OTHER"
)

// About says whose fault a reason tells of.
type About string

// The subjects of a reason.
const (
	AboutSubscriber    About = "subscriber"
	AboutPatient       About = "patient"
	AboutProvider      About = "provider"
	AboutRequest       About = "request"
	AboutClearinghouse About = "clearinghouse"
	AboutPayer         About = "payer"
)

// RejectionReason is one thing that a payer found wrong.
type RejectionReason struct {
	Code           ReasonCode
	About          About
	Field          string // the request field to change; empty for none
	Message        string
	Fix            string
	SuggestedValue string // what the payer has on file, when it told; may be patient data
}

// UsageState says whether a check is charged for.
type UsageState string

// The billing states.
const (
	Billable    UsageState = "billable"
	NotBillable UsageState = "not_billable"
)

// UsageReason says why.
type UsageReason string

// The billing reasons.
const (
	BilledTestMode           UsageReason = "test_mode"
	BilledAnswered           UsageReason = "answered"
	BilledPayerRejected      UsageReason = "payer_rejected"
	BilledPayerSideRejection UsageReason = "payer_side_rejection"
	BilledPayerUnavailable   UsageReason = "payer_unavailable"
	BilledNetworkError       UsageReason = "network_error"
	BilledInternalError      UsageReason = "internal_error"
	BilledCacheHit           UsageReason = "cache_hit"
)

// Usage is what a completed check costs its organization.
type Usage struct {
	Charged bool
	State   UsageState
	Reason  UsageReason
	Label   string
}

// Usage is the billing record of the check; nil while it is pending. A live
// check is charged when the payer did its work: it answered, or it rejected
// for a reason that the caller can mend.
func (c *EligibilityCheck) Usage() *Usage {
	if c.State == CheckPending {
		return nil
	}
	free := func(r UsageReason, label string) *Usage { return &Usage{false, NotBillable, r, label} }
	switch {
	case c.Scope.Mode == ModeTest:
		return free(BilledTestMode, "Not charged: the check was made in test mode.")
	case !c.CacheSource.IsZero():
		return free(BilledCacheHit, "Not charged: the answer came from a saved check.")
	}
	switch c.Outcome {
	case OutcomeAnswered:
		return &Usage{true, Billable, BilledAnswered, "Charged: the payer answered."}
	case OutcomeRejected:
		if c.Rejection != nil && c.Rejection.Kind == RejectionFixAndResend {
			return &Usage{true, Billable, BilledPayerRejected, "Charged: the payer looked the request up and rejected it."}
		}
		return free(BilledPayerSideRejection, "Not charged: the payer refused the request for a reason of its own.")
	case OutcomePayerUnavailable:
		return free(BilledPayerUnavailable, "Not charged: the payer did not answer.")
	case OutcomeError:
		if c.Rejection != nil {
			return free(BilledNetworkError, "Not charged: the network to the payer failed.")
		}
		return free(BilledInternalError, "Not charged: the check failed inside the service.")
	default:
		return free(BilledInternalError, "Not charged: the check failed inside the service.")
	}
}

// Complete moves a pending check to completed. Exactly one of a.Benefits and
// a.Rejection is set, but for an internal failure, which has neither. A check
// that is completed already stays as it is and is reported as a conflict.
func (c *EligibilityCheck) Complete(a CheckAnswer, patient PatientID, now time.Time) error {
	if c.State != CheckPending {
		return &Error{Code: CodeConflict, Message: "The check is completed already."}
	}
	c.State = CheckCompleted
	c.Outcome = a.Outcome
	c.Benefits = a.Benefits
	c.Rejection = a.Rejection
	c.Network = a.Network
	c.LatencyMS = a.LatencyMS
	c.PatientID = patient
	c.CompletedAt = now
	return nil
}

// CheckAnswer is what came of asking a payer.
type CheckAnswer struct {
	Outcome   Outcome
	Benefits  *Benefits
	Rejection *Rejection
	Network   string // which network carried the inquiry, such as "sandbox"
	LatencyMS *int
}

// Unanswered is the answer when the network failed (OutcomeError) or the
// payer was silent (OutcomePayerUnavailable).
func Unanswered(outcome Outcome, about About, network string, latencyMS int) CheckAnswer {
	reason := RejectionReason{
		Code:    ReasonPayerNotAnswering,
		About:   about,
		Message: "The payer's system is not answering.",
		Fix:     "Nothing needs to be changed. Send the check again later.",
	}
	if about == AboutClearinghouse {
		reason.Message = "The network that carries inquiries to the payer failed."
	}
	return CheckAnswer{
		Outcome:   outcome,
		Rejection: &Rejection{Kind: RejectionPayerUnavailable, Reasons: []RejectionReason{reason}},
		Network:   network,
		LatencyMS: &latencyMS,
	}
}

// AnswerFromCache completes the check with what source was answered. The hit
// has no latency, and its own time of completion.
func (c *EligibilityCheck) AnswerFromCache(source *EligibilityCheck, now time.Time) error {
	c.CacheSource = source.ID
	return c.Complete(CheckAnswer{Outcome: source.Outcome, Benefits: source.Benefits, Network: source.Network}, source.PatientID, now)
}

// Failure is the error that the caller of a completed check gets, or nil when
// the payer answered.
func (c *EligibilityCheck) Failure() error {
	switch c.Outcome {
	case OutcomeAnswered:
		return nil
	case OutcomeRejected:
		return &Error{Code: CodePayerRejected, Message: "The payer rejected the check; check.rejection says what to change and whether sending again can help."}
	case OutcomePayerUnavailable:
		return &Error{Code: CodePayerUnavailable, Message: "The payer's system is not answering. There is nothing to change; send the check again later."}
	case OutcomeError:
		if c.Rejection != nil {
			return &Error{Code: CodeNetworkError, Message: "The network to the payer failed. The check is not billed; send it again later."}
		}
	}
	return &Error{Code: CodeInternal, Message: "The check failed inside the service."}
}

// Forgotten reports whether the check failed inside the service, so that its
// idempotency key may be used again.
func (c *EligibilityCheck) Forgotten() bool {
	return c.State == CheckCompleted && c.Outcome == OutcomeError && c.Rejection == nil
}

// Asks reports whether the caller asked for the procedure.
func (q Inquiry) Asks(code string) bool { return slices.Contains(q.ProcedureCodes, code) }

// Inquiry270 is what goes into a 270: the question, who asks it, and whom.
type Inquiry270 struct {
	CheckID   CheckID   // the trace number comes from it
	CreatedAt time.Time // when the check was made
	Mode      Mode      // a test inquiry says so in ISA15
	Inquiry   Inquiry
	Payer     PayerSummary
}

// Exchange is one message sent to a payer and its reply, as bytes.
type Exchange struct {
	Request []byte
	Reply   []byte
}

// CheckFilter narrows a list of checks; zero fields do not.
type CheckFilter struct {
	RequestID       RequestID
	OfficeID        OfficeID
	PayerID         PayerID
	Outcome         Outcome
	CreatedAfter    time.Time // inclusive
	CreatedBefore   time.Time // exclusive
	TenantReference string
}
