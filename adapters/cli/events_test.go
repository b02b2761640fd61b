package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = "testdata/" + name
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it):\n%s", name, got)
	}
}

func TestResendRequest(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	evt, whe := billing.NewID[billing.EventID](billing.RealAt(now)).String(), billing.NewID[billing.WebhookEndpointID](billing.RealAt(now)).String()
	for name, c := range map[string]struct {
		resend
		args              []string
		path, body, fault string
	}{
		"one event":         {args: []string{strings.ToLower(evt)[:4] + evt[4:]}, path: "/events/" + evt + "/resend", body: `{}`},
		"to one endpoint":   {resend{endpoint: whe}, []string{evt}, "/events/" + evt + "/resend", `{"endpoint_id":"` + whe + `"}`, ""},
		"a span":            {resend{when: span{"2h", "30m"}}, nil, "/events/resend", `{"created_after":"2026-01-02T13:00:00.000000+00:00","created_before":"2026-01-02T14:30:00.000000+00:00"}`, ""},
		"types of a span":   {resend{when: span{after: "1h"}, endpoint: whe, types: []string{"claim.paid", "claim.denied"}}, nil, "/events/resend", `{"endpoint_id":"` + whe + `","created_after":"2026-01-02T14:00:00.000000+00:00","created_before":"2026-01-02T15:00:00.000000+00:00","event_types":["claim.paid","claim.denied"]}`, ""},
		"nothing":           {fault: "--after"},
		"no beginning":      {resend: resend{when: span{before: "1h"}}, fault: "--after"},
		"both":              {resend: resend{when: span{after: "1h"}}, args: []string{evt}, fault: "not both"},
		"no event":          {args: []string{"elg_" + evt[4:]}, fault: "evt_"},
		"no endpoint":       {resend: resend{endpoint: evt}, args: []string{evt}, fault: "whe_"},
		"no such type":      {resend: resend{when: span{after: "1h"}, types: []string{"claim.lost"}}, fault: "claim.denied"},
		"no time":           {resend: resend{when: span{after: "soon"}}, fault: "--after"},
		"the wrong way out": {resend: resend{when: span{"1h", "2h"}}, fault: "nothing between"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, body, err := c.request(c.args, now)
			if c.fault != "" {
				check(t, err, []string{c.fault})
				return
			}
			b, _ := json.Marshal(body)
			if err != nil || path != c.path || string(b) != c.body {
				t.Errorf("%s %s, %v", path, b, err)
			}
		})
	}
}

// TestTriggers has a way, or says what is missing, for every event type.
func TestTriggers(t *testing.T) {
	t.Parallel()
	for _, kind := range append(event.Types(), event.Ping) {
		if (&eventMaker{}).recipe(kind).how == "" {
			t.Errorf("%s: nothing says how it comes about", kind)
		}
	}
	golden(t, "triggers.txt", []byte(triggerList()))
}

func TestAttemptLines(t *testing.T) {
	t.Parallel()
	e := listedEvent{ID: billing.EventID{15: 1}, Type: event.ClaimPaid, raw: json.RawMessage(`{"id":"<"}`)}
	e.Data.ID = "clm_1"
	steps := []struct {
		o outcome
		n int
	}{{outcome{status: 500, took: 3 * time.Millisecond}, 1}, {outcome{err: io.EOF}, 2}, {outcome{status: 200}, 3}, {outcome{status: 404}, maxAttempts}}
	var all bytes.Buffer
	for _, r := range []*reporter{{}, {colour: true}, {data: true}, {json: true}, {json: true, data: true}} {
		var out bytes.Buffer
		r.out = &out
		for _, s := range steps {
			r.attempt(e, s.o, s.n, time.Second)
		}
		for line := range strings.Lines(out.String()) {
			switch {
			case r.json:
				var parsed map[string]any
				if err := json.Unmarshal([]byte(line), &parsed); err != nil {
					t.Errorf("%q: %v", line, err)
				}
				delete(parsed, "time")
				b, _ := json.Marshal(parsed)
				line = string(b) + "\n"
			case !strings.HasPrefix(line, "{"):
				line = "hh:mm:ss" + line[8:]
			}
			all.WriteString(line)
		}
	}
	golden(t, "attempts.txt", all.Bytes())
}

func TestAPIErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`401 {"error":"UNAUTHORIZED","message":"Send a valid key."}`:                                                                        {"401 UNAUTHORIZED: Send a valid key.", "molar keys create"},
		`403 {"error":"PERMISSION_DENIED","message":"No."}`:                                                                                 {"403", "read,submit"},
		`422 {"error":"INVALID_REQUEST","message":"Wrong.","errors":[{"field":"office_id","message":"Bad."},{"field":"x","message":"Y."}]}`: {"422 INVALID_REQUEST:\n  office_id: Bad.\n  x: Y."},
		`500 {"error":"INTERNAL","message":"Fault.","request_id":"req_1"}`:                                                                  {"req_1", "log"},
		`502 {}`: {"not Molar's", "--api-url"},
	} {
		e := &apiError{}
		status, object, _ := strings.Cut(body, " ")
		if err := errors.Join(json.Unmarshal([]byte(status), &e.Status), json.Unmarshal([]byte(object), e)); err != nil {
			t.Fatal(err)
		}
		check(t, e, want)
	}
}
