package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// sentClaim makes a claim that reaches the state.
func (s *service) sentClaim(t *testing.T, member, state string) string {
	t.Helper()
	id := s.must(t, 201, call{path: "/claims", body: s.crown(member, with("submit", true))}).text(t, "id")
	s.until(t, "/claims/"+id, state)
	return id
}

func askOf(id string) call {
	return call{method: "POST", path: "/claims/" + id + "/status_inquiries"}
}

// statusCode returns the first code of an answer about a claim, as in STC01.
func (r response) statusCode(t *testing.T) string {
	t.Helper()
	code := r.get(t, "statuses", "0", "codes", "0").(anObject)
	got := code["category"].(string) + ":" + code["status"].(string)
	if code["entity"] != nil {
		got += ":" + code["entity"].(string)
	}
	return got
}

// TestAskStatus asks the payers of the sandbox about claims, whose member IDs decide the
// answers.
func TestAskStatus(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	for _, c := range []struct {
		member, state    string
		outcome, matches any
		code, message    string
	}{
		{"PAID-ERA", "paid", "found", "control_number", "F1:65", "The payer announces $800.00."},
		{"DENIED", "denied", "found", "control_number", "F2:585", "Denied: charge that is not covered."},
		{"REJECTED", "rejected", "found", "control_number", "A7:164:IL", "invalid member ID (subscriber)."},
		{"X-STATUS-NOT-FOUND", "paid", "not_found", nil, "D0:35", "call the payer"},
		{"X-STATUS-REQUESTED", "paid", "found", "control_number", "R4:297", "The payer asks for documents: medical notes."},
		{"X-STATUS-DOWN", "paid", "unavailable", nil, "E1:484", "did not respond"},
	} {
		t.Run(c.member, func(t *testing.T) {
			t.Parallel()
			id := s.sentClaim(t, c.member, c.state)
			var a response
			porttest.Await(t, c.member+" says "+c.code, func() bool { // a payer counts from when its network had the whole file
				a = s.must(t, 201, askOf(id))
				return a.statusCode(t) == c.code
			})
			a.shows(t, "object", "status_inquiry", "claim_id", id, "state", "completed", "outcome", c.outcome, "matches", c.matches, "network", "sandbox", "other_claims", 0.0)
			if got := a.text(t, "message"); !strings.Contains(got, c.message) {
				t.Errorf("message %q, want %q", got, c.message)
			}
			s.must(t, 200, call{path: "/claims/" + id}).shows(t, "state", c.state)
			path := "/status_inquiries/" + a.text(t, "id")
			if read := s.must(t, 200, call{path: path}); read.body != a.body {
				t.Errorf("read %s, want %s", read.body, a.body)
			}
			x := s.must(t, 200, call{path: path + "/exchange"})
			if request := x.text(t, "messages", "0", "request"); !strings.Contains(request, "*HR*") && !strings.Contains(request, "GS*HR*") || strings.Contains(request, "REF*EJ") {
				t.Errorf("the request is no 276 that asks with little: %s", request)
			}
			if n := len(x.get(t, "messages").([]any)); n != map[bool]int{true: 2, false: 1}[c.outcome == "not_found"] {
				t.Errorf("%d messages", n)
			}
		})
	}
}

// TestAskStatusAgain repeats inquiries: a key returns its reply, an event comes only with
// another answer, and what the payer asks for is stored once.
func TestAskStatusAgain(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	id := s.sentClaim(t, "X-STATUS-REQUESTED", "paid")
	first := s.must(t, 201, askOf(id))
	keyed := askOf(id)
	keyed.idem = "once"
	second, again := s.must(t, 201, keyed), s.must(t, 201, keyed)
	if second.body != again.body || again.Header.Get("Idempotent-Replayed") != "true" || second.text(t, "id") == first.text(t, "id") {
		t.Errorf("the key gives %s, then %s", second.body, again.body)
	}
	other := askOf(s.sentClaim(t, "PAID-ERA", "paid"))
	other.idem = "once"
	wantStatus(t, s.do(t, other), 422, billing.CodeIdempotencyKeyReused)
	if all := s.must(t, 200, call{path: "/payer_requests?claim_id=" + id}).get(t, "data").([]any); len(all) != 1 || all[0].(anObject)["source"] != "network" {
		t.Errorf("payer requests %v", all)
	}
	if all := s.must(t, 200, call{path: "/events?resource_id=" + id + "&type=claim.status_updated"}).get(t, "data").([]any); len(all) != 1 {
		t.Errorf("%d events, want one: the second answer was the same", len(all))
	}
	list := s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?limit=1"})
	list.shows(t, "data.0.id", second.text(t, "id"))
	s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?limit=1&cursor=" + list.text(t, "next_cursor")}).shows(t, "data.0.id", first.text(t, "id"), "next_cursor", nil)
	s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?request_id=" + first.text(t, "request_id")}).shows(t, "data.0.id", first.text(t, "id"), "next_cursor", nil)
}

// TestAskStatusPending shows a claim that the payer decides later.
func TestAskStatusPending(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-SLOW-PAYER", `{"after":"PT1S","accept":{}}`, `{"after":"P30D","pay":{}}`)})
	id := s.sentClaim(t, "X-SLOW-PAYER", "accepted_payer")
	s.must(t, 201, askOf(id)).shows(t, "outcome", "found", "message", "In process: accepted for processing.", "statuses.0.paid", nil)
	s.must(t, 200, call{path: "/claims/" + id}).shows(t, "state", "accepted_payer")
}

// TestStatusNotAskable refuses claims that the payer does not have.
func TestStatusNotAskable(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	wantStatus(t, s.do(t, askOf(s.must(t, 201, call{path: "/claims", body: s.crown("1", with("submit", false))}).text(t, "id"))), 409, billing.CodeConflict)
	estimate := s.must(t, 201, call{path: "/claims", body: s.crown("ESTIMATE", func(o anObject) { asked(o); o["submit"] = true })}).text(t, "id")
	s.until(t, "/claims/"+estimate, "returned")
	wantStatus(t, s.do(t, askOf(estimate)), 409, billing.CodeConflict)
	wantStatus(t, s.do(t, askOf("clm_01JGFJJZ00FC1R3ZY5N7Q8Z4VK")), 404, billing.CodeNotFound)
	live := s.claim(t, func(c *claim.Claim) { c.Scope.Mode, c.State = billing.ModeLive, claim.Submitted })
	c := askOf(live.ID.String())
	c.key = s.live
	wantStatus(t, s.do(t, c), 503, billing.CodeUnavailable)
}

// TestTaskOfAStatus shows what an answer does to the task of a claim without a decision, and
// that the task begins with the question where the payer can be asked.
func TestTaskOfAStatus(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := s.claim(t, func(c *claim.Claim) {
		c.State, c.SentAt, c.Subscriber.MemberID = claim.AcceptedPayer, time.Now().AddDate(0, 0, -9), "X-STATUS-NOT-FOUND"
	}).ID.String()
	if got := s.tasks(t, "?resource_id="+id); len(got) != 0 {
		t.Fatalf("before 30 days: %v", got)
	}
	s.must(t, 201, askOf(id)).shows(t, "outcome", "not_found")
	found := s.must(t, 200, call{path: "/tasks?resource_id=" + id})
	found.shows(t, "data.0.kind", "no_decision", "data.0.actions.0", "createStatusInquiry", "data.0.actions.1", "getClaim")
	if reason := found.text(t, "data", "0", "reason"); !strings.Contains(reason, "call the payer by telephone") {
		t.Errorf("reason %q", reason)
	}
	live := s.claim(t, func(c *claim.Claim) {
		c.Scope.Mode, c.State = billing.ModeLive, claim.AcceptedPayer
		c.History = []claim.Move{{State: claim.AcceptedPayer, At: time.Now().AddDate(0, 0, -31)}}
	}).ID.String()
	s.must(t, 200, call{path: "/tasks?resource_id=" + live, key: s.live}).shows(t, "data.0.kind", "no_decision", "data.0.actions", []any{"getClaim"})
}

// slowPayer answers when it is released.
type slowPayer struct{ free chan struct{} }

func (p slowPayer) AskStatus(ctx context.Context, _ network.StatusInquiry) (claimstatus.Answer, []coverage.Exchange, error) {
	select {
	case <-p.free:
		return claimstatus.Answer{Outcome: claimstatus.NotFound}, nil, nil
	case <-ctx.Done():
		return claimstatus.Answer{}, nil, ctx.Err()
	}
}

// TestAskStatusTimeout looks an inquiry up that took too long.
func TestAskStatusTimeout(t *testing.T) {
	t.Parallel()
	payer := slowPayer{make(chan struct{})}
	s := startService(t, func(with *setup) {
		with.checking = eligibility.Times{Wait: 300 * time.Millisecond, Silence: time.Minute, CacheTTL: time.Hour}
		with.open = []*ports.Network{{Name: "slow", Route: network.Route{Mode: billing.ModeTest}, ClaimStatus: payer}}
	})
	id := s.claim(t, func(c *claim.Claim) { c.State = claim.Submitted }).ID.String()
	c := askOf(id)
	c.idem = "slow"
	late := s.do(t, c)
	wantStatus(t, late, 504, billing.CodeTimeout)
	request := late.Header.Get("X-Request-Id")
	s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?request_id=" + request}).shows(t, "data.0.state", "pending", "data.0.outcome", nil, "data.0.message", nil)
	wantStatus(t, s.do(t, c), 409, billing.CodeIdempotencyKeyInUse)
	close(payer.free)
	inquiry := s.must(t, 200, call{path: "/claims/" + id + "/status_inquiries?request_id=" + request}).text(t, "data", "0", "id")
	s.until(t, "/status_inquiries/"+inquiry, "completed")
	s.must(t, 201, c).shows(t, "id", inquiry, "outcome", "not_found")
}
