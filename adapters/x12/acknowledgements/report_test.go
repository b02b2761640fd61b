package acknowledgements_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12"
	"github.com/molar-billing/molar/adapters/x12/acknowledgements"
	"github.com/molar-billing/molar/core/billing"
)

func decodeReport(t *testing.T, file string) acknowledgements.Report {
	t.Helper()
	all, warnings, err := acknowledgements.DecodeReports(strings.NewReader(file))
	if err != nil || len(all) != 1 || len(warnings) > 0 {
		t.Fatalf("%d reports, %v, %v", len(all), warnings, err)
	}
	return all[0]
}

// TestReportsComeBack proves that what is written is read as it was.
func TestReportsComeBack(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]acknowledgements.Report{
		"277ca-payer.edi": claimAcknowledgement("PR"), "277ca-clearinghouse.edi": claimAcknowledgement("AY"), "277-request.edi": request(),
	} {
		got := decodeReport(t, read(t, file))
		for _, c := range got.Claims() {
			if c.Segment == 0 {
				t.Errorf("%s: a claim has no position", file)
			}
			c.Segment = 0
		}
		if got.Version != string(want.Kind) || got.Kind != want.Kind || got.Reference != want.Reference || !got.CreatedAt.Equal(want.CreatedAt) {
			t.Errorf("%s: the header is %+v", file, got)
		}
		if !reflect.DeepEqual(got.Sources, want.Sources) {
			t.Errorf("%s is\n%+v, want\n%+v", file, got.Sources, want.Sources)
		}
	}
}

func TestSide(t *testing.T) {
	t.Parallel()
	for entity, want := range map[string]acknowledgements.Side{"AY": "clearinghouse", "PR": "payer", "XX": "", "": ""} {
		s := acknowledgements.Source{Level: acknowledgements.Level{Name: acknowledgements.Name{Entity: entity}}}
		if got := s.Side(); got != want {
			t.Errorf("%q is %q, want %q", entity, got, want)
		}
	}
}

// TestClassify has every category that is in use.
func TestClassify(t *testing.T) {
	t.Parallel()
	both := map[acknowledgements.Outcome]string{
		"accepted":  "A1 A2 A5",
		"rejected":  "A3 A6 A7 A8",
		"not_found": "A4",
		"pending":   "P0 P1 P2 P3 P4 P5",
		"finalized": "F0 F1 F2 F3 F4",
		"requested": "R0 R1 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R15 R16 R17",
		"failed":    "E0 E1 E2 E3 E4 D0",
		"":          "A9 Z1 A P Px 4 WQ F3F",
	}
	for want, categories := range both {
		for c := range strings.FieldsSeq(categories) {
			for _, side := range []acknowledgements.Side{"clearinghouse", "payer", ""} {
				if got := acknowledgements.Classify(side, c); got != want {
					t.Errorf("%s by %q is %q, want %q", c, side, got, want)
				}
			}
		}
	}
	for side, want := range map[acknowledgements.Side]acknowledgements.Outcome{"clearinghouse": "accepted", "payer": "pending"} {
		if got := acknowledgements.Classify(side, "A0"); got != want {
			t.Errorf("A0 by %s is %q, want %q", side, got, want)
		}
	}
	if acknowledgements.Classify("payer", "") != "" {
		t.Error("no category means something")
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	code := func(categories ...string) (all []acknowledgements.Code) {
		for _, c := range categories {
			all = append(all, acknowledgements.Code{Category: c, Status: "1"})
		}
		return all
	}
	st := func(action string, categories ...string) acknowledgements.Status {
		return acknowledgements.Status{Codes: code(categories...), Action: action}
	}
	for name, c := range map[string]struct {
		claim acknowledgements.Claim
		want  acknowledgements.Outcome
	}{
		"nothing":                    {acknowledgements.Claim{}, ""},
		"accepted":                   {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("WQ", "A2")}}, "accepted"},
		"category before action":     {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("WQ", "A7")}}, "rejected"},
		"action alone, rejected":     {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("U", "ZZ")}}, "rejected"},
		"action alone, accepted":     {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("WQ")}}, "accepted"},
		"worst of codes":             {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("", "A1", "A3")}}, "rejected"},
		"worst of statuses":          {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("", "A3"), st("", "A1")}}, "rejected"},
		"not found before requested": {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("", "R4"), st("", "A4")}}, "not_found"},
		"pending before failed":      {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("", "E1"), st("", "P1")}}, "pending"},
		"lines alone":                {acknowledgements.Claim{Lines: []acknowledgements.Line{{Statuses: []acknowledgements.Status{st("", "A1")}}, {Statuses: []acknowledgements.Status{st("", "A8")}}}}, "rejected"},
		"claim before lines":         {acknowledgements.Claim{Statuses: []acknowledgements.Status{st("", "A2")}, Lines: []acknowledgements.Line{{Statuses: []acknowledgements.Status{st("", "A8")}}}}, "accepted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.claim.Outcome(acknowledgements.SidePayer); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	r := claimAcknowledgement("PR")
	receiver := &r.Sources[0].Receivers[0]
	if receiver.Outcome("payer") != "accepted" || receiver.Providers[0].Outcome("payer") != "" {
		t.Error("the levels mean something else")
	}
	rejected := receiver.Providers[0].Claims[1]
	var codes []string
	for _, c := range rejected.Codes() {
		codes = append(codes, c.String())
	}
	if got := strings.Join(codes, " "); got != "A7:562:85 A7:164:IL A3:21 A6:21 A8:454" || rejected.Effective() != on(3, 5) {
		t.Errorf("codes %s, effective %s", got, rejected.Effective())
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	r := decodeReport(t, read(t, "277-request.edi"))
	for s, c := range r.Claims() {
		got, ok := c.Request()
		want := acknowledgements.Request{
			Reference: "RFI-77", ControlNumber: "PCN-1", PayerClaimNumber: "RFI-77", Due: on(4, 4),
			Codes: []acknowledgements.Code{
				{Category: "R4", Status: "18748-4", List: "LOI"},
				{Category: "R4", Status: "57133-1", List: "LOI"},
				{Category: "R4", Status: "11506-3", List: "LOI"},
				{Category: "R12", Status: "287"},
			},
			Requested: "documentation: diagnostic imaging report (LOINC 18748-4); documentation: referral note (LOINC 57133-1); " +
				"PRE-OPERATIVE RADIOGRAPH OF TOOTH 14; D2392: the reason for the procedure (claim status code 287)",
		}
		if !ok || !reflect.DeepEqual(got, want) || c.Outcome(s.Side()) != acknowledgements.OutcomeRequested {
			t.Errorf("%t\n%+v, want\n%+v", ok, got, want)
		}
	}
	accepted := claimAcknowledgement("PR")
	for _, c := range accepted.Claims() {
		if _, ok := c.Request(); ok {
			t.Error("an acknowledgement asks for something")
		}
	}
	for n := range 18 {
		c := acknowledgements.Claim{Trace: "T", Statuses: []acknowledgements.Status{{Codes: []acknowledgements.Code{
			{Category: "R" + string(x12.Int(n)), Status: "99999-9", List: "LOI"}, {Category: "R" + string(x12.Int(n))},
		}}}}
		if r, ok := c.Request(); !ok || r.Reference != "T" || len(r.Codes) != 2 || !strings.Contains(r.Requested, " (LOINC 99999-9); ") {
			t.Errorf("R%d asks %+v", n, r)
		}
	}
}

const head = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*MOLAR          *260304*0506*^*00501*000000055*0*P*:~GS*HN*PAYER*MOLAR*20260304*0506*55*X*"

func wrap(version, body string) string {
	return head + version + "~ST*277*0001~" + body + "SE*1*0001~GE*1*55~IEA*1*000000055~"
}

// TestLenientReports reads what senders really write.
func TestLenientReports(t *testing.T) {
	t.Parallel()
	decode := func(file string) acknowledgements.Report {
		all, _, err := acknowledgements.DecodeReports(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	claims := func(r acknowledgements.Report) (all []acknowledgements.Claim) {
		for _, c := range r.Claims() {
			all = append(all, *c)
		}
		return all
	}
	// A dependent below the subscriber, two claims of one patient, and a trace
	// that is no claim's.
	r := decode(wrap("005010X212", "BHT*0010*08*1*20260304*0506*DG~HL*1**20*1~NM1*PR*2*P~HL*2*1*21*1~HL*3*2*19*1~"+
		"HL*4*3*22*1~NM1*IL*1*ROE*JANE****MI*W1~HL*5*4*23~NM1*QC*1*ROE*TIM~TRN*2*INQ~STC*F0:3*20260304**12.5~REF*1K*P1~REF*EJ*C1~DTP*472*D8*20260301~"+
		"TRN*2*INQ2~STC*P1:20~REF*EJ*C2~"))
	all := claims(r)
	if r.Kind != acknowledgements.KindResponse || len(all) != 2 {
		t.Fatalf("kind %s, claims %+v", r.Kind, all)
	}
	if p := all[0].Patient; p.First != "TIM" || p.ID != "W1" || all[0].ControlNumber != "C1" || all[0].Trace != "INQ" || all[0].PayerClaimNumber != "P1" {
		t.Errorf("the dependent's claim is %+v", all[0])
	}
	if c := all[1]; c.Patient != all[0].Patient || c.ControlNumber != "C2" || c.Segment != all[0].Segment+5 {
		t.Errorf("the second claim is %+v", c)
	}
	// A pending report, where the payer numbers the claim in TRN.
	all = claims(decode(wrap("005010X228", "HL*1**20*1~HL*2*1*PT~TRN*1*P9~STC*P3:317~REF*EJ*C9~REF*D9*D9~DTP*106*D8*20260401~")))
	if c := all[0]; c.PayerReference != "P9" || c.ControlNumber != "C9" || c.ClearinghouseNumber != "D9" || c.Due != on(4, 1) || c.Outcome("payer") != "pending" {
		t.Errorf("the pending claim is %+v", c)
	}
	// Guides that BHT06 alone names.
	for transaction, want := range map[string]acknowledgements.Kind{"TH": "005010X214", "RQ": "005010X213", "DG": "005010X212"} {
		if r := decode(wrap("005010", "BHT*0085*08*1***"+transaction+"~HL*1**PT~TRN*2*C1~STC*A1:20~")); r.Kind != want {
			t.Errorf("%s is %s, want %s", transaction, r.Kind, want)
		}
	}
	// A claim number that comes again, and one that turns out not to be it.
	all = claims(decode(wrap("005010X214", "HL*1**PT~TRN*2*C1~STC*A1:20~REF*EJ*C1~HL*2**PT~TRN*2*T2~STC*A1:20~REF*EJ*C2~")))
	if all[0].ControlNumber != "C1" || all[0].Trace != "" || all[1].ControlNumber != "C2" || all[1].Trace != "T2" {
		t.Errorf("claims %+v", all)
	}
}

func TestReportWarnings(t *testing.T) {
	t.Parallel()
	all, warnings, err := acknowledgements.DecodeReports(strings.NewReader(wrap("005010X214",
		"HL*1**PT~TRN*2*C1~STC*A1:20*20260230*WQ*1,00x~DTP*472*RD8*20260301-2026~DTP*106*D8*~QTY*90*-3~")))
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, w := range warnings {
		reasons = append(reasons, w.Reason)
	}
	want := []string{"the date does not exist", "the amount is malformed", "the date does not exist", "the date does not exist", "the count is wrong"}
	if !reflect.DeepEqual(reasons, want) || warnings[0].Segment != 6 {
		t.Errorf("warnings %q, want %q", reasons, want)
	}
	for _, c := range all[0].Claims() {
		if c.Service != (billing.DateSpan{}) || !c.Due.IsZero() || c.Statuses[0].Charge != 0 {
			t.Errorf("claim %+v", c)
		}
	}
}

func TestReportsRefused(t *testing.T) {
	t.Parallel()
	file := read(t, "277ca-payer.edi")
	for name, c := range map[string]struct {
		input   string
		segment int
		reason  string
	}{
		"nothing":       {"", 1, "there is no interchange header (ISA)"},
		"another set":   {strings.ReplaceAll(file, "ST*277", "ST*999"), 1, "there is no transaction set 277"},
		"cut":           {file[:500], 21, "the input ends before its trailers (SE, GE, IEA)"},
		"unknown level": {wrap("005010X214", "HL*1**20*1~HL*2*1*ZZ~"), 5, "the hierarchical level (HL03) is unknown"},
		"no status":     {wrap("005010X214", "HL*1**20*1~HL*2*1*21*1~"), 6, "the transaction set has no status (STC)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := acknowledgements.DecodeReports(strings.NewReader(c.input))
			e, ok := errors.AsType[*x12.Error](err)
			if !ok || e.Segment != c.segment || e.Reason != c.reason {
				t.Errorf("error %v, want %q at segment %d", err, c.reason, c.segment)
			}
		})
	}
}

// TestSeveralReports reads the reports of a clearinghouse and a payer from one
// file, after an acknowledgement.
func TestSeveralReports(t *testing.T) {
	t.Parallel()
	f, one, two := functional("999"), claimAcknowledgement("AY"), request()
	file := bytes.Join([][]byte{acknowledgements.EncodeFunctional(&f), acknowledgements.EncodeReport(&one), acknowledgements.EncodeReport(&two)}, nil)
	all, warnings, err := acknowledgements.DecodeReports(bytes.NewReader(file))
	if err != nil || len(warnings) > 0 || len(all) != 2 || all[0].Sources[0].Side() != "clearinghouse" || all[1].Kind != "005010X213" {
		t.Errorf("%d reports, %v, %v", len(all), warnings, err)
	}
	if got, _, err := acknowledgements.DecodeFunctional(bytes.NewReader(file)); err != nil || len(got.Groups) != 1 {
		t.Errorf("the acknowledgement: %v", err)
	}
}

func TestReportLogsHideTheContent(t *testing.T) {
	t.Parallel()
	r := claimAcknowledgement("PR")
	for _, c := range r.Claims() {
		for _, s := range []string{r.LogValue().String(), c.LogValue().String(), c.Patient.LogValue().String()} {
			if strings.Contains(s, "NUNEZ") || strings.Contains(s, "PCN") {
				t.Errorf("a log would show %q", s)
			}
		}
	}
}
