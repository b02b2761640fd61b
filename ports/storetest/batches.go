package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// batch returns a pending batch, n milliseconds after the start of the test.
func (b *scoped) batch(n int) *clearing.Batch {
	at := b.now.Add(time.Duration(n) * time.Millisecond)
	made := clearing.NewBatch(b.scope, "sandbox", int64(n+1), 3, billing.RealAt(at), at)
	made.File.Name = made.ID.String() + ".837"
	return made
}

func (b *scoped) insertBatch(m *clearing.Batch, content string) (kept bool, err error) {
	return try(b, m.Scope, func(ctx context.Context, tx ports.Tx) (bool, error) {
		return tx.Batches.Insert(ctx, m, []byte(content))
	})
}

// insertBatches stores batches with unused names.
func (b *scoped) insertBatches(all ...*clearing.Batch) {
	b.t.Helper()
	for _, m := range all {
		if kept, err := b.insertBatch(m, "ISA*"+m.File.Name); !kept || err != nil {
			b.t.Fatal(kept, err)
		}
	}
}

// testBatches stores batches and saves their states.
func testBatches(b *scoped) {
	t := b.t
	one, two := b.batch(0), b.batch(1)
	b.insertBatches(one, two)
	for _, in := range []billing.Scope{b.scope, newScope()} {
		taken := b.batch(2)
		taken.Scope, taken.File.Name = in, one.File.Name
		if kept, err := b.insertBatch(taken, "other"); kept || err != nil {
			t.Errorf("a used name: %v, %v", kept, err)
		}
	}
	get := func(ctx context.Context, tx ports.Tx) (*clearing.Batch, error) { return tx.Batches.Get(ctx, one.ID) }
	equal(t, "batch", read(b, get), one)
	for _, change := range []func(*clearing.Batch) bool{
		func(m *clearing.Batch) bool { return m.Delivering("", "temporary") },
		func(m *clearing.Batch) bool { return m.Unknown(b.now.Add(time.Millisecond)) },
		func(m *clearing.Batch) bool { return m.Resend() },
		func(m *clearing.Batch) bool { return m.Unknown(b.now.Add(time.Millisecond)) },
		func(m *clearing.Batch) bool { return m.Sent(b.now.Add(time.Second)) },
		func(m *clearing.Batch) bool {
			return m.Acknowledge(clearing.BatchRejected, "x.997", b.now.Add(time.Minute))
		},
	} {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			m, err := tx.Batches.Lock(ctx, one.ID)
			if err != nil {
				return err
			}
			equal(t, "locked batch", m, one)
			if !change(m) || !change(one) {
				t.Error("the batch did not change")
			}
			return tx.Batches.Save(ctx, m)
		})
		equal(t, "saved batch", read(b, get), one)
	}
	equal(t, "content", string(read(b, func(ctx context.Context, tx ports.Tx) ([]byte, error) { return tx.Batches.Content(ctx, one.ID) })), "ISA*"+one.File.Name)
	pages := walk(1, func(p billing.Page) []*clearing.Batch {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*clearing.Batch, error) { return tx.Batches.List(ctx, p) })
	}, func(m *clearing.Batch) billing.Position { return billing.Position{Time: m.CreatedAt, ID: m.ID} }, func() {})
	equal(t, "batches", pages, []*clearing.Batch{two, one})
	nothing := id[billing.FileID]()
	b.absent("an absent batch",
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Batches.Get(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Batches.Lock(ctx, nothing) },
		func(ctx context.Context, tx ports.Tx) (any, error) { return tx.Batches.Content(ctx, nothing) })
}

// testUndecidedBatches lists the batches of all scopes that wait for the operator: those
// whose outcome is unknown, and those with an overdue acknowledgement. Claims name also those
// that the network does not take.
func testUndecidedBatches(b *scoped) {
	t := b.t
	one, two, known, late, plain, refused := b.batch(0), b.batch(1), b.batch(2), b.batch(3), b.batch(4), b.batch(5)
	two.Scope = billing.Scope{Org: newScope().Org, Mode: billing.ModeLive}
	b.insertBatches(one, two, known, late, plain, refused)
	b.saveBatch(refused, func(m *clearing.Batch) bool { return m.Delay(false, b.now) })
	after := func(n int) time.Time { return b.now.Add(time.Duration(n) * time.Second) }
	for n, m := range []*clearing.Batch{known, two, one} {
		b.saveBatch(m, func(m *clearing.Batch) bool { return m.Delivering("", "t") && m.Unknown(after(2*n)) })
	}
	b.saveBatch(known, func(m *clearing.Batch) bool { return m.Sent(b.now) })
	b.saveBatch(late, func(m *clearing.Batch) bool {
		if !m.Sent(after(3)) {
			return false
		}
		_, changed := m.Review((&network.Options{}).Expected(), time.Second, after(4))
		return changed && len(m.Overdue) == 1
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		all, err := tx.Routes.Undecided(ctx)
		equal(t, "undecided", all, []*clearing.Batch{two, late, one})
		return err
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Acknowledgements.Late(ctx, []billing.FileID{late.ID, known.ID, one.ID, plain.ID, refused.ID, id[billing.FileID]()})
		equal(t, "late of some", all, []*clearing.Batch{one, late, refused})
		return err
	})
}

// testUnsettledBatches lists the batches of a network that still await something, and
// reads whether claims of batches are submitted still.
func testUnsettledBatches(b *scoped) {
	t := b.t
	pending, early, late, settled, elsewhere := b.batch(0), b.batch(1), b.batch(2), b.batch(3), b.batch(4)
	early.Scope = billing.Scope{Org: newScope().Org, Mode: billing.ModeLive}
	nw := id[billing.ConnectionID]().String()
	for _, m := range []*clearing.Batch{pending, early, late, settled} {
		m.Network = nw
	}
	b.insertBatches(pending, early, late, settled, elsewhere)
	at := func(n int) time.Time { return b.now.Add(time.Duration(n) * time.Second) }
	for n, m := range []*clearing.Batch{early, settled, late, elsewhere} {
		b.saveBatch(m, func(m *clearing.Batch) bool { return m.Sent(at(n)) })
	}
	b.saveBatch(settled, func(m *clearing.Batch) bool { m.Settle(at(9)); return true })
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		all, err := tx.Routes.Unsettled(ctx, nw, time.Time{})
		equal(t, "unsettled", all, []*clearing.Batch{early, late, pending})
		sent, err2 := tx.Routes.Unsettled(ctx, nw, at(0))
		equal(t, "unsettled, sent by a time", sent, []*clearing.Batch{early})
		return errors.Join(err, err2)
	})
	waits, moved := b.queuedClaim(0), b.queuedClaim(1)
	waits.BatchID, waits.State, moved.BatchID = late.ID, claim.Submitted, settled.ID
	b.insertClaims(waits, moved)
	reported := *late
	reported.Unreported = true
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Acknowledgements.Of(ctx, []billing.FileID{settled.ID, late.ID, early.ID, id[billing.FileID]()})
		equal(t, "batches", all, []*clearing.Batch{&reported, settled})
		return err
	})
}

// saveBatch changes a batch, and saves it.
func (b *scoped) saveBatch(m *clearing.Batch, change func(*clearing.Batch) bool) {
	b.t.Helper()
	err := b.try(m.Scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Batches.Lock(ctx, m.ID); err != nil {
			return err
		}
		if !change(m) {
			b.t.Error("the batch did not change")
		}
		return tx.Batches.Save(ctx, m)
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// testAcknowledgements numbers the acknowledgements of each batch from 1, and reads what
// the scope may read of them.
func testAcknowledgements(b *scoped) {
	t := b.t
	one, two := b.batch(0), b.batch(1)
	b.insertBatches(one, two)
	link := func(in billing.Scope, f clearing.IncomingFile, excerpt []byte, kind clearing.AcknowledgementKind, n int, to ...*clearing.Batch) error {
		return b.try(in, func(ctx context.Context, tx ports.Tx) error {
			stored, err := tx.Acknowledgements.Keep(ctx, f, excerpt, b.now.Add(time.Duration(n)*time.Second))
			for _, m := range to {
				err = errors.Join(err, tx.Acknowledgements.Link(ctx, m.ID, stored, kind))
			}
			return err
		})
	}
	named := func(name string) clearing.IncomingFile {
		return clearing.IncomingFile{Name: name, Content: []byte(name + " about all")}
	}
	for i, err := range []error{
		link(b.scope, named("a.999"), nil, clearing.Acknowledgement999, 0, one),
		link(b.scope, named("b.277"), []byte("b.277 about us"), clearing.Acknowledgement277CA, 1, two, one),
	} {
		if err != nil {
			t.Fatalf("link %d: %v", i, err)
		}
	}
	first := clearing.BatchAcknowledgement{Number: 1, Kind: clearing.Acknowledgement999, Name: "a.999", ReceivedAt: b.now}
	second := clearing.BatchAcknowledgement{Number: 2, Kind: clearing.Acknowledgement277CA, Name: "b.277", ReceivedAt: b.now.Add(time.Second)}
	alone := second
	alone.Number = 1
	one.Acknowledgements, two.Acknowledgements = []clearing.BatchAcknowledgement{first, second}, []clearing.BatchAcknowledgement{alone}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Batches.Get(ctx, one.ID)
		equal(t, "batch", got, one)
		all, err2 := tx.Batches.List(ctx, billing.Page{Limit: 9})
		equal(t, "batches", all, []*clearing.Batch{two, one})
		whole, content, err3 := tx.Acknowledgements.Get(ctx, one.ID, 1)
		equal(t, "acknowledgement", *whole, first)
		equal(t, "its bytes", string(content), "a.999 about all")
		part, content, err4 := tx.Acknowledgements.Get(ctx, one.ID, 2)
		equal(t, "acknowledgement about others, too", *part, second)
		equal(t, "its bytes", string(content), "b.277 about us")
		kept, err5 := tx.Acknowledgements.List(ctx, billing.FileID{}, 1)
		rest, err6 := tx.Acknowledgements.List(ctx, kept[0].ID, 9)
		var read []string
		for _, f := range append(kept, rest...) {
			read = append(read, f.Name+": "+string(f.Content)+f.ReceivedAt.Sub(b.now).String())
		}
		slices.Sort(read)
		equal(t, "all", read, []string{"a.999: a.999 about all0s", "b.277: b.277 about us1s"})
		_, _, absent := tx.Acknowledgements.Get(ctx, one.ID, 3)
		wantCode(t, "an absent one", absent, billing.CodeNotFound)
		return errors.Join(err, err2, err3, err4, err5, err6)
	})
	b.elsewhere(func(ctx context.Context, tx ports.Tx, mode billing.Mode) error {
		_, _, err := tx.Acknowledgements.Get(ctx, one.ID, 1)
		wantCode(t, "of another scope, in "+string(mode), err, billing.CodeNotFound)
		kept, err := tx.Acknowledgements.List(ctx, billing.FileID{}, 9)
		equal(t, "files of another scope, in "+string(mode), len(kept), 0)
		return err
	})
}
