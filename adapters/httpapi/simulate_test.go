package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
)

// standing stops the clock of the sandbox.
func (s *service) standing(t *testing.T) {
	t.Helper()
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", body: `{"running":false}`})
}

func (s *service) advance(t *testing.T, until string) response {
	t.Helper()
	return s.must(t, 200, call{method: "POST", path: "/sandbox/clock/advance", body: `{"until":"` + until + `"}`})
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
