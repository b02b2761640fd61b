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
	"github.com/molar-billing/molar/ports"
)

// openKeyed opens a store and closes it when the test ends.
func openKeyed(t *testing.T, url string, key [32]byte) (*pgstore.Store, error) {
	t.Helper()
	s, err := pgstore.Open(t.Context(), pgstore.Options{URL: url, MaxConns: 2, EncryptionKey: key})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

// TestKeyOfTheDatabase has a process without a key begin the database, then one
// with a key: another key is refused from then on, and none is needed.
func TestKeyOfTheDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for _, step := range []struct {
		what string
		key  [32]byte
		want error
	}{
		{"no key first", [32]byte{}, nil},
		{"the first key", [32]byte{1}, nil},
		{"the first key again", [32]byte{1}, nil},
		{"another key", [32]byte{2}, pgstore.ErrOtherKey},
		{"no key", [32]byte{}, nil},
	} {
		s, err := openKeyed(t, url, step.key)
		if !errors.Is(err, step.want) {
			t.Fatalf("%s: error %v, want %v", step.what, err, step.want)
		}
		if err != nil {
			continue
		}
		if err := s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			return tx.Orgs.Insert(ctx, &billing.Organization{ID: billing.NewID[billing.OrgID](time.Now()), Name: step.what, CreatedAt: time.Now()})
		}); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
	}
	for _, value := range []string{"UPDATE encryption_key SET proof = '\\x00'", "UPDATE encryption_key SET proof = proof || '\\x00'"} {
		exec(t, admin(t, url), value)
		if _, err := openKeyed(t, url, [32]byte{1}); !errors.Is(err, pgstore.ErrOtherKey) {
			t.Errorf("%s: error %v", value, err)
		}
	}
}

// TestKeysAtOnce opens a new database with two keys, by several processes each:
// one of the keys is the database's, for all of them.
func TestKeysAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var opened [2]atomic.Int32
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			_, err := openKeyed(t, url, [32]byte{1, byte(n % 2)})
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

// TestKeyIsProvenOnceThereIsASchema opens a database that is not migrated yet.
func TestKeyIsProvenOnceThereIsASchema(t *testing.T) {
	t.Parallel()
	url := testservers.Database(t)
	early := pgtest.Open(t, func(o *pgstore.Options) { o.URL, o.EncryptionKey = url, [32]byte{9} })
	if err := early.Ready(t.Context()); err == nil || errors.Is(err, pgstore.ErrOtherKey) {
		t.Errorf("ready before there is a schema: %v", err)
	}
	if err := pgstore.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	pgtest.Open(t, func(o *pgstore.Options) { o.URL = url })
	if err := early.View(t.Context(), scope(), func(context.Context, ports.Tx) error { return nil }); !errors.Is(err, pgstore.ErrOtherKey) {
		t.Errorf("used with another key: %v", err)
	}
}
