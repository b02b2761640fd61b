package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/task"
)

// connectionFields leaves out the secrets.
func connectionFields(c *network.Connection) []field {
	return []field{
		{"id", &c.ID},
		{"org_id", &c.Org}, // zero for the deployment's
		{"mode", &c.Mode},
		{"name", &c.Name},
		{"kind", &c.Kind},
		{"carries", textArray[network.Transaction]{of: &c.Carries}},
		{"settings", document{&c.Settings, ""}},
		{"enabled", &c.Enabled},
		{"paused_at", instant{&c.Pause.At}},
		{"pause_reason", pauseText[network.Reason]{&c.Pause.Reason, &c.Pause}},
		{"pause_detail", pauseText[string]{&c.Pause.Detail, &c.Pause}},
		{"revision", &c.Revision},
		{"created_at", instant{&c.CreatedAt}},
	}
}

// sealedConnection is a connection whose secrets are encrypted.
type sealedConnection struct {
	network.Connection
	secrets []byte
}

func sealedConnectionFields(c *sealedConnection) []field {
	return append(connectionFields(&c.Connection), field{"secrets", &c.secrets})
}

// pauseText is a column of the pause. It is NULL while there is none.
type pauseText[T ~string] struct {
	of    *T
	pause *network.Pause
}

// Value returns the text, or NULL.
func (p pauseText[T]) Value() (driver.Value, error) {
	return sql.NullString{String: string(*p.of), Valid: !p.pause.IsZero()}.Value()
}

// Scan reads the text.
func (p pauseText[T]) Scan(src any) error { return orNull[T]{p.of}.Scan(src) }

// connectionScope is what the secrets of a connection are bound to, beside its row.
func connectionScope(c *network.Connection) billing.Scope {
	return billing.Scope{Org: c.Org, Mode: c.Mode}
}

// connections are the connections of the deployment and of every organization.
type connections struct{ *tx }

// sealed encrypts the secrets of a connection. It returns nil for none.
func (r connections) sealed(ctx context.Context, c *network.Connection) ([]byte, error) {
	if c.Secrets.IsZero() {
		return nil, nil
	}
	plain, err := json.Marshal(c.Secrets)
	if err != nil {
		return nil, fmt.Errorf("encode the secrets of connection %s: %w", c.ID, err)
	}
	return r.seal(ctx, connectionScope(c), c.ID, plain), nil
}

// Insert stores a new connection.
func (r connections) Insert(ctx context.Context, c *network.Connection) error {
	sealed, err := r.sealed(ctx, c)
	if err != nil {
		return err
	}
	stored, err := connectionTable.insertUnless(ctx, r.tx, &sealedConnection{*c, sealed}, "ON CONFLICT (lower(name)) DO NOTHING")
	if err == nil && !stored {
		return &billing.Error{
			Code:    billing.CodeConflict,
			Message: "There is a connection with this name. Choose another name, or change that one with: molar connections replace FILE",
		}
	}
	if err != nil {
		return err
	}
	return r.keepTasks(ctx, c, true)
}

// keepTasks keeps the tasks of a connection in the list of its organization. The deployment's
// connections have none.
func (r connections) keepTasks(ctx context.Context, c *network.Connection, isNew bool) error {
	if c.Org.IsZero() {
		return nil
	}
	return r.keepTasksIn(ctx, connectionScope(c), task.Resource{Kind: task.OfConnection, ID: c.ID}, isNew, task.OfAConnection(c), nil)
}

// Lock reads a connection and keeps other transactions from changing it.
func (r connections) Lock(ctx context.Context, name string) (*network.Connection, error) {
	c, err := connectionTable.one(ctx, r.tx, connectionTable.selecting+"WHERE lower(name) = lower($1)\n"+forUpdate, name)
	if err != nil {
		return nil, err
	}
	return r.unsealed(ctx, c)
}

// Save stores whether a connection is enabled, and its pause.
func (r connections) Save(ctx context.Context, c *network.Connection) error {
	err := r.later(ctx, c.ID, `
UPDATE connections
SET (enabled, paused_at, pause_reason, pause_detail, revision) = ($2, $3, $4, $5, revision + 1)
WHERE id = $1`, c.ID, c.Enabled, optional(c.Pause.At),
		pauseText[network.Reason]{&c.Pause.Reason, &c.Pause}, pauseText[string]{&c.Pause.Detail, &c.Pause})
	if err != nil {
		return err
	}
	return r.keepTasks(ctx, c, false)
}

// Replace stores what the operator's document says of a connection, which keeps its notes.
func (r connections) Replace(ctx context.Context, c *network.Connection) error {
	sealed, err := r.sealed(ctx, c)
	if err != nil {
		return err
	}
	settings, err := document{&c.Settings, ""}.Value()
	if err != nil {
		return err
	}
	err = r.later(ctx, c.ID, "UPDATE connections SET (carries, settings, secrets) = ($2, $3, $4) WHERE id = $1",
		c.ID, textArray[network.Transaction]{of: &c.Carries}, settings, sealed)
	if err != nil {
		return err
	}
	return r.Save(ctx, c)
}

// Delete removes a connection.
func (r connections) Delete(ctx context.Context, id billing.ConnectionID) error {
	return r.later(ctx, id, "DELETE FROM connections WHERE id = $1", id)
}

// List reads every connection.
func (r connections) List(ctx context.Context) ([]*network.Connection, error) {
	all, err := connectionTable.many(ctx, r.tx, "list connections", connectionTable.selecting+"ORDER BY lower(name)")
	if err != nil {
		return nil, err
	}
	return values(all, func(c *sealedConnection) (*network.Connection, error) { return r.unsealed(ctx, c) })
}

// unsealed returns a connection with its decrypted secrets. They are empty if they
// were encrypted with another key.
func (r connections) unsealed(ctx context.Context, c *sealedConnection) (*network.Connection, error) {
	if plain, err := r.unseal(ctx, connectionScope(&c.Connection), c.ID, c.secrets); err == nil {
		return &c.Connection, decode(plain, &c.Secrets)
	}
	return &c.Connection, nil
}

// ownConnections are the connections that serve the transaction's scope.
type ownConnections struct{ *tx }

// Get reads a connection of the scope's own organization.
func (r ownConnections) Get(ctx context.Context, id billing.ConnectionID) (*network.Connection, error) {
	return ownConnectionTable.get(ctx, r.tx, id, "")
}

// List reads a page of connections.
func (r ownConnections) List(ctx context.Context, p billing.Page) ([]*network.Connection, error) {
	q := &query{}
	q.built.WriteString("SELECT " + ownConnectionTable.columns + "\nFROM connections")
	q.add("\nWHERE (org_id = % OR org_id IS NULL) AND mode = %", r.scope.Org, r.scope.Mode)
	text := q.page(p)
	return ownConnectionTable.many(ctx, r.tx, "list connections", text, q.args...)
}
