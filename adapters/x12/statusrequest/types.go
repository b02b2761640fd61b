package statusrequest

import (
	"log/slog"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Version is the implementation guide that the encoder writes.
const Version = "005010X212"

// Name is an NM1 segment.
type Name = x12.Name

// Inquiry is a 276 about one patient: a provider asks a payer about claims of a subscriber,
// or of one dependent.
type Inquiry struct {
	Interchange x12.Interchange // the version is the encoder's
	Group       x12.Group       // functional ID and version are the encoder's
	Reference   string          // BHT03, at most 50 characters
	CreatedAt   time.Time       // BHT04 and BHT05, UTC, cut to seconds; zero when it cannot be read
	Payer       Name            // loop 2100A
	Receiver    Name            // loop 2100B: who asks, and gets the response
	Provider    Name            // loop 2100C: who billed
	Subscriber  Person          // loops 2000D and 2100D
	Dependent   *Person         // loops 2000E and 2100E; nil if the subscriber is the patient
	Claims      []Claim
	Warnings    []x12.Warning // harmless faults; encoders ignore them
}

// Person is a subscriber or a dependent.
type Person struct {
	Name      Name
	BirthDate billing.Date // DMG02; zero when absent or malformed
	Gender    string       // DMG03: M or F
}

// Claim is what is asked about (loop 2200D or 2200E). Each number that is stated must match
// for the payer to find the claim.
type Claim struct {
	Trace              string           // TRN02: the response repeats it
	PayerClaimNumber   string           // REF 1K
	BillType           string           // REF BLT, of institutions
	ControlNumber      string           // REF EJ: ours, CLM01
	GroupNumber        string           // REF 6P
	ClearinghouseTrace string           // REF D9
	Charge             *billing.Money   // AMT T3; nil when absent
	Service            billing.DateSpan // DTP 472; zero when absent
	Lines              []Line
}

// Line is one service that is asked about.
type Line struct {
	Qualifier string // SVC01-1; AD for dental procedures
	Procedure string
	Charge    billing.Money
	Units     string           // SVC07
	Number    string           // REF FJ: the line's number on the claim
	Service   billing.DateSpan // DTP 472
}

// Patient returns the dependent, or the subscriber if there is none.
func (q *Inquiry) Patient() *Person {
	if q.Dependent != nil {
		return q.Dependent
	}
	return &q.Subscriber
}

// LogValue keeps patient data out of logs.
func (Inquiry) LogValue() slog.Value { return slog.StringValue("276") }
