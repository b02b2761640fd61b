package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/quarantine"
)

// quarantineColumns is every column except the digest and the content.
const quarantineColumns = "id, org_id, mode, source, name, cause, reason, detail, received_at"

type quarantineRow struct {
	ID         billing.FileID      `db:"id"`
	Org        billing.OrgID       `db:"org_id"` // zero for the operator's
	Mode       billing.Mode        `db:"mode"`
	Origin     clearing.FileOrigin `db:"source"`
	Name       string              `db:"name"`
	Cause      quarantine.Cause    `db:"cause"`
	Reason     string              `db:"reason"`
	Detail     []byte              `db:"detail"`
	Content    []byte              `db:"content"`
	ReceivedAt time.Time           `db:"received_at"`
}

func (r quarantineRow) file() (*quarantine.File, error) {
	q := &quarantine.File{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Origin: r.Origin, Name: r.Name, Cause: r.Cause, Reason: r.Reason,
		Content: r.Content, ReceivedAt: r.ReceivedAt.UTC(),
	}
	if r.Detail != nil {
		q.Payment = &quarantine.Payment{}
		if err := decode(r.Detail, q.Payment); err != nil {
			return nil, fmt.Errorf("read file %s in quarantine: %w", r.ID, err)
		}
	}
	return q, nil
}

// hold stores a file, unless its organization has the content in quarantine. Held reports
// whether hold stored it. Empty files with different names count as different files.
func (t *tx) hold(ctx context.Context, q *quarantine.File) (held bool, digest [sha256.Size]byte, err error) {
	var detail any
	if q.Payment != nil {
		if detail, err = encode(q.Payment); err != nil {
			return false, digest, err
		}
	}
	if digest = sha256.Sum256(q.Content); len(q.Content) == 0 {
		digest = sha256.Sum256([]byte("empty " + q.Name))
	}
	n, err := t.exec(ctx, `
INSERT INTO quarantine (id, org_id, mode, source, name, cause, reason, detail, digest, content, received_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT ON CONSTRAINT quarantine_content DO NOTHING`,
		q.ID, q.Scope.Org, q.Scope.Mode, q.Origin, q.Name, q.Cause, q.Reason, detail, digest[:],
		t.store.sealer.seal(q.Scope, q.ID, q.Content), micro(q.ReceivedAt))
	if err != nil {
		return false, digest, fmt.Errorf("quarantine a file: %w", err)
	}
	return n == 1, digest, nil
}

// unsealed returns a whole row with its content decrypted.
func (t *tx) unsealed(row quarantineRow) (*quarantine.File, error) {
	q, err := row.file()
	if err != nil {
		return nil, err
	}
	if q.Content, err = t.store.sealer.open(q.Scope, q.ID, row.Content); err != nil {
		return nil, fmt.Errorf("open file %s in quarantine: %w", q.ID, err)
	}
	return q, nil
}

// quarantine is the quarantine as the operator sees it.
type quarantines struct{ *tx }

// Insert stores a file of no organization, unless it is already stored.
func (r quarantines) Insert(ctx context.Context, q *quarantine.File) (billing.FileID, error) {
	held, digest, err := r.hold(ctx, q)
	of := []any{q.Scope.Mode, digest[:]}
	r.evidence = evidence{"SELECT EXISTS (SELECT FROM quarantine WHERE mode = $1 AND digest = $2 AND org_id IS NULL)", of}
	if err != nil || held {
		return q.ID, err
	}
	var known billing.FileID
	if err := r.get(ctx, &known, "SELECT id FROM quarantine WHERE mode = $1 AND digest = $2 AND org_id IS NULL", of...); err != nil {
		return known, fmt.Errorf("find the file in quarantine with the content of %s: %w", q.ID, err)
	}
	return known, nil
}

// Get reads a file.
func (r quarantines) Get(ctx context.Context, id billing.FileID) (*quarantine.File, error) {
	return one(ctx, r.tx, "file", r.unsealed, "SELECT "+quarantineColumns+", content FROM quarantine WHERE id = $1", id)
}

// List reads all files without their content, newest first.
func (r quarantines) List(ctx context.Context) ([]*quarantine.File, error) {
	return many(ctx, r.tx, "list the quarantine", quarantineRow.file, "SELECT "+quarantineColumns+" FROM quarantine ORDER BY received_at DESC, id DESC")
}

// Counts counts the files by their cause.
func (r quarantines) Counts(ctx context.Context) (map[quarantine.Cause]int, error) {
	var rows []struct {
		Cause quarantine.Cause `db:"cause"`
		Files int              `db:"files"`
	}
	if err := r.list(ctx, &rows, "SELECT cause, count(*) AS files FROM quarantine GROUP BY cause"); err != nil {
		return nil, fmt.Errorf("count the quarantine: %w", err)
	}
	counts := make(map[quarantine.Cause]int, len(rows))
	for _, row := range rows {
		counts[row.Cause] = row.Files
	}
	return counts, nil
}

// Remove deletes a file.
func (r quarantines) Remove(ctx context.Context, id billing.FileID) error {
	return r.later(ctx, id, "DELETE FROM quarantine WHERE id = $1", id)
}

// ownQuarantine is the quarantine of one scope.
type ownQuarantine struct{ *tx }

// Insert stores a file, unless the scope has its content in quarantine.
func (r ownQuarantine) Insert(ctx context.Context, q *quarantine.File) (billing.FileID, error) {
	held, digest, err := r.hold(ctx, q)
	if err != nil || held {
		return q.ID, err
	}
	var known billing.FileID
	of := r.query("id", "quarantine")
	of.where("digest = %", digest[:])
	if err := r.get(ctx, &known, of.text(""), of.args...); err != nil {
		return known, fmt.Errorf("find the file in quarantine with the content of %s: %w", q.ID, err)
	}
	return known, nil
}

// List reads a page of files, the last received first.
func (r ownQuarantine) List(ctx context.Context, p billing.Page) ([]*quarantine.File, error) {
	text, args := r.page(p)
	return many(ctx, r.tx, "list the quarantine", quarantineRow.file, text, args...)
}

func (r ownQuarantine) page(p billing.Page) (string, []any) {
	q := r.query(quarantineColumns, "quarantine")
	return q.pageBy("received_at", p), q.args
}

// Take deletes a file and returns it.
func (r ownQuarantine) Take(ctx context.Context, id billing.FileID) (*quarantine.File, error) {
	return one(ctx, r.tx, "file in quarantine", r.unsealed, `
DELETE FROM quarantine
WHERE org_id = $1 AND mode = $2 AND id = $3
RETURNING `+quarantineColumns+", content", r.scope.Org, r.scope.Mode, id)
}

// Known returns the remittance with the identity.
func (r ownQuarantine) Known(ctx context.Context, identity [32]byte) (known billing.ERAID, err error) {
	q := r.query("id", "eras")
	q.where("identity = %", identity[:])
	if err = r.get(ctx, &known, q.text(""), q.args...); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return known, fmt.Errorf("find the remittance with an identity: %w", err)
	}
	return known, nil
}
