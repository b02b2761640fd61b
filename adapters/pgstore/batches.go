package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

type batches struct{ *tx }

// batchColumns is every column except the content.
const batchColumns = `id, org_id, mode, network, state, name, interchange_number, group_number, transaction_number, claim_count, result,
	acknowledgement, created_at, send_token, unknown_since, delayed_since, sent_at, acknowledged_at, overdue, settled_at`

type batchRow struct {
	ID              billing.FileID       `db:"id"`
	Org             billing.OrgID        `db:"org_id"`
	Mode            billing.Mode         `db:"mode"`
	Network         string               `db:"network"`
	State           clearing.BatchState  `db:"state"`
	Name            string               `db:"name"`
	Interchange     string               `db:"interchange_number"`
	Group           string               `db:"group_number"`
	Transaction     string               `db:"transaction_number"`
	ClaimCount      int                  `db:"claim_count"`
	Result          clearing.BatchResult `db:"result"`
	Acknowledgement string               `db:"acknowledgement"`
	CreatedAt       time.Time            `db:"created_at"`
	SendToken       string               `db:"send_token"`
	UnknownSince    sql.NullTime         `db:"unknown_since"`
	DelayedSince    sql.NullTime         `db:"delayed_since"`
	SentAt          sql.NullTime         `db:"sent_at"`
	AcknowledgedAt  sql.NullTime         `db:"acknowledged_at"`
	Overdue         pq.StringArray       `db:"overdue"`
	SettledAt       sql.NullTime         `db:"settled_at"`
}

func (r batchRow) batch() (*clearing.Batch, error) {
	return &clearing.Batch{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Network: r.Network, State: r.State,
		File: clearing.FileRef{Name: r.Name, ControlNumbers: clearing.ControlNumbers{
			Interchange: r.Interchange, Group: r.Group, Transaction: r.Transaction,
		}},
		ClaimCount: r.ClaimCount, Result: r.Result, Acknowledgement: r.Acknowledgement, CreatedAt: r.CreatedAt.UTC(),
		SendToken: r.SendToken, UnknownSince: present(r.UnknownSince), SentAt: present(r.SentAt), AcknowledgedAt: present(r.AcknowledgedAt),
		DelayedSince: present(r.DelayedSince), SettledAt: present(r.SettledAt), Overdue: typed[clearing.AcknowledgementKind](r.Overdue),
	}, nil
}

// comparableNumber strips leading zeros and surrounding spaces from a control number,
// because other parties may omit them when they repeat it.
func comparableNumber(s string) string { return strings.TrimLeft(strings.TrimSpace(s), "0") }

// Insert stores a new batch, unless a batch already has its name.
func (r batches) Insert(ctx context.Context, b *clearing.Batch, content []byte) (bool, error) {
	n := b.File.ControlNumbers
	kept, err := r.exec(ctx, `
INSERT INTO batches (id, org_id, mode, network, state, name, interchange_number, group_number, transaction_number, number, claim_count,
	result, acknowledgement, created_at, send_token, unknown_since, sent_at, acknowledged_at, content)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
ON CONFLICT ON CONSTRAINT batches_name DO NOTHING`,
		b.ID, r.scope.Org, r.scope.Mode, b.Network, b.State, b.File.Name, n.Interchange, n.Group, n.Transaction, comparableNumber(n.Interchange),
		b.ClaimCount, b.Result, b.Acknowledgement, micro(b.CreatedAt), b.SendToken, optional(b.UnknownSince), optional(b.SentAt),
		optional(b.AcknowledgedAt), r.store.sealer.seal(r.scope, b.ID, content))
	if err != nil {
		return false, fmt.Errorf("insert batch %s: %w", b.ID, err)
	}
	if kept == 1 {
		r.evidence = rowEvidence("batches", b.ID)
	}
	return kept == 1, nil
}

// Get reads a batch with its acknowledgements.
func (r batches) Get(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	b, err := r.one(ctx, id, "")
	if err != nil {
		return nil, err
	}
	return b, acknowledgements(r).addTo(ctx, []*clearing.Batch{b})
}

// Lock reads a batch and keeps other transactions from writing it.
func (r batches) Lock(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	return r.one(ctx, id, forUpdate)
}

func (r batches) one(ctx context.Context, id billing.FileID, end string) (*clearing.Batch, error) {
	q := r.query(batchColumns, "batches")
	q.where("id = %", id)
	return one(ctx, r.tx, "batch", batchRow.batch, q.text(end), q.args...)
}

// Save stores the state of a batch.
func (r batches) Save(ctx context.Context, b *clearing.Batch) error {
	return r.later(ctx, b.ID, `
UPDATE batches
SET state = $4, result = $5, acknowledgement = $6, sent_at = $7, acknowledged_at = $8, send_token = $9, unknown_since = $10,
	overdue = $11, settled_at = $12, delayed_since = $13
WHERE org_id = $1 AND mode = $2 AND id = $3`,
		r.scope.Org, r.scope.Mode, b.ID, b.State, b.Result, b.Acknowledgement, optional(b.SentAt), optional(b.AcknowledgedAt),
		b.SendToken, optional(b.UnknownSince), texts(b.Overdue), optional(b.SettledAt), optional(b.DelayedSince))
}

// List reads a page of batches, newest first.
func (r batches) List(ctx context.Context, p billing.Page) ([]*clearing.Batch, error) {
	all, err := page(ctx, r.tx, "batches", batchRow.batch, r.query(batchColumns, "batches"), p)
	if err != nil {
		return nil, err
	}
	return all, acknowledgements(r).addTo(ctx, all)
}

// Content reads the file.
func (r batches) Content(ctx context.Context, id billing.FileID) ([]byte, error) {
	return r.content(ctx, "batches", id, billing.NotFound("batch", ""))
}

// content reads the encrypted content of a row.
func (t *tx) content(ctx context.Context, table string, id rowID, absent error) ([]byte, error) {
	q := t.query("content", table)
	q.where("id = %", id.UUID())
	var sealed []byte
	if err := t.get(ctx, &sealed, q.text(""), q.args...); errors.Is(err, sql.ErrNoRows) {
		return nil, absent
	} else if err != nil {
		return nil, fmt.Errorf("get the content of %s in %s: %w", id.UUID(), table, err)
	}
	plain, err := t.store.sealer.open(t.scope, id, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the content of %s in %s: %w", id.UUID(), table, err)
	}
	return plain, nil
}
