package intake

import (
	"regexp"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The limits of the details; lengths in characters.
const (
	maxReferringFirst = 35 // NM104
	maxOrganization   = 60 // NM103, of organizations and referring providers
	maxToothStatus    = 35 // DN2
	maxDiagnoses      = 4  // HI
	maxMonths         = 99
)

// diagnosisForm is the form of an ICD-10-CM code.
var diagnosisForm = regexp.MustCompile(`^[A-Z][0-9][0-9A-Z](\.?[0-9A-Z]{1,4})?$`)

// ClaimDetailsInput are the fields that few claims have, as a caller wrote them.
type ClaimDetailsInput struct {
	PredeterminationNumber *string
	ReferralNumber         *string
	ReferringProvider      *ReferringProviderInput
	Facility               *FacilityInput
	Orthodontics           *OrthodonticsInput
	MissingTeeth           []string
	TeethToExtract         []string
	DiagnosisCodes         []string
	PatientPaid            *string
	AssignmentOfBenefits   *bool
	AcceptAssignment       *bool
	ReleaseOfInformation   *string
}

// ReferringProviderInput is a referring provider as a caller wrote it.
type ReferringProviderInput struct{ FirstName, LastName, NPI string }

// FacilityInput is a facility as a caller wrote it.
type FacilityInput struct {
	Name, NPI string
	Address   *AddressInput
}

// OrthodonticsInput is an orthodontic treatment as a caller wrote it.
type OrthodonticsInput struct {
	TotalMonths, MonthsRemaining *int
	ApplianceDate                string
}

// details reads the given fields.
func (p *claimParser) details(in *ClaimDetailsInput, d *claim.Details, given func(field string) bool) {
	for _, field := range []struct {
		name string
		read func(name string)
	}{
		{"predetermination_number", func(at string) { d.PredeterminationNumber = p.maybe(at, in.PredeterminationNumber, maxReference) }},
		{"referral_number", func(at string) { d.ReferralNumber = p.maybe(at, in.ReferralNumber, maxReference) }},
		{"referring_provider", func(at string) { d.ReferringProvider = p.referringProvider(at+".", in.ReferringProvider) }},
		{"facility", func(at string) { d.Facility = p.facility(at+".", in.Facility) }},
		{"orthodontics", func(at string) { d.Orthodontics = p.orthodontics(at+".", in.Orthodontics) }},
		{"missing_teeth", func(at string) { d.MissingTeeth = p.distinct(at, in.MissingTeeth, maxToothStatus, anyCode, "") }},
		{"teeth_to_extract", func(at string) { d.TeethToExtract = p.distinct(at, in.TeethToExtract, maxToothStatus, anyCode, "") }},
		{"diagnosis_codes", func(at string) { d.DiagnosisCodes = p.diagnoses(at, in.DiagnosisCodes) }},
		{"patient_paid", func(at string) {
			if d.PatientPaid = 0; in.PatientPaid != nil {
				d.PatientPaid = p.amount(at, *in.PatientPaid, 0, maxAmount)
			}
		}},
		{"assignment_of_benefits", func(string) { d.PaysPatient = in.AssignmentOfBenefits != nil && !*in.AssignmentOfBenefits }},
		{"accept_assignment", func(string) { d.NotAccepted = in.AcceptAssignment != nil && !*in.AcceptAssignment }},
		{"release_of_information", func(at string) { d.Release = p.release(at, in.ReleaseOfInformation) }},
	} {
		if given(field.name) {
			field.read(field.name)
		}
	}
	for _, name := range []string{"missing_teeth", "teeth_to_extract"} {
		if given(name) && len(d.MissingTeeth)+len(d.TeethToExtract) > maxToothStatus {
			p.f.Add(name, billing.FaultTooMany, "Missing teeth and teeth to extract may be at most 35 together.")
		}
	}
}

func (p *claimParser) referringProvider(at string, in *ReferringProviderInput) *claim.ReferringProvider {
	if in == nil {
		return nil
	}
	return &claim.ReferringProvider{
		FirstName: p.text(at+"first_name", in.FirstName, maxReferringFirst), LastName: p.text(at+"last_name", in.LastName, maxOrganization),
		NPI: p.npi(at+"npi", p.text(at+"npi", in.NPI, 0)),
	}
}

func (p *claimParser) facility(at string, in *FacilityInput) *claim.Facility {
	if in == nil {
		return nil
	}
	out := &claim.Facility{Name: p.text(at+"name", in.Name, maxOrganization), NPI: p.npi(at+"npi", in.NPI)}
	if p.there(at+"address", in.Address != nil) {
		out.Address = p.address(at+"address.", in.Address)
	}
	return out
}

func (p *claimParser) orthodontics(at string, in *OrthodonticsInput) *claim.Orthodontics {
	if in == nil {
		return nil
	}
	p.there(at+"total_months", in.TotalMonths != nil)
	return &claim.Orthodontics{
		TotalMonths:     p.number(at+"total_months", in.TotalMonths, 1, maxMonths, 0),
		MonthsRemaining: p.number(at+"months_remaining", in.MonthsRemaining, 1, maxMonths, 0),
		ApplianceDate:   p.maybeDay(at+"appliance_date", in.ApplianceDate),
	}
}

// diagnoses returns the codes without points, as files have them.
func (p *claimParser) diagnoses(field string, in []string) []string {
	plain := make([]string, len(in))
	for i, s := range in {
		if s = strings.ToUpper(strings.TrimSpace(s)); diagnosisForm.MatchString(s) {
			s = strings.Replace(s, ".", "", 1)
		}
		plain[i] = s
	}
	return p.distinct(field, plain, maxDiagnoses, diagnosisForm.MatchString, "A diagnosis code must have the form of ICD-10-CM, such as K02.52.")
}

func (p *claimParser) release(field string, value *string) claim.ReleaseOfInformation {
	const signed claim.ReleaseOfInformation = "signed"
	got := oneOf(p, field, p.maybe(field, value, 0), signed, claim.ReleaseInformed)
	if got == signed {
		return claim.ReleaseSigned
	}
	return got
}

// npi reads a national provider identifier. Empty means none.
func (p *claimParser) npi(field, value string) string {
	return p.form(field, value, directory.ValidNPI, "The NPI must be ten digits with a valid check digit. Check it in the national registry (NPPES).")
}

// anyCode accepts every code; the rules check which of them exist.
func anyCode(string) bool { return true }
