package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// check asks a question of the outcome, and gives the check's ID and its event's.
func (s *service) check(t *testing.T, outcome string) (check, event string) {
	t.Helper()
	check = s.must(t, 200, call{path: "/eligibility", body: s.question(outcome, nil)}).text(t, "id")
	return check, s.walk(t, "/events?resource_id="+check)[0]
}

// settled waits until no delivery of the endpoint is under way for the first
// time, and gives all of them, newest first.
func (s *service) settled(t *testing.T, endpoint string, n int) (rows []anObject) {
	t.Helper()
	eventually(t, func() error {
		list := s.must(t, 200, call{path: endpoint + "/deliveries"})
		rows = nil
		for _, row := range list.get(t, "data").([]any) {
			if r := row.(anObject); len(r["attempts"].([]any)) > 0 {
				rows = append(rows, r)
			}
		}
		if len(rows) != n {
			return fmt.Errorf("%d deliveries, want %d: %s", len(rows), n, list.body)
		}
		return nil
	})
	return rows
}

// The event of a check reaches a server of the caller's, who verifies it.
func TestDelivery(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, secret := s.endpoint(t, "/a?clinic=7", nil)
	narrow, _ := s.endpoint(t, "/narrow", with("event_types", []string{"attachment.completed", "claim.paid"}))
	check, event := s.check(t, "ACTIVE-FULL")
	got := s.receiver.wait(t, "/a", 1)[0]
	read := s.must(t, 200, call{path: "/events/" + event})
	if got.body+"\n" != read.body || got.query != "clinic=7" || read.text(t, "data", "id") != check {
		t.Errorf("%s?%s was posted, and the event is %s", got.body, got.query, read.body)
	}
	at, err := strconv.ParseInt(got.header.Get("Webhook-Timestamp"), 10, 64)
	if h := got.header; !got.verifies(secret) || h.Get("Webhook-Id") != event || h.Get("Content-Type") != "application/json" ||
		h.Get("User-Agent") != "Molar-Webhooks/test" || err != nil || time.Since(time.Unix(at, 0)) > time.Minute {
		t.Errorf("headers %v", h)
	}
	delivered := s.settled(t, endpoint, 1)[0]
	attempt := delivered["attempts"].([]any)[0].(anObject)
	if delivered["object"] != "webhook_delivery" || delivered["event_id"] != event || delivered["event_type"] != "eligibility.completed" ||
		delivered["state"] != "delivered" || delivered["next_attempt_at"] != nil || fmt.Sprint(attempt["status"]) != "204" ||
		attempt["error"] != nil || attempt["response"] != nil || fmt.Sprint(delivered["created_at"]) > fmt.Sprint(attempt["at"]) {
		t.Errorf("delivery %v", delivered)
	}
	if rows := s.walk(t, narrow+"/deliveries"); len(rows) != 0 || len(s.receiver.at("/narrow")) != 0 {
		t.Errorf("deliveries %v of types that nobody asked for", rows)
	}
}

// Events go to the endpoints of their organization and mode alone.
func TestDeliveriesStayInTheirScope(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for path, key := range map[string]string{"/test": s.key, "/live": s.live, "/other": s.other} {
		s.must(t, 200, call{path: "/webhook_endpoints", body: hook(path, nil), key: key})
	}
	s.check(t, "ACTIVE-FULL")
	for path, key := range map[string]string{"/live": s.live, "/other": s.other} {
		theirs, err := s.access.Authenticate(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.access.CreateKey(t.Context(), theirs.Scope, "another", []billing.Permission{billing.PermissionRead}); err != nil {
			t.Fatal(err)
		}
		if got := s.receiver.wait(t, path, 1); !strings.Contains(got[0].body, `"api_key.created"`) || len(got) != 1 {
			t.Errorf("%s got %v", path, got)
		}
	}
	if got := s.receiver.wait(t, "/test", 1); !strings.Contains(got[0].body, `"eligibility.completed"`) || len(got) != 1 {
		t.Errorf("test got %v", got)
	}
}

// pauseAfter is how long after an attempt the next one comes.
func pauseAfter(t *testing.T, d, attempt anObject) time.Duration {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(attempt["at"]))
	next, err2 := time.Parse(time.RFC3339Nano, fmt.Sprint(d["next_attempt_at"]))
	took, err3 := attempt["duration_ms"].(json.Number).Int64()
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	return next.Sub(at) - time.Duration(took)*time.Millisecond
}

// What fails comes again, in five seconds and under the same ID.
func TestFailedDeliveryComesAgain(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, secret := s.endpoint(t, "/a", nil)
	s.receiver.answers("/a", 503)
	_, event := s.check(t, "ACTIVE-FULL")
	failed := s.settled(t, endpoint, 1)[0]
	attempt := failed["attempts"].([]any)[0].(anObject)
	if failed["state"] != "pending" || fmt.Sprint(attempt["status"]) != "503" || attempt["error"] != nil || attempt["response"] != "status 503 of /a" {
		t.Errorf("delivery %v", failed)
	}
	if pause := pauseAfter(t, failed, attempt); pause < 4500*time.Millisecond || pause > 5501*time.Millisecond {
		t.Errorf("the next attempt comes after %s", pause)
	}
	s.receiver.answers("/a", 200)
	again := s.receiver.wait(t, "/a", 2)[1]
	if !again.verifies(secret) || again.header.Get("Webhook-Id") != event {
		t.Errorf("headers %v", again.header)
	}
	eventually(t, func() error {
		d := s.settled(t, endpoint, 1)[0]
		if attempts := d["attempts"].([]any); d["state"] != "delivered" || d["next_attempt_at"] != nil || len(attempts) != 2 ||
			attempts[1].(anObject)["response"] != "status 200 of /a" {
			return fmt.Errorf("delivery %v", d)
		}
		return nil
	})
}

// An endpoint that is gone says so, once.
func TestGoneEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	s.receiver.answers("/a", 410)
	s.check(t, "ACTIVE-FULL")
	eventually(t, func() error {
		if a := s.must(t, 200, call{path: endpoint}); a.text(t, "status") != "disabled" {
			return errors.New(a.body)
		}
		return nil
	})
	if d := s.settled(t, endpoint, 1)[0]; d["state"] != "pending" {
		t.Errorf("delivery %v", d)
	}
	s.receiver.answers("/a", 204)
	s.must(t, 200, act(endpoint, "enable")).shows(t, "status", "enabled")
	s.receiver.wait(t, "/a", 2)
}

// From a rotation on, only the new secret signs.
func TestRotation(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, old := s.endpoint(t, "/a", nil)
	s.receiver.answers("/a", 500)
	s.check(t, "ACTIVE-FULL")
	if first := s.receiver.wait(t, "/a", 1)[0]; !first.verifies(old) {
		t.Errorf("headers %v", first.header)
	}
	a := s.must(t, 200, act(endpoint, "rotate_secret"))
	secret := a.text(t, "secret")
	if plain := s.must(t, 200, call{path: endpoint}).body; a.hidden() != strings.Replace(plain, "}\n", ",\"secret_available\":false}\n", 1) {
		t.Errorf("answer %s after %s", a.body, plain)
	}
	s.receiver.answers("/a", 204)
	s.check(t, "ACTIVE-BASIC")
	for i, p := range s.receiver.wait(t, "/a", 3)[1:] { // the new event, and the one that failed before the rotation
		if p.verifies(old) || !p.verifies(secret) {
			t.Errorf("post %d is not signed with the new secret: %v", i, p.header)
		}
	}
	twice := s.must(t, 200, act(endpoint, "rotate_secret")).text(t, "secret")
	s.must(t, 200, act(endpoint, "ping"))
	if got := s.receiver.at("/a"); twice == secret || !got[len(got)-1].verifies(twice) {
		t.Errorf("headers %v", got[len(got)-1].header)
	}
}

// While an endpoint is disabled what is queued waits, and nothing new is
// queued.
func TestDisabledEndpoint(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, secret := s.endpoint(t, "/a", nil)
	s.endpoint(t, "/witness", nil)
	s.receiver.answers("/a", 500)
	_, waiting := s.check(t, "ACTIVE-FULL")
	s.settled(t, endpoint, 1)
	off := s.must(t, 200, act(endpoint, "disable"))
	if again := s.must(t, 200, act(endpoint, "disable")); off.text(t, "status") != "disabled" || strings.Contains(off.body, "secret") ||
		again.body != off.body || s.must(t, 200, call{path: endpoint}).body != off.body {
		t.Errorf("answers %s and %s", off.body, again.body)
	}
	s.receiver.answers("/a", 204)
	db := s.admin(t)
	if _, err := db.ExecContext(t.Context(), "UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'"); err != nil {
		t.Fatal(err)
	}
	_, missed := s.check(t, "ACTIVE-BASIC")
	s.check(t, "INACTIVE")
	s.receiver.wait(t, "/witness", 3)
	if n := len(s.receiver.at("/a")); n != 1 {
		t.Errorf("%d posts to the disabled endpoint", n)
	}
	on := s.must(t, 200, act(endpoint, "enable"))
	if again := s.must(t, 200, act(endpoint, "enable")); on.text(t, "status") != "enabled" || again.body != on.body ||
		strings.Replace(on.body, "enabled", "disabled", 1) != off.body {
		t.Errorf("answers %s and %s", on.body, again.body)
	}
	if late := s.receiver.wait(t, "/a", 2)[1]; late.header.Get("Webhook-Id") != waiting || !late.verifies(secret) {
		t.Errorf("headers %v", late.header)
	}
	_, next := s.check(t, "UNKNOWN")
	if got := s.receiver.wait(t, "/a", 3); got[2].header.Get("Webhook-Id") != next {
		t.Errorf("headers %v", got[2].header)
	}
	if rows := s.settled(t, endpoint, 2); rows[0]["event_id"] != next || rows[1]["event_id"] != waiting {
		t.Errorf("deliveries %v, %s was missed", rows, missed)
	}
}

// A change of the URL is where what is queued goes to.
func TestChangedEndpoint(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", with("event_types", []string{"payer_request.received"}))
	s.check(t, "ACTIVE-FULL")
	s.must(t, 200, call{method: "PATCH", path: endpoint, body: `{"url":"https://` + hooks + `/b","event_types":["eligibility.completed"]}`})
	_, event := s.check(t, "ACTIVE-BASIC")
	s.must(t, 201, call{path: "/payer_requests", body: letter(nil)})
	if got := s.receiver.wait(t, "/b", 1); got[0].header.Get("Webhook-Id") != event {
		t.Errorf("headers %v", got[0].header)
	}
	if rows := s.settled(t, endpoint, 1); rows[0]["event_id"] != event || len(s.receiver.at("/a")) != 0 {
		t.Errorf("deliveries %v", rows)
	}
}

// Pings with one key that come while one is posted are told so, and post
// nothing.
func TestPingsAtOnce(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/held", nil)
	release := s.receiver.hold("/held")
	t.Cleanup(release)
	ping := act(endpoint, "ping")
	ping.idem = "one-ping"
	first := make(chan answer)
	go func() { first <- s.do(t, ping) }()
	s.receiver.wait(t, "/held", 1)
	for range 3 {
		wantStatus(t, s.do(t, ping), 409, billing.CodeIdempotencyKeyInUse)
	}
	release()
	if a := <-first; a.StatusCode != 200 {
		t.Errorf("the first ping: %d %s", a.StatusCode, a.body)
	}
	if a := s.do(t, ping); a.StatusCode != 200 || a.Header.Get("Idempotent-Replayed") != "true" || len(s.receiver.at("/held")) != 1 {
		t.Errorf("once more: %d %s, and %d posts", a.StatusCode, a.body, len(s.receiver.at("/held")))
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, secret := s.endpoint(t, "/ping", with("event_types", []string{"claim.paid"}))
	ping := func(status string) {
		t.Helper()
		a := s.must(t, 200, act(endpoint, "ping"))
		took, err := a.get(t, "duration_ms").(json.Number).Int64()
		if a.text(t, "object") != "webhook_ping" || fmt.Sprint(a.get(t, "status")) != status || err != nil || took < 0 ||
			(a.get(t, "error") == nil) != (status != "<nil>") {
			t.Errorf("answer %s, want status %s", a.body, status)
		}
	}
	ping("204")
	s.receiver.answers("/ping", 500)
	ping("500")
	s.must(t, 200, act(endpoint, "disable"))
	s.receiver.answers("/ping", 410)
	ping("410")
	s.receiver.answers("/ping", 302)
	ping("302")
	got := s.receiver.at("/ping")
	for _, p := range got {
		var event map[string]any
		if err := json.Unmarshal([]byte(p.body), &event); err != nil {
			t.Fatal(err)
		}
		data, _ := event["data"].(map[string]any)
		if !p.verifies(secret) || event["type"] != "ping" || event["object"] != "event" || event["id"] != p.header.Get("Webhook-Id") ||
			event["sequence"] != 1.0 || data["id"] != lastOf(endpoint) {
			t.Errorf("%s with %v", p.body, p.header)
		}
		// It is not kept.
		wantStatus(t, s.do(t, call{path: "/events/" + p.header.Get("Webhook-Id")}), 404, billing.CodeNotFound)
	}
	s.must(t, 200, call{method: "PATCH", path: endpoint, body: `{"url":"https://` + gone + `/"}`})
	ping("<nil>")
	a := s.must(t, 200, act(endpoint, "ping"))
	if strings.Contains(a.body, "127.0.0.1") || strings.Contains(a.body, "dial") {
		t.Errorf("answer %s", a.body)
	}
	if rows := s.walk(t, endpoint+"/deliveries"); len(got) != 4 || len(rows) != 0 {
		t.Errorf("%d posts, and the deliveries %v", len(got), rows)
	}
	s.must(t, 200, call{path: endpoint}).shows(t, "status", "disabled")
}
