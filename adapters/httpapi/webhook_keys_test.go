package httpapi

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// keyedWebhooks are the operations of webhooks, each on an endpoint of its own.
func (s *service) keyedWebhooks(t *testing.T) map[string]keyed {
	t.Helper()
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	event := "/events/" + s.walk(t, "/events?resource_id="+check.text(t, "id"))[0]
	made := map[string]string{}
	for _, name := range []string{"change", "delete", "rotate", "disable", "enable", "one", "range"} {
		made[name], _ = s.endpoint(t, "/"+name, with("event_types", []string{"eligibility.completed"}))
	}
	s.must(t, 200, act(made["enable"], "disable"))
	id := func(name string) string { return lastOf(made[name]) }
	count := func(path string) func(t *testing.T) int {
		return func(t *testing.T) int { t.Helper(); return len(s.walk(t, path)) }
	}
	plain := func(name, operation string) keyed {
		return keyed{send: act(made[name], operation), again: " {\n} ", status: 200}
	}
	const all = `"created_after":"2000-01-01T00:00:00Z","created_before":"2100-01-01T00:00:00Z"`
	return map[string]keyed{
		"create": {
			send: call{path: "/webhook_endpoints", body: hook("/create", nil)}, again: ` { "url" : "\u0068ttps://` + hooks + `/create"} `,
			other: hook("/other", nil), status: 200,
			effects: func(t *testing.T) int { t.Helper(); return len(s.walk(t, "/webhook_endpoints")) - len(made) },
		},
		"change": {
			send: call{method: "PATCH", path: made["change"], body: `{"description":"x"}`}, again: ` {"description": "\u0078"}`,
			other: `{"description":"y"}`, status: 200,
		},
		"delete":  {send: call{method: "DELETE", path: made["delete"]}, status: 204},
		"rotate":  plain("rotate", "rotate_secret"),
		"disable": plain("disable", "disable"),
		"enable":  plain("enable", "enable"),
		"resend an event": {
			send: call{path: event + "/resend", body: `{"endpoint_id":"` + id("one") + `"}`}, again: ` {"endpoint_id" : "` + id("one") + `"}`,
			other: `{}`, status: 200, effects: count(made["one"] + "/deliveries?limit=100"),
		},
		"resend events": {
			send:  call{path: "/events/resend", body: `{"endpoint_id":"` + id("range") + `",` + all + `}`},
			again: `{` + all + ` , "endpoint_id":"` + id("range") + `"}`, other: `{` + all + `}`,
			status: 200, effects: count(made["range"] + "/deliveries?limit=100"),
		},
	}
}

func TestKeysOfWebhooks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	secrets := s.newKeys(t)
	operations := s.keyedWebhooks(t)
	// What deletes an endpoint comes last, for another counts them.
	last := map[string]keyed{"delete": operations["delete"]}
	delete(operations, "delete")
	s.tryKeys(t, operations, secrets)
	s.tryKeys(t, last, secrets)
}

// A ping that was answered is not sent again for its key.
func TestKeysOfPings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	c := act(endpoint, "ping")
	c.idem = "ping"
	first := s.must(t, 200, c)
	s.receiver.answers("/a", 500)
	wantReplay(t, first, s.must(t, 200, c))
	c.method, c.body = "POST", ""
	wantReplay(t, first, s.must(t, 200, c)) // no body is an empty object
	if n := len(s.receiver.at("/a")); n != 1 {
		t.Errorf("%d pings", n)
	}
	c.path = endpoint + "/disable"
	wantStatus(t, s.do(t, c), 422, billing.CodeIdempotencyKeyReused)
	c.path = "/webhook_endpoints/x/ping" // the key comes before what the path names
	wantStatus(t, s.do(t, c), 422, billing.CodeIdempotencyKeyReused)
}

// A replay repeats an answer, and not what led to it.
func TestReplaysOfEnable(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	enable := act(endpoint, "enable")
	enable.idem = "enable"
	first := s.must(t, 200, enable)
	s.must(t, 200, act(endpoint, "disable"))
	wantReplay(t, first, s.must(t, 200, enable))
	s.must(t, 200, call{path: endpoint}).shows(t, "status", "disabled")
}
