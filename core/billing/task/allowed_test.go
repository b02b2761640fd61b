package task_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

// doing does what a task of a claim lists, of a copy. What is not here is allowed in every state.
func doing(action string, c claim.Claim) error {
	r, by, at := &claim.Record{Claim: &c}, caller.Principal{ID: "key_1"}, sent.AddDate(0, 1, 0)
	c.History = slices.Clone(c.History)
	var err error
	switch action {
	case "voidClaim":
		if _, voided := r.VoidUnsent(at); !voided {
			_, _, err = r.Void(billing.ClaimID{15: 9}, "VOID", billing.RequestID{}, at)
		}
	case "submitClaim":
		_, err = r.Submit(at)
	case "updateClaim":
		_, err = r.Judged(nil, false, at)
	case "releaseClaim":
		err = r.Release(by, at)
	case "reopenClaim":
		err = r.Reopen(by.ID, at)
	case "reconcileClaim":
		var accept *claim.AcceptedOpen
		if open := c.Open(); open != 0 {
			accept = &claim.AcceptedOpen{As: claim.AcceptWriteOff, Lines: []claim.LineAmount{{Number: 1, Amount: open}}}
		}
		err = r.Reconcile(accept, by.ID, at)
	case "replaceClaim":
		_, err = r.Replace(c.Content, at)
	case "billSecondary":
		r.Ledger = c.Ledger(nil)
		_, err = r.BillSecondary(billing.ClaimID{15: 9}, "NEXT", claim.SecondPlan{}, false, billing.RequestID{}, at)
	case "createAppeal":
		_, err = c.NewAppeal()
	case task.AskPayer:
		err = claimstatus.Askable(&c)
	}
	return err
}

// went is how far a claim got with its payer.
type went struct {
	name   string
	states []claim.State // in which the claim then is, as its history does not say it
	change func(*claim.Claim)
}

// ways are what can have happened to a claim.
func ways() []went {
	atHand := []claim.State{claim.Draft, claim.Validated, claim.NeedsAttention, claim.Queued}
	moved := func(causes ...claim.Trigger) func(*claim.Claim) {
		return func(c *claim.Claim) {
			c.SentAt, c.BatchID, c.History = sent, billing.FileID{15: 1}, nil
			for _, by := range causes {
				c.History = append(c.History, claim.Move{At: sent, Cause: by})
			}
			if c.State == claim.Queued {
				c.BatchID = billing.FileID{}
			}
		}
	}
	again := func(change func(*claim.Claim)) func(*claim.Claim) {
		return with(change, func(c *claim.Claim) { c.Frequency = claim.FrequencyReplacement })
	}
	paid := func(c *claim.Claim) { c.Standing.Outcome, c.Standing.Act = remit.OutcomePaid, remit.ActAppeal }
	handled := func(c *claim.Claim) {
		c.Decisions = decision.List{{Of: string(task.Denied), As: decision.Handled, Amount: c.Open(), At: sent}}
	}
	appealing := func(c *claim.Claim) { c.Appealing = &limit.Appealing{MadeAt: sent} }
	decided := []claim.State{claim.Paid, claim.Denied}
	taken := moved(claim.TriggerSend, claim.TriggerPayerAccept)
	void := func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }
	asks := func(c *claim.Claim) { c.Kind = claim.KindPredetermination }
	return []went{
		{"never sent", atHand, func(*claim.Claim) {}},
		{"in a file", []claim.State{claim.Queued}, func(c *claim.Claim) { c.BatchID = billing.FileID{15: 1} }},
		{"rejected", append(atHand, claim.Rejected), moved(claim.TriggerSend, "rejected")},
		{"a rejected predetermination", append(atHand, claim.Rejected), with(moved(claim.TriggerSend, "rejected"), asks)},
		{"its file rejected", []claim.State{claim.Queued, claim.NeedsAttention}, moved(claim.TriggerSend, "file_rejected")},
		{"rejected, in the next file", []claim.State{claim.Queued}, with(moved(claim.TriggerSend, "rejected"), func(c *claim.Claim) { c.BatchID = billing.FileID{15: 2} })},
		{"replacing", []claim.State{claim.Queued}, again(moved(claim.TriggerSend, claim.TriggerPayerAccept, "replace"))},
		{"a rejected replacement", append(atHand, claim.Rejected), again(moved(claim.TriggerSend, claim.TriggerPayerAccept, "replace", claim.TriggerSend, "rejected"))},
		{"a rejected void", []claim.State{claim.Rejected}, with(moved(claim.TriggerSend, "rejected"), void)},
		{"a void", []claim.State{claim.Queued, claim.Submitted, claim.AcceptedPayer}, with(taken, void)},
		{"sent", []claim.State{claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer}, taken},
		{"a predetermination", []claim.State{claim.Submitted, claim.AcceptedClearinghouse, claim.AcceptedPayer, claim.Returned}, with(taken, asks)},
		{"taken back", []claim.State{claim.AcceptedPayer}, with(taken, func(c *claim.Claim) { c.SettledAt = sent })},
		{"denied", decided, with(taken, standing(0, 0, 0))},
		{"denied, to appeal", decided, with(taken, standing(0, 0, 0), paid)},
		{"denied and handled", decided, with(taken, standing(0, 0, 0), handled)},
		{"appealed", decided, with(taken, standing(0, 0, 0), appealing)},
		{"paid in part", decided, with(taken, standing(50_00, 20_00, 0), paid)},
		{"with a next plan", decided, with(taken, standing(50_00, 20_00, 30_00), secondPlan)},
		{"with a plan by a check", decided, with(taken, standing(50_00, 20_00, 30_00), shownPlan(1))},
		{"refused, with a plan by a check", decided, with(taken, standing(0, 0, 0), shownPlan(1), func(c *claim.Claim) { c.Standing.Act = remit.ActBillNext })},
		{"overpaid", decided, with(taken, standing(90_00, 20_00, 0), paid)},
		{"voided, and paid", []claim.State{claim.Voided}, with(taken, standing(80_00, 20_00, 0))},
		{"underpaid", decided, with(taken, standing(70_00, 30_00, 0), contracted(70_00))},
		{"changed", []claim.State{claim.Reconciled}, with(taken, standing(70_00, 30_00, 0), func(c *claim.Claim) { c.ReconciledAt = sent.Add(-time.Hour) })},
		{"changed, and open", []claim.State{claim.Reconciled}, with(taken, standing(50_00, 30_00, 0), func(c *claim.Claim) { c.ReconciledAt = sent.Add(-time.Hour) })},
		{"outdated", append(decided, claim.AcceptedPayer), with(taken, standing(50_00, 50_00, 0), func(c *claim.Claim) {
			c.SecondaryTo, c.Findings = billing.ClaimID{15: 3}, []claim.Finding{{Code: claim.FindingEarlierChanged}}
		})},
	}
}

// TestActionsAreAllowed does all that the tasks of claims list, for each way that a claim can go: nothing is a conflict.
// Each task lists something besides a decision.
func TestActionsAreAllowed(t *testing.T) {
	t.Parallel()
	held := func(c *claim.Claim) { c.Held = &claim.HeldBack{Reason: "The dentist looks at it.", At: sent} }
	kinds := map[task.Kind]int{}
	for _, way := range ways() {
		for _, state := range way.states {
			for i, change := range []func(*claim.Claim){way.change, with(way.change, held)} {
				c := aClaim(state, with(limited(limit.Set{Filing: within(90), Appeal: within(90)}), change))
				for _, w := range task.OfAClaim(c) {
					kinds[w.Kind]++
					if w.Actions[0] == "settleTask" {
						t.Errorf("%s, %s: %+v has nothing to do", way.name, state, w)
					}
					for _, action := range w.Actions {
						if err := doing(action, *c); err != nil {
							t.Errorf("%s, %s, held %d: %s of %s: %v", way.name, state, i, action, w.Kind, err)
						}
					}
				}
			}
		}
	}
	for _, kind := range []task.Kind{
		task.ClaimRejected, task.ClaimHeld, task.DraftOld, task.NoDecision, task.FilingLimit, task.Denied, task.AppealDue, task.Underpaid, task.Overpaid,
		task.ChangedAfterReconcile, task.SecondaryToBill, task.SecondaryOutdated,
	} {
		if kinds[kind] == 0 {
			t.Errorf("no claim has a task %s", kind)
		}
	}
}

// TestAttachmentsAndRemittancesAllowIt has what the tasks of attachments and of unfinished remittances list.
func TestAttachmentsAndRemittancesAllowIt(t *testing.T) {
	t.Parallel()
	documents := []*attachment.Document{{}}
	for name, x := range map[string]struct {
		a    attachment.Attachment
		want string
	}{
		"with images":  {attachment.Attachment{Documents: documents}, "closeAttachment"},
		"empty":        {attachment.Attachment{}, "uploadDocument"},
		"an answer":    {attachment.Attachment{Documents: documents, Kind: attachment.Solicited}, "answerPayerRequest"},
		"empty answer": {attachment.Attachment{Kind: attachment.Solicited}, "uploadDocument"},
	} {
		x.a.State = attachment.Open
		found := task.OfAnAttachment(&x.a)
		if len(found) != 1 || !slices.Equal(found[0].Actions, []string{x.want, "settleTask"}) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	for name, x := range map[string]struct {
		p    remit.Progress
		want []string
	}{
		"unmatched": {remit.Progress{Applied: 1, Unmatched: 1}, []string{"matchERAClaim", "ignoreERAClaim"}},
		"to review": {remit.Progress{Applied: 1, NeedsReview: 1}, []string{"matchERAClaim", "applyERAClaim", "ignoreERAClaim"}},
	} {
		found := task.OfARemittance(&remit.ERA{State: remit.NeedsReview, Stage: remit.Done, ReceivedAt: sent, Balanced: true, ClaimCount: 2, Progress: x.p})
		if len(found) != 1 || !slices.Equal(found[0].Actions, x.want) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestARejectedVoidNeedsNobodyOnceAPersonSaysSo ends the task of a void that the payer rejected by a decision: nothing of
// it can be corrected, and the claim that it voids may be voided again.
func TestARejectedVoidNeedsNobodyOnceAPersonSaysSo(t *testing.T) {
	t.Parallel()
	c := aClaim(claim.Rejected, func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid })
	w, ok := the(task.ClaimRejected, c)
	if !ok || fmt.Sprint(w.Actions, w.Settles) != "[getClaim settleTask] [handled]" {
		t.Fatalf("%+v", w)
	}
	d, err := (&task.Task{Work: w}).Settle(decision.Handled, "", "key_1", sent.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	(&claim.Record{Claim: c}).Decide(d, caller.Principal{ID: "key_1"})
	if w, ok := the(task.ClaimRejected, c); ok {
		t.Errorf("%+v", w)
	}
	if w, _ := the(task.ClaimRejected, aClaim(claim.Rejected, nil)); len(w.Settles) > 0 {
		t.Errorf("a claim that can be corrected: %+v", w)
	}
}
