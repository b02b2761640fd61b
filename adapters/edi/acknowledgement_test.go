package edi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// acknowledgementOf wraps segments between ST and SE into a file.
func acknowledgementOf(t *testing.T, id, set string, segments ...string) *clearing.Acknowledgement {
	t.Helper()
	content := "ISA*00*          *00*          *ZZ*OTHER          *ZZ*MOLAR          *260304*0506*^*00501*000000012*0*T*:~" +
		"GS*" + id + "*OTHER*MOLAR*20260304*0506*12*X*005010~ST*" + set + "~" + strings.Join(segments, "~") + "~SE*9*0001~GE*1*12~IEA*1*000000012~"
	a, err := edi.New().Acknowledgement("file", []byte(content))
	if err != nil {
		t.Fatalf("%v in %s", err, content)
	}
	return a
}

// TestVerdicts judges a file of ours, which has one set with the number of its
// group.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     string // group/set: result
	}{
		"accepted":                     {[]string{"AK1*HC*42", "AK9*A*1*1*1"}, "000000042/: accepted"},
		"errors noted":                 {[]string{"AK1*HC*42", "AK2*837*42", "AK5*E", "AK9*E*1*1*1"}, "000000042/000000042: accepted"},
		"rejected":                     {[]string{"AK1*HC*42", "AK9*R*1*1*0"}, "000000042/: rejected"},
		"rejected whatever the set is": {[]string{"AK1*HC*42", "AK2*837*000000042", "AK5*A", "AK9*R*1*1*0"}, "000000042/000000042: rejected"},
		"set rejected":                 {[]string{"AK1*HC*42", "AK2*837*000000042", "AK5*R", "AK9*P*1*1*0"}, "000000042/000000042: rejected"},
		"set accepted in part":         {[]string{"AK1*HC*42", "AK2*837*000000042", "AK5*A", "AK9*P*2*2*1"}, "000000042/000000042: accepted"},
		"in part, without sets":        {[]string{"AK1*HC*42", "AK9*P*2*2*1"}, ""},
		"authentication":               {[]string{"AK1*HC*42", "AK9*X*1*1*0"}, "000000042/: rejected"},
		"not understood":               {[]string{"AK1*HC*42", "AK9*Z*1*1*0"}, ""},
		"without AK9":                  {[]string{"AK1*HC*42", "AK2*837*42", "AK5*R"}, "000000042/000000042: rejected"},
		"about a 270":                  {[]string{"AK1*HS*42", "AK9*R*1*1*0"}, ""},
		"rejections first":             {[]string{"AK1*HC*42", "AK9*A*1*1*1", "AK1*HC*42", "AK9*R*1*1*0"}, "000000042/: rejected, 000000042/: accepted"},
		"a number of other people":     {[]string{"AK1*HC*X-42", "AK9*A*1*1*1"}, "X-42/: accepted"},
	} {
		var got []string
		for _, v := range acknowledgementOf(t, "FA", "997*0001", c.segments...).Verdicts {
			got = append(got, v.About.Group+"/"+v.About.Transaction+": "+string(v.Result))
		}
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%s: %q, want %q", name, all, c.want)
		}
	}
}

// TestOutcomes lists what each category of status means, from either side.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for category, want := range map[string][2]clearing.ReportOutcome{ // of the clearinghouse, of the payer
		"A0": {clearing.ReportAccepted, clearing.ReportPending}, "A1": {clearing.ReportAccepted, clearing.ReportAccepted},
		"A2": {clearing.ReportAccepted, clearing.ReportAccepted}, "A5": {clearing.ReportAccepted, clearing.ReportAccepted},
		"A3": {clearing.ReportRejected, clearing.ReportRejected}, "A6": {clearing.ReportRejected, clearing.ReportRejected},
		"A7": {clearing.ReportRejected, clearing.ReportRejected}, "A8": {clearing.ReportRejected, clearing.ReportRejected},
		"A4": {clearing.ReportNotFound, clearing.ReportNotFound},
		"P0": {clearing.ReportPending, clearing.ReportPending}, "P3": {clearing.ReportPending, clearing.ReportPending},
		"F2": {clearing.ReportFinalized, clearing.ReportFinalized}, "R4": {clearing.ReportRequested, clearing.ReportRequested},
		"R17": {clearing.ReportRequested, clearing.ReportRequested}, "E1": {}, "D0": {}, "Z9": {}, "": {},
	} {
		for i, entity := range []string{"AY", "PR", "36"} {
			side, outcome := clearing.SideClearinghouse, want[0]
			if entity == "PR" {
				side, outcome = clearing.SidePayer, want[1]
			}
			if entity == "36" && category == "A0" { // in a 277CA a party between us and the payer, but no clearinghouse
				outcome = clearing.ReportAccepted
			}
			a := acknowledgementOf(t, "HN", "277*0001*005010X214", "BHT*0085*08*1*20260304*0506*TH", "HL*1**20*1", "NM1*"+entity+"*2*OTHER*****PI*id-1",
				"HL*2*1*21*1", "TRN*2*42", "HL*3*2*19*1", "NM1*85*2*US*****XX*1234567893", "HL*4*3*PT", "TRN*2*PCN-1", "STC*"+category+":20*20260304")
			if len(a.Reports) != 1 {
				t.Fatalf("%s: %d reports", category, len(a.Reports))
			}
			r := &a.Reports[0]
			if r.Side != side || r.Outcome != outcome || r.Batch != "000000042" || r.ControlNumber != "PCN-1" || r.Status.Category != category && r.Outcome != "" {
				t.Errorf("%s of %s: %+v, want %q", category, entity, r, outcome)
			}
			if wanted := []string{"", "ID-1", ""}[i]; r.PayerID != wanted {
				t.Errorf("payer %q, want %q", r.PayerID, wanted)
			}
			if (r.Request != nil) != (outcome == clearing.ReportRequested) {
				t.Errorf("%s: request %+v", category, r.Request)
			}
		}
	}
}

// TestReasons checks what the statuses of a rejected claim state: their codes, text,
// party and line.
func TestReasons(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		segments []string
		want     string
	}{
		"one":              {[]string{"STC*A7:500:85*20260304*U*10********ZIP."}, "A7:500 office 0 ZIP."},
		"two":              {[]string{"STC*A6:128:85*20260304*U*10********TAX ID.", "STC*A7:164:IL*20260304*U*10"}, "A6:128 office 0 TAX ID., A7:164 subscriber 0"},
		"twice the same":   {[]string{"STC*A6:128:85*20260304*U*10", "STC*A6:128:85*20260305*U*10"}, "A6:128 office 0"},
		"not all are bad":  {[]string{"STC*A1:19:PR*20260304*WQ*10", "STC*A3:24:QC*20260304*U*10"}, "A3:24 patient 0"},
		"the second code":  {[]string{"STC*A1:19:PR*20260304*U*10******A7:562:82"}, "A7:562 rendering_provider 0"},
		"codes of one":     {[]string{"STC*A7:562:82*20260304*U*10******A1:19:PR*A6:128:85*No."}, "A7:562 rendering_provider 0 No., A6:128 office 0 No."},
		"missing":          {[]string{"STC*A6:21*20260304*U*10******A6:128:85"}, "A6:128 office 0"},
		"missing alone":    {[]string{"STC*A6:21*20260304*U*10"}, "A6:21 0"},
		"codes of a line":  {[]string{"STC*A6:203*20260304*U*10********Day.", "STC*A6:201*20260304*U*10", "SVC*AD:D1110*10", "STC*A6:203**U*******A6:244", "REF*FJ*1"}, "A6:201 0, A6:203 1 Day., A6:244 1"},
		"of a payer":       {[]string{"STC*A3:24:PR*20260304*U*10"}, "A3:24 payer 0"},
		"of the primary":   {[]string{"STC*A7:171:PRP*20260304*U*10"}, "A7:171 payer primary 0"},
		"of the secondary": {[]string{"STC*A7:171:SEP*20260304*U*10"}, "A7:171 payer secondary 0"},
		"of the tertiary":  {[]string{"STC*A7:171:TTP*20260304*U*10"}, "A7:171 payer tertiary 0"},
		"of a stranger":    {[]string{"STC*A3:24:QD*20260304*U*10"}, "A3:24 0"},
		"not found":        {[]string{"STC*A4:35*20260304*U*10"}, "A4:35 0"},
		"only the action":  {[]string{"STC*Z9:20:85*20260304*U*10"}, "Z9:20 office 0"},
		"of lines":         {[]string{"STC*A7:247*20260304*U*10********Bad.", "SVC*AD:D1110*10", "STC*A7:247**U", "REF*FJ*2", "SVC*AD:D0120*10", "STC*A7:247**U", "REF*FJ*3"}, "A7:247 2 Bad., A7:247 3 Bad."},
		"of a line alone":  {[]string{"SVC*AD:D1110*10", "STC*A6:244**U*********Tooth.", "REF*FJ*1"}, "A6:244 1 Tooth."},
		"of no known line": {[]string{"STC*A7:21*20260304*U*10", "SVC*AD:D1110*10", "STC*A6:244**U", "REF*FJ*X1"}, "A7:21 0, A6:244 0"},
		"accepted":         {[]string{"STC*A1:19:PR*20260304*WQ*10********Thanks."}, ""},
	} {
		above := []string{"HL*1**20*1", "NM1*PR*2*OTHER", "HL*2*1*21*1", "HL*3*2*19*1", "HL*4*3*PT", "TRN*2*PCN-1"}
		a := acknowledgementOf(t, "HN", "277*0001*005010X214", append(above, c.segments...)...)
		var got []string
		for _, r := range a.Reports[0].Reasons {
			got = append(got, strings.Join(strings.Fields(fmt.Sprintln(r.Status, r.Party, r.Payer, r.Line, r.Words)), " "))
		}
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%s: %q, want %q", name, all, c.want)
		}
	}
}

// TestActionDecides goes by STC03 where the codes say nothing.
func TestActionDecides(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]clearing.ReportOutcome{"WQ": clearing.ReportAccepted, "U": clearing.ReportRejected, "": ""} {
		a := acknowledgementOf(t, "HN", "277*0001*005010X214", "HL*1**20*1", "NM1*PR*2*OTHER", "HL*2*1*21*1", "HL*3*2*19*1",
			"HL*4*3*PT", "TRN*2*PCN-1", "STC*Z9:20:85*20260304*"+action)
		if r := &a.Reports[0]; r.Outcome != want || r.Status.String() != "Z9:20" {
			t.Errorf("action %q: %+v", action, r)
		}
	}
}
