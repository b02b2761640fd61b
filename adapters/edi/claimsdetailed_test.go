package edi_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
)

func on(y, m, d int) billing.Date { return billing.Date{Year: y, Month: time.Month(m), Day: d} }

// address is a full address; its text says whose.
func address(whose string) directory.Address {
	return directory.Address{Line1: whose + " 1", Line2: whose + " 2", City: whose + " CITY", State: "OK", ZIP: "741010001"}
}

// detailedFile has two claims that together have every value that a claim and an
// office can have, in the characters of X12.
func detailedFile() network.ClaimsFile {
	practice, dentist := newOffice(1, "BRIGHT SMILES", "1234567893"), newOffice(2, "ANNA TOOTH", "1467560003")
	for _, o := range []*directory.Office{practice, dentist} {
		o.TaxID, o.Phone, o.Address, o.PayTo = "123456789", "5550100100", address("OFFICE"), address("LOCKBOX")
		o.Scope = billing.Scope{Org: billing.OrgID{1}, Mode: billing.ModeTest}
		o.Taxonomy, o.ContactName = "1223G0001X", "FRONT DESK"
	}
	practice.ProviderNumbers = []directory.ProviderNumber{{PayerID: "OTHER", Number: "NO"}, {PayerID: "CHTEST", Number: "PN-7", LocationNumber: "LOC-2"}}
	dentist.Entity, dentist.FirstName, dentist.LastName = directory.EntityPerson, "ANNA", "TOOTH"
	first, second := claimOf(1, practice, "PCN-1"), claimOf(2, dentist, "PCN-2")
	detailed(first.Claim)
	coordinated(second.Claim)
	surgeon := &directory.Provider{FirstName: "ORAL", LastName: "SURGEON", NPI: "1215931106", Taxonomy: "1223S0112X"}
	for _, c := range []*claim.OutgoingClaim{&first, &second} {
		c.Provider = &directory.Provider{FirstName: "ADA", LastName: "MOLINA", NPI: "1467560003", Taxonomy: "1223G0001X"}
		c.Claim.ProviderID = billing.ProviderID{15: 1}
		c.Providers = map[billing.ProviderID]*directory.Provider{{15: 1}: c.Provider, {15: 2}: surgeon}
		c.Payer = &directory.Payer{FilingIndicator: "12"}
	}
	second.OtherPayers = []*directory.Payer{{FilingIndicator: "MC"}, nil}
	return network.ClaimsFile{Batch: newBatch(), Envelope: envelope("CLEARINGHOUSE"), Claims: []claim.OutgoingClaim{first, second}}
}

// detailed gives a claim all that has nothing to do with another payer.
func detailed(c *claim.Claim) {
	c.Payer.Name = "MOLAR TEST PAYER"
	c.Subscriber = claim.Subscriber{
		FirstName: "OTTOLINE", MiddleName: "MAY", LastName: "QUILLFEATHER", Suffix: "SR", DateOfBirth: on(1985, 4, 12), MemberID: "W123",
		GroupName: "ACME WORKS", Gender: claim.GenderFemale, Address: address("HOME"),
	}
	c.Patient = &claim.Patient{
		FirstName: "ZOE", MiddleName: "B", LastName: "NUNEZ", Suffix: "III", DateOfBirth: on(2009, 5, 6), Relationship: coverage.RelationChild,
		Gender: claim.GenderMale, Address: address("DORM"),
	}
	c.PlaceOfService, c.PriorAuthorization, c.Note = "22", "AUTH 77", "TEMPORARY CROWN PLACED"
	c.Accident = &claim.Accident{Type: "auto", Date: on(2026, 2, 1), State: "TX"}
	c.Details = claim.Details{
		PredeterminationNumber: "PRE889", ReferralNumber: "RF-5",
		ReferringProvider: &claim.ReferringProvider{FirstName: "RITA", LastName: "FERRER", NPI: "1215931106"},
		Facility:          &claim.Facility{Name: "CITY HOSPITAL", NPI: "1467560003", Address: address("HOSPITAL")},
		Orthodontics:      &claim.Orthodontics{TotalMonths: 24, MonthsRemaining: 18, ApplianceDate: on(2026, 1, 10)},
		MissingTeeth:      []string{"1", "16"}, TeethToExtract: []string{"5"}, DiagnosisCodes: []string{"K021", "K0381"},
		PatientPaid: 50_00, PaysPatient: true, NotAccepted: true, Release: claim.ReleaseInformed,
	}
	c.Lines = []claim.Line{
		{
			ProcedureCode: "D2740", ServiceDate: on(2026, 3, 2), Fee: 1_200_00, Quantity: 2, Tooth: "3", Surfaces: []string{"M", "O"},
			Modifiers: []string{"22", "52"}, DiagnosisPointers: []int{2, 1}, Prosthesis: claim.ProsthesisReplacement,
			PriorPlacementDate: on(2019, 4, 1), PlaceOfService: "11", ProviderID: billing.ProviderID{15: 2},
		},
		{ProcedureCode: "D7210", ServiceDate: on(2026, 3, 3), Fee: 600_00, Quantity: 3, Teeth: []string{"1", "16", "17"}},
		{ProcedureCode: "D4341", ServiceDate: on(2026, 3, 4), Fee: 180_05, Quantity: 1, OralCavity: []string{"10", "20"}, Prosthesis: claim.ProsthesisInitial},
	}
}

// coordinated makes a tertiary claim of 300.00. The first payer decided by line: 160.00
// paid, 40.00 contractual, 50.00 of deductible, 50.00 of coinsurance. The second is only
// a name, decided about the claim as a whole, and paid 30.00 of the 100.00.
func coordinated(c *claim.Claim) {
	c.Coverage, c.Payer.Name = billing.SequenceTertiary, "MOLAR TEST PAYER"
	c.Subscriber.FirstName, c.Subscriber.LastName, c.Subscriber.GroupNumber = "OTTOLINE", "QUILLFEATHER", "G-100"
	c.Subscriber.Address = address("HOME")
	c.Lines = []claim.Line{{ProcedureCode: "D2750", ServiceDate: on(2026, 1, 5), Fee: 300_00, Quantity: 1, Tooth: "3"}}
	holder := claim.Subscriber{
		FirstName: "ANN", MiddleName: "K", LastName: "DOE", Suffix: "JR", DateOfBirth: on(1980, 1, 2), MemberID: "M123", GroupNumber: "GRPA",
		Gender: claim.GenderFemale, Address: address("OTHER HOME"),
	}
	named := holder
	named.GroupNumber, named.GroupName, named.MemberID = "", "BLUE FLEET", "M456"
	c.OtherCoverage = []claim.OtherCoverage{
		{
			Sequence: billing.SequencePrimary, Payer: directory.PayerSummary{PayerID: "PD001", Name: "PRIME DENTAL"}, Subscriber: holder,
			Relationship: coverage.RelationSpouse, FilingIndicator: "BL",
			Adjudication: &claim.CoverageAdjudication{
				PaymentDate: on(2026, 1, 15), PayerClaimNumber: "PCN55", Paid: 160_00,
				Lines: []claim.CoverageLine{{LineNumber: 1, ProcedureCode: "D2751", Paid: 160_00, Units: 2, Adjustments: []remit.Adjustment{
					{Group: "CO", Reason: "45", Amount: 40_00},
					{Group: "PR", Reason: "1", Amount: 50_00},
					{Group: "PR", Reason: "2", Amount: 50_00, Quantity: "1"},
				}}},
			},
		},
		{
			Sequence: billing.SequenceSecondary, Payer: directory.PayerSummary{PayerID: "BD777", Name: "BLUE DENTAL"}, Subscriber: named,
			Relationship: coverage.RelationSelf, FilingIndicator: "CI",
			Adjudication: &claim.CoverageAdjudication{
				PaymentDate: on(2026, 2, 15), PayerClaimNumber: "BD-9", Paid: 30_00,
				Adjustments: []remit.Adjustment{{Group: "OA", Reason: "23", Amount: 200_00, Quantity: "1"}, {Group: "PR", Reason: "2", Amount: 70_00}},
			},
		},
	}
}

func TestDetailedGolden(t *testing.T) {
	t.Parallel()
	file := mustFile(t, detailedFile())
	x12test.Golden(t, filepath.Join("claims", "detailed.837"), x12test.Lines(file))
	for _, want := range []string{
		// The first payer's adjustments are on the line, the second's on the claim.
		"~SBR*T*18*G-100******12~",
		"~SBR*P*01*GRPA******BL~AMT*D*160~AMT*EAF*100~OI***Y***Y~NM1*IL*1*DOE*ANN*K**JR*MI*M123~",
		"~NM1*PR*2*PRIME DENTAL*****PI*PD001~REF*F8*PCN55~" +
			"SBR*S*18**BLUE FLEET*****CI~CAS*OA*23*200*1~CAS*PR*2*70~AMT*D*30~AMT*EAF*70~OI***Y***Y~",
		"~NM1*PR*2*BLUE DENTAL*****PI*BD777~DTP*573*D8*20260215~REF*F8*BD-9~LX*1~",
		"~SVD*PD001*160*AD:D2751**2~CAS*CO*45*40~CAS*PR*1*50**2*50*1~DTP*573*D8*20260115~SE*",
	} {
		if !strings.Contains(string(file), want) {
			t.Errorf("the file is without %s", want)
		}
	}
}

// TestEveryValueComesBack decodes the file and makes the claims and the offices of it
// again.
func TestEveryValueComesBack(t *testing.T) {
	t.Parallel()
	f := detailedFile()
	all, warnings, err := claims.Decode(bytes.NewReader(mustFile(t, f)))
	if err != nil || len(warnings) > 0 || len(all) != 1 || len(all[0].Claims) != len(f.Claims) {
		t.Fatalf("%d batches, %v, %v", len(all), warnings, err)
	}
	for i := range f.Claims {
		want, got := f.Claims[i].Claim.Content, contentOf(&all[0].Claims[i])
		want.OfficeID, want.ProviderID = billing.OfficeID{}, billing.ProviderID{}
		for k := range want.OtherCoverage {
			s := &want.OtherCoverage[k].Subscriber
			s.DateOfBirth, s.Gender = billing.Date{}, ""
		}
		for k := range want.Lines {
			want.Lines[k].ProviderID = billing.ProviderID{}
		}
		if want.Coverage == "" {
			want.Coverage = billing.SequencePrimary
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("claim %d is\n%+v, want\n%+v", i, got, want)
		}
		office, wantOffice := officeOf(&all[0].Claims[i]), *f.Claims[i].Office
		wantOffice.ID, wantOffice.Scope = billing.OfficeID{}, billing.Scope{}
		if n := wantOffice.ProviderNumbers; len(n) > 0 {
			wantOffice.ProviderNumbers = n[1:] // of the claim's payer
		}
		if !reflect.DeepEqual(office, wantOffice) {
			t.Errorf("office %d is\n%+v, want\n%+v", i, office, wantOffice)
		}
		if got := all[0].Claims[i].FilingIndicator; got != f.Claims[i].Payer.FilingIndicator {
			t.Errorf("filing indicator %s", got)
		}
	}
	if p, want := all[0].Claims[0].Lines[0].Rendering, (claims.Provider{FirstName: "ORAL", LastName: "SURGEON", NPI: "1215931106", Taxonomy: "1223S0112X"}); p != want {
		t.Errorf("the line's provider is %+v", p)
	}
}

// TestAPayerWithoutID proves that the file makes up no ID, although rules keep such a claim
// from files.
func TestAPayerWithoutID(t *testing.T) {
	t.Parallel()
	f := detailedFile()
	f.Claims[1].Claim.OtherCoverage[0].Payer.PayerID = ""
	file := string(mustFile(t, f))
	if !strings.Contains(file, "~NM1*PR*2*PRIME DENTAL~DTP*573*D8*20260115~REF*F8*PCN55~") || strings.Contains(file, "SVD*") || strings.Contains(file, "PRIMARY") {
		t.Errorf("the file is\n%s", strings.ReplaceAll(file, "~", "~\n"))
	}
}

// TestSamePayerTwice proves that each decision about a line names one payer, although
// both plans belong to the same one.
func TestSamePayerTwice(t *testing.T) {
	t.Parallel()
	f := detailedFile()
	others := f.Claims[1].Claim.OtherCoverage
	others[1].Payer = others[0].Payer
	others[1].Adjudication = &claim.CoverageAdjudication{PaymentDate: on(2026, 2, 15), Lines: []claim.CoverageLine{
		{LineNumber: 1, ProcedureCode: "D2750", Paid: 10_00}, {LineNumber: 2, ProcedureCode: "D9999"},
	}}
	all, _, err := claims.Decode(bytes.NewReader(mustFile(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	c := &all[0].Claims[1]
	if first, second := c.OtherPayers[0].Payer.PayerID, c.OtherPayers[1].Payer.PayerID; first != "PD001" || second != "SECONDARY" {
		t.Errorf("payers %s and %s", first, second)
	}
	decided := c.Lines[0].Adjudications
	if len(decided) != 2 || decided[0].PayerID != "PD001" || decided[1].PayerID != "SECONDARY" || decided[1].Quantity != 0 {
		t.Errorf("decisions %+v", decided)
	}
}

// TestFilingOfAnotherPayer proves that the coverage's own filing indicator counts
// first, then the directory's, then CI.
func TestFilingOfAnotherPayer(t *testing.T) {
	t.Parallel()
	f := detailedFile()
	for i := range f.Claims[1].Claim.OtherCoverage {
		f.Claims[1].Claim.OtherCoverage[i].FilingIndicator = ""
	}
	all, _, err := claims.Decode(bytes.NewReader(mustFile(t, f)))
	if err != nil {
		t.Fatal(err)
	}
	if o := all[0].Claims[1].OtherPayers; o[0].FilingIndicator != "MC" || o[1].FilingIndicator != "CI" {
		t.Errorf("filing indicators %s and %s", o[0].FilingIndicator, o[1].FilingIndicator)
	}
}

func officeOf(c *claims.Claim) directory.Office {
	b := &c.Billing
	o := directory.Office{Name: b.Name, NPI: b.NPI, TaxID: b.TaxID, Address: directory.Address(b.Address), Phone: b.Phone}
	o.OfficeDetails = directory.OfficeDetails{
		FirstName: b.FirstName, LastName: b.LastName, Taxonomy: b.Taxonomy, PayTo: directory.Address(c.PayTo), ContactName: b.Contact,
	}
	if b.Person {
		o.Entity = directory.EntityPerson
	}
	if c.ProviderNumber != "" {
		o.ProviderNumbers = []directory.ProviderNumber{{PayerID: c.Payer.PayerID, Number: c.ProviderNumber, LocationNumber: c.ProviderLocation}}
	}
	return o
}

// contentOf makes a claim of its form in a file, as a payer would.
func contentOf(c *claims.Claim) claim.Content {
	s := &c.Subscriber
	out := claim.Content{
		Payer: directory.PayerSummary{PayerID: c.Payer.PayerID, Name: c.Payer.Name},
		Subscriber: claim.Subscriber{
			FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, DateOfBirth: s.DateOfBirth, MemberID: s.MemberID,
			GroupNumber: s.GroupNumber, GroupName: s.GroupName, Gender: genders[s.Gender], Address: directory.Address(s.Address),
		},
		Coverage: sequences[c.Coverage], PlaceOfService: c.PlaceOfService, PriorAuthorization: c.PriorAuthorization, Note: c.Note,
		Details: claim.Details{
			PredeterminationNumber: c.PredeterminationNumber, ReferralNumber: c.ReferralNumber, MissingTeeth: c.MissingTeeth,
			TeethToExtract: c.TeethToExtract, DiagnosisCodes: c.Diagnoses, PatientPaid: c.PatientPaid, PaysPatient: c.BenefitsAssigned == claims.BenefitsToPatient,
			NotAccepted: c.Assignment == claims.AssignmentRefused, Release: map[string]claim.ReleaseOfInformation{claims.ReleaseInformed: claim.ReleaseInformed}[c.Release],
		},
	}
	if p := c.Patient; p != nil {
		out.Patient = &claim.Patient{
			FirstName: p.FirstName, MiddleName: p.MiddleName, LastName: p.LastName, Suffix: p.Suffix, DateOfBirth: p.DateOfBirth,
			Relationship: relationships[p.Relationship], Gender: genders[p.Gender], Address: directory.Address(p.Address),
		}
	}
	if a := c.Accident; a != nil {
		out.Accident = &claim.Accident{Type: map[string]string{claims.CauseAuto: "auto"}[a.Cause], Date: a.Date, State: a.State}
	}
	if p := c.Referring; p != (claims.Provider{}) {
		out.ReferringProvider = &claim.ReferringProvider{FirstName: p.FirstName, LastName: p.LastName, NPI: p.NPI}
	}
	if f := c.Facility; f != (claims.Facility{}) {
		out.Facility = &claim.Facility{Name: f.Name, NPI: f.NPI, Address: directory.Address(f.Address)}
	}
	if o := c.Orthodontics; o != nil {
		out.Orthodontics = new(claim.Orthodontics(*o))
	}
	for i := range c.Lines {
		out.Lines = append(out.Lines, lineOf(&c.Lines[i]))
	}
	for i := range c.OtherPayers {
		out.OtherCoverage = append(out.OtherCoverage, coverageOf(c, &c.OtherPayers[i]))
	}
	return out
}

func lineOf(l *claims.Line) claim.Line {
	out := claim.Line{
		ProcedureCode: l.Procedure, ServiceDate: l.ServiceDate, Fee: l.Fee, Quantity: l.Quantity, OralCavity: l.OralCavity, Modifiers: l.Modifiers,
		DiagnosisPointers: l.DiagnosisPointers, PriorPlacementDate: l.PriorPlacement, PlaceOfService: l.PlaceOfService,
		Prosthesis: map[string]claim.Prosthesis{
			claims.ProsthesisInitial: claim.ProsthesisInitial, claims.ProsthesisReplacement: claim.ProsthesisReplacement,
		}[l.Prosthesis],
	}
	if len(l.Teeth) == 1 {
		out.Tooth, out.Surfaces = l.Teeth[0].Number, l.Teeth[0].Surfaces
		return out
	}
	for _, tooth := range l.Teeth {
		out.Teeth = append(out.Teeth, tooth.Number)
	}
	return out
}

func coverageOf(c *claims.Claim, o *claims.OtherPayer) claim.OtherCoverage {
	s := &o.Subscriber
	a := &claim.CoverageAdjudication{
		PaymentDate: o.PaymentDate, PayerClaimNumber: o.PayerClaimNumber, Paid: *o.Paid, Adjustments: adjustmentsOf(o.Adjustments),
	}
	for i := range c.Lines {
		for _, x := range c.Lines[i].Adjudications {
			if x.PayerID != o.Payer.PayerID {
				continue
			}
			a.PaymentDate = x.PaymentDate
			a.Lines = append(a.Lines, claim.CoverageLine{
				LineNumber: i + 1, ProcedureCode: x.Procedure, Paid: x.Paid, Units: x.Quantity, Adjustments: adjustmentsOf(x.Adjustments),
			})
		}
	}
	out := claim.OtherCoverage{
		Sequence: sequences[o.Coverage], Payer: directory.PayerSummary{PayerID: o.Payer.PayerID, Name: o.Payer.Name},
		Subscriber: claim.Subscriber{
			FirstName: s.FirstName, MiddleName: s.MiddleName, LastName: s.LastName, Suffix: s.Suffix, MemberID: s.MemberID,
			GroupNumber: o.GroupNumber, GroupName: o.GroupName, Address: directory.Address(s.Address),
		},
		Relationship: relationships[o.Relationship], FilingIndicator: o.FilingIndicator, Adjudication: a,
	}
	if out.Payer.PayerID == strings.ToUpper(string(out.Sequence)) {
		out.Payer.PayerID = ""
	}
	return out
}

func adjustmentsOf(all []claims.Adjustment) (out []remit.Adjustment) {
	for _, a := range all {
		out = append(out, remit.Adjustment(a))
	}
	return out
}

var (
	genders   = map[string]claim.Gender{"F": claim.GenderFemale, "M": claim.GenderMale}
	sequences = map[string]billing.Sequence{"P": billing.SequencePrimary, "S": billing.SequenceSecondary, "T": billing.SequenceTertiary}

	relationships = map[string]coverage.Relationship{
		"18": coverage.RelationSelf, "01": coverage.RelationSpouse, "19": coverage.RelationChild, "G8": coverage.RelationOther,
	}
)
