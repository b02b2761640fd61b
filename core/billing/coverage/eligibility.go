package coverage

import (
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// CheckState is the state of an eligibility check.
type CheckState string

// The states of a check. A check moves once, from pending to completed.
const (
	CheckPending   CheckState = "pending"
	CheckCompleted CheckState = "completed"
)

// Outcome is the result of a check. It is empty while the check is pending.
type Outcome string

// The outcomes.
const (
	OutcomeAnswered         Outcome = "answered"
	OutcomeRejected         Outcome = "rejected"
	OutcomePayerUnavailable Outcome = "payer_unavailable"
	OutcomeError            Outcome = "error"
)

// Status is the status of the coverage in an answered check.
type Status string

// The coverage statuses.
const (
	Active   Status = "active"
	Inactive Status = "inactive"
	Unknown  Status = "unknown"
)

// DetailLevel is the detail of a check. A standard check returns the benefits
// and the requested procedures. An enhanced check asks the payer again for each
// procedure, and returns every procedure that the payer lists.
type DetailLevel string

// The detail levels.
const (
	DetailStandard DetailLevel = "standard"
	DetailEnhanced DetailLevel = "enhanced"
)

// Relationship is a patient's relationship to the subscriber.
type Relationship string

// The relationships of a dependent, and RelationSelf for attachments.
const (
	RelationSelf   Relationship = "self"
	RelationSpouse Relationship = "spouse"
	RelationChild  Relationship = "child"
	RelationOther  Relationship = "other"
)

// Gender is a gender in an inquiry and in a payer's reply (DMG03).
type Gender string

// The genders. An inquiry without one is of GenderUnknown.
const (
	GenderFemale  Gender = "female"
	GenderMale    Gender = "male"
	GenderUnknown Gender = ""
)

// Subscriber is the holder of a plan.
type Subscriber struct {
	FirstName   string
	LastName    string
	DateOfBirth billing.Date
	MemberID    string
	GroupNumber *string // nil when the caller left it out
	Gender      Gender  `json:",omitempty"`
}

// Dependent is a patient who is covered by another person's plan.
type Dependent struct {
	FirstName    string
	LastName     string
	DateOfBirth  billing.Date
	Relationship Relationship
	Gender       Gender `json:",omitempty"`
}

// Check is an inquiry to a payer about a person's coverage. Once it is
// completed, it has the payer's response.
type Check struct {
	ID              billing.CheckID
	Scope           billing.Scope
	OfficeID        billing.OfficeID
	Payer           directory.PayerSummary
	PatientID       billing.PatientID
	State           CheckState
	Outcome         Outcome
	ParentID        billing.CheckID
	BatchID         billing.CheckBatchID // zero for a check that was asked alone
	RequestID       billing.RequestID
	OfPerson        billing.RequestID // the request of a person, which no resource shows; then RequestID is zero
	IdempotencyKey  string
	TenantReference *string
	CacheSource     billing.CheckID // zero for a fresh check
	CreatedAt       time.Time
	Inquiry         Inquiry

	// Set on completion.
	Network     string
	LatencyMS   *int // nil for a cache hit
	CompletedAt time.Time
	Rejection   *Rejection // set exactly when the outcome is not answered
	Status      Status     // set exactly when the outcome is answered
	Benefits    []byte     // the Data of the payer's benefits; set exactly when the outcome is answered

	// The patient's last answered check with the same payer, and what this one has otherwise.
	// They are set on completion, and are kept in Shown only.
	ComparedWith billing.CheckID
	Changes      []Change

	// JSON that the release shows that completed the check.
	Shown        []byte // the check without its benefits
	ShownFailure []byte // the reply to its request, without the check; nil also when the payer responded
}

// Position returns the place in a list, by the time and the ID.
func (c *Check) Position() billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} }

// Inquiry is the inquiry of a check, as the caller wrote it, with what a check must keep of
// the time at which it is made.
type Inquiry struct {
	Subscriber     Subscriber
	Patient        *Dependent // nil when the subscriber is the patient
	ServiceDate    billing.Date
	ProcedureCodes []string
	DetailLevel    DetailLevel
	Office         InquiringOffice
	AnsweredOn     billing.Date `json:",omitzero"` // the day at the office of an answer that was saved; zero for a fresh check
}

// InquiringOffice describes the office to the payer, as it was when the check was
// made.
type InquiringOffice struct {
	Name     string
	NPI      string
	TaxID    string
	TimeZone string `json:",omitempty"` // IANA name, in which its days begin
}

// answeredOn returns the day at the office on which the payer answered the completed check. It
// is that of UTC for a check of a release that did not keep the time zone.
func (c *Check) answeredOn() billing.Date {
	q := &c.Inquiry
	switch {
	case !q.AnsweredOn.IsZero():
		return q.AnsweredOn
	case q.Office.TimeZone == "":
		return billing.DateOf(c.CompletedAt)
	}
	return (&directory.Office{TimeZone: q.Office.TimeZone}).Today(c.CompletedAt)
}

// Person returns the patient of the inquiry: the dependent, or else the
// subscriber.
func (q Inquiry) Person() (firstName, lastName string, born billing.Date) {
	if q.Patient != nil {
		return q.Patient.FirstName, q.Patient.LastName, q.Patient.DateOfBirth
	}
	return q.Subscriber.FirstName, q.Subscriber.LastName, q.Subscriber.DateOfBirth
}

// UsageState is the billing state of a check.
type UsageState string

// The billing states.
const (
	Billable    UsageState = "billable"
	NotBillable UsageState = "not_billable"
)

// UsageReason is the reason that a check is charged or free.
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

// Usage is the billing record of a completed check.
type Usage struct {
	Charged bool
	State   UsageState
	Reason  UsageReason
	Label   string
}

// Usage returns the billing record of the check, or nil while it is pending. A
// live check is charged when the payer responded, or rejected it for a reason
// that the caller can correct.
func (c *Check) Usage() *Usage {
	if c.State == CheckPending {
		return nil
	}
	free := func(r UsageReason, label string) *Usage { return &Usage{false, NotBillable, r, label} }
	switch {
	case c.Scope.Mode == billing.ModeTest:
		return free(BilledTestMode, "Not charged: the check was made in test mode.")
	case !c.CacheSource.IsZero():
		return free(BilledCacheHit, "Not charged: a saved check had the result.")
	}
	switch c.Outcome {
	case OutcomeAnswered:
		return &Usage{true, Billable, BilledAnswered, "Charged: the payer returned benefits."}
	case OutcomeRejected:
		if c.Rejection != nil && c.Rejection.Kind == RejectionFixAndResend {
			return &Usage{true, Billable, BilledPayerRejected, "Charged: the payer processed the request and rejected it."}
		}
		return free(BilledPayerSideRejection, "Not charged: the payer rejected the request for a reason on its side.")
	case OutcomePayerUnavailable:
		return free(BilledPayerUnavailable, "Not charged: the payer did not respond.")
	case OutcomeError:
		if c.Rejection != nil {
			return free(BilledNetworkError, "Not charged: the network that connects to the payer failed.")
		}
		return free(BilledInternalError, "Not charged: the check failed inside the service.")
	default:
		return free(BilledInternalError, "Not charged: the check failed inside the service.")
	}
}

// Complete completes a pending check. Exactly one of a.Benefits and a.Rejection
// is set; an internal failure has neither. For a check that is complete,
// Complete changes nothing and returns CodeConflict.
func (c *Check) Complete(a CheckResponse, known Background, now time.Time) error {
	if c.State != CheckPending {
		return &billing.Error{Code: billing.CodeConflict, Message: "The check is already complete."}
	}
	c.State = CheckCompleted
	c.Outcome = a.Outcome
	if a.Benefits != nil {
		c.Status, c.Benefits = a.Benefits.Status, a.Benefits.Data()
		if c.ComparedWith = known.Check; !known.Check.IsZero() {
			c.Changes = changesFrom(&known, c.Status, c.Benefits)
		}
	}
	c.Rejection = a.Rejection
	c.Network = a.Network
	c.LatencyMS = a.LatencyMS
	c.PatientID = known.Patient
	c.CompletedAt = now
	c.show(a.Benefits)
	return nil
}

// CheckResponse is the result of an inquiry to a payer.
type CheckResponse struct {
	Outcome   Outcome
	Benefits  *Benefits
	Rejection *Rejection
	Network   string // that carried the inquiry, such as "sandbox"
	LatencyMS *int
}

// Unanswered returns the result when the network failed (OutcomeError) or the
// payer did not respond (OutcomePayerUnavailable).
func Unanswered(outcome Outcome, about About, network string, latencyMS int) CheckResponse {
	reason := RejectionReason{
		Code:    ReasonPayerNotAnswering,
		About:   about,
		Message: "The payer's system is not responding.",
		Fix:     "No change is needed. Send the check again later.",
	}
	if about == AboutClearinghouse {
		reason.Message = "The network that connects to the payer failed."
	}
	return CheckResponse{
		Outcome:   outcome,
		Rejection: &Rejection{Kind: RejectionPayerUnavailable, Reasons: []RejectionReason{reason}},
		Network:   network,
		LatencyMS: &latencyMS,
	}
}

// Transient reports whether the same question may be answered later: the payer did not respond,
// or the network failed.
func (a *CheckResponse) Transient() bool {
	return a.Outcome == OutcomePayerUnavailable || a.Outcome == OutcomeError && a.Rejection != nil
}

// CanBeReused reports whether identical checks can use the result: the payer
// responded with a status. An unknown status may be known by now.
func (c *Check) CanBeReused() bool {
	return c.Outcome == OutcomeAnswered && c.CacheSource.IsZero() && c.Status != Unknown
}

// AnswerFromCache completes the check with the result of source. The hit has no
// latency, and its own time of completion.
func (c *Check) AnswerFromCache(source *Check, now time.Time) error {
	if err := c.Complete(CheckResponse{Outcome: source.Outcome, Network: source.Network}, Background{Patient: source.PatientID}, now); err != nil {
		return err
	}
	c.CacheSource, c.Status, c.Benefits = source.ID, source.Status, source.Benefits
	c.Inquiry.AnsweredOn = source.answeredOn()
	c.ComparedWith, c.Changes = source.ID, []Change{}
	b, err := c.Answer()
	if err != nil {
		return err
	}
	c.show(b)
	return nil
}

// KeptFailure ends the message of a failure that is stored under an idempotency
// key. Every repeated request with the key gets that failure.
const KeptFailure = "This Idempotency-Key returns this reply again; a new attempt needs a new key."

// Failure returns the error for the caller of a completed check, or nil when the
// payer responded.
func (c *Check) Failure() error {
	switch c.Outcome {
	case OutcomeAnswered:
		return nil
	case OutcomeRejected:
		return &billing.Error{Code: billing.CodePayerRejected, Message: "The payer rejected the check. check.rejection shows what to change and whether it helps to send the check again. " +
			"This Idempotency-Key returns this reply again; a new attempt needs a new key, and the check's ID as parent_id."}
	case OutcomePayerUnavailable:
		return &billing.Error{Code: billing.CodePayerUnavailable, Message: "The payer's system is not responding. No change is needed; send the check again later. " + KeptFailure}
	case OutcomeError:
		if c.Rejection != nil {
			return &billing.Error{Code: billing.CodeNetworkError, Message: "The network that connects to the payer failed. The check is not charged; send it again later. " + KeptFailure}
		}
	}
	return &billing.Error{Code: billing.CodeInternal, Message: "The check failed inside the service."}
}

// Forgotten reports whether the check failed inside the service, so that its
// idempotency key may be used again.
func (c *Check) Forgotten() bool {
	return c.State == CheckCompleted && c.Outcome == OutcomeError && c.Rejection == nil
}

// Asks reports whether the caller asked for the procedure.
func (q Inquiry) Asks(code string) bool { return slices.Contains(q.ProcedureCodes, code) }

// Exchange is one message sent to a payer and its reply, as bytes. The reply is empty
// if none came.
type Exchange struct {
	MediaType string // of both
	Request   []byte
	Reply     []byte
}

// MediaX12 is the media type of X12 messages (RFC 1767).
const MediaX12 = "application/EDI-X12"

// CheckExchange is everything that was exchanged with a payer for a check.
type CheckExchange struct {
	Check    billing.CheckID
	Patient  billing.PatientID // of the check; zero for none
	Source   billing.CheckID   // the check whose answer was saved; zero for a check that was not answered from it
	Messages []Exchange        // in the order in which they were sent; none for a check that was not sent
	Values   []Origin          // where the values of the check come from; see ports.Origins
}

// Origin is where a value of a check comes from: segments of one of the payer's replies.
type Origin struct {
	Path     string    // of the value, such as maximums.0.remaining
	Reply    int       // position of the reply among the messages of the check
	Segments []Segment // in their order
}

// Segment is a segment of a reply.
type Segment struct {
	Position int    // in the reply; that of ISA is 1
	Text     string // as the payer wrote it, without its terminator
}

// LogValue keeps the messages, which have patient data, out of logs.
func (c CheckExchange) LogValue() slog.Value { return slog.StringValue(c.Check.String()) }

// ErrNotPending is the error of completing a check that is completed already, or that the
// database lost.
var ErrNotPending = errors.New("complete checks: one of them is not pending")

// CheckCompletion is a completed check with its messages.
type CheckCompletion struct {
	Check     *Check
	Exchanges []Exchange
}

// CheckFilter narrows a list of checks. Zero fields match all.
type CheckFilter struct {
	PatientID       billing.PatientID
	RequestID       billing.RequestID
	OfficeID        billing.OfficeID
	PayerID         billing.PayerID
	Outcome         Outcome
	BatchID         billing.CheckBatchID
	CreatedAfter    time.Time // inclusive
	CreatedBefore   time.Time // exclusive
	TenantReference string
}
