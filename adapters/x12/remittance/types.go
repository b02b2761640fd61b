package remittance

import (
	"log/slog"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Version is the implementation guide that the encoder writes.
const Version = "005010X221A1"

// Remittance is a Payment with all its claims, for writing.
type Remittance struct {
	Payment

	Claims []Claim
}

// Payment is one transaction set: a transfer of money, or a notice without one.
type Payment struct {
	Interchange x12.Interchange
	Group       x12.Group
	Control     string // ST02
	Version     string // of the guide, from ST03 or else GS08; the encoder writes its own
	Span        Span   // from ST to SE, complete after the last claim; the encoder ignores it

	Handling    string        // BPR01: C with payment, I remittance only, H notice only, ...
	Total       billing.Money // BPR02; negative in some files, against the guide
	CreditDebit string        // BPR03: C or D, both to the provider; as sent
	Method      string        // BPR04: ACH, CHK, NON, ...
	Account     string        // BPR15: the payee's account; empty when absent
	Date        billing.Date  // BPR16; zero when absent or malformed
	Trace       Trace
	Produced    billing.Date // DTM 405; zero when absent or malformed
	References  []Reference  // of the payment itself: EV receiver, F2 version
	Payer       Party        // N1 PR
	Payee       Party        // N1 PE

	Adjustments []ProviderAdjustment // complete after the last claim
	Balance     Balance              // complete after the last claim; the encoder ignores it
}

// AdjustmentsTotal returns the sum of the provider adjustments. A positive sum reduced
// the payment.
func (p *Payment) AdjustmentsTotal() billing.Money {
	var sum billing.Money
	for _, a := range p.Adjustments {
		sum += a.Amount
	}
	return sum
}

// Span is the position of a transaction set in the input, in bytes. It runs from the
// ST to the end of the SE. Its ISA starts at Interchange and its GS at Group.
type Span struct {
	Start, End, Interchange, Group int

	Segment int // ordinal of the ST
}

// Trace is TRN: the number of the transfer or check, and its originator.
type Trace struct {
	Number     string // TRN02
	Originator string // TRN03, the payer's number at its bank
	Division   string // TRN04
}

// Party is the payer or the payee.
type Party struct {
	Name        string // N102
	IDQualifier string // N103: XX NPI, FI tax ID, PI and XV payer IDs
	ID          string // N104
	Address     Address
	References  []Reference // TJ tax ID, PQ payee number, 2U payer number, ...
	Contacts    []Contact
}

// NPI returns the payee's National Provider Identifier, or the empty string.
func (p *Party) NPI() string {
	if p.IDQualifier == "XX" {
		return p.ID
	}
	return ""
}

// TaxID returns the payee's tax ID as sent, with or without a dash, or the empty
// string.
func (p *Party) TaxID() string {
	if p.IDQualifier == "FI" {
		return p.ID
	}
	return reference(p.References, "TJ")
}

// Address is N3 and N4.
type Address = x12.Address

// Contact is a PER segment.
type Contact = x12.Contact

// Number is a way to reach a Contact.
type Number = x12.Number

// Reference is a REF segment.
type Reference struct {
	Qualifier, Value string
}

func reference(all []Reference, qualifier string) string {
	for _, r := range all {
		if r.Qualifier == qualifier {
			return r.Value
		}
	}
	return ""
}

// Date is a DTM segment. Day is zero if the file has no valid day, such as the
// 00000000 of predeterminations.
type Date struct {
	Qualifier string // 232 and 233 claim from and to, 050 received, 472 service, 150 and 151 service from and to
	Day       billing.Date
}

// date returns the first day with the qualifier. Payers that have none send 00000000
// or 19000101.
func date(all []Date, qualifier string) billing.Date {
	for _, d := range all {
		if d.Qualifier == qualifier && !d.Day.IsZero() && d.Day != (billing.Date{Year: 1900, Month: 1, Day: 1}) {
			return d.Day
		}
	}
	return billing.Date{}
}

// Amount is an AMT segment: AU covered, B6 allowed, F5 paid by the patient, I
// interest. It is not part of the balance.
type Amount struct {
	Qualifier string
	Amount    billing.Money
}

func amount(all []Amount, qualifier string) (billing.Money, bool) {
	for _, a := range all {
		if a.Qualifier == qualifier {
			return a.Amount, true
		}
	}
	return 0, false
}

// Adjustment is one triple of a CAS segment.
type Adjustment = x12.Adjustment

// The groups and reasons that affect the computed amounts.
const (
	GroupPatient   = "PR"
	GroupOther     = "OA"
	ReasonEstimate = "101" // with GroupOther: the estimated payment of a predetermination
)

func adjusted(all []Adjustment, group, reason string) billing.Money {
	var sum billing.Money
	for _, a := range all {
		if (group == "" || a.Group == group) && (reason == "" || a.Reason == reason) {
			sum += a.Amount
		}
	}
	return sum
}

// ProviderAdjustment is one pair of a PLB segment: money that belongs to no claim
// of this payment.
type ProviderAdjustment struct {
	Provider  string        // PLB01
	Period    billing.Date  // PLB02, the last day of the provider's fiscal year
	Reason    string        // WO recovery, FB forwarded, 72 returned, L6 interest, CS, ...
	Reference string        // such as the control number of an earlier claim
	Amount    billing.Money // as sent: a positive amount reduces the payment
}

// LogValue keeps patient data out of logs.
func (p Payment) LogValue() slog.Value { return slog.StringValue("835") }

// LogValue keeps patient data out of logs.
func (r Remittance) LogValue() slog.Value { return slog.StringValue("835") }
