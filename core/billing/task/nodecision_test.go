package task_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/task"
)

// TestReviewBeforeTheQuestion leads from a claim without a decision to the remittance that waits for a
// person, and from no other task.
func TestReviewBeforeTheQuestion(t *testing.T) {
	t.Parallel()
	w, _ := the(task.NoDecision, aClaim(claim.AcceptedPayer, nil))
	era := billing.ERAID{15: 7}
	waits := &task.Task{Work: w, ReviewERA: era}
	waits.Review()
	if !strings.Contains(waits.Reason, era.String()) || !slices.Equal(waits.Actions, []string{"getClaim", task.AskPayer}) || w.Actions[0] != task.AskPayer {
		t.Errorf("%+v", waits.Work)
	}
	sentOn := &task.Task{Work: w, ForwardedTo: "Cigna"}
	if sentOn.Review(); !strings.Contains(sentOn.Reason, "sent the claim on to Cigna") || strings.Contains(sentOn.Reason, "ask it") || sentOn.Actions[0] != "getClaim" {
		t.Errorf("%+v", sentOn.Work)
	}
	if estimate, _ := the(task.NoDecision, aClaim(claim.AcceptedPayer, func(c *claim.Claim) { c.Kind = claim.KindPredetermination })); !strings.Contains(estimate.Reason, "call the payer") || !slices.Equal(estimate.Actions, []string{"getClaim"}) {
		t.Errorf("a predetermination: %+v", estimate)
	}
	for name, other := range map[string]task.Task{
		"no remittance": {Work: w}, "done": {Work: w, ReviewERA: era, EndedAt: sent}, "another kind": {Work: task.Work{Kind: task.Denied, Reason: w.Reason, Actions: w.Actions}, ReviewERA: era},
	} {
		if other.Review(); other.Reason != w.Reason || !slices.Equal(other.Actions, w.Actions) {
			t.Errorf("%s: %+v", name, other.Work)
		}
	}
}

// TestWhatThePayerSaid shows how an answer of the payer changes the task of a claim without a
// decision: its reason, and when it comes.
func TestWhatThePayerSaid(t *testing.T) {
	t.Parallel()
	said := func(days int, outcome, category, status string) func(*claim.Claim) {
		return func(c *claim.Claim) {
			c.SentAt = sent
			at := sent.AddDate(0, 0, days)
			c.Asked = &claim.Asked{At: at, SaidAt: at, Outcome: outcome, Category: category, Status: status}
		}
	}
	again := func(days int) func(*claim.Claim) {
		return func(c *claim.Claim) { c.Asked.LastAt, c.Asked.Repeated = sent.AddDate(0, 0, days), 2 }
	}
	unheard := func(c *claim.Claim) { c.SentAt, c.Asked = sent, &claim.Asked{At: sent.AddDate(0, 0, 9), Missed: true} }
	for name, x := range map[string]struct {
		state  claim.State
		change func(*claim.Claim)
		days   int // until the task comes; less than zero for none
		reason string
	}{
		"not asked":           {claim.AcceptedPayer, nil, 30, "has not decided the claim for 30 days"},
		"no response":         {claim.AcceptedPayer, unheard, 30, "has not decided the claim for 30 days"},
		"not found":           {claim.AcceptedPayer, said(9, "not_found", "D0", "35"), 9, "On March 11, 2026 the payer found no such claim, also with wider dates: call the payer by telephone"},
		"not found, early":    {claim.AcceptedPayer, said(3, "not_found", "D0", "35"), 3, "ask again a week after it was sent"},
		"never acknowledged":  {claim.Submitted, said(9, "not_found", "D0", "35"), 9, "call the payer by telephone"},
		"submitted, pending":  {claim.Submitted, said(9, "found", "P1", "20"), -1, ""},
		"pending":             {claim.AcceptedPayer, said(9, "found", "P1", "20"), 30, "the payer said: In process: accepted for processing. Ask it again"},
		"pending again":       {claim.AcceptedPayer, with(said(9, "found", "P1", "20"), again(23)), 30, "On March 25, 2026 the payer said: In process"},
		"not found again":     {claim.AcceptedPayer, with(said(9, "not_found", "D0", "35"), again(23)), 9, "On March 25, 2026 the payer found no such claim"},
		"waits for practice":  {claim.AcceptedPayer, said(9, "found", "P3", "297"), 9, "Send what it asks for"},
		"waits for patient":   {claim.AcceptedClearinghouse, said(9, "found", "P4", ""), 9, "Ask the patient"},
		"asks for documents":  {claim.AcceptedPayer, said(9, "found", "R4", "297"), 30, "The payer asks for documents: medical notes. Send what it asks for"},
		"decided":             {claim.AcceptedPayer, said(9, "found", "F1", "65"), 30, "No remittance of it is applied: see on the claim whether one needs review"},
		"refused":             {claim.AcceptedPayer, said(9, "refused", "D0", "97"), 30, "the payer refused to search"},
		"nobody's":            {claim.AcceptedPayer, said(9, "found", "", ""), 30, "nothing says which of them is this one"},
		"unknown category":    {claim.AcceptedPayer, said(9, "found", "Z9", "1"), 30, "Call the payer."},
		"before it was sent":  {claim.AcceptedPayer, said(-1, "not_found", "D0", "35"), 30, "has not decided the claim for 30 days"},
		"void":                {claim.Submitted, with(said(9, "not_found", "D0", "35"), func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }), -1, ""},
		"taken back":          {claim.AcceptedPayer, with(said(9, "found", "P1", "20"), func(c *claim.Claim) { c.SettledAt = sent }), 30, "In process"},
		"paid, and not found": {claim.Paid, with(standing(80_00, 20_00, 0), said(9, "not_found", "D0", "35")), -1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := task.OfAClaim(aClaim(x.state, x.change))
			at := slices.IndexFunc(found, func(w task.Work) bool { return w.Kind == task.NoDecision })
			if at < 0 || x.days < 0 {
				if at >= 0 || x.days >= 0 {
					t.Errorf("%+v, want one in %d days", found, x.days)
				}
				return
			}
			w := found[at]
			if got := int(w.Since.Sub(sent) / (24 * time.Hour)); got != x.days || !strings.Contains(w.Reason, x.reason) || w.Actions[0] != task.AskPayer || w.DueOn.IsZero() {
				t.Errorf("after %d days: %+v, want %q after %d", got, w, x.reason, x.days)
			}
		})
	}
}
