package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/jsonbody"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports/porttest"
)

// contentClaim has a value in every field that a caller writes.
func contentClaim() *claim.Record {
	c := draftClaim()
	home := directory.Address{Line1: "2 Oak St", Line2: "Apt <3>", City: "Albany", State: "NY", ZIP: "122071234"}
	c.State, c.SecondaryTo, c.SecondaryID, c.PatientID = claim.Validated, idOf[billing.ClaimID](20), idOf[billing.ClaimID](21), idOf[billing.PatientID](6)
	c.ProviderID, c.PlaceOfService, c.PriorAuthorization, c.Note, c.TenantReference = idOf[billing.ProviderID](7), "22", "PA-1", "Fell.", new("visit-1")
	c.Subscriber = claim.Subscriber{
		FirstName: "Sam", MiddleName: "Q", LastName: "Example", Suffix: "SR", DateOfBirth: day(1984, 2, 29), MemberID: "W1", GroupNumber: "1000",
		GroupName: "Roe & Sons", Gender: claim.GenderMale, Address: home,
	}
	c.Patient = &claim.Patient{
		FirstName: "Kim", MiddleName: "R", LastName: "Example", Suffix: "JR", DateOfBirth: day(2015, 6, 1), Relationship: coverage.RelationChild,
		Gender: claim.GenderFemale, Address: home,
	}
	c.Coverage, c.EstimateID = billing.SequenceSecondary, idOf[billing.EstimateID](9)
	c.OtherCoverage = []claim.OtherCoverage{
		{
			Sequence: billing.SequencePrimary, Payer: directory.PayerSummary{ID: idOf[billing.PayerID](22), PayerID: "60054", Name: "Aetna Dental"},
			Subscriber: claim.Subscriber{
				FirstName: "Ann", MiddleName: "B", LastName: "Other", Suffix: "II", DateOfBirth: day(1980, 1, 2), MemberID: "W2", GroupNumber: "G2",
				GroupName: "Other & Sons", Gender: claim.GenderFemale, Address: home,
			},
			Relationship: coverage.RelationChild, FilingIndicator: "12",
			Adjudication: &claim.CoverageAdjudication{
				PaymentDate: day(2026, 1, 15), PayerClaimNumber: "ICN-1", Paid: 160_00,
				Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: -1_00, Quantity: "1.5"}},
				Lines: []claim.CoverageLine{{
					LineNumber: 1, ProcedureCode: "D2391", Paid: 161_00, Units: 1,
					Adjustments: []remit.Adjustment{{Group: "CO", Reason: "45", Amount: 9_50, Quantity: "1"}, {Group: "PR", Reason: "2", Amount: 10_00}},
				}, {LineNumber: 2, ProcedureCode: "D4341"}},
			},
		},
		{
			Sequence: billing.SequenceTertiary, Payer: directory.PayerSummary{Name: "Far Away Dental"}, Relationship: coverage.RelationSelf,
			Subscriber: claim.Subscriber{FirstName: "Kim", LastName: "Example", MemberID: "W3", Gender: claim.GenderUnknown},
		},
	}
	c.Accident = &claim.Accident{Type: "auto", Date: day(2025, 12, 30), State: "NY"}
	c.Lines = []claim.Line{
		{
			ProcedureCode: "D2391", ServiceDate: day(2026, 1, 2), Fee: 180_50, Quantity: 2, Tooth: "3", Surfaces: []string{"M", "O"},
			Modifiers: []string{"22", "XE"}, DiagnosisPointers: []int{2, 1}, Prosthesis: claim.ProsthesisReplacement,
			PriorPlacementDate: day(2020, 5, 6), PlaceOfService: "31", ProviderID: idOf[billing.ProviderID](8),
		},
		{ProcedureCode: "D4341", ServiceDate: day(2026, 1, 2), Fee: 1, Quantity: 1, OralCavity: []string{"10"}, Teeth: []string{"2", "4"}},
		{ProcedureCode: "D5110", ServiceDate: day(2026, 1, 2), Quantity: 1, Prosthesis: claim.ProsthesisInitial},
	}
	c.Details = claim.Details{
		PredeterminationNumber: "PRE-1", ReferralNumber: "REF-1",
		ReferringProvider: &claim.ReferringProvider{FirstName: "Bo", LastName: "Lee", NPI: "1245319599"},
		Facility:          &claim.Facility{Name: "Oak Home", NPI: "1679576722", Address: home},
		Orthodontics:      &claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 18, ApplianceDate: day(2025, 7, 1)},
		MissingTeeth:      []string{"1", "16"}, TeethToExtract: []string{"17"}, DiagnosisCodes: []string{"K0252", "K0253"},
		PatientPaid: 50_00, PaysPatient: true, NotAccepted: true, Release: claim.ReleaseInformed,
	}
	c.SetElsewhere(c.Claim.Ledger(nil))
	return c
}

func TestClaimContentShapes(t *testing.T) {
	t.Parallel()
	half := draftClaim()
	half.OtherCoverage = []claim.OtherCoverage{{}, {Adjudication: &claim.CoverageAdjudication{Lines: make([]claim.CoverageLine, 1)}}}
	half.ReferringProvider, half.Facility, half.Orthodontics = &claim.ReferringProvider{}, &claim.Facility{}, &claim.Orthodontics{}
	half.Patient, half.Lines = &claim.Patient{}, []claim.Line{{Quantity: 1}}
	for name, c := range map[string]*claim.Record{"claim_content": contentClaim(), "claim_content_half": half} {
		golden(t, name, claimShape(c))
		inSchema(t, "Claim", claimShape(c))
		inSchema(t, "ClaimSummary", claimSummaryShape(c))
	}
}

// A client can send back what it read: the claim is then the same.
func TestAClaimCanBeSentBack(t *testing.T) {
	t.Parallel()
	c := contentClaim()
	if missing := unset("", reflect.TypeFor[claim.Content](), []reflect.Value{reflect.ValueOf(c.Content)}); len(missing) > 0 {
		t.Fatalf("the claim has no %q", missing)
	}
	got := sentBack(t, c, false)
	got.OtherCoverage[0].Payer = c.OtherCoverage[0].Payer // looked up
	if !reflect.DeepEqual(got.Content, c.Content) {
		t.Errorf("%+v\nwant\n%+v", got.Content, c.Content)
	}
	empty := draftClaim()
	got = sentBack(t, empty, true)
	got.ID, got.Scope, got.RequestID, got.CreatedAt, got.Progress = empty.ID, empty.Scope, empty.RequestID, empty.CreatedAt, empty.Progress
	if again := claimShape(&claim.Record{Claim: &got, OfficeName: empty.OfficeName}); !reflect.DeepEqual(again, claimShape(empty)) {
		t.Errorf("a draft: %+v", again)
	}
}

// sentBack is the claim of a body that has the fields of a reply, with the office,
// the payer, the provider and the patient of the first.
func sentBack(t *testing.T, c *claim.Record, draft bool) claim.Claim {
	t.Helper()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]any{"office_id": c.OfficeID, "payer_id": c.Payer.PayerID, "rendering_provider_id": c.ProviderID, "draft": draft, "submit": false}
	if c.ProviderID.IsZero() {
		sent["rendering_provider_id"] = nil
	}
	shown, _ := plainJSON(t, claimShape(c)).(map[string]any)
	for field := range doc.Components.Schemas["ClaimContent"].Value.Properties {
		if v, ok := shown[field]; ok {
			sent[field] = v
		} else if _, named := sent[field]; !named {
			t.Errorf("the claim does not show %s", field)
		}
	}
	body, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate("#/paths/~1claims/post/requestBody", string(body)); err != nil {
		t.Errorf("the contract refuses the body: %v", err)
	}
	var in intake.ClaimRequest
	tree, faults := readTree(t, string(body))
	in.Faults = faults
	jsonbody.NewObject("", tree, &in.Faults).Fill(&in)
	got, faults := in.Claim()
	if len(faults) > 0 {
		t.Fatalf("faults %v", faults)
	}
	got.OfficeID, got.Payer, got.ProviderID, got.PatientID = c.OfficeID, c.Payer, c.ProviderID, c.PatientID
	return got
}

// unset lists the fields of a type that have no value, at any depth, in any of the
// values.
func unset(path string, of reflect.Type, values []reflect.Value) (missing []string) {
	var inside []reflect.Value
	switch of.Kind() { //nolint:exhaustive // the rest has no depth
	case reflect.Pointer, reflect.Slice:
		for _, v := range values {
			switch {
			case v.Kind() == reflect.Slice:
				for i := range v.Len() {
					inside = append(inside, v.Index(i))
				}
			case !v.IsNil():
				inside = append(inside, v.Elem())
			}
		}
		if len(inside) == 0 {
			return []string{path}
		}
		return unset(path, of.Elem(), inside)
	case reflect.Struct:
		for f := range of.Fields() {
			inside = inside[:0:0]
			for _, v := range values {
				inside = append(inside, v.FieldByIndex(f.Index))
			}
			missing = append(missing, unset(path+"."+f.Name, f.Type, inside)...)
		}
		return missing
	}
	if !slices.ContainsFunc(values, func(v reflect.Value) bool { return !v.IsZero() }) {
		return []string{strings.TrimPrefix(path, ".")}
	}
	return nil
}

// The claims that the contract shows are read without faults, and have no findings.
func TestClaimsOfTheContractAreGood(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	examples := doc.Paths.Find("/claims").Post.RequestBody.Value.Content.Get("application/json").Examples
	payer, _ := porttest.Payers(t).Find("CHTEST")
	with := claim.RuleContext{Today: day(2026, 3, 1), Payer: payer, Provider: &directory.Provider{NPI: "1245319599", Taxonomy: "1223G0001X"}}
	for name, example := range examples {
		body, err := json.Marshal(example.Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate("#/paths/~1claims/post/requestBody", string(body)); err != nil {
			t.Errorf("%s: the contract refuses it: %v", name, err)
		}
		var in intake.ClaimRequest
		tree, faults := readTree(t, string(body))
		in.Faults = faults
		jsonbody.NewObject("", tree, &in.Faults).Fill(&in)
		c, faults := in.Claim()
		c.Payer = payer.PayerSummary
		for i := range c.OtherCoverage {
			c.OtherCoverage[i].Payer.ID = idOf[billing.PayerID](2)
		}
		if found := c.Judge(with); len(faults) > 0 || !in.Draft && len(found) > 0 {
			t.Errorf("%s: faults %v, findings %+v", name, faults, found)
		}
	}
	if len(examples) < 6 {
		t.Errorf("%d examples", len(examples))
	}
}
