package edi_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/remit"
)

// onePayment wraps segments of claims, of which there may be none, into an 835.
func onePayment(total string, segments ...string) string {
	return "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~" +
		"GS*HP*PAYER*MOLAR*20260304*0506*907*X*005010X221A1~ST*835*0001~BPR*I*" + total + "*C*ACH************20260304~" +
		"TRN*1*T-1*1512345678~N1*PR*MOLAR TEST PAYER*PI*CHTEST~N1*PE*BRIGHT SMILES*XX*1234567893~LX*1~" +
		strings.Join(segments, "") + "SE*99*0001~GE*1*907~IEA*1*000000907~"
}

// TestIdentity distinguishes payments by what they are, not by their envelopes.
func TestIdentity(t *testing.T) {
	t.Parallel()
	other := "CLP*PCN-3*1*5*4*1*12*PAYER-3~CAS*CO*45*2**50*-2~NM1*QC*1*ROE*JO~SVC*AD:D0120*3*2**1~CAS*PR*1*1~SVC*AD:D0220*2*2**1~REF*6R*2~"
	base := onePayment("10", "CLP*PCN-1*1*10*10**12*PAYER-1~", "NM1*QC*1*DOE*JANE~", other, "PLB*1234567893*20261231*WO:R-1*2.00*L6*-1~")
	identity := func(content string) [32]byte {
		all, err := edi.New().Payments("file", []byte(content), 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d payments, error %v in %s", len(all), err, content)
		}
		return all[0].Identity
	}
	want := identity(base)
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for name, content := range map[string]string{
		"line breaks":        change("~", "~\r\n"),
		"delimiters":         change("*", "|", "~", "!", ":", ">", "^", "}"),
		"envelope numbers":   change("907", "908", "000000907", "000000908"),
		"another sender":     change("*ZZ*PAYER  ", "*30*CLEARER"),
		"set number":         change("*0001", "*7777"),
		"lower case numbers": change("PCN-1", "pcn-1"),
		"decimals":           change("*10", "*10.00"),
		"a second set":       change("ST*835", "ST*999*1~AK1*HC*1~SE*3*1~ST*835"),
		"another name":       change("DOE*JANE", "DOH*JANE"),
		"another reference":  change("REF*6R*2", "REF*6R*3", "WO:R-1", "WO:R-2"),
		"the other order": onePayment("10", strings.NewReplacer("SVC*AD:D0220*2*2**1~REF*6R*2~", "", "CAS*CO*45*2**50*-2~", "CAS*CO*50*-2~CAS*CO*45*2~",
			"SVC*AD:D0120", "SVC*AD:D0220*2*2**1~REF*6R*2~SVC*AD:D0120").Replace(other),
			"CLP*PCN-1*1*10*10**12*PAYER-1~", "NM1*QC*1*DOE*JANE~", "PLB*1234567893*20261231*L6*-1~PLB*1234567893*20261231*WO:R-1*2.00~"),
	} {
		if identity(content) != want {
			t.Errorf("%s: another identity", name)
		}
	}
	for name, content := range map[string]string{
		"payer": change("CHTEST", "OTHER"), "originator": change("1512345678", "1512345679"), "trace": change("T-1", "T-2"),
		"method": change("ACH", "CHK"), "date": change("**20260304", "**20260305"), "total": change("BPR*I*10", "BPR*I*11"),
		"control number": change("PCN-1", "PCN-2"), "status": change("*1*10*10", "*2*10*10"), "charge": change("*1*10*10", "*1*11*10"),
		"paid": change("*1*10*10", "*1*10*9"), "payer's number": change("PAYER-1", "PAYER-2"),
		"a claim more": change("NM1*QC*1*DOE*JANE~", "CLP*PCN-1*1*10*10**12*PAYER-1~"), "adjustment": change("CO*45*2*", "CO*45*3*"),
		"reason": change("CO*45*2*", "CO*97*2*"), "line": change("D0120*3*2", "D0120*4*3"), "procedure": change("D0220", "D0230"),
		"patient's amount": change("*5*4*1*12", "*5*4*2*12"), "provider adjustment": change("WO:R-1*2.00", "WO:R-1*3.00"),
		"provider adjustment's reason": change("WO:R-1", "FB:R-1"), "adjustment of a line": change("CAS*PR*1*1~", "CAS*PR*1*2~"),
	} {
		if identity(content) == want {
			t.Errorf("another %s: the same identity", name)
		}
	}
}

func theClaim(t *testing.T, segments ...string) *remit.Claim {
	t.Helper()
	var claim *remit.Claim
	for c, err := range edi.New().Claims([]byte(onePayment("10", segments...))) {
		if err != nil || claim != nil {
			t.Fatalf("a second claim, or error %v", err)
		}
		claim = c
	}
	return claim
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	const head, one, two = "CLP*A*1*20*10~", "SVC*AD:D1110*10*5~", "SVC*AD:D0120*10*5~"
	for name, c := range map[string]struct {
		segments []string
		want     string
	}{
		"each line states it":  {[]string{head, "AMT*AU*99~", one, "AMT*B6*8~", two, "AMT*B6*7.5~"}, "15.50"},
		"one line does not":    {[]string{head, "AMT*AU*99~", one, "AMT*B6*8~", two}, "99.00"},
		"B6 of the claim":      {[]string{head, "AMT*AU*99~", "AMT*B6*12~", one, two}, "12.00"},
		"no lines":             {[]string{head, "AMT*AU*0~"}, "0.00"},
		"nothing stated":       {[]string{head, "AMT*F5*3~", one, two}, ""},
		"cannot be read":       {[]string{head, "AMT*AU*X~", one, "AMT*B6*X~", two, "AMT*B6*1~"}, ""},
		"no lines, no amounts": {[]string{head}, ""},
	} {
		got := ""
		if a := theClaim(t, c.segments...).Allowed; a != nil {
			got = a.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLineControlNumbers keeps REF 6R as sent. What our 837s write there is the
// place of the line on the claim.
func TestLineControlNumbers(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"", "1", "03", "0", "-1", "1A", "0001234567-02", strings.Repeat("9", 50)} {
		reference := "REF*6R*" + want + "~"
		if want == "" {
			reference = ""
		}
		c := theClaim(t, "CLP*A*1*20*10~", "SVC*AD:D1110*10*5~", "SVC*AD:D0120*10*5~", reference)
		if got := c.Lines[1].ControlNumber; got != want || c.Lines[0].ControlNumber != "" {
			t.Errorf("the control numbers are %q and %q, want none and %q", c.Lines[0].ControlNumber, got, want)
		}
	}
	file := string(mustFile(t, claimsFile()))
	for n := range 2 {
		if !strings.Contains(file, "REF*6R*"+strconv.Itoa(n+1)+"~") {
			t.Errorf("the 837 has no line %d", n+1)
		}
	}
}

// TestNames reads the corrected patient and the payer that the claim was forwarded
// to.
func TestNames(t *testing.T) {
	t.Parallel()
	const head, patient = "CLP*A*19*20*10~", "NM1*QC*1*DOE*JANE****MI*W1~"
	for name, c := range map[string]struct {
		segments []string
		patient  *remit.CorrectedPatient
		payer    *remit.CrossoverPayer
	}{
		"neither":       {[]string{head, patient}, nil, nil},
		"empty":         {[]string{head, patient, "NM1*74*1~", "NM1*TT*2*****PI~"}, nil, nil},
		"both":          {[]string{head, patient, "NM1*74*1*ROE*JANE****C*W2~", "NM1*TT*2*OTHER PAYER*****PI*60054~"}, &remit.CorrectedPatient{FirstName: "JANE", LastName: "ROE", MemberID: "W2"}, &remit.CrossoverPayer{Name: "OTHER PAYER", ID: "60054"}},
		"only a number": {[]string{head, patient, "NM1*74*1******C*W2~", "NM1*TT*2******PI*60054~"}, &remit.CorrectedPatient{MemberID: "W2"}, &remit.CrossoverPayer{ID: "60054"}},
		"only a name":   {[]string{head, patient, "NM1*74*1**JANET~", "NM1*TT*2*OTHER PAYER~"}, &remit.CorrectedPatient{FirstName: "JANET"}, &remit.CrossoverPayer{Name: "OTHER PAYER"}},
	} {
		got := theClaim(t, c.segments...)
		if !reflect.DeepEqual(got.CorrectedPatient, c.patient) || !reflect.DeepEqual(got.CrossoverPayer, c.payer) {
			t.Errorf("%s: patient %+v, payer %+v", name, got.CorrectedPatient, got.CrossoverPayer)
		}
		if got.PatientLastName != "DOE" || got.MemberID != "W1" {
			t.Errorf("%s: the patient is %s, %s", name, got.PatientLastName, got.MemberID)
		}
	}
}

// TestRemarks reads the remark codes of the claim from MOA and MIA. Those of a line
// stay with the line.
func TestRemarks(t *testing.T) {
	t.Parallel()
	c := theClaim(t, "CLP*A*1*20*10~", "MIA*0**0**N1***********0****N2**~", "MOA*10*20*ma15*N4**N5~", "SVC*AD:D1110*10*5~", "LQ*HE*N381~", "LQ*HE*M25~")
	if want := []string{"MA15", "N4", "N5", "N1", "N2"}; !slices.Equal(c.Remarks, want) {
		t.Errorf("remarks of the claim %q, want %q", c.Remarks, want)
	}
	if want := []string{"N381", "M25"}; !slices.Equal(c.Lines[0].Remarks, want) {
		t.Errorf("remarks of the line %q, want %q", c.Lines[0].Remarks, want)
	}
}

// TestEnvelopeCounts warns about wrong counts in the file that was received: a wrong
// SE concerns its payment, a wrong GE those of its group, and a wrong IEA those of
// its interchange.
func TestEnvelopeCounts(t *testing.T) {
	t.Parallel()
	const (
		isa   = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000907*0*T*:~"
		first = isa + "GS*HP*PAYER*MOLAR*20260304*0506*1*X*005010X221A1~" +
			"ST*835*1~BPR*I*1*C*CHK~TRN*1*T1~CLP*A*1*1*1~SE*5*1~" + "ST*835*2~BPR*I*2*C*CHK~TRN*1*T2~CLP*B*1*2*2~SE*5*2~" + "GE*2*1~" +
			"GS*HP*PAYER*MOLAR*20260304*0506*2*X*005010X221A1~ST*835*3~BPR*I*3*C*CHK~TRN*1*T3~CLP*C*1*3*3~SE*5*3~GE*1*2~IEA*2*000000907~"
		second = isa + "GS*HP*PAYER*MOLAR*20260304*0506*4*X*005010X221A1~ST*835*4~BPR*I*4*C*CHK~TRN*1*T4~CLP*D*1*4*4~SE*5*4~GE*1*4~IEA*1*000000907~"
		alone  = second
	)
	for name, c := range map[string]struct {
		file, old, new string
		want           string // for each payment, whether there is a warning
	}{
		"right counts":                 {first + second, "", "", "----"},
		"line breaks":                  {strings.ReplaceAll(first+second, "~", "~\r\n"), "", "", "----"},
		"SE too high":                  {first + second, "SE*5*2", "SE*6*2", "-!--"},
		"SE of the last":               {first + second, "SE*5*4", "SE*4*4", "---!"},
		"SE without a count":           {first + second, "SE*5*1", "SE**1", "!---"},
		"SE in words":                  {first + second, "SE*5*3", "SE*FIVE*3", "--!-"},
		"a segment is missing":         {first + second, "TRN*1*T2~", "", "-!--"},
		"GE too low":                   {first + second, "GE*2*1", "GE*1*1", "!!--"},
		"GE of the second group":       {first + second, "GE*1*2", "GE*2*2", "--!-"},
		"a set is missing":             {first + second, "ST*835*2~BPR*I*2*C*CHK~TRN*1*T2~CLP*B*1*2*2~SE*5*2~", "", "!--"},
		"IEA":                          {first + second, "IEA*2*", "IEA*1*", "!!!-"},
		"IEA of the second":            {first + second, "IEA*1*", "IEA**", "---!"},
		"only the control number":      {first + second, "GE*2*1~", "GE*2*9~", "----"},
		"alone":                        {alone, "", "", "-"},
		"alone, SE":                    {alone, "SE*5*4", "SE*50*4", "!"},
		"alone, GE":                    {alone, "GE*1*4", "GE*3*4", "!"},
		"alone, IEA":                   {alone, "IEA*1*", "IEA*0*", "!"},
		"alone, empty trailers":        {alone, "SE*5*4~GE*1*4~IEA*1*000000907~", "SE~GE~IEA~", "!"},
		"beside an acknowledgement":    {alone, "ST*835*4", "ST*999*9~AK1*HC*1~SE*9*9~ST*835*4", "!"}, // GE counts one set
		"beside a miscounted 999":      {strings.Replace(alone, "GE*1*4", "GE*2*4", 1), "ST*835*4", "ST*999*9~AK1*HC*1~SE*9*9~ST*835*4", "-"},
		"more after the last trailer":  {alone + "more", "IEA*1*", "IEA*0*", "!"},
		"more than a hundred warnings": {strings.Repeat(alone, 60) + alone, "GE*1*4~IEA*1*000000907", "GE*2*9~IEA*2*1", strings.Repeat("!", 61)},
	} {
		n := 1
		if strings.HasPrefix(name, "more than") {
			n = -1
		}
		if c.old != "" && !strings.Contains(c.file, c.old) {
			t.Fatalf("%s: there is no %s", name, c.old)
		}
		content := strings.Replace(c.file, c.old, c.new, n)
		all, err := edi.New().Payments("file", []byte(content), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := ""
		for i := range all {
			if slices.Contains(all[i].Warnings, remit.WarnEnvelopeCounts) {
				got += "!"
			} else {
				got += "-"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, trailer := range []string{"SE*5*4~", "GE*1*4~", "IEA*1*000000907~", "GE*1*4~IEA*1*000000907~"} {
		if all, err := edi.New().Payments("file", []byte(strings.Replace(alone, trailer, "", 1)), 0); err == nil || len(all) > 0 {
			t.Errorf("without %s: %d payments, error %v, want none of a file that breaks off", trailer, len(all), err)
		}
	}
}

// TestUnreadable takes claims whose amounts are none: they do not add up, and the
// level that they stand at does not.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		claims   int // that do not add up
		payment  int // equations of the payment that fail
		lines    int // that do not add up
	}{
		"no amounts":        {[]string{"CLP*A*1~"}, 1, 0, 0},
		"no charge":         {[]string{"CLP*A*1**0~"}, 1, 0, 0},
		"words":             {[]string{"CLP*A*1*TEN*ZERO~"}, 1, 0, 0},
		"words in a line":   {[]string{"CLP*A*1*0*0~", "SVC*AD:D1110*X*0~"}, 1, 0, 1},
		"words in lines":    {[]string{"CLP*A*1*0*0~", "SVC*AD:D1110*X*0~", "CAS*CO*45*X~", "SVC*AD:D1120*0*0~", "SVC*AD:D1130*0*X~"}, 1, 0, 3},
		"words in a claim":  {[]string{"CLP*A*1*X*0~", "SVC*AD:D1110*5*5~", "SVC*AD:D1120*0*0~"}, 1, 0, 2},
		"words in a CAS":    {[]string{"CLP*A*1*0*0~", "CAS*CO*45*X~"}, 1, 0, 0},
		"words in CLP05":    {[]string{"CLP*A*1*0*0*X~"}, 0, 0, 0},
		"a huge amount":     {[]string{"CLP*A*1*99999999999999999999999*0~"}, 1, 0, 0},
		"words in a PLB":    {[]string{"CLP*A*1*0*0~", "PLB*1*20261231*WO:A*X~"}, 0, 1, 0},
		"a PLB too much":    {[]string{"CLP*A*1*0*0~", "PLB*1*20261231*WO:A*1~"}, 0, 1, 0},
		"nothing but a CLP": {[]string{"CLP~"}, 1, 0, 0},
	} {
		content := []byte(onePayment("0", c.segments...))
		all, err := edi.New().Payments("file", content, 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d payments, error %v", name, len(all), err)
		}
		b := &all[0].Balance
		if all[0].Balanced != (c.claims+c.payment == 0) || b.Claims.Failed != c.claims || b.Payment.Failed != c.payment || b.Lines.Failed != c.lines {
			t.Errorf("%s: balanced %v, %+v", name, all[0].Balanced, b)
		}
		for _, f := range b.Findings {
			if f.Unread != (name != "a PLB too much") || f.Unread && f.Expected|f.Stated|f.Off != 0 {
				t.Errorf("%s: %+v", name, f)
			}
		}
		for claim, err := range edi.New().Claims(content) {
			if err != nil || claim.Balanced != (c.claims == 0) {
				t.Errorf("%s: balanced %v, error %v", name, claim != nil && claim.Balanced, err)
			}
		}
	}
}

// TestFindingsAreOfTheFileThatIsKept has payments that share a file, each with
// faults: the findings are those of the payment's own file.
func TestFindingsAreOfTheFileThatIsKept(t *testing.T) {
	t.Parallel()
	one := onePayment("1", "CLP*A*1*5*0~", "SVC*AD:D1110*5*X~", "PLB*1*20261231*WO:A*X~")
	set := one[strings.Index(one, "ST*") : strings.Index(one, "SE*")+len("SE*99*0001~")]
	for name, content := range map[string]string{
		"one after the other":   strings.Replace(one, set, strings.Repeat(set, 3), 1),
		"in files of their own": one + strings.ReplaceAll(one, "~", "~\r\n") + one,
		"alone":                 one,
	} {
		all, err := edi.New().Payments("file", []byte(content), 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			alone, err := edi.New().Payments("file", all[i].Content, 0)
			if err != nil || len(alone) != 1 || len(alone[0].Balance.Findings) < 3 {
				t.Fatalf("%s: payment %d alone: %d payments, %v", name, i+1, len(alone), err)
			}
			if got, want := all[i].Balance, alone[0].Balance; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: payment %d:\n%+v, want\n%+v", name, i+1, got, want)
			}
		}
	}
}

// TestPaymentOfManyFindings finds the fault of the payment itself though a hundred claims
// come before it.
func TestPaymentOfManyFindings(t *testing.T) {
	t.Parallel()
	content := onePayment("1", slices.Repeat([]string{"CLP*A*1*5*0~"}, 300)...)
	all, err := edi.New().Payments("file", []byte(content), 0)
	if err != nil {
		t.Fatal(err)
	}
	b := &all[0].Balance
	if len(b.Findings) != 100 || b.Findings[99].Level != "payment" || b.Claims.Failed != 300 || b.Claims.Off != 1500_00 || b.Payment.Off != 1_00 {
		t.Errorf("%d findings, %+v", len(b.Findings), b.Claims)
	}
	want := "The payment: $0.00 paid for its claims less $0.00 of provider adjustments leaves $0.00, but the payer states $1.00: $1.00 too much."
	if got := b.Findings[99].Explanation; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestServiceDates takes the claim's days before those of its lines.
func TestServiceDates(t *testing.T) {
	t.Parallel()
	const from, to, line1, line2 = "DTM*232*20260301~", "DTM*233*20260309~", "SVC*AD:D1110*10*5~DTM*472*20260305~", "SVC*AD:D1110*10*5~DTM*472*20260302~"
	for want, segments := range map[string][]string{
		"2026-03-01 2026-03-09": {from, to, line1, line2},
		"2026-03-01 2026-03-01": {from, line1},
		"2026-03-02 2026-03-05": {to, line1, line2},
		" ":                     {"DTM*232*00000000~", "SVC*AD:D1110*10*5~"},
		"2026-03-04 2026-03-04": {"DTM*232*19000101~", "DTM*233*19000101~", "SVC*AD:D1110*10*5~DTM*472*19000101~DTM*150*20260304~", "SVC*AD:D1110*10*5~DTM*472*00000000~"},
		"2026-03-01 2026-03-07": {"DTM*232*20260301~", "DTM*233*00000000~", "DTM*233*20260307~", line1},
	} {
		d := theClaim(t, append([]string{"CLP*A*1*20*10~"}, segments...)...).ServiceDates
		if got := d.From.String() + " " + d.To.String(); got != want {
			t.Errorf("%v: %q, want %q", segments, got, want)
		}
	}
}

// TestManyPayments cuts each of a thousand payments out.
func TestManyPayments(t *testing.T) {
	t.Parallel()
	const n = 1000
	set := strings.Split(strings.Split(onePayment("10", "CLP*PCN-1*1*10*10~"), "GS*")[1], "~")
	all := "GS*" + set[0] + "~"
	for i := range n {
		all += strings.ReplaceAll(strings.Join(set[1:len(set)-3], "~"), "PCN-1", "PCN-"+strconv.Itoa(i)) + "~"
	}
	content := strings.Split(onePayment("0"), "GS*")[0] + all + "GE*1000*907~IEA*1*000000907~"
	payments, err := edi.New().Payments("file", []byte(content), 0)
	if err != nil || len(payments) != n {
		t.Fatalf("%d payments, error %v", len(payments), err)
	}
	if !bytes.Contains(payments[n-1].Content, []byte("CLP*PCN-999*")) || len(payments[n-1].Content) > 600 {
		t.Errorf("the last is %s", payments[n-1].Content)
	}
}

// TestPaymentsMemory reads a payment of many claims without holding them: all
// that is allocated meanwhile is less than the content.
//
//nolint:paralleltest // the heap is shared
func TestPaymentsMemory(t *testing.T) {
	content := remittanceOf(20_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, err := edi.New().Payments("file", content, 0)
	runtime.ReadMemStats(&after)
	if err != nil || all[0].ClaimCount != 20_000 || !all[0].Balanced {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(content)) {
		t.Errorf("%d bytes for %d", took, len(content))
	}
	if &all[0].Content[0] != &content[0] || len(all[0].Content) != len(content) {
		t.Error("the content was copied")
	}
}

// TestOddRemittances reads files that some payers and mailboxes send. Each is read
// whole and balances; a warning says what is odd.
func TestOddRemittances(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		procedures []string // of the lines; the billed one after a slash
		warnings   []remit.WarningCode
	}{
		// SVC01 is "D1110", "D2140:F1" and ":D2150", and SVC06 is "D2740".
		"procedure-without-qualifier.835": {[]string{"D1110", "D2140", "D2150", "D2750/D2740"}, []remit.WarningCode{remit.WarnProcedureFormat}},
		// ISA16 is ":". SVC01 is "AD>D1110" and "AD|D2140|F1", and SVC06 is "AD^D2392".
		"procedure-with-another-separator.835": {[]string{"D1110", "D2140/D2392"}, []remit.WarningCode{remit.WarnProcedureFormat}},
		"invalid-segment-id.835":               {[]string{"D1110"}, []remit.WarningCode{remit.WarnSegmentSkipped}},
		"mime-header.835":                      {[]string{"D1110"}, []remit.WarningCode{remit.WarnTextOutside}},
		"mime-parts.835":                       {[]string{"D1110"}, []remit.WarningCode{remit.WarnTextOutside}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := os.ReadFile(filepath.Join("testdata", "remittances", name))
			if err != nil {
				t.Fatal(err)
			}
			codec := edi.New()
			if got := kinds(codec.Parts(content)); got != "remittance 835" {
				t.Errorf("parts %s", got)
			}
			all, err := codec.Payments(name, content, 0)
			if err != nil || len(all) != 1 || !all[0].Balanced || !slices.Equal(all[0].Warnings, c.warnings) {
				t.Fatalf("payments %+v, error %v", all, err)
			}
			var procedures []string
			for claim, err := range codec.Claims(all[0].Content) {
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range claim.Lines {
					code := l.ProcedureCode
					if l.SubmittedCode != "" {
						code += "/" + l.SubmittedCode
					}
					procedures = append(procedures, code)
				}
			}
			sameList(t, "procedures", procedures, c.procedures)
		})
	}
}

// TestFewPayments stops at the first payment that the caller does not accept.
func TestFewPayments(t *testing.T) {
	t.Parallel()
	one := onePayment("0")
	set := one[strings.Index(one, "ST*835"):strings.Index(one, "GE*")]
	three := []byte(strings.Replace(one, set, set+set+set, 1))
	for most, want := range map[int]int{0: 3, 3: 3, 4: 3} {
		if all, err := edi.New().Payments("", three, most); err != nil || len(all) != want {
			t.Errorf("at most %d: %d, %v", most, len(all), err)
		}
	}
	broken := bytes.Replace(three, []byte("IEA*"), []byte("<<<"), 1) // after the end
	if all, err := edi.New().Payments("", broken, 2); !errors.Is(err, remit.ErrTooManyPayments) || all != nil {
		t.Errorf("at most 2: %d, %v", len(all), err)
	}
}
