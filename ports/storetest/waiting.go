package storetest

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// renewed applies the rules to every resource of the scope, of which none has other tasks.
func (b *scoped) renewed() (n int) {
	b.t.Helper()
	for at := (task.Resource{}); ; {
		var step task.Renewed
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			step, err = tx.Tasks.Renew(ctx, at, 2)
			return err
		})
		if step.Differed != 0 {
			b.t.Errorf("a step differed: %+v", step)
		}
		if step.Resources == 0 {
			return n
		}
		n, at = n+step.Resources, step.Last
	}
}

func (b *scoped) noteOn(of task.Resource) {
	b.t.Helper()
	n := &task.Note{ID: id[billing.NoteID](), Scope: b.scope, Resource: of, Text: "asked", At: b.now, By: "usr_1"}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Notes.Insert(ctx, n) })
}

func (b *scoped) notesOn(of [16]byte) int {
	b.t.Helper()
	return len(read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		return tx.Notes.List(ctx, of, billing.Page{Limit: 10})
	}))
}

// testTasksOfConnections follows the tasks of connections through the operator's transactions. They
// are in the scopes of the connections; those of the deployment have none.
func testTasksOfConnections(b *scoped) {
	t := b.t
	b.organization()
	pause := network.Pause{At: b.now, Reason: network.ReasonUnauthorized, Detail: "401"}
	own, shared, live := b.connection(b.scope.Org, 1), b.connection(billing.OrgID{}, 2), b.connection(b.scope.Org, 3)
	own.Name, shared.Name, live.Name, live.Mode = "Own", "Shared", "Live", billing.ModeLive
	for _, c := range []*network.Connection{own, shared, live} {
		c.Enabled, c.Pause = true, network.Pause{}
	}
	b.addConnection(own, shared, live)
	lists := func(want ...[16]byte) {
		t.Helper()
		if got, _ := b.listTasks(task.Filter{}, billing.Page{Limit: 10}); !slices.Equal(got, want) {
			t.Errorf("the tasks are of %x, want %x", got, want)
		}
	}
	save := func(c *network.Connection, p network.Pause, enabled bool) {
		c.Pause, c.Enabled = p, enabled
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Save(ctx, c) })
	}
	lists()
	for _, c := range []*network.Connection{own, shared, live} {
		save(c, pause, true)
	}
	lists(own.ID)
	first := b.taskOf(own.ID)
	equal(t, "the task", []task.Work{first.Work}, task.OfAConnection(own))
	equal(t, "connections of the scope", b.renewed(), 1)
	if got := read(b, func(ctx context.Context, tx ports.Tx) (*network.Connection, error) {
		return tx.Connections.Get(ctx, own.ID)
	}); got.Name != own.Name || !got.Secrets.IsZero() {
		t.Errorf("the connection is %+v", got)
	}
	for _, c := range []*network.Connection{shared, live} {
		_, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*network.Connection, error) {
			return tx.Connections.Get(ctx, c.ID)
		})
		wantCode(t, c.Name, err, billing.CodeNotFound)
	}

	b.noteOn(task.Resource{Kind: task.OfConnection, ID: own.ID})
	save(own, pause, false)
	lists()
	if done := b.taskGet(first.ID); done.EndedAt.IsZero() {
		t.Errorf("disabled: %+v", done)
	}
	save(own, pause, true)
	lists(own.ID)
	if again := b.taskOf(own.ID); again.ID != first.ID {
		t.Errorf("paused again: %+v", again)
	}
	own.Pause, own.Carries, own.Secrets = network.Pause{}, []network.Transaction{network.Claims}, nil
	own.Settings.Envelope.Usage = network.UsageTest
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Replace(ctx, own) })
	lists()
	replaced, err := b.lockConnection(own.Name)
	if own.Revision += 4; err != nil {
		t.Fatal(err)
	}
	equal(t, "replaced", replaced, own)
	equal(t, "notes of the replaced one", b.notesOn(own.ID), 1)

	save(own, pause, true)
	lists(own.ID)
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Delete(ctx, own.ID) })
	lists()
	equal(t, "notes of a removed one", b.notesOn(own.ID), 0)
	paused := b.connection(b.scope.Org, 4)
	paused.Enabled, paused.Pause = true, pause
	b.addConnection(paused)
	lists(paused.ID)
}

// testTasksOfFiles follows the task of a file into quarantine and out of it.
func testTasksOfFiles(b *scoped) {
	t := b.t
	q := &quarantine.File{
		ID: id[billing.FileID](), Scope: b.scope, Origin: clearing.FileFromImport, Name: "f", Cause: quarantine.Unplaced, Payment: quarantinedPayment(), Content: []byte("ISA*1~"), ReceivedAt: b.now,
	}
	hold := func(q *quarantine.File) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Quarantine.Insert(ctx, q)
			return err
		})
	}
	hold(q)
	again := *q
	again.ID = id[billing.FileID]()
	hold(&again)
	if got, _ := b.listTasks(task.Filter{PayerID: q.Payment.Payer.ID}, billing.Page{Limit: 10}); !slices.Equal(got, [][16]byte{q.ID}) {
		t.Errorf("the tasks are of %x, want %x", got, q.ID)
	}
	equal(t, "the task", []task.Work{b.taskOf(q.ID).Work}, task.OfAFile(q))
	equal(t, "files of the scope", b.renewed(), 1)
	get := func(in billing.Scope, of billing.FileID) (*quarantine.File, error) {
		return try(b, in, func(ctx context.Context, tx ports.Tx) (*quarantine.File, error) { return tx.Quarantine.Get(ctx, of) })
	}
	bare := *q
	bare.Content = nil
	got, err := get(b.scope, q.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the file", got, &bare)
	_, err = get(newScope(), q.ID)
	wantCode(t, "a file of another", err, billing.CodeNotFound)

	b.noteOn(task.Resource{Kind: task.OfFile, ID: q.ID})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Quarantine.Take(ctx, q.ID)
		return err
	})
	equal(t, "tasks of a file that was taken", len(read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{State: task.Done}, billing.Page{Limit: 10})
	})), 0)
	equal(t, "its notes", b.notesOn(q.ID), 0)
	hold(q)
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Quarantine.Remove(ctx, q.ID) })
	if got, _ := b.listTasks(task.Filter{}, billing.Page{Limit: 10}); len(got) != 0 {
		t.Errorf("after the operator removed it, the tasks are of %x", got)
	}
}
