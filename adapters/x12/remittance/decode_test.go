package remittance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing"
)

// body is a file with one payment of the segments.
func body(segments ...string) string {
	return isa + gs + st + strings.Join(segments, "~") + "~SE*1*0001~GE*1*907~IEA*1*000000907~"
}

func readOne(t *testing.T, input string) remittance.Remittance {
	t.Helper()
	all, _, err := readAll(strings.NewReader(input))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d payments, error %v", len(all), err)
	}
	return all[0]
}

func TestRefusedWithAPosition(t *testing.T) {
	t.Parallel()
	full := string(sample(t, "full.edi"))
	at := func(part string) int { return strings.Index(full, part) }
	before, after := full[:at("ST*835")], full[at("GE*"):]
	long := strings.Repeat("REF*1L*"+strings.Repeat("A", 1000)+"~", 2100)
	for name, c := range map[string]struct {
		input    string
		payments int // that were whole before
		segment  int
		offset   int
		reason   string
	}{
		"nothing":                {"", 0, 1, 0, "there is no interchange header (ISA)"},
		"html":                   {"<html>Service unavailable</html>", 0, 1, 0, "there is no interchange header (ISA)"},
		"cut in the header":      {full[:60], 0, 1, 0, "the interchange header (ISA) is truncated"},
		"cut in a claim":         {full[:at("LQ*")], 0, 36, at("LQ*"), "the input ends before its trailers (SE, GE, IEA)"},
		"cut in a segment":       {full[:at("LQ*")+4], 0, 37, at("LQ*") + 4, "the input ends before its trailers (SE, GE, IEA)"},
		"cut after a payment":    {full[:at("GE*")], 1, 44, at("GE*"), "the input ends before its trailers (SE, GE, IEA)"},
		"no trailer":             {before + full[at("ST*835"):at("SE*")] + after, 0, 43, at("SE*"), "the transaction set has no trailer (SE)"},
		"another set":            {strings.Replace(full, "ST*835", "ST*999", 1), 0, 1, 0, "there is no transaction set 835"},
		"no BPR":                 {strings.Replace(full, "BPR*", "XYZ*", 1), 0, 3, at("ST*835"), "the transaction set has no payment (BPR)"},
		"no BPR and no claim":    {before + "ST*835*1~SE*2*1~" + after, 0, 3, at("ST*835"), "the transaction set has no payment (BPR)"},
		"BPR after a claim":      {body("CLP*A*1*1*1", "BPR*I*1"), 0, 3, strings.Index(body(), "ST*835"), "the transaction set has no payment (BPR)"},
		"two BPR":                {strings.Replace(full, "TRN*", "BPR*", 1), 0, 5, at("TRN*"), "there is a second payment (BPR) in the transaction set"},
		"no total":               {strings.Replace(full, "BPR*I*160.54", "BPR*I*", 1), 0, 4, at("BPR*"), "the amount of the payment (BPR02) cannot be read"},
		"no amount":              {strings.Replace(full, "BPR*I*160.54", "BPR*I*1E3", 1), 0, 4, at("BPR*"), "the amount of the payment (BPR02) cannot be read"},
		"segment ID":             {strings.Replace(full, "GE*", "ge*", 1), 1, 44, at("GE*"), "this is not a segment"},
		"second file damaged":    {full + "ISA*00*", 1, 46, len(full), "the interchange header (ISA) is truncated"},
		"claim too long":         {strings.Replace(full, "REF*1L", long+"REF*1L", 1), 0, 2104, 2098339, "a claim, or the text outside claims, is too long"},
		"header too long":        {strings.Replace(full, "REF*2U", long+"REF*2U", 1), 0, 2092, 2098007, "a claim, or the text outside claims, is too long"},
		"trailing, but no other": {strings.Replace(full, "ST*835", "ST*999", 1) + "?", 0, 46, len(full), x12.ReasonTrailing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, _, err := readAll(strings.NewReader(c.input))
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || len(all) != c.payments || e.Segment != c.segment || e.Offset != c.offset || e.Reason != c.reason {
				t.Errorf("%d payments, error %v; want %d and %q at segment %d, byte %d", len(all), err, c.payments, c.reason, c.segment, c.offset)
			}
		})
	}
}

// TestErrorsStay proves that nothing follows an error, and that the error of
// the input itself is returned as it is.
func TestErrorsStay(t *testing.T) {
	t.Parallel()
	full := sample(t, "full.edi")
	broken := errors.New("broken")
	d := remittance.NewDecoder(io.MultiReader(bytes.NewReader(full[:700]), failing{broken}))
	if _, err := d.NextClaim(); !errors.Is(err, io.EOF) {
		t.Errorf("a claim before the first payment: error %v", err)
	}
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := d.NextClaim(); !errors.Is(err, broken) {
			t.Errorf("error %v of the claim", err)
		}
		if _, err := d.Next(); !errors.Is(err, broken) {
			t.Errorf("error %v of the payment", err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestSkip proves that claims that are not read are weighed as well.
func TestSkip(t *testing.T) {
	t.Parallel()
	d := remittance.NewDecoder(bytes.NewReader(sample(t, "reversal.edi")))
	first, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.NextClaim(); err != nil {
		t.Fatal(err)
	}
	second, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	if first.Balance.Claims.Checked != 2 || !first.Balance.Holds() || len(first.Adjustments) != 1 || second.Control != "0002" {
		t.Errorf("first %+v, second %s", first.Balance, second.Control)
	}
	for range 2 {
		if _, err := d.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("error %v after the last payment", err)
		}
		if _, err := d.NextClaim(); !errors.Is(err, io.EOF) {
			t.Errorf("error %v after the last claim", err)
		}
	}
	if second.Span.End == 0 || !second.Balance.Holds() {
		t.Errorf("second %+v", second)
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	r := readOne(t, string(sample(t, "full.edi")))
	c := &r.Claims[0]
	allowed, ok := c.Services[0].Amount("B6")
	covered, _ := c.Amount("AU")
	if _, stated := c.Services[1].Amount("B6"); stated || !ok || allowed != 170_00 || covered != 255_00 {
		t.Errorf("allowed %s, covered %s", allowed, covered)
	}
	if got := c.Adjusted(remittance.GroupPatient, ""); got != 54_01 || c.Services[0].Adjusted("", "45") != 30_00 || c.Adjusted("", "") != 88_01 {
		t.Errorf("adjusted by %s of the patient, %s in all", got, c.Adjusted("", ""))
	}
	if c.Reference("1L") != "G-100" || c.Services[1].Reference("6R") != "2" || c.Reference("F8") != "" || c.Date("050").Day != 28 || !c.Date("036").IsZero() {
		t.Error("references or dates differ")
	}
	if r.AdjustmentsTotal() != 11_45 {
		t.Errorf("provider adjustments %s", r.AdjustmentsTotal())
	}

	r = readOne(t, string(sample(t, "predetermination.edi")))
	c = &r.Claims[0]
	pay, patient := c.Adjusted(remittance.GroupOther, remittance.ReasonEstimate), c.Adjusted(remittance.GroupPatient, "")
	if c.Status != remittance.StatusPredetermination || pay != 650_00 || patient != 650_00 || !r.Balance.Holds() {
		t.Errorf("status %s, would pay %s, patient %s", c.Status, pay, patient)
	}
	if !c.Services[0].Date().IsZero() {
		t.Error("00000000 is no day")
	}
}

// TestSlots takes adjustments from every slot of a CAS, whatever is empty.
func TestSlots(t *testing.T) {
	t.Parallel()
	for cas, want := range map[string]string{
		"CAS*CO*45*10":                           "[{CO 45 10.00 }]",
		"CAS*CO*45*10*1*42*0*0*22*-1.5":          "[{CO 45 10.00 1} {CO 42 0.00 0} {CO 22 -1.50 }]",
		"CAS*CO****45*10":                        "[{CO 45 10.00 }]",
		"CAS*CO*45*10********1*2**3*4***5**6*7":  "[{CO 45 10.00 } {CO 1 2.00 } {CO 3 4.00 } {CO  5.00 } {CO 6 7.00 }]",
		"CAS*CO*1*1**2*1**3*1**4*1**5*1**6*1**7": "[{CO 1 1.00 } {CO 2 1.00 } {CO 3 1.00 } {CO 4 1.00 } {CO 5 1.00 } {CO 6 1.00 } {CO 7 0.00 }]",
		"CAS*CO*45":                              "[{CO 45 0.00 }]",
		"CAS*CO**7":                              "[{CO  7.00 }]",
		"CAS*CO":                                 "[]",
		"CAS":                                    "[]",
	} {
		r := readOne(t, body("BPR*I*1", "CLP*A*1*1*1", cas))
		if got := fmt.Sprint(r.Claims[0].Adjustments); got != want {
			t.Errorf("%s gives %s, want %s", cas, got, want)
		}
	}
}

// TestLoops proves that a segment belongs to the loop that it stands in, also
// where whole loops are missing.
func TestLoops(t *testing.T) {
	t.Parallel()
	r := readOne(t, body("REF*0*BEFORE BPR", "BPR*I*0*C*NON", "N3*NOBODY'S", "N1*XX*SOMEBODY", "REF*1*SOMEBODY'S", "N1*PE*PAYEE*FI*1", "REF*TJ*2", "REF*EI*3",
		"LX*1", "TS3*1", "REF*2*NOBODY'S", "CLP*A*4*1*0", "N1*PR*NOBODY", "REF*3*CLAIM'S", "LQ*HE*NOBODY'S", "SVC*AD:D1110*1*0", "REF*4*LINE'S", "NM1*QC*1*DOE",
		"LX*2", "REF*5*NOBODY'S", "PLB*1*20261231*WO*1", "REF*6*NOBODY'S", "CLP*B*4*1*0", "DTM*232*20260102", "PLB*1*20261231*FB*-1"))
	if fmt.Sprint(r.References) != "[{0 BEFORE BPR}]" || r.Payer.Name != "" || r.Payee.TaxID() != "1" || len(r.Payee.References) != 2 || r.Payee.NPI() != "" {
		t.Errorf("header %+v", r.Payment)
	}
	a := r.Claims[0]
	if fmt.Sprint(a.References, a.Services[0].References, a.Services[0].Remarks) != "[{3 CLAIM'S}] [{4 LINE'S}] []" || a.Names[0].Last != "DOE" {
		t.Errorf("claim %+v", a)
	}
	if b := r.Claims[1]; len(r.Claims) != 2 || b.Ordinal != 2 || b.Date("232").Day != 2 || len(b.Services)+len(b.References)+len(b.Names) > 0 {
		t.Errorf("claims %+v", r.Claims)
	}
	if len(r.Adjustments) != 2 {
		t.Errorf("provider adjustments %+v", r.Adjustments)
	}
}

// TestPosition proves that Segment and Offset are those of the input.
func TestPosition(t *testing.T) {
	t.Parallel()
	for name, input := range x12test.Samples(t) {
		all, _, err := readAll(bytes.NewReader(input))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range all {
			for _, c := range r.Claims {
				if !bytes.HasPrefix(bytes.ToUpper(input[c.Offset:]), []byte("CLP")) || c.Offset < r.Span.Start || c.Offset > r.Span.End {
					t.Errorf("%s: claim %d is not at byte %d", name, c.Ordinal, c.Offset)
				}
			}
		}
	}
}

// TestWarningsAreBounded reads a file that is wrong in every claim.
func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	segments := slices.Repeat([]string{"CLP*A*1*2*1*9"}, 300)
	all, warnings, err := readAll(strings.NewReader(body(append([]string{"BPR*I*300"}, segments...)...)))
	if err != nil || len(warnings) != 101 {
		t.Fatalf("%d warnings, error %v", len(warnings), err)
	}
	b := all[0].Balance
	if b.Holds() || len(b.Findings) != 100 || b.Claims != (remittance.Tally{Checked: 300, Failed: 300, Off: 300_00}) || b.Payment.Off() != billing.Money(0) {
		t.Errorf("balance %+v", b)
	}
}

func TestLogsHideTheContent(t *testing.T) {
	t.Parallel()
	r := full()
	f := remittance.Finding{Level: remittance.LevelClaim, Claim: 1, ControlNumber: "PCN-1", Segment: 9}
	for _, v := range []interface{ String() string }{
		r.LogValue(), r.Payment.LogValue(), r.Claims[0].LogValue(), r.Claims[0].Names[0].LogValue(), f.LogValue(),
	} {
		if s := v.String(); strings.Contains(s, "DOE") || strings.Contains(s, "PCN") {
			t.Errorf("a log would show %q", s)
		}
	}
}
