package claims_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// TestItems writes a claim with one group of fields each. The segments are worked out
// from the implementation guide; they stand in the file one after the other.
func TestItems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*claims.Claim)
		want   string
	}{
		"provider.edi": {func(c *claims.Claim) {
			c.Billing.Person, c.Billing.FirstName, c.Billing.LastName, c.Billing.Name = true, "ANNA", "TOOTH", "ANNA TOOTH"
			c.Billing.Taxonomy, c.Billing.Contact = "1223G0001X", "FRONT DESK"
			c.PayTo = claims.Address{Line1: "PO BOX 9", City: "TULSA", State: "OK", ZIP: "741019000"}
		}, `
			HL*1**20*1
			PRV*BI*PXC*1223G0001X
			NM1*85*1*TOOTH*ANNA****XX*1234567893
			N3*1 MAIN ST*SUITE 2
			N4*TULSA*OK*741010001
			REF*EI*123456789
			PER*IC*FRONT DESK*TE*5550100100
			NM1*87*2
			N3*PO BOX 9
			N4*TULSA*OK*741019000
			HL*2*1*22*0`},
		"plan.edi": {func(c *claims.Claim) {
			c.Subscriber.MiddleName, c.Subscriber.Suffix, c.Subscriber.GroupNumber, c.Subscriber.GroupName = "MARIA", "JR", "", "ACME WORKS"
			c.FilingIndicator, c.ProviderNumber, c.ProviderLocation = "12", "PN-7", "LOC-2"
		}, `
			SBR*P*18**ACME WORKS*****12
			NM1*IL*1*NUNEZ*ZOE*MARIA**JR*MI*W123
			N3*5 ELM ST
			N4*TULSA*OK*74103
			DMG*D8*19800102*F
			NM1*PR*2*MOLAR TEST PAYER*****PI*CHTEST
			REF*G2*PN-7
			REF*LU*LOC-2
			CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y`},
		"dependent.edi": {func(c *claims.Claim) {
			c.Patient = &claims.Patient{
				FirstName: "TED", MiddleName: "B", LastName: "SMITH", Suffix: "III", DateOfBirth: on(2009, 5, 6), Relationship: claims.RelationChild, Gender: "M",
				Address: claims.Address{Line1: "7 OAK AVE", City: "NORMAN", State: "OK", ZIP: "730690000"},
			}
		}, `
			HL*3*2*23*0
			PAT*19
			NM1*QC*1*SMITH*TED*B**III
			N3*7 OAK AVE
			N4*NORMAN*OK*730690000
			DMG*D8*20090506*M
			CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y`},
		"consent.edi": {func(c *claims.Claim) {
			c.Assignment, c.BenefitsAssigned, c.Release = claims.AssignmentRefused, claims.BenefitsToPatient, claims.ReleaseInformed
			c.PatientPaid = 50_00
		}, `
			CLM*PCN-1*305.5***11:B:1*Y*C*N*I
			AMT*F5*50
			NM1*82*1*MOLINA*ADA****XX*1467560003`},
		"converted.edi": {func(c *claims.Claim) { c.PredeterminationNumber = "PRE889" }, `
			CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y
			REF*G3*PRE889
			NM1*82*1*MOLINA*ADA****XX*1467560003`},
		"orthodontics.edi": {func(c *claims.Claim) {
			c.Orthodontics = &claims.Orthodontics{TotalMonths: 24, MonthsRemaining: 18, ApplianceDate: on(2026, 1, 10)}
			c.MissingTeeth, c.TeethToExtract = []string{"1", "16"}, []string{"5"}
		}, `
			CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y
			DTP*452*D8*20260110
			DN1*24*18
			DN2*1*M****JP
			DN2*16*M****JP
			DN2*5*E****JP
			NM1*82*1*MOLINA*ADA****XX*1467560003`},
		"orthodontics-started.edi": {func(c *claims.Claim) { c.Orthodontics = &claims.Orthodontics{ApplianceDate: on(2026, 1, 10)} }, `
			DTP*452*D8*20260110
			DN1****Y
			NM1*82*1*MOLINA*ADA****XX*1467560003`},
		"prosthesis.edi": {func(c *claims.Claim) {
			c.Lines = []claims.Line{
				{Procedure: "D6245", Fee: 900_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "4"}}, Prosthesis: claims.ProsthesisInitial, ServiceDate: on(2026, 3, 2)},
				{
					Procedure: "D2740", Fee: 1_200_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "3"}}, Prosthesis: claims.ProsthesisReplacement,
					ServiceDate: on(2026, 3, 2), PriorPlacement: on(2019, 4, 1),
				},
				{Procedure: "D2950", Fee: 200_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "3"}}, ServiceDate: on(2026, 3, 2)},
			}
		}, `
			LX*1
			SV3*AD:D6245*900***I*1
			TOO*JP*4
			DTP*472*D8*20260302
			REF*6R*1
			LX*2
			SV3*AD:D2740*1200***R*1
			TOO*JP*3
			DTP*472*D8*20260302
			DTP*441*D8*20190401
			REF*6R*2
			LX*3
			SV3*AD:D2950*200****1
			TOO*JP*3
			DTP*472*D8*20260302
			REF*6R*3`},
		"referral.edi": {func(c *claims.Claim) {
			c.ReferralNumber, c.PriorAuthorization = "RF-5", "AUTH 77"
			c.Referring = claims.Provider{FirstName: "RITA", LastName: "FERRER", NPI: "1215931106"}
			c.Facility = claims.Facility{
				Name: "CITY HOSPITAL", NPI: "1467560003", Address: claims.Address{Line1: "9 HILL RD", City: "TULSA", State: "OK", ZIP: "741050000"},
			}
		}, `
			CLM*PCN-1*305.5***11:B:1*Y*A*Y*Y
			REF*9F*RF-5
			REF*G1*AUTH 77
			NM1*DN*1*FERRER*RITA****XX*1215931106
			NM1*82*1*MOLINA*ADA****XX*1467560003
			PRV*PE*PXC*1223G0001X
			NM1*77*2*CITY HOSPITAL*****XX*1467560003
			N3*9 HILL RD
			N4*TULSA*OK*741050000
			LX*1`},
		"services.edi": {func(c *claims.Claim) {
			c.Diagnoses = []string{"K02.1", "K0381"}
			c.Lines = []claims.Line{
				{
					Procedure: "D7210", Modifiers: []string{"22", "52"}, Fee: 600_00, PlaceOfService: "22", Quantity: 3, DiagnosisPointers: []int{2, 1},
					Teeth:       []claims.Tooth{{Number: "1"}, {Number: "16"}, {Number: "17"}},
					ServiceDate: on(2026, 3, 2), Rendering: claims.Provider{FirstName: "ORAL", LastName: "SURGEON", NPI: "1215931106", Taxonomy: "1223S0112X"},
				},
				{Procedure: "D0140", Fee: 60_00, PlaceOfService: "11", Quantity: 1, ServiceDate: on(2026, 3, 2)},
			}
		}, `
			CLM*PCN-1*660***11:B:1*Y*A*Y*Y
			HI*ABK:K021*ABF:K0381
			NM1*82*1*MOLINA*ADA****XX*1467560003
			PRV*PE*PXC*1223G0001X
			LX*1
			SV3*AD:D7210:22:52*600*22***3*****2:1
			TOO*JP*1
			TOO*JP*16
			TOO*JP*17
			DTP*472*D8*20260302
			REF*6R*1
			NM1*82*1*SURGEON*ORAL****XX*1215931106
			PRV*PE*PXC*1223S0112X
			LX*2
			SV3*AD:D0140*60****1`},
		"secondary.edi": {func(c *claims.Claim) { *c = secondary() }, `
			SBR*S*18*G-100******CI
			NM1*IL*1*NUNEZ*ZOE****MI*W123
			N3*5 ELM ST
			N4*TULSA*OK*74103
			DMG*D8*19800102*F
			NM1*PR*2*MOLAR TEST PAYER*****PI*CHTEST
			CLM*PCN-1*300***11:B:1*Y*A*Y*Y
			NM1*82*1*MOLINA*ADA****XX*1467560003
			PRV*PE*PXC*1223G0001X
			SBR*P*01*GRPA******CI
			AMT*D*160
			AMT*EAF*100
			OI***Y***Y
			NM1*IL*1*DOE*ANN****MI*M123
			N3*1 ELM ST
			N4*AUSTIN*TX*787010000
			NM1*PR*2*PRIME DENTAL*****PI*PD001
			REF*F8*PCN55
			LX*1
			SV3*AD:D2750*300****1
			TOO*JP*3
			DTP*472*D8*20260105
			REF*6R*1
			SVD*PD001*160*AD:D2750**1
			CAS*CO*45*40
			CAS*PR*1*50**2*50
			DTP*573*D8*20260115
			SE*40*0007`},
		"secondary-claim-level.edi": {func(c *claims.Claim) {
			*c = secondary()
			o := &c.OtherPayers[0]
			o.Adjustments, o.PaymentDate, c.Lines[0].Adjudications = c.Lines[0].Adjudications[0].Adjustments, on(2026, 1, 15), nil
			o.Payer, o.BenefitsAssigned, o.Release = claims.Payer{Name: "PRIME DENTAL", PayerID: "PRIMARY"}, claims.BenefitsToPatient, claims.ReleaseInformed
		}, `
			SBR*P*01*GRPA******CI
			CAS*CO*45*40
			CAS*PR*1*50**2*50
			AMT*D*160
			AMT*EAF*100
			OI***N***I
			NM1*IL*1*DOE*ANN****MI*M123
			N3*1 ELM ST
			N4*AUSTIN*TX*787010000
			NM1*PR*2*PRIME DENTAL*****PI*PRIMARY
			DTP*573*D8*20260115
			REF*F8*PCN55
			LX*1
			SV3*AD:D2750*300****1
			TOO*JP*3
			DTP*472*D8*20260105
			REF*6R*1
			SE*39*0007`},
		"tertiary.edi": {func(c *claims.Claim) {
			*c = secondary()
			c.Coverage = claims.CoverageTertiary
			second := c.OtherPayers[0]
			second.Coverage, second.Relationship, second.GroupNumber, second.GroupName = claims.CoverageSecondary, claims.RelationSelf, "", "BLUE FLEET"
			second.Payer, second.FilingIndicator, second.PayerClaimNumber = claims.Payer{Name: "BLUE DENTAL", PayerID: "BD002"}, "BL", ""
			second.Paid, second.Remaining, second.Subscriber.Address = new(billing.Money(0)), new(billing.Money(100_00)), claims.Address{}
			c.OtherPayers = append(c.OtherPayers, second)
			c.Lines[0].Adjudications = append(c.Lines[0].Adjudications, claims.Adjudication{
				PayerID: "BD002", Procedure: "D2750", PaymentDate: on(2026, 2, 15),
				Adjustments: []claims.Adjustment{{Group: "OA", Reason: "23", Amount: 200_00}, {Group: "PR", Reason: "96", Amount: 100_00, Quantity: "1"}},
			})
		}, `
			NM1*PR*2*PRIME DENTAL*****PI*PD001
			REF*F8*PCN55
			SBR*S*18**BLUE FLEET*****BL
			AMT*D*0
			AMT*EAF*100
			OI***Y***Y
			NM1*IL*1*DOE*ANN****MI*M123
			NM1*PR*2*BLUE DENTAL*****PI*BD002
			LX*1
			SV3*AD:D2750*300****1
			TOO*JP*3
			DTP*472*D8*20260105
			REF*6R*1
			SVD*PD001*160*AD:D2750**1
			CAS*CO*45*40
			CAS*PR*1*50**2*50
			DTP*573*D8*20260115
			SVD*BD002*0*AD:D2750**0
			CAS*OA*23*200
			CAS*PR*96*100*1
			DTP*573*D8*20260215`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := filling()
			c.change(&claim)
			b := batch(claim)
			file := encode(t, &b)
			x12test.Golden(t, name, x12test.Lines(file))
			want := strings.Join(strings.Fields(strings.ReplaceAll(c.want, " ", "_")), "~") + "~"
			if got := strings.ReplaceAll(string(file), " ", "_"); !strings.Contains(got, "~"+want) {
				t.Errorf("the file is\n%s\nand is without\n%s", x12test.Lines(file), strings.ReplaceAll(want, "~", "~\n"))
			}
			if _, err := checkDecode(t, file); err != nil {
				t.Error(err)
			}
		})
	}
}

// secondary is a claim of 300.00 that another payer decided: 160.00 paid, 40.00 above
// the fee schedule, and 50.00 each of deductible and coinsurance.
func secondary() claims.Claim {
	c := filling()
	c.Coverage = claims.CoverageSecondary
	c.OtherPayers = []claims.OtherPayer{{
		Coverage: claims.CoveragePrimary, Relationship: claims.RelationSpouse, GroupNumber: "GRPA",
		Paid: new(billing.Money(160_00)), Remaining: new(billing.Money(100_00)),
		Subscriber: claims.OtherSubscriber{
			FirstName: "ANN", LastName: "DOE", MemberID: "M123", Address: claims.Address{Line1: "1 ELM ST", City: "AUSTIN", State: "TX", ZIP: "787010000"},
		},
		Payer: claims.Payer{Name: "PRIME DENTAL", PayerID: "PD001"}, PaymentDate: on(2026, 1, 15), PayerClaimNumber: "PCN55",
	}}
	c.Lines = []claims.Line{{
		Procedure: "D2750", Fee: 300_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "3"}}, ServiceDate: on(2026, 1, 5),
		Adjudications: []claims.Adjudication{{
			PayerID: "PD001", Paid: 160_00, Procedure: "D2750", Quantity: 1, PaymentDate: on(2026, 1, 15),
			Adjustments: []claims.Adjustment{
				{Group: "CO", Reason: "45", Amount: 40_00},
				{Group: "PR", Reason: "1", Amount: 50_00},
				{Group: "PR", Reason: "2", Amount: 50_00},
			},
		}},
	}}
	return c
}

// TestAddsUp proves that the decoded adjudication of the sample explains the charge.
func TestAddsUp(t *testing.T) {
	t.Parallel()
	all, _, err := claims.Decode(strings.NewReader(read(t, "secondary.edi")))
	if err != nil {
		t.Fatal(err)
	}
	c := &all[0].Claims[0]
	a := c.Lines[0].Adjudications[0]
	sum := a.Paid
	for _, x := range a.Adjustments {
		sum += x.Amount
	}
	if o := c.OtherPayers[0]; sum != c.Lines[0].Fee || *o.Paid != a.Paid || a.PayerID != o.Payer.PayerID || !o.PaymentDate.IsZero() {
		t.Errorf("the adjudication %+v of %+v", a, o)
	}
}

// TestLimits proves that the encoder drops what the guide does not allow, and that
// equal groups share a segment.
func TestLimits(t *testing.T) {
	t.Parallel()
	c := secondary()
	for _, rank := range []string{"T", "P"} {
		c.OtherPayers = append(c.OtherPayers, claims.OtherPayer{Coverage: rank})
	}
	line := &c.Lines[0]
	for n := range 40 {
		c.MissingTeeth, c.TeethToExtract = append(c.MissingTeeth, "1"), append(c.TeethToExtract, "2")
		c.Diagnoses, line.DiagnosisPointers = append(c.Diagnoses, "K021"), append(line.DiagnosisPointers, n)
		line.Modifiers, line.Teeth = append(line.Modifiers, "22"), append(line.Teeth, claims.Tooth{Number: "3"})
		line.Adjudications = append(line.Adjudications, claims.Adjudication{PayerID: "PD001"})
	}
	groups := []string{"CO", "PR", "CO", "OA", "PR", "CR", "CO", "PI", "CO", "CO", "CO", "XX"}
	for _, group := range groups {
		line.Adjudications[1].Adjustments = append(line.Adjudications[1].Adjustments, claims.Adjustment{Group: group, Reason: "1", Amount: 1_00})
	}
	b := batch(c)
	file := encode(t, &b)
	for id, want := range map[string]int{"SBR": 1 + claims.MaxOtherPayers, "DN2": claims.MaxTeethStatus, "TOO": claims.MaxTeeth, "SVD": claims.MaxAdjudications} {
		if got := len(segments(file, id)); got != want {
			t.Errorf("%d %s, want %d", got, id, want)
		}
	}
	if got, want := segments(file, "CAS")[2:], []string{"CAS*CO*1*1**1*1**1*1**1*1**1*1**1*1", "CAS*PR*1*1**1*1", "CAS*OA*1*1", "CAS*CR*1*1", "CAS*PI*1*1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("adjustments %q, want %q", got, want)
	}
	if got := segments(file, "SV3")[0]; got != "SV3*AD:D2750:22:22:22:22*300****1*****1:2:3:4" {
		t.Error(got)
	}
	if got := segments(file, "HI")[0]; got != "HI*ABK:K021*ABF:K021*ABF:K021*ABF:K021" {
		t.Error(got)
	}
}

// TestNoContact proves that a contact without a number is not in the file.
func TestNoContact(t *testing.T) {
	t.Parallel()
	c := filling()
	c.Billing.Phone = ""
	b := batch(c)
	b.Submitter.Phone, b.Submitter.Email = "n/a", ""
	if got := segments(encode(t, &b), "PER"); len(got) > 0 {
		t.Errorf("contacts %q", got)
	}
}

// TestOlderCoordination reads the other payers of a file of 4010, which has amounts
// and segments that 5010 does not have.
func TestOlderCoordination(t *testing.T) {
	t.Parallel()
	file := read(t, "lenient-4010.edi")
	all, _, err := claims.Decode(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	c := all[0].Claims[0]
	if len(c.OtherPayers) != 1 || c.Coverage != claims.CoveragePrimary || c.FilingIndicator != "CI" {
		t.Fatalf("%+v", c.OtherPayers)
	}
	want := claims.OtherPayer{
		Coverage: claims.CoverageSecondary, Relationship: claims.RelationChild, FilingIndicator: "CI", PayerClaimNumber: "NOT OURS",
		Subscriber: claims.OtherSubscriber{FirstName: "INSURED", LastName: "OTHER", MemberID: "JS00111", Address: claims.Address{Line1: "9 OTHER ST"}},
		Payer:      claims.Payer{Name: "OTHER PAYER", PayerID: "999"},
	}
	if got := c.OtherPayers[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if o := c.Orthodontics; o == nil || *o != (claims.Orthodontics{ApplianceDate: on(2026, 1, 1)}) {
		t.Errorf("orthodontics %+v", o)
	}
	if got := c.Patient.Address; got != (claims.Address{Line1: "236 N MAIN ST", City: "MIAMI", State: "FL", ZIP: "33413"}) {
		t.Errorf("address %+v", got)
	}
	if o := c.Billing; !o.Person || o.FirstName != "ANNA" || o.LastName != "TOOTH" {
		t.Errorf("billing provider %+v", o)
	}
	third := strings.Replace(file, "SBR*S*19", "SBR*T*18~SBR*A*18~SBR*S*19", 1)
	if all, _, err = claims.Decode(bytes.NewReader([]byte(strings.ReplaceAll(third, "~", "|\n")))); err != nil {
		t.Fatal(err)
	}
	if got := all[0].Claims[0].OtherPayers; len(got) != claims.MaxOtherPayers || got[0].Coverage != claims.CoverageTertiary || got[1].Coverage != "" {
		t.Errorf("%+v", got)
	}
}
