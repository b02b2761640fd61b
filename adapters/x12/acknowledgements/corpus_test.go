package acknowledgements_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// TestCorpus reads public samples, which are not part of the project, from the
// folder in MOLAR_CORPUS_DIR, and prints a table of what became of them.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files := x12test.Corpus(t, "*/*")
	var mu sync.Mutex
	table := map[string]string{}
	t.Cleanup(func() {
		for _, file := range files {
			if v := table[file]; v != "" {
				t.Logf("%-7s%-90s %s", filepath.Base(filepath.Dir(file)), filepath.Base(file), v)
			}
		}
	})
	for _, file := range files {
		kind := filepath.Base(filepath.Dir(file))
		t.Run(kind+"/"+filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			functional, reports := functionalVerdict(t, b), reportVerdict(t, b)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case kind == "997" || kind == "999":
				table[file] = functional
			case strings.HasPrefix(kind, "277"):
				table[file] = reports
			case strings.HasPrefix(functional, "decoded"), strings.HasPrefix(reports, "decoded"):
				t.Errorf("a %s was taken for another: %s, %s", kind, functional, reports)
			}
		})
	}
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
