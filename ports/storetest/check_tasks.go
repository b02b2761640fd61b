package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// testCheckItemTasks follows the tasks of items through the writes of their batch, with a patient who
// is in the directory, and one who is not.
func testCheckItemTasks(b *scoped) {
	t := b.t
	known := b.person()
	patient, err := b.find("known", known)
	if err != nil {
		t.Fatal(err)
	}
	of := b.checkBatch(0)
	items := b.checkItems(of, coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}, "known", "new", "pending", "over")
	for i, key := range []string{"known", "stranger", "known", ""} {
		if items[i].PersonKey = key; key != "" {
			items[i].PersonBorn = known.DateOfBirth
		}
		items[i].AppointmentOn = billing.DateOf(b.now).AddDays(i)
	}
	items[0].Invalid(nil, b.now.Add(-2*time.Second))
	items[1].Invalid(nil, b.now)
	b.insertCheckBatch(of, items...)
	b.wantCheckTasks("accepted", task.Open, "known", "new")
	b.elsewhere(func(ctx context.Context, tx ports.Tx, _ billing.Mode) error {
		all, err := tx.Tasks.List(ctx, task.Filter{}, billing.Page{Limit: 10})
		equal(t, "tasks of another scope", len(all), 0)
		return err
	})

	first := b.taskOf(items[0].ID)
	equal(t, "the item of a task", first.Item, task.Item{Batch: of.ID, Name: "known"})
	equal(t, "the patient of a task", first.Patient, patient)
	if stranger := b.taskOf(items[1].ID); !stranger.Patient.IsZero() || stranger.DueOn != items[1].AppointmentOn || stranger.DueBy != task.DueByAppointment {
		t.Errorf("the task of an unknown patient: %+v", stranger)
	}
	items[3].Over(b.now)
	b.saveItems(items[3])
	b.wantCheckTasks("the time is over", task.Open, "known", "new", "over")

	items[0].Decisions = decision.List{{Of: string(task.CheckNeedsPerson), As: decision.Canceled, Note: "Moved.", By: "usr_1", At: b.now.Add(-time.Second)}}
	items[1].Again(of, b.now)
	b.saveItems(items[:3]...)
	b.wantCheckTasks("decided, and asked again", task.Open, "over")
	b.wantCheckTasks("decided, and asked again", task.Done, "known", "new")
	if done := b.taskOfState(t, items[0].ID, task.Done); done.Settled == nil || done.Settled.As != decision.Canceled {
		t.Errorf("the decision: %+v", done.Settled)
	}
	items[0].Again(of, b.now)
	items[0].Invalid(nil, b.now)
	b.saveItems(items[0])
	b.wantCheckTasks("again", task.Open, "known", "over")
	b.itemsRenewed(t, len(items))

	note := &task.Note{ID: id[billing.NoteID](), Scope: b.scope, Resource: first.Resource, Text: unicode, At: b.now, By: "usr_1"}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Notes.Insert(ctx, note) })
	equal(t, "the note of an item", read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		return tx.Notes.List(ctx, items[0].ID, billing.Page{Limit: 10})
	}), []*task.Note{note})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.CheckBatches.Lock(ctx, of.ID)
		if err != nil {
			return err
		}
		locked.CanceledAt = b.now
		return tx.CheckBatches.Save(ctx, locked)
	})
	equal(t, "of a canceled batch", b.taskOf(items[0].ID).Item, task.Item{Batch: of.ID, Name: "known", Canceled: true})
	b.forgets(ports.Forgetter.CheckBatches, b.now.Add(time.Minute), 1)
	b.wantCheckTasks("forgotten", task.Open)
	b.wantCheckTasks("forgotten", task.Done)
	equal(t, "notes that are left", len(read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		return tx.Notes.List(ctx, items[0].ID, billing.Page{Limit: 10})
	})), 0)
}

// testCheckItemTasksEnd has tasks whose visits are to come, were a day ago, and were so before anybody
// knew that they need a person.
func testCheckItemTasksEnd(b *scoped) {
	t := b.t
	of := b.checkBatch(0)
	items := b.checkItems(of, coverage.Lane{Network: "sandbox", Payer: id[billing.PayerID]()}, "comes", "came", "late", "no visit")
	for i, visit := range []time.Duration{time.Hour, -25 * time.Hour, -25 * time.Hour} {
		items[i].AppointmentAt = b.now.Add(visit)
	}
	for i, days := range []int{0, 2, 0, 0} {
		items[i].Invalid(nil, b.now.AddDate(0, 0, -days))
	}
	b.insertCheckBatch(of, items...)
	b.wantCheckTasks("of visits", task.Open, "comes", "no visit")
	b.wantCheckTasks("of visits", task.Snoozed)
	b.wantCheckTasks("of visits", task.Done, "came")
	if comes, never := b.taskOf(items[0].ID), b.taskOf(items[3].ID); !comes.Until.Equal(items[0].AppointmentAt.AddDate(0, 0, 1)) || !never.Until.IsZero() {
		t.Errorf("until %s and %s", comes.Until, never.Until)
	}
	until := items[1].AppointmentAt.AddDate(0, 0, 1)
	done := b.taskOfState(t, items[1].ID, task.Done)
	equal(t, "when it ended", []time.Time{done.EndedAt, b.taskGet(done.ID).EndedAt}, []time.Time{until, until})
	counts := read(b, func(ctx context.Context, tx ports.Tx) (task.Counts, error) {
		return tx.Tasks.Count(ctx, billing.UserID{})
	})
	equal(t, "open tasks", []int{counts.Kinds[task.CheckNeedsPerson], counts.Nobody}, []int{2, 2})
	b.itemsRenewed(t, len(items))

	b.in(func(ctx context.Context, tx ports.Tx) error {
		done.UntilChange = true
		return tx.Tasks.Save(ctx, done)
	})
	b.wantCheckTasks("snoozed before the visit", task.Snoozed)
	items[1].Again(of, b.now) // its cause has ended, too
	b.saveItems(items[1])
	equal(t, "when it ended", b.taskGet(done.ID).EndedAt, until)
	items[1].AppointmentAt = b.now.Add(time.Hour)
	items[1].Invalid(nil, b.now)
	b.saveItems(items[1])
	b.wantCheckTasks("the visit was put off", task.Open, "came", "comes", "no visit")
	b.itemsRenewed(t, len(items))
}

// wantCheckTasks compares the tasks of items in a state.
func (b *scoped) wantCheckTasks(what string, state task.State, names ...string) {
	b.t.Helper()
	found := map[string]bool{}
	for _, x := range read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{State: state, Kinds: []task.Kind{task.CheckNeedsPerson}}, billing.Page{Limit: 10})
	}) {
		found[x.Item.Name] = true
	}
	if got := slices.Sorted(maps.Keys(found)); !slices.Equal(got, names) {
		b.t.Errorf("%s: %s tasks of %v, want %v", what, state, got, names)
	}
}

// taskOfState returns the only task of a resource in a state.
func (b *scoped) taskOfState(t *testing.T, resource [16]byte, state task.State) *task.Task {
	t.Helper()
	all := read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{Resource: resource, State: state}, billing.Page{Limit: 2})
	})
	if len(all) != 1 {
		t.Fatalf("%d tasks", len(all))
	}
	return all[0]
}

// itemsRenewed computes the tasks of all items from scratch, and finds none that differs.
func (b *scoped) itemsRenewed(t *testing.T, items int) {
	t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		done, err := tx.Tasks.Renew(ctx, task.Resource{Kind: task.OfCheckItem}, 100)
		if done.Resources != items || done.Differed != 0 {
			t.Errorf("computed again: %+v", done)
		}
		return err
	})
}
