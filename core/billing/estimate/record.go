package estimate

import (
	"cmp"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/fee"
)

// MaxLines is how many lines an estimate may have.
const MaxLines = 50

// Record is an estimate with what it was computed from. It never changes: a new one is made
// instead.
type Record struct {
	ID          billing.EstimateID // zero for a preview
	Scope       billing.Scope
	CreatedAt   time.Time
	CheckID     billing.CheckID
	SecondCheck billing.CheckID // zero for none
	PatientID   billing.PatientID
	OfficeID    billing.OfficeID
	Payer       directory.PayerSummary
	Content
}

// Content is the part of a record that a store keeps as a document.
type Content struct {
	Network      fee.Network
	Coordination Coordination // empty without a second plan
	Services     []Service    // in the order of the lines
	Estimate     *Estimate
}

// Position returns the place in a list, by the time and the ID.
func (r *Record) Position() billing.Position {
	return billing.Position{Time: r.CreatedAt, ID: r.ID}
}

// Filter selects estimates. Empty fields select all.
type Filter struct {
	PatientID billing.PatientID
	CheckID   billing.CheckID
}

// PayerAccuracy is how far the estimates of a payer are from what patients owe, once its
// payments are applied: by the nearest end of each estimate.
type PayerAccuracy struct {
	Payer     directory.PayerSummary
	Estimates int           // with a payment
	Within    int           // of them, with what the patient owes between both ends
	MeanError billing.Money // the mean of how far they are off, more or less
}

// Service is a service that an estimate is asked for.
type Service struct {
	Code             string
	Quantity         int // at least 1
	Tooth            string
	Surfaces         []string
	OralCavity       []string
	ServiceDate      billing.Date
	LastService      billing.Date `json:",omitzero"`
	ToothLostOn      billing.Date `json:",omitzero"`
	PriorPlacement   billing.Date `json:",omitzero"`
	Alternate        string       // the code of the procedure that the plan pays instead; empty for none
	Fee              Source       // of all units
	Allowed          Source       // of all units; of kind Missing where the fee stands in
	AlternateAllowed Source       `json:",omitzero"`
	// The same under the second plan.
	SecondAllowed          Source `json:",omitzero"`
	SecondAlternate        string `json:",omitempty"`
	SecondAlternateAllowed Source `json:",omitzero"`
}

// Source is an amount with its origin.
type Source struct {
	Amount       billing.Money
	From         SourceKind
	ScheduleID   billing.FeeScheduleID `json:",omitzero"` // of Schedule
	ScheduleName string                `json:",omitzero"`
	// NoWriteOffBeyondLimits is what the schedule says of services beyond a limit of the plan.
	NoWriteOffBeyondLimits bool `json:",omitzero"`
}

// SourceKind is where an amount comes from.
type SourceKind string

// The kinds. Empty is Missing.
const (
	Given    SourceKind = "given"        // by the caller
	Schedule SourceKind = "fee_schedule" // by a fee schedule
	Missing  SourceKind = "missing"
)

// SourceKinds lists every kind.
func SourceKinds() []SourceKind { return []SourceKind{Given, Schedule, Missing} }

// Price takes the amount of a fee schedule, for each unit, where the caller gave none.
func (s *Source) Price(a *fee.Amount, units int) {
	switch {
	case s.From == Given:
	case a == nil:
		s.From = Missing
	default:
		*s = Source{
			Amount: a.Amount * billing.Money(units), From: Schedule, ScheduleID: a.ScheduleID, ScheduleName: a.ScheduleName,
			NoWriteOffBeyondLimits: !a.WriteOffBeyondLimits,
		}
	}
}

// known returns the amount, or nil.
func (s *Source) known() *billing.Money {
	if s.From == Missing || s.From == "" {
		return nil
	}
	return &s.Amount
}

// Name returns a short plain name of the procedure, for the patient.
func (s *Service) Name() string { return nameOf(s.Code) }

// nameOf returns a short plain name of a procedure.
func nameOf(code string) string {
	return cmp.Or(coverage.ProcedureName(code), "other dental service")
}

// Line returns the service in the terms of the rules.
func (s *Service) Line() Line {
	l := Line{
		Code: s.Code, Fee: s.Fee.Amount, Allowed: s.Allowed.known(), AlternateAllowed: s.AlternateAllowed.known(),
		Quantity: s.Quantity, Place: Place{s.Tooth, s.Surfaces, s.OralCavity}, ServiceDate: s.ServiceDate, LastService: s.LastService, ToothLostOn: s.ToothLostOn,
		PriorPlacement: s.PriorPlacement, Alternate: s.Alternate != "", NoWriteOffBeyond: s.Allowed.NoWriteOffBeyondLimits,
	}
	l.Second.Allowed, l.Second.Alternate, l.Second.AlternateAllowed = s.SecondAllowed.known(), s.SecondAlternate != "", s.SecondAlternateAllowed.known()
	return l
}
