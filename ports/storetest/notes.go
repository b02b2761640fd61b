package storetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// testNotes stores notes of two resources, pages through them, strikes one, and reads the newest.
func testNotes(b *scoped) {
	t := b.t
	c, asked := b.claim(-5), b.payerRequest(-3)
	b.insertRequests(asked)
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, c) })
	var all []*task.Note
	for i := range 5 {
		of := task.Resource{Kind: task.OfClaim, ID: c.ID}
		if i == 4 {
			of = task.Resource{Kind: task.OfPayerRequest, ID: asked.ID}
		}
		at := b.now.Add(time.Duration(i/2) * time.Second)
		n := &task.Note{ID: billing.NewID[billing.NoteID](billing.RealAt(b.now.Add(time.Duration(i) * time.Second))), Scope: b.scope, Resource: of, Text: fmt.Sprint("note ", i), At: at, By: "usr_1"}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Notes.Insert(ctx, n) })
		all = append(all, n)
	}
	list := func(of [16]byte, p billing.Page) ([]*task.Note, *billing.Position) {
		return billing.Cut(read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) { return tx.Notes.List(ctx, of, p) }), p.Limit, (*task.Note).Position)
	}
	var walked []*task.Note
	for p := (billing.Page{Limit: 2, Oldest: true}); ; {
		rows, next := list(c.ID, p)
		walked = append(walked, rows...)
		if p.After = next; next == nil {
			break
		}
	}
	equal(t, "notes of the claim", walked, all[:4])
	whole, _ := list([16]byte{}, billing.Page{Limit: 10})
	slices.Reverse(whole)
	equal(t, "all notes", whole, all)

	struck := all[3]
	b.in(func(ctx context.Context, tx ports.Tx) error {
		n, err := tx.Notes.Lock(ctx, struck.ID)
		if err != nil {
			return err
		}
		equal(t, "locked", n, struck)
		struck.StruckAt, struck.StruckBy, struck.StruckReason = b.now, "usr_2", "wrong"
		return tx.Notes.Save(ctx, struck)
	})
	walked, _ = list(c.ID, billing.Page{Limit: 10, Oldest: true})
	equal(t, "with a struck one", walked, all[:4])
	newest := func(of ...[16]byte) map[[16]byte]task.Notes {
		return read(b, func(ctx context.Context, tx ports.Tx) (map[[16]byte]task.Notes, error) {
			return tx.Notes.Newest(ctx, of)
		})
	}
	extra := &task.Note{ID: id[billing.NoteID](), Scope: b.scope, Resource: all[0].Resource, Text: "one more", At: b.now.Add(time.Minute), By: "usr_1"}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Notes.Insert(ctx, extra) })
	equal(t, "newest", newest(c.ID, asked.ID, id[billing.ClaimID]()), map[[16]byte]task.Notes{
		c.ID: {Newest: []*task.Note{extra, all[2], all[1]}, Count: 4}, asked.ID: {Newest: all[4:], Count: 1},
	})
	equal(t, "newest of nothing", newest(), map[[16]byte]task.Notes{})

	other := b.other()
	if got := read(other, func(ctx context.Context, tx ports.Tx) ([]*task.Note, error) {
		return tx.Notes.List(ctx, c.ID, billing.Page{Limit: 10})
	}); len(got) != 0 {
		t.Errorf("another scope has %d notes", len(got))
	}
	if err := other.try(other.scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Notes.Lock(ctx, struck.ID)
		return err
	}); !billing.IsNotFound(err) {
		t.Errorf("another scope locks a note: %v", err)
	}
}
