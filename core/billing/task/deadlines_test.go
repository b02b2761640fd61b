package task_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

// limited gives the claim a service on the day on which it came into its state, and limits.
func limited(set limit.Set) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.Lines[0].ServiceDate = billing.DateOf(sent)
		c.Contract.Limits = set
	}
}

func within(days int) limit.Known {
	return limit.Known{Term: limit.Term{Days: days}, Of: limit.Payer}
}

// TestFilingLimit shows when a claim that its payer does not have needs a person.
func TestFilingLimit(t *testing.T) {
	t.Parallel()
	year := limit.Set{Filing: within(90), Secondary: within(30)}
	guam := limit.Set{Filing: within(90), Zone: "Pacific/Guam"}
	was := func(c *claim.Claim) { c.SentAt = sent }
	held := func(c *claim.Claim) { c.Held = &claim.HeldBack{Reason: "The dentist looks at it.", At: sent} }
	second := func(c *claim.Claim) { c.Coverage = billing.SequenceSecondary }
	decided := func(c *claim.Claim) {
		c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: &claim.CoverageAdjudication{PaymentDate: billing.DateOf(sent).AddDays(60)}}}
	}
	back := func(causes ...claim.Trigger) func(*claim.Claim) {
		return func(c *claim.Claim) {
			c.SentAt, c.History = sent, append(slices.Clone(c.History), claim.Move{State: claim.Submitted, At: sent, Cause: claim.TriggerSend})
			for _, by := range causes {
				c.History = append(c.History, claim.Move{State: c.State, At: sent, Cause: by})
			}
		}
	}
	for name, x := range map[string]struct {
		state  claim.State
		change func(*claim.Claim)
		days   int // from the service until the task is due; less than zero for none
		action string
		zone   limit.Zone
	}{
		"validated":                 {claim.Validated, limited(year), 90, "submitClaim", ""},
		"draft":                     {claim.Draft, limited(year), 90, "updateClaim", ""},
		"needs attention":           {claim.NeedsAttention, limited(year), 90, "updateClaim", ""},
		"queued":                    {claim.Queued, limited(year), 90, "getClaim", ""},
		"held by a person":          {claim.Validated, with(limited(year), held), 90, "releaseClaim", ""},
		"rejected":                  {claim.Rejected, with(limited(year), was), 90, "updateClaim", ""},
		"corrected":                 {claim.Validated, with(limited(year), back("rejected", "validation")), 90, "submitClaim", ""},
		"corrected to a draft":      {claim.Draft, with(limited(year), back("rejected", "draft")), 90, "updateClaim", ""},
		"not found":                 {claim.NeedsAttention, with(limited(year), back("not_found")), 90, "updateClaim", ""},
		"its file was rejected":     {claim.Queued, with(limited(year), back("file_rejected")), 90, "getClaim", ""},
		"two of its files":          {claim.NeedsAttention, with(limited(year), back("file_rejected", claim.TriggerSend, "file_rejected_again")), 90, "updateClaim", ""},
		"sent again":                {claim.Submitted, with(limited(year), back("rejected", "validation", claim.TriggerSubmit, claim.TriggerSend)), -1, "", ""},
		"decided after all":         {claim.Validated, with(limited(year), back("rejected", "validation"), func(c *claim.Claim) { c.SettledAt = sent.Add(time.Hour) }), -1, "", ""},
		"sent":                      {claim.Submitted, with(limited(year), was), -1, "", ""},
		"a replacement":             {claim.Validated, with(limited(year), was), -1, "", ""},
		"voided":                    {claim.Voided, limited(year), -1, "", ""},
		"unknown":                   {claim.Validated, limited(limit.Set{Secondary: within(30)}), -1, "", ""},
		"without a service date":    {claim.Draft, with(limited(year), func(c *claim.Claim) { c.Lines[0].ServiceDate = billing.Date{} }), -1, "", ""},
		"a predetermination":        {claim.Validated, with(limited(year), func(c *claim.Claim) { c.Kind = claim.KindPredetermination }), -1, "", ""},
		"a void":                    {claim.Rejected, with(limited(year), func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }), -1, "", ""},
		"secondary":                 {claim.Validated, with(limited(year), second, decided), 90, "submitClaim", ""},
		"secondary without primary": {claim.Validated, with(limited(year), second), -1, "", ""},
		"at an office in Guam":      {claim.Validated, limited(guam), 90, "submitClaim", guam.Zone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, ok := the(task.FilingLimit, aClaim(x.state, x.change))
			if ok != (x.days >= 0) {
				t.Fatalf("a task: %t", ok)
			}
			if !ok {
				return
			}
			due := billing.DateOf(sent).AddDays(x.days)
			if w.DueOn != due || !w.Since.Equal(x.zone.Begins(due.AddDays(-14))) || w.DueBy != task.DueByPayer || w.Actions[0] != x.action {
				t.Errorf("%+v, want one due on %s that comes 14 days before", w, due)
			}
		})
	}
}

// the returns the work of a kind.
func the(kind task.Kind, c *claim.Claim) (task.Work, bool) {
	all := task.OfAClaim(c)
	i := slices.IndexFunc(all, func(w task.Work) bool { return w.Kind == kind })
	if i < 0 {
		return task.Work{}, false
	}
	return all[i], true
}

// TestAppealDue follows an appeal from its draft to what comes after it was sent. While it is not
// decided, the denial itself needs nobody.
func TestAppealDue(t *testing.T) {
	t.Parallel()
	denied := with(standing(0, 0, 0), limited(limit.Set{Appeal: within(120)}), func(c *claim.Claim) {
		c.Standing.Act, c.Standing.PaymentDate = remit.ActAppeal, billing.DateOf(sent)
	})
	c := aClaim(claim.Denied, denied)
	w, ok := the(task.Denied, c)
	if last := billing.DateOf(sent).AddDays(120); !ok || w.DueOn != last || w.DueBy != task.DueByPayer || w.Actions[0] != "createAppeal" || !strings.Contains(w.Reason, "by June 30, 2026") {
		t.Errorf("a denial that can be appealed: %+v", w)
	}
	for _, act := range []remit.Act{remit.ActCorrect, remit.ActSend, remit.ActWriteOff, remit.ActBillNext, remit.ActNone} {
		other := aClaim(claim.Denied, denied)
		other.Standing.Act = act
		if o, _ := the(task.Denied, other); o.DueOn != w.DueOn || o.DueBy != w.DueBy {
			t.Errorf("a denial whose act is %s: %+v", act, o)
		}
	}
	undecided := aClaim(claim.Denied, denied)
	undecided.Standing.OpenReason = "undecided"
	if o, ok := the(task.Denied, undecided); !ok || !o.DueOn.IsZero() {
		t.Errorf("nothing is refused: %+v", o)
	}
	by, err := c.NewAppeal()
	if err != nil || by.Source != limit.Payer || by.Days != 120 {
		t.Fatalf("the deadline of a new appeal: %+v, %v", by, err)
	}
	c.Appealing = &limit.Appealing{SendBy: by, MadeAt: sent.AddDate(0, 0, 3)}
	if w, ok = the(task.AppealDue, c); !ok || w.DueOn != by.On || w.Since != c.Appealing.MadeAt || w.Actions[0] != "recordAppealSent" || w.Amount != 100_00 || w.DueBy != task.DueByPayer {
		t.Errorf("a draft: %+v", w)
	}
	if _, ok = the(task.Denied, c); ok {
		t.Error("the denial needs a person, though its appeal does")
	}
	if _, err := c.NewAppeal(); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("a second appeal: %v", err)
	}

	c.Appealing.SentOn, c.Appealing.SentAt = billing.DateOf(sent).AddDays(5), sent.AddDate(0, 0, 6)
	due := billing.DateOf(sent).AddDays(65)
	if w, ok = the(task.AppealDue, c); !ok || w.DueOn != due || !w.Since.Equal(limit.Zone("").Begins(due)) || w.DueBy != task.DueByPractice || w.Actions[0] != "recordAppealDecided" {
		t.Errorf("one that was sent: %+v", w)
	}
	c.SettledAt = sent.AddDate(0, 0, 5).Add(8 * time.Hour) // the day on which it was sent, and before that was recorded
	if w, _ = the(task.AppealDue, c); !w.Since.Equal(limit.Zone("").Begins(due)) {
		t.Errorf("one that a remittance of that day does not follow: %+v", w)
	}
	c.SettledAt = sent.AddDate(0, 0, 5).Add(20 * time.Hour) // the next day, and before that was recorded
	if w, _ = the(task.AppealDue, c); w.Since != c.SettledAt {
		t.Errorf("one that was recorded late: %+v", w)
	}
	c.SettledAt = sent.AddDate(0, 0, 20)
	if w, ok = the(task.AppealDue, c); !ok || w.Since != c.SettledAt || !strings.Contains(w.Reason, "A remittance came after") {
		t.Errorf("one that a remittance followed: %+v", w)
	}
	c.SettledAt = sent.AddDate(0, 0, 90)
	if w, _ = the(task.AppealDue, c); !w.Since.Equal(limit.Zone("").Begins(due)) {
		t.Errorf("the task comes later than the day that is due: %+v", w)
	}
	c.State = claim.Voided
	if _, ok = the(task.AppealDue, c); ok {
		t.Error("a voided claim has an appeal to do")
	}
}

// TestBesideAnAppeal says of an overpaid and of a changed claim what to do about that. What to do
// about its appeal is the reason of another task.
func TestBesideAnAppeal(t *testing.T) {
	t.Parallel()
	appealing := func(c *claim.Claim) {
		c.Appealing = &limit.Appealing{MadeAt: sent, SentOn: billing.DateOf(sent), SentAt: sent}
		c.ReconciledAt, c.SettledAt = sent.AddDate(0, 0, 1), sent.AddDate(0, 0, 2)
	}
	for kind, c := range map[task.Kind]*claim.Claim{
		task.Overpaid:              aClaim(claim.Paid, with(standing(90_00, 20_00, 0), appealing)),
		task.ChangedAfterReconcile: aClaim(claim.Reconciled, with(standing(70_00, 30_00, 0), appealing)),
	} {
		w, ok := the(kind, c)
		if !ok || strings.Contains(w.Reason, "appeal") || c.Appealing == nil {
			t.Errorf("%s: %+v", kind, w)
		}
		if w, ok = the(task.AppealDue, c); !ok || !strings.Contains(w.Reason, "appeal") {
			t.Errorf("%s: the appeal %+v", kind, w)
		}
	}
}

// TestProposedDeadline proposes 180 days where no limit is known, which is no limit of the payer.
func TestProposedDeadline(t *testing.T) {
	t.Parallel()
	c := aClaim(claim.Denied, with(standing(0, 0, 0), limited(limit.Set{})))
	if d := c.Deadlines().Appeal; d.Source != limit.Unknown || !d.On.IsZero() {
		t.Errorf("unknown: %+v", d)
	}
	by, err := c.NewAppeal()
	if err != nil || by.Source != limit.Proposed || by.On != billing.DateOf(sent).AddDays(180) {
		t.Fatalf("%+v, %v", by, err)
	}
	c.Appealing = &limit.Appealing{SendBy: by, MadeAt: sent}
	if w, _ := the(task.AppealDue, c); w.DueBy != task.DueByPractice || !strings.Contains(w.Reason, "proposal: confirm it") {
		t.Errorf("%+v", w)
	}
	by.Source = limit.Person
	c.Appealing.SendBy = by
	if w, _ := the(task.AppealDue, c); w.DueBy != task.DueByPerson || strings.Contains(w.Reason, "proposal") {
		t.Errorf("confirmed: %+v", w)
	}
	for name, change := range map[string]func(*claim.Claim){
		"undecided":          func(c *claim.Claim) { c.State, c.Standing = claim.AcceptedPayer, nil },
		"a void":             func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid },
		"an erased patient":  func(c *claim.Claim) { c.ErasedAt = time.Now() },
		"a predetermination": func(c *claim.Claim) { c.Kind = claim.KindPredetermination },
	} {
		if _, err := aClaim(claim.Denied, with(standing(0, 0, 0), change)).NewAppeal(); billing.CodeOf(err) != billing.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
	}
}
