package task_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

// TestDecisionsEndWork decides about work: it ends while its amount stays, and comes again with
// another one.
func TestDecisionsEndWork(t *testing.T) {
	t.Parallel()
	c := &claim.Claim{ID: billing.ClaimID{15: 1}, Kind: claim.KindClaim, Progress: claim.Progress{State: claim.Denied, SettledAt: sent}}
	c.Lines = []claim.Line{{Fee: 100_00, Quantity: 1}}
	c.Standing = &claim.Standing{Outcome: remit.OutcomeDenied, OpenReason: claim.OpenRefused}
	found := task.OfAClaim(c)
	if len(found) != 1 || found[0].Kind != task.Denied || found[0].Amount != 100_00 {
		t.Fatalf("%+v", found)
	}
	open := &task.Task{Work: found[0]}
	if _, err := open.Settle(decision.NotBilled, "", "key_1", sent); billing.CodeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("not billed: %v", err)
	}
	d, err := open.Settle(decision.Accepted, "The contract excludes it.", "key_1", sent)
	if err != nil {
		t.Fatal(err)
	}
	(&claim.Record{Claim: c}).Decide(d, caller.Principal{ID: "key_1"})
	if found := task.OfAClaim(c); len(found) != 0 {
		t.Errorf("after the decision: %+v", found)
	}
	if last := c.History[len(c.History)-1]; last.Cause != claim.TriggerSettle || last.Note != d.Note || last.State != claim.Denied {
		t.Errorf("the history ends with %+v", last)
	}
	c.Standing.Paid = 30_00
	if found := task.OfAClaim(c); len(found) != 1 || found[0].Amount != 70_00 {
		t.Errorf("after a payment: %+v", found)
	}
	done := &task.Task{Work: found[0], EndedAt: sent}
	if _, err := done.Settle(decision.Accepted, "", "key_1", sent); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("a task that is done: %v", err)
	}
	r := &attachment.PayerRequest{ID: billing.PayerRequestID{15: 1}, State: attachment.PayerRequestOpen}
	r.Decisions = r.Decisions.With(decision.Decision{Of: string(task.RequestDue), As: decision.WillNotSend})
	if found := task.OfAPayerRequest(r); len(found) != 0 {
		t.Errorf("a request that nobody answers: %+v", found)
	}
}

// TestHandledWorkComesAgain says that a denial and a filing limit are handled: they come again with
// another decision of the payer, another state and another amount.
func TestHandledWorkComesAgain(t *testing.T) {
	t.Parallel()
	denied := aClaim(claim.Denied, with(standing(0, 0, 0), func(c *claim.Claim) { c.SettledAt = sent }))
	near := aClaim(claim.Validated, limited(limit.Set{Filing: within(90)}))
	for kind, x := range map[task.Kind]struct {
		of      *claim.Claim
		changes map[string]func(*claim.Claim)
	}{
		task.Denied: {denied, map[string]func(*claim.Claim){
			"the payer decides again": func(c *claim.Claim) { c.SettledAt = sent.Add(2 * time.Hour) },
			"the payer pays a part":   func(c *claim.Claim) { c.Standing.Paid = 30_00 },
		}},
		task.FilingLimit: {near, map[string]func(*claim.Claim){
			"the payer rejects it": func(c *claim.Claim) {
				c.State, c.History = claim.Rejected, append(c.History, claim.Move{State: claim.Rejected, At: sent.Add(2 * time.Hour)})
			},
			"its charge changes": func(c *claim.Claim) { c.Lines[0].Fee++ },
		}},
	} {
		w, ok := the(kind, x.of)
		if !ok {
			t.Fatalf("%s: there is no task", kind)
		}
		d, err := (&task.Task{Work: w}).Settle(decision.Handled, "", "key_1", sent.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		(&claim.Record{Claim: x.of}).Decide(d, caller.Principal{ID: "key_1"})
		if w, ok := the(kind, x.of); ok {
			t.Errorf("%s, handled: %+v", kind, w)
		}
		// A payer that does not decide again about a denial is asked.
		ask, ok := the(task.NoDecision, x.of)
		if ok != (kind == task.Denied) || ok && (!ask.Since.Equal(d.At.AddDate(0, 0, 30)) || ask.Amount != w.Amount || ask.Actions[0] != task.AskPayer) {
			t.Errorf("%s, handled: %+v", kind, ask)
		}
		for name, change := range x.changes {
			c, standing := *x.of, claim.Standing{}
			c.Lines = slices.Clone(c.Lines)
			if c.Standing != nil {
				standing = *c.Standing
				c.Standing = &standing
			}
			change(&c)
			if _, ok := the(kind, &c); !ok {
				t.Errorf("%s: %s, and the task does not come again", kind, name)
			}
			if w, ok := the(task.NoDecision, &c); ok {
				t.Errorf("%s: %s, and %+v", kind, name, w)
			}
		}
	}
	said := with(func(c *claim.Claim) { *c = *denied }, func(c *claim.Claim) {
		at := sent.AddDate(0, 0, 9)
		c.Asked = &claim.Asked{At: at, SaidAt: at, Outcome: "found", Category: "P1", Status: "20"}
	})
	if w, _ := the(task.NoDecision, aClaim(claim.Denied, said)); !strings.Contains(w.Reason, "has not decided again: ask it") || !strings.HasSuffix(w.Reason, " On March 11, 2026 the payer said: In process: accepted for processing.") {
		t.Error(w.Reason)
	}
}

// TestTakeBack takes a decision back: the resource forgets it, and its work comes again.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	c := aClaim(claim.Denied, with(standing(0, 0, 0), func(c *claim.Claim) { c.SettledAt = sent }))
	w, _ := the(task.Denied, c)
	open := &task.Task{Work: w}
	if _, err := open.TakeBack("key_1", sent); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("an open task: %v", err)
	}
	d, err := open.Settle(decision.Accepted, "The contract excludes it.", "key_1", sent)
	if err != nil {
		t.Fatal(err)
	}
	record := &claim.Record{Claim: c}
	record.Decide(d, caller.Principal{ID: "key_1"})
	settled := &task.Task{Work: w, EndedAt: sent, Settled: &d}
	if err := settled.Snooze(sent); err == nil || !strings.Contains(err.Error(), "settled as accepted. Wake it to take that back") {
		t.Error(err)
	}
	if err := settled.Wake(); err == nil || !strings.Contains(err.Error(), "done, because its cause has ended") {
		t.Errorf("a decision whose cause ended later: %v", err)
	}
	if d, err = settled.TakeBack("key_2", sent); err != nil {
		t.Fatal(err)
	}
	record.Decide(d, caller.Principal{ID: "key_2"})
	if again, ok := the(task.Denied, c); !ok || len(c.Decisions) != 0 || again.Amount != w.Amount {
		t.Errorf("%+v, %+v", again, c.Decisions)
	}
	if last := c.History[len(c.History)-1]; last.Cause != "unsettle" || last.By != "key_2" {
		t.Errorf("the history ends with %+v", last)
	}
	if _, err := (&task.Task{Work: w, EndedAt: sent}).TakeBack("key_2", sent); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("a task whose cause has ended: %v", err)
	}
}

// TestHeldClaims has the task of a claim that a person holds.
func TestHeldClaims(t *testing.T) {
	t.Parallel()
	until := billing.DateOf(sent.Add(72 * time.Hour))
	for name, x := range map[string]struct {
		state claim.State
		batch billing.FileID
		until billing.Date
		since time.Time // zero for no task
	}{
		"at once":    {claim.Validated, billing.FileID{}, billing.Date{}, sent},
		"on a day":   {claim.Queued, billing.FileID{}, until, until.Time()},
		"in a batch": {claim.Queued, billing.FileID{15: 1}, until, time.Time{}},
		"voided":     {claim.Voided, billing.FileID{}, until, time.Time{}},
	} {
		c := &claim.Claim{ID: billing.ClaimID{15: 1}, Kind: claim.KindClaim, Progress: claim.Progress{State: x.state, BatchID: x.batch}}
		c.Held = &claim.HeldBack{Reason: "The narrative is missing.", Until: x.until, At: sent}
		found := task.OfAClaim(c)
		if x.since.IsZero() {
			if len(found) != 0 {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Kind != task.ClaimHeld || !found[0].Since.Equal(x.since) || found[0].Actions[0] != "releaseClaim" || found[0].DueOn != x.until || (found[0].DueBy == task.DueByPerson) != !x.until.IsZero() {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestWhatADenialAsksFor has the operations about a denial in the order of its act.
func TestWhatADenialAsksFor(t *testing.T) {
	t.Parallel()
	for act, want := range map[remit.Act]string{
		remit.ActCorrect: "replaceClaim", remit.ActSend: "createAttachment", remit.ActAppeal: "createAppeal", remit.ActBillNext: "replaceClaim",
		remit.ActWriteOff: "reconcileClaim", remit.ActNone: "getClaim", "": "replaceClaim",
	} {
		c := aClaim(claim.Denied, standing(0, 0, 0))
		c.Standing.Act = act
		found := task.OfAClaim(c)
		if len(found) != 1 || found[0].Actions[0] != want {
			t.Errorf("%q: %+v", act, found)
		}
		if act == remit.ActBillNext {
			secondPlan(c)
			if found := task.OfAClaim(c); found[0].Actions[0] != "billSecondary" {
				t.Errorf("with a second plan: %+v", found)
			}
		}
	}
}
