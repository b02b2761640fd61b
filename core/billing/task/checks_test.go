package task_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/task"
)

// anItem is an item of a batch that was just made, of a visit in five days at an office in Guam.
func anItem() (*coverage.BatchItem, *coverage.Batch) {
	b := &coverage.Batch{ID: billing.CheckBatchID{14: 1}, NotAfter: sent.Add(time.Hour)}
	i := &coverage.BatchItem{
		ID: b.ItemAt(1), BatchID: b.ID, ItemID: "1", Request: json.RawMessage("{}"), AppointmentAt: sent.AddDate(0, 0, 5), PersonKey: "k", PersonBorn: billing.DateOf(sent),
	}
	i.Concerns(&directory.Office{ID: billing.OfficeID{15: 2}, TimeZone: "Pacific/Guam"}, directory.PayerSummary{ID: billing.PayerID{15: 3}, PayerID: "CHTEST", Name: "Test"})
	i.Begin(b, sent)
	return i, b
}

// TestCheckItemRules has an item for each cause that needs a person, and those that need nobody.
func TestCheckItemRules(t *testing.T) {
	t.Parallel()
	const again, look = task.AskAgain, "getEligibilityCheck"
	checked := func(o coverage.Outcome, s coverage.Status, differs bool) func(*coverage.BatchItem) {
		return func(i *coverage.BatchItem) {
			i.Ask(billing.CheckID{15: 4}, billing.JobID{15: 5})
			i.Complete(&coverage.Check{Outcome: o, Status: s, PatientID: billing.PatientID{15: 6}}, differs, sent.Add(time.Hour))
		}
	}
	for name, x := range map[string]struct {
		do      func(*coverage.BatchItem)
		reason  string // empty for no task
		actions []string
	}{
		"pending":     {func(*coverage.BatchItem) {}, "", nil},
		"covered":     {checked(coverage.OutcomeAnswered, coverage.Active, false), "", nil},
		"canceled":    {func(i *coverage.BatchItem) { i.Cancel(sent) }, "", nil},
		"rejected":    {checked(coverage.OutcomeRejected, "", false), "rejected the check", []string{again, look}},
		"invalid":     {func(i *coverage.BatchItem) { i.Invalid(nil, sent) }, "has faults", []string{again}},
		"not asked":   {func(i *coverage.BatchItem) { i.Over(sent) }, "before the time of the list was over", []string{again}},
		"unavailable": {checked(coverage.OutcomePayerUnavailable, "", false), "did not respond", []string{again, look}},
		"failed":      {checked(coverage.OutcomeError, "", false), "failed", []string{again, look}},
		"not covered": {checked(coverage.OutcomeAnswered, coverage.Inactive, true), "is not covered", []string{look, again}},
		"unknown":     {checked(coverage.OutcomeAnswered, coverage.Unknown, false), "does not say whether", []string{look, again}},
		"differs":     {checked(coverage.OutcomeAnswered, coverage.Active, true), "other details on file", []string{look, again}},
		"checked once": {func(i *coverage.BatchItem) {
			i.RecheckAt = sent.AddDate(0, 0, 4)
			checked(coverage.OutcomeRejected, "", false)(i)
		}, "rejected the check", []string{again, look, "cancelEligibilityBatchItem"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, _ := anItem()
			x.do(i)
			found := task.OfACheckItem(i)
			if x.reason == "" {
				check(t, found, nil)
				return
			}
			check(t, found, []want{{task.CheckNeedsPerson, 0, 0}})
			w := found[0]
			if !strings.Contains(w.Reason, x.reason) || !slices.Equal(w.Actions, append(x.actions, "settleTask")) || !slices.Equal(w.Settles, []decision.As{decision.Handled, decision.Canceled}) {
				t.Errorf("%+v", w)
			}
			if w.DueOn != billing.DateOf(sent.AddDate(0, 0, 6)) || w.DueBy != task.DueByAppointment || w.OfficeID != i.OfficeID || w.Payer != i.Payer || !w.Since.Equal(i.CompletedAt) {
				t.Errorf("%+v of %+v", w, i)
			}
			if asked := !i.CheckID.IsZero(); asked != (w.Patient == billing.PatientID{15: 6}) || asked != (w.Person == task.Person{}) {
				t.Errorf("the patient %s, %+v", w.Patient, w.Person)
			}
		})
	}
}

// TestCheckItemEndsWithItsVisit has the task of an item before and after its visit, when nobody can put
// it off or settle it any more.
func TestCheckItemEndsWithItsVisit(t *testing.T) {
	t.Parallel()
	i, _ := anItem()
	i.Invalid(nil, sent)
	until := i.AppointmentAt.AddDate(0, 0, 1)
	of := func(at time.Time) *task.Task {
		x := &task.Task{Work: task.OfACheckItem(i)[0], Settled: &decision.Decision{As: decision.Handled}} // of before it was asked again
		x.Pass(at)
		return x
	}
	if x := of(until.Add(-time.Microsecond)); !x.Until.Equal(until) || x.State(until) != task.Open || x.Snooze(until) != nil {
		t.Errorf("before: %+v", x)
	}
	x := of(until)
	if x.State(until) != task.Done || !x.EndedAt.Equal(until) {
		t.Errorf("after: %+v", x)
	}
	_, settled := x.Settle(decision.Handled, "", "key_1", until)
	for what, err := range map[string]error{"snoozed": x.Snooze(until), "settled": settled, "woken": x.Wake()} {
		if billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), "its cause has ended") {
			t.Errorf("%s: %v", what, err)
		}
	}
	x.EndedAt = sent
	if x.Pass(until); !x.EndedAt.Equal(sent) {
		t.Errorf("it ended before: %s", x.EndedAt)
	}
	i.AppointmentAt = time.Time{}
	if x := of(until); !x.Until.IsZero() || x.State(until) != task.Open {
		t.Errorf("without an appointment: %+v", x)
	}
	if y := *x; !task.Same([]*task.Task{&y}, i.ID, []task.Work{x.Work}) {
		t.Error("it differs from itself")
	}
	other := x.Work
	other.Until = until.Add(time.Hour)
	if task.Same([]*task.Task{x}, i.ID, []task.Work{other}) {
		t.Error("the visit was put off, and its task is the same")
	}
}

// TestCheckItemComesAgain decides about an item. Its task comes again when the item is asked again
// and needs a person again, and not before.
func TestCheckItemComesAgain(t *testing.T) {
	t.Parallel()
	for _, as := range []decision.As{decision.Handled, decision.Canceled} {
		i, b := anItem()
		i.Invalid(nil, sent)
		d, err := (&task.Task{Work: task.OfACheckItem(i)[0]}).Settle(as, "", "key_1", sent.Add(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		i.Decisions = i.Decisions.With(d)
		check(t, task.OfACheckItem(i), nil)
		i.Again(b, sent.Add(2*time.Minute))
		check(t, task.OfACheckItem(i), nil)
		i.Over(sent.Add(2 * time.Hour))
		check(t, task.OfACheckItem(i), []want{{task.CheckNeedsPerson, 0, 0}})
		i.Decisions = i.Decisions.With(decision.Decision{Of: d.Of})
		if len(i.Decisions) != 0 {
			t.Errorf("taken back: %+v", i.Decisions)
		}
	}
}

// TestVisitIsOff decides about an item that waits for a recheck. When the visit is off, the payer is
// not asked again, and what it answered stays.
func TestVisitIsOff(t *testing.T) {
	t.Parallel()
	for as, want := range map[decision.As]coverage.ItemState{decision.Handled: coverage.ItemWaiting, decision.Canceled: coverage.ItemCompleted, "": coverage.ItemWaiting} {
		i, _ := anItem()
		i.RecheckAt = sent.AddDate(0, 0, 4)
		i.Ask(billing.CheckID{15: 4}, billing.JobID{15: 5})
		i.Complete(&coverage.Check{Outcome: coverage.OutcomeRejected}, false, sent)
		i.Decide(decision.Decision{Of: string(task.CheckNeedsPerson), As: as, At: sent.Add(time.Minute)})
		if i.State() != want || i.Outcome != coverage.ItemRejected || !i.NeedsAPerson || (i.Decisions.Of(string(task.CheckNeedsPerson)) != nil) != (as != "") {
			t.Errorf("%q: %s, %+v", as, i.State(), i)
		}
	}
}

// TestAppointmentDays has the day of an appointment, where the office is known, unknown, and where
// there is no appointment.
func TestAppointmentDays(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 3, 2, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"America/Los_Angeles": "2026-03-02", "Pacific/Guam": "2026-03-03", "": "2026-03-02"} {
		office := &directory.Office{}
		if zone != "" {
			office = &directory.Office{ID: billing.OfficeID{1}, TimeZone: zone}
		}
		i := &coverage.BatchItem{AppointmentAt: at}
		if i.Concerns(office, directory.PayerSummary{}); i.AppointmentOn.String() != want {
			t.Errorf("in %q: %s, want %s", zone, i.AppointmentOn, want)
		}
		i.AppointmentAt = time.Time{}
		if i.Concerns(office, directory.PayerSummary{}); !i.AppointmentOn.IsZero() {
			t.Errorf("without an appointment: %s", i.AppointmentOn)
		}
	}
}

// TestTasksOfACanceledBatch leave out that items are asked again, in what they allow and in what they say.
func TestTasksOfACanceledBatch(t *testing.T) {
	t.Parallel()
	for canceled, reason := range map[bool]string{false: "correct them, and ask again.", true: "correct them, and ask in a new list, because this one was canceled."} {
		i, _ := anItem()
		i.Invalid(nil, sent)
		x := &task.Task{Work: task.OfACheckItem(i)[0], Item: task.Item{Canceled: canceled}}
		if x.Review(); x.Allows(task.AskAgain) == canceled || !x.Allows("getEligibilityCheck") || !strings.HasSuffix(x.Reason, reason) {
			t.Errorf("canceled %t: %t, %q", canceled, x.Allows(task.AskAgain), x.Reason)
		}
	}
}
