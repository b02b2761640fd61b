package claims_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/claims"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLenient reads a file of 4010 that an older practice system would send:
// other delimiters, no NPI, another payer, dates at the claim, wrong sums.
func TestLenient(t *testing.T) {
	t.Parallel()
	file := read(t, "lenient-4010.edi")
	all, warnings, err := claims.Decode(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, w := range warnings {
		reasons = append(reasons, w.Reason)
	}
	if want := []string{"the charge of the claim is not the sum of its lines", "the count is wrong"}; !reflect.DeepEqual(reasons, want) {
		t.Errorf("warnings %q, want %q", reasons, want)
	}
	b := all[0]
	if s := b.Submitter; s.Name != "FRONT DESK" || s.Phone != "7175550100" || s.Email != "J@EXAMPLE.ORG" || b.Receiver.ID != "66783" || b.Control != "0042" {
		t.Errorf("submitter %+v, receiver %+v, control %s", s, b.Receiver, b.Control)
	}
	if len(b.Claims) != 2 {
		t.Fatalf("%d claims", len(b.Claims))
	}
	c := b.Claims[0]
	if c.Billing.Name != "ANNA TOOTH" || c.Billing.TaxID != "587654321" || c.Billing.NPI != "" || c.Billing.Address.City != "MIAMI" {
		t.Errorf("billing provider %+v", c.Billing)
	}
	if c.Subscriber.MemberID != "111223333" || c.Subscriber.Address.Line1 != "" || !c.Subscriber.DateOfBirth.IsZero() || c.Payer.PayerID != "66783" {
		t.Errorf("subscriber %+v, payer %+v", c.Subscriber, c.Payer)
	}
	if p := c.Patient; p == nil || p.FirstName != "TED" || p.Relationship != claims.RelationSpouse || p.DateOfBirth != on(1973, 5, 1) {
		t.Errorf("patient %+v", c.Patient)
	}
	if c.Frequency != claims.FrequencyReplacement || c.PayerClaimNumber != "" || c.Note != "FIRST SECOND" || *c.Accident != (claims.Accident{Cause: claims.CauseEmployment, Date: on(2026, 1, 1)}) {
		t.Errorf("claim %+v", c)
	}
	if p := c.Rendering; p.LastName != "KILDARE" || p.NPI != "" || p.Taxonomy != "122300000N" {
		t.Errorf("provider %+v", p)
	}
	want := []claims.Line{
		{
			Procedure: "D2150", Fee: 1_100_00, Quantity: 1, Teeth: []claims.Tooth{{Number: "12", Surfaces: []string{"M", "O"}}, {Number: "13", Surfaces: []string{"D"}}},
			ServiceDate: on(2026, 2, 9), Rendering: claims.Provider{FirstName: "ONE", LastName: "ANOTHER"},
		},
		{Procedure: "D1110", Fee: 50_00, Quantity: 1, OralCavity: []string{"10"}, ServiceDate: on(2026, 2, 10)},
	}
	if !reflect.DeepEqual(c.Lines, want) {
		t.Errorf("lines\n%+v, want\n%+v", c.Lines, want)
	}
	second := b.Claims[1]
	if second.Patient == c.Patient || !reflect.DeepEqual(second.Patient, c.Patient) || second.Lines[0].Quantity != 1 || second.Frequency != claims.FrequencyOriginal {
		t.Errorf("the second claim of the patient is %+v", second)
	}
}

func TestRefusedWithAPosition(t *testing.T) {
	t.Parallel()
	file := strings.ReplaceAll(read(t, "crown.edi"), "\n", "")
	swap := func(from, to string) string {
		out := strings.Replace(file, from, to, 1)
		if out == file {
			t.Fatalf("%q is not in the file", from)
		}
		return out
	}
	line := "LX*1~SV3*AD:D0120*1****1~"
	for name, c := range map[string]struct {
		input   string
		segment int
		reason  string
	}{
		"nothing":            {"", 1, "there is no interchange header (ISA)"},
		"another set":        {strings.ReplaceAll(file, "ST*837", "ST*999"), 1, "there is no transaction set 837"},
		"cut":                {file[:1000], 37, "the input ends before its trailers (SE, GE, IEA)"},
		"no claim":           {file[:strings.Index(file, "CLM")] + "SE*29*0007~GE*1*31~IEA*1*000000907~", 30, "the transaction set has no claim (CLM)"},
		"no subscriber":      {swap("HL*2*1*22*1", "HL*2*1*23*1"), 17, "a patient stands outside a subscriber (HL)"},
		"no provider":        {swap("HL*1**20*1", "HL*1**22*1"), 8, "a subscriber stands outside a billing provider (HL)"},
		"unknown level":      {swap("HL*2*1*22*1", "HL*2*1*99*1"), 17, "the hierarchical level (HL03) must be a billing provider, subscriber or patient"},
		"claim of no one":    {swap("HL*2*1*22*1", "CLM*1*1"), 17, "the claim stands outside a subscriber and a patient (HL)"},
		"no control number":  {swap("CLM*PCN-2", "CLM*"), 30, "the claim has no patient control number (CLM01)"},
		"foreign number":     {swap("CLM*PCN-2", "CLM*張"), 30, "the claim has no patient control number (CLM01)"},
		"no charge":          {swap("*2580.05*", "**"), 30, "the amount is malformed"},
		"charge":             {swap("*2580.05*", "*12.3.4*"), 30, "the amount is malformed"},
		"huge charge":        {swap("*2580.05*", "*1000000000.01*"), 30, "the amount is malformed"},
		"frequency":          {swap("22:B:1", "22:B:5"), 30, "the claim's frequency (CLM05) is unknown"},
		"birth date":         {swap("20090506", "20090230"), 29, "the date does not exist"},
		"service date":       {swap("20260302", "260302"), 43, "the date does not exist"},
		"accident date":      {swap("20260201", "00000000"), 31, "the date does not exist"},
		"fee":                {swap("*1200***R", "*FREE***R"), 41, "the amount is malformed"},
		"quantity":           {swap("*R*1~", "*R*1.5~"), 41, "the quantity must be a whole number above zero"},
		"no quantity":        {swap("*R*1~", "*R*0~"), 41, "the quantity must be a whole number above zero"},
		"no procedure":       {swap("AD:D2740", "AD"), 41, "the service has no procedure (SV301)"},
		"medical service":    {swap("SV3*AD:", "SV1*HC:"), 41, "the service must be a dental service (SV3)"},
		"service of nothing": {swap("PRV*PE", "HL*4*2*23*0~LX*1~SV3*AD:D0120*1~PRV*PE"), 30, "the claim has no service line (SV3)"},
		"service outside":    {swap("CLM*PCN-2", line+"CLM*PCN-2"), 31, "the service stands outside a claim (CLM)"},
		"no line at the end": {file[:strings.Index(file, "LX*1")] + "SE*39*0007~GE*1*31~IEA*1*000000907~", 30, "the claim has no service line (SV3)"},
		"too many lines":     {swap("LX*1~", strings.Repeat(line, 1000)+"LX*1~"), 41 + 2*1000 - 2, "the claim has too many service lines"},
		"too dear":           {swap("LX*1~", strings.Repeat("LX*1~SV3*AD:D6010*999999999****1~", 2)+"LX*1~"), 30, "the charge of the claim is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := claims.Decode(strings.NewReader(c.input))
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || e.Segment != c.segment || e.Reason != c.reason {
				t.Errorf("error %v, want %q at segment %d", err, c.reason, c.segment)
			}
		})
	}
}

// TestSeveralSets reads two transaction sets in two interchanges, the second
// after an acknowledgement.
func TestSeveralSets(t *testing.T) {
	t.Parallel()
	one, two := batch(filling()), batch(crown(), void())
	two.Control = "0008"
	ack := "ISA*00*          *00*          *ZZ*A              *ZZ*B              *260304*0506*^*00501*000000001*0*T*:~" +
		"TA1*000000907*260304*0506*A*000~GS*FA*A*B*20260304*0506*1*X*005010~ST*997*0001~AK1*HC*31~AK9*A*1*1*1~SE*4*0001~GE*1*1~IEA*1*000000001~"
	all, warnings, err := claims.Decode(io.MultiReader(bytes.NewReader(encode(t, &one)), strings.NewReader(ack), bytes.NewReader(encode(t, &two))))
	if err != nil || len(all) != 2 || len(warnings) > 0 {
		t.Fatalf("%d batches, %v, %v", len(all), warnings, err)
	}
	if len(all[0].Claims) != 1 || len(all[1].Claims) != 2 || all[1].Control != "0008" || all[1].Claims[1].Billing.Name != "OTHER OFFICE" {
		t.Errorf("batches %+v", all)
	}
}

func TestLogsHideTheContent(t *testing.T) {
	t.Parallel()
	b := batch(crown())
	for _, s := range []string{b.LogValue().String(), b.Claims[0].LogValue().String()} {
		if strings.Contains(strings.ToUpper(s), "NUNEZ") || strings.Contains(s, "Núñez") || strings.Contains(s, "W123") {
			t.Errorf("a log would show %q", s)
		}
	}
}
