package httpapi

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
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
	porttest.Await(t, fmt.Sprint(n, " deliveries that were tried"), func() bool {
		rows = nil
		for _, row := range s.must(t, 200, call{path: endpoint + "/deliveries"}).get(t, "data").([]any) {
			if r := row.(anObject); len(r["attempts"].([]any)) > 0 {
				rows = append(rows, r)
			}
		}
		return len(rows) == n
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
	s.must(t, 200, call{path: endpoint + "/deliveries"}).shows(t, "data.0.object", "webhook_delivery", "data.0.event_id", event,
		"data.0.event_type", "eligibility.completed", "data.0.state", "delivered", "data.0.next_attempt_at", nil,
		"data.0.attempts.0.status", 204, "data.0.attempts.0.error", nil, "data.0.attempts.0.response", nil)
	if attempt["at"].(string) < delivered["created_at"].(string) {
		t.Errorf("delivery %v", delivered)
	}
	if rows := s.walk(t, narrow+"/deliveries"); len(rows) != 0 || len(s.receiver.at("/narrow")) != 0 {
		t.Errorf("deliveries %v of types that were not asked for", rows)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, secret := s.endpoint(t, "/ping", with("event_types", []string{"claim.paid"}))
	for _, status := range []int{204, 500} {
		s.receiver.answers("/ping", status)
		s.must(t, 200, act(endpoint, "ping")).shows(t, "object", "webhook_ping", "status", status, "duration_ms", some{}, "error", nil)
	}
	got := s.receiver.at("/ping")
	for _, p := range got {
		response{body: p.body}.shows(t, "type", "ping", "object", "event", "id", p.header.Get("Webhook-Id"), "sequence", 1,
			"data.id", lastOf(endpoint))
		if !p.verifies(secret) {
			t.Errorf("%s with %v", p.body, p.header)
		}
		// It is not kept.
		wantStatus(t, s.do(t, call{path: "/events/" + p.header.Get("Webhook-Id")}), 404, billing.CodeNotFound)
	}
	s.must(t, 200, call{method: "PATCH", path: endpoint, body: `{"url":"https://` + gone + `/"}`})
	a := s.must(t, 200, act(endpoint, "ping"))
	if a.shows(t, "status", nil, "error", some{}); strings.Contains(a.body, "127.0.0.1") || strings.Contains(a.body, "dial") {
		t.Errorf("reply %s", a.body)
	}
	if rows := s.walk(t, endpoint+"/deliveries"); len(got) != 2 || len(rows) != 0 {
		t.Errorf("%d posts, and the deliveries %v", len(got), rows)
	}
}
