package edi_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/adapters/x12/x12test"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// TestOrigins has the segments that values of a check come from.
func TestOrigins(t *testing.T) {
	t.Parallel()
	q := inquiry270()
	reply := about(
		"DTP*356*D8*20160101", "EB*1**35**PPO", "EB*F*IND*35***23*2000*****Y", "EB*F*IND*35***29*1500*****Y", "EB*F*IND*35***23*800*****N",
		"EB*A**41*****0", "HSD*VS*2***23*1", "MSG*DEDUCTIBLE WAIVED", "EB*A************AD:D2740", "EB*A*******.5*****AD:D2740", "EB*D**35", "MSG*MISSING TOOTH CLAUSE APPLIES",
		"EB*C*IND*35***23*50", "EB*C*IND*35***23*50",
	)
	a := answer(t, q, reply)
	got := map[string]string{}
	for _, o := range edi.New().Origins(q, [][]byte{reply}, a.Benefits.Values()) {
		var texts []string
		for _, s := range o.Segments {
			texts = append(texts, s.Text)
		}
		got[o.Path] = strings.Join(texts, " ")
	}
	for path, want := range map[string]string{
		"status":                              "EB*1**35**PPO",
		"coverage_effective_date":             "DTP*356*D8*20160101",
		"maximums.0.amount":                   "EB*F*IND*35***23*2000*****Y",
		"maximums.0.remaining":                "EB*F*IND*35***29*1500*****Y",
		"maximums.0.used":                     "EB*F*IND*35***23*2000*****Y EB*F*IND*35***29*1500*****Y",
		"maximums.1.amount":                   "EB*F*IND*35***23*800*****N",
		"coverage.preventive.percent_paid":    "EB*A**41*****0",
		"coverage.preventive.frequency.count": "EB*A**41*****0 HSD*VS*2***23*1",
		"coverage.preventive.notes.0":         "EB*A**41*****0 MSG*DEDUCTIBLE WAIVED",
		"procedures.D2740.percent_paid":       "EB*A*******.5*****AD:D2740",
		"plan_rules.missing_tooth_clause":     "EB*D**35 MSG*MISSING TOOTH CLAUSE APPLIES",
		"deductibles.0.amount":                "EB*C*IND*35***23*50", // one of the two
		"not_returned.0":                      "",
	} {
		if got[path] != want {
			t.Errorf("%s comes from %q, want %q", path, got[path], want)
		}
	}
	other := *a.Benefits
	other.Status = coverage.Inactive // as an earlier release may have read it
	if of := edi.New().Origins(q, [][]byte{reply}, other.Values()); slices.ContainsFunc(of, func(o coverage.Origin) bool { return o.Path == "status" }) {
		t.Error("a value that is read otherwise has an origin")
	}
	if of := edi.New().Origins(q, [][]byte{[]byte("no 271")}, a.Benefits.Values()); of != nil {
		t.Errorf("what is no 271 has %v", of)
	}
}

// TestEachValueHasAnOrigin traces all values of the public replies and of those of the sandbox:
// each has a segment, which stands in the reply.
func TestEachValueHasAnOrigin(t *testing.T) {
	t.Parallel()
	files := x12test.Corpus(t, "271/*")
	for _, file := range append(files, "testdata/samples/networks-apart.271", "testdata/samples/copayment-of-a-category.271") {
		reply, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		q := inquiry270()
		q.Options.TraceByExchange = true
		a, err := edi.New().Answer(q, [][]byte{reply})
		if err != nil || a.Benefits == nil {
			continue
		}
		values := a.Benefits.Values()
		origins := edi.New().Origins(q, [][]byte{reply}, values)
		has := map[string]bool{}
		for _, o := range origins {
			has[o.Path] = true
			for _, s := range o.Segments {
				if !strings.Contains(string(reply), s.Text) || s.Position < 4 { // behind ISA, GS and ST
					t.Errorf("%s: %s comes from %d %q", file, o.Path, s.Position, s.Text)
				}
			}
		}
		lack := 0
		for _, v := range values {
			if !has[v.Path] {
				lack++
				if lack < 4 {
					t.Errorf("%s: %s has no origin of "+strconv.Itoa(len(values)), file, v.Path)
				}
			}
		}
	}
}
