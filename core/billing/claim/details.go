package claim

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Details are the parts of a claim's content that few claims have.
type Details struct {
	PredeterminationNumber string               `json:",omitzero" field:"predetermination_number"` // the payer's number of its estimate (REF G3)
	ReferralNumber         string               `json:",omitzero" field:"referral_number"`         // REF 9F
	ReferringProvider      *ReferringProvider   `json:",omitzero" field:"referring_provider"`
	Facility               *Facility            `json:",omitzero" field:"facility"` // where the services were rendered; nil for the office
	Orthodontics           *Orthodontics        `json:",omitzero" field:"orthodontics"`
	MissingTeeth           []string             `json:",omitzero" field:"missing_teeth"`
	TeethToExtract         []string             `json:",omitzero" field:"teeth_to_extract"`
	DiagnosisCodes         []string             `json:",omitzero" field:"diagnosis_codes"`        // ICD-10-CM without points, the principal one first; at most 4
	PatientPaid            billing.Money        `json:",omitzero" field:"patient_paid"`           // by the patient, for this claim (AMT F5)
	PaysPatient            bool                 `json:",omitzero" field:"assignment_of_benefits"` // the benefits are not assigned to the office (CLM08 N)
	NotAccepted            bool                 `json:",omitzero" field:"accept_assignment"`      // the office does not accept the payer's assignment (CLM07 C)
	Release                ReleaseOfInformation `json:",omitzero" field:"release_of_information"`
}

// ReleaseOfInformation is the patient's consent that the office sends
// information to the payer (CLM09).
type ReleaseOfInformation string

// The consents.
const (
	ReleaseSigned   ReleaseOfInformation = ""                 // Y: the office has a signed statement
	ReleaseInformed ReleaseOfInformation = "informed_consent" // I: where the law requires no signature
)

// ReferringProvider is who sent the patient to the rendering provider.
type ReferringProvider struct {
	FirstName string
	LastName  string
	NPI       string
}

// Facility is a place other than the office.
type Facility struct {
	Name    string
	NPI     string
	Address directory.Address
}

// Orthodontics is the course of an orthodontic treatment (DN1, DTP 452).
type Orthodontics struct {
	TotalMonths     int
	MonthsRemaining int
	ApplianceDate   billing.Date // when the appliance was placed; zero before that
}

// Prosthesis says whether a crown, a denture, a bridge or an implant is the first
// one in its place (SV305).
type Prosthesis string

// The kinds of placements.
const (
	ProsthesisInitial     Prosthesis = "initial"     // I
	ProsthesisReplacement Prosthesis = "replacement" // R
)
