// Package connections manages the connections to networks of payers: the operator adds,
// tests and removes them, and every process of the service follows the changes.
//
// It also judges the failures of connections. A network that refuses a sign-in pauses
// its connection, because accounts lock after repeated attempts.
package connections

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of connections.
type Service struct {
	store     ports.Store
	connector ports.Connector
	kinds     network.Kinds
	payers    *directory.PayerDirectory
	log       *slog.Logger
	failed    func(connection string, reason network.Reason)

	following sync.Mutex // held by Follow: an older list never replaces a newer one

	mu      sync.Mutex
	outages map[billing.ConnectionID]*outage
	pauses  map[billing.ConnectionID]pause // not stored yet
	open    map[billing.ConnectionID]int   // the revisions in use
	inUse   []*network.Connection
}

// New creates the use cases, for connections of the kinds. Failed counts a failure.
func New(
	store ports.Store, kinds network.Kinds, payers *directory.PayerDirectory, failed func(connection string, reason network.Reason), log *slog.Logger,
) *Service {
	return &Service{
		store: store, kinds: kinds, payers: payers, failed: failed, log: log,
		outages: map[billing.ConnectionID]*outage{}, pauses: map[billing.ConnectionID]pause{},
	}
}

// Use sets the connector. It is a method because the connector reports to Observe.
func (s *Service) Use(c ports.Connector) { s.connector = c }

// Add validates and stores a connection. Running services use it within two seconds.
// It returns CodeInvalidRequest for a document with faults, and CodeConflict for a
// name that is taken.
func (s *Service) Add(ctx context.Context, r intake.ConnectionRequest) (*network.Connection, error) {
	c, err := s.read(r)
	if err != nil {
		return nil, err
	}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if billing.IsThrowAway(c.Org) {
			return caller.ErrThrowAway("connections")
		}
		if !c.Org.IsZero() {
			_, err := tx.Orgs.Get(ctx, c.Org)
			if billing.IsNotFound(err) {
				return invalid(billing.Faults{{Field: "org_id", Code: billing.FaultNotFound, Message: "No organization has this ID. List them with: molar orgs list"}})
			}
			if err != nil {
				return err
			}
		}
		c.CreatedAt = tx.Real.Now().Time
		c.ID = billing.NewID[billing.ConnectionID](tx.Real.Now())
		return tx.Connections.Insert(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// read returns the connection of a document, which can be opened.
func (s *Service) read(r intake.ConnectionRequest) (*network.Connection, error) {
	c, faults := r.Connection(s.kinds, s.payers)
	if len(faults) > 0 {
		return nil, invalid(faults)
	}
	n, err := s.connector.Open(&c)
	if err != nil {
		return nil, &billing.Error{Code: billing.CodeInvalidRequest, Message: "The connection cannot be opened: " + err.Error() + ".", Cause: err}
	}
	if n.Peer != nil {
		_ = n.Peer.Close() // nothing was sent
	}
	return &c, nil
}

func invalid(faults billing.Faults) error {
	return &billing.Error{Code: billing.CodeInvalidRequest, Message: "The document is invalid. Nothing was stored.", Faults: faults}
}

// Show returns the settings of a connection that only its kind knows.
func (s *Service) Show(c *network.Connection) []network.Shown { return s.kinds.Show(c) }

// List returns every connection, by name.
func (s *Service) List(ctx context.Context) ([]*network.Connection, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*network.Connection, error) {
		return tx.Connections.List(ctx)
	})
}

// Get returns the connection with the name. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, name string) (*network.Connection, error) {
	all, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(c *network.Connection) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return nil, unknown(name)
	}
	return all[i], nil
}

func unknown(name string) error {
	return &billing.Error{Code: billing.CodeNotFound, Message: "No connection has the name " + name + ". List them with: molar connections list"}
}

// Enable makes services use the connection again, and ends a pause.
func (s *Service) Enable(ctx context.Context, name string) (*network.Connection, error) {
	return s.change(ctx, name, func(c *network.Connection) { c.Enabled, c.Pause = true, network.Pause{} })
}

// Disable makes services stop using the connection.
func (s *Service) Disable(ctx context.Context, name string) (*network.Connection, error) {
	return s.change(ctx, name, func(c *network.Connection) { c.Enabled = false })
}

func (s *Service) change(ctx context.Context, name string, change func(c *network.Connection)) (c *network.Connection, err error) {
	err = s.locked(ctx, name, func(ctx context.Context, tx ports.SystemTx, locked *network.Connection) error {
		c = locked
		change(c)
		return tx.Connections.Save(ctx, c)
	})
	return c, err
}

func (s *Service) locked(ctx context.Context, name string, fn func(ctx context.Context, tx ports.SystemTx, c *network.Connection) error) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		c, err := tx.Connections.Lock(ctx, name)
		if billing.IsNotFound(err) {
			return unknown(name)
		}
		if err != nil {
			return err
		}
		return fn(ctx, tx, c)
	})
}

// Test tests a connection step by step, whatever its state. The steps end with the
// first one that fails. Only if write is set, it writes files, and removes them.
func (s *Service) Test(ctx context.Context, name string, write bool) (_ []network.ProbeStep, err error) {
	c, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.probe(ctx, c, write), ctx.Err()
}

func (s *Service) probe(ctx context.Context, c *network.Connection, write bool) []network.ProbeStep {
	n, err := s.connector.Open(c)
	switch {
	case err != nil:
		return []network.ProbeStep{{Name: "the settings are valid", Err: err}}
	case n.Peer == nil:
		return []network.ProbeStep{{Name: "the settings are valid", Detail: "the " + c.Kind + " needs no network"}}
	}
	defer n.Peer.Close() //nolint:errcheck // the steps are the result
	return n.Peer.Probe(ctx, write)
}

// Own returns a page of the connections that serve a scope, as its users may see them.
func (s *Service) Own(ctx context.Context, scope billing.Scope, p billing.Page) (all []*network.Connection, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		all, err = tx.Connections.List(ctx, p)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	all, next = billing.Cut(all, p.Limit, func(c *network.Connection) billing.Position { return billing.Position{Time: c.CreatedAt, ID: c.ID} })
	for i, c := range all {
		all[i] = c.SeenBy(scope.Org)
	}
	return all, next, nil
}
