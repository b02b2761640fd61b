package claim

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Details are the parts of a claim's content that few claims have.
type Details struct {
	PredeterminationNumber string               `json:",omitzero"` // the payer's number of its estimate (REF G3)
	ReferralNumber         string               `json:",omitzero"` // REF 9F
	ReferringProvider      *ReferringProvider   `json:",omitzero"`
	Facility               *Facility            `json:",omitzero"` // where the services were rendered; nil for the office
	Orthodontics           *Orthodontics        `json:",omitzero"`
	MissingTeeth           []string             `json:",omitzero"`
	TeethToExtract         []string             `json:",omitzero"`
	DiagnosisCodes         []string             `json:",omitzero"` // ICD-10-CM without points, the principal one first; at most 4
	PatientPaid            billing.Money        `json:",omitzero"` // by the patient, for this claim (AMT F5)
	PaysPatient            bool                 `json:",omitzero"` // the benefits are not assigned to the office (CLM08 N)
	NotAccepted            bool                 `json:",omitzero"` // the office does not accept the payer's assignment (CLM07 C)
	Release                ReleaseOfInformation `json:",omitzero"`
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
