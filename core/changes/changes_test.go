package changes

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// opened runs the use cases, and opens a stream of a key. Update waits for its next
// update.
func opened(t *testing.T, trust time.Duration) (store *pgstore.Store, st *Stream, update func() (Update, bool)) {
	t.Helper()
	store = pgtest.Open(t)
	k := &caller.APIKey{ID: billing.NewID[billing.KeyID](billing.RealAt(time.Now())), Scope: porttest.Organization(t, store, billing.ModeTest), CreatedAt: time.Now()}
	porttest.In(t, store, k.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.APIKeys.Insert(ctx, k, caller.KeyDigest("secret"))
	})
	times := DefaultTimes()
	times.Trust = trust
	s := New(store, &porttest.Clock{}, times, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	st = s.Open(k.Caller(), event.Mark{})
	t.Cleanup(st.Close)
	return store, st, func() (Update, bool) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		u, ok := st.Next(ctx, time.Hour)
		if ctx.Err() != nil {
			t.Fatal("there was neither an update nor the end")
		}
		return u, ok
	}
}

// A stream whose caller cannot be checked ends.
func TestNoCheckEndsAStream(t *testing.T) {
	t.Parallel()
	store, _, next := opened(t, 2*time.Second)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; {
		_, ok = next()
	}
}

// Changes do not wait without end for a reader that is slow, and a reset that it has
// not read stands for all of them.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	store, st, next := opened(t, time.Hour)
	change := func(n int) {
		porttest.In(t, store, st.caller.Scope, func(ctx context.Context, tx ports.Tx) error {
			for range n {
				now := time.Now()
				if err := tx.Checks.Insert(ctx, &coverage.Check{
					ID: billing.NewID[billing.CheckID](billing.RealAt(now)), Scope: st.caller.Scope, State: coverage.CheckPending, CreatedAt: now,
					OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(now)), Payer: directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now))},
				}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	pending := func() (u Update, ended bool) {
		st.mu.Lock()
		defer st.mu.Unlock()
		return st.pending, st.ended
	}
	porttest.Await(t, "the stream begins", func() bool { u, _ := pending(); return u.Reset })
	st.push(Update{Changes: make([]event.Change, 3)})
	if u, ok := next(); !u.Reset || len(u.Changes) > 0 || !ok {
		t.Errorf("the stream begins with %+v %v", u, ok)
	}
	change(2)
	if u, ok := next(); u.Reset || len(u.Changes) != 2 || !ok {
		t.Errorf("after two changes: %+v %v", u, ok)
	}
	for waiting := 0; waiting <= maxPending; {
		// A read that finds more than maxRead would reset the stream, and its reader could stay.
		change(maxRead)
		waiting += maxRead
		porttest.Await(t, "the changes wait for the slow reader", func() bool {
			u, _ := pending()
			return len(u.Changes) == waiting
		})
	}
	if _, ended := pending(); !ended {
		t.Errorf("a reader behind by more than %d changes is not cut off", maxPending)
	}
	if u, ok := next(); ok {
		t.Errorf("the ended stream has %+v", u)
	}
}
