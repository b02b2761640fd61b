package httpapi

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/tasks"
)

// tasks reads the tasks of a query by their kinds.
func (s *service) tasks(t *testing.T, query string) map[string]anObject {
	t.Helper()
	all := map[string]anObject{}
	for _, row := range s.must(t, 200, call{path: "/tasks" + query}).get(t, "data").([]any) {
		all[row.(anObject)["kind"].(string)] = row.(anObject)
	}
	return all
}

// TestTasks follows tasks from their causes to their ends: they come with a resource, people
// snooze and assign them, and they end and come again with their cause alone.
func TestTasks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	rejected := s.claim(t, func(c *claim.Claim) { c.State = claim.Rejected })
	s.claim(t, func(c *claim.Claim) { c.State = claim.Submitted }) // acknowledged in time, or a task in two days
	answer, request := s.payerRequest(t, with("due_date", lately(-10)))
	of := "?resource_id=" + rejected.ID.String()
	got := s.tasks(t, "")
	if len(got) != 2 || got["claim_rejected"] == nil || got["request_due"] == nil {
		t.Fatalf("tasks %v", got)
	}
	list := s.must(t, 200, call{path: "/tasks?limit=1"})
	list.shows(t, "data.0.kind", "request_due", "data.0.due_from", "payer", "data.0.resource.id", request, "data.0.amount", nil, // due first
		"counts.open.count", 2.0, "counts.nobody.count", 2.0, "counts.mine.count", 0.0, "counts.kinds.claim_rejected.count", 1.0, "counts.kinds.denied.count", 0.0,
		"counts.offices", anObject{s.office.String(): anObject{"count": 1.0, "more": false}}, // the request names no claim
		"counts.payers.0.payer.payer_id", "CHTEST", "counts.payers.0.count", 2.0, "counts.payers.0.more", false)
	s.must(t, 200, call{path: "/tasks?limit=1&cursor=" + list.text(t, "next_cursor")}).shows(t, "data.0.kind", "claim_rejected",
		"data.0.resource.object", "claim", "data.0.amount", rejected.Charge().String(), "data.0.patient_name", nil, "next_cursor", nil)
	for query, want := range map[string]int{
		"?kind=claim_rejected&kind=denied": 1, "?kind=denied": 0, "?office_id=" + s.office.String(): 1, "?payer_id=CHTEST": 2, "?assignee=nobody": 2,
		"?amount_from=0.01": 1, "?due_before=" + lately(-400): 1, "?state=snoozed": 0, "?state=done": 0, of: 1,
	} {
		if got := s.tasks(t, query); len(got) != want {
			t.Errorf("%s: %d tasks, want %d", query, len(got), want)
		}
	}

	path := "/tasks/" + got["claim_rejected"]["id"].(string)
	s.must(t, 200, call{path: path + "/snooze", body: `{"until":"` + lately(-3) + `"}`}).shows(t, "state", "snoozed", "snoozed_until", lately(-3))
	s.must(t, 200, call{path: "/tasks" + of}).shows(t, "data", []any{}, "counts.open.count", 1.0)
	s.must(t, 200, call{path: "/tasks?state=snoozed"}).shows(t, "data.0.kind", "claim_rejected")
	s.must(t, 200, call{method: "POST", path: path + "/wake"}).shows(t, "state", "open", "snoozed_until", nil)
	if a := s.do(t, call{path: path + "/snooze", body: `{"until":"` + todayAt(intake.DefaultTimeZone).String() + `"}`}); a.StatusCode != 422 || !slices.Equal(a.fields(t), []string{"until range"}) {
		t.Errorf("snoozed until today: %d %s", a.StatusCode, a.body)
	}

	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	s.must(t, 200, call{path: path + "/assign", body: jsonOf(anObject{"user_id": owner.user.String()}, nil)}).shows(t, "assignee", owner.user.String())
	if got := s.tasks(t, "?assignee="+owner.user.String()); len(got) != 1 {
		t.Errorf("of the owner: %v", got)
	}
	s.must(t, 200, owner.call(call{path: "/tasks?assignee=me"})).shows(t, "data.0.kind", "claim_rejected", "counts.mine.count", 1.0)
	wantStatus(t, s.do(t, call{path: path + "/assign", body: `{"user_id":"usr_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"}`}), 404, billing.CodeNotFound)
	if a := s.do(t, call{path: path + "/assign", body: `{}`, bad: true}); a.StatusCode != 422 || !slices.Equal(a.fields(t), []string{"user_id required"}) {
		t.Errorf("assigned without a user: %d %s", a.StatusCode, a.body)
	}
	s.must(t, 200, call{path: path}).shows(t, "assignee", owner.user.String())
	s.must(t, 200, call{path: path + "/assign", body: `{"user_id":null}`}).shows(t, "assignee", nil)
	if a := s.do(t, call{path: "/tasks?assignee=me"}); a.StatusCode != 422 {
		t.Errorf("tasks of a key: %d %s", a.StatusCode, a.body)
	}

	// Snoozed until something changes; a change that the task says nothing of is none.
	s.must(t, 200, call{method: "POST", path: path + "/snooze"}).shows(t, "state", "snoozed", "until_change", true)
	claimPath := "/claims/" + rejected.ID.String()
	s.must(t, 200, call{method: "PATCH", path: claimPath, body: `{"draft":true}`})
	s.must(t, 200, call{path: path}).shows(t, "state", "done")
	wantStatus(t, s.do(t, call{method: "POST", path: path + "/wake"}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: answer + "/answer", body: s.own(with("payer_id", nil))})
	if got := s.tasks(t, ""); len(got) != 0 { // the draft needs nobody for three days
		t.Errorf("in the end: %v", got)
	}
	// The attachment of the answer was open for a moment, which made no task: one begins after a day.
	if got := s.tasks(t, "?state=done"); len(got) != 2 || got["claim_rejected"] == nil || got["request_due"] == nil {
		t.Errorf("done: %v", got)
	}
}

// TestTaskOfAPayerRequest is among those of the office of its claim, and names the patient: also once
// the claim has another one.
func TestTaskOfAPayerRequest(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var who anObject
	made := s.must(t, 201, call{path: "/claims", body: s.crown("1", func(o anObject) { o["draft"], who = true, o["subscriber"].(anObject) })})
	id := made.text(t, "id")
	s.must(t, 201, call{path: "/payer_requests", body: letter(with("claim_id", id, "payer_id", nil))})
	has := func(of response) {
		t.Helper()
		s.must(t, 200, call{path: "/tasks?office_id=" + s.office.String()}).shows(t, "data.0.kind", "request_due", "data.0.office_id", s.office.String(),
			"data.0.patient_id", of.text(t, "patient_id"), "data.0.patient_name", of.text(t, "patient_name", "first_name")+" "+of.text(t, "patient_name", "last_name"))
	}
	has(made)
	who["first_name"] = "Esmeralda"
	changed := s.must(t, 200, call{method: "PATCH", path: "/claims/" + id, body: jsonOf(anObject{"draft": true, "subscriber": who}, nil)})
	if changed.text(t, "patient_id") == made.text(t, "patient_id") {
		t.Fatal("the claim has the same patient")
	}
	has(changed)
	sent := s.claim(t, func(c *claim.Claim) { c.State = claim.Submitted }).ID.String()
	asked := s.must(t, 201, call{path: "/payer_requests", body: letter(with("claim_id", sent, "payer_id", nil, "due_date", "2026-03-01"))})
	s.must(t, 200, call{path: "/claims/" + sent}).shows(t, "next_step", "The payer asks for more by March 1, 2026: answer its request "+asked.text(t, "id")+".")
}

// TestTasksOfAnEarlierRelease gives an organization the claims of a release without tasks. The
// service computes theirs by itself, once, in steps that a killed process has not lost.
func TestTasksOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	s := startService(t)
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	rejected := s.claim(t, func(c *claim.Claim) { c.State = claim.Rejected })
	s.payerRequest(t, with("due_date", lately(-10)))
	before := s.must(t, 200, call{path: "/tasks"}).body
	steps := func() (n, differed int) {
		for more := true; more; n++ {
			var d int
			if d, more, err = tasks.New(s.store, nil).CatchUp(t.Context()); err != nil { // as another process
				t.Fatal(err)
			}
			differed += d
		}
		return n, differed
	}
	if _, differed := steps(); differed != 0 {
		t.Errorf("the service left %d resources without their tasks", differed)
	}
	if n, _ := steps(); n != 1 {
		t.Errorf("%d steps when all is done, want 1 that looks", n)
	}
	for _, statement := range []string{"DELETE FROM tasks", "UPDATE organizations SET task_rules = '{}'"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, differed := steps(); differed != 2 {
		t.Errorf("the tasks of %d resources were computed, want 2", differed)
	}
	after := s.must(t, 200, call{path: "/tasks"})
	if len(after.body) != len(before) {
		t.Errorf("before %s\nafter %s", before, after.body)
	}
	after.shows(t, "data.1.resource.id", rejected.ID.String(), "counts.open.count", 2.0)
}
