package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

type routes struct{ *tx }

// digits returns the digits of a text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

const (
	payees        = "SELECT " + officeColumns + "\nFROM offices\nWHERE mode = $1 AND verified_at IS NOT NULL AND "
	payeesByNPI   = payees + "npi = $3 AND $2 IN ('', tax_key)\nORDER BY created_at, id"
	payeesByTaxID = payees + "tax_key = $2\nORDER BY created_at, id"
)

// Payees returns the verified offices with the numbers.
func (r routes) Payees(ctx context.Context, mode billing.Mode, npi, taxID string) ([]*billing.Office, error) {
	text, args := payeesByTaxID, []any{mode, digits(taxID)}
	switch npi = strings.TrimSpace(npi); {
	case npi != "":
		text, args = payeesByNPI, append(args, npi)
	case digits(taxID) == "":
		return nil, nil
	}
	var rows []officeRow
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return nil, fmt.Errorf("find payees: %w", err)
	}
	return values(rows, officeRow.office)
}

// batchByNumber selects the newest batch with the number, because numbers restart after
// a billion files.
const batchByNumber = "SELECT " + batchColumns + "\nFROM batches\nWHERE mode = $1 AND number = ANY ($2) AND network = $3\nORDER BY created_at DESC\nLIMIT 1"

// Batch returns the batch that a file replies to.
func (r routes) Batch(ctx context.Context, mode billing.Mode, network string, n billing.ControlNumbers) (*billing.Batch, error) {
	var numbers pq.StringArray
	for _, number := range []string{n.Interchange, n.Group, n.Transaction} {
		if number = comparableNumber(number); number != "" {
			numbers = append(numbers, number)
		}
	}
	var row batchRow
	if err := r.get(ctx, &row, batchByNumber, mode, numbers, network); errors.Is(err, sql.ErrNoRows) {
		return nil, billing.NotFound("batch", "")
	} else if err != nil {
		return nil, fmt.Errorf("find a batch: %w", err)
	}
	return row.batch()
}

// queuedPayers finds each organization's payers in the index of waiting claims. It
// skips from payer to payer and reads one claim of each, however many wait.
const queuedPayers = `
WITH RECURSIVE waiting AS (
	(
		SELECT org_id, payer_id
		FROM claims
		WHERE mode = $1 AND state = 'queued' AND batch_id IS NULL
		ORDER BY org_id, payer_id
		LIMIT 1
	)
	UNION ALL
	SELECT next.org_id, next.payer_id
	FROM waiting w
	CROSS JOIN LATERAL (
		SELECT c.org_id, c.payer_id
		FROM claims c
		WHERE c.mode = $1 AND c.state = 'queued' AND c.batch_id IS NULL AND (c.org_id, c.payer_id) > (w.org_id, w.payer_id)
		ORDER BY c.org_id, c.payer_id
		LIMIT 1
	) next
)
SELECT org_id, payer_id FROM waiting`

// Queued returns the scopes in which claims wait for a batch, with their payers.
func (r routes) Queued(ctx context.Context, mode billing.Mode) (map[billing.Scope][]billing.PayerID, error) {
	var rows []struct {
		Org   billing.OrgID   `db:"org_id"`
		Payer billing.PayerID `db:"payer_id"`
	}
	if err := r.list(ctx, &rows, queuedPayers, mode); err != nil {
		return nil, fmt.Errorf("find queued claims: %w", err)
	}
	payers := map[billing.Scope][]billing.PayerID{}
	for _, row := range rows {
		scope := billing.Scope{Org: row.Org, Mode: mode}
		payers[scope] = append(payers[scope], row.Payer)
	}
	return payers, nil
}

type quarantine struct{ *tx }

type quarantineRow struct {
	ID         billing.FileID `db:"id"`
	Mode       billing.Mode   `db:"mode"`
	Name       string         `db:"name"`
	Reason     string         `db:"reason"`
	Content    []byte         `db:"content"`
	ReceivedAt time.Time      `db:"received_at"`
}

func (r quarantineRow) file() (*billing.Quarantined, error) {
	return &billing.Quarantined{ID: r.ID, Mode: r.Mode, Name: r.Name, Reason: r.Reason, Content: r.Content, ReceivedAt: r.ReceivedAt.UTC()}, nil
}

// Insert stores a file, unless the same file is already stored.
func (r quarantine) Insert(ctx context.Context, q *billing.Quarantined) error {
	digest := sha256.Sum256(q.Content)
	if _, err := r.exec(ctx, `
INSERT INTO quarantine (id, mode, name, reason, digest, content, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT ON CONSTRAINT quarantine_content DO NOTHING`,
		q.ID, q.Mode, q.Name, q.Reason, digest[:], r.store.sealer.seal(billing.Scope{Mode: q.Mode}, q.ID, q.Content), micro(q.ReceivedAt)); err != nil {
		return fmt.Errorf("quarantine a file: %w", err)
	}
	r.evidence = evidence{"SELECT EXISTS (SELECT FROM quarantine WHERE mode = $1 AND digest = $2)", []any{q.Mode, digest[:]}}
	return nil
}

// Get reads a file.
func (r quarantine) Get(ctx context.Context, id billing.FileID) (*billing.Quarantined, error) {
	var row quarantineRow
	err := r.get(ctx, &row, "SELECT id, mode, name, reason, content, received_at FROM quarantine WHERE id = $1", id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, billing.NotFound("file", "")
	}
	if err != nil {
		return nil, fmt.Errorf("get file %s in quarantine: %w", id, err)
	}
	if row.Content, err = r.store.sealer.open(billing.Scope{Mode: row.Mode}, id, row.Content); err != nil {
		return nil, fmt.Errorf("open file %s in quarantine: %w", id, err)
	}
	return row.file()
}

// List reads all files without their content, newest first.
func (r quarantine) List(ctx context.Context) ([]*billing.Quarantined, error) {
	var rows []quarantineRow
	if err := r.list(ctx, &rows, "SELECT id, mode, name, reason, received_at FROM quarantine ORDER BY received_at DESC, id DESC"); err != nil {
		return nil, fmt.Errorf("list the quarantine: %w", err)
	}
	return values(rows, quarantineRow.file)
}

// Remove deletes a file.
func (r quarantine) Remove(ctx context.Context, id billing.FileID) error {
	return r.later(ctx, id, "DELETE FROM quarantine WHERE id = $1", id)
}
