package pgstore_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// openKeyed opens a store and closes it when the test ends.
func openKeyed(t *testing.T, url string, key [32]byte, begins bool) (*pgstore.Store, error) {
	t.Helper()
	s, err := pgstore.Open(t.Context(), pgstore.Options{URL: url, MaxConns: 2, Keys: keysOf(key), Begins: begins})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// TestKeyOfTheDatabase sets the database's key in one process. From then on
// another key is rejected, and no key is needed.
func TestKeyOfTheDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for _, step := range []struct {
		what   string
		key    [32]byte
		begins bool
		want   error
	}{
		{"no key first", [32]byte{}, false, nil},
		{"begun without a key", [32]byte{}, true, pgstore.ErrNoKey},
		{"begun", [32]byte{1}, true, nil},
		{"the same key", [32]byte{1}, false, nil},
		{"begun again", [32]byte{1}, true, nil},
		{"another key", [32]byte{2}, false, pgstore.ErrOtherKey},
		{"begun with another key", [32]byte{2}, true, pgstore.ErrOtherKey},
		{"begun again without a key", [32]byte{}, true, nil},
		{"no key", [32]byte{}, false, nil},
	} {
		s, err := openKeyed(t, url, step.key, step.begins)
		if !errors.Is(err, step.want) {
			t.Fatalf("%s: error %v, want %v", step.what, err, step.want)
		}
		if err != nil {
			continue
		}
		if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			return tx.Orgs.Insert(ctx, &caller.Organization{ID: billing.NewID[billing.OrgID](billing.RealAt(time.Now())), Name: step.what, CreatedAt: time.Now()})
		}); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
	}
	for _, value := range []string{"UPDATE data_keys SET wrapped = '\\x00'", "UPDATE data_keys SET wrapped = wrapped || '\\x00'"} {
		exec(t, admin(t, url), value)
		if _, err := openKeyed(t, url, [32]byte{1}, false); !errors.Is(err, pgstore.ErrOtherKey) {
			t.Errorf("%s: error %v", value, err)
		}
	}
}

// TestKeysAtOnce starts several processes with each of two keys on a new
// database. One of the keys becomes the database's, for all of them.
func TestKeysAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var opened [2]atomic.Int32
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			_, err := openKeyed(t, url, [32]byte{1, byte(n % 2)}, true)
			if err == nil {
				opened[n%2].Add(1)
			} else if !errors.Is(err, pgstore.ErrOtherKey) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if a, b := opened[0].Load(), opened[1].Load(); max(a, b) != 4 || min(a, b) != 0 {
		t.Errorf("%d and %d of 4 processes opened the database", a, b)
	}
}

// TestOnlyBeginsSetsTheKey has processes wait for a schema, the first of
// them with a wrong key. Neither sets the database's key, however long the
// operator waits to set it.
func TestOnlyBeginsSetsTheKey(t *testing.T) {
	t.Parallel()
	url, wrong, right := testservers.Database(t), [32]byte{9}, [32]byte{1}
	early, err1 := openKeyed(t, url, wrong, false)
	waiting, err2 := openKeyed(t, url, right, false)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	use := func(s *pgstore.Store) error {
		return errors.Join(s.FirstStatistics(t.Context()), s.View(t.Context(), scope(), func(context.Context, ports.Tx) error { return nil }))
	}
	if err := early.Ready(t.Context()); err == nil || errors.Is(err, pgstore.ErrOtherKey) {
		t.Errorf("ready before there is a schema: %v", err)
	}
	if err := pgstore.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*pgstore.Store{early, waiting} {
		porttest.Await(t, "a look at the schema", func() bool { return errors.Is(s.Fit(), pgstore.ErrNoKey) })
		if err := use(s); !errors.Is(err, pgstore.ErrNoKey) {
			t.Errorf("before the database is begun: %v", err)
		}
	}
	late, err := openKeyed(t, url, wrong, false) // as after a restart
	if err != nil || !errors.Is(late.Ready(t.Context()), pgstore.ErrNoKey) {
		t.Errorf("a process that starts meanwhile: %v", err)
	}
	if _, err := openKeyed(t, url, right, true); err != nil {
		t.Fatal(err)
	}
	if err := use(waiting); err != nil {
		t.Errorf("with the right key: %v", err)
	}
	for _, s := range []*pgstore.Store{early, late} {
		if err := use(s); !errors.Is(err, pgstore.ErrOtherKey) {
			t.Errorf("with another key: %v", err)
		}
	}
}

// keysOf returns the key as the only one; none for zero.
func keysOf(key [32]byte) [][32]byte {
	if key == [32]byte{} {
		return nil
	}
	return [][32]byte{key}
}
