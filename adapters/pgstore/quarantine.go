package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/task"
)

// quarantineFields leaves out the content. A file of the operator has no organization.
func quarantineFields(q *quarantine.File) []field {
	return scoped(&q.ID, &q.Scope, []field{
		{"source", &q.Origin},
		{"name", &q.Name},
		{"cause", &q.Cause},
		{"reason", &q.Reason},
		{"detail", maybe{&q.Payment}},
		{"received_at", instant{&q.ReceivedAt}},
	})
}

// sealedFields reads the content as it is stored. See unsealed.
func sealedFields(q *quarantine.File) []field {
	return append(quarantineFields(q), field{"content", &q.Content})
}

// hold stores a file, unless its organization has the content in quarantine. Held reports
// whether hold stored it. Empty files with different names count as different files.
func (t *tx) hold(ctx context.Context, q *quarantine.File) (held bool, digest [sha256.Size]byte, err error) {
	if digest = sha256.Sum256(q.Content); len(q.Content) == 0 {
		digest = sha256.Sum256([]byte("empty " + q.Name))
	}
	_, args, err := quarantineTable.values(t, q, digest[:], t.seal(ctx, q.Scope, q.ID, q.Content))
	if err != nil {
		return false, digest, err
	}

	n, err := t.do(ctx, "quarantine a file", quarantineTable.inserting+"\nON CONFLICT ON CONSTRAINT quarantine_content DO NOTHING", args...)
	return n == 1, digest, err
}

// unsealed reads one whole file, with its content decrypted.
func (t *tx) unsealed(ctx context.Context, what, text string, args ...any) (*quarantine.File, error) {
	found, err := read(ctx, t, "get "+what, sealedFields, text, args...)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, billing.NotFound(what, "")
	}
	q := found[0]
	if q.Content, err = t.unseal(ctx, q.Scope, q.ID, q.Content); err != nil {
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
	return r.unsealed(ctx, "file", "SELECT "+quarantineTable.columns+", content FROM quarantine WHERE id = $1", id)
}

// List reads all files without their content, newest first.
func (r quarantines) List(ctx context.Context) ([]*quarantine.File, error) {
	return quarantineTable.many(ctx, r.tx, "list the quarantine", quarantineTable.selecting+"ORDER BY received_at DESC, id DESC")
}

// Counts counts the files by their cause.
func (r quarantines) Counts(ctx context.Context) (map[quarantine.Cause]int, error) {
	counts := map[quarantine.Cause]int{}
	var cause quarantine.Cause
	var files int
	err := r.each(ctx, "count the quarantine", []any{&cause, &files}, func() { counts[cause] = files },
		"SELECT cause, count(*) AS files FROM quarantine GROUP BY cause")
	return counts, err
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
	if err != nil {
		return q.ID, err
	}
	if held {
		return q.ID, r.keepTasks(ctx, task.Resource{Kind: task.OfFile, ID: q.ID}, true, task.OfAFile(q), nil)
	}
	var known billing.FileID
	of := r.query("id", "quarantine")
	of.where("digest = %", digest[:])
	if err := r.get(ctx, &known, of.text(""), of.args...); err != nil {
		return known, fmt.Errorf("find the file in quarantine with the content of %s: %w", q.ID, err)
	}
	return known, nil
}

// Get reads a file without its content.
func (r ownQuarantine) Get(ctx context.Context, id billing.FileID) (*quarantine.File, error) {
	return quarantineTable.get(ctx, r.tx, id, "")
}

// List reads a page of files, the last received first.
func (r ownQuarantine) List(ctx context.Context, p billing.Page) ([]*quarantine.File, error) {
	text, args := r.page(p)
	return quarantineTable.many(ctx, r.tx, "list the quarantine", text, args...)
}

func (r ownQuarantine) page(p billing.Page) (string, []any) {
	q := quarantineTable.of(r.tx)
	return q.pageBy("received_at", p), q.args
}

// Take deletes a file and returns it.
func (r ownQuarantine) Take(ctx context.Context, id billing.FileID) (*quarantine.File, error) {
	return r.unsealed(ctx, "file in quarantine", `
DELETE FROM quarantine
WHERE org_id = $1 AND mode = $2 AND id = $3
RETURNING `+quarantineTable.columns+", content", r.scope.Org, r.scope.Mode, id)
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
