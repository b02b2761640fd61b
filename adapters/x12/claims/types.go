package claims

import (
	"log/slog"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Version is the implementation guide that the encoder writes.
const Version = "005010X224A2"

// The limits of a claim. The encoder drops anything above them.
const (
	MaxAttachments = 10 // PWK segments of loop 2300
	MaxNotes       = 5  // NTE segments of loop 2300, of 80 characters each
)

// Batch is a transaction set of claims that a submitter sends to a receiver. The
// guide recommends at most 5,000 claims.
type Batch struct {
	Interchange x12.Interchange // the version is the encoder's; Test is ISA15
	Group       x12.Group       // functional ID and version are the encoder's
	Control     string          // ST02, four to nine characters; empty stands for 0001
	Reference   string          // BHT03, at most 50 characters; empty stands for Control
	CreatedAt   time.Time       // BHT04 and BHT05, UTC, cut to seconds
	Submitter   Submitter
	Receiver    Receiver
	Claims      []Claim
}

// Submitter is the sender of the file and its contact (loop 1000A).
type Submitter struct {
	Name    string
	ID      string // as agreed with the receiver
	Contact string
	Phone   string
	Email   string
}

// Receiver is the receiver of the file (loop 1000B).
type Receiver struct {
	Name string
	ID   string
}

// Claim is one claim (CLM) with the loops that contain it. Codes are X12 codes. A
// decoded claim contains only the codes that are constants here.
type Claim struct {
	Billing    BillingProvider // loop 2010AA
	PayTo      Address         // the address for payments (loop 2010AB); zero for the billing provider's address
	Subscriber Subscriber      // loops 2000B and 2010BA
	Payer      Payer           // loop 2010BB
	Patient    *Patient        // loops 2000C and 2010CA; nil when the subscriber is the patient

	PatientControlNumber string       // CLM01
	PlaceOfService       string       // CLM05-1; empty stands for 11, an office
	Frequency            string       // CLM05-3; empty stands for FrequencyOriginal
	Predetermination     bool         // CLM19 PB
	Accident             *Accident    // CLM11 and DTP 439
	Attachments          []Attachment // at most MaxAttachments
	PayerClaimNumber     string       // REF F8 of a replacement or a void: the payer's number for the original claim
	PriorAuthorization   string       // REF G1
	Note                 string       // NTE, as one text
	Rendering            Provider     // loop 2310B; zero for none
	Lines                []Line       // loop 2400
	Segment              int          // ordinal of the CLM; encoders ignore it
}

// Charge returns the sum of the fees (CLM02).
func (c *Claim) Charge() (sum billing.Money) {
	for i := range c.Lines {
		sum += c.Lines[i].Fee
	}
	return sum
}

// ServiceDates returns the span from the first service to the last. It is zero if no
// line has a date.
func (c *Claim) ServiceDates() (span billing.DateSpan) {
	for i := range c.Lines {
		span = span.Including(c.Lines[i].ServiceDate)
	}
	return span
}

// The frequencies of a claim (CLM05-3).
const (
	FrequencyOriginal    = "1"
	FrequencyReplacement = "7"
	FrequencyVoid        = "8"
)

// BillingProvider is the practice that sends the claim.
type BillingProvider struct {
	Name    string
	NPI     string
	TaxID   string // REF EI
	Phone   string
	Address Address
}

// Provider is a person who renders services.
type Provider struct{ FirstName, LastName, NPI, Taxonomy string }

// Address is N3 and N4.
type Address struct{ Line1, Line2, City, State, ZIP string }

// Subscriber is the holder of the plan.
type Subscriber struct {
	FirstName   string
	LastName    string
	MemberID    string
	GroupNumber string // SBR03
	DateOfBirth billing.Date
	Gender      string // a Gender constant, or empty when the file does not say
	Address     Address
}

// Payer is the payer that the claim is sent to.
type Payer struct{ Name, PayerID string }

// Patient is a dependent of the subscriber. The guide requires an address, so the
// encoder writes the subscriber's.
type Patient struct {
	FirstName    string
	LastName     string
	Relationship string // a Relation constant
	DateOfBirth  billing.Date
	Gender       string // a Gender constant, or empty when the file does not say
}

// The genders (DMG03).
const (
	GenderFemale  = "F"
	GenderMale    = "M"
	GenderUnknown = "U"
)

// The relationships of a patient to the subscriber (PAT01).
const (
	RelationSpouse = "01"
	RelationChild  = "19"
	RelationOther  = "G8"
)

// Accident is the accident that made the services necessary.
type Accident struct {
	Cause string // CLM11-1, a Cause constant
	Date  billing.Date
	State string // CLM11-4
}

// The causes of services (CLM11-1).
const (
	CauseAuto       = "AA"
	CauseEmployment = "EM"
	CauseOther      = "OA"
)

// Line is one service (SV3).
type Line struct {
	Procedure      string
	Fee            billing.Money
	Quantity       int          // 0 stands for 1
	OralCavity     []string     // SV304
	Tooth          string       // TOO02
	Surfaces       []string     // TOO03
	ServiceDate    billing.Date // DTP 472
	PriorPlacement billing.Date // DTP 441; zero for none
}

// Attachment is a claim's reference to an attachment that is sent separately (PWK
// and NTE of loop 2300).
type Attachment struct {
	ReportType string // PWK01, such as RB for radiographs; empty stands for ReportOther
	Number     string // PWK06, at most 50 characters
	Note       string // NTE02, at most 80 characters, starting with Number; empty for none
}

// ReportOther is the report type of support data for a claim.
const ReportOther = "OZ"

// LogValue keeps patient data out of logs.
func (b Batch) LogValue() slog.Value { return slog.StringValue("837") }

// LogValue keeps patient data out of logs.
func (c Claim) LogValue() slog.Value { return slog.StringValue("claim of an 837") }
