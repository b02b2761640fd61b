package httpapi

import (
	"context"
	"database/sql"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// blocking is work that does not end.
const blocking = `
INSERT INTO jobs (id, kind, org_id, mode, subject, reply_to, not_before, lease_until)
SELECT gen_random_uuid(), 'thumbnail', org_id, 'test', gen_random_uuid(), '', now(), now() + interval '1 day' FROM offices WHERE mode = 'test'`

// TestAdvanceGoesOn advances the clock over work that does not end. Meanwhile the key of the
// request shows the clock, and no other request may move it. At its end the key has the
// reply of the first request, also if it was stopped.
func TestAdvanceGoesOn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	exec := func(text string) {
		t.Helper()
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), text); err != nil {
			t.Fatal(err)
		}
	}
	clock := func(want string) {
		t.Helper()
		porttest.Await(t, "the clock is "+want, func() bool { return s.must(t, 200, call{path: "/sandbox/clock"}).text(t, "state") == want })
	}
	advance := call{method: "POST", path: "/sandbox/clock/advance", body: `{"by":"P1D"}`}
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`})
	for name, end := range map[string]func(){
		"ended": func() { exec("DELETE FROM jobs WHERE kind = 'thumbnail'") },
		"stopped": func() {
			if a := s.must(t, 200, call{method: "POST", path: "/sandbox/clock/stop"}); a.text(t, "state") != "ready" {
				t.Errorf("stopped: %s", a.body)
			}
		},
	} {
		exec(blocking)
		first := make(chan response)
		c := advance
		c.idem = name
		go func() { first <- s.do(t, c) }()
		clock("advancing")
		var a response
		porttest.Await(t, "the key is kept", func() bool { // the clock shows it a moment before
			a = s.do(t, c)
			return a.StatusCode != 409
		})
		if a.StatusCode != 202 || a.text(t, "state") != "advancing" || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: the key meanwhile: %s", name, a.body)
		}
		wantStatus(t, s.do(t, call{method: "POST", path: advance.path, body: `{"until":"idle"}`, bad: true}), 409, billing.CodeClockAdvancing)
		wantStatus(t, s.do(t, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":true}`, bad: true}), 409, billing.CodeClockAdvancing)
		end()
		got := <-first
		if got.StatusCode != 200 || got.text(t, "state") != "ready" || got.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s: the first request: %d %s", name, got.StatusCode, got.body)
		}
		exec("DELETE FROM jobs WHERE kind = 'thumbnail'")
		s.advances(t, call{body: `{"by":"PT1H"}`})
		if again := s.must(t, 200, c); again.body != got.body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s: the key afterwards: %s, want %s", name, again.body, got.body)
		}
	}
}

// TestAdvanceIsRefused has the limits of an advance, and a clock that nothing waits for.
func TestAdvanceIsRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for body, fault := range map[string]string{
		`{}`: "body required", `{"by":"P1D","until":"next"}`: "body too_many", `{"by":"P1M"}`: "by format", `{"by":"P367D"}`: "by range",
		`{"to":"2020-01-01T00:00:00Z"}`: "to range", `{"to":"2026"}`: "to format", `{"until":"never"}`: "until not_allowed", `{"by":1}`: "by type",
	} {
		a := s.do(t, call{method: "POST", path: "/sandbox/clock/advance", body: body, bad: true})
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if fields := a.fields(t); len(fields) != 1 || fields[0] != fault {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	wantStatus(t, s.do(t, call{method: "PATCH", path: "/sandbox/clock", body: `{}`, bad: true}), 422, billing.CodeInvalidRequest)
	before := s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`}).text(t, "now")
	for _, until := range []string{"next", "idle"} {
		if a := s.advances(t, call{body: `{"until":"` + until + `"}`}); a.text(t, "now") != before {
			t.Errorf("until %s: %s, want %s", until, a.body, before)
		}
	}
}

// TestMeHasTheClock reads the clock as everyone in test mode may, once it does not show real time.
func TestMeHasTheClock(t *testing.T) {
	t.Parallel()
	s := startService(t)
	viewer := s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	me := func() response { return s.must(t, 200, viewer.call(call{path: "/me"})) }
	me().shows(t, "clock", nil)
	stands := s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`}).text(t, "now")
	me().shows(t, "clock.now", stands, "clock.running", false, "clock.state", "ready")
	ahead := s.advances(t, call{body: `{"by":"P14D"}`}).text(t, "now")
	me().shows(t, "clock.now", ahead)
	s.must(t, 200, viewer.with("Molar-Mode", "live").call(call{path: "/me"})).shows(t, "clock", nil)
	s.must(t, 200, call{path: "/me", key: s.other}).shows(t, "clock", nil)
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":true}`})
	me().shows(t, "clock.running", true)
	wantStatus(t, s.do(t, viewer.call(call{path: "/sandbox/clock", bad: true})), 403, billing.CodePermissionDenied)
}
