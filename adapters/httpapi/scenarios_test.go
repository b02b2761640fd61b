package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/ports/porttest"
)

// scenarios lists those of the key's organization.
func (s *service) scenarios(t *testing.T, query string) (all []scenarioJSON) {
	t.Helper()
	var list pageJSON[scenarioJSON]
	a := s.do(t, call{path: "/sandbox/scenarios" + query})
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.StatusCode != 200 {
		t.Fatal(a.StatusCode, err, a.body)
	}
	return list.Data
}

// TestScenariosDoWhatTheyList sends the example of every scenario, and compares the events
// that follow with its list.
func TestScenariosDoWhatTheyList(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	all := s.scenarios(t, "")
	if len(all) < 40 {
		t.Fatalf("%d scenarios", len(all))
	}
	alone := slices.IndexFunc(all, func(sc scenarioJSON) bool { return sc.Ending == "-BATCH-REJECTED" }) // its file takes others with it
	s.decided(t, &all[alone], s.do(t, call{path: "/claims", body: string(all[alone].Example)}))
	all = slices.Delete(all, alone, alone+1)
	made := make([]response, len(all))
	for i, sc := range all { // all others are under way before any is awaited
		path := map[scenario.Operation]string{scenario.Eligibility: "/eligibility", scenario.Claim: "/claims", scenario.Attachment: "/attachments"}[sc.Operation]
		made[i] = s.do(t, call{path: path, body: string(sc.Example)})
	}
	for i, sc := range all {
		switch sc.Operation {
		case scenario.Eligibility:
			s.checked(t, &sc, made[i])
		case scenario.Claim:
			s.decided(t, &sc, made[i])
		case scenario.Attachment:
			s.attached(t, &sc, made[i])
		}
	}
}

// checked compares a check with the codes of the scenario's summary.
func (s *service) checked(t *testing.T, sc *scenarioJSON, a response) {
	t.Helper()
	check := a
	if a.StatusCode != 200 {
		check = s.do(t, call{path: "/eligibility/" + a.text(t, "check", "id")})
	}
	if got := s.events(t, check.text(t, "id")); !slices.Equal(got, []event.Type{*sc.Follows[0].Event}) {
		t.Errorf("%s: %v", sc.Ending, got)
	}
	if strings.Contains(sc.Summary, "_") {
		if code := check.text(t, "rejection", "reasons", "0", "code"); !strings.Contains(sc.Summary, code) {
			t.Errorf("%s: %s, its summary is %s", sc.Ending, code, sc.Summary)
		}
	} else if failed := strings.HasPrefix(sc.Summary, "The network "); failed != (a.StatusCode == 502) || !failed && a.StatusCode != 200 {
		t.Errorf("%s: %d, its summary is %s", sc.Ending, a.StatusCode, sc.Summary)
	}
}

// decided compares what happened to a claim since its first file with the list.
func (s *service) decided(t *testing.T, sc *scenarioJSON, a response) {
	t.Helper()
	if a.StatusCode != 201 || a.text(t, "state") != "queued" {
		t.Errorf("%s: the example is no claim that is sent: %d %s", sc.Ending, a.StatusCode, a.body)
		return
	}
	id, number := a.text(t, "id"), a.text(t, "patient_control_number")
	var want []event.Type
	remittances := map[event.Type]int{}
	for _, f := range sc.Follows {
		if f.Awaits != nil {
			s.shown(t, sc, id, want)
			s.must(t, 201, call{method: "POST", path: "/claims/" + id + "/" + string(*f.Awaits)})
		}
		if *f.Event == event.ERAReceived || *f.Event == event.ClaimPaid {
			remittances[*f.Event]++
		}
		if *f.Event != event.ERAReceived {
			want = append(want, *f.Event)
		}
	}
	s.shown(t, sc, id, want)
	if puzzling := remittances[event.ERAReceived]; puzzling > 0 {
		porttest.Await(t, sc.Ending+" has a remittance that changes no claim", func() bool {
			return s.remittancesOf(t, number) == puzzling+remittances[event.ClaimPaid]
		})
	}
}

// remittancesOf counts the remittances with the claim, whose control number they may cut.
func (s *service) remittancesOf(t *testing.T, number string) (n int) {
	t.Helper()
	var eras pageJSON[struct{ ID string }]
	s.load(t, "/eras?limit=100", &eras)
	for _, e := range eras.Data {
		var claims pageJSON[struct {
			Number string `json:"patient_control_number"`
		}]
		s.load(t, "/eras/"+e.ID+"/claims", &claims)
		for _, c := range claims.Data {
			if strings.HasPrefix(number, c.Number) {
				n++
			}
		}
	}
	return n
}

// shown waits for the events of a claim after those before its first file.
func (s *service) shown(t *testing.T, sc *scenarioJSON, id string, want []event.Type) {
	t.Helper()
	var got []event.Type
	porttest.Await(t, fmt.Sprint(sc.Ending, " has ", want), func() bool {
		got = s.events(t, id)
		return len(got) >= 3+len(want)
	})
	if !slices.Equal(got[3:], want) || !slices.Equal(got[:3], []event.Type{event.ClaimValidated, event.ClaimQueued, event.ClaimSubmitted}) {
		t.Errorf("%s: %v, want %v after the first three", sc.Ending, got, want)
	}
}

// attached closes an attachment and compares what happens with the list.
func (s *service) attached(t *testing.T, sc *scenarioJSON, a response) {
	t.Helper()
	path := "/attachments/" + a.text(t, "id")
	s.must(t, 201, upload(path, film(jpegOf(1))))
	closed := s.do(t, call{method: "POST", path: path + "/close"})
	if shown := sc.Follows[0].Event; shown == nil {
		wantStatus(t, closed, 502, billing.CodeAttachmentsNetworkError)
		s.do(t, call{path: path}).shows(t, "state", "open")
	} else if got := s.events(t, a.text(t, "id")); closed.StatusCode != 200 || !slices.Equal(got, []event.Type{*shown}) {
		t.Errorf("%s: %d, %v", sc.Ending, closed.StatusCode, got)
	}
}

// events lists the types of a resource's events, the first one first.
func (s *service) events(t *testing.T, resource string) (all []event.Type) {
	t.Helper()
	var list pageJSON[struct {
		Type event.Type `json:"type"`
	}]
	s.load(t, "/events?order=asc&limit=100&resource_id="+resource, &list)
	for _, e := range list.Data {
		all = append(all, e.Type)
	}
	return all
}

// load reads a resource or a list.
func (s *service) load(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.must(t, 200, call{path: path}).body), into); err != nil {
		t.Fatal(err)
	}
}

// TestTheSandboxIsInTestModeOnly calls each operation of the sandbox in live mode.
func TestTheSandboxIsInTestModeOnly(t *testing.T) {
	t.Parallel()
	s := startService(t)
	seen := 0
	for i := range s.server.routes {
		if r := &s.server.routes[i]; strings.HasPrefix(r.path, sandboxPath) {
			seen++
			path := strings.NewReplacer(root, "", "{ending}", "-DELTA", "{id}", "clm_01JGFJJZ00FC1R3ZY5N7Q8Z4VK").Replace(r.path)
			wantStatus(t, s.do(t, call{method: r.method, path: path, key: s.live, bad: true}), 403, billing.CodeTestModeOnly)
		}
	}
	if seen == 0 {
		t.Error("there is no operation of the sandbox")
	}
}
