package recovery_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/recovery"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(testservers.Main(m)) }

// fixture has the use cases on a real database and a folder.
type fixture struct {
	*recovery.Service

	t     *testing.T
	store *pgstore.Store
	blobs *fileblob.Store
	dir   string
	scope billing.Scope
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, store: pgtest.Open(t), dir: t.TempDir()}
	var err error
	if f.blobs, err = fileblob.Open(f.dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.blobs.Close() })
	f.scope = porttest.Organization(t, f.store, billing.ModeLive)
	f.Service = f.beside(f.store)
	return f
}

// beside returns the use cases on another database, with the same blob store and key.
func (f *fixture) beside(store *pgstore.Store) *recovery.Service {
	b := batches.New(store, batches.Outside{}, porttest.Payers(f.t))
	return recovery.New(store, f.blobs, f.store, recovery.Replay{Sent: b.ReplaySent, Received: b.ReplayReceived})
}

// sent stores the copy of a file with the number.
func (f *fixture) sent(number int64) (name string) {
	f.t.Helper()
	return f.leaves(number).Name()
}

// leaves stores the copy of a file with the number, and returns it.
func (f *fixture) leaves(number int64) *restore.SentFile {
	f.t.Helper()
	now := time.Now()
	b := clearing.NewBatch(f.scope, "con_1", number, 0, billing.RealAt(now), now)
	b.File.Name = fmt.Sprint(number, ".837")
	out := &restore.SentFile{Numbers: restore.Numbers{LiveFile: number}, At: now, Batch: *b, Content: []byte("ISA*Jane Doe")}
	if err := f.Keep(f.t.Context(), out.Name(), out); err != nil {
		f.t.Fatal(err)
	}
	return out
}

// names lists the copies.
func (f *fixture) names() (all []string) {
	f.t.Helper()
	for blob, err := range f.blobs.List(f.t.Context(), "files/") {
		if err != nil {
			f.t.Fatal(err)
		}
		all = append(all, blob.Name)
	}
	slices.Sort(all)
	return all
}

// TestForget removes copies at their age and not before. The last one stays.
func TestForget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var names []string
	for n := range int64(4) {
		names = append(names, f.sent(n+1))
	}
	now := time.Now()
	for i, age := range []time.Duration{restore.Retention + time.Hour, restore.Retention + time.Minute, restore.Retention - time.Minute, time.Hour} {
		if err := os.Chtimes(filepath.Join(f.dir, names[i]), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := f.Forget(t.Context()); err != nil || n != 2 {
		t.Errorf("%d copies were removed: %v", n, err)
	}
	if got := f.names(); !slices.Equal(got, names[2:]) {
		t.Errorf("left are %v", got)
	}
	for _, name := range names[2:] {
		if err := os.Chtimes(filepath.Join(f.dir, name), now, now.Add(-2*restore.Retention)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := f.Forget(t.Context()); err != nil || n != 1 {
		t.Errorf("%d copies were removed later: %v", n, err)
	}
	if highest, err := f.Highest(t.Context()); err != nil || highest != 4 {
		t.Errorf("the highest number is %d: %v", highest, err)
	}
}

// TestCopiesAreSealed stores nothing readable, and names a copy that cannot be opened.
func TestCopiesAreSealed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	name := filepath.Join(f.dir, f.sent(1))
	content, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(content), "Doe") {
		t.Errorf("the copy is readable: %v", err)
	}
	content[len(content)-1]++
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, do := range map[string]func() error{
		"check": func() error { _, err := f.Check(t.Context()); return err },
		"begin": func() error { _, err := f.Begin(t.Context(), false); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "read the copy files/out/000000000001-") {
			t.Errorf("%s with a damaged copy: %v", what, err)
		}
	}
}

// TestBehindKeepsNothing stores no copy in a process that finds a database behind.
func TestBehindKeepsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sent(7)
	late := f.beside(f.store)
	if err := late.Keep(t.Context(), "files/out/x", ""); !errors.Is(err, billing.ErrStoreAway) || len(f.names()) != 1 {
		t.Errorf("a copy beside a database that is behind: %v, %v", err, f.names())
	}
	porttest.System(t, f.store, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Restores.Raise(ctx, restore.Numbers{LiveFile: 7})
	})
	if err := late.Keep(t.Context(), "files/out/x", ""); err != nil {
		t.Error(err)
	}
}

// TestEarlierRestores counts the restores that a database has lost, and begins one more
// although the backup was made while one was open.
func TestEarlierRestores(t *testing.T) {
	t.Parallel()
	f, old := newFixture(t), billing.NewID[billing.ClaimID](billing.RealAt(time.Now()))
	f.sent(1)
	first, err := f.Begin(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	f.sent(5) // in the time that the database then loses
	second, err := f.Begin(t.Context(), false)
	if err != nil || second.Restore.ID == first.Restore.ID || len(second.Newer) != 1 {
		t.Fatalf("the second restore: %v", err)
	}
	lacking := newFixture(t).store // an older backup
	third, err := f.beside(lacking).Begin(t.Context(), false)
	if err != nil || third.Restore.LiveFile != 0 || third.Restore.Replayed != 5 || len(third.Newer) != 2 {
		t.Fatalf("the third restore is %+v: %v", third, err)
	}
	porttest.In(t, lacking, f.scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Events.Append(ctx, event.Event{Scope: f.scope, Type: event.ClaimQueued, Resource: old, CreatedAt: time.Now(), Data: []byte("{}")})
	})
	if e := porttest.Read(t, lacking, f.scope, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
		return tx.Events.List(ctx, event.Filter{Resource: old}, billing.Page{Limit: 2})
	}); len(e) != 1 || e[0].Sequence != 3001 {
		t.Errorf("the events of a claim that was there before three restores are %+v", e)
	}
}

// TestBeginBesideAKilledOne begins again while the transaction of a killed begin is being
// committed. The batch that it stores is no other batch with the name.
func TestBeginBesideAKilledOne(t *testing.T) {
	t.Parallel()
	f, url := newFixture(t), ""
	lacking := pgtest.Open(t, func(o *pgstore.Options) { url = o.URL })
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	out := f.leaves(1)
	stored, commit, again := make(chan bool), make(chan bool), make(chan error)
	go func() {
		again <- lacking.InTx(t.Context(), f.scope, func(ctx context.Context, tx ports.Tx) error {
			b := out.Batch
			free, err := tx.Batches.Insert(ctx, &b, out.Content)
			stored <- free
			<-commit
			return err
		})
	}()
	if !<-stored {
		t.Fatal("the name is taken")
	}
	go func() { _, err := f.beside(lacking).Begin(t.Context(), false); again <- err }()
	porttest.Await(t, "the second begin to wait for the first", func() bool {
		waits := false
		if err := db.QueryRow("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits); err != nil {
			t.Error(err)
		}
		return waits
	})
	close(commit)
	for range 2 {
		if err := <-again; err != nil {
			t.Error(err)
		}
	}
}

// TestBeginBesideAnother begins while another begin stores its restore: there is one restore, and
// both go on with it.
func TestBeginBesideAnother(t *testing.T) {
	t.Parallel()
	f, url := newFixture(t), ""
	lacking := pgtest.Open(t, func(o *pgstore.Options) { url = o.URL })
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	f.sent(1)
	other, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := billing.NewID[billing.RestoreID](billing.RealAt(time.Now()))
	if _, err := other.ExecContext(t.Context(), "INSERT INTO restores (id, begun_at, live_file) VALUES ($1, now(), 0)", first.UUID()); err != nil {
		t.Fatal(err)
	}
	type result struct {
		*recovery.Begun
		err error
	}
	again := make(chan result)
	go func() { b, err := f.beside(lacking).Begin(t.Context(), false); again <- result{b, err} }()
	porttest.Await(t, "the second begin to wait for the first", func() bool {
		waits := false
		if err := db.QueryRowContext(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits); err != nil {
			t.Error(err)
		}
		return waits
	})
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if b := <-again; b.err != nil || b.Restore.ID != first || b.Restore.Replayed != 1 || len(b.Newer) != 1 {
		t.Errorf("beside another begin: %+v, %v", b.Begun, b.err)
	}
}
