package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

func entry(scope billing.Scope, at time.Time) *caller.LoggedRequest {
	at = at.UTC().Truncate(time.Microsecond)
	return &caller.LoggedRequest{
		ID: billing.NewID[billing.RequestID](billing.RealAt(at)), Scope: scope, KeyID: billing.KeyID{1}, Operation: "POST /offices",
		Resource: billing.OfficeID{1}.String(), Status: 201, Duration: time.Millisecond, CreatedAt: at,
		Address: "192.0.2.1", Agent: "practice/1.0", Shown: []string{billing.PatientID{1}.String()},
	}
}

// logged returns the part of an entry that the log has.
func logged(e *caller.LoggedRequest) *caller.LoggedRequest {
	out := *e
	out.Address, out.Agent, out.Shown = "", "", nil
	return &out
}

// written stores the use of a key, as the commit of a write does.
func written(t *testing.T, store ports.Store, e *caller.LoggedRequest) {
	t.Helper()
	porttest.In(t, store, e.Scope, func(ctx context.Context, tx ports.Tx) error {
		begun := *e
		begun.Status, begun.Duration = 0, 0
		req := caller.Request{ID: e.ID, Key: e.ID.String(), Entry: &begun}
		return tx.Keys.Record(ctx, req.Replied(caller.Reply{Status: 201}, e.CreatedAt))
	})
}

func TestRun(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	s := audit.New(store, audit.LeastRetention, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	first := entry(scope, time.Now())
	s.Record(first)
	porttest.Await(t, "the entry", func() bool {
		_, err := s.Get(t.Context(), scope, first.ID)
		return err == nil
	})
	var last *caller.LoggedRequest
	for n := range 2000 { // several transactions
		last = entry(scope, time.Now().Add(time.Duration(n)*time.Millisecond))
		s.Record(last)
	}
	cancel() // writes what remains
	if err := <-done; err != nil || s.Dropped() != 0 {
		t.Errorf("%v, %d entries dropped", err, s.Dropped())
	}
	if got, err := s.Get(t.Context(), scope, last.ID); err != nil || !reflect.DeepEqual(got, logged(last)) {
		t.Errorf("%+v, %v, want %+v", got, err, last)
	}
	if got := recorded(t, store, scope); len(got) != billing.MaxPageLimit+1 || !reflect.DeepEqual(got[0], last.Audited()) {
		t.Errorf("%d entries of the audit, the last %+v, want %+v", len(got), got[0], last.Audited())
	}
	page, next, err := s.List(t.Context(), scope, caller.RequestFilter{}, billing.Page{Limit: 10})
	if err != nil || len(page) != 10 || next == nil {
		t.Errorf("%d entries, %v, %v", len(page), next, err)
	}
}

// TestFlood records more entries than the buffer holds while the store is away.
func TestFlood(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	s := audit.New(store, audit.LeastRetention, slog.New(slog.NewTextHandler(&log, nil)))
	e := entry(scope, time.Now())
	s.Record(e)
	for s.Dropped() < 100 { // no Run empties the buffer
		s.Record(entry(scope, time.Now()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	porttest.Await(t, "the entry", func() bool {
		_, err := s.Get(t.Context(), scope, e.ID)
		return err == nil
	})
	cancel()
	if err := <-done; err != nil || !strings.Contains(log.String(), "dropped entries") || s.Dropped() != 100 {
		t.Errorf("%v, %d dropped, log %s", err, s.Dropped(), log.String())
	}
}

// TestRestore ends a process before it wrote its entries. Another one restores those
// of writes, and changes no entry that was written.
func TestRestore(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	before := time.Now().Add(-time.Hour)
	lost, kept, running := entry(scope, before), entry(scope, before.Add(time.Second)), entry(scope, time.Now())
	for _, e := range []*caller.LoggedRequest{lost, kept, running} {
		written(t, store, e)
	}
	porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error {
		if err := tx.RequestLog.Insert(ctx, []*caller.LoggedRequest{kept}); err != nil {
			return err
		}
		return tx.AuditLog.Insert(ctx, []*caller.AuditEntry{kept.Audited()})
	})
	s := audit.New(store, audit.LeastRetention, slog.New(slog.DiscardHandler))
	if err := s.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	lost.Status, lost.Duration, lost.Shown = 0, 0, nil // the reply is unknown
	for _, want := range []*caller.LoggedRequest{lost, kept} {
		if got, err := s.Get(t.Context(), scope, want.ID); err != nil || !reflect.DeepEqual(got, logged(want)) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	if got, want := recorded(t, store, scope), []*caller.AuditEntry{kept.Audited(), lost.Audited()}; !reflect.DeepEqual(got, want) {
		t.Errorf("the audit has %v, want %v", got, want)
	}
	if _, err := s.Get(t.Context(), scope, running.ID); !billing.IsNotFound(err) {
		t.Errorf("the entry of a request that may still run: %v", err)
	}
	late := entry(scope, before) // older than what was checked
	written(t, store, late)
	if err := s.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), scope, late.ID); !billing.IsNotFound(err) {
		t.Errorf("checked again: %v", err)
	}
}

// TestForget deletes entries in several transactions.
func TestForget(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	scope := porttest.Organization(t, store, billing.ModeTest)
	s := audit.New(store, audit.LeastRetention, slog.New(slog.DiscardHandler))
	var old []*caller.LoggedRequest
	for n := range 1500 {
		old = append(old, entry(scope, time.Now().AddDate(-7, 0, 0).Add(time.Duration(n)*time.Second)))
	}
	fresh := entry(scope, time.Now().Add(time.Hour-audit.KeepRequests))
	porttest.System(t, store, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.RequestLog.Insert(ctx, append(old, fresh))
	})
	var steps []int
	for {
		n, err := s.Forget(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if steps = append(steps, n); n == 0 {
			break
		}
	}
	if fmt.Sprint(steps) != "[1000 500 0]" {
		t.Errorf("forgotten: %v", steps)
	}
	if _, err := s.Get(t.Context(), scope, fresh.ID); err != nil {
		t.Error(err)
	}
}

// TestWritesAgain loses the first write of the buffer, before its commit and after it.
// Each entry is there once, and none is dropped.
func TestWritesAgain(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	for _, how := range []porttest.Ending{porttest.FailsBefore, porttest.FailsAfter} {
		scope := porttest.Organization(t, store, billing.ModeTest)
		fault := &porttest.Fault{How: how}
		s := audit.New(porttest.Store{Store: store, Fault: fault}, audit.LeastRetention, slog.New(slog.DiscardHandler))
		first := entry(scope, time.Now())
		s.Record(first)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Run(ctx) }()
		porttest.Await(t, "the entry or its loss", func() bool { return s.Dropped() > 0 || fault.Met() != "" && len(recorded(t, store, scope)) > 0 })
		second := entry(scope, time.Now().Add(time.Second))
		s.Record(second)
		cancel()
		if err := <-done; err != nil || s.Dropped() != 0 {
			t.Errorf("%v: %v, %d entries dropped", how, err, s.Dropped())
		}
		if got, want := recorded(t, store, scope), []*caller.AuditEntry{second.Audited(), first.Audited()}; !reflect.DeepEqual(got, want) {
			t.Errorf("%v: the audit has %v, want %v", how, got, want)
		}
	}
}
