package claim

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Content is the part of a claim that the caller writes and the payer
// receives. PATCH changes its fields; a replacement, a void and a conversion copy
// it whole.
type Content struct {
	OfficeID           billing.OfficeID
	Payer              directory.PayerSummary
	ProviderID         billing.ProviderID // the rendering provider; zero on a draft without one
	Subscriber         Subscriber
	Patient            *Patient         // nil when the subscriber is the patient
	Coverage           billing.Sequence // of the payer among the payers of the services; empty stands for primary
	OtherCoverage      []OtherCoverage
	PatientID          billing.PatientID // the patient's directory entry; zero while the content does not identify one
	PlaceOfService     string
	PriorAuthorization string
	Accident           *Accident
	Note               string
	Lines              []Line
	TenantReference    *string

	Details
}

// Subscriber is the holder of the plan on a claim.
type Subscriber struct {
	FirstName   string
	MiddleName  string `json:",omitzero"`
	LastName    string
	Suffix      string `json:",omitzero"` // such as JR
	DateOfBirth billing.Date
	MemberID    string
	GroupNumber string
	GroupName   string `json:",omitzero"`
	Gender      Gender
	Address     directory.Address
}

// Patient is a patient who is covered by another person's plan.
type Patient struct {
	FirstName    string
	MiddleName   string `json:",omitzero"`
	LastName     string
	Suffix       string `json:",omitzero"`
	DateOfBirth  billing.Date
	Relationship coverage.Relationship
	Gender       Gender
	Address      directory.Address `json:",omitzero"` // zero for the subscriber's
}

// Gender is the gender on a claim (DMG03).
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
	Date  billing.Date
	State string // two letters; where an auto accident happened
}

// Line is one service.
type Line struct {
	ProcedureCode      string
	ServiceDate        billing.Date // zero on a predetermination
	Fee                billing.Money
	Quantity           int
	Tooth              string   // the only tooth; empty with Teeth
	Teeth              []string `json:",omitzero"` // several teeth; they have no surfaces
	Surfaces           []string // of M O D B F L I
	OralCavity         []string
	Modifiers          []string           `json:",omitzero"` // at most 4
	DiagnosisPointers  []int              `json:",omitzero"` // to DiagnosisCodes, from 1; at most 4
	Prosthesis         Prosthesis         `json:",omitzero"`
	PriorPlacementDate billing.Date       // of the prosthesis that is replaced
	PlaceOfService     string             `json:",omitzero"` // empty for the claim's
	ProviderID         billing.ProviderID `json:",omitzero"` // the rendering provider; zero for the claim's
}

// AllTeeth returns the teeth of the line.
func (l *Line) AllTeeth() []string {
	if l.Tooth != "" {
		return []string{l.Tooth}
	}
	return l.Teeth
}

// Subject returns what an attachment for the claim is about: the dependent, or
// else the subscriber, and the days from the first service to the last.
func (c *Content) Subject() attachment.Subject {
	s := c.Subscriber
	about := attachment.Subject{
		Patient:    attachment.Patient{FirstName: s.FirstName, LastName: s.LastName, DateOfBirth: s.DateOfBirth},
		Subscriber: attachment.Subscriber{FirstName: s.FirstName, LastName: s.LastName, MemberID: s.MemberID, Relationship: coverage.RelationSelf},
	}
	if p := c.Patient; p != nil {
		about.Patient = attachment.Patient{FirstName: p.FirstName, LastName: p.LastName, DateOfBirth: p.DateOfBirth}
		about.Subscriber.Relationship = p.Relationship
	}
	about.ServiceDates = c.ServiceDates()
	return about
}

// ServiceDates returns the span from the first service to the last. It is zero
// when no line has a date.
func (c *Content) ServiceDates() (span billing.DateSpan) {
	for _, l := range c.Lines {
		span = span.Including(l.ServiceDate)
	}
	return span
}

// Providers returns the rendering providers of the claim and of its lines, each once.
func (c *Content) Providers() (all []billing.ProviderID) {
	add := func(id billing.ProviderID) {
		if !id.IsZero() && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	add(c.ProviderID)
	for i := range c.Lines {
		add(c.Lines[i].ProviderID)
	}
	return all
}

// Charge returns the sum of the fees.
func (c *Content) Charge() (sum billing.Money) {
	for _, l := range c.Lines {
		sum += l.Fee
	}
	return sum
}
