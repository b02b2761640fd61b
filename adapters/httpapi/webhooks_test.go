package httpapi

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// endpoint registers a path of the receiver, and gives its own path in the API
// and its secret.
func (s *service) endpoint(t *testing.T, path string, change func(o anObject)) (endpoint, secret string) {
	t.Helper()
	a := s.must(t, 200, call{path: "/webhook_endpoints", body: hook(path, change)})
	return "/webhook_endpoints/" + a.text(t, "id"), a.text(t, "secret")
}

// hook is the body of an endpoint at a path of the receiver.
func hook(path string, change func(o anObject)) string {
	return jsonOf(anObject{"url": "https://" + hooks + path}, change)
}

// act is an operation on a resource that wants to know nothing.
func act(resource, operation string) call { return call{path: resource + "/" + operation, body: "{}"} }

var shownSecret = regexp.MustCompile(`"secret":"whsec_[0-9A-Za-z+/]{43}=","secret_available":true`)

// hidden is an answer as a replay shows it: without the secret, if it has one.
func (a response) hidden() string {
	return shownSecret.ReplaceAllString(a.body, `"secret_available":false`)
}

func TestWebhookEndpoint(t *testing.T) {
	t.Parallel()
	s := startService(t)
	body := `{"url":"https://` + hooks + `/a?clinic=<7>&x=%20","description":"Front desk <1> \u2028","event_types":["era.received","claim.paid"]}`
	first := s.must(t, 200, call{path: "/webhook_endpoints", body: body, idem: "one"})
	id := first.text(t, "id")
	if first.text(t, "object") != "webhook_endpoint" || first.text(t, "url") != "https://"+hooks+"/a?clinic=<7>&x=%20" ||
		first.text(t, "description") != "Front desk <1> \u2028" || fmt.Sprint(first.get(t, "event_types")) != "[era.received claim.paid]" ||
		first.text(t, "status") != "enabled" || first.text(t, "mode") != "test" || !shownSecret.MatchString(first.body) {
		t.Errorf("reply %s", first.body)
	}
	again := s.must(t, 200, call{path: "/webhook_endpoints", body: body, idem: "one"})
	wantReplay(t, first, again)
	if again.get(t, "secret") != nil || again.get(t, "secret_available") != false || first.text(t, "secret") == "" {
		t.Errorf("replay %s of %s", again.body, first.body)
	}
	plain := strings.Replace(first.hidden(), `,"secret_available":false`, "", 1)
	for _, key := range []string{s.key, s.read} {
		if a := s.must(t, 200, call{path: "/webhook_endpoints/" + id, key: key}); a.body != plain {
			t.Errorf("read %s after %s", a.body, first.body)
		}
	}
	// The defaults, in both modes.
	for key, mode := range map[string]string{s.key: "test", s.live: "live"} {
		a := s.must(t, 200, call{path: "/webhook_endpoints", body: hook("/b", nil), key: key})
		if a.text(t, "mode") != mode || a.text(t, "description") != "" || !strings.Contains(a.body, `"event_types":null`) {
			t.Errorf("reply %s", a.body)
		}
	}
	list := s.must(t, 200, call{path: "/webhook_endpoints", key: s.read})
	rows := list.get(t, "data").([]any)
	if len(rows) != 2 || list.get(t, "next_cursor") != nil || rows[0].(anObject)["url"] != "https://"+hooks+"/b" || rows[1].(anObject)["id"] != id ||
		strings.Contains(list.body, "secret") {
		t.Errorf("list %s", list.body)
	}
}

func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	before := s.must(t, 200, call{path: endpoint}).body
	all := anys(event.Types())
	body := func(name string, value any) string { return hook("/a", with(name, value)) }
	for body, fields := range map[string]string{
		body("url", longURL(2049)):                                 "url too_long",
		body("url", 7):                                             "url type",
		body("description", strings.Repeat("é", 201)):              "description too_long",
		body("description", 1):                                     "description type",
		body("description", "\x00"):                                "description format",
		body("event_types", []any{}):                               "event_types too_few",
		body("event_types", "claim.paid"):                          "event_types type",
		body("event_types", []any{"ping"}):                         "event_types.0 not_allowed", // no endpoint subscribes to it
		body("event_types", []any{"Claim.paid"}):                   "event_types.0 not_allowed",
		body("event_types", []any{"era.received", "era.received"}): "event_types.1 conflict",
		body("event_types", []any{1, nil, "claim.paid"}):           "event_types.0 type,event_types.1 type",
		body("event_types", append(all[:19:19], all[0])):           "event_types.19 conflict,event_types too_many",
		body("secret", "whsec_x"):                                  "secret unknown",
		body("status", "disabled"):                                 "status unknown",
		jsonOf(anObject{"url": "http://" + hooks, "description": strings.Repeat("x", 201), "event_types": []any{"x"}}, nil): "description too_long,event_types.0 not_allowed,url format",
	} {
		wantFields(t, s.do(t, call{method: "POST", path: "/webhook_endpoints", body: body, bad: true}), fields)
		wantFields(t, s.do(t, call{method: "PATCH", path: endpoint, body: body, bad: true}), fields)
	}
	wantFields(t, s.do(t, call{path: "/webhook_endpoints", body: "{}", bad: true}), "url required")
	wantFields(t, s.do(t, call{path: "/webhook_endpoints", body: `{"url":null}`, bad: true}), "url required")
	if after := s.must(t, 200, call{path: endpoint}).body; after != before {
		t.Errorf("the endpoint is %s after %s", after, before)
	}
	if rows := s.walk(t, "/webhook_endpoints"); len(rows) != 1 {
		t.Errorf("%d endpoints", len(rows))
	}
}

func longURL(n int) string {
	const start = "https://" + hooks + "/"
	return start + strings.Repeat("a", n-len(start))
}

// What is as long as it may be, and every type there is.
func TestWebhooksToTheLimit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	o := anObject{"url": longURL(2048), "description": strings.Repeat("é", 200), "event_types": anys(event.Types())}
	a := s.must(t, 200, call{path: "/webhook_endpoints", body: jsonOf(o, nil)})
	for name, value := range o {
		if fmt.Sprint(a.get(t, name)) != fmt.Sprint(value) {
			t.Errorf("%s is %v", name, a.get(t, name))
		}
	}
	b := s.must(t, 200, call{path: "/webhook_endpoints", body: hook("/b", func(o anObject) { o["description"], o["event_types"] = nil, nil })})
	b.shows(t, "description", "", "event_types", nil)
}

// The rules of URLs have tests of their own, where they are; here it counts that
// they hold, and for every way in which a URL comes.
func TestWebhookURLs(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	for url, code := range map[string]string{
		"http://public.example.com/":     "format",
		"hooks":                          "format",
		"https://public.example.com:22/": "not_allowed",
		"https://inside.example.com/":    "not_allowed",
	} {
		body := jsonOf(anObject{"url": url}, nil)
		for _, key := range []string{s.key, s.live} {
			wantFields(t, s.do(t, call{path: "/webhook_endpoints", body: body, key: key, bad: true}), "url "+code)
		}
		wantFields(t, s.do(t, call{method: "PATCH", path: endpoint, body: body, bad: true}), "url "+code)
	}
	for _, url := range []string{"https://public.example.com", "HTTPS://Public.Example.com:8443/a?b=c", "https://public.example.com:443/"} {
		body := jsonOf(anObject{"url": url}, nil)
		for _, c := range []call{{path: "/webhook_endpoints", body: body}, {method: "PATCH", path: endpoint, body: body}} {
			s.must(t, 200, c).shows(t, "url", url)
		}
	}
}

// A look-up that gives no address says nothing for good about the URL: the same
// request may be accepted later, with the same key.
func TestWebhookHostIsNotLookedUp(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	for _, host := range []string{"unanswered.example.com", "nowhere.example.com"} {
		body := `{"url":"https://` + host + `/"}`
		for _, c := range []call{{path: "/webhook_endpoints", body: body}, {method: "PATCH", path: endpoint, body: body}} {
			a := s.must(t, 503, c)
			if a.text(t, "error") != "UNAVAILABLE" || a.Header.Get("Retry-After") != "5" || strings.Contains(a.body, "10.0.0") {
				t.Errorf("%s: reply %s, %v", c.method, a.body, a.Header)
			}
			c.body, c.bad = `{"url":"https://`+host+`/","event_types":[]}`, true
			wantFields(t, s.do(t, c), "event_types too_few")
		}
	}
}

func TestChangeWebhookEndpoint(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", with("description", "first", "event_types", []string{"claim.paid"}))
	want := s.must(t, 200, call{path: endpoint}).get(t).(anObject)
	for _, c := range []struct {
		body    string
		changed anObject
	}{
		{`{}`, nil},
		{`{"url":null,"description":null}`, nil},
		{hook("/b", nil), anObject{"url": "https://" + hooks + "/b"}},
		{`{"description":"second"}`, anObject{"description": "second"}},
		{`{"event_types":["era.received","claim.denied"]}`, anObject{"event_types": []any{"era.received", "claim.denied"}}},
		{`{"event_types":null}`, anObject{"event_types": nil}},
		{`{"description":"","event_types":["claim.paid"]}`, anObject{"description": "", "event_types": []any{"claim.paid"}}},
	} {
		a := s.must(t, 200, call{method: "PATCH", path: endpoint, body: c.body})
		for name, value := range c.changed {
			want[name] = value
		}
		if got := s.must(t, 200, call{path: endpoint}); got.body != a.body || fmt.Sprint(a.get(t)) != fmt.Sprint(want) {
			t.Errorf("%s: reply %s, then %s, want %v", c.body, a.body, got.body, want)
		}
	}
}

func TestDeleteWebhookEndpoint(t *testing.T) {
	t.Parallel()
	s := startService(t)
	endpoint, _ := s.endpoint(t, "/a", nil)
	other, _ := s.endpoint(t, "/b", nil)
	s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	s.receiver.wait(t, "/a", 1)
	s.receiver.wait(t, "/b", 1)
	c := call{method: "DELETE", path: endpoint, idem: "gone"}
	first := s.must(t, 204, c)
	if first.body != "" || first.Header.Get("Content-Type") != "" {
		t.Errorf("reply %v %q", first.Header, first.body)
	}
	wantReplay(t, first, s.must(t, 204, c))
	c.idem = "" // another key finds nothing
	wantStatus(t, s.do(t, c), 404, billing.CodeNotFound)
	for _, path := range []string{endpoint, endpoint + "/deliveries"} {
		wantStatus(t, s.do(t, call{path: path}), 404, billing.CodeNotFound)
	}
	if rows := s.walk(t, other+"/deliveries"); len(rows) != 1 {
		t.Errorf("the other has the deliveries %v", rows)
	}
	// Nothing is sent to it any more.
	s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-BASIC", nil)})
	s.receiver.wait(t, "/b", 2)
	if got := s.receiver.at("/a"); len(got) != 1 {
		t.Errorf("%d posts", len(got))
	}
}
