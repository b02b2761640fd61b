package httpapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

// events lists the types of a resource's events, the first one first. A tail would hold some
// back while another test has an older transaction in the same cluster.
func (s *service) events(t *testing.T, resource string) (all []event.Type) {
	t.Helper()
	var list pageJSON[struct {
		Type event.Type `json:"type"`
	}]
	s.load(t, "/events?limit=100&resource_id="+resource, &list)
	for _, e := range list.Data {
		all = append(all, e.Type)
	}
	slices.Reverse(all)
	return all
}

// load reads a resource or a list.
func (s *service) load(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.must(t, 200, call{path: path}).body), into); err != nil {
		t.Fatal(err)
	}
}

// deltaReply is a 271 about a stranger, from January 2, 2026.
const deltaReply = "ISA*00*          *00*          *ZZ*DELTA          *ZZ*US             *260102*1000*^*00501*000000001*0*P*:~" +
	"GS*HB*DELTA*US*20260102*1000*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*T-1*20260102*1000~HL*1**20*1~" +
	"NM1*PR*2*DELTA*****PI*DELTA~HL*2*1*21*1~NM1*1P*2*OTHER SMILES*****XX*1112223334~HL*3*2*22*0~NM1*IL*1*STRANGE*OTTO****MI*W777~" +
	"DMG*D8*19500505~DTP*356*D8*20250101~EB*1*IND*35**PREMIER~EB*F*IND*35***23*1500~EB*F*IND*35***29*900~MSG*CALL US~SE*14*0001~GE*1*1~IEA*1*000000001~"

// delta is the body of a scenario; change may change it.
func delta(ending string, change func(o anObject)) string {
	return jsonOf(anObject{"ending": ending, "operation": "eligibility", "x12": deltaReply}, change)
}

// TestOwnScenarios makes a payer of a 271, for one organization.
func TestOwnScenarios(t *testing.T) {
	t.Parallel()
	s := startService(t)
	made := s.must(t, 201, call{path: "/sandbox/scenarios", body: delta("-DELTA", with("summary", "Delta Dental"))})
	made.shows(t, "ending", "-DELTA", "summary", "Delta Dental", "dates", "move", "messages.0", "CALL US", "built_in", false)
	list := s.scenarios(t, "?operation=eligibility")
	if last := list[len(list)-1]; last.Ending != "-DELTA" || last.BuiltIn || last.Summary != "Delta Dental" {
		t.Errorf("the list ends with %+v", last)
	}
	check := func(ask call) response {
		return s.must(t, 200, ask)
	}
	ask := call{path: "/eligibility", body: s.question("OF-DELTA", nil), header: map[string]string{"Cache-Control": "no-cache"}}
	days := int(time.Now().UTC().Sub(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)).Hours() / 24)
	moved := billing.Date{Year: 2025, Month: 1, Day: 1}.AddDays(days).String()
	first := check(ask)
	first.shows(t, "plan.name", "PREMIER", "coverage_effective_date", moved, "maximums.0.remaining", "900.00")
	exchange := s.must(t, 200, call{path: "/eligibility/" + first.text(t, "id") + "/exchange"}).body
	for _, word := range []string{"STRANGE", "OTTO", "W777", "19500505", "OTHER SMILES"} {
		if strings.Contains(exchange, word) || !strings.Contains(exchange, "EXAMPLE*SAM") {
			t.Errorf("the exchange is about %s: %s", word, exchange)
		}
	}
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-DELTA", body: `{"dates":"keep"}`}).shows(t, "dates", "keep", "messages", nil)
	check(ask).shows(t, "coverage_effective_date", "2025-01-01")

	theirs := s.must(t, 201, call{path: "/offices", key: s.other, body: `{"name":"Theirs","npi":"1234567893"}`}).text(t, "id")
	other := call{path: "/eligibility", key: s.other, body: strings.ReplaceAll(ask.body, s.office.String(), theirs)}
	check(other).shows(t, "plan.name", "SANDBOX DENTAL PPO")
	if a := s.do(t, call{path: "/sandbox/scenarios", key: s.other}); strings.Contains(a.body, "DELTA") {
		t.Error("another organization sees the scenario")
	}
	s.must(t, 201, call{path: "/sandbox/scenarios", key: s.other, body: delta("-DELTA", nil)}) // endings are an organization's own

	for body, want := range map[string]string{
		delta("-DELTA", nil): "", delta("-DENIED", nil): "", delta("-SLOW-5", nil): "", delta("-ACTIVE-FULL", nil): "",
		delta("DELTA", nil): "ending format", delta("-a", nil): "ending format",
		delta("-NEW", with("operation", "attachment")): "operation not_allowed",
		delta("-NEW", with("operation", "claim")):      "x12 conflict",
		stepsOf("-NEW"): "steps required",
		stepsOf("-NEW", `{"after":"P1M","accept":{}}`):                                                                         "steps.0.after format",
		stepsOf("-NEW", `{"after":"PT1S"}`):                                                                                    "steps.0 required",
		stepsOf("-NEW", `{"after":"PT1S","accept":{},"pay":{}}`):                                                               "steps.0 required",
		stepsOf("-NEW", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","reverse":{}}`):                                       "steps.1 conflict",
		stepsOf("-NEW", `{"after":"PT1S","reject":{"codes":["Z9:1"]}}`):                                                        "steps.0.reject.codes.0 format",
		stepsOf("-NEW", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","pay":{"percent":101}}`):                              "steps.1.pay.percent range",
		stepsOf("-NEW", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","pay":{"lines":[{"paid":"1.00","allowed":"2.00"}]}}`): "steps.1.pay.lines.0 conflict",
		stepsOf("-NEW", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","deny":{"reason":"96"}}`):                             "steps.1.deny.reason format",
		delta("-NEW", with("dates", "stay")):                                                                                   "dates not_allowed",
		delta("-NEW", with("x12", "ISA")):                                                                                      "x12 format",
		delta("-NEW", with("x12", strings.Repeat("x", 262_145))):                                                               "x12 too_long",
		delta("-NEW", with("x12", strings.Replace(deltaReply, "271", "837", 1))):                                               "x12 format",
	} {
		a := s.do(t, call{path: "/sandbox/scenarios", body: body, bad: true})
		if want == "" {
			wantStatus(t, a, 409, billing.CodeConflict)
		} else if wantStatus(t, a, 422, billing.CodeInvalidRequest); !slices.Contains(a.fields(t), want) {
			t.Errorf("%.60s: %v, want %s", body, a.fields(t), want)
		}
	}
	s.must(t, 204, call{method: "DELETE", path: "/sandbox/scenarios/-DELTA"})
	wantStatus(t, s.do(t, call{method: "DELETE", path: "/sandbox/scenarios/-DELTA"}), 404, billing.CodeNotFound)
	check(ask).shows(t, "plan.name", "SANDBOX DENTAL PPO")
}

// premier is the body of a scenario with a plan; change may change it.
func premier(change func(o anObject)) string {
	return jsonOf(anObject{"ending": "-PREMIER", "operation": "eligibility", "plan": anObject{
		"status": "active", "coverage_effective_date": "-P1Y", "maximums": []anObject{{"level": "individual", "period": "calendar_year", "amount": "1500.00", "remaining": "0.00"}},
		"procedures": []anObject{{"code": "D1110", "percent_paid": 100, "frequency": anObject{"count": 1, "period": "6 months"}, "last_service_date": "-P30D"}},
	}}, change)
}

// TestPlanScenarios makes a payer of a plan, and then of what a check of the payer shows.
func TestPlanScenarios(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: premier(nil)}).shows(t, "dates", "keep", "messages", nil, "plan.maximums.0.remaining", "0.00",
		"plan.coverage_effective_date", "-P1Y", "plan.procedures.0.last_service_date", "-P30D")
	check := func() response {
		return s.must(t, 200, call{path: "/eligibility", body: s.question("OF-PREMIER", nil), header: map[string]string{"Cache-Control": "no-cache"}})
	}
	first := check()
	today, err := billing.ParseDate(first.text(t, "request", "service_date")) // at the office
	if err != nil {
		t.Fatal(err)
	}
	shows := []any{
		"status", "active", "maximums.0.used", "1500.00", "procedures.0.last_service_date", today.AddDays(-30).String(),
		"procedures.0.next_eligible_date", today.AddDays(-30).AddMonths(6).String(), "procedures.0.status", "not_due_yet",
	}
	first.shows(t, append(shows, "coverage_effective_date", today.AddMonths(-12).String(), "plan.name", nil, "network_status", nil)...)
	exchange := s.must(t, 200, call{path: "/eligibility/" + first.text(t, "id") + "/exchange"}).body
	if !strings.Contains(exchange, "EB*F*IND*35**REMAINING*23*0.00~") || !strings.Contains(exchange, "NM1*IL*1*EXAMPLE*SAM") {
		t.Errorf("the exchange is %s", exchange)
	}

	var reply map[string]json.RawMessage
	if err := json.Unmarshal([]byte(first.body), &reply); err != nil {
		t.Fatal(err)
	}
	again := anObject{}
	for _, name := range []string{"status", "coverage_effective_date", "coverage_termination_date", "plan", "network_status", "maximums", "deductibles", "coverage", "procedures", "plan_rules", "payer_notes", "not_returned"} {
		again[name] = reply[name]
	}
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-PREMIER", body: jsonOf(anObject{"plan": again}, nil)})
	check().shows(t, shows...)
	s.must(t, 200, call{path: "/sandbox/scenarios/-PREMIER"}).shows(t, "plan.maximums.0.used", "1500.00", "plan.plan.benefit_period", "calendar_year")
	wantStatus(t, s.do(t, call{path: "/sandbox/scenarios/-PREMIER", key: s.other}), 404, billing.CodeNotFound)
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-PREMIER", body: `{"summary":"the same"}`}).shows(t, "plan.status", "active", "dates", "keep")

	plan := func(key string, value any) func(o anObject) {
		return func(o anObject) { o["ending"], o["plan"].(anObject)[key] = "-NEW", value }
	}
	for body, want := range map[string][]string{
		premier(plan("status", "ended")):                                            {"plan.status not_allowed"},
		premier(plan("coverage_effective_date", 5)):                                 {"plan.coverage_effective_date type"},
		premier(plan("procedures", []anObject{{"code": 1, "tooth": ""}})):           {"plan.procedures.0.code type", "plan.procedures.0.tooth unknown", "plan.procedures.0 required"},
		premier(plan("payer", "x")):                                                 {"plan.payer unknown"},
		premier(plan("coverage_termination_date", "-P1D")):                          {"plan.status conflict"},
		premier(with("x12", deltaReply)):                                            {"plan conflict"},
		premier(with("dates", "move")):                                              {"dates conflict"},
		premier(with("operation", "claim")):                                         {"plan conflict", "steps required"},
		premier(with("plan", nil)):                                                  {"x12 required"},
		premier(with("steps", []anObject{{"after": "PT1S", "accept": anObject{}}})): {"steps conflict"},
	} {
		a := s.do(t, call{path: "/sandbox/scenarios", body: body, bad: true})
		if wantStatus(t, a, 422, billing.CodeInvalidRequest); !slices.Equal(a.fields(t), want) {
			t.Errorf("%s: %v, want %v", body, a.fields(t), want)
		}
	}
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-PREMIER", body: jsonOf(anObject{"x12": deltaReply}, nil)}).shows(t, "plan", nil, "dates", "move", "messages.0", "CALL US")
	check().shows(t, "plan.name", "PREMIER", "maximums.0.remaining", "900.00")
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-PREMIER", body: `{"plan":{"status":"inactive"}}`}).shows(t, "plan.status", "inactive", "dates", "keep", "messages", nil)
	check().shows(t, "status", "inactive", "plan.name", nil)
}

// TestSandboxERA pays a claim by an 835 that the test writes.
func TestSandboxERA(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("X", with("payer_id", "60054", "submit", true))})
	path := "/claims/" + claim.text(t, "id")
	s.until(t, path, "accepted_payer")
	x12 := "ISA*00*          *00*          *ZZ*DELTA          *ZZ*US             *260102*1000*^*00501*000000001*0*P*:~" +
		"GS*HP*DELTA*US*20260102*1000*1*X*005010X221A1~ST*835*0001~BPR*I*1000*C*CHK************20260102~TRN*1*CHECK-7*1999999999~DTM*405*20260102~" +
		"N1*PR*AETNA*XV*60054~N3*1 MAIN ST~N4*TULSA*OK*741010001~PER*BL*HELP*TE*8005550100~N1*PE*MAIN STREET*XX*1234567893~LX*1~" +
		"CLP*" + claim.text(t, "patient_control_number") + "*1*1250*1000*250*12*PAYER-1*11*1~NM1*QC*1*EXAMPLE*SAM****MI*X~" +
		"SVC*AD:D2740*1250*1000**1~DTM*472*" + strings.ReplaceAll(lately(9), "-", "") + "~CAS*PR*2*250~SE*16*0001~GE*1*1~IEA*1*000000001~"
	send := call{path: "/sandbox/eras", body: jsonOf(anObject{"x12": x12}, nil), idem: "the-835"}
	name := s.must(t, 201, send).text(t, "file_name")
	paid := s.until(t, path, "paid")
	if again := s.must(t, 201, send); again.Header.Get("Idempotent-Replayed") != "true" || again.text(t, "file_name") != name {
		t.Errorf("again: %s", again.body)
	}
	wantStatus(t, s.do(t, call{path: "/sandbox/eras", body: `{"x12":"ISA*"}`}), 422, billing.CodeInvalidRequest)
	s.must(t, 201, call{path: "/sandbox/eras", body: strings.Replace(jsonOf(anObject{"x12": x12}, nil), "CHECK-7", "CHECK-8", 1)}) // it comes after what came before
	var eras []string
	porttest.Await(t, "two remittances", func() bool {
		eras = s.walk(t, "/eras")
		return len(eras) == 2
	})
	s.must(t, 200, call{path: "/eras/" + eras[1]}).shows(t, "file_name", name)
	if len(s.walk(t, "/eras?patient_id="+paid.text(t, "patient_id"))) == 0 {
		t.Error("the patient has no remittance")
	}
	if a := s.do(t, call{path: "/eras", key: s.other}); a.StatusCode != 200 || strings.Contains(a.body, "CHECK") {
		t.Errorf("another organization: %s", a.body)
	}
}

// stepsOf is the body of a scenario for claims.
func stepsOf(ending string, steps ...string) string {
	return `{"ending":"` + ending + `","operation":"claim","steps":[` + strings.Join(steps, ",") + `]}`
}

// TestOwnSteps lets claims follow steps, each kind of which is there.
func TestOwnSteps(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	const soon = `{"after":"PT0.01S",`
	accepted := []string{soon + `"accept":{"by":"clearinghouse"}}`, soon + `"accept":{}}`}
	for ending, steps := range map[string][]string{
		"-LONG": {
			soon + `"request_information":{}}`, soon + `"pay":{"percent":80,"patient_percent":25}}`, soon + `"reverse":{}}`, soon + `"deny":{"reason":"PR-204"}}`,
		},
		"-LINES": {soon + `"pay":{"lines":[{"paid":"300.00","allowed":"350.00","adjustments":[{"group":"PR","reason":"1","amount":"50.00"}],"remarks":["N130"]}]}}`},
		"-ODD":   {soon + `"pay":{"lines":[{"paid":"300.00","allowed":"100.00","unbalanced":true}]}}`},
		"-BACK":  {soon + `"pay":{}}`, soon + `"take_back":{}}`},
		"-AWAY":  {soon + `"forward":{}}`},
		"-GUESS": {soon + `"estimate":{"percent":50}}`},
	} {
		s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf(ending, append(slices.Clone(accepted), steps...)...)})
	}
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-REFUSED", soon+`"reject":{"by":"clearinghouse","codes":["A7:562"]}}`)})
	send := func(ending string, change func(o anObject)) string {
		a := s.must(t, 201, call{path: "/claims", body: s.crown("OF"+ending, func(o anObject) {
			if change != nil {
				change(o)
			}
			o["submit"] = true
		})})
		return a.text(t, "id")
	}
	long, lines, odd, back, away, refused := send("-LONG", nil), send("-LINES", nil), send("-ODD", nil), send("-BACK", nil), send("-AWAY", nil), send("-REFUSED", nil)
	guess := send("-GUESS", asked)
	const house, payer = event.ClaimAccepted, event.ClaimAccepted
	for id, want := range map[string][]event.Type{
		long:    {house, payer, event.ClaimStatusUpdated, event.ClaimPaid, event.ClaimPaymentReversed, event.ClaimDenied},
		lines:   {house, payer, event.ClaimPaid},
		odd:     {house, payer},
		back:    {house, payer, event.ClaimPaid},
		away:    {house, payer},
		refused: {event.ClaimRejected},
		guess:   {house, payer, event.PredeterminationReturned},
	} {
		s.shown(t, &scenarioJSON{Ending: id}, id, want)
	}
	s.must(t, 200, call{path: "/claims/" + long}).shows(t, "adjudications.0.allowed", "1000.00", "adjudications.0.paid", "750.00")
	s.must(t, 200, call{path: "/claims/" + lines}).shows(t, "state", "paid", "adjudications.0.paid", "300.00", "adjudications.0.patient_responsibility", "50.00")
	porttest.Await(t, "a remittance that does not add up, one without claims, and one that is forwarded", func() bool {
		var eras pageJSON[struct {
			State string `json:"state"`
		}]
		s.load(t, "/eras?limit=100", &eras)
		return len(eras.Data) == 9
	})
	// A claim keeps the steps that it was sent with.
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/scenarios/-LINES", body: `{"steps":[` + soon + `"reject":{}}]}`})
	again := send("-LINES", nil)
	s.shown(t, &scenarioJSON{Ending: again}, again, []event.Type{event.ClaimRejected})
	if got := s.events(t, lines); len(got) != 6 {
		t.Errorf("a claim that was paid has %v", got)
	}
	for _, sc := range s.scenarios(t, "?operation=claim") {
		if sc.Ending == "-LONG" && (sc.BuiltIn || len(sc.Follows) != 6 || *sc.Follows[3].Event != event.ClaimPaid || sc.Follows[3].After != "PT0.01S") {
			t.Errorf("%+v", sc)
		}
	}
}
