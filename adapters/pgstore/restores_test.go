package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestBehind works with a database that was restored only after its numbers are raised, in
// each process: one that expects the number of a copy, and one that has seen it before.
func TestBehind(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	store, operator := pgtest.OpenAt(t, url), pgtest.OpenAt(t, url)
	nothing := func(context.Context, ports.SystemTx) error { return nil }
	if err := store.System(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	behind, is := errors.AsType[*pgstore.BehindError](store.Expect(t.Context(), 8))
	if !is || *behind != (pgstore.BehindError{Have: 0, Want: 8}) || !errors.Is(behind, billing.ErrStoreAway) {
		t.Fatalf("a database at 0 that should be at 8: %v", behind)
	}
	for what, err := range map[string]error{"a transaction": store.System(t.Context(), nothing), "fit": store.Fit(), "ready": store.Ready(t.Context())} {
		if _, is := errors.AsType[*pgstore.BehindError](err); !is {
			t.Errorf("%s: %v", what, err)
		}
	}
	porttest.System(t, operator, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Restores.Raise(ctx, restore.Numbers{LiveFile: 9})
	})
	porttest.Await(t, "a database that is no longer behind", func() bool { return store.Fit() == nil })
	porttest.System(t, store, nothing)

	// The database is restored under a running process, which has seen 9.
	if err := operator.Expect(t.Context(), 9); err != nil {
		t.Fatal(err)
	}
	exec(t, admin(t, url), "UPDATE live_files SET number = 8")
	if _, is := errors.AsType[*pgstore.BehindError](operator.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Restores.Next(ctx)
		return err
	})); !is {
		t.Error("a number was given out twice")
	}
	porttest.Await(t, "a database that is behind again", func() bool { return operator.Fit() != nil && store.Fit() != nil })
}

// TestSeal opens a sealed copy under its own name only.
func TestSeal(t *testing.T) {
	t.Parallel()
	store := pgtest.Open(t)
	sealed := store.Seal("files/out/1", []byte("ISA*Jane Doe"))
	if bytes.Contains(sealed, []byte("Doe")) {
		t.Error("the copy is readable")
	}
	if plain, err := store.Open("files/out/1", sealed); err != nil || string(plain) != "ISA*Jane Doe" {
		t.Errorf("%q, %v", plain, err)
	}
	sealed[len(sealed)-1]++
	for _, name := range []string{"files/out/1", "files/out/2"} {
		if _, err := store.Open(name, sealed); err == nil {
			t.Errorf("damaged bytes open as %s", name)
		}
	}
}

// TestRecoveringServer opens a store on a server that replays its log, as one does that is
// restored. The store waits until the server takes writes.
func TestRecoveringServer(t *testing.T) {
	t.Parallel()
	server := testservers.StartLocalPostgres(t)
	if err := pgstore.Migrate(t.Context(), server.URL()); err != nil {
		t.Fatal(err)
	}
	waits := func(o *pgstore.Options) { o.Waits = true }
	porttest.System(t, pgtest.OpenAt(t, server.URL(), waits), func(context.Context, ports.SystemTx) error { return nil })
	server.Replace(func(data string) {
		if err := os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	o := pgstore.Options{MaxConns: 2, Keys: [][32]byte{{1, 2, 3}}, Waits: true}
	o.URL = pgtest.Service(t, server.URL())
	late, err := pgstore.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = late.Close() })
	nothing := func(context.Context, ports.SystemTx) error { return nil }
	if err := late.System(t.Context(), nothing); !errors.Is(err, billing.ErrStoreAway) {
		t.Errorf("a transaction during recovery: %v", err)
	}
	exec(t, admin(t, server.URL()), "SELECT pg_promote()")
	porttest.Await(t, "a server that takes writes", func() bool { return late.Fit() == nil })
	porttest.System(t, late, nothing)
}
