package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// connected returns a store with a connection of the organization and one of the
// deployment.
func connected(t *testing.T, in billing.Scope) (*pgstore.Store, string) {
	t.Helper()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
		for name, org := range map[string]billing.OrgID{"own": in.Org, "shared": {}} {
			if err := tx.Connections.Insert(ctx, &network.Connection{
				ID: billing.NewID[billing.ConnectionID](billing.RealAt(time.Now())), Name: name, Kind: "sftp", Mode: in.Mode, Org: org,
				Carries: []network.Transaction{network.Claims}, Enabled: true, Revision: 1, CreatedAt: time.Now(),
				Secrets: network.Secrets(`{"Password":"hunter2"}`),
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return s, url
}

// TestRawSQLReachesOnlyOwnAndSharedConnections queries without any condition, and tries
// statements that no repository uses.
func TestRawSQLReachesOnlyOwnAndSharedConnections(t *testing.T) {
	t.Parallel()
	in := scope()
	_, url := connected(t, in)
	db := admin(t, url)
	other := scope()
	for who, want := range map[billing.Scope]int64{in: 2, other: 1, {Org: in.Org, Mode: billing.ModeLive}: 0} {
		if n, err := as(t, db, "molar_app", who, "SELECT name FROM connections"); err != nil || n != want {
			t.Errorf("%d connections, %v, want %d", n, err, want)
		}
	}
	if n, err := as(t, db, "molar_app", in, "SELECT name FROM connections FOR UPDATE"); err != nil || n != 1 {
		t.Errorf("%d connections are locked, %v, want the one of the organization", n, err)
	}
	forbidden(t, db, in, map[string][]string{
		"molar_app": {
			"SELECT secrets FROM connections", "SELECT * FROM connections", "UPDATE connections SET enabled = false", "UPDATE connections SET revision = 2", "DELETE FROM connections",
			"INSERT INTO connections (id, mode, name, kind, carries, settings, enabled, created_at) VALUES (gen_random_uuid(), 'test', 'x', 'sftp', '{claims}', '{}', true, now())",
		},
		"molar_system": {
			"UPDATE connections SET org_id = NULL", "UPDATE connections SET name = 'x'", "UPDATE connections SET mode = 'live'", "UPDATE connections SET kind = 'core'",
		},
	})
	invalid(t, db, "UPDATE connections SET mode = 'x'", "UPDATE connections SET carries = '{}'",
		"UPDATE connections SET paused_at = now()")
	if n := scan[int](t, db, "SELECT count(*) FROM connections WHERE encode(secrets, 'escape') LIKE '%hunter2%' OR settings::text LIKE '%hunter2%'"); n != 0 {
		t.Error("a secret is stored in clear")
	}
}

// TestSecretsOfConnectionsNeedTheirKeyAndRow lists connections whose secrets cannot be
// decrypted.
func TestSecretsOfConnectionsNeedTheirKeyAndRow(t *testing.T) {
	t.Parallel()
	s, url := connected(t, scope())
	db := admin(t, url)
	secrets := func(s *pgstore.Store) (n int) {
		porttest.System(t, s, func(ctx context.Context, tx ports.SystemTx) error {
			n = 0
			all, err := tx.Connections.List(ctx)
			for _, c := range all {
				if string(c.Secrets) == `{"Password":"hunter2"}` {
					n++
				}
			}
			return err
		})
		return n
	}
	if n := secrets(s); n != 2 {
		t.Errorf("%d connections have secrets", n)
	}
	exec(t, db, "UPDATE connections SET id = gen_random_uuid() WHERE name = 'own'") // sealed for another row
	exec(t, db, "UPDATE connections SET mode = 'live' WHERE name = 'shared'")       // and for another mode
	if n := secrets(s); n != 0 {
		t.Errorf("%d connections have the secrets of other rows", n)
	}
}
