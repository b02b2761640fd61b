package eligibility_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/adapters/x12/x12test"
)

// TestCorpus reads public samples, which are not part of the project, from the
// folder in MOLAR_CORPUS_DIR.
func TestCorpus(t *testing.T) {
	t.Parallel()
	x12test.EachOfCorpus(t, "27[01]/*", func(t *testing.T, _ string, b []byte) {
		t.Helper()
		checkReply(t, b)
		checkInquiry(t, b)
		if r, err := eligibility.Decode(b); err == nil {
			t.Logf("271: %d rejections, %d warnings", len(r.Rejections()), len(r.Warnings))
			for _, m := range []*eligibility.Member{r.Subscriber, r.Dependent} {
				if m != nil {
					t.Logf("%d benefits", len(m.Benefits))
				}
			}
		} else if _, err2 := eligibility.DecodeInquiry(b); err2 != nil {
			t.Logf("refused: %v; %v", err, err2)
		}
	})
}
