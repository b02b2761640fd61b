package httpapi

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// A payment that comes again with other figures waits for a person, who keeps the first
// one, and then replaces it after all. A payment that does not add up is acknowledged.
func TestCorrections(t *testing.T) {
	t.Parallel()
	s := startService(t)
	bring := func(file string) (status, path string) {
		status, all := s.must(t, 201, importing(file)).payments(t)
		path = "/eras/" + all[0]["era_id"].(string)
		s.until(t, path, "needs_review")
		return status, path
	}
	_, first := bring(payingTo("EFT-1", ourNPI))
	s.must(t, 200, call{method: "POST", path: first + "/claims/1/ignore"})
	status, second := bring(correctedPayment("EFT-1"))
	if again, path := bring(correctedPayment("EFT-1")); status != "correction" || again != "duplicate" || path != second {
		t.Errorf("imported: %s, again: %s %s, want %s", status, again, path, second)
	}
	shown := s.must(t, 200, call{path: second})
	shown.shows(t, "state", "needs_review", "correction.undecided", true, "correction.decided", nil, "correction.of", "["+first[6:]+"]",
		"difference.changed", 1, "difference.added", 0, "difference.removed", 0, "difference.was.total", "1.00",
		"difference.claims.0.was.paid", "1.00", "difference.claims.0.is.paid", "0.50", "difference.claims.0.lines.0.is.adjustments.0.amount", "0.50",
		"claims.data.0.status", "needs_review", "claims.data.0.review.code", "correction")
	s.must(t, 200, call{path: first}).shows(t, "corrections", "["+second[6:]+"]", "correction", nil, "difference", nil, "replaced_by", nil)

	wantStatus(t, s.do(t, call{method: "POST", path: first + "/replace"}), 409, billing.CodeConflict)
	wantStatus(t, s.do(t, call{method: "POST", path: second + "/claims/1/ignore"}), 409, billing.CodeConflict)
	correction := func() call { return call{path: "/tasks?kind=remittance_correction"} }
	s.must(t, 200, correction()).shows(t, "data.0.resource.id", second[6:], "data.0.actions", []any{"replaceERA", "keepERA"})
	s.must(t, 200, call{method: "POST", path: first + "/post"}) // what it corrects is unposted before it is replaced
	s.must(t, 200, correction()).shows(t, "data.0.actions", []any{"getERA", "keepERA"},
		"data.0.reason", "The remittance corrects "+first[6:]+", which is posted: unpost that one, then replace it, or keep it as it is.")
	s.must(t, 200, call{method: "POST", path: first + "/unpost"})
	kept := s.must(t, 200, call{path: second + "/keep", body: `{"note":"Withdrawn."}`})
	kept.shows(t, "state", "discarded", "correction.decided.note", "Withdrawn.", "claims.data.0.status", "ignored", "claims.data.0.review", nil)
	s.must(t, 200, call{method: "POST", path: first + "/post"})
	wantStatus(t, s.do(t, call{method: "POST", path: second + "/replace"}), 409, billing.CodeConflict)
	s.must(t, 200, call{method: "POST", path: first + "/unpost"})
	replaced := s.must(t, 200, call{method: "POST", path: second + "/replace"})
	replaced.shows(t, "state", "needs_review", "correction.undecided", false, "correction.decided.note", nil)
	if again := s.must(t, 200, call{method: "POST", path: second + "/replace"}); again.body != replaced.body {
		t.Errorf("replaced again %s", again.body)
	}
	s.must(t, 200, call{path: first}).shows(t, "state", "replaced", "replaced_by", second[6:], "claims.data.0.status", "ignored")
	wantStatus(t, s.do(t, call{method: "POST", path: first + "/post"}), 409, billing.CodeConflict)

	off := s.remitted(t, s.key, s.test, paying("EFT-9", 5, crownPaid("UNKNOWN-9")))
	s.must(t, 200, call{method: "POST", path: off + "/claims/1/ignore"})
	attention := func(era string, want bool) {
		t.Helper()
		for _, listed := range s.walk(t, "/eras?needs_attention=true") {
			if listed == era[6:] {
				if !want {
					t.Errorf("%s needs attention", era)
				}
				return
			}
		}
		if want {
			t.Errorf("%s needs no attention", era)
		}
	}
	attention(off, true)
	attention(first, false)
	wantStatus(t, s.do(t, call{path: off + "/acknowledge", body: `{}`, bad: true}), 422, billing.CodeInvalidRequest)
	s.must(t, 200, call{path: off + "/acknowledge", body: `{"note":"A late charge."}`}).shows(t, "balanced", false, "balance.payment.balanced", false,
		"acknowledged.note", "A late charge.", "acknowledged.by", some{}, "acknowledged.at", some{})
	attention(off, false)
	wantStatus(t, s.do(t, call{path: second + "/acknowledge", body: `{"note":"x"}`}), 409, billing.CodeConflict)
}
