package intake_test

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
)

// claimEstimate is the estimate that claimRequest names.
var claimEstimate = billing.EstimateID{15: 9}

// claimRequest is one with everything, as a caller may write it.
func claimRequest() intake.ClaimRequest {
	return intake.ClaimRequest{
		OfficeID: new(billing.OfficeID{15: 3}.String()), PayerID: new("CHTEST"), RenderingProviderID: new(billing.ProviderID{15: 6}.String()),
		Subscriber: &intake.ClaimSubscriberInput{
			PersonInput: intake.PersonInput{
				FirstName: "Jane", MiddleName: "Q", LastName: "Roe", Suffix: "SR", DateOfBirth: "1985-04-12", Gender: "female",
				Address: &intake.AddressInput{Line1: "2 Oak Street", Line2: "Flat 1", City: "Springfield", State: "il", ZIP: "62701-0001"},
			},
			MemberID: "W1", GroupNumber: "G1", GroupName: "Roe & Sons",
		},
		Patient: &intake.ClaimPatientInput{
			PersonInput: intake.PersonInput{
				FirstName: "Kim", MiddleName: "R", LastName: "Poe", Suffix: "II", DateOfBirth: "2016-05-06",
				Address: &intake.AddressInput{Line1: "3 Elm Street", City: "Peoria", State: "il", ZIP: "61602"},
			},
			Relationship: "child",
		},
		Coverage: new("secondary"), OtherCoverage: []intake.OtherCoverageInput{otherCoverage(), {
			Sequence: "tertiary", PayerName: "Far Away Dental", Relationship: "self",
			Subscriber: &intake.ClaimSubscriberInput{PersonInput: intake.PersonInput{FirstName: "Kim", LastName: "Poe"}, MemberID: "W3"},
		}},
		PatientControlNumber: new("pcn-1"), PlaceOfService: new("22"), PriorAuthorization: new("AUTH1"),
		Accident: &intake.AccidentInput{Type: "auto", Date: "2026-03-01", State: "tx"}, Note: new("A note."), TenantReference: new("T1"), EstimateID: new(claimEstimate.String()),
		Lines: []intake.ClaimLineInput{
			{ProcedureCode: "D2392", ServiceDate: new("2026-03-02"), Fee: "100.00", Tooth: new(" a "), Surfaces: []string{"m", "O"}},
			{
				ProcedureCode: "D4341", ServiceDate: new("2026-03-09"), Fee: "12.50", Quantity: new(2), OralCavity: []string{"10"},
				PriorPlacementDate: new("2020-01-31"), Teeth: []string{"b", " C"}, Modifiers: []string{"22", "xe"}, DiagnosisPointers: []int{2, 1},
				PlaceOfService: new("31"), RenderingProviderID: new(billing.ProviderID{15: 7}.String()),
			},
		},
		ClaimDetailsInput: intake.ClaimDetailsInput{
			PredeterminationNumber: new("PRE-1"), ReferralNumber: new("REF-1"),
			ReferringProvider: &intake.ReferringProviderInput{FirstName: "Bo", LastName: "Lee", NPI: "1245319599"},
			Facility: &intake.FacilityInput{
				Name: "Oak Home", NPI: "1679576722", Address: &intake.AddressInput{Line1: "4 Ash Street", City: "Peoria", State: "IL", ZIP: "616020001"},
			},
			Orthodontics: &intake.OrthodonticsInput{TotalMonths: new(24), MonthsRemaining: new(24), ApplianceDate: "2026-01-10"},
			MissingTeeth: []string{"k", "T"}, TeethToExtract: []string{"l"}, DiagnosisCodes: []string{"k02.52", "K0253"}, PatientPaid: new("20.00"),
			AssignmentOfBenefits: new(false), AcceptAssignment: new(false), ReleaseOfInformation: new("informed_consent"),
		},
	}
}

func TestAClaimIsReadWhole(t *testing.T) {
	t.Parallel()
	r := claimRequest()
	got, faults := r.Claim()
	want := claim.Claim{
		Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal, PatientControlNumber: "pcn-1",
		Content: claim.Content{
			PlaceOfService: "22", PriorAuthorization: "AUTH1",
			Subscriber: claim.Subscriber{
				FirstName: "Jane", MiddleName: "Q", LastName: "Roe", Suffix: "SR", DateOfBirth: on(1985, 4, 12), MemberID: "W1", GroupNumber: "G1",
				GroupName: "Roe & Sons", Gender: claim.GenderFemale,
				Address: directory.Address{Line1: "2 Oak Street", Line2: "Flat 1", City: "Springfield", State: "IL", ZIP: "627010001"},
			},
			Patient: &claim.Patient{
				FirstName: "Kim", MiddleName: "R", LastName: "Poe", Suffix: "II", DateOfBirth: on(2016, 5, 6), Relationship: coverage.RelationChild,
				Gender: claim.GenderUnknown, Address: directory.Address{Line1: "3 Elm Street", City: "Peoria", State: "IL", ZIP: "61602"},
			},
			Coverage: billing.SequenceSecondary, OtherCoverage: []claim.OtherCoverage{wantOtherCoverage(), {
				Sequence: billing.SequenceTertiary, Payer: directory.PayerSummary{Name: "Far Away Dental"}, Relationship: coverage.RelationSelf,
				Subscriber: claim.Subscriber{FirstName: "Kim", LastName: "Poe", MemberID: "W3", Gender: claim.GenderUnknown},
			}},
			Accident: &claim.Accident{Type: "auto", Date: on(2026, 3, 1), State: "TX"}, Note: "A note.",
			TenantReference: new("T1"), EstimateID: claimEstimate,
			Lines: []claim.Line{
				{ProcedureCode: "D2392", ServiceDate: on(2026, 3, 2), Fee: 100_00, Quantity: 1, Tooth: "A", Surfaces: []string{"M", "O"}},
				{
					ProcedureCode: "D4341", ServiceDate: on(2026, 3, 9), Fee: 12_50, Quantity: 2, OralCavity: []string{"10"},
					PriorPlacementDate: on(2020, 1, 31), Prosthesis: claim.ProsthesisReplacement, Teeth: []string{"B", "C"},
					Modifiers: []string{"22", "XE"}, DiagnosisPointers: []int{2, 1}, PlaceOfService: "31", ProviderID: billing.ProviderID{15: 7},
				},
			},
			Details: claim.Details{
				PredeterminationNumber: "PRE-1", ReferralNumber: "REF-1",
				ReferringProvider: &claim.ReferringProvider{FirstName: "Bo", LastName: "Lee", NPI: "1245319599"},
				Facility: &claim.Facility{
					Name: "Oak Home", NPI: "1679576722", Address: directory.Address{Line1: "4 Ash Street", City: "Peoria", State: "IL", ZIP: "616020001"},
				},
				Orthodontics: &claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 24, ApplianceDate: on(2026, 1, 10)},
				MissingTeeth: []string{"K", "T"}, TeethToExtract: []string{"L"}, DiagnosisCodes: []string{"K0252", "K0253"},
				PatientPaid: 20_00, PaysPatient: true, NotAccepted: true, Release: claim.ReleaseInformed,
			},
		},
	}
	if len(faults) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v\nfaults %v", got, want, faults)
	}
	names := r.IDs()
	if names.Office != (billing.OfficeID{15: 3}) || names.Provider != (billing.ProviderID{15: 6}) || names.Payer != "CHTEST" {
		t.Errorf("names %+v", names)
	}
}

func TestWhatCanBeLeftOutOfAClaim(t *testing.T) {
	t.Parallel()
	r := claimRequest()
	r.RenderingProviderID, r.Patient, r.PatientControlNumber, r.PlaceOfService, r.PriorAuthorization = nil, nil, nil, nil, nil
	r.Accident, r.Note, r.TenantReference, r.EstimateID, r.Lines = nil, nil, nil, nil, r.Lines[:1]
	r.Coverage, r.OtherCoverage, r.ClaimDetailsInput = nil, nil, intake.ClaimDetailsInput{}
	r.Subscriber.GroupNumber, r.Subscriber.Gender, r.Subscriber.Address = "", "", nil
	r.Lines[0].Tooth, r.Lines[0].Surfaces = nil, nil
	c, faults := r.Claim()
	if len(faults) > 0 || c.PlaceOfService != "11" || c.PatientControlNumber != "" || c.Lines[0].Quantity != 1 || c.Subscriber.Gender != claim.GenderUnknown ||
		c.Turn() != billing.SequencePrimary || !reflect.DeepEqual(c.Details, claim.Details{}) {
		t.Errorf("%+v, faults %v", c, faults)
	}
	draft := intake.ClaimRequest{OfficeID: r.OfficeID, PayerID: r.PayerID, Draft: true}
	if c, faults := draft.Claim(); len(faults) > 0 || c.Kind != claim.KindClaim || c.Lines != nil || c.PlaceOfService != "11" {
		t.Errorf("a draft: %+v, faults %v", c, faults)
	}
	if _, faults := (intake.ClaimRequest{Draft: true}).Claim(); !slices.Equal(found(faults), []string{"office_id required", "payer_id required"}) {
		t.Errorf("an empty draft: %v", faults)
	}
	r.Kind, r.Lines[0].ServiceDate = new("predetermination"), nil
	if c, faults := r.Claim(); len(faults) > 0 || c.Kind != claim.KindPredetermination || !c.Lines[0].ServiceDate.IsZero() {
		t.Errorf("a predetermination: %+v, faults %v", c, faults)
	}
}

func TestWhatIsWrongWithTheShapeOfAClaim(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, c := range map[string]struct {
		change func(r *intake.ClaimRequest)
		want   []string
	}{
		"nothing but a body": {func(r *intake.ClaimRequest) { *r = intake.ClaimRequest{} }, []string{
			"office_id required", "payer_id required", "subscriber required", "lines required",
		}},
		"empty objects": {func(r *intake.ClaimRequest) {
			r.Subscriber, r.Patient, r.Accident = &intake.ClaimSubscriberInput{PersonInput: intake.PersonInput{Address: &intake.AddressInput{}}}, &intake.ClaimPatientInput{}, &intake.AccidentInput{}
			r.Lines, r.OtherCoverage = []intake.ClaimLineInput{{}}, nil
		}, []string{
			"subscriber.first_name required", "subscriber.last_name required", "subscriber.date_of_birth required", "subscriber.member_id required",
			"subscriber.address.line1 required", "subscriber.address.city required", "subscriber.address.state required", "subscriber.address.zip required",
			"patient.first_name required", "patient.last_name required", "patient.date_of_birth required", "patient.relationship required",
			"accident.type required", "accident.date required", "lines.0.procedure_code required", "lines.0.fee required", "lines.0.service_date required",
		}},
		"no line":          {func(r *intake.ClaimRequest) { r.Lines, r.OtherCoverage = []intake.ClaimLineInput{}, nil }, []string{"lines too_few"}},
		"51 lines":         {func(r *intake.ClaimRequest) { r.Lines = make([]intake.ClaimLineInput, 51) }, []string{"lines too_many"}},
		"draft and submit": {func(r *intake.ClaimRequest) { r.Draft, r.Submit = true, true }, []string{"submit conflict"}},
		"IDs and words": {func(r *intake.ClaimRequest) {
			r.Kind, r.OfficeID, r.PayerID, r.RenderingProviderID = new("bill"), new("prv_1"), new(" "), new("off_1")
			r.Subscriber.Gender, r.Patient.Gender, r.Patient.Relationship, r.Accident.Type = "F", "x", "self", "fall"
		}, []string{
			"kind not_allowed", "office_id format", "payer_id required", "rendering_provider_id format", "subscriber.gender not_allowed",
			"patient.gender not_allowed", "patient.relationship not_allowed", "accident.type not_allowed",
		}},
		"a friend": {func(r *intake.ClaimRequest) { r.Patient.Relationship = "friend" }, []string{"patient.relationship not_allowed"}},
		"empty words": {func(r *intake.ClaimRequest) {
			r.Kind, r.PlaceOfService, r.PatientControlNumber = new(""), new(""), new("")
		}, []string{"kind required", "patient_control_number required", "place_of_service required"}},
		"forms": {func(r *intake.ClaimRequest) {
			r.PatientControlNumber, r.PlaceOfService = new("a_b"), new("1")
			r.Subscriber.Address.State, r.Subscriber.Address.ZIP, r.Accident.State = "ILL", "6270", "T"
			r.Lines[0].ProcedureCode, r.Lines[1].ProcedureCode = "2740", "D27400"
		}, []string{
			"subscriber.address.state format", "subscriber.address.zip format", "patient_control_number format", "place_of_service format",
			"accident.state format", "lines.0.procedure_code format", "lines.1.procedure_code format",
		}},
		"dates that do not exist": {func(r *intake.ClaimRequest) {
			r.Subscriber.DateOfBirth, r.Patient.DateOfBirth, r.Accident.Date = "1985-02-30", "x", "2026-13-01"
			r.Lines[0].ServiceDate, r.Lines[1].PriorPlacementDate = new("2026-3-2"), new("")
		}, []string{
			"subscriber.date_of_birth format", "patient.date_of_birth format", "accident.date format", "lines.0.service_date format",
			"lines.1.prior_placement_date required",
		}},
		"too long": {func(r *intake.ClaimRequest) {
			s := r.Subscriber
			s.FirstName, s.LastName, s.MemberID, s.GroupNumber = long(121), long(121), long(81), long(81)
			s.Address.Line1, s.Address.Line2, s.Address.City = long(56), long(56), long(31)
			r.Patient.FirstName, r.Patient.LastName = long(121), long(121)
			r.PatientControlNumber, r.PriorAuthorization, r.Note, r.TenantReference = new(strings.Repeat("a", 21)), new(long(51)), new(long(401)), new(long(256))
			r.Lines[0].Tooth, r.Lines[0].Surfaces, r.Lines[1].OralCavity = new(long(11)), []string{"M", long(11), ""}, make([]string, 11)
		}, []string{
			"subscriber.first_name too_long", "subscriber.last_name too_long", "subscriber.member_id too_long", "subscriber.group_number too_long",
			"subscriber.address.line1 too_long", "subscriber.address.line2 too_long", "subscriber.address.city too_long",
			"patient.first_name too_long", "patient.last_name too_long", "patient_control_number too_long", "prior_authorization too_long", "note too_long",
			"lines.0.tooth too_long", "lines.0.surfaces.1 too_long", "lines.0.surfaces.2 required", "lines.1.oral_cavity too_many", "tenant_reference too_long",
		}},
		"as long as can be": {func(r *intake.ClaimRequest) {
			s := r.Subscriber
			s.FirstName, s.LastName, s.MemberID, s.GroupNumber = long(120), long(120), long(80), long(80)
			s.Address.Line1, s.Address.Line2, s.Address.City, s.Address.ZIP = long(55), long(55), long(30), "627010001"
			r.PatientControlNumber, r.PriorAuthorization, r.Note, r.TenantReference = new(strings.Repeat("Z-", 10)), new(long(50)), new(long(400)), new(long(255))
		}, nil},
		"amounts": {func(r *intake.ClaimRequest) {
			r.Lines = slices.Repeat(r.Lines[:1], 7)
			for i, fee := range []string{"-0.01", "1000000.00", "1", "1,000.00", "99999999999999999999.00", "0.00", "999999.99"} {
				r.Lines[i].Fee = fee
			}
		}, []string{"lines.0.fee range", "lines.1.fee range", "lines.2.fee format", "lines.3.fee format", "lines.4.fee format"}},
		"quantities": {func(r *intake.ClaimRequest) {
			r.Lines = slices.Repeat(r.Lines[:1], 4)
			for i, n := range []int{0, 1, 99, 100} {
				r.Lines[i].Quantity = new(n)
			}
		}, []string{"lines.0.quantity range", "lines.3.quantity range"}},
		"a dated predetermination": {func(r *intake.ClaimRequest) { r.Kind = new("predetermination") }, []string{
			"lines.0.service_date not_allowed", "lines.1.service_date not_allowed",
		}},
		"a draft is judged by what it has": {func(r *intake.ClaimRequest) {
			r.Draft, r.Patient = true, &intake.ClaimPatientInput{Relationship: "self"}
			r.Subscriber = &intake.ClaimSubscriberInput{PersonInput: intake.PersonInput{DateOfBirth: "x", Address: &intake.AddressInput{ZIP: "1"}}}
			r.Lines = []intake.ClaimLineInput{{}, {Fee: "x", ProcedureCode: "x"}}
		}, []string{
			"subscriber.date_of_birth format", "subscriber.address.zip format", "patient.relationship not_allowed",
			"lines.1.fee format", "lines.1.procedure_code format",
		}},
		"what is known already stays": {func(r *intake.ClaimRequest) {
			r.Subscriber = nil
			r.Faults = billing.Faults{{Field: "subscriber", Code: billing.FaultType}}
		}, []string{"subscriber type"}},
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

func TestAPatchReplacesWhatIsGiven(t *testing.T) {
	t.Parallel()
	made, _ := claimRequest().Claim()
	made.ID, made.OfficeID, made.State, made.PatientID = billing.ClaimID{15: 12}, billing.OfficeID{15: 3}, claim.NeedsAttention, billing.PatientID{15: 8}
	for name, c := range map[string]struct {
		in     intake.ClaimRequest
		change func(c *claim.Claim)
	}{
		"nothing": {intake.ClaimRequest{Note: new("not given")}, func(*claim.Claim) {}},
		"null clears": {intake.ClaimRequest{Given: map[string]bool{
			"subscriber": true, "patient": true, "patient_control_number": true, "place_of_service": true, "prior_authorization": true, "accident": true,
			"note": true, "lines": true, "tenant_reference": true, "estimate_id": true, "rendering_provider_id": true, "kind": true, "coverage": true, "other_coverage": true,
			"predetermination_number": true, "referral_number": true, "referring_provider": true, "facility": true, "orthodontics": true,
			"missing_teeth": true, "teeth_to_extract": true, "diagnosis_codes": true, "patient_paid": true, "assignment_of_benefits": true,
			"accept_assignment": true, "release_of_information": true,
		}}, func(c *claim.Claim) {
			c.Coverage, c.OtherCoverage, c.Details = "", nil, claim.Details{}
			c.Subscriber, c.Patient, c.PlaceOfService, c.PriorAuthorization = claim.Subscriber{Gender: claim.GenderUnknown}, nil, "11", ""
			c.Accident, c.Note, c.Lines, c.TenantReference, c.EstimateID = nil, "", nil, nil, billing.EstimateID{}
		}},
		"an object as a whole": {intake.ClaimRequest{
			Subscriber: &intake.ClaimSubscriberInput{MemberID: "W2"}, Given: map[string]bool{"subscriber": true},
		}, func(c *claim.Claim) {
			c.Subscriber = claim.Subscriber{MemberID: "W2", Gender: claim.GenderUnknown}
		}},
		"lines as a whole": {intake.ClaimRequest{
			Lines: []intake.ClaimLineInput{{ProcedureCode: "D1110", Fee: "1.00", DiagnosisPointers: []int{2}}, {}}, Given: map[string]bool{"lines": true},
		}, func(c *claim.Claim) {
			c.Lines = []claim.Line{{ProcedureCode: "D1110", Fee: 1_00, Quantity: 1, DiagnosisPointers: []int{2}}, {Quantity: 1}}
		}},
		"another number, the same kind": {intake.ClaimRequest{
			Kind: new("claim"), PatientControlNumber: new("NEW"), Note: new("n"),
			Given: map[string]bool{"kind": true, "patient_control_number": true, "note": true},
		}, func(c *claim.Claim) { c.PatientControlNumber, c.Note = "NEW", "n" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, want := made, made
			c.change(&want)
			got, faults := c.in.Change(&before)
			if len(faults) > 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant\n%+v\nfaults %v", got, want, faults)
			}
			if !reflect.DeepEqual(before, made) {
				t.Error("the claim itself was changed")
			}
		})
	}
}

func TestWhatAPatchOrAReplacementCannotSay(t *testing.T) {
	t.Parallel()
	sent, _ := claimRequest().Claim()
	sent.SentAt = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	asks := sent
	asks.Kind = claim.KindPredetermination
	given := func(fields ...string) map[string]bool {
		m := map[string]bool{}
		for _, f := range fields {
			m[f] = true
		}
		return m
	}
	for name, c := range map[string]struct {
		of   *claim.Claim
		in   intake.ClaimRequest
		want []string
	}{
		"another kind":              {&asks, intake.ClaimRequest{Kind: new("claim"), Given: given("kind")}, []string{"kind not_allowed"}},
		"another number, once sent": {&sent, intake.ClaimRequest{PatientControlNumber: new("X"), Given: given("patient_control_number")}, []string{"patient_control_number not_allowed"}},
		"the same number":           {&sent, intake.ClaimRequest{PatientControlNumber: new("pcn-1"), Given: given("patient_control_number")}, nil},
		"no office and payer":       {&sent, intake.ClaimRequest{Given: given("office_id", "payer_id")}, []string{"office_id required", "payer_id required"}},
		"draft and submit":          {&sent, intake.ClaimRequest{Draft: true, Submit: true}, []string{"submit conflict"}},
		"a day for what is not done": {&asks, intake.ClaimRequest{
			Lines: []intake.ClaimLineInput{{ServiceDate: new("2026-03-02")}, {}}, Given: given("lines"),
		}, []string{"lines.0.service_date not_allowed"}},
		"without the claim": {nil, intake.ClaimRequest{
			Kind: new("x"), PatientControlNumber: new("_"), Lines: []intake.ClaimLineInput{{ServiceDate: new("2026-03-02"), Fee: "x"}},
			Given: given("kind", "patient_control_number", "lines"),
		}, []string{"kind not_allowed", "patient_control_number format", "lines.0.fee format"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, faults := c.in.Change(c.of); !slices.Equal(found(faults), c.want) {
				t.Errorf("%q, want %q", found(faults), c.want)
			}
		})
	}
	r := claimRequest()
	r.Kind, r.PatientControlNumber, r.Draft, r.Note = new("predetermination"), new("X"), true, new(strings.Repeat("n", 401))
	r.Lines, r.OtherCoverage = r.Lines[:1], nil
	r.Lines[0].ServiceDate = nil
	if _, faults := r.Replacement(&sent); !slices.Equal(found(faults), []string{
		"draft not_allowed", "note too_long", "kind not_allowed", "patient_control_number not_allowed",
	}) {
		t.Errorf("a replacement: %q", found(faults))
	}
	r = claimRequest()
	r.PatientControlNumber = nil
	if _, faults := r.Replacement(&sent); len(faults) > 0 {
		t.Errorf("a replacement: faults %v", faults)
	}
}

func TestWhatIsDoneOfAPredetermination(t *testing.T) {
	t.Parallel()
	c := &claim.Claim{Content: claim.Content{Lines: make([]claim.Line, 3)}}
	for name, x := range map[string]struct {
		lines []intake.ConvertLineInput
		of    *claim.Claim
		want  []string
	}{
		"two of three": {[]intake.ConvertLineInput{{LineNumber: 3, ServiceDate: "2026-03-02"}, {LineNumber: 1, ServiceDate: "2026-03-03"}}, c, nil},
		"none":         {nil, c, []string{"lines required"}},
		"too many":     {make([]intake.ConvertLineInput, 51), c, []string{"lines too_many"}},
		"faults": {[]intake.ConvertLineInput{{LineNumber: 0, ServiceDate: "2026-03-02"}, {LineNumber: 4, ServiceDate: "2026-03-02"}, {LineNumber: 1, ServiceDate: ""}, {LineNumber: 1, ServiceDate: "2026-02-30"}}, c, []string{
			"lines.0.line_number range", "lines.1.line_number range", "lines.2.service_date required", "lines.3.line_number conflict", "lines.3.service_date format",
		}},
		"without the claim": {[]intake.ConvertLineInput{{LineNumber: 50, ServiceDate: "2026-03-02"}, {LineNumber: -1, ServiceDate: "2026-03-02"}}, nil, []string{"lines.1.line_number range"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			days, faults := intake.ConvertRequest{Lines: x.lines}.ServiceDates(x.of)
			if !slices.Equal(found(faults), x.want) {
				t.Errorf("%q, want %q", found(faults), x.want)
			}
			if x.want == nil && (len(days) != 2 || days[3] != on(2026, 3, 2) || days[1] != on(2026, 3, 3)) {
				t.Errorf("days %v", days)
			}
		})
	}
}

// PATCH reads each field of the content by itself, and leaves the others as
// they are.
func TestAChangeReachesEveryField(t *testing.T) {
	t.Parallel()
	byUseCase := []string{"OfficeID", "Payer", "ProviderID", "PatientID", "Details"} // looked up, or only a holder of fields
	named := map[string]string{"PaysPatient": "assignment_of_benefits", "NotAccepted": "accept_assignment", "Release": "release_of_information"}
	upper := regexp.MustCompile(`([a-z])([A-Z])`)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[claim.Content]()) {
		if slices.Contains(byUseCase, f.Name) {
			continue
		}
		before := claim.Claim{Kind: claim.KindClaim, PatientControlNumber: "1"}
		in := claimRequest()
		in.PatientControlNumber = nil
		if f.Name == "Lines" {
			in.Lines[1].DiagnosisPointers = nil // to codes of the claim, which has none
		}
		if f.Name == "OtherCoverage" {
			in.OtherCoverage = in.OtherCoverage[1:] // nor has it the lines of the first
		}
		in.Given = map[string]bool{cmp.Or(named[f.Name], strings.ToLower(upper.ReplaceAllString(f.Name, "${1}_$2"))): true}
		next, faults := in.Change(&before)
		field := reflect.ValueOf(&next.Content).Elem().FieldByIndex(f.Index)
		changed := !field.IsZero()
		if field.SetZero(); len(faults) > 0 || !changed || !reflect.DeepEqual(next, before) {
			t.Errorf("%s: changed %t, and besides %+v, faults %v", f.Name, changed, next, faults)
		}
	}
}
