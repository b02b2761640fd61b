package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

func TestCheckAndReplay(t *testing.T) {
	t.Parallel()
	s := startService(t)
	question := s.question("ACTIVE-FULL", func(q, _ anObject) {
		q["tenant_reference"] = "appointment <1> & \u2028 \U0001F600"
		q["procedure_codes"] = []string{"D0120"}
	})
	first := s.do(t, call{path: "/eligibility", body: question, idem: "one"})
	if first.StatusCode != 200 || first.text(t, "outcome") != "answered" || first.Header.Get("Idempotent-Replayed") != "" {
		t.Fatalf("status %d %v %s", first.StatusCode, first.Header, first.body)
	}
	first.shows(t, "request_id", first.Header.Get("X-Request-Id"), "idempotency_key", "one",
		"tenant_reference", "appointment <1> & \u2028 \U0001F600")

	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(question), " ", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{question, indented.String()} {
		a := s.do(t, call{path: "/eligibility", body: again, idem: "one"})
		if a.StatusCode != 200 || a.body != first.body || a.Header.Get("Idempotent-Replayed") != "true" ||
			a.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
			t.Errorf("replay %d %v %s", a.StatusCode, a.Header, a.body)
		}
	}
	reused := s.do(t, call{path: "/eligibility", body: s.question("NOT-FOUND", nil), idem: "one"})
	wantStatus(t, reused, 422, billing.CodeIdempotencyKeyReused)
	unreadable := s.do(t, call{path: "/eligibility", body: "{", idem: "one", bad: true})
	wantStatus(t, unreadable, 422, billing.CodeIdempotencyKeyReused)

	id := first.text(t, "id")
	for _, key := range []string{s.key, s.read} {
		if a := s.do(t, call{path: "/eligibility/" + id, key: key}); a.StatusCode != 200 || a.body != first.body {
			t.Errorf("read %d %s", a.StatusCode, a.body)
		}
	}
	hit := s.do(t, call{path: "/eligibility", body: question})
	hit.shows(t, "cache.state", "hit", "cache.source_id", id)
	fresh := s.do(t, call{path: "/eligibility", body: question, header: map[string]string{"Cache-Control": "no-cache"}})
	fresh.shows(t, "cache.state", "fresh")
	found := s.do(t, call{path: "/eligibility?request_id=" + first.Header.Get("X-Request-Id")})
	if !strings.Contains(found.body, id) || strings.Contains(found.body, fresh.text(t, "id")) {
		t.Errorf("found %s", found.body)
	}
}

func TestFailedChecks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for member, want := range map[string]struct {
		status        int
		code          billing.Code
		outcome, kind string
	}{
		"NOT-FOUND":     {422, billing.CodePayerRejected, "rejected", "fix_and_resend"},
		"PAYER-DOWN":    {502, billing.CodePayerUnavailable, "payer_unavailable", "payer_unavailable"},
		"NETWORK-ERROR": {502, billing.CodeNetworkError, "error", "payer_unavailable"},
	} {
		c := call{path: "/eligibility", body: s.question(member, nil), idem: member}
		first := s.do(t, c)
		wantStatus(t, first, want.status, want.code)
		if first.text(t, "check", "outcome") != want.outcome || first.text(t, "check", "rejection", "kind") != want.kind ||
			first.get(t, "check", "maximums") != nil || len(first.fields(t)) != 0 {
			t.Errorf("%s: %s", member, first.body)
		}
		again := s.do(t, c)
		wantStatus(t, again, want.status, want.code)
		if again.Header.Get("Idempotent-Replayed") != "true" || again.body != first.body ||
			again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
			t.Errorf("%s: replay %v %s", member, again.Header, again.body)
		}
	}
}

func TestSlowPayer(t *testing.T) {
	t.Parallel()
	s := startService(t, func(with *setup) { with.checking.Wait = 100 * time.Millisecond })
	c := call{path: "/eligibility", body: s.question("SLOW-30", nil), idem: "slow"}
	late := s.do(t, c)
	wantStatus(t, late, 504, billing.CodeTimeout)
	again := s.do(t, c)
	wantStatus(t, again, 409, billing.CodeIdempotencyKeyInUse)
	if again.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	pending := s.do(t, call{path: "/eligibility?request_id=" + late.Header.Get("X-Request-Id")})
	if !strings.Contains(pending.body, `"state":"pending"`) {
		t.Errorf("list %s", pending.body)
	}
}

func TestLiveModeIsUnavailable(t *testing.T) {
	t.Parallel()
	s := startService(t)
	a := s.do(t, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), key: s.live})
	wantStatus(t, a, 503, billing.CodeEligibilityUnavailable)
	bad := s.do(t, call{path: "/eligibility", body: "nothing", key: s.live, bad: true})
	wantStatus(t, bad, 503, billing.CodeEligibilityUnavailable)
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	s := startService(t)
	good := s.question("ACTIVE-FULL", nil)
	unknown := billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String()
	with := func(name string, value any) string {
		return s.question("ACTIVE-FULL", func(q, _ anObject) { q[name] = value })
	}
	for name, c := range map[string]struct {
		call
		status int
		fields string
	}{
		"no content type":      {call{body: good, header: map[string]string{"Content-Type": ""}}, 422, "Content-Type required"},
		"form":                 {call{body: good, header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, 422, "Content-Type format"},
		"json in latin 1":      {call{body: good, header: map[string]string{"Content-Type": "application/json; charset=iso-8859-1"}}, 422, "Content-Type format"},
		"wrong type, bad body": {call{body: "{", header: map[string]string{"Content-Type": "text/plain"}}, 422, "Content-Type format,body format"},
		"cache control":        {call{body: good, header: map[string]string{"Cache-Control": "no-store"}}, 422, "Cache-Control not_allowed"},
		"cache control twice":  {call{body: good, header: map[string]string{"Cache-Control": "no-cache, no-store"}}, 422, "Cache-Control not_allowed"},
		"cut":                  {call{body: good[:len(good)-1]}, 422, "body format"},
		"trailing":             {call{body: good + "x"}, 422, "body format"},
		"invalid UTF-8":        {call{body: strings.Replace(good, "Sam", "S\xe9m", 1)}, 422, "body format"},
		"nul":                  {call{body: strings.Replace(good, "Sam", `S\u0000m`, 1)}, 422, "subscriber.first_name format"},
		"half a pair":          {call{body: strings.Replace(good, "Sam", `S\ud800m`, 1)}, 422, "subscriber.first_name format"},
		"twice":                {call{body: strings.Replace(good, `{"`, `{"payer_id":"X","`, 1)}, 422, "payer_id conflict"},
		"empty object":         {call{body: "{}"}, 422, "subscriber required,office_id required,payer_id required"},
		"unknown office":       {call{body: with("office_id", unknown)}, 404, "office_id not_found"},
		"unknown payer":        {call{body: with("payer_id", "UNKNOWN")}, 404, "payer_id not_found"},
		"unknown parent":       {call{body: with("parent_id", "elg_"+unknown[4:])}, 404, "parent_id not_found"},
		"nothing that exists": {
			call{body: s.question("ACTIVE-FULL", func(q, _ anObject) {
				q["office_id"], q["payer_id"], q["parent_id"] = unknown, "UNKNOWN", "elg_"+unknown[4:]
			})},
			404, "office_id not_found,payer_id not_found,parent_id not_found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.path, c.bad = "/eligibility"+c.path, true
			a := s.do(t, c.call)
			if got := strings.Join(a.fields(t), ","); a.StatusCode != c.status || got != c.fields {
				t.Errorf("status %d %s, want %d %s: %s", a.StatusCode, got, c.status, c.fields, a.body)
			}
		})
	}
}

func TestOddReads(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := billing.NewID[billing.CheckID](billing.RealAt(time.Now())).String()
	for path, status := range map[string]int{
		"/eligibility/elg_%30" + id[5:]:         404,
		"/eligibility/":                         404,
		"/eligibility/" + id + "/":              404,
		"/eligibility?outcome=ANSWERED":         422,
		"/eligibility?%zz":                      422,
		"/eligibility?a=1;b=2":                  422,
		"/eligibility?tenant_reference=absent":  200,
		"/eligibility?office_id=off_" + id[4:]:  200,
		"/events?order=asc&after=" + id:         422,
		"/events?order=asc&after=evt_" + id[4:]: 404,
		"/events?order=asc&cursor=x":            422,
		"/events?type=ping":                     422,
		"/events?resource_id=" + id:             200,
		"/openapi.yaml?x":                       422,
		"/nowhere":                              404,
	} {
		if a := s.do(t, call{path: path, bad: true}); a.StatusCode != status {
			t.Errorf("%s: status %d, want %d: %s", path, a.StatusCode, status, a.body)
		}
	}
	a := s.do(t, call{path: "/openapi.yaml", key: "absent"})
	if a.StatusCode != 200 || a.body != string(contract) || a.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("contract: %d %v", a.StatusCode, a.Header)
	}
}

// walk reads a list page by page and gives the IDs in order.
func (s *service) walk(t *testing.T, path string) (ids []string) {
	t.Helper()
	next := path
	for {
		a := s.do(t, call{path: next})
		if a.StatusCode != 200 {
			t.Fatalf("%s: %d %s", next, a.StatusCode, a.body)
		}
		rows, _ := a.get(t, "data").([]any)
		for _, row := range rows {
			ids = append(ids, row.(anObject)["id"].(string))
		}
		cursor := a.text(t, "next_cursor")
		if cursor == "" {
			return ids
		}
		next = path + "&cursor=" + cursor
	}
}

func TestListsAndEvents(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var made []string
	for i := range 5 {
		a := s.do(t, call{path: "/eligibility", body: s.question("ACTIVE-BASIC", func(q, sub anObject) {
			sub["first_name"], q["tenant_reference"] = fmt.Sprint("Sam", i), fmt.Sprint("ref", i%2)
		})})
		made = append([]string{a.text(t, "id")}, made...)
	}
	if got := s.walk(t, "/eligibility?limit=2"); fmt.Sprint(got) != fmt.Sprint(made) {
		t.Errorf("list is %v, want %v", got, made)
	}
	if got := s.walk(t, "/eligibility?limit=1&tenant_reference=ref1"); len(got) != 2 || got[0] != made[1] || got[1] != made[3] {
		t.Errorf("list is %v", got)
	}
	at := url.QueryEscape(s.do(t, call{path: "/eligibility/" + made[2]}).text(t, "created_at"))
	s.wantList(t, "/eligibility?created_after="+at+"&created_before=9999-12-31T00:00:00Z&", made[2], made[1], made[0])
	s.wantList(t, "/eligibility?created_after=0001-01-01T00:00:00Z&created_before="+at+"&", made[4], made[3])

	down := s.walk(t, "/events?limit=3&type=eligibility.completed")
	if len(down) != 5 {
		t.Fatalf("events are %v", down)
	}
	if several := s.walk(t, "/events?limit=3&type=eligibility.completed&type=claim.paid"); !slices.Equal(several, down) {
		t.Errorf("of two types %v, want %v", several, down)
	}
	// A tail holds events back while an older transaction runs, anywhere in the
	// cluster that other tests use too.
	var up []string
	for len(up) < 5 && t.Context().Err() == nil {
		up = s.walk(t, "/events?order=asc&limit=2&type=eligibility.completed")
	}
	if len(up) != 5 || up[0] != down[4] || up[4] != down[0] {
		t.Errorf("events are %v and %v", down, up)
	}
	tail := s.walk(t, "/events?order=asc&limit=2&type=eligibility.completed&after="+up[1])
	if fmt.Sprint(tail) != fmt.Sprint(up[2:]) {
		t.Errorf("the tail is %v, want %v", tail, up[2:])
	}
	if rest := s.walk(t, "/events?order=asc&after="+up[4]); len(rest) != 0 {
		t.Errorf("after the last: %v", rest)
	}
	about := s.do(t, call{path: "/events?resource_id=" + made[0]})
	event := s.do(t, call{path: "/events/" + down[0]})
	if event.StatusCode != 200 || event.text(t, "data", "id") != made[0] || !strings.Contains(about.body, strings.TrimSpace(event.body)) {
		t.Errorf("event %s in %s", event.body, about.body)
	}
	keys := s.do(t, call{path: "/events?type=api_key.created&limit=1"})
	if !strings.Contains(keys.body, `"sequence":1`) {
		t.Errorf("events %s", keys.body)
	}
	s.stableAndBound(t, "/eligibility?", "/eligibility?outcome=answered&", func() {
		s.do(t, call{path: "/eligibility", body: s.question("ACTIVE-BASIC", nil)})
	})

	// A reader that continues after an event that is gone may have missed others.
	first, err := billing.ParseID[billing.EventID](up[0])
	if err != nil {
		t.Fatal(err)
	}
	page := s.must(t, 200, call{path: "/events?order=asc&limit=1&type=eligibility.completed"})
	cursor := page.text(t, "next_cursor")
	if strings.Contains(page.body, "gap") {
		t.Errorf("a page without a gap: %s", page.body)
	}
	s.exec(t, "DELETE FROM events WHERE id <= $1::uuid", first.UUID())
	follow := call{path: "/events?order=asc&limit=1&type=eligibility.completed&cursor=" + cursor}
	after := s.must(t, 200, follow)
	after.shows(t, "gap", true)
	if !strings.Contains(after.body, `"data":[{"id":"`+up[1]+`"`) {
		t.Errorf("a cursor at an event that is gone: %s", after.body)
	}
	gone := s.must(t, 410, call{path: "/events?order=asc&after=" + up[0]})
	gone.shows(t, "error", "EVENT_EXPIRED", "oldest_event_id", up[1])
	if oldest := s.walk(t, "/events?order=asc"); len(oldest) == 0 || oldest[0] != up[1] {
		t.Errorf("the oldest is %v, want %s", oldest, up[1])
	}
	s.exec(t, "DELETE FROM events")
	if none := s.must(t, 200, follow); !strings.Contains(none.body, `{"data":[],"next_cursor":null,"gap":true}`) {
		t.Errorf("a cursor when all events are gone: %s", none.body)
	}
}

// The messages of a check are shown as they were, and a saved answer has none.
func TestCheckExchange(t *testing.T) {
	t.Parallel()
	s := startService(t)
	asked, _ := s.check(t, "ACTIVE-FULL")
	a := s.must(t, 200, call{path: "/eligibility/" + asked + "/exchange"})
	a.shows(t, "object", "eligibility_exchange", "eligibility_id", asked, "source_id", nil)
	messages := a.get(t, "messages").([]any)
	if len(messages) == 0 {
		t.Fatal(a.body)
	}
	for _, m := range messages {
		sent, came := m.(anObject)["request"].(string), m.(anObject)["response"].(string)
		if !strings.HasPrefix(sent, "ISA*") || !strings.Contains(sent, "ST*270*") || !strings.HasPrefix(came, "ISA*") || !strings.Contains(came, "ST*271*") {
			t.Errorf("messages %s and %s", sent, came)
		}
	}
	repeated, _ := s.check(t, "ACTIVE-FULL")
	s.must(t, 200, call{path: "/eligibility/" + repeated}).shows(t, "cache.source_id", asked)
	b := s.must(t, 200, call{path: "/eligibility/" + repeated + "/exchange"})
	if b.shows(t, "source_id", asked); len(b.get(t, "messages").([]any)) != 0 {
		t.Errorf("a saved answer has the messages %s", b.body)
	}
}
