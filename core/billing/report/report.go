package report

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// By is the day by which a report selects claims, or counts their age.
type By string

// The days of a claim.
const (
	ByService    By = "service"    // the first service
	BySubmission By = "submission" // when the claim was first sent
	ByDecision   By = "decision"   // when its payer paid or denied it
)

// Group is what the rows of a report are.
type Group string

// The groups.
const (
	ByPayer    Group = "payer"
	ByOffice   Group = "office"
	ByProvider Group = "provider"
)

// Filter selects the claims of a report. Zero fields match all.
type Filter struct {
	By         By
	Group      Group
	Span       billing.DateSpan // both days included; a zero day is no bound
	OfficeID   billing.OfficeID
	PayerID    billing.PayerID
	ProviderID billing.ProviderID
	Zone       string // IANA name; what has a time is of its day there, and today is. Empty is UTC
}

// Today returns the day at now in the zone.
func (f Filter) Today(now time.Time) billing.Date { return f.zone().Today(now) }

// Instants returns a span of days in the zone as times: from the start of its first day to the end of its
// last.
func (f Filter) Instants(s billing.DateSpan) (from, before time.Time) {
	if !s.From.IsZero() {
		from = f.zone().Begins(s.From)
	}
	if !s.To.IsZero() {
		before = f.zone().Begins(s.To.AddDays(1))
	}
	return from, before
}

func (f Filter) zone() *directory.Office { return &directory.Office{TimeZone: f.Zone} }

// Claims returns the filter of the list of all claims that the report is of: those that have the
// day, or that were sent.
func (f Filter) Claims() claim.Filter {
	c := claim.Filter{Kind: claim.KindClaim, OfficeID: f.OfficeID, PayerID: f.PayerID, ProviderID: f.ProviderID}
	if f.By == ByDecision {
		c.Decided = new(true)
	} else {
		c.Sent = new(true)
	}
	f.on(&c, f.Span)
	return c
}

// on selects the claims whose day is in the span.
func (f Filter) on(c *claim.Filter, s billing.DateSpan) {
	switch f.By {
	case ByService:
		c.ServiceFrom, c.ServiceTo = s.From, s.To
	case BySubmission:
		c.SentFrom, c.SentTo = f.Instants(s)
	case ByDecision:
		c.DecidedFrom, c.DecidedTo = s.From, s.To
	}
}

// Remittances returns the filter of the list of remittances whose payments are of the days of the
// report. It has none for a report by another day than that of the decision, or of one provider:
// a payment is of no provider.
func (f Filter) Remittances() (of remit.Filter, has bool) {
	if f.By != ByDecision || !f.ProviderID.IsZero() {
		return remit.Filter{}, false
	}
	return remit.Filter{PayerID: f.PayerID, OfficeID: f.OfficeID, PaidFrom: f.Span.From, PaidTo: f.Span.To}, true
}

// Subject is what a row is about: a payer, an office or a provider. The ID is zero for claims
// that name no provider, and for the sum of all rows.
type Subject struct {
	All  bool // the sum of all rows
	ID   [16]byte
	Name string
}

// in narrows the list of claims to those of the row.
func (o Subject) in(g Group, c *claim.Filter) {
	switch {
	case o.All:
	case g == ByPayer:
		c.PayerID = o.ID
	case g == ByOffice:
		c.OfficeID = o.ID
	case g == ByProvider:
		c.ProviderID, c.NoProvider = o.ID, o.ID == [16]byte{}
	}
}

// Figure is a sum, and how many claims it is of.
type Figure struct {
	Amount billing.Money
	Claims int
}

// Add adds another figure.
func (f *Figure) Add(o Figure) { f.Amount, f.Claims = f.Amount+o.Amount, f.Claims+o.Claims }

// AgingRow is what is open of the claims of a row. Insurance is what payers still have to decide or
// pay, by age, Patient what patients owe, by age. Unsent is what is open of claims that were not sent.
type AgingRow struct {
	Of        Subject
	Insurance [ages]Figure
	Patient   [ages]Figure
	Unsent    Figure
}

// Add adds another row.
func (r *AgingRow) Add(o *AgingRow) {
	for i := range ages {
		r.Insurance[i].Add(o.Insurance[i])
		r.Patient[i].Add(o.Patient[i])
	}
	r.Unsent.Add(o.Unsent)
}

// Total returns the sums of insurance and patient.
func (r *AgingRow) Total() (insurance, patient Figure) {
	for i := range ages {
		insurance.Add(r.Insurance[i])
		patient.Add(r.Patient[i])
	}
	return insurance, patient
}

// InsuranceClaims returns the filter of the list of claims of a row whose open amount has an age.
// A span without days has all ages.
func (f Filter) InsuranceClaims(of Subject, age billing.DateSpan) claim.Filter {
	c := f.Claims()
	of.in(f.Group, &c)
	f.on(&c, age)
	c.Open, c.Last = true, true
	return c
}

// PatientClaims is InsuranceClaims for what patients owe.
func (f Filter) PatientClaims(of Subject, age billing.DateSpan) claim.Filter {
	c := f.Claims()
	of.in(f.Group, &c)
	f.on(&c, age)
	c.Figure = string(Owed)
	return c
}

// UnsentClaims is InsuranceClaims for claims that were not sent.
func (f Filter) UnsentClaims(of Subject) claim.Filter {
	c := f.InsuranceClaims(of, billing.DateSpan{})
	c.Sent = new(false)
	return c
}

// Collected returns the columns of a report of what was collected and written off.
func Collected() []Column { return []Column{Paid, Contractual, WriteOff, Other, Billed, Owed} }

// CollectionsRow is what was collected and written off of the claims of a row, by the columns of
// Collected.
type CollectionsRow struct {
	Of     Subject
	Sums   [6]Figure
	Claims int // all of them
}

// Add adds another row.
func (r *CollectionsRow) Add(o *CollectionsRow) {
	for i := range r.Sums {
		r.Sums[i].Add(o.Sums[i])
	}
	r.Claims += o.Claims
}

// RowClaims returns the filter of the list of claims of a row of which a figure is not 0; of all
// claims of the row for an empty name.
func (f Filter) RowClaims(of Subject, figure Column) claim.Filter {
	c := f.Claims()
	of.in(f.Group, &c)
	c.Figure = string(figure)
	return c
}

// DenialsRow is what payers refuse for a reason.
type DenialsRow struct {
	Refusal remit.Refusal // its amount is the sum; without group, reason and act for the sum of all rows
	Claims  int
}

// RefusedClaims returns the filter of the list of claims of a row; of all rows for a refusal without a reason.
func (f Filter) RefusedClaims(r remit.Refusal) claim.Filter {
	c := f.Claims()
	if r.Reason == "" {
		c.Figure = string(Refused)
		return c
	}
	c.Refused = r
	c.Refused.Amount = 0
	return c
}

// PayerRow is how a payer decides.
type PayerRow struct {
	Of         Subject
	Decided    int // claims
	FirstPass  int
	MeanDays   float64 // from the submission to the decision, with one decimal
	MedianDays int
	Estimates  int // that can be compared with what patients owe
	Within     int // as estimated
	MeanError  billing.Money
}

// PassedClaims returns the filter of the list of decided claims of a payer: those that passed the
// first time, or those that did not.
func (f Filter) PassedClaims(of Subject, first bool) claim.Filter {
	c := f.RowClaims(of, "")
	c.FirstPass = new(first)
	return c
}

// DecidedClaims returns the filter of the list of all decided claims of a payer.
func (f Filter) DecidedClaims(of Subject) claim.Filter {
	c := f.RowClaims(of, "")
	c.Decided = new(true)
	return c
}
