package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// ever is a range that every event is in, as fields of a body.
func ever(fields ...any) string {
	return jsonOf(anObject{"created_after": "2000-01-01T00:00:00Z", "created_before": "2100-01-01T00:00:00-05:00"}, with(fields...))
}

// wantQueued sends events again.
func (s *service) wantQueued(t *testing.T, path, body string, n int) {
	t.Helper()
	a := s.must(t, 200, call{method: "POST", path: path, body: body})
	if a.body != fmt.Sprintf("{\"object\":\"webhook_resend\",\"queued\":%d}\n", n) {
		t.Errorf("%s %s: %s, want %d queued", path, body, a.body, n)
	}
}

// resending is a service with two checks' events, of before there were any
// endpoints: one for every type, one for another type, and one that is disabled.
type resending struct {
	*service
	first, second    string // events
	at               string // when the second was made
	all, narrow, off string
}

func startResending(t *testing.T) *resending {
	t.Helper()
	r := &resending{service: startService(t)}
	_, r.first = r.check(t, "ACTIVE-FULL")
	_, r.second = r.check(t, "ACTIVE-BASIC")
	r.at = r.must(t, 200, call{path: "/events/" + r.second}).text(t, "created_at")
	r.all, _ = r.endpoint(t, "/all", nil)
	r.narrow, _ = r.endpoint(t, "/narrow", with("event_types", []string{"claim.paid", "api_key.created"}))
	r.off, _ = r.endpoint(t, "/off", nil)
	r.must(t, 200, act(r.off, "disable"))
	return r
}

// lastOf is the ID at the end of an endpoint's path.
func lastOf(path string) string { return path[len("/webhook_endpoints/"):] }

// One event goes to the endpoints that are enabled and take it.
func TestResendEvent(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	path := "/events/" + r.first + "/resend"
	r.wantQueued(t, path, "{}", 1)
	r.wantQueued(t, path, "", 1)
	r.wantQueued(t, path, `{"endpoint_id":null}`, 1)
	r.wantQueued(t, path, jsonOf(anObject{"endpoint_id": lastOf(r.all)}, nil), 1)
	r.wantQueued(t, path, jsonOf(anObject{"endpoint_id": lastOf(r.narrow)}, nil), 0)
	read := r.must(t, 200, call{path: "/events/" + r.first}).body
	for _, p := range r.receiver.wait(t, "/all", 4) {
		if p.header.Get("Webhook-Id") != r.first || p.body+"\n" != read {
			t.Errorf("%s was posted with %v, and the event is %s", p.body, p.header, read)
		}
	}
	for _, d := range r.settled(t, r.all, 4) {
		if d["event_id"] != r.first || d["state"] != "delivered" {
			t.Errorf("delivery %v", d)
		}
	}
}

// What a resend names must be there and enabled.
func TestResendsThatCannotBe(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	absent := billing.NewID[billing.WebhookEndpointID](billing.RealAt(time.Now())).String()
	unknown := billing.NewID[billing.EventID](billing.RealAt(time.Now())).String()
	theirs := r.must(t, 200, call{path: "/events?type=api_key.created", key: r.live}).get(t, "data").([]any)[0].(anObject)["id"].(string)
	one := func(event, endpoint string) call {
		return call{path: "/events/" + event + "/resend", body: jsonOf(anObject{"endpoint_id": endpoint}, nil), idem: "one"}
	}
	for _, c := range []struct {
		call
		status int
		code   billing.Code
		fields string
	}{
		{one(r.first, lastOf(r.off)), 409, billing.CodeConflict, "[]"},
		{one(r.first, absent), 404, billing.CodeNotFound, "[endpoint_id not_found]"},
		{one(unknown, lastOf(r.off)), 404, billing.CodeNotFound, "[]"}, // what is absent comes before what is disabled
		{call{path: "/events/" + unknown + "/resend", body: "{}"}, 404, billing.CodeNotFound, "[]"},
		{call{path: "/events/" + theirs + "/resend", body: "{}"}, 404, billing.CodeNotFound, "[]"},
		{call{path: "/events/resend", body: ever("endpoint_id", lastOf(r.off))}, 409, billing.CodeConflict, "[]"},
		{call{path: "/events/resend", body: ever("endpoint_id", absent)}, 404, billing.CodeNotFound, "[endpoint_id not_found]"},
	} {
		a := r.do(t, c.call)
		if wantStatus(t, a, c.status, c.code); fmt.Sprint(a.fields(t)) != c.fields {
			t.Errorf("%s %s: %s, want %s", c.path, c.body, a.body, c.fields)
		}
	}
	for body, fields := range map[string]string{
		"{}":                                                  "created_after required,created_before required",
		ever("created_after", 5):                              "created_after type",
		ever("created_after", "2026-01-02"):                   "created_after format",
		ever("created_after", nil):                            "created_after required",
		ever("created_before", nil):                           "created_before required",
		ever("created_before", "2000-01-01T00:00:00Z"):        "created_before range",
		ever("created_before", "1999-01-01T00:00:00Z"):        "created_before range",
		ever("event_types", []string{}):                       "event_types too_few",
		ever("event_types", []string{"claim.paid", "x"}):      "event_types.1 not_allowed",
		ever("event_types", "claim.paid"):                     "event_types type",
		ever("endpoint_id", "x"):                              "endpoint_id format",
		ever("endpoint_id", r.first):                          "endpoint_id format",
		ever("endpoint_id", "whe_00000000000000000000000000"): "endpoint_id format",
	} {
		wantFields(t, r.do(t, call{method: "POST", path: "/events/resend", body: body, bad: true}), fields)
	}
	for body, fields := range map[string]string{`{"endpoint_id":"x"}`: "endpoint_id format", `{"endpoint_id":1}`: "endpoint_id type", ever(): "created_after unknown,created_before unknown"} {
		for _, event := range []string{r.first, "x"} { // the body comes before what the path names
			wantFields(t, r.do(t, call{path: "/events/" + event + "/resend", body: body, bad: true}), fields)
		}
	}
	if rows := r.walk(t, r.all+"/deliveries"); len(rows) != 0 {
		t.Errorf("deliveries %v", rows)
	}
}

// Each field of a range counts.
func TestResendEvents(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	keys := len(r.walk(t, "/events?type=api_key.created"))
	const path = "/events/resend"
	checks := []string{"eligibility.completed"}
	r.wantQueued(t, path, ever("event_types", checks), 2)
	r.wantQueued(t, path, ever("endpoint_id", lastOf(r.narrow)), keys)
	r.wantQueued(t, path, ever("endpoint_id", nil, "event_types", nil), 2+2*keys) // two endpoints, one of which takes no checks
	// The range holds its start and not its end.
	r.wantQueued(t, path, ever("event_types", checks, "created_after", r.at), 1)
	r.wantQueued(t, path, ever("event_types", checks, "created_before", r.at), 1)
	r.receiver.wait(t, "/all", 2+2+keys+1+1)
	if len(r.receiver.at("/off")) != 0 {
		t.Error("a disabled endpoint gets events again")
	}
}

func TestListDeliveries(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	list := r.all + "/deliveries?"
	for range 5 {
		r.wantQueued(t, "/events/"+r.first+"/resend", "", 1)
	}
	r.receiver.wait(t, "/all", 5)
	oldest := r.walk(t, list+"limit=100")
	slices.Reverse(oldest)
	r.wantList(t, list, oldest...)
	r.stableAndBound(t, list, r.narrow+"/deliveries?", func() { r.wantQueued(t, "/events/"+r.second+"/resend", "", 1) })
}

// Deliveries are found by what they are, and read one by one.
func TestFindDeliveries(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	r.receiver.answers("/narrow", 410)
	for _, event := range []string{r.first, r.second} {
		r.wantQueued(t, "/events/"+event+"/resend", "", 1)
	}
	key := r.walk(t, "/events?type=api_key.created")[0]
	r.wantQueued(t, "/events/"+key+"/resend", "", 2)
	first, second := r.walk(t, "/events/"+r.first+"/deliveries?limit=1"), r.walk(t, "/events/"+r.second+"/deliveries?limit=1")
	keys := r.walk(t, "/events/"+key+"/deliveries?limit=1")
	if len(first) != 1 || len(second) != 1 || len(keys) != 2 {
		t.Fatalf("deliveries %v, %v, %v", first, second, keys)
	}
	slices.Reverse(keys)
	toAll := r.settled(t, r.all, 3)
	narrow := r.settled(t, r.narrow, 1)[0]["id"].(string)
	const list = "/webhook_deliveries?"
	r.wantList(t, list, first[0], second[0], keys[0], keys[1])
	r.wantList(t, list+"endpoint_id="+lastOf(r.narrow)+"&", narrow)
	r.wantList(t, list+"event_id="+r.second+"&", second...)
	r.wantList(t, list+"event_type=api_key.created&", keys...)
	r.wantList(t, list+"state=pending&", narrow)
	r.wantList(t, list+"state=failed&")
	at := url.QueryEscape(toAll[1]["created_at"].(string))
	r.wantList(t, list+"created_before="+at+"&", first...)
	r.wantList(t, list+"created_after="+at+"&", second[0], keys[0], keys[1])
	r.wantList(t, list+"event_type=eligibility.completed&state=delivered&endpoint_id="+lastOf(r.all)+"&created_after="+at+"&", second...)
	r.must(t, 200, call{path: "/webhook_deliveries/" + narrow}).shows(t, "id", narrow, "endpoint_id", lastOf(r.narrow), "event_id", key,
		"state", "pending", "attempts.0.status", 410)
	r.stableAndBound(t, list, list+"state=delivered&", func() { r.wantQueued(t, "/events/"+r.first+"/resend", "", 1) })
}

// One request resends what its filter selects, once for a key.
func TestResendDeliveries(t *testing.T) {
	t.Parallel()
	r := startResending(t)
	const path = "/webhook_deliveries/resend"
	since := func(fields ...any) string {
		return jsonOf(anObject{"created_after": "2000-01-01T00:00:00Z"}, with(fields...))
	}
	r.wantQueued(t, path, since(), 0)
	for _, event := range []string{r.first, r.second} {
		r.wantQueued(t, "/events/"+event+"/resend", "", 1)
	}
	r.settled(t, r.all, 2)
	once := call{path: path, body: since("state", "delivered", "endpoint_id", lastOf(r.all)), idem: "resent"}
	for range 2 {
		r.must(t, 200, once).shows(t, "object", "webhook_resend", "queued", 2)
	}
	r.settled(t, r.all, 4)
	r.wantQueued(t, path, since("event_id", r.first), 1)
	r.wantQueued(t, path, since("event_type", "eligibility.completed", "created_before", nil), 2)
	r.wantQueued(t, path, since("state", "failed"), 0)
	r.wantQueued(t, path, since("created_after", "2099-01-01T00:00:00Z"), 0)
	r.receiver.wait(t, "/all", 7)
	for body, fields := range map[string]string{
		"{}": "created_after required",
		since("created_before", "1999-01-01T00:00:00Z"):         "created_before range",
		since("event_type", "x"):                                "event_type not_allowed",
		since("state", "lost"):                                  "state not_allowed",
		since("state", ""):                                      "state required",
		since("endpoint_id", r.first):                           "endpoint_id format",
		since("event_id", "x"):                                  "event_id format",
		since("event_types", []string{"eligibility.completed"}): "event_types unknown",
	} {
		wantFields(t, r.do(t, call{method: "POST", path: path, body: body, bad: true}), fields)
	}
	wantStatus(t, r.do(t, call{path: path, body: since("endpoint_id", lastOf(r.off))}), 409, billing.CodeConflict)
}
