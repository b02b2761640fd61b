package httpapi

import (
	"cmp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// personJSON is what the people of a claim have in common. On a draft, fields may
// be missing.
type personJSON struct {
	FirstName   *string       `json:"first_name"`
	MiddleName  *string       `json:"middle_name"`
	LastName    *string       `json:"last_name"`
	Suffix      *string       `json:"suffix"`
	DateOfBirth *billing.Date `json:"date_of_birth"`
	Gender      *claim.Gender `json:"gender"`
	Address     *addressJSON  `json:"address"`
}

// holderJSON is the person who holds a plan.
type holderJSON struct {
	personJSON

	MemberID *string `json:"member_id"`
}

type claimSubscriberJSON struct {
	holderJSON

	GroupNumber *string `json:"group_number"`
	GroupName   *string `json:"group_name"`
}

type claimPatientJSON struct {
	personJSON

	Relationship *coverage.Relationship `json:"relationship"`
}

type accidentJSON struct {
	Type  *string       `json:"type"`
	Date  *billing.Date `json:"date"`
	State *string       `json:"state"`
}

type claimLineJSON struct {
	ProcedureCode       string              `json:"procedure_code"`
	ServiceDate         *billing.Date       `json:"service_date"`
	Fee                 string              `json:"fee"`
	Quantity            int                 `json:"quantity"`
	Tooth               *string             `json:"tooth"`
	Teeth               []string            `json:"teeth"`
	Surfaces            []string            `json:"surfaces"`
	OralCavity          []string            `json:"oral_cavity"`
	Modifiers           []string            `json:"modifiers"`
	DiagnosisPointers   []int               `json:"diagnosis_pointers"`
	Prosthesis          *claim.Prosthesis   `json:"prosthesis"`
	PriorPlacementDate  *billing.Date       `json:"prior_placement_date"`
	PlaceOfService      *string             `json:"place_of_service"`
	RenderingProviderID *billing.ProviderID `json:"rendering_provider_id"`
	Open                *string             `json:"open"`
}

// otherCoverageJSON is another plan of the patient. The payer has a name here if it is
// not in the directory.
type otherCoverageJSON struct {
	Sequence        *billing.Sequence         `json:"sequence"`
	PayerID         *string                   `json:"payer_id"`
	PayerName       *string                   `json:"payer_name"`
	Subscriber      *holderJSON               `json:"subscriber"`
	Relationship    *coverage.Relationship    `json:"relationship"`
	GroupNumber     *string                   `json:"group_number"`
	GroupName       *string                   `json:"group_name"`
	FilingIndicator *string                   `json:"filing_indicator"`
	Adjudication    *coverageAdjudicationJSON `json:"adjudication"`
}

type coverageAdjudicationJSON struct {
	PaymentDate      *billing.Date      `json:"payment_date"`
	PayerClaimNumber *string            `json:"payer_claim_number"`
	Paid             string             `json:"paid"`
	Adjustments      []adjustmentJSON   `json:"adjustments"`
	Lines            []coverageLineJSON `json:"lines"`
}

type coverageLineJSON struct {
	LineNumber    *int             `json:"line_number"`
	ProcedureCode string           `json:"procedure_code"`
	Paid          string           `json:"paid"`
	Units         int              `json:"units"`
	Adjustments   []adjustmentJSON `json:"adjustments"`
}

// claimDetailsJSON are the fields that few claims have.
type claimDetailsJSON struct {
	PredeterminationNumber *string                `json:"predetermination_number"`
	ReferralNumber         *string                `json:"referral_number"`
	ReferringProvider      *referringProviderJSON `json:"referring_provider"`
	Facility               *facilityJSON          `json:"facility"`
	Orthodontics           *orthodonticsJSON      `json:"orthodontics"`
	MissingTeeth           []string               `json:"missing_teeth"`
	TeethToExtract         []string               `json:"teeth_to_extract"`
	DiagnosisCodes         []string               `json:"diagnosis_codes"`
	PatientPaid            *string                `json:"patient_paid"`
	AssignmentOfBenefits   bool                   `json:"assignment_of_benefits"`
	AcceptAssignment       bool                   `json:"accept_assignment"`
	ReleaseOfInformation   string                 `json:"release_of_information"`
}

type referringProviderJSON struct {
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	NPI       *string `json:"npi"`
}

type facilityJSON struct {
	Name    *string      `json:"name"`
	NPI     *string      `json:"npi"`
	Address *addressJSON `json:"address"`
}

type orthodonticsJSON struct {
	TotalMonths     *int          `json:"total_months"`
	MonthsRemaining *int          `json:"months_remaining"`
	ApplianceDate   *billing.Date `json:"appliance_date"`
}

// claimSubscriberShape returns null for a draft that names no subscriber.
func claimSubscriberShape(s claim.Subscriber) *claimSubscriberJSON {
	if s == (claim.Subscriber{}) || s == (claim.Subscriber{Gender: claim.GenderUnknown}) {
		return nil
	}
	return &claimSubscriberJSON{holderShape(&s), orNull(s.GroupNumber), orNull(s.GroupName)}
}

func holderShape(s *claim.Subscriber) holderJSON {
	return holderJSON{
		personJSON{
			orNull(s.FirstName), orNull(s.MiddleName), orNull(s.LastName), orNull(s.Suffix), orNull(s.DateOfBirth), orNull(s.Gender),
			addressShape(s.Address),
		}, orNull(s.MemberID),
	}
}

func claimPatientShape(p *claim.Patient) *claimPatientJSON {
	if p == nil {
		return nil
	}
	return &claimPatientJSON{
		personJSON{
			orNull(p.FirstName), orNull(p.MiddleName), orNull(p.LastName), orNull(p.Suffix), orNull(p.DateOfBirth), orNull(p.Gender),
			addressShape(p.Address),
		}, orNull(p.Relationship),
	}
}

func claimLineShape(l claim.Line) claimLineJSON {
	return claimLineJSON{
		ProcedureCode: l.ProcedureCode, ServiceDate: orNull(l.ServiceDate), Fee: l.Fee.String(), Quantity: l.Quantity,
		Tooth: orNull(l.Tooth), Teeth: listOf(l.AllTeeth()), Surfaces: listOf(l.Surfaces), OralCavity: listOf(l.OralCavity),
		Modifiers: listOf(l.Modifiers), DiagnosisPointers: listOf(l.DiagnosisPointers), Prosthesis: orNull(l.Prosthesis),
		PriorPlacementDate: orNull(l.PriorPlacementDate), PlaceOfService: orNull(l.PlaceOfService), RenderingProviderID: orNull(l.ProviderID),
	}
}

func otherCoverageShape(o claim.OtherCoverage) otherCoverageJSON {
	out := otherCoverageJSON{
		Sequence: orNull(o.Sequence), PayerID: orNull(o.Payer.PayerID), Relationship: orNull(o.Relationship),
		GroupNumber: orNull(o.Subscriber.GroupNumber), GroupName: orNull(o.Subscriber.GroupName), FilingIndicator: orNull(o.FilingIndicator),
	}
	if o.Payer.ID.IsZero() {
		out.PayerName = orNull(o.Payer.Name)
	}
	if s := claimSubscriberShape(o.Subscriber); s != nil {
		out.Subscriber = &s.holderJSON
	}
	if a := o.Adjudication; a != nil {
		out.Adjudication = &coverageAdjudicationJSON{
			orNull(a.PaymentDate), orNull(a.PayerClaimNumber), a.Paid.String(), mapped(a.Adjustments, adjustmentShape),
			mapped(a.Lines, func(l claim.CoverageLine) coverageLineJSON {
				return coverageLineJSON{orNull(l.LineNumber), l.ProcedureCode, l.Paid.String(), l.Units, mapped(l.Adjustments, adjustmentShape)}
			}),
		}
	}
	return out
}

func claimDetailsShape(d *claim.Details) claimDetailsJSON {
	out := claimDetailsJSON{
		PredeterminationNumber: orNull(d.PredeterminationNumber), ReferralNumber: orNull(d.ReferralNumber),
		MissingTeeth: listOf(d.MissingTeeth), TeethToExtract: listOf(d.TeethToExtract), DiagnosisCodes: listOf(d.DiagnosisCodes),
		AssignmentOfBenefits: !d.PaysPatient, AcceptAssignment: !d.NotAccepted, ReleaseOfInformation: cmp.Or(string(d.Release), "signed"),
	}
	if d.PatientPaid != 0 {
		out.PatientPaid = new(d.PatientPaid.String())
	}
	if r := d.ReferringProvider; r != nil {
		out.ReferringProvider = &referringProviderJSON{orNull(r.FirstName), orNull(r.LastName), orNull(r.NPI)}
	}
	if f := d.Facility; f != nil {
		out.Facility = &facilityJSON{orNull(f.Name), orNull(f.NPI), addressShape(f.Address)}
	}
	if o := d.Orthodontics; o != nil {
		out.Orthodontics = &orthodonticsJSON{orNull(o.TotalMonths), orNull(o.MonthsRemaining), orNull(o.ApplianceDate)}
	}
	return out
}
