package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

type batches struct{ *tx }

// batchFields leaves out the content.
func batchFields(b *clearing.Batch) []field {
	return scoped(&b.ID, &b.Scope, []field{
		{"network", &b.Network},
		{"name", &b.File.Name},
		{"interchange_number", &b.File.ControlNumbers.Interchange},
		{"group_number", &b.File.ControlNumbers.Group},
		{"transaction_number", &b.File.ControlNumbers.Transaction},
		{"claim_count", &b.ClaimCount},
		{"created_at", instant{&b.CreatedAt}},
		{"state", &b.State},
		{"result", &b.Result},
		{"acknowledgement", &b.Acknowledgement},
		{"send_token", &b.SendToken},
		{"unknown_since", instant{&b.UnknownSince}},
		{"delayed_since", instant{&b.DelayedSince}},
		{"sent_at", instant{&b.SentAt}},
		{"acknowledged_at", instant{&b.AcknowledgedAt}},
		{"overdue", textArray[clearing.AcknowledgementKind]{of: &b.Overdue}},
		{"settled_at", instant{&b.SettledAt}},
	})
}

// comparableNumber strips leading zeros and surrounding spaces from a control number,
// because other parties may omit them when they repeat it.
func comparableNumber(s string) string { return strings.TrimLeft(strings.TrimSpace(s), "0") }

// Insert stores a new batch, unless a batch already has its name.
func (r batches) Insert(ctx context.Context, b *clearing.Batch, content []byte) (bool, error) {
	return batchTable.insertUnless(ctx, r.tx, b, "ON CONFLICT ON CONSTRAINT batches_name DO NOTHING",
		comparableNumber(b.File.ControlNumbers.Interchange), r.seal(ctx, r.scope, b.ID, content))
}

// Get reads a batch with its acknowledgements.
func (r batches) Get(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	b, err := batchTable.get(ctx, r.tx, id, "")
	if err != nil {
		return nil, err
	}
	return b, acknowledgements(r).addTo(ctx, []*clearing.Batch{b})
}

// Lock reads a batch and keeps other transactions from writing it.
func (r batches) Lock(ctx context.Context, id billing.FileID) (*clearing.Batch, error) {
	return batchTable.get(ctx, r.tx, id, forUpdate)
}

// Save stores the state of a batch.
func (r batches) Save(ctx context.Context, b *clearing.Batch) error {
	return batchTable.save(ctx, r.tx, b)
}

// List reads a page of batches, newest first.
func (r batches) List(ctx context.Context, p billing.Page) ([]*clearing.Batch, error) {
	all, err := batchTable.page(ctx, r.tx, batchTable.of(r.tx), p)
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
	plain, err := t.unseal(ctx, t.scope, id, sealed)
	if err != nil {
		return nil, fmt.Errorf("open the content of %s in %s: %w", id.UUID(), table, err)
	}
	return plain, nil
}
