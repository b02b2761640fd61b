package pgstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
)

// connectionColumns is every column except the secrets.
const connectionColumns = "id, org_id, mode, name, kind, carries, settings, enabled, paused_at, pause_reason, pause_detail, revision, created_at"

type connectionRow struct {
	ID          billing.ConnectionID `db:"id"`
	Org         billing.OrgID        `db:"org_id"` // zero for the deployment's
	Mode        billing.Mode         `db:"mode"`
	Name        string               `db:"name"`
	Kind        string               `db:"kind"`
	Carries     pq.StringArray       `db:"carries"`
	Settings    []byte               `db:"settings"`
	Secrets     []byte               `db:"secrets"`
	Enabled     bool                 `db:"enabled"`
	PausedAt    sql.NullTime         `db:"paused_at"`
	PauseReason sql.NullString       `db:"pause_reason"`
	PauseDetail sql.NullString       `db:"pause_detail"`
	Revision    int                  `db:"revision"`
	CreatedAt   time.Time            `db:"created_at"`
}

func (r connectionRow) connection() (*network.Connection, error) {
	c := &network.Connection{
		ID: r.ID, Name: r.Name, Kind: r.Kind, Mode: r.Mode, Org: r.Org, Enabled: r.Enabled, Revision: r.Revision, CreatedAt: r.CreatedAt.UTC(),
		Carries: typed[network.Transaction](r.Carries),
		Pause: network.Pause{
			At: present(r.PausedAt), Reason: network.Reason(r.PauseReason.String), Detail: r.PauseDetail.String,
		},
	}
	return c, decode(r.Settings, &c.Settings)
}

// connectionScope is what the secrets of a connection are bound to, beside its row.
func connectionScope(c *network.Connection) billing.Scope {
	return billing.Scope{Org: c.Org, Mode: c.Mode}
}

// connections are the connections of the deployment and of every organization.
type connections struct{ *tx }

// Insert stores a new connection.
func (r connections) Insert(ctx context.Context, c *network.Connection) error {
	settings, err := encode(&c.Settings)
	if err != nil {
		return err
	}
	var sealed []byte
	if !c.Secrets.IsZero() {
		plain, err := json.Marshal(c.Secrets)
		if err != nil {
			return fmt.Errorf("encode the secrets of connection %s: %w", c.ID, err)
		}
		sealed = r.store.sealer.seal(connectionScope(c), c.ID, plain)
	}
	r.evidence = rowEvidence("connections", c.ID)
	n, err := r.exec(ctx, `
INSERT INTO connections (`+connectionColumns+`, secrets)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (lower(name)) DO NOTHING`,
		c.ID, c.Org, c.Mode, c.Name, c.Kind, texts(c.Carries), settings, c.Enabled, optional(c.Pause.At), pauseText(c, string(c.Pause.Reason)),
		pauseText(c, c.Pause.Detail), c.Revision, micro(c.CreatedAt), sealed)
	switch {
	case err != nil:
		return fmt.Errorf("insert connection %s: %w", c.ID, err)
	case n == 0:
		return &billing.Error{
			Code:    billing.CodeConflict,
			Message: "There is a connection with this name. Choose another name, or change that one with: molar connections replace FILE",
		}
	}
	return nil
}

// pauseText returns a column of the pause: NULL while there is none.
func pauseText(c *network.Connection, text string) sql.NullString {
	return sql.NullString{String: text, Valid: !c.Pause.IsZero()}
}

// Lock reads a connection and keeps other transactions from changing it.
func (r connections) Lock(ctx context.Context, name string) (*network.Connection, error) {
	return one(ctx, r.tx, "connection", r.unsealed,
		"SELECT "+connectionColumns+", secrets\nFROM connections\nWHERE lower(name) = lower($1)\n"+forUpdate, name)
}

// Save stores whether a connection is enabled, and its pause.
func (r connections) Save(ctx context.Context, c *network.Connection) error {
	return r.later(ctx, c.ID, `
UPDATE connections
SET (enabled, paused_at, pause_reason, pause_detail, revision) = ($2, $3, $4, $5, revision + 1)
WHERE id = $1`, c.ID, c.Enabled, optional(c.Pause.At), pauseText(c, string(c.Pause.Reason)), pauseText(c, c.Pause.Detail))
}

// Delete removes a connection.
func (r connections) Delete(ctx context.Context, id billing.ConnectionID) error {
	return r.later(ctx, id, "DELETE FROM connections WHERE id = $1", id)
}

// List reads every connection.
func (r connections) List(ctx context.Context) ([]*network.Connection, error) {
	return many(ctx, r.tx, "list connections", r.unsealed, "SELECT "+connectionColumns+", secrets\nFROM connections\nORDER BY lower(name)")
}

// unsealed returns a connection with its decrypted secrets. They are empty if they
// were encrypted with another key.
func (r connections) unsealed(row connectionRow) (*network.Connection, error) {
	c, err := row.connection()
	if err != nil || row.Secrets == nil {
		return c, err
	}
	if plain, err := r.store.sealer.open(connectionScope(c), c.ID, row.Secrets); err == nil {
		return c, decode(plain, &c.Secrets)
	}
	return c, nil
}

// Revisions reads the revision of every connection.
func (r connections) Revisions(ctx context.Context) (map[billing.ConnectionID]int, error) {
	var rows []struct {
		ID       billing.ConnectionID `db:"id"`
		Revision int                  `db:"revision"`
	}
	if err := r.list(ctx, &rows, "SELECT id, revision FROM connections"); err != nil {
		return nil, fmt.Errorf("read the revisions of connections: %w", err)
	}
	out := make(map[billing.ConnectionID]int, len(rows))
	for _, row := range rows {
		out[row.ID] = row.Revision
	}
	return out, nil
}

// ownConnections are the connections that serve the transaction's scope.
type ownConnections struct{ *tx }

// List reads a page of connections.
func (r ownConnections) List(ctx context.Context, p billing.Page) ([]*network.Connection, error) {
	q := &query{}
	q.built.WriteString("SELECT " + connectionColumns + "\nFROM connections")
	q.add("\nWHERE (org_id = % OR org_id IS NULL) AND mode = %", r.scope.Org, r.scope.Mode)
	return page(ctx, r.tx, "connections", connectionRow.connection, q, p)
}
