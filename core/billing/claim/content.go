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
	OfficeID           billing.OfficeID       `field:"office_id"`
	Payer              directory.PayerSummary `field:"payer_id"`
	ProviderID         billing.ProviderID     `field:"rendering_provider_id"` // the rendering provider; zero on a draft without one
	Subscriber         Subscriber             `field:"subscriber"`
	Patient            *Patient               `field:"patient"`  // nil when the subscriber is the patient
	Coverage           billing.Sequence       `field:"coverage"` // of the payer among the payers of the services; empty stands for primary
	OtherCoverage      []OtherCoverage        `field:"other_coverage"`
	PatientID          billing.PatientID      // the patient's directory entry; zero while the content does not identify one
	PlaceOfService     string                 `field:"place_of_service"`
	PriorAuthorization string                 `field:"prior_authorization"`
	Accident           *Accident              `field:"accident"`
	Note               string                 `field:"note"`
	Lines              []Line                 `field:"lines"`
	TenantReference    *string                `field:"tenant_reference"`
	EstimateID         billing.EstimateID     `field:"estimate_id"` // of what the patient was told; zero for none

	Details
}

// Subscriber is the holder of the plan on a claim.
type Subscriber struct {
	FirstName   string            `field:"first_name"`
	MiddleName  string            `json:",omitzero" field:"middle_name"`
	LastName    string            `field:"last_name"`
	Suffix      string            `json:",omitzero" field:"suffix"` // such as JR
	DateOfBirth billing.Date      `field:"date_of_birth"`
	MemberID    string            `field:"member_id"`
	GroupNumber string            `field:"group_number"`
	GroupName   string            `json:",omitzero" field:"group_name"`
	Gender      Gender            `field:"gender"`
	Address     directory.Address `field:"address"`
}

// Patient is a patient who is covered by another person's plan.
type Patient struct {
	FirstName    string                `field:"first_name"`
	MiddleName   string                `json:",omitzero" field:"middle_name"`
	LastName     string                `field:"last_name"`
	Suffix       string                `json:",omitzero" field:"suffix"`
	DateOfBirth  billing.Date          `field:"date_of_birth"`
	Relationship coverage.Relationship `field:"relationship"`
	Gender       Gender                `field:"gender"`
	Address      directory.Address     `json:",omitzero" field:"address"` // zero for the subscriber's
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
