package acknowledgements

import (
	"iter"
	"log/slog"
	"time"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/core/billing"
)

// Kind is the use of a Report: the implementation guide of the 277.
type Kind string

// The kinds, as the encoder writes them in GS08 and ST03.
const (
	KindAcknowledgement Kind = "005010X214" // 277CA: claims were accepted or rejected
	KindRequest         Kind = "005010X213" // the payer asks for more information
	KindResponse        Kind = "005010X212" // the response to a status inquiry
)

// Side is the side that reports.
type Side string

// The sides. The zero Side is neither.
const (
	SideClearinghouse Side = "clearinghouse"
	SidePayer         Side = "payer"
)

// Report is a 277: the status of claims. Its levels nest as its HL segments do:
// sources, receivers, providers, claims.
type Report struct {
	Interchange x12.Interchange // the version is the encoder's
	Group       x12.Group       // functional ID and version are the encoder's
	Kind        Kind
	Version     string    // of the guide, as sent; the encoder writes the kind's
	Control     string    // ST02; empty means 0001
	Reference   string    // BHT03, at most 50 characters
	CreatedAt   time.Time // BHT04 and BHT05, UTC, cut to seconds; zero when it cannot be read
	Sources     []Source
}

// Claims returns each claim of the report with the source that reports it.
func (r *Report) Claims() iter.Seq2[*Source, *Claim] {
	return func(yield func(*Source, *Claim) bool) {
		for i := range r.Sources {
			s := &r.Sources[i]
			for _, receiver := range s.Receivers {
				for _, p := range receiver.Providers {
					for k := range p.Claims {
						if !yield(s, &p.Claims[k]) {
							return
						}
					}
				}
			}
		}
	}
}

// Level holds the fields that sources, receivers and providers share. A rejected
// level rejects all of its claims, even those that the report does not list. In an
// accepted level, each claim has its own status.
type Level struct {
	Name     Name
	Trace    string // TRN02: for a receiver, BHT03 of its 837
	Statuses []Status
	Totals   Totals
}

// Source is the party that reports (HL 20).
type Source struct {
	Level
	Received  billing.Date // DTP 050: when the claims came in
	Processed billing.Date // DTP 009
	Receivers []Receiver
}

// Side distinguishes a clearinghouse from a payer.
func (s *Source) Side() Side {
	switch s.Name.Entity {
	case "AY":
		return SideClearinghouse
	case "PR":
		return SidePayer
	default:
		return ""
	}
}

// Receiver is the sender of the claims (HL 21).
type Receiver struct {
	Level
	Providers []Provider
}

// Provider is the billing provider (HL 19).
type Provider struct {
	Level
	TaxID  string // REF TJ, or EI or SY: beside an NPI
	Claims []Claim
}

// Totals are the number and charge of the claims that a level accepts and
// rejects (QTY and AMT); zero where absent.
type Totals struct {
	Accepted       int
	Rejected       int
	AcceptedAmount billing.Money
	RejectedAmount billing.Money
}

// Claim is the status of one claim.
type Claim struct {
	Segment       int    // ordinal of the TRN, or of the HL without one; encoders ignore it
	Patient       Name   // the ID is the subscriber's member ID
	Subscriber    Name   // of a patient who is a dependent, in a response to an inquiry; zero otherwise
	ControlNumber string // ours, CLM01: REF EJ, else TRN02 of an acknowledgement

	// Trace is TRN02 if it is not a number of the claim, but for example the
	// inquiry's. PayerReference is TRN02 if TRN01 is 1: the payer's reference, which
	// the reply to a request repeats.
	Trace          string
	PayerReference string

	PayerClaimNumber    string // REF 1K
	ClearinghouseNumber string // REF D9
	Statuses            []Status
	Service             billing.DateSpan // DTP 472; zero when absent
	Due                 billing.Date     // DTP 106: the date by which the payer needs the reply
	Lines               []Line
}

// Line is the status of one service of a claim.
type Line struct {
	Qualifier string // SVC01-1; AD for dental procedures
	Procedure string
	Charge    billing.Money
	Paid      *billing.Money // SVC03, of responses to inquiries; nil when absent
	Number    string         // REF FJ: the line's number on the claim
	Service   billing.DateSpan
	Statuses  []Status
}

// Status is an STC segment.
type Status struct {
	Codes     []Code // STC01, STC10 and STC11
	Effective billing.Date
	Action    string        // STC03: WQ accepted, U rejected
	Charge    billing.Money // STC04; zero when absent
	Text      string        // STC12, at most 264 characters

	// Of responses to inquiries (005010X212).
	Paid        *billing.Money // STC05; nil when absent
	Decided     billing.Date   // STC06: when the adjudication was finalized
	PaymentDate billing.Date   // STC08: of the check or the transfer
	Payment     string         // STC09: the number of the check or the transfer
}

// Code is a health care claim status (composite C043).
type Code struct {
	Category string // such as A7
	Status   string // of the claim status list, or of List
	Entity   string // the party that it concerns, such as 85 for the billing provider
	List     string // empty for the claim status list; LOI for LOINC
}

// Name is an NM1 segment.
type Name = x12.Name

// LogValue keeps patient data out of logs.
func (r Report) LogValue() slog.Value { return slog.StringValue("277") }

// LogValue keeps patient data out of logs.
func (c Claim) LogValue() slog.Value { return slog.StringValue("claim of a 277") }
