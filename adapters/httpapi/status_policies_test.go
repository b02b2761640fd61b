package httpapi

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/jobs"
)

func policy(payer, body string) call {
	return call{method: "PUT", path: "/status_policies/" + payer, body: body}
}

// TestStatusPolicies makes, replaces, lists and deletes policies, each of one mode.
func TestStatusPolicies(t *testing.T) {
	t.Parallel()
	s := startService(t)
	first := s.must(t, 200, policy("CHTEST", "{}"))
	first.shows(t, "object", "status_policy", "payer.payer_id", "CHTEST", "status_after", "P14D", "status_every", "P7D")
	s.must(t, 200, policy(testPayer(t).String(), `{"status_after":"P10D","status_every":"P28D"}`)).
		shows(t, "id", first.text(t, "id"), "created_at", first.text(t, "created_at"), "status_after", "P10D", "status_every", "P28D")
	list := s.must(t, 200, call{path: "/status_policies"})
	if all := list.get(t, "data").([]any); len(all) != 1 {
		t.Errorf("%d policies", len(all))
	}
	for body, want := range map[string]string{
		`{"status_after":"P6D"}`: "status_after range", `{"status_after":"P7DT1H"}`: "status_after range", `{"status_after":"P1M"}`: "status_after format",
		`{"status_every":"P0D","status_after":"P181D"}`: "status_after range,status_every range", `{"status_every":"P29D"}`: "status_every range", `{"every":"P7D"}`: "every unknown",
	} {
		c := policy("CHTEST", body)
		c.bad = true
		wantFields(t, s.do(t, c), want)
	}
	wantStatus(t, s.do(t, policy("nobody", "{}")), 404, billing.CodeNotFound)
	for _, p := range s.options.Payers.All() {
		if !p.Capabilities.ClaimStatus {
			wantStatus(t, s.do(t, policy(p.ID.String(), "{}")), 409, billing.CodeConflict)
		}
	}
	live := call{path: "/status_policies", key: s.live}
	s.must(t, 200, live).shows(t, "data", []any{})
	for role, status := range map[caller.Role]int{caller.RoleViewer: 403, caller.RoleBiller: 200} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(policy("CHTEST", "{}"))); a.StatusCode != status {
			t.Errorf("%s: %d %s", role, a.StatusCode, a.body)
		}
	}
	gone := call{method: "DELETE", path: "/status_policies/CHTEST"}
	s.must(t, 204, gone)
	wantStatus(t, s.do(t, gone), 404, billing.CodeNotFound)
	s.must(t, 200, call{path: "/status_policies"}).shows(t, "data", []any{})
}

// inquiries returns when the claim was asked about, the last time first.
func (s *service) inquiries(t *testing.T, id string) (at []time.Time) {
	t.Helper()
	for _, row := range s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?limit=100"}).get(t, "data").([]any) {
		when, err := time.Parse(time.RFC3339Nano, row.(anObject)["created_at"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if row.(anObject)["request_id"] != nil {
			t.Errorf("an inquiry of a policy has a request: %v", row)
		}
		at = append(at, when)
	}
	return at
}

// TestPolicyAsks moves the clock over a claim that its payer decides late. The policy asks after
// 14 days, and then less and less often, until the claim is paid. A claim that is decided in
// time and a predetermination are not asked about.
func TestPolicyAsks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-SLOW-PAYER", `{"after":"PT1S","accept":{}}`, `{"after":"P100D","pay":{}}`)})
	s.must(t, 200, policy("CHTEST", "{}"))
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`})
	slow := s.must(t, 201, call{path: "/claims", body: s.crown("X-SLOW-PAYER", with("submit", true))}).text(t, "id")
	quick := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", with("submit", true))}).text(t, "id")
	estimate := s.must(t, 201, call{path: "/claims", body: s.crown("PRE-SLOW-PAYER", func(o anObject) { asked(o); o["submit"] = true })}).text(t, "id")
	s.advances(t, call{body: `{"by":"P1D"}`})
	s.must(t, 200, call{path: "/claims/" + slow}).shows(t, "state", "accepted_payer")
	clock := s.must(t, 200, call{path: "/sandbox/clock"})
	clock.shows(t, "next.kind", "claim_status", "next.resource", slow, "pending", 2.0) // the payment and the estimate
	s.advances(t, call{body: `{"until":"idle"}`})
	s.must(t, 200, call{path: "/claims/" + slow}).shows(t, "state", "paid")
	var days []int
	at := s.inquiries(t, slow)
	sent, err := time.Parse(time.RFC3339Nano, s.must(t, 200, call{path: "/claims/" + slow}).text(t, "sent_at"))
	if err != nil {
		t.Fatal(err)
	}
	for i := len(at) - 1; i >= 0; i-- {
		days = append(days, int(at[i].Sub(sent)/(24*time.Hour)))
	}
	if want := []int{14, 21, 28, 35, 49, 77}; !equalInts(days, want) {
		t.Errorf("asked after %v days, want %v", days, want)
	}
	for _, other := range []string{quick, estimate} {
		if n := len(s.inquiries(t, other)); n != 0 {
			t.Errorf("claim %s was asked about %d times", other, n)
		}
	}
	s.must(t, 200, call{path: "/sandbox/clock"}).shows(t, "next", nil, "pending", 0.0)
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestPolicyAsksOnce runs the job of a policy many times at once, as repeated deliveries and
// killed workers do: each claim is asked about once.
func TestPolicyAsksOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var ids []string
	for range 3 {
		ids = append(ids, s.claim(t, func(c *claim.Claim) { c.State, c.SentAt = claim.AcceptedPayer, time.Now().AddDate(0, 0, -20) }).ID.String())
	}
	live := s.claim(t, func(c *claim.Claim) {
		c.Scope.Mode, c.State, c.SentAt = billing.ModeLive, claim.AcceptedPayer, time.Now().AddDate(0, 0, -20)
	})
	p := s.must(t, 200, policy("CHTEST", "{}")).text(t, "id")
	livePolicy := policy("CHTEST", "{}")
	livePolicy.key = s.live
	s.must(t, 200, livePolicy)
	subject, err := billing.ParseID[billing.StatusPolicyID](p)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var feed billing.JobID
	if err := db.QueryRowContext(t.Context(), "SELECT feed FROM status_policies WHERE id = $1", subject).Scan(&feed); err != nil {
		t.Fatal(err)
	}
	job := jobs.Job{ID: feed, Kind: jobs.KindStatusPolicy, Scope: s.test, Subject: subject}
	all := func() {
		var w sync.WaitGroup
		for range 8 {
			w.Go(func() {
				if err := s.options.ClaimStatus.Feed(context.WithoutCancel(t.Context()), job); err != nil {
					t.Error(err)
				}
			})
		}
		w.Wait()
	}
	for len(s.inquiries(t, ids[0]))*len(s.inquiries(t, ids[1]))*len(s.inquiries(t, ids[2])) == 0 {
		all() // two at once, until each had its turn
	}
	all()
	for _, id := range ids {
		if n := len(s.inquiries(t, id)); n != 1 {
			t.Errorf("%s was asked about %d times", id, n)
		}
	}
	if n := s.count(t, "SELECT count(*) FROM status_inquiries WHERE claim_id = '"+live.ID.UUID()+"'"); n != 0 {
		t.Errorf("%d inquiries without a connection in live mode", n)
	}
	other := job
	other.ID = billing.JobID{1}
	if err := s.options.ClaimStatus.Feed(t.Context(), other); err != nil {
		t.Errorf("the job of a policy that was replaced: %v", err)
	}
	if text := s.must(t, 200, call{path: "/claims/" + ids[0] + "/status_inquiries"}).body; !strings.Contains(text, `"request_id":null`) {
		t.Errorf("inquiries %s", text)
	}
}
