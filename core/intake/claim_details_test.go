package intake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
)

func TestWhatIsWrongWithTheDetailsOfAClaim(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, c := range map[string]struct {
		change func(r *intake.ClaimRequest)
		want   []string
	}{
		"empty objects": {func(r *intake.ClaimRequest) {
			r.ReferringProvider, r.Facility, r.Orthodontics = &intake.ReferringProviderInput{}, &intake.FacilityInput{}, &intake.OrthodonticsInput{}
		}, []string{
			"referring_provider.first_name required", "referring_provider.last_name required", "referring_provider.npi required",
			"facility.name required", "facility.address required", "orthodontics.total_months required",
		}},
		"empty objects of a draft": {func(r *intake.ClaimRequest) {
			r.Draft, r.ReferringProvider, r.Facility, r.Orthodontics = true, &intake.ReferringProviderInput{}, &intake.FacilityInput{}, &intake.OrthodonticsInput{}
		}, nil},
		"limits": {func(r *intake.ClaimRequest) {
			r.PredeterminationNumber, r.ReferralNumber = new(long(51)), new(long(51))
			r.ReferringProvider.FirstName, r.ReferringProvider.LastName, r.Facility.Name = long(36), long(61), long(61)
			r.Subscriber.MiddleName, r.Subscriber.Suffix, r.Subscriber.GroupName = long(26), long(11), long(61)
			r.Patient.MiddleName, r.Patient.Suffix, r.Patient.Address.City = long(26), long(11), long(31)
		}, []string{
			"subscriber.middle_name too_long", "subscriber.suffix too_long", "subscriber.group_name too_long", "patient.middle_name too_long",
			"patient.suffix too_long", "patient.address.city too_long", "predetermination_number too_long", "referral_number too_long",
			"referring_provider.first_name too_long", "referring_provider.last_name too_long", "facility.name too_long",
		}},
		"identifiers": {func(r *intake.ClaimRequest) {
			r.ReferringProvider.NPI, r.Facility.NPI, r.Lines[0].RenderingProviderID = "1234567890", "1", new("off_1")
		}, []string{"lines.0.rendering_provider_id format", "referring_provider.npi format", "facility.npi format"}},
		"a facility without an NPI": {func(r *intake.ClaimRequest) { r.Facility.NPI = "" }, nil},
		"an incomplete address": {func(r *intake.ClaimRequest) {
			r.Facility.Address, r.Patient.Address = &intake.AddressInput{ZIP: "1"}, &intake.AddressInput{}
		}, []string{
			"patient.address.line1 required", "patient.address.city required", "patient.address.state required", "patient.address.zip required",
			"facility.address.line1 required", "facility.address.city required", "facility.address.state required", "facility.address.zip format",
		}},
		"months": {func(r *intake.ClaimRequest) {
			r.Orthodontics.TotalMonths, r.Orthodontics.MonthsRemaining = new(0), new(100)
		}, []string{"orthodontics.total_months range", "orthodontics.months_remaining range"}},
		"an unknown rest of months": {func(r *intake.ClaimRequest) { r.Orthodontics.MonthsRemaining, r.Orthodontics.ApplianceDate = nil, "" }, nil},
		"an appliance some day":     {func(r *intake.ClaimRequest) { r.Orthodontics.ApplianceDate = "2026" }, []string{"orthodontics.appliance_date format"}},
		"teeth listed twice": {func(r *intake.ClaimRequest) {
			r.MissingTeeth, r.TeethToExtract, r.Lines[1].Teeth = []string{"1", "k", " K"}, []string{"", "2"}, []string{"3", "3"}
		}, []string{"lines.1.teeth.1 conflict", "missing_teeth.2 conflict", "teeth_to_extract.0 required"}},
		"36 teeth": {func(r *intake.ClaimRequest) { r.MissingTeeth = slices.Repeat([]string{"1"}, 36) }, []string{"missing_teeth too_many"}},
		"36 teeth in both lists": {func(r *intake.ClaimRequest) {
			r.MissingTeeth = numbered(35)
		}, []string{"missing_teeth too_many", "teeth_to_extract too_many"}},
		"35 teeth in both lists": {func(r *intake.ClaimRequest) {
			r.MissingTeeth = numbered(34)
		}, nil},
		"five diagnoses":    {func(r *intake.ClaimRequest) { r.DiagnosisCodes = make([]string, 5) }, []string{"diagnosis_codes too_many"}},
		"a diagnosis twice": {func(r *intake.ClaimRequest) { r.DiagnosisCodes = []string{"K02.52", "k0252"} }, []string{"diagnosis_codes.1 conflict"}},
		"money":             {func(r *intake.ClaimRequest) { r.PatientPaid = new("-1.00") }, []string{"patient_paid range"}},
		"money in words":    {func(r *intake.ClaimRequest) { r.PatientPaid = new("ten") }, []string{"patient_paid format"}},
		"words": {func(r *intake.ClaimRequest) {
			r.Coverage, r.ReleaseOfInformation, r.Lines[0].Prosthesis = new("first"), new("yes"), new("new")
		}, []string{"coverage not_allowed", "lines.0.prosthesis not_allowed", "release_of_information not_allowed"}},
		"tooth among teeth":             {func(r *intake.ClaimRequest) { r.Lines[0].Teeth = []string{"A", "B"} }, []string{"lines.0.teeth conflict"}},
		"tooth and another":             {func(r *intake.ClaimRequest) { r.Lines[0].Teeth = []string{"B"} }, []string{"lines.0.teeth conflict"}},
		"tooth and the same":            {func(r *intake.ClaimRequest) { r.Lines[0].Teeth = []string{"a"} }, nil},
		"no teeth":                      {func(r *intake.ClaimRequest) { r.Lines[0].Teeth = []string{} }, nil},
		"surfaces of teeth":             {func(r *intake.ClaimRequest) { r.Lines[1].Surfaces = []string{"M"} }, []string{"lines.1.surfaces conflict"}},
		"33 teeth":                      {func(r *intake.ClaimRequest) { r.Lines[1].Teeth = make([]string, 33) }, []string{"lines.1.teeth too_many"}},
		"modifiers":                     {func(r *intake.ClaimRequest) { r.Lines[0].Modifiers = []string{"2", "222", "2-", "AA"} }, []string{"lines.0.modifiers.0 format", "lines.0.modifiers.1 format", "lines.0.modifiers.2 format"}},
		"five modifiers":                {func(r *intake.ClaimRequest) { r.Lines[0].Modifiers = make([]string, 5) }, []string{"lines.0.modifiers too_many"}},
		"pointers":                      {func(r *intake.ClaimRequest) { r.Lines[0].DiagnosisPointers = []int{0, 1, 3, -1} }, []string{"lines.0.diagnosis_pointers.0 range", "lines.0.diagnosis_pointers.2 range", "lines.0.diagnosis_pointers.3 range"}},
		"five pointers":                 {func(r *intake.ClaimRequest) { r.Lines[0].DiagnosisPointers = make([]int, 5) }, []string{"lines.0.diagnosis_pointers too_many"}},
		"pointers to no codes":          {func(r *intake.ClaimRequest) { r.Draft, r.DiagnosisCodes = true, nil }, []string{"lines.1.diagnosis_pointers.0 range", "lines.1.diagnosis_pointers.1 range"}},
		"pointers to unreadable codes":  {func(r *intake.ClaimRequest) { r.DiagnosisCodes = []string{"x", "K02.52"} }, []string{"diagnosis_codes.0 format"}},
		"a first and a prior placement": {func(r *intake.ClaimRequest) { r.Lines[1].Prosthesis = new("initial") }, []string{"lines.1.prior_placement_date conflict"}},
		"a place":                       {func(r *intake.ClaimRequest) { r.Lines[0].PlaceOfService, r.Lines[1].PlaceOfService = new("1"), new("") }, []string{"lines.0.place_of_service format", "lines.1.place_of_service required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := claimRequest()
			c.change(&r)
			if _, faults := r.Claim(); !slices.Equal(found(faults), c.want) {
				t.Errorf("%q\nwant %q", found(faults), c.want)
			}
		})
	}
}

func TestDiagnosisCodes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"K02.52": "K0252", "k0252": "K0252", "K02": "K02", " z98.810 ": "Z98810", "C7A.1": "C7A1", "S02.5XXA": "S025XXA",
		"K0": "", "K02.": "", "K025.2": "", "K02.52XXX": "", "002.5": "", "K02.5.2": "", "KA2": "", "": "",
	} {
		r := claimRequest()
		r.DiagnosisCodes, r.Lines[1].DiagnosisPointers = []string{in}, nil
		c, faults := r.Claim()
		if want == "" && (len(faults) != 1 || faults[0].Field != "diagnosis_codes.0") || want != "" && fmt.Sprint(faults, c.DiagnosisCodes) != "[] ["+want+"]" {
			t.Errorf("%q: %v, faults %v, want %q", in, c.DiagnosisCodes, faults, want)
		}
	}
}

func TestProsthesis(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]string]claim.Prosthesis{
		{"", ""}:                      "",
		{"", "2020-01-31"}:            claim.ProsthesisReplacement,
		{"initial", ""}:               claim.ProsthesisInitial,
		{"replacement", ""}:           claim.ProsthesisReplacement, // the rules ask for the date
		{"replacement", "2020-01-31"}: claim.ProsthesisReplacement,
	} {
		r := claimRequest()
		l := &r.Lines[0]
		if in[0] != "" {
			l.Prosthesis = &in[0]
		}
		if in[1] != "" {
			l.PriorPlacementDate = &in[1]
		}
		if c, faults := r.Claim(); len(faults) > 0 || c.Lines[0].Prosthesis != want {
			t.Errorf("%q: %+v, faults %v, want %q", in, c.Lines, faults, want)
		}
	}
}

// Release, benefits and assignment have a value that stands for nothing stored.
func TestConsentAndAssignment(t *testing.T) {
	t.Parallel()
	r := claimRequest()
	r.AssignmentOfBenefits, r.AcceptAssignment, r.ReleaseOfInformation = new(true), new(true), new("signed")
	if c, faults := r.Claim(); len(faults) > 0 || c.PaysPatient || c.NotAccepted || c.Release != claim.ReleaseSigned {
		t.Errorf("%+v, faults %v", c.Details, faults)
	}
}
