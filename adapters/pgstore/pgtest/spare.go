package pgtest

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// spares are open stores on databases that no test uses. A test takes one and makes its
// database as it was when the store opened. That costs a tenth of another store, whose
// new connections read the catalogs and plan each statement again.
//
//nolint:gochecknoglobals // shared by tests, as the server is
var spares struct {
	mu     sync.Mutex
	unused []*spare
	ending sync.Once
}

// maxUses bounds the dead rows of a database.
const maxUses = 50

type spare struct {
	url    string // for an administrator
	store  *pgstore.Store
	admin  *sql.DB
	uses   int
	staged atomic.Pointer[func([]jobs.Job)]
	log    atomic.Pointer[slog.Logger]
}

// take returns a store that is as if it had just opened.
func take(tb testing.TB) *spare {
	tb.Helper()
	spares.ending.Do(func() { testservers.AtEnd(closeSpares) })
	for {
		spares.mu.Lock()
		n := len(spares.unused) - 1
		if n < 0 {
			spares.mu.Unlock()
			break
		}
		s := spares.unused[n]
		spares.unused = spares.unused[:n]
		spares.mu.Unlock()
		if s.renew(tb.Context()) == nil {
			return s
		}
		s.discard(tb)
	}
	s := &spare{url: testservers.Postgres(tb).Copy(templateOf(tb))}
	s.store = openAt(tb, defaults(s.url), func(o *pgstore.Options) {
		o.Log = slog.New(forwarded{&s.log})
		o.Staged = func(all []jobs.Job) {
			if to := s.staged.Load(); to != nil {
				(*to)(all)
			}
		}
	})
	err := s.store.System(tb.Context(), func(context.Context, ports.SystemTx) error { return nil })
	if err == nil {
		s.admin, err = sql.Open("postgres", s.url)
	}
	if err == nil {
		s.admin.SetMaxOpenConns(1)
		_, err = s.admin.ExecContext(tb.Context(), pristine)
	}
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return s
}

// pristine creates a schema that keeps the rows of the database, and functions that find
// out whether it can be as before, and that make it so.
//
//go:embed pristine.sql
var pristine string

var errSpent = errors.New("the database cannot be as before")

// renew makes the database and the store as they were at first. An error means that the
// test before changed what no reset can undo, such as the schema or the key, or that it
// closed the store.
func (s *spare) renew(ctx context.Context) error {
	var same bool
	if err := s.admin.QueryRowContext(ctx, "SELECT pristine.same()").Scan(&same); err != nil || !same || s.uses >= maxUses {
		return errors.Join(err, errSpent)
	}
	if _, err := s.admin.ExecContext(ctx, "SELECT pristine.reset()"); err != nil {
		return err
	}
	return s.store.Expect(ctx, 0) // it also looks at the database
}

// giveBack keeps the store for another test. The next test renews it.
func (s *spare) giveBack(tb testing.TB) {
	tb.Helper()
	s.uses++
	s.staged.Store(nil)
	s.log.Store(nil)
	if tb.Failed() {
		s.discard(tb)
		return
	}
	spares.mu.Lock()
	defer spares.mu.Unlock()
	spares.unused = append(spares.unused, s)
}

func (s *spare) discard(tb testing.TB) {
	tb.Helper()
	if err := errors.Join(s.store.Close(), s.admin.Close()); err != nil {
		tb.Errorf("pgtest: %v", err)
	}
	testservers.Postgres(tb).Drop(s.url)
}

func closeSpares() {
	for _, s := range spares.unused {
		_ = errors.Join(s.store.Close(), s.admin.Close())
	}
}

// forwarded is the handler of the log of the test that has the store.
type forwarded struct{ to *atomic.Pointer[slog.Logger] }

func (f forwarded) handler() slog.Handler {
	if l := f.to.Load(); l != nil {
		return l.Handler()
	}
	return slog.DiscardHandler
}

func (f forwarded) Enabled(ctx context.Context, l slog.Level) bool {
	return f.handler().Enabled(ctx, l)
}

func (f forwarded) Handle(ctx context.Context, r slog.Record) error {
	return f.handler().Handle(ctx, r)
}
func (f forwarded) WithAttrs(as []slog.Attr) slog.Handler { return f.handler().WithAttrs(as) }
func (f forwarded) WithGroup(name string) slog.Handler    { return f.handler().WithGroup(name) }
