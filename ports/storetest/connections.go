package storetest

import (
	"context"
	"maps"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// connection returns a connection without zero fields, n microseconds after the
// start of the test.
func (b *scoped) connection(org billing.OrgID, n int) *network.Connection {
	c := Filled[network.Connection](b.t)
	c.ID, c.Org, c.Mode, c.Kind, c.Revision = id[billing.ConnectionID](), org, b.scope.Mode, "sftp", 1
	c.CreatedAt = b.now.Add(time.Duration(n) * time.Microsecond)
	return &c
}

func (b *scoped) addConnection(all ...*network.Connection) {
	b.t.Helper()
	for _, c := range all {
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Insert(ctx, c) })
	}
}

func (b *scoped) lockConnection(name string) (c *network.Connection, err error) {
	err = b.Store.System(b.t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
		c, err = tx.Connections.Lock(ctx, name)
		return err
	})
	return c, err
}

func testConnections(b *scoped) {
	t := b.t
	b.organization()
	own, shared := b.connection(b.scope.Org, 1), b.connection(billing.OrgID{}, 2)
	own.Name, shared.Name = "Main clearinghouse", "Deployment"
	shared.Enabled, shared.Pause, shared.Secrets = false, network.Pause{}, nil
	shared.Settings = network.Settings{Envelope: network.Envelope{Usage: network.UsageTest}}
	b.addConnection(own, shared)

	again := b.connection(b.scope.Org, 3)
	again.Name = "MAIN clearinghouse"
	err := b.Store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Insert(ctx, again) })
	wantCode(t, "a second connection with the name", err, billing.CodeConflict)

	seen := ""
	look := func() { // until the store has seen the last change
		b.awaitLook(func(s ports.Seen) bool { return s.Connections != seen })
		seen = b.Store.Seen().Connections
	}
	look()

	list := func() []*network.Connection {
		return system(b, func(ctx context.Context, tx ports.SystemTx) ([]*network.Connection, error) {
			return tx.Connections.List(ctx)
		})
	}
	equal(t, "connections", list(), []*network.Connection{shared, own})
	if got, err := b.lockConnection("main CLEARINGHOUSE"); err != nil {
		t.Error(err)
	} else {
		equal(t, "a connection", got, own)
	}
	_, err = b.lockConnection("another")
	wantCode(t, "an unknown name", err, billing.CodeNotFound)

	revisions := func() map[billing.ConnectionID]int {
		all := map[billing.ConnectionID]int{}
		for _, c := range list() {
			all[c.ID] = c.Revision
		}
		return all
	}
	if got := revisions(); !maps.Equal(got, map[billing.ConnectionID]int{own.ID: 1, shared.ID: 1}) {
		t.Errorf("revisions %v", got)
	}
	own.Pause, shared.Pause, shared.Enabled = network.Pause{}, own.Pause, true
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for _, c := range []*network.Connection{own, shared, own} {
			if err := tx.Connections.Save(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	own.Revision, shared.Revision = 3, 2
	equal(t, "saved", list(), []*network.Connection{shared, own})
	look()
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Connections.Delete(ctx, own.ID) })
	equal(t, "after one was deleted", list(), []*network.Connection{shared})
	look()
	if got := revisions(); !maps.Equal(got, map[billing.ConnectionID]int{shared.ID: 2}) {
		t.Errorf("revisions %v", got)
	}
}

func testOwnConnections(b *scoped) {
	t := b.t
	b.organization()
	elsewhere := newScope()
	own, shared, other, live := b.connection(b.scope.Org, 1), b.connection(billing.OrgID{}, 2), b.connection(elsewhere.Org, 3), b.connection(b.scope.Org, 4)
	live.Mode = billing.ModeLive
	b.addConnection(own, shared, other, live)
	for _, c := range []*network.Connection{own, shared, other, live} {
		c.Secrets = nil
	}
	page := func(scope billing.Scope, p billing.Page) []*network.Connection {
		all, err := try(b, scope, func(ctx context.Context, tx ports.Tx) ([]*network.Connection, error) {
			return tx.Connections.List(ctx, p)
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := billing.Page{Limit: 10}
	equal(t, "an organization's connections", page(b.scope, all), []*network.Connection{shared, own})
	equal(t, "those of another", page(elsewhere, all), []*network.Connection{other, shared})
	equal(t, "those of the other mode", page(billing.Scope{Org: b.scope.Org, Mode: billing.ModeLive}, all), []*network.Connection{live})
	equal(t, "the next page", page(b.scope, billing.Page{Limit: 1, After: &billing.Position{Time: shared.CreatedAt, ID: shared.ID}}), []*network.Connection{own})
}
