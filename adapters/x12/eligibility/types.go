package eligibility

import (
	"log/slog"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Version is the implementation guide that the encoder writes.
const Version = "005010X279A1"

// Inquiry is a 270 about one patient: a provider asks a payer about a subscriber
// or one dependent.
type Inquiry struct {
	Interchange x12.Interchange // the version is the encoder's
	Group       x12.Group       // functional ID and version are the encoder's
	Reference   string          // BHT03, at most 50 characters; the reply repeats it
	CreatedAt   time.Time       // BHT04 and BHT05, UTC, cut to hundredths of a second
	Payer       Party
	Provider    Party
	Subscriber  Party
	Dependent   *Party // nil if the subscriber is the patient
	Queries     []Query
}

// Patient returns the dependent, or the subscriber if there is none. Its Traces
// and Dates are the inquiry's trace number and service date.
func (q *Inquiry) Patient() *Party {
	if q.Dependent != nil {
		return q.Dependent
	}
	return &q.Subscriber
}

// Query is an EQ segment: a service type such as "35" for all dental benefits,
// or one procedure.
type Query struct {
	ServiceTypes []string  // EQ01
	Procedure    Procedure // EQ02
	Level        string    // EQ03, such as "IND"
}

// Reply is a 271 about one patient. A loop that the payer left out is nil.
type Reply struct {
	Interchange x12.Interchange
	Group       x12.Group
	Version     string    // the guide's version, from ST03 or else GS08; the encoder writes its own
	Purpose     string    // BHT02; 11 is a response
	Reference   string    // BHT03
	CreatedAt   time.Time // zero if it cannot be read
	Source      *Party    // loops 2000A and 2100A: the payer
	Receiver    *Party    // loops 2000B and 2100B: the provider
	Subscriber  *Member   // loops 2000C, 2100C and 2110C
	Dependent   *Member   // loops 2000D, 2100D and 2110D
	Warnings    []x12.Warning
}

// Patient returns the dependent, or the subscriber if there is none, or nil if
// there is neither.
func (r *Reply) Patient() *Member {
	if r.Dependent != nil {
		return r.Dependent
	}
	return r.Subscriber
}

// Rejections returns every AAA of the reply in the order of the loops. A member's
// AAAs precede those of its benefits.
func (r *Reply) Rejections() []Rejection {
	var all []Rejection
	for _, p := range []*Party{r.Source, r.Receiver} {
		if p != nil {
			all = append(all, p.Rejections...)
		}
	}
	for _, m := range []*Member{r.Subscriber, r.Dependent} {
		if m == nil {
			continue
		}
		all = append(all, m.Rejections...)
		for _, b := range m.Benefits {
			all = append(all, b.Rejections...)
		}
	}
	return all
}

// Member is a subscriber or a dependent of a reply.
type Member struct {
	Party
	Benefits []Benefit
}

// Party is the party of a loop: a payer, provider, subscriber or dependent, or a
// party that a benefit refers to. Fields are kept as sent; absent ones are empty.
type Party struct {
	Segment      int // ordinal of the NM1, or 0 if there is none; encoders ignore it
	Name         Name
	Address      Address
	BirthDate    billing.Date // DMG02; zero when absent or malformed
	Gender       string       // DMG03: M, F or U
	Insured      string       // INS01: Y for the subscriber, N for a dependent
	Relationship string       // INS02: 18 self, 01 spouse, 19 child, G8 other
	Role         string       // PRV01, such as BI for billing
	Taxonomy     string       // PRV03
	Traces       []Trace
	References   []Reference
	Contacts     []Contact
	Dates        []Date
	Rejections   []Rejection
	Messages     []string // MSG before the first EB
}

// Reference returns the value of the first REF with the qualifier, or the empty
// string.
func (p *Party) Reference(qualifier string) string {
	for _, r := range p.References {
		if r.Qualifier == qualifier {
			return r.Value
		}
	}
	return ""
}

// Name is an NM1 segment.
type Name = x12.Name

// Address is N3 and N4.
type Address = x12.Address

// Trace is a TRN segment. In a 271, type 2 repeats the inquiry's trace number, and
// type 1 has the payer's own number.
type Trace struct {
	Type, Number, Originator, Division string
}

// Reference is a REF segment; 6P is the group number, 18 the plan number.
type Reference struct {
	Qualifier, Value, Description string
}

// Contact is a PER segment.
type Contact = x12.Contact

// Number is a way to reach a Contact.
type Number = x12.Number

// Date is a DTP segment as sent; Span reads it.
type Date struct {
	Qualifier string // 291 plan, 346 plan begin, 304 latest visit, ...
	Format    string // D8, RD8
	Value     string
}

// On returns a Date of one day.
func On(qualifier string, day billing.Date) Date { return Date{qualifier, "D8", day.X12()} }

// Rejection is an AAA segment and the loop that contains it.
type Rejection struct {
	Segment  int    // ordinal of the AAA
	Loop     string // 2000A, 2100A, 2100B, 2100C, 2110C, 2100D or 2110D
	Valid    string // AAA01, Y or N; senders disagree on its meaning
	Reason   string // AAA03
	FollowUp string // AAA04
}

// Benefit is an EB segment and the segments under it, as sent.
type Benefit struct {
	Segment           int      // ordinal of the EB
	Code              string   // EB01: 1 active, C deductible, F limitation, A co-insurance, ...
	Level             string   // EB02: IND, FAM
	ServiceTypes      []string // EB03: 35 dental, 41 preventive, ...; nil when absent
	InsuranceType     string   // EB04
	Plan              string   // EB05: the plan's or a network's name
	Period            string   // EB06: 23 calendar year, 29 remaining, ...
	Amount            string   // EB07, money
	Percent           string   // EB08, a fraction of 1
	QuantityQualifier string   // EB09
	Quantity          string   // EB10
	Authorization     string   // EB11: Y, N, U
	InNetwork         string   // EB12: Y, N, U, W
	Procedure         Procedure
	Diagnoses         []string // EB14, pointers
	Deliveries        []Delivery
	References        []Reference
	Dates             []Date
	Rejections        []Rejection
	Messages          []string
	Information       []Information
	Related           []Party // loop 2120: another payer, a provider to call
}

// Procedure is a medical procedure identifier (composite C003). Dental codes
// have the qualifier AD.
type Procedure struct {
	Qualifier string
	Code      string
	Modifiers []string // with the components that follow them
}

// Last returns the last code of a range of procedures (component 8), or an empty
// string for a single one.
func (p Procedure) Last() string {
	const at = 5 // after Qualifier, Code, four modifiers and the description
	if len(p.Modifiers) <= at {
		return ""
	}
	return p.Modifiers[at]
}

// Delivery is an HSD segment: how often a service is covered, or how much of it.
type Delivery struct {
	Quantifier  string // HSD01: VS visits, FL units, ...
	Quantity    string // HSD02
	Per         string // HSD03: unit of the sampling interval
	Every       string // HSD04: the interval
	Period      string // HSD05: as EB06; 34 month, 21 years, 23 calendar year
	Periods     string // HSD06: how many periods
	Pattern     string // HSD07
	TimePattern string // HSD08
}

// Information is an III segment: a place of service, or a remark.
type Information struct {
	Qualifier, Code, Category, Text string
}

// LogValue keeps patient data out of logs.
func (q Inquiry) LogValue() slog.Value { return slog.StringValue("270") }

// LogValue keeps patient data out of logs.
func (r Reply) LogValue() slog.Value { return slog.StringValue("271") }

// LogValue keeps patient data out of logs.
func (p Party) LogValue() slog.Value { return slog.StringValue("party of an eligibility message") }
