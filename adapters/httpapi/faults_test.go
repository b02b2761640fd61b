package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// faulty orders faults, each written as the fields of a rule.
func (s *service) faulty(t *testing.T, rules ...string) {
	t.Helper()
	s.must(t, 200, call{method: http.MethodPut, path: "/sandbox/faults", body: `{"rules": [` + strings.Join(rules, ",") + `]}`})
}

// TestFaults lets requests fail in each way, as often as the rules say.
func TestFaults(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.faulty(t, `{"operation": "listPayers", "kind": "error", "status": 503, "times": 2}`, `{"operation": "listPayers", "kind": "rate_limit", "times": 1}`,
		`{"operation": "listOffices", "kind": "delay", "milliseconds": 300, "times": 1}`, `{"operation": "createClaim", "kind": "drop_reply", "times": 1}`)
	for n, want := range []int{503, 503, 429, 200} {
		a := s.do(t, call{path: "/payers"})
		fault := map[int]string{503: "error", 429: "rate_limit"}[want]
		if a.StatusCode != want || a.Header.Get("Molar-Fault") != fault || (fault != "") != (a.Header.Get("Retry-After") == "1") {
			t.Errorf("request %d: %d, %v", n, a.StatusCode, a.Header)
		}
	}
	begun := time.Now()
	if a := s.must(t, 200, call{path: "/offices"}); a.Header.Get("Molar-Fault") != "delay" || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("the delayed reply came after %v with %v", time.Since(begun), a.Header)
	}
	create := call{path: "/claims", body: s.crown("1", nil), idem: "dropped"}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.addr+root+create.path, strings.NewReader(create.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + s.key}, "Content-Type": {"application/json"}, idempotencyKey: {create.idem}}
	if got, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r); !errors.Is(err, io.EOF) {
		t.Fatalf("the connection was not cut: %v, %v", got.Body.Close(), err)
	}
	if a := s.must(t, 201, create); a.Header.Get("Idempotent-Replayed") != "true" || len(s.walk(t, "/claims")) != 1 {
		t.Errorf("the claim was not made before the connection was cut: %s", a.body)
	}
	s.must(t, 200, call{path: "/sandbox/faults"}).shows(t, "object", "sandbox_faults", "rules.0.struck", 2, "rules.0.times", 2, "rules.0.status", 503, "rules.0.seed", nil,
		"rules.1.struck", 1, "rules.2.milliseconds", 300, "rules.3.kind", "drop_reply", "rules.3.struck", 1, "rules.3.expires_at", some{})
}

// TestFaultsBySeed repeats requests with the same seed: the same ones fail.
func TestFaultsBySeed(t *testing.T) {
	t.Parallel()
	s := startService(t)
	run := func() (fate string) {
		s.faulty(t, `{"operation": "*", "kind": "error", "status": 500, "probability": 0.4, "seed": 11}`)
		for range 20 {
			fate += fmt.Sprint(s.do(t, call{path: "/document_types"}).StatusCode, " ")
		}
		return fate
	}
	first, struck := run(), s.must(t, 200, call{path: "/sandbox/faults"})
	if again := run(); again != first || !strings.Contains(first, "200") {
		t.Errorf("first %s\nagain %s", first, again)
	}
	struck.shows(t, "rules.0.struck", strings.Count(first, "500"), "rules.0.seed", 11, "rules.0.probability", 0.4)
}

// TestFaultsOfOneOrganization has rules that would strike everything. They strike no live
// mode, no other organization, no person, and nothing below /sandbox.
func TestFaultsOfOneOrganization(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	s.faulty(t, `{"operation": "*", "kind": "error", "status": 504, "probability": 1}`)
	if a := s.do(t, call{path: "/payers"}); a.StatusCode != 504 {
		t.Fatalf("the rule strikes nothing: %d", a.StatusCode)
	}
	for _, c := range []call{{path: "/payers", key: s.live}, {path: "/payers", key: s.other}, owner.call(call{path: "/payers"}), {path: "/sandbox/faults"}} {
		if a := s.must(t, 200, c); a.Header.Get("Molar-Fault") != "" {
			t.Errorf("%s was struck", c.path)
		}
	}
	s.must(t, 200, call{path: "/sandbox/faults", key: s.other}).shows(t, "rules", []any{})
	wantStatus(t, s.do(t, call{path: "/sandbox/faults", key: s.live}), 403, billing.CodeTestModeOnly)
	wantStatus(t, s.do(t, call{path: "/sandbox/faults", key: s.read}), 403, billing.CodePermissionDenied)
	s.faulty(t)
	s.must(t, 200, call{path: "/payers"})
}

// TestFaultRulesAreChecked sends rules with one fault each.
func TestFaultRulesAreChecked(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for rule, field := range map[string]string{
		`{"operation": "makeClaim", "kind": "rate_limit", "times": 1}`:                            "rules.0.operation",
		`{"kind": "rate_limit", "times": 1}`:                                                      "rules.0.operation",
		`{"operation": "putSandboxFaults", "kind": "rate_limit", "times": 1}`:                     "rules.0.operation",
		`{"operation": "*", "kind": "crash", "times": 1}`:                                         "rules.0.kind",
		`{"operation": "*", "kind": "error", "status": 404, "times": 1}`:                          "rules.0.status",
		`{"operation": "*", "kind": "rate_limit", "times": 1, "probability": 0.5}`:                "rules.0.times",
		`{"operation": "*", "kind": "rate_limit", "probability": 1e400}`:                          "rules.0.probability",
		`{"operation": "*", "kind": "rate_limit", "times": 1, "expires_in": "P1M"}`:               "rules.0.expires_in",
		`{"operation": "*", "kind": "rate_limit", "times": 1, "expires_in": "P2D"}`:               "rules.0.expires_in",
		`{"operation": "*", "kind": "rate_limit", "times": 1, "surprise": 1}`:                     "rules.0.surprise",
		`{"operation": "createClaim", "kind": "delay_delivery", "milliseconds": 100, "times": 1}`: "rules.0.operation",
	} {
		a := s.do(t, call{method: http.MethodPut, path: "/sandbox/faults", body: `{"rules": [` + rule + `]}`, bad: true})
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		a.shows(t, "errors.0.field", field)
	}
	a := s.do(t, call{method: http.MethodPut, path: "/sandbox/faults", body: `{}`, bad: true})
	wantStatus(t, a, 422, billing.CodeInvalidRequest)
}
