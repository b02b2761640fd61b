package claims_test

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
	files := x12test.Corpus(t, "837*/*")
	var mu sync.Mutex
	table := map[string]string{}
	t.Cleanup(func() {
		for _, file := range files {
			t.Logf("%-90s %s", filepath.Base(file), table[file])
		}
	})
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all, err := checkDecode(t, b)
			verdict := "decoded:"
			if err != nil {
				verdict = "refused: " + err.Error()
			}
			for _, one := range all {
				verdict += fmt.Sprintf(" %d claims", len(one.Claims))
			}
			if dental := strings.Contains(file, "837d"); dental == (err != nil) {
				t.Errorf("dental %t, %s", dental, verdict)
			}
			mu.Lock()
			table[file] = verdict
			mu.Unlock()
		})
	}
}
