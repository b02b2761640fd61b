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
	MaxAttachments   = 10 // PWK segments of loop 2300
	MaxNotes         = 5  // NTE segments of loop 2300, of 80 characters each
	MaxDiagnoses     = 4  // components of HI, and pointers of a line (SV311)
	MaxTeethStatus   = 35 // DN2 segments, of missing teeth and teeth to extract together
	MaxOtherPayers   = 2  // loops 2320: one for each other Coverage
	MaxModifiers     = 4  // SV301-3 to SV301-6
	MaxTeeth         = 32 // TOO segments of a line
	MaxAdjudications = 15 // loops 2430 of a line
	MaxAdjustments   = 5  // CAS segments of a level, each with one group and up to six adjustments
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
	MostNotes   int // NTE segments of a claim, at most MaxNotes; 0 stands for MaxNotes
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

	Coverage         string // SBR01, a Coverage constant; empty stands for CoveragePrimary
	FilingIndicator  string // SBR09; empty stands for FilingCommercial
	ProviderNumber   string // REF G2 of loop 2010BB: the payer's number for the billing provider
	ProviderLocation string // REF LU of loop 2010BB: the payer's number for the provider's location

	PatientControlNumber   string        // CLM01
	PlaceOfService         string        // CLM05-1; empty stands for 11, an office
	Frequency              string        // CLM05-3; empty stands for FrequencyOriginal
	Assignment             string        // CLM07, an Assignment constant; empty stands for AssignmentAccepted
	BenefitsAssigned       string        // CLM08, a Benefits constant; empty stands for BenefitsToProvider
	Release                string        // CLM09, a Release constant; empty stands for ReleaseSigned
	Predetermination       bool          // CLM19 PB
	ServiceDate            billing.Date  // DTP 472 of loop 2300; zero for none. A decoded line without a date has it.
	Accident               *Accident     // CLM11 and DTP 439
	Orthodontics           *Orthodontics // DN1 and DTP 452
	MissingTeeth           []string      // DN2 M
	TeethToExtract         []string      // DN2 E
	Attachments            []Attachment  // at most MaxAttachments
	PatientPaid            billing.Money // AMT F5; zero for none
	PredeterminationNumber string        // REF G3: the payer's number for the predetermination that this claim follows
	PayerClaimNumber       string        // REF F8 of a replacement or a void: the payer's number for the original claim
	ReferralNumber         string        // REF 9F
	PriorAuthorization     string        // REF G1
	Note                   string        // NTE, as one text
	Diagnoses              []string      // HI, codes of ICD-10-CM, the principal first
	Referring              Provider      // loop 2310A; zero for none
	Rendering              Provider      // loop 2310B; zero for none
	Facility               Facility      // loop 2310C; zero for the billing provider's address
	OtherPayers            []OtherPayer  // loop 2320, each with another Coverage
	Lines                  []Line        // loop 2400
	Segment                int           // ordinal of the CLM; encoders ignore it
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

// The ranks of a payer among the payers of a claim (SBR01).
const (
	CoveragePrimary   = "P"
	CoverageSecondary = "S"
	CoverageTertiary  = "T"

	coverageUnknown = "U"
)

// FilingCommercial is the filing indicator (SBR09) of a commercial insurer.
const FilingCommercial = "CI"

// Whether the provider accepts the plan's terms for the claim (CLM07).
const (
	AssignmentAccepted = "A"
	AssignmentRefused  = "C"
)

// Where the payer sends the benefits (CLM08, OI03).
const (
	BenefitsToProvider = "Y"
	BenefitsToPatient  = "N"
	BenefitsRefused    = "W" // the patient refuses to assign the benefits
)

// The patient's consent to the release of information (CLM09, OI06).
const (
	ReleaseSigned   = "Y"
	ReleaseInformed = "I" // informed consent, where no statute requires a signature
)

// BillingProvider is the practice that sends the claim.
type BillingProvider struct {
	Name      string // of a person, the first and the last name, which the encoder ignores
	Person    bool   // NM102 1: FirstName and LastName are the name
	FirstName string
	LastName  string
	NPI       string
	TaxID     string // REF EI
	License   string // REF 0B
	Taxonomy  string // PRV BI of loop 2000A
	Contact   string // PER02; empty stands for the name
	Phone     string
	Address   Address
}

// Provider is a person who renders services, or who refers the patient.
type Provider struct {
	FirstName string
	LastName  string
	NPI       string
	Taxonomy  string // PRV
	License   string // REF 0B
	Number    string // REF G2: the payer's number
	Location  string // REF LU: the payer's number for the location
}

// Facility is the place of the services when it is not the billing provider's address.
type Facility struct {
	Name    string
	NPI     string
	Address Address
}

// Address is N3 and N4.
type Address = x12.Address

// Subscriber is the holder of the plan.
type Subscriber struct {
	FirstName   string
	MiddleName  string
	LastName    string
	Suffix      string
	MemberID    string
	GroupNumber string // SBR03
	GroupName   string // SBR04; written only without a group number
	DateOfBirth billing.Date
	Gender      string // a Gender constant, or empty when the file does not say
	Address     Address
}

// Payer is the payer that the claim is sent to.
type Payer struct{ Name, PayerID string }

// Patient is a dependent of the subscriber.
type Patient struct {
	FirstName    string
	MiddleName   string
	LastName     string
	Suffix       string
	Relationship string // a Relation constant other than RelationSelf
	DateOfBirth  billing.Date
	Gender       string  // a Gender constant, or empty when the file does not say
	Address      Address // zero for the subscriber's
}

// The genders (DMG03).
const (
	GenderFemale  = "F"
	GenderMale    = "M"
	GenderUnknown = "U"
)

// The relationships of a patient to a subscriber (PAT01, SBR02).
const (
	RelationSelf   = "18" // only of another payer; a claim has no Patient then
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

// Orthodontics is the course of an orthodontic treatment.
type Orthodontics struct {
	TotalMonths     int          // DN101; 0 when not stated
	MonthsRemaining int          // DN102; 0 when not stated
	ApplianceDate   billing.Date // DTP 452: when the appliance was placed
}

// Line is one service (SV3).
type Line struct {
	Procedure         string
	Modifiers         []string // SV301-3 to SV301-6
	Fee               billing.Money
	PlaceOfService    string         // SV303; empty, or the claim's, for the claim's
	OralCavity        []string       // SV304
	Prosthesis        string         // SV305, a Prosthesis constant; empty for none
	Quantity          int            // SV306; 0 stands for 1
	DiagnosisPointers []int          // SV311, from 1 for the first of the claim's Diagnoses
	Teeth             []Tooth        // TOO
	ServiceDate       billing.Date   // DTP 472; zero for the claim's
	PriorPlacement    billing.Date   // DTP 441; zero for none
	Rendering         Provider       // loop 2420A; zero for the claim's
	Adjudications     []Adjudication // loop 2430
}

// Tooth is a tooth of a service with its treated surfaces (TOO).
type Tooth struct {
	Number   string
	Surfaces []string
}

// The placements of a crown, a bridge or a denture (SV305).
const (
	ProsthesisInitial     = "I"
	ProsthesisReplacement = "R" // of the one placed at PriorPlacement
)

// OtherPayer is another payer of the patient, with its adjudication of the claim if
// there is one (loops 2320, 2330A and 2330B).
type OtherPayer struct {
	Coverage         string // SBR01, a Coverage constant
	Relationship     string // SBR02, a Relation constant: of the patient to this payer's subscriber
	GroupNumber      string // SBR03
	GroupName        string // SBR04; written only without a group number
	FilingIndicator  string // SBR09; empty stands for FilingCommercial
	Adjustments      []Adjustment
	Paid             *billing.Money // AMT D; nil before the adjudication
	Remaining        *billing.Money // AMT EAF: what the patient still owes; nil when unknown
	BenefitsAssigned string         // OI03, a Benefits constant; empty stands for BenefitsToProvider
	Release          string         // OI06, a Release constant; empty stands for ReleaseSigned
	Subscriber       OtherSubscriber
	Payer            Payer        // its PayerID is the one that the lines' Adjudications state
	PaymentDate      billing.Date // DTP 573; written only if no line has a date for the payer
	PayerClaimNumber string       // REF F8
}

// OtherSubscriber is the holder of another payer's plan.
type OtherSubscriber struct {
	FirstName  string
	MiddleName string
	LastName   string
	Suffix     string
	MemberID   string
	Address    Address
}

// Adjudication is what another payer decided about a line (loop 2430).
type Adjudication struct {
	PayerID     string // SVD01: the PayerID of an OtherPayer
	Paid        billing.Money
	Procedure   string // SVD03; empty stands for the line's
	Quantity    int    // SVD05: the units paid, 0 for a denied line
	Adjustments []Adjustment
	PaymentDate billing.Date // DTP 573
}

// Adjustment is the amount by which a payment is less than the charge, and its
// reason. The amounts of a line and its payment add up to the line's charge.
type Adjustment = x12.Adjustment

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
