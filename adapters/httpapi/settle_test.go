package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestSettle decides about tasks: the decision is kept on the resource and ends the task, until
// the amount changes.
func TestSettle(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, request := s.payerRequest(t, nil)
	path := "/tasks/" + s.tasks(t, "?resource_id="+request)["request_due"]["id"].(string)
	s.must(t, 200, call{path: path}).shows(t, "settles", []any{"will_not_send"}, "settled", nil, "actions.1", "settleTask")
	for body, field := range map[string]string{`{"as":"accepted"}`: "as not_allowed", `{"as":"lost"}`: "as not_allowed", `{}`: "as required"} {
		if a := s.do(t, call{path: path + "/settle", body: body, bad: true}); a.StatusCode != 422 || a.fields(t)[0] != field {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	settle := call{path: path + "/settle", body: `{"as":"will_not_send","note":"The patient left."}`, idem: "settle"}
	s.must(t, 200, settle).shows(t, "state", "done", "settled.as", "will_not_send", "settled.note", "The patient left.", "settled.amount", nil)
	s.must(t, 200, settle).shows(t, "state", "done")
	wantStatus(t, s.do(t, call{path: path + "/settle", body: `{"as":"will_not_send"}`}), 409, billing.CodeConflict)
	if got := s.tasks(t, "?resource_id="+request); len(got) != 0 {
		t.Errorf("after the decision: %v", got)
	}
	s.must(t, 200, call{path: "/tasks?state=done&resource_id=" + request}).shows(t, "data.0.settled.as", "will_not_send")
	s.must(t, 200, call{path: "/payer_requests/" + request}).shows(t, "state", "open", "settled.note", "The patient left.")

	// The decision is taken back, once.
	wake := call{method: "POST", path: path + "/wake", idem: "wake"}
	s.must(t, 200, wake).shows(t, "state", "open", "settled", nil, "ended_at", nil)
	s.must(t, 200, wake).shows(t, "state", "open")
	s.must(t, 200, call{path: "/payer_requests/" + request}).shows(t, "state", "open", "settled", nil)

	// Its claim has nothing to wait for while the decision holds.
	asked := s.claim(t, func(c *claim.Claim) { c.State = claim.AcceptedPayer })
	_, about := s.payerRequest(t, with("claim_id", asked.ID.String()))
	step := func() string { return s.must(t, 200, call{path: "/claims/" + asked.ID.String()}).text(t, "next_step") }
	asks, first := "/tasks/"+s.tasks(t, "?resource_id="+about)["request_due"]["id"].(string), step()
	s.must(t, 200, call{path: asks + "/settle", body: `{"as":"will_not_send"}`})
	if settled := step(); !strings.Contains(first, about) || strings.Contains(settled, "payer asks for more") {
		t.Errorf("%q, and after the decision %q", first, settled)
	}
	s.must(t, 200, call{method: "POST", path: asks + "/wake"})
	if again := step(); again != first {
		t.Errorf("%q after the decision was taken back, want %q", again, first)
	}

	denied := s.claim(t, func(c *claim.Claim) {
		c.State, c.Standing = claim.Denied, &claim.Standing{Outcome: remit.OutcomeDenied, ERAID: billing.NewID[billing.ERAID](billing.RealAt(time.Now())), NotPaid: 100_00, OpenReason: claim.OpenRefused}
	})
	kept := s.tasks(t, "?resource_id="+denied.ID.String())["denied"]
	s.must(t, 200, call{path: "/tasks/" + kept["id"].(string) + "/settle", body: `{"as":"accepted"}`}).shows(t, "state", "done", "settled.amount", kept["amount"])
	s.must(t, 200, call{path: "/claims/" + denied.ID.String()}).shows(t, "history.0.cause", "settle", "state", "denied", "open", kept["amount"])
	s.must(t, 200, call{method: "POST", path: "/tasks/" + kept["id"].(string) + "/wake"}).shows(t, "state", "open", "settled", nil, "amount", kept["amount"])
	s.must(t, 200, call{path: "/claims/" + denied.ID.String()}).shows(t, "history.1.cause", "unsettle", "state", "denied")
	s.must(t, 200, call{path: "/tasks/" + kept["id"].(string) + "/settle", body: `{"as":"accepted"}`}).shows(t, "state", "done", "settled.amount", kept["amount"])

	// Less is open: the payer paid a part.
	s.moves(t, denied.ID.String(), func(c *claim.Claim) { c.Standing.Paid = 10_00 })
	s.must(t, 200, call{path: "/tasks/" + kept["id"].(string)}).shows(t, "state", "open", "settled.as", "accepted", "settled.amount", kept["amount"], "settles", []any{"accepted", "handled"})

	// Documents were sent. The payer then denies it again.
	handle := call{path: "/tasks/" + kept["id"].(string) + "/settle", body: `{"as":"handled"}`}
	s.must(t, 200, handle).shows(t, "state", "done", "settled.as", "handled")
	s.moves(t, denied.ID.String(), func(c *claim.Claim) { c.SettledAt = time.Now() })
	s.must(t, 200, call{path: "/tasks/" + kept["id"].(string)}).shows(t, "state", "open", "settled.as", "handled")

	// What was decided is not taken back once the cause has ended.
	s.moves(t, denied.ID.String(), func(c *claim.Claim) { c.State = claim.Reconciled })
	wantStatus(t, s.do(t, call{method: "POST", path: "/tasks/" + kept["id"].(string) + "/wake"}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: "/tasks/" + kept["id"].(string)}).shows(t, "state", "done", "settled.as", "handled")
}

// queued returns how many claims the next batch to a payer would take.
func (s *service) queued(t *testing.T, payer billing.PayerID) (n int) {
	t.Helper()
	porttest.In(t, s.store, s.test, func(ctx context.Context, tx ports.Tx) error {
		found, err := tx.Clearing.Queued(ctx, []billing.PayerID{payer}, time.Time{}, 10)
		n = len(found)
		return err
	})
	return n
}

// TestDaysBeginAtTheOffice puts off work at both ends of the United States, where it is never
// the same day as in UTC for all of a day: tomorrow is to come, and today is not.
func TestDaysBeginAtTheOffice(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, zone := range []string{"Pacific/Guam", "Pacific/Pago_Pago"} {
		id := s.officeIn(t, zone)
		in := func(days int) string { return todayAt(zone).AddDays(days).String() }
		held := s.claim(t, func(c *claim.Claim) { c.OfficeID, c.State = id, claim.Queued })
		rejected := s.claim(t, func(c *claim.Claim) { c.OfficeID, c.State = id, claim.Rejected })
		task := s.tasks(t, "?resource_id="+rejected.ID.String())["claim_rejected"]["id"].(string)
		for _, put := range []struct{ path, reason, field string }{
			{"/claims/" + held.ID.String() + "/hold", `"reason":"x",`, "held.until"},
			{"/tasks/" + task + "/snooze", "", "snoozed_until"},
		} {
			until := func(day string) call { return call{path: put.path, body: `{` + put.reason + `"until":"` + day + `"}`} }
			s.must(t, 200, until(in(1))).shows(t, put.field, in(1))
			if open := s.tasks(t, "?office_id="+id.String()+"&kind=claim_held"); len(open) != 0 {
				t.Errorf("%s, %s until tomorrow: %v", zone, put.path, open)
			}
			if a := s.do(t, until(in(0))); a.StatusCode != 422 {
				t.Errorf("%s, %s until today: %d %s", zone, put.path, a.StatusCode, a.body)
			}
		}
	}
}

// TestHold holds a claim back, and releases it.
func TestHold(t *testing.T) {
	t.Parallel()
	s := startService(t)
	held := s.claim(t, func(c *claim.Claim) { c.State = claim.Queued })
	path := "/claims/" + held.ID.String()
	wantStatus(t, s.do(t, call{method: "POST", path: path + "/release"}), 409, billing.CodeConflict)
	for body, field := range map[string]string{
		`{}`: "reason required", `{"reason":"x","until":"soon"}`: "until format", `{"reason":"x","until":"` + todayAt(intake.DefaultTimeZone).String() + `"}`: "until range",
	} {
		if a := s.do(t, call{path: path + "/hold", body: body, bad: true}); a.StatusCode != 422 || a.fields(t)[0] != field {
			t.Errorf("%s: %d %s", body, a.StatusCode, a.body)
		}
	}
	s.must(t, 200, call{path: path + "/hold", body: `{"reason":"The narrative is missing.","until":"` + lately(-3) + `"}`}).shows(t,
		"state", "queued", "held.reason", "The narrative is missing.", "held.until", lately(-3), "history.0.cause", "hold", "history.0.note", "The narrative is missing.")
	if got := s.tasks(t, ""); len(got) != 0 {
		t.Errorf("before the day: %v", got)
	}
	if n := s.queued(t, held.Payer.ID); n != 0 {
		t.Errorf("a batch takes %d", n)
	}
	s.must(t, 200, call{path: path + "/hold", body: `{"reason":"The narrative is missing."}`}).shows(t, "held.until", nil)
	s.must(t, 200, call{path: "/tasks?kind=claim_held"}).shows(t, "data.0.resource.id", held.ID.String(), "data.0.actions.0", "releaseClaim")
	s.must(t, 200, call{method: "POST", path: path + "/release"}).shows(t, "held", nil, "state", "queued", "history.2.cause", "release")
	if n := s.queued(t, held.Payer.ID); n != 1 {
		t.Errorf("a batch takes %d", n)
	}
	sent := s.claim(t, func(c *claim.Claim) { c.State = claim.Paid })
	wantStatus(t, s.do(t, call{path: "/claims/" + sent.ID.String() + "/hold", body: `{"reason":"x"}`}), 409, billing.CodeConflict)
}
