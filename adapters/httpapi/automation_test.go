package httpapi

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestAutomation sets levels, refuses what is no level, and keeps them to their mode.
func TestAutomation(t *testing.T) {
	t.Parallel()
	s := startService(t)
	at := func(body string) call { return call{method: "PUT", path: "/automation", body: body} }
	none := []any{"object", "automation", "level", "review", "payers", []any{}, "updated_at", nil, "updated_by", nil}
	s.must(t, 200, call{path: "/automation"}).shows(t, none...)
	s.must(t, 200, at(`{"level":"exceptions","payers":[{"payer_id":"CHTEST","level":"automatic"}]}`)).shows(t,
		"level", "exceptions", "payers.0.payer.payer_id", "CHTEST", "payers.0.level", "automatic")
	s.must(t, 200, call{path: "/automation"}).shows(t, "payers.0.payer.name", "Molar Test Payer")
	s.must(t, 200, call{path: "/automation", key: s.live}).shows(t, none...)
	for body, field := range map[string]string{
		`{}`:                "level required",
		`{"level":"sleep"}`: "level not_allowed",
		`{"level":"review","payers":[{"payer_id":"CHTEST"}]}`:                                                             "payers.0.level required",
		`{"level":"review","payers":[{"level":"review"}]}`:                                                                "payers.0.payer_id required",
		`{"level":"review","payers":[{"payer_id":"CHTEST","level":"review"},{"payer_id":"CHTEST","level":"exceptions"}]}`: "payers.1.payer_id conflict",
	} {
		c := at(body)
		c.bad = true
		if a := s.do(t, c); a.StatusCode != 422 || a.fields(t)[0] != field {
			t.Errorf("%s: %d %s, want %s", body, a.StatusCode, a.body, field)
		}
	}
	wantStatus(t, s.do(t, at(`{"level":"review","payers":[{"payer_id":"nobody","level":"review"}]}`)), 404, billing.CodeNotFound)
	for role, status := range map[caller.Role]int{caller.RoleViewer: 403, caller.RoleBiller: 403, caller.RoleOwner: 200} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(call{path: "/automation"})); a.StatusCode != status {
			t.Errorf("%s: %d %s", role, a.StatusCode, a.body)
		}
	}
}

// TestAutomaticWithDeposits posts by a rule, waits for the money, and reconciles in the commit that
// matches it. What a person undoes is not done again, and the audit names the rule.
func TestAutomaticWithDeposits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 200, call{method: "PUT", path: "/automation", body: `{"level":"automatic"}`})
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })}).text(t, "id")
	s.clear(t)
	s.until(t, "/claims/"+claim, "paid")
	era := "/eras/" + s.must(t, 200, call{path: "/claims/" + claim}).text(t, "payment", "era_id")
	s.until(t, era, "posted")
	got := s.must(t, 200, call{path: era})
	got.shows(t, "posted_by_rule", "automatic", "reconcile_state", "awaits_deposit", "reconciled", 0.0, "left_out", []any{})
	s.must(t, 200, call{path: "/eras?state=posted"}).shows(t, "data.0.id", strings.TrimPrefix(era, "/eras/"), "data.0.posted_by_rule", "automatic")
	s.must(t, 200, call{path: "/claims/" + claim}).shows(t, "state", "paid")

	total, day := got.text(t, "bank", "payable"), got.text(t, "payment", "date")
	s.must(t, 200, bankDay(day+","+total+",HCCLAIMPMT TRN*1*"+got.text(t, "payment", "trace_number")+"*1512345678")).shows(t, "matched", 1.0)
	s.until(t, "/claims/"+claim, "reconciled")
	s.must(t, 200, call{path: era}).shows(t, "reconcile_state", "done", "reconciled", 1.0, "left_out_count", 0.0)
	rules := []string{}
	for _, e := range s.audited(t, caller.AuditFilter{Actor: caller.ActorRule}) {
		rules = append(rules, e.Rule+" "+e.Operation+" "+e.Resource)
	}
	if want := "automatic POST /claims/{id}/reconcile " + claim; len(rules) != 2 || !strings.Contains(strings.Join(rules, "\n"), want) {
		t.Errorf("the audit has %q, want %q", rules, want)
	}
	way := "Reopen the claim, or unpost " + strings.TrimPrefix(era, "/eras/") + ", then "
	for path, want := range map[string]string{"/replace": way + "replace it.", "/void": way + "void it."} {
		a := s.do(t, call{path: "/claims/" + claim + path, body: map[string]string{"/replace": s.crown("PAID-ERA", nil), "/void": "{}"}[path]})
		wantStatus(t, a, 409, billing.CodeConflict)
		if !strings.HasSuffix(a.text(t, "message"), want) {
			t.Errorf("%s: %s, want %s", path, a.body, want)
		}
	}

	s.must(t, 200, call{method: "POST", path: era + "/unpost"}).shows(t, "state", "needs_review", "posted_by_rule", nil, "reconcile_state", "not_asked")
	s.must(t, 200, call{path: "/claims/" + claim}).shows(t, "state", "paid")
	deposit := s.deposit(t, "?state=matched")
	s.must(t, 200, call{method: "POST", path: deposit + "/unmatch"})
	s.must(t, 200, call{path: deposit + "/match", body: `{"parts":[{"era_id":"` + strings.TrimPrefix(era, "/eras/") + `"}]}`})
	porttest.Await(t, "the jobs that could post it again", func() bool { return s.count(t, "SELECT count(*) FROM jobs WHERE kind = 'posting'") == 0 })
	s.must(t, 200, call{path: era}).shows(t, "state", "needs_review")
	s.must(t, 200, call{path: "/claims/" + claim}).shows(t, "state", "paid")
	s.must(t, 200, call{path: era + "/post", body: `{"reconcile":true}`}).shows(t, "posted_by_rule", nil, "reconcile_state", "done", "reconciled", 1.0)
	s.must(t, 200, call{path: "/eras?state=posted"}).shows(t, "data.0.state", "posted", "data.0.posted_by_rule", nil)
}

// TestAutomaticReceivedElsewhere posts by a rule, and reconciles after a person decided that the money
// arrived where Molar does not see it.
func TestAutomaticReceivedElsewhere(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 200, call{method: "PUT", path: "/automation", body: `{"level":"automatic"}`})
	s.must(t, 200, bankDay("2026-01-02,-12.00,FEE")) // deposits of the account are known
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })}).text(t, "id")
	s.clear(t)
	s.until(t, "/claims/"+claim, "paid")
	era := "/eras/" + s.must(t, 200, call{path: "/claims/" + claim}).text(t, "payment", "era_id")
	s.until(t, era, "posted")
	s.must(t, 200, call{path: era}).shows(t, "reconcile_state", "awaits_deposit", "bank.summary", "Balanced, posted, not in the bank.")
	s.standsAt(t, time.Now().AddDate(0, 0, 14))
	task := s.tasks(t, "?kind=deposit_missing")["deposit_missing"]
	s.must(t, 200, call{path: "/tasks/" + task["id"].(string) + "/settle", body: `{"as":"received_elsewhere"}`}).shows(t, "state", "done")
	s.must(t, 200, call{path: era}).shows(t, "bank.status", "awaited", "bank.summary", "Balanced, posted, received elsewhere.")
	s.until(t, "/claims/"+claim, "reconciled")

	// The decision is taken back: what was reconciled meanwhile stays.
	s.must(t, 200, call{method: "POST", path: "/tasks/" + task["id"].(string) + "/wake"}).shows(t, "state", "open")
	s.must(t, 200, call{path: era}).shows(t, "reconcile_state", "done", "reconciled", 1.0, "bank.summary", "Balanced, posted, not in the bank.")
	s.must(t, 200, call{path: "/claims/" + claim}).shows(t, "state", "reconciled")
}

// TestAutomaticWasDecided sets another level while a posting waits for its deposit: the claims are
// reconciled when it comes.
func TestAutomaticWasDecided(t *testing.T) {
	t.Parallel()
	s := startService(t)
	level := func(l string) {
		s.must(t, 200, call{method: "PUT", path: "/automation", body: `{"level":"` + l + `"}`})
	}
	level("automatic")
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })}).text(t, "id")
	s.clear(t)
	s.until(t, "/claims/"+claim, "paid")
	era := "/eras/" + s.must(t, 200, call{path: "/claims/" + claim}).text(t, "payment", "era_id")
	s.until(t, era, "posted")
	level("review")
	got := s.must(t, 200, call{path: era})
	got.shows(t, "reconcile_state", "awaits_deposit")
	row := got.text(t, "payment", "date") + "," + got.text(t, "bank", "payable") + ",HCCLAIMPMT TRN*1*" + got.text(t, "payment", "trace_number") + "*1512345678"
	s.must(t, 200, bankDay(row)).shows(t, "matched", 1.0)
	s.until(t, "/claims/"+claim, "reconciled")
	s.must(t, 200, call{path: era}).shows(t, "reconcile_state", "done", "posted_by_rule", "automatic")
}
