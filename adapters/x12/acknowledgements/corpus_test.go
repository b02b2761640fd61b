package acknowledgements_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// TestCorpus reads public samples, which are not part of the project, from the
// folder in MOLAR_CORPUS_DIR, and logs what became of them.
func TestCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "*/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		functional, reports := functionalVerdict(t, b), reportVerdict(t, b)
		switch {
		case kind == "997" || kind == "999":
			t.Log(functional)
		case strings.HasPrefix(kind, "277"):
			t.Log(reports)
		case strings.HasPrefix(functional, "decoded"), strings.HasPrefix(reports, "decoded"):
			t.Errorf("a %s was taken for another: %s, %s", kind, functional, reports)
		}
	})
}

func functionalVerdict(t *testing.T, b []byte) string {
	t.Helper()
	f, err := checkFunctional(t, b)
	if err != nil {
		return "refused: " + err.Error()
	}
	verdict := "decoded:"
	for i := range f.Interchanges {
		verdict += " TA1 " + string(f.Interchanges[i].Verdict())
	}
	for i := range f.Groups {
		g := &f.Groups[i]
		verdict += fmt.Sprintf(" group %s", g.Verdict())
		for k := range g.Sets {
			_, why := g.Set(g.Sets[k].Control)
			verdict += fmt.Sprintf(", set %s %q", g.Sets[k].Verdict(), why)
		}
	}
	return verdict
}

func reportVerdict(t *testing.T, b []byte) string {
	t.Helper()
	all, err := checkReports(t, b)
	if err != nil {
		return "refused: " + err.Error()
	}
	verdict := "decoded:"
	for i := range all {
		verdict += " " + string(all[i].Kind)
		for _, s := range all[i].Sources {
			verdict += " by " + string(s.Side())
			for _, r := range s.Receivers {
				if o := r.Outcome(s.Side()); o != "" {
					verdict += ", all " + string(o)
				}
			}
		}
		for s, c := range all[i].Claims() {
			verdict += fmt.Sprintf(", %q (%q) %s %v", c.ControlNumber, c.PayerClaimNumber, c.Outcome(s.Side()), c.Codes())
			if r, ok := c.Request(); ok {
				verdict += fmt.Sprintf(" asks %q under %q", r.Requested, r.Reference)
			}
		}
	}
	return verdict
}
