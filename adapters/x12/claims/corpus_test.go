package claims_test

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// TestCorpus reads public samples, which are not part of the project, from the
// folder in MOLAR_CORPUS_DIR, and logs what became of them.
func TestCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "837*/*", func(t *testing.T, kind string, b []byte) {
		t.Helper()
		all, err := checkDecode(t, b)
		for _, one := range all {
			t.Logf("%d claims", len(one.Claims))
		}
		if dental := strings.HasPrefix(kind, "837d"); dental == (err != nil) {
			t.Errorf("dental %t, error %v", dental, err)
		}
	})
}
