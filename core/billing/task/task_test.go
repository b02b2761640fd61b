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
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

// sent is when the claims of these tests came into their states.
var sent = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)

// aClaim is a claim of 100.00 in a state, with what change does.
func aClaim(state claim.State, change func(*claim.Claim)) *claim.Claim {
	c := &claim.Claim{ID: billing.ClaimID{15: 1}, Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal, CreatedAt: sent.AddDate(0, 0, -2)}
	c.State, c.UpdatedAt = state, sent
	c.Lines = []claim.Line{{ProcedureCode: "D2740", Fee: 100_00, Quantity: 1}}
	c.History = []claim.Move{{State: claim.Validated, At: sent.AddDate(0, 0, -1)}, {State: state, At: sent}, {State: state, At: sent.Add(time.Hour)}}
	if change != nil {
		change(c)
	}
	return c
}

func standing(paid, contractual, patient billing.Money) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.SettledAt = sent
		c.Standing = &claim.Standing{Paid: paid, Contractual: contractual, PatientResponsibility: patient, OpenReason: claim.OpenRefused}
	}
}

func with(all ...func(*claim.Claim)) func(*claim.Claim) {
	return func(c *claim.Claim) {
		for _, change := range all {
			change(c)
		}
	}
}

// late leaves an amount to the patient because a filing limit was missed.
func late(m billing.Money) func(*claim.Claim) {
	return func(c *claim.Claim) { c.Standing.Late, c.Standing.LateAmount = true, m }
}

func secondPlan(c *claim.Claim) {
	c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequenceSecondary}}
}

// shownPlan is a plan that a check showed days after the decision.
func shownPlan(days int) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.Shown = &coverage.ShownPlan{Check: billing.CheckID{15: 4}, Payer: directory.PayerSummary{ID: billing.PayerID{15: 5}, Name: "Aetna"}, Since: sent.AddDate(0, 0, days)}
	}
}

// want is a task as a test names it: its kind, its amount, and the days from sent until it comes.
type want struct {
	kind   task.Kind
	amount billing.Money
	days   int
}

func check(t *testing.T, got []task.Work, wants []want) {
	t.Helper()
	var found []want
	for _, w := range got {
		found = append(found, want{w.Kind, w.Amount, int(w.Since.Sub(sent).Hours() / 24)})
		if w.Reason == "" || len(w.Actions) == 0 || w.Resource.String() == "" || (w.DueBy == "") != w.DueOn.IsZero() {
			t.Errorf("incomplete: %+v", w)
		}
	}
	if !slices.Equal(found, wants) {
		t.Errorf("%v, want %v", found, wants)
	}
}

func TestClaimRules(t *testing.T) {
	t.Parallel()
	void := func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }
	later := func(c *claim.Claim) { c.SecondaryID, c.Standing.LaterDecided = billing.ClaimID{15: 2}, true }
	finding := func(code string) func(*claim.Claim) {
		return func(c *claim.Claim) { c.Findings = []claim.Finding{{Code: code}} }
	}
	for name, x := range map[string]struct {
		c    *claim.Claim
		want []want
	}{
		"validated":         {aClaim(claim.Validated, nil), nil},
		"queued":            {aClaim(claim.Queued, nil), nil},
		"rejected":          {aClaim(claim.Rejected, nil), []want{{task.ClaimRejected, 100_00, 0}}},
		"rejected void":     {aClaim(claim.Rejected, void), []want{{task.ClaimRejected, 100_00, 0}}},
		"held":              {aClaim(claim.NeedsAttention, finding("tooth_required")), []want{{task.ClaimHeld, 100_00, 0}}},
		"waits for others":  {aClaim(claim.NeedsAttention, finding(claim.FindingNotEnrolled)), nil},
		"draft":             {aClaim(claim.Draft, nil), []want{{task.DraftOld, 100_00, 3}}},
		"submitted":         {aClaim(claim.Submitted, nil), []want{{task.Unacknowledged, 100_00, 2}}},
		"accepted":          {aClaim(claim.AcceptedPayer, nil), []want{{task.NoDecision, 100_00, 30}}},
		"by clearinghouse":  {aClaim(claim.AcceptedClearinghouse, nil), []want{{task.NoDecision, 100_00, 30}}},
		"accepted void":     {aClaim(claim.AcceptedPayer, void), nil},
		"reversed":          {aClaim(claim.AcceptedPayer, func(c *claim.Claim) { c.SettledAt = sent }), []want{{task.NoDecision, 100_00, 30}}},
		"paid in full":      {aClaim(claim.Paid, standing(80_00, 20_00, 0)), nil},
		"patient's part":    {aClaim(claim.Paid, standing(50_00, 20_00, 30_00)), nil},
		"denied line":       {aClaim(claim.Paid, standing(50_00, 20_00, 0)), []want{{task.Denied, 30_00, 0}}},
		"denied":            {aClaim(claim.Denied, standing(0, 0, 0)), []want{{task.Denied, 100_00, 0}}},
		"accepted as open":  {aClaim(claim.Reconciled, with(standing(50_00, 20_00, 0), accepted(30_00))), nil},
		"overpaid":          {aClaim(claim.Paid, standing(90_00, 20_00, 0)), []want{{task.Overpaid, 10_00, 0}}},
		"voided and kept":   {aClaim(claim.Voided, with(standing(80_00, 20_00, 0), func(c *claim.Claim) { c.SentAt = sent })), []want{{task.Overpaid, 80_00, 30}}},
		"voided, returned":  {aClaim(claim.Voided, standing(0, 0, 0)), nil},
		"underpaid":         {aClaim(claim.Paid, with(standing(70_00, 30_00, 0), contracted(70_00))), []want{{task.Underpaid, 20_00, 0}}},
		"by a dollar":       {aClaim(claim.Paid, with(standing(89_00, 11_00, 0), contracted(89_00))), nil},
		"and reconciled":    {aClaim(claim.Reconciled, with(standing(70_00, 30_00, 0), contracted(70_00), func(c *claim.Claim) { c.ReconciledAt = sent })), []want{{task.Underpaid, 20_00, 0}}},
		"not decided again": {aClaim(claim.AcceptedPayer, contracted(70_00)), []want{{task.NoDecision, 100_00, 30}}},
		"changed":           {aClaim(claim.Reconciled, with(standing(80_00, 20_00, 0), func(c *claim.Claim) { c.ReconciledAt = sent.Add(-time.Hour) })), []want{{task.ChangedAfterReconcile, 0, 0}}},
		"and open":          {aClaim(claim.Reconciled, with(standing(60_00, 20_00, 0), func(c *claim.Claim) { c.ReconciledAt = sent.Add(-time.Hour) })), []want{{task.ChangedAfterReconcile, 20_00, 0}}},
		"of two payers":     {aClaim(claim.Denied, with(standing(0, 0, 0), later)), nil},
		"second undecided":  {aClaim(claim.Denied, with(standing(0, 0, 0), later, func(c *claim.Claim) { c.Standing.LaterDecided = false })), []want{{task.Denied, 100_00, 0}}},
		"crossed over only": {aClaim(claim.Denied, with(standing(0, 0, 0), later, func(c *claim.Claim) { c.SecondaryID = billing.ClaimID{} })), []want{{task.Denied, 100_00, 0}}},
		"second plan":       {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), secondPlan)), []want{{task.SecondaryToBill, 30_00, 0}}},
		"nothing is left":   {aClaim(claim.Paid, with(standing(80_00, 20_00, 0), secondPlan)), nil},
		"billed":            {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), secondPlan, func(c *claim.Claim) { c.SecondaryID = billing.ClaimID{15: 2} })), nil},
		"crossed over":      {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), secondPlan, func(c *claim.Claim) { c.Standing.CrossedOver = true })), nil},
		"shown plan":        {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), shownPlan(-9))), []want{{task.SecondaryToBill, 30_00, 0}}},
		"shown later":       {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), shownPlan(9))), []want{{task.SecondaryToBill, 30_00, 9}}},
		"shown, reconciled": {aClaim(claim.Reconciled, with(standing(50_00, 20_00, 30_00), shownPlan(-9), func(c *claim.Claim) { c.ReconciledAt = sent })), nil},
		"shown for nothing": {aClaim(claim.Paid, with(standing(80_00, 20_00, 0), shownPlan(-9))), nil},
		"shown and billed":  {aClaim(claim.Paid, with(standing(50_00, 20_00, 30_00), shownPlan(-9), func(c *claim.Claim) { c.SecondaryID = billing.ClaimID{15: 2} })), nil},
		"outdated":          {aClaim(claim.AcceptedPayer, with(finding(claim.FindingEarlierChanged), func(c *claim.Claim) { c.SecondaryTo = billing.ClaimID{15: 3} })), []want{{task.NoDecision, 100_00, 30}, {task.SecondaryOutdated, 100_00, 0}}},
		"erased":            {aClaim(claim.Rejected, func(c *claim.Claim) { c.ErasedAt = sent }), nil},
		"predetermination":  {aClaim(claim.Returned, func(c *claim.Claim) { c.Kind = claim.KindPredetermination }), nil},
		"late":              {aClaim(claim.Denied, with(standing(0, 0, 100_00), late(100_00))), []want{{task.Denied, 100_00, 0}}},
		"a part is late":    {aClaim(claim.Paid, with(standing(50_00, 20_00, 20_00), late(20_00))), []want{{task.Denied, 30_00, 0}}},
		"late, appealed": {aClaim(claim.Denied, with(standing(0, 0, 100_00), late(100_00), func(c *claim.Claim) {
			c.Appealing = &limit.Appealing{MadeAt: sent, SendBy: limit.Deadline{On: billing.DateOf(sent), Source: limit.Person}}
		})), []want{{task.AppealDue, 100_00, 0}}},
		"late, reconciled":  {aClaim(claim.Reconciled, with(standing(0, 0, 100_00), late(100_00), func(c *claim.Claim) { c.ReconciledAt = sent })), nil},
		"denied and second": {aClaim(claim.Denied, with(standing(0, 0, 0), secondPlan)), []want{{task.Denied, 100_00, 0}, {task.SecondaryToBill, 100_00, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, task.OfAClaim(x.c), x.want)
		})
	}
}

// TestNextStepNamesItsWork has the next step of claims that wait, before their work comes and after.
func TestNextStepNamesItsWork(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		c    *claim.Claim
		days int // since it came into its state, when it is read
		want string
	}{
		"in time":        {aClaim(claim.AcceptedPayer, nil), 29, "No action is needed: the payer will decide"},
		"no decision":    {aClaim(claim.AcceptedPayer, nil), 30, "The payer has not decided the claim for 30 days: ask it"},
		"unacknowledged": {aClaim(claim.Submitted, nil), 2, "The claim was not acknowledged for two days"},
		"paid":           {aClaim(claim.Paid, standing(80_00, 20_00, 0)), 90, "Post the payment"},
		"voided":         {aClaim(claim.Voided, with(standing(80_00, 20_00, 0), func(c *claim.Claim) { c.SentAt = sent })), 1, "The payer has voided the claim and has not taken $80.00 back: "},
		"voided here": {aClaim(claim.Voided, with(standing(80_00, 20_00, 0), func(c *claim.Claim) {
			c.SentAt, c.History = sent, append(c.History, claim.Move{State: claim.Voided, Cause: "void_unsent", At: sent})
		})), 1, "The payer paid $80.00 on this claim, which was voided here after it was rejected: ask"},
	} {
		r := &claim.Record{Claim: x.c, ReadAt: sent.AddDate(0, 0, x.days)}
		if step := task.NextStep(r); !strings.HasPrefix(step, x.want) {
			t.Errorf("%s: %q", name, step)
		}
	}
	listed := &claim.Record{Claim: aClaim(claim.Submitted, func(c *claim.Claim) { c.History = nil }), ReadAt: sent.AddDate(0, 0, 9), Tasks: []claim.OpenTask{}}
	if step := task.NextStep(listed); !claim.Idle(step) {
		t.Errorf("a claim in a list, without a task: %q", step)
	}
	listed.Tasks = []claim.OpenTask{{Reason: "Later.", From: listed.ReadAt.Add(1)}, {Reason: "First.", From: listed.ReadAt}, {Reason: "Second.", From: sent}}
	if task.NextStep(listed) != "First." {
		t.Errorf("a claim in a list: %q", task.NextStep(listed))
	}
	if step := task.NextStep(&claim.Record{Claim: aClaim(claim.AcceptedPayer, nil)}); !claim.Idle(step) {
		t.Errorf("a claim that is made: %q", step)
	}
}

// TestWhenWorkBegins has tasks whose cause came after the claim had come into its state.
func TestWhenWorkBegins(t *testing.T) {
	t.Parallel()
	later := sent.AddDate(0, 0, 5)
	overpaid := aClaim(claim.Paid, with(standing(90_00, 20_00, 0), func(c *claim.Claim) { c.SettledAt = later }))
	changed := aClaim(claim.AcceptedPayer, func(c *claim.Claim) {
		c.SecondaryTo, c.Findings = billing.ClaimID{15: 3}, []claim.Finding{{Code: claim.FindingEarlierChanged}}
		c.History = append(c.History, claim.Move{State: claim.AcceptedPayer, At: later, Cause: "earlier_payer_changed"}, claim.Move{State: claim.AcceptedPayer, At: later.Add(time.Hour), Cause: claim.TriggerMatch})
	})
	check(t, task.OfAClaim(overpaid), []want{{task.Overpaid, 10_00, 5}})
	kept := aClaim(claim.Voided, with(standing(80_00, 20_00, 0), func(c *claim.Claim) { c.SentAt = sent }))
	if got := task.OfAClaim(kept)[0].Reason; !strings.HasPrefix(got, "The claim is voided, and the payer has not taken $80.00 back for 30 days: ask it") {
		t.Errorf("a payment that the payer did not take back: %q", got)
	}
	check(t, task.OfAClaim(changed), []want{{task.NoDecision, 100_00, 30}, {task.SecondaryOutdated, 100_00, 5}})
}

// TestFirstActions names first what is allowed: a claim with money open is not reconciled again as it is.
func TestFirstActions(t *testing.T) {
	t.Parallel()
	before := func(c *claim.Claim) { c.ReconciledAt = sent.Add(-time.Hour) }
	for want, change := range map[string]func(*claim.Claim){
		"reconcileClaim": standing(80_00, 20_00, 0), "reopenClaim": standing(50_00, 20_00, 0),
	} {
		at := slices.IndexFunc(task.OfAClaim(aClaim(claim.Reconciled, with(change, before))), func(w task.Work) bool {
			return w.Kind == task.ChangedAfterReconcile && w.Actions[0] == want && len(w.Actions) == 2
		})
		if at < 0 {
			t.Errorf("%+v, want %s first", task.OfAClaim(aClaim(claim.Reconciled, with(change, before))), want)
		}
	}
}

// contracted has a contract of 90.00, and the payer allows an amount.
func contracted(allowed billing.Money) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.Contract = contract.Contract{
			Terms:   []contract.Term{{Each: 90_00, ScheduleID: billing.FeeScheduleID{15: 1}, ScheduleName: "Delta 2026"}},
			Counted: []contract.Counted{{Number: 1, Allowed: allowed}},
		}
	}
}

func accepted(m billing.Money) func(*claim.Claim) {
	return func(c *claim.Claim) {
		c.ReconciledAt = sent
		c.Accepted = []claim.AcceptedOpen{{Lines: []claim.LineAmount{{Number: 1, Amount: m}}}}
	}
}

func TestOtherRules(t *testing.T) {
	t.Parallel()
	era := func(change func(*remit.ERA)) []task.Work {
		e := &remit.ERA{ID: billing.ERAID{15: 1}, State: remit.NeedsReview, Stage: remit.Done, ReceivedAt: sent, Balanced: true, ClaimCount: 1, Progress: remit.Progress{Applied: 1}}
		e.Payment.Total = 80_00
		change(e)
		return task.OfARemittance(e)
	}
	enrolled := func(s directory.EnrollmentState) []task.Work {
		return task.OfAnEnrollment(&network.Enrollment{ID: billing.EnrollmentID{15: 1}, State: s, UpdatedAt: sent})
	}
	attached := func(s attachment.State, sending billing.JobID) []task.Work {
		return task.OfAnAttachment(&attachment.Attachment{ID: billing.AttachmentID{15: 1}, State: s, Sending: sending, UpdatedAt: sent})
	}
	asked := func(s attachment.PayerRequestState) []task.Work {
		found := task.OfAPayerRequest(&attachment.PayerRequest{
			ID: billing.PayerRequestID{15: 1}, State: s, CreatedAt: sent, DueDate: billing.DateOf(sent), OfficeID: billing.OfficeID{15: 2}, PatientID: billing.PatientID{15: 3},
		})
		for _, w := range found {
			if w.OfficeID != (billing.OfficeID{15: 2}) || w.Patient != (billing.PatientID{15: 3}) {
				t.Errorf("the task of a payer request is of %s and %s", w.OfficeID, w.Patient)
			}
		}
		return found
	}
	for name, x := range map[string]struct {
		got  []task.Work
		want []want
	}{
		"to post":   {era(func(*remit.ERA) {}), []want{{task.RemittanceToPost, 80_00, 0}}},
		"not read":  {era(func(e *remit.ERA) { e.ReceivedAt = time.Time{} }), nil},
		"in work":   {era(func(e *remit.ERA) { e.Stage, e.Progress = remit.Applying, remit.Progress{} }), nil},
		"posted":    {era(func(e *remit.ERA) { e.State = remit.Posted }), nil},
		"unmatched": {era(func(e *remit.ERA) { e.Progress = remit.Progress{Unmatched: 1} }), []want{{task.RemittanceUnmatched, 80_00, 0}}},
		"a part": {era(func(e *remit.ERA) {
			e.Progress, e.Waiting = remit.Progress{Unmatched: 1}, new(billing.Money(-30_00))
		}), []want{{task.RemittanceUnmatched, 30_00, 0}}},
		"discarded":    {era(func(e *remit.ERA) { e.State, e.Progress = remit.Discarded, remit.Progress{Unmatched: 1} }), nil},
		"correction":   {era(func(e *remit.ERA) { e.Corrects = []billing.ERAID{{15: 2}} }), []want{{task.RemittanceCorrection, 80_00, 0}}},
		"needed":       {enrolled(directory.EnrollmentNeeded), []want{{task.EnrollmentWaiting, 0, 0}}},
		"refused":      {enrolled(directory.EnrollmentRejected), []want{{task.EnrollmentWaiting, 0, 0}}},
		"active":       {enrolled(directory.EnrollmentActive), nil},
		"open":         {attached(attachment.Open, billing.JobID{}), []want{{task.ImagesUnsent, 0, 1}}},
		"being sent":   {attached(attachment.Open, billing.JobID{15: 1}), nil},
		"closed":       {attached(attachment.Closed, billing.JobID{}), nil},
		"asked":        {asked(attachment.PayerRequestOpen), []want{{task.RequestDue, 0, 0}}},
		"answered":     {asked(attachment.PayerRequestAnswered), nil},
		"unknown word": {enrolled("waiting"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, x.got, x.want)
		})
	}
}

func TestStatesOfATask(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		t    task.Task
		want task.State
	}{
		"open":          {task.Task{}, task.Open},
		"snoozed":       {task.Task{SnoozedUntil: sent.Add(time.Second)}, task.Snoozed},
		"back":          {task.Task{SnoozedUntil: sent}, task.Open},
		"until changed": {task.Task{UntilChange: true}, task.Snoozed},
		"done":          {task.Task{UntilChange: true, EndedAt: sent}, task.Done},
	} {
		if got := x.t.State(sent); got != x.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	done := task.Task{EndedAt: sent}
	for _, err := range []error{done.Wake(), done.Snooze(sent), done.Assign(billing.UserID{15: 1})} {
		if billing.CodeOf(err) != billing.CodeConflict {
			t.Errorf("a task that is done: %v", err)
		}
	}
	for _, d := range []billing.Date{{}, {Year: 2026, Month: 2, Day: 28}} {
		if got := task.DueAt((&task.Task{Work: task.Work{DueOn: d}}).Position()); got != d {
			t.Errorf("the day of a position: %v, want %v", got, d)
		}
	}
}

// TestPayersWithTheMost has more payers than a list of counts does: those with the most tasks are in it, the
// most first, and of two with as many always the same.
func TestPayersWithTheMost(t *testing.T) {
	t.Parallel()
	c := task.Counts{Payers: map[billing.PayerID]int{}}
	for n := range 120 {
		c.Payers[billing.PayerID{15: byte(n)}] = 1 + n%60
	}
	got := c.MostOf()
	if len(got) != task.MaxPayers || !slices.Equal(got[:3], []billing.PayerID{{15: 59}, {15: 119}, {15: 58}}) || c.Payers[got[99]] != 11 {
		t.Errorf("%d payers: %v", len(got), got)
	}
	few := task.Counts{Payers: map[billing.PayerID]int{{15: 1}: 3}}
	if got := few.MostOf(); len(got) != 1 {
		t.Errorf("of one payer: %v", got)
	}
}

// TestNoneIsOpen knows by the counts that a filter finds no open task, and of other states nothing.
func TestNoneIsOpen(t *testing.T) {
	t.Parallel()
	office, payer := billing.OfficeID{15: 1}, billing.PayerID{15: 1}
	c := task.Counts{Kinds: map[task.Kind]int{task.Denied: 2}, Offices: map[billing.OfficeID]int{office: 2}, Payers: map[billing.PayerID]int{payer: 1}}
	for _, x := range []struct {
		f    task.Filter
		none bool
	}{
		{task.Filter{}, false},
		{task.Filter{State: task.Open, OfficeID: office, PayerID: payer, Kinds: []task.Kind{task.Overpaid, task.Denied}}, false},
		{task.Filter{OfficeID: billing.OfficeID{15: 2}}, true},
		{task.Filter{State: task.Open, OfficeID: office, PayerID: billing.PayerID{15: 2}}, true},
		{task.Filter{Kinds: []task.Kind{task.Overpaid, task.Underpaid}}, true},
		{task.Filter{State: task.Done, OfficeID: billing.OfficeID{15: 2}}, false},
		{task.Filter{State: task.Snoozed, Kinds: []task.Kind{task.Overpaid}}, false},
	} {
		if got := c.None(x.f); got != x.none {
			t.Errorf("%+v: %t", x.f, got)
		}
	}
}

// TestAShownPlanIsNamed has the words of the task, and the operation that bills the plan.
func TestAShownPlanIsNamed(t *testing.T) {
	t.Parallel()
	c := aClaim(claim.Denied, with(standing(0, 0, 0), shownPlan(0), func(c *claim.Claim) { c.Standing.Act = remit.ActBillNext }))
	found := task.OfAClaim(c)
	if len(found) != 2 || found[0].Actions[0] != "billSecondary" || found[1].Actions[0] != "billSecondary" ||
		found[1].Reason != "An active check shows a plan with Aetna, and $100.00 is left: bill it, or say that you will not." {
		t.Errorf("%+v", found)
	}
	if settles := found[1].Settles; !slices.Contains(settles, decision.NotBilled) {
		t.Errorf("it can be settled as %v", settles)
	}
}

// TestADecisionIsAboutAPlan has the task again once a check shows a plan that came after the decision not to bill.
func TestADecisionIsAboutAPlan(t *testing.T) {
	t.Parallel()
	r := &claim.Record{Claim: aClaim(claim.Paid, with(standing(60_00, 0, 40_00), shownPlan(0)))}
	one, other := r.Shown, &coverage.ShownPlan{Check: billing.CheckID{15: 7}, Payer: directory.PayerSummary{ID: billing.PayerID{15: 7}, Name: "MetLife"}, Since: sent}
	decide := func() {
		r.Decide(decision.Decision{Of: string(task.SecondaryToBill), As: decision.NotBilled, Amount: 40_00, At: sent.AddDate(0, 0, 1)}, caller.Principal{})
	}
	wants := func(what string, n int) {
		t.Helper()
		if found := task.OfAClaim(r.Claim); len(found) != n || r.ToNext() != billing.Money(40_00*n) {
			t.Errorf("%s: %+v, %s is left", what, found, r.ToNext())
		}
	}
	decide()
	wants("decided", 0)
	r.Shown = other
	wants("another plan", 1)
	decide()
	wants("decided again", 0)
	for range 2 { // whichever was checked last
		r.Shown = one
		wants("the first plan again", 0)
		r.Shown = nil
		wants("no plan", 0)
		r.Shown = other
	}
}
