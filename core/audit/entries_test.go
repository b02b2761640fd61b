package audit_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func person(scope billing.Scope, at time.Time) *caller.AuditEntry {
	at = at.UTC().Truncate(time.Microsecond)
	return &caller.AuditEntry{
		ID: billing.NewID[billing.AuditEntryID](billing.RealAt(at)), Org: scope.Org, Mode: scope.Mode, User: billing.UserID{1}, Address: "192.0.2.1",
		Operation: "GET /claims", Status: 200, CreatedAt: at,
	}
}

func recorded(t *testing.T, store ports.Store, scope billing.Scope) (all []*caller.AuditEntry) {
	t.Helper()
	return porttest.Read(t, store, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
		return tx.Audit.List(ctx, caller.AuditFilter{}, billing.Page{Limit: billing.MaxPageLimit})
	})
}

// TestStoreEntries stores entries while another is being written. All are written in
// the next transaction, and none of the callers continues before.
func TestStoreEntries(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	const callers = 40
	var s *audit.Service
	var all sync.WaitGroup
	ready := make(chan struct{})
	first := &porttest.Fault{How: porttest.Passes, Then: func() { <-ready }}
	second := &porttest.Fault{At: 2, How: porttest.FailsBefore}
	s = audit.New(porttest.Store{Store: porttest.Store{Store: store, Fault: first}, Fault: second}, audit.LeastRetention, slog.New(slog.DiscardHandler))
	begin := time.Now()
	all.Go(func() {
		if err := s.Store(person(scope, begin)); err != nil {
			t.Error(err)
		}
	})
	porttest.Await(t, "the first write", func() bool { return first.Met() != "" })
	for n := range callers {
		e := person(scope, begin.Add(time.Duration(n+1)*time.Microsecond))
		s.Note(e) // its place is before that of Store
		all.Go(func() {
			if err := s.Store(e); err != nil {
				t.Error(err)
			}
		})
	}
	close(ready)
	all.Wait()
	if got := recorded(t, store, scope); len(got) != callers+1 {
		t.Errorf("%d entries, want %d", len(got), callers+1)
	}
	if second.Met() != "" {
		t.Error("there was a third transaction")
	}
	if err := s.Store(person(scope, begin)); !errors.Is(err, porttest.ErrLost) {
		t.Errorf("an entry that is not stored: %v", err)
	}
}

// TestRunWaitsForEntries ends a process that notes an entry.
func TestRunWaitsForEntries(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	s := audit.New(store, audit.LeastRetention, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.Note(person(scope, time.Now()))
	if err := s.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := recorded(t, store, scope); len(got) != 1 {
		t.Errorf("%d entries", len(got))
	}
}

// TestWritesHaveTheirEntries ends the transactions of a write at every point. The write
// and its entry are there together, or none is. A repeated request has its own entry.
func TestWritesHaveTheirEntries(t *testing.T) {
	t.Parallel()
	porttest.EveryEnding(t, 2, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		store := pgtest.Open(t)
		scope := porttest.Organization(t, store, billing.ModeTest)
		faulty := porttest.Store{Store: store, Fault: f}
		// request is what a process does for a request.
		request := func(store ports.Store) (*caller.AuditEntry, error) {
			e := person(scope, time.Now())
			e.Status = 0
			call := idempotency.Write[*directory.Office]{
				Call: caller.Call{Scope: scope, Request: caller.Request{Key: "k", Audit: e}},
				Render: func(o *directory.Office, _ error) caller.Reply {
					return caller.Reply{Status: 201, Body: []byte(o.ID.String()), Resource: o.ID.String()}
				},
			}
			reply, err := idempotency.Once(t.Context(), store, call, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
				o := &directory.Office{ID: billing.NewID[billing.OfficeID](billing.RealAt(time.Now())), Scope: scope, Name: "Main", NPI: "1234567893", TimeZone: "America/New_York", CreatedAt: tx.Clock.Now()}
				return o, tx.Offices.Insert(ctx, o)
			})
			if err != nil {
				return e, err
			}
			return e, store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
				return tx.AuditLog.Insert(ctx, []*caller.AuditEntry{e.Replied(reply)}) // like Store
			})
		}
		offices := func() int {
			return len(porttest.Read(t, store, scope, func(ctx context.Context, tx ports.Tx) ([]*directory.Office, error) {
				return tx.Offices.List(ctx, billing.Page{Limit: 10})
			}))
		}
		porttest.Dies(func() { _, _ = request(faulty) })
		if written, entries := offices(), len(recorded(t, store, scope)); written != entries || written > 1 {
			t.Errorf("%d writes, %d entries", written, entries)
		}
		again, err := request(store)
		if err != nil || offices() != 1 {
			t.Fatalf("%d offices, %v", offices(), err)
		}
		for _, e := range recorded(t, store, scope) {
			if e.Status != 201 || e.Operation != again.Operation {
				t.Errorf("%+v", e)
			}
		}
	})
}

// TestForgetEntries deletes entries in several transactions, and none that the database
// keeps.
func TestForgetEntries(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	s := audit.New(store, audit.LeastRetention, slog.New(slog.DiscardHandler))
	kept := person(scope, time.Now().AddDate(-1, 0, 0))
	entries := []*caller.AuditEntry{kept}
	for n := range 1500 {
		entries = append(entries, person(scope, time.Now().AddDate(-7, 0, 0).Add(time.Duration(n)*time.Second)))
	}
	porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error { return tx.AuditLog.Insert(ctx, entries) })
	for _, want := range []int{1000, 500, 0} {
		if n, err := s.ForgetEntries(t.Context()); n != want || err != nil {
			t.Errorf("%d entries were deleted, %v, want %d", n, err, want)
		}
	}
	page, next, err := s.ListEntries(t.Context(), scope, caller.AuditFilter{}, billing.Page{Limit: 10})
	if err != nil || next != nil || len(page) != 1 || page[0].ID != kept.ID {
		t.Errorf("%v, %v, %v", page, next, err)
	}
}
