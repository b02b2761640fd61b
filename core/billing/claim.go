package billing

import "time"

// ClaimKind is what a claim asks of the payer.
type ClaimKind string

// The kinds of claims.
const (
	KindClaim            ClaimKind = "claim"
	KindPredetermination ClaimKind = "predetermination" // sent before treatment; its answer is an estimate
)

// ClaimState is where a claim stands.
type ClaimState string

// The states of a claim.
const (
	ClaimDraft                 ClaimState = "draft"
	ClaimValidated             ClaimState = "validated"
	ClaimNeedsAttention        ClaimState = "needs_attention"
	ClaimQueued                ClaimState = "queued"
	ClaimSubmitted             ClaimState = "submitted"
	ClaimAcceptedClearinghouse ClaimState = "accepted_clearinghouse"
	ClaimAcceptedPayer         ClaimState = "accepted_payer"
	ClaimRejected              ClaimState = "rejected"
	ClaimVoided                ClaimState = "voided"
	ClaimPaid                  ClaimState = "paid"
	ClaimDenied                ClaimState = "denied"
	ClaimReconciled            ClaimState = "reconciled"
	ClaimReturned              ClaimState = "returned" // of predeterminations
)

// ClaimStates lists every state of a claim.
func ClaimStates() []ClaimState {
	return []ClaimState{
		ClaimDraft, ClaimValidated, ClaimNeedsAttention, ClaimQueued, ClaimSubmitted, ClaimAcceptedClearinghouse,
		ClaimAcceptedPayer, ClaimRejected, ClaimVoided, ClaimPaid, ClaimDenied, ClaimReconciled, ClaimReturned,
	}
}

// ClaimFrequency says whether a claim is new to the payer (CLM05-3).
type ClaimFrequency string

// The frequencies.
const (
	FrequencyOriginal    ClaimFrequency = "original"    // 1
	FrequencyReplacement ClaimFrequency = "replacement" // 7
	FrequencyVoid        ClaimFrequency = "void"        // 8
)

// Claim asks a payer to pay for what was done, or to say what it would pay.
type Claim struct {
	ID                   ClaimID
	Scope                Scope
	Kind                 ClaimKind
	State                ClaimState
	Frequency            ClaimFrequency
	ParentID             ClaimID // the claim that a void voids
	HasVoid              bool    // there is a void of it that is not rejected; as of a read of it alone, stores ignore it
	PatientControlNumber string
	OfficeID             OfficeID
	OfficeName           string // as of the read; stores ignore it
	Payer                PayerSummary
	Provider             ProviderSummary // who rendered the services; stores keep the ID alone. Zero on a draft without one
	PatientID            PatientID
	Subscriber           ClaimSubscriber
	Patient              *ClaimPatient // nil when the subscriber is the patient
	PlaceOfService       string
	PriorAuthorization   string
	Accident             *Accident
	Note                 string
	Lines                []ClaimLine
	TenantReference      *string
	RequestID            RequestID
	Findings             []Finding
	BatchID              FileID    // the file that carries it, or carried it last
	SentAt               time.Time // when a file with it was first handed to the network
	PayerClaimNumber     string    // the payer's own number for it, as told last (277 REF 1K, CLP07)
	Payments             []ClaimPayment
	ReconciledAt         time.Time
	Estimate             *ClaimEstimate // of a predetermination that was returned
	ConvertedFrom        ClaimID        // the predetermination that the claim was made of
	ConvertedTo          ClaimID        // the claim that was made of the predetermination
	History              []ClaimMove
	CreatedAt            time.Time
	UpdatedAt            time.Time
}

// ProviderSummary names a provider inside another resource.
type ProviderSummary struct {
	ID        ProviderID
	FirstName string
	LastName  string
	NPI       string
}

// ClaimMove is a change of a claim's state.
type ClaimMove struct {
	State ClaimState
	At    time.Time
	Cause ClaimTrigger
	File  string // the name of the file that caused it; empty for none
}

// Finding is what a rule found wrong with a well-formed claim.
type Finding struct {
	Code    string // names the rule, such as tooth_required
	Field   string // a dotted path in the body of POST /claims
	Message string
	Fix     string
}

// ClaimFilter narrows a list of claims; zero fields do not.
type ClaimFilter struct {
	Kind          ClaimKind
	State         ClaimState
	OfficeID      OfficeID
	PayerID       PayerID
	CreatedAfter  time.Time // inclusive
	CreatedBefore time.Time // exclusive
	SentFrom      time.Time // inclusive; claims first sent then, and no voids
	SentTo        time.Time // exclusive
	RequestID     RequestID
	ControlNumber string // compared without case
}

// ClaimSubscriber is the holder of the plan, as a claim names one.
type ClaimSubscriber struct {
	FirstName   string
	LastName    string
	DateOfBirth Date
	MemberID    string
	GroupNumber string
	Gender      Gender
	Address     Address
}

// ClaimPatient is a patient who is covered by somebody else's plan.
type ClaimPatient struct {
	FirstName    string
	LastName     string
	DateOfBirth  Date
	Relationship Relationship
	Gender       Gender
}

// Gender is what payers ask for (DMG03).
type Gender string

// The genders.
const (
	GenderFemale  Gender = "female"
	GenderMale    Gender = "male"
	GenderUnknown Gender = "unknown"
)

// Accident is the accident that made the services necessary.
type Accident struct {
	Type  string // auto, employment or other
	Date  Date
	State string // two letters; where an auto accident happened
}

// ClaimLine is one service.
type ClaimLine struct {
	ProcedureCode      string
	ServiceDate        Date // zero on a predetermination
	Fee                Money
	Quantity           int
	Tooth              string
	Surfaces           []string // of M O D B F L I
	OralCavity         []string
	PriorPlacementDate Date
}

// Subject is what an attachment for the claim is about: the dependent, if any,
// else the subscriber, and the days from the first service to the last.
func (c *Claim) Subject() AttachmentSubject {
	s := c.Subscriber
	about := AttachmentSubject{
		Patient:    AttachmentPatient{s.FirstName, s.LastName, s.DateOfBirth},
		Subscriber: AttachmentSubscriber{s.FirstName, s.LastName, s.MemberID, RelationSelf},
	}
	if p := c.Patient; p != nil {
		about.Patient = AttachmentPatient{p.FirstName, p.LastName, p.DateOfBirth}
		about.Subscriber.Relationship = p.Relationship
	}
	about.ServiceDates = c.ServiceDates()
	return about
}

// ServiceDates is the span from the first service to the last; zero when no
// line has a date.
func (c *Claim) ServiceDates() (span DateSpan) {
	for _, l := range c.Lines {
		if l.ServiceDate.IsZero() {
			continue
		}
		if span.From.IsZero() || l.ServiceDate.Before(span.From) {
			span.From = l.ServiceDate
		}
		if span.To.IsZero() || span.To.Before(l.ServiceDate) {
			span.To = l.ServiceDate
		}
	}
	return span
}

// Charge is the sum of the fees.
func (c *Claim) Charge() (sum Money) {
	for _, l := range c.Lines {
		sum += l.Fee
	}
	return sum
}
