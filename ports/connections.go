package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// Connections stores the connections of the deployment and of every organization,
// their secrets encrypted.
type Connections interface {
	// Insert stores a new connection. It returns CodeConflict if one has the name.
	// Names are compared without case.
	Insert(ctx context.Context, c *network.Connection) error

	// Lock returns the connection with the name. No other transaction changes it
	// until this one ends. It returns CodeNotFound if there is none.
	Lock(ctx context.Context, name string) (*network.Connection, error)

	// Save stores whether a connection is enabled, and its pause, under a new revision.
	Save(ctx context.Context, c *network.Connection) error

	// Replace stores all of a connection but what it keeps, under a new revision: its ID, name,
	// mode, kind and organization, and when it was made.
	Replace(ctx context.Context, c *network.Connection) error

	// Delete removes a connection.
	Delete(ctx context.Context, id billing.ConnectionID) error

	// List reads every connection, by name. Secrets under another key are empty.
	List(ctx context.Context) ([]*network.Connection, error)
}

// OwnConnections are the connections that serve the transaction's scope, those of
// the deployment too, without their secrets.
type OwnConnections interface {
	// Get reads a connection of the scope's own organization. It returns CodeNotFound if there is
	// none.
	Get(ctx context.Context, id billing.ConnectionID) (*network.Connection, error)

	// List reads a page of connections, newest first, and one extra row when there
	// is a next page.
	List(ctx context.Context, p billing.Page) ([]*network.Connection, error)
}

// ConnectionKind is a transport, as a plug: what the domain knows of it, and how to open
// a connection.
type ConnectionKind struct {
	network.Kind

	// Open opens a connection without a call over the network. It sets what the kind
	// alone knows: the adapters, the Peer, and perhaps the envelope and how often to poll.
	Open func(c *network.Connection) (*Network, error)
}

// Connector opens the connections that the operator has added.
type Connector interface {
	// Open opens a connection that no message uses yet, to check its settings and
	// to test it. It calls no network. The caller closes the Peer.
	Open(c *network.Connection) (*Network, error)

	// Replace makes the connections the ones that messages use. It closes those
	// that are gone or changed, and keeps the others open.
	Replace(all []*network.Connection)
}

// Scenarios stores an organization's own scenarios of the sandbox. Only test mode has any.
// Get and Lock return CodeNotFound; List reads all by their endings, the long contents of checks left out.
type Scenarios interface {
	// Insert returns CodeConflict if the ending exists, or scenario.MaxOwn scenarios do.
	Insert(ctx context.Context, o *scenario.Own) error
	Get(ctx context.Context, ending string) (*scenario.Own, error)
	Lock(ctx context.Context, ending string) (*scenario.Own, error)
	Save(ctx context.Context, o *scenario.Own) error
	Delete(ctx context.Context, ending string) error
	List(ctx context.Context) ([]*scenario.Own, error)
}
