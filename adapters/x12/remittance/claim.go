package remittance

import (
	"log/slog"
	"strings"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// The codes of CLP02 that change figures.
const (
	StatusDenied           = "4"
	StatusReversal         = "22" // reverses an earlier payment: every amount has the opposite sign
	StatusPredetermination = "25" // pays nothing; see ReasonEstimate
)

// Claim is a CLP segment and its loop. If a payer splits a claim, several have the
// same control number.
type Claim struct {
	Ordinal int // in the payment, from 1; the encoder ignores it
	Segment int // ordinal of the CLP in the input; the encoder ignores it
	Offset  int // of the CLP in the input; the encoder ignores it

	ControlNumber         string         // CLP01, the provider's own; payers change its case
	Status                string         // CLP02
	Charge                billing.Money  // CLP03
	Paid                  billing.Money  // CLP04; negative for a reversal
	PatientResponsibility *billing.Money // CLP05; nil when absent, as in reversals
	FilingCode            string         // CLP06: 12 PPO, MC Medicaid, ...
	PayerControlNumber    string         // CLP07
	PlaceOfService        string         // CLP08
	Frequency             string         // CLP09

	Names       []Name
	Adjustments []Adjustment
	Amounts     []Amount
	Dates       []Date
	References  []Reference // F8 the payer's number of the claim that this one changes, ...
	Contacts    []Contact
	Inpatient   []string // the elements of MIA
	Outpatient  []string // the elements of MOA
	Services    []Service

	Findings []Finding // why the claim does not balance; the encoder ignores them
}

// Reference returns the value of the claim's own first REF with the qualifier, or
// the empty string.
func (c *Claim) Reference(qualifier string) string { return reference(c.References, qualifier) }

// Date returns the day of the claim's own first DTM with the qualifier.
func (c *Claim) Date(qualifier string) billing.Date { return date(c.Dates, qualifier) }

// Amount returns the claim's own first AMT with the qualifier.
func (c *Claim) Amount(qualifier string) (billing.Money, bool) { return amount(c.Amounts, qualifier) }

// Adjusted returns the sum of the adjustments of the claim and its lines with the
// group and the reason. An empty group or reason matches all.
func (c *Claim) Adjusted(group, reason string) billing.Money {
	sum := adjusted(c.Adjustments, group, reason)
	for i := range c.Services {
		sum += c.Services[i].Adjusted(group, reason)
	}
	return sum
}

// Remarks returns the remark codes of the claim, such as MA15 for a split one.
func (c *Claim) Remarks() []string {
	var all []string
	for n, code := range c.Outpatient {
		if code != "" && n >= 2 && n <= 6 { // MOA03 to MOA07
			all = append(all, strings.ToUpper(code))
		}
	}
	for n, code := range c.Inpatient {
		if code != "" && (n == 4 || n >= 19 && n <= 22) { // MIA05, MIA20 to MIA23
			all = append(all, strings.ToUpper(code))
		}
	}
	return all
}

// Balanced reports whether the claim and its lines balance. A balanced claim can be
// posted even if other claims of the payment do not balance.
func (c *Claim) Balanced() bool { return len(c.Findings) == 0 }

// Clone returns a copy that stays valid after the next call of the Decoder.
func (c *Claim) Clone() *Claim {
	k := *c
	k.Names, k.Adjustments, k.Amounts, k.Dates = kept(c.Names), kept(c.Adjustments), kept(c.Amounts), kept(c.Dates)
	k.References, k.Contacts, k.Services = kept(c.References), kept(c.Contacts), kept(c.Services)
	for i := range k.Services {
		s := &k.Services[i]
		s.Dates, s.Adjustments, s.References = kept(s.Dates), kept(s.Adjustments), kept(s.References)
		s.Amounts, s.Remarks = kept(s.Amounts), kept(s.Remarks)
	}
	return &k
}

// kept copies a list that the decoder may overwrite. It returns nil for an empty list.
func kept[T any](list []T) []T { return append([]T(nil), list...) }

// Name is an NM1 segment.
type Name = x12.Name

// Service is an SVC segment and its loop: one line.
type Service struct {
	Segment int // ordinal of the SVC in the input; the encoder ignores it

	Procedure      Procedure     // SVC01: adjudicated
	Submitted      Procedure     // SVC06: billed; zero when it is the same
	Charge         billing.Money // SVC02
	Paid           billing.Money // SVC03
	Revenue        string        // SVC04
	Units          string        // SVC05, paid; a decimal
	SubmittedUnits string        // SVC07, billed

	Dates       []Date
	Adjustments []Adjustment
	References  []Reference // 6R the billed line's control number
	Amounts     []Amount    // B6 allowed
	Remarks     []Remark
}

// Reference returns the value of the first REF with the qualifier, or the empty
// string.
func (s *Service) Reference(qualifier string) string { return reference(s.References, qualifier) }

// Amount returns the first AMT with the qualifier.
func (s *Service) Amount(qualifier string) (billing.Money, bool) {
	return amount(s.Amounts, qualifier)
}

// Adjusted returns the sum of the adjustments with the group and the reason. An empty
// group or reason matches all.
func (s *Service) Adjusted(group, reason string) billing.Money {
	return adjusted(s.Adjustments, group, reason)
}

// Date returns the first day of the service, or zero when it is absent.
func (s *Service) Date() billing.Date {
	if day := date(s.Dates, "472"); !day.IsZero() {
		return day
	}
	return date(s.Dates, "150")
}

// Procedure is a medical procedure identifier (composite C003). Dental codes
// have the qualifier AD.
type Procedure struct {
	Qualifier   string
	Code        string
	Modifiers   []string // at most four
	Description string
}

// Remark is an LQ segment; the qualifier of remark codes is HE.
type Remark struct {
	Qualifier, Code string
}

// LogValue keeps patient data out of logs.
func (c Claim) LogValue() slog.Value { return slog.StringValue("claim of an 835") }
