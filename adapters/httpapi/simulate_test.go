package httpapi

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/scenarios"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// standing stops the clock of the sandbox.
func (s *service) standing(t *testing.T) {
	t.Helper()
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`})
}

func (s *service) advance(t *testing.T, until string) {
	t.Helper()
	s.advances(t, call{body: `{"until":"` + until + `"}`})
}

// queued makes a claim that waits for a batch.
func (s *service) queuedClaim(t *testing.T, member string, change func(o anObject)) string {
	t.Helper()
	return s.must(t, 201, call{path: "/claims", body: s.crown(member, func(o anObject) {
		if change != nil {
			change(o)
		}
		o["submit"] = true
	})}).text(t, "id")
}

func simulating(claim, step string) call {
	return call{path: "/sandbox/claims/" + claim + "/simulate", body: step}
}

// dropped lists the steps that a simulation dropped.
func dropped(t *testing.T, a response) (all []string) {
	t.Helper()
	for _, d := range a.get(t, "dropped").([]any) {
		o := d.(anObject)
		all = append(all, fmt.Sprint(o["action"], " ", o["by"]))
	}
	return all
}

// TestSimulateSteps lets every action come after what allows it, for claims of one batch,
// although their endings would do something else.
func TestSimulateSteps(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	s.standing(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-LATER", `{"after":"P1D","accept":{}}`, `{"after":"P9D","pay":{}}`, `{"after":"P1D","take_back":{}}`)})
	const house, payer = `{"accept":{"by":"clearinghouse"}}`, `{"accept":{}}`
	const accepted, paid = event.ClaimAccepted, event.ClaimPaid
	tests := map[string]struct {
		member string
		change func(o anObject)
		steps  []string
		want   []event.Type
		drops  string
		eras   int
	}{
		"all of a life": {
			"REVERSED", nil,
			[]string{
				house, payer, `{"request_information":{}}`, `{"pay":{"percent":80,"patient_percent":25}}`, `{"reverse":{}}`, `{"deny":{"reason":"PR-204"}}`,
				`{"reverse":{}}`, `{"after":"PT0S","pay":{"lines":[{"paid":"300.00","allowed":"300.00"}]}}`, `{"take_back":{}}`,
			},
			[]event.Type{accepted, accepted, event.ClaimStatusUpdated, paid, event.ClaimPaymentReversed, event.ClaimDenied, event.ClaimPaymentReversed, paid},
			"accept clearinghouse, accept payer, pay payer, reverse payer", 6,
		},
		"a payment that was due": {
			"PAID-ERA", nil, []string{payer, `{"deny":{}}`}, []event.Type{accepted, event.ClaimDenied}, "accept clearinghouse, accept payer, pay payer", 1,
		},
		"a rejection":        {"INFO-REQUEST", nil, []string{`{"reject":{"by":"clearinghouse","codes":["A3:21"]}}`}, []event.Type{event.ClaimRejected}, "accept clearinghouse, accept payer, request_information payer", 0},
		"a late rejection":   {"CROSSOVER", nil, []string{payer, `{"reject":{}}`}, []event.Type{accepted, event.ClaimRejected}, "accept clearinghouse, accept payer, pay payer, pay payer", 0},
		"another payer":      {"CUT-NUMBER", nil, []string{payer, `{"forward":{}}`}, []event.Type{accepted}, "accept clearinghouse, accept payer, pay payer", 1},
		"an own scenario":    {"OF-LATER", nil, []string{payer, `{"pay":{"percent":50}}`}, []event.Type{accepted, paid}, "accept payer, pay payer, take_back payer", 1},
		"an estimate":        {"ESTIMATE", asked, []string{payer, `{"estimate":{"percent":50}}`}, []event.Type{accepted, event.PredeterminationReturned}, "accept clearinghouse, accept payer, estimate payer", 1},
		"an estimate by pay": {"DENIED", asked, []string{payer, `{"pay":{}}`}, []event.Type{accepted, event.PredeterminationReturned}, "accept clearinghouse, accept payer, estimate payer", 1},
	}
	ids := map[string]string{}
	for name, test := range tests {
		ids[name] = s.queuedClaim(t, test.member, test.change)
	}
	beside := s.queuedClaim(t, "REVERSED", nil)
	s.advance(t, "next") // the batch leaves
	for name, test := range tests {
		for i, step := range test.steps {
			a := s.must(t, 201, simulating(ids[name], step))
			a.shows(t, "claim_id", ids[name])
			if got := strings.Join(dropped(t, a), ", "); i == 0 && got != test.drops || i > 0 && got != "" {
				t.Errorf("%s: step %d drops %s, want %s", name, i+1, got, test.drops)
			}
		}
	}
	s.advance(t, "idle")
	eras := 2 // of the claim beside
	for name, test := range tests {
		s.shown(t, &scenarioJSON{Ending: name}, ids[name], test.want)
		eras += test.eras
	}
	s.shown(t, &scenarioJSON{Ending: "the claim beside"}, beside, []event.Type{accepted, accepted, paid, event.ClaimPaymentReversed})
	if got := len(s.walk(t, "/eras")); got != eras {
		t.Errorf("%d remittances, want %d", got, eras)
	}
	s.must(t, 200, call{path: "/claims/" + ids["all of a life"]}).shows(t, "state", "paid", "adjudications.0.allowed", "1000.00", "adjudications.0.paid", "750.00")
	for name, refused := range map[string][]string{
		"all of a life": {`{"accept":{}} accept`, `{"pay":{}} pay`, `{"estimate":{}} estimate`, `{"after":"P1D","reverse":{}} after`, `{} body`, `{"accept":{},"deny":{}} body`},
		"a rejection":   {`{"accept":{}} accept`, `{"take_back":{}} take_back`},
		"an estimate":   {`{"reverse":{}} reverse`, `{"take_back":{}} take_back`},
	} {
		for _, r := range refused {
			i := strings.LastIndexByte(r, ' ')
			a := s.do(t, simulating(ids[name], r[:i]))
			wantStatus(t, a, 422, billing.CodeInvalidRequest)
			if fields := a.fields(t); len(fields) != 1 || !strings.HasPrefix(fields[0], r[i+1:]+" ") {
				t.Errorf("%s: %s is refused for %v", name, r[:i], fields)
			}
		}
	}
	wantStatus(t, s.do(t, simulating(s.queuedClaim(t, "X", nil), payer)), 409, billing.CodeConflict)
}

// pending reads how much waits for the clock.
func (s *service) pending(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(s.must(t, 200, call{path: "/sandbox/clock"}).get(t, "pending"))
}

// TestSimulateSharedFiles takes two claims out of the files that they share, one by one. The
// request has one effect, however often it is sent.
func TestSimulateSharedFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	s.standing(t)
	one, other := s.queuedClaim(t, "PAID-ERA", nil), s.queuedClaim(t, "PAID-ERA", nil)
	s.advance(t, "next")
	const four = "4" // the 997, two 277CAs and an 835
	if n := s.pending(t); n != four {
		t.Fatalf("%s files wait", n)
	}
	accept := simulating(one, `{"accept":{}}`)
	accept.idem = "once"
	first := s.must(t, 201, accept)
	if again := s.must(t, 201, accept); again.body != first.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again: %s", again.body)
	}
	s.until(t, "/claims/"+one, "accepted_payer")
	porttest.Await(t, "the files of the other claim wait", func() bool { return s.pending(t) == four })
	s.must(t, 201, simulating(one, `{"pay":{"percent":50}}`))
	s.until(t, "/claims/"+one, "paid")
	wantStatus(t, s.do(t, call{path: simulating(one, "").path, body: `{"pay":{}}`, key: s.live}), 403, billing.CodeTestModeOnly)
	var wg sync.WaitGroup // one of them is first, and then the other one cannot follow
	statuses := make([]int, 2)
	for i, step := range []string{`{"reject":{"by":"clearinghouse"}}`, `{"reject":{"codes":["A7:21"]}}`} {
		wg.Go(func() { statuses[i] = s.do(t, simulating(other, step)).StatusCode })
	}
	if wg.Wait(); statuses[0]+statuses[1] != 201+422 {
		t.Errorf("at once: %v", statuses)
	}
	if n := s.pending(t); n > "2" {
		t.Errorf("%s files wait, want the 997, and the rejection unless it is applied", n)
	}
	s.advance(t, "idle")
	s.shown(t, &scenarioJSON{Ending: "one"}, one, []event.Type{event.ClaimAccepted, event.ClaimPaid})
	s.shown(t, &scenarioJSON{Ending: "the other"}, other, []event.Type{event.ClaimRejected})
	if n := len(s.walk(t, "/eras")); n != 1 {
		t.Errorf("%d remittances", n)
	}
}

// TestSimulateAfterPayments simulates what follows a payment: of a replacement, of a void and of a
// secondary claim. What the sandbox remembers for later files follows the simulation.
func TestSimulateAfterPayments(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	paid := func(id string, standing string) {
		t.Helper()
		s.advance(t, "idle")
		s.must(t, 200, call{path: "/claims/" + id}).shows(t, "state", "paid", "payment.paid", standing)
	}
	s.standing(t)
	replaced, byEnding, voided, first := s.queuedClaim(t, "PAID-ERA", nil), s.queuedClaim(t, "PAID-ERA", nil), s.queuedClaim(t, "TAKE-BACK", nil), s.queuedClaim(t, "PAID-ERA", nil)
	s.advance(t, "next")
	for _, step := range []string{`{"accept":{}}`, `{"pay":{"percent":50}}`} {
		s.must(t, 201, simulating(byEnding, step))
	}
	paid(byEnding, "625.00")
	s.must(t, 200, call{path: "/claims/" + byEnding + "/replace", body: s.crown("PAID-ERA", with("note", "again"))})
	paid(byEnding, "800.00")
	s.must(t, 200, call{path: "/claims/" + replaced + "/replace", body: s.crown("PAID-ERA", with("note", "again"))})
	wantStatus(t, s.do(t, simulating(replaced, `{"accept":{}}`)), 409, billing.CodeConflict)
	s.advance(t, "next")
	s.must(t, 201, simulating(replaced, `{"accept":{}}`))
	s.must(t, 201, simulating(replaced, `{"pay":{"percent":50}}`))
	paid(replaced, "625.00")
	void := s.must(t, 201, call{method: "POST", path: "/claims/" + voided + "/void"}).text(t, "id")
	s.advance(t, "next")
	if a := s.must(t, 201, simulating(void, `{"reject":{}}`)); strings.Join(dropped(t, a), " ") != "accept clearinghouse accept payer reverse payer" {
		t.Errorf("the void: %s", a.body)
	}
	paid(voided, "800.00")
	second := s.must(t, 201, call{path: "/claims/" + first + "/bill_secondary", body: jsonOf(anObject{
		"payer_id": "84105", "relationship": "self", "subscriber": anObject{
			"first_name": "Jane", "last_name": "Roe", "date_of_birth": "1980-02-29", "member_id": "SECOND-1", "gender": "female",
			"address": anObject{"line1": "1 Main St", "city": "Austin", "state": "TX", "zip": "787010001"},
		},
	}, nil)}).text(t, "id")
	s.must(t, 200, call{method: "POST", path: "/claims/" + second + "/submit"})
	s.advance(t, "next")
	s.must(t, 201, simulating(second, `{"accept":{}}`))
	s.must(t, 201, simulating(second, `{"pay":{}}`))
	s.advance(t, "idle")
	s.must(t, 200, call{path: "/claims/" + second}).shows(t, "state", "paid", "adjudications.0.paid", "200.00") // what the primary payer left
}

// TestSimulateDiesAnywhere ends the process at any commit. The request is sent again, and has one
// effect.
func TestSimulateDiesAnywhere(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	s.standing(t)
	var ids []string
	for range 12 {
		ids = append(ids, s.queuedClaim(t, "INFO-REQUEST", nil))
	}
	s.advance(t, "next")
	n := 0
	porttest.EveryEnding(t, 1, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		id, err := billing.ParseID[billing.ClaimID](ids[n])
		if err != nil {
			t.Fatal(err)
		}
		n++
		simulate := func(store ports.Store) (caller.Reply, error) {
			return scenarios.New(store, nil, scenarios.Outside{Simulate: sandboxnet.Simulate, Networks: s.batches.Sandbox}).Simulate(t.Context(), idempotency.Write[*scenario.Simulated]{
				Call: caller.Call{Scope: s.test, Request: caller.Request{Key: "kill-" + ids[n-1], Fingerprint: [32]byte{byte(n)}}},
				Render: func(made *scenario.Simulated, _ error) caller.Reply {
					return caller.Reply{Status: 201, Body: []byte(made.Message.Name)}
				},
			}, id, intake.SimulationRequest{StepRequest: intake.StepRequest{Do: []scenario.Action{scenario.Reject}}})
		}
		porttest.Dies(func() { _, _ = simulate(porttest.Store{Store: s.store, Fault: f}) })
		if reply, err := simulate(s.store); err != nil || reply.Status != 201 {
			t.Errorf("%s, sent again: %v", f.Met(), err)
		}
	})
	s.advance(t, "idle")
	for i, id := range ids {
		want := []event.Type{event.ClaimRejected}
		if i >= n {
			want = []event.Type{event.ClaimAccepted, event.ClaimAccepted, event.ClaimStatusUpdated}
		}
		s.shown(t, &scenarioJSON{Ending: id}, id, want)
	}
}

// TestSimulateDuringAdvance simulates a step while an advance waits for other work. The step
// comes at the time at which the clock stands.
func TestSimulateDuringAdvance(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	s.standing(t)
	id := s.queuedClaim(t, "PAID-ERA", nil)
	s.advance(t, "next")
	if _, err := db.ExecContext(t.Context(), blocking); err != nil {
		t.Fatal(err)
	}
	idle := make(chan response)
	go func() {
		idle <- s.do(t, call{method: "POST", path: "/sandbox/clock/advance", body: `{"until":"idle"}`})
	}()
	clock := func() response { return s.must(t, 200, call{path: "/sandbox/clock"}) }
	porttest.Await(t, "the clock advances", func() bool { return clock().text(t, "state") == "advancing" })
	if a := s.must(t, 201, simulating(id, `{"reject":{"by":"clearinghouse"}}`)); a.text(t, "at") != clock().text(t, "now") {
		t.Errorf("%s, and the clock is %s", a.body, clock().body)
	}
	s.until(t, "/claims/"+id, "rejected")
	if _, err := db.ExecContext(t.Context(), "DELETE FROM jobs WHERE kind = 'thumbnail'"); err != nil {
		t.Fatal(err)
	}
	if a := <-idle; a.StatusCode != 200 {
		t.Errorf("the advance: %d %s", a.StatusCode, a.body)
	}
	s.shown(t, &scenarioJSON{Ending: id}, id, []event.Type{event.ClaimRejected})
}
