package pgstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// receivedFiles are the files of connections.
type receivedFiles struct{ *tx }

func receivedFields(f *clearing.ReceivedFile) []field {
	return []field{
		{"id", &f.ID},
		{"network", &f.Network},
		{"org_id", &f.Scope.Org}, // zero for a connection of the deployment
		{"mode", &f.Scope.Mode},
		{"name", &f.Name},
		{"size", &f.Size},
		{"modified_at", instant{&f.Time}},
		{"state", &f.State},
		{"reason", &f.Reason},
		{"since", instant{&f.Since}},
		{"listed", &f.Listed},
		{"digest", sum{f.Digest[:], true}},
		{"tries", &f.Tries},
		{"holder", &f.Holder},
	}
}

//nolint:gochecknoglobals // constants, built from the columns
var (
	listedFiles  = receivedTable.selecting + "WHERE network = $1 AND listed"
	nextFile     = receivedTable.selecting + "WHERE network = $1 AND state = 'received' ORDER BY since, id LIMIT 1 FOR UPDATE"
	problemFiles = receivedTable.selecting + "WHERE state IN ('refused', 'lost', 'set_aside') ORDER BY since, id LIMIT 1000"
)

// Listed reads the files that the clearinghouse had at the last look.
func (r receivedFiles) Listed(ctx context.Context, network string) ([]*clearing.ReceivedFile, error) {
	return receivedTable.many(ctx, r.tx, "list received files", listedFiles, network)
}

// Lock reads and locks a file.
func (r receivedFiles) Lock(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error) {
	return receivedTable.one(ctx, r.tx, receivedTable.selecting+"WHERE id = $1 FOR UPDATE", id)
}

// Next locks the file that waits longest.
func (r receivedFiles) Next(ctx context.Context, network string) (*clearing.ReceivedFile, error) {
	return receivedTable.one(ctx, r.tx, nextFile, network)
}

// Put stores a file.
func (r receivedFiles) Put(ctx context.Context, f *clearing.ReceivedFile) error {
	_, err := receivedTable.insertUnless(ctx, r.tx, f, `
ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since, listed = excluded.listed,
	digest = excluded.digest, tries = excluded.tries, holder = excluded.holder`)
	return err
}

// Forget removes files with their contents.
func (r receivedFiles) Forget(ctx context.Context, ids []billing.FileID) error {
	if len(ids) == 0 {
		return nil
	}
	for _, table := range []string{"received_parts WHERE file_id", "received_files WHERE id"} {
		if _, err := r.exec(ctx, "DELETE FROM "+table+" = ANY ($1::uuid[])", uuids(ids)); err != nil {
			return fmt.Errorf("forget received files: %w", err)
		}
	}
	return nil
}

// Problems reads the files that wait for the operator.
func (r receivedFiles) Problems(ctx context.Context) ([]*clearing.ReceivedFile, error) {
	return receivedTable.many(ctx, r.tx, "list files with a problem", problemFiles)
}

// contents stores the contents of received files.
type contents struct{ *tx }

// partName is the row ID of a part.
type partName struct {
	file billing.FileID
	part int
}

// UUID returns the row ID that the part's encrypted content is bound to.
func (n partName) UUID() string { return fmt.Sprintf("%s part %d", n.file.UUID(), n.part) }

// Clear removes the parts of a file.
func (r contents) Clear(ctx context.Context, id billing.FileID) error {
	_, err := r.do(ctx, "clear received file "+id.String(), "DELETE FROM received_parts WHERE file_id = $1", id)
	return err
}

// Add stores a part.
func (r contents) Add(ctx context.Context, f *clearing.ReceivedFile, part int, content []byte) error {
	_, err := r.do(ctx, "store a part of received file "+f.ID.String(), "INSERT INTO received_parts (file_id, part, content) VALUES ($1, $2, $3)",
		f.ID, part, r.seal(ctx, f.Scope, partName{f.ID, part}, content))
	return err
}

// superseded are earlier copies of the content under the name, and the loss of a file
// that came after all.
const superseded = `
SELECT id
FROM received_files
WHERE network = $1 AND name = $2 AND id <> $3 AND (state = 'applied' AND digest = $4 OR state = 'lost' AND size = $5 AND modified_at = $6)`

// Supersede removes them.
func (r contents) Supersede(ctx context.Context, f *clearing.ReceivedFile) error {
	old, err := columnOf[billing.FileID](ctx, r.tx, "find earlier copies of received file "+f.ID.String(),
		superseded, f.Network, f.Name, f.ID, f.Digest[:], f.Size, micro(f.Time))
	if err != nil {
		return err
	}
	return receivedFiles(r).Forget(ctx, old)
}

// partsAtOnce is the number of parts that a statement reads.
const partsAtOnce = 8

const nextParts = "SELECT content FROM received_parts WHERE file_id = $1 AND part >= $2 ORDER BY part LIMIT $3"

// Read returns the content of a file, in one allocation.
func (r contents) Read(ctx context.Context, f *clearing.ReceivedFile) ([]byte, error) {
	content := make([]byte, 0, f.Size)
	for next := 0; ; next += partsAtOnce {
		parts, err := columnOf[[]byte](ctx, r.tx, "read received file "+f.ID.String(), nextParts, f.ID, next, partsAtOnce)
		if err != nil {
			return nil, err
		}
		for i, part := range parts {
			plain, err := r.unseal(ctx, f.Scope, partName{f.ID, next + i}, part)
			if err != nil {
				return nil, fmt.Errorf("open part %d of received file %s: %w", next+i, f.ID, err)
			}
			content = append(content, plain...)
		}
		if len(parts) == partsAtOnce {
			continue
		}
		switch {
		case sha256.Sum256(content) == f.Digest:
			return content, nil
		case len(content) == 0:
			return nil, billing.NotFound("content of the file", "")
		}
		return nil, fmt.Errorf("read received file %s: %w", f.ID, errParts)
	}
}

var errParts = errors.New("some of its parts are missing")

// owned walks the primary key: few connections belong to an organization.
func (r contents) owned(scope billing.Scope, after billing.FileID, limit int) (string, []any) {
	q := &query{}
	q.add(receivedTable.selecting+"WHERE org_id = % AND mode = %", scope.Org, scope.Mode)
	whereSet(q, "id > %", after)
	return q.text("ORDER BY id\nLIMIT %", limit), q.args
}

// Owned reads the files of a scope's own connections.
func (r contents) Owned(ctx context.Context, scope billing.Scope, after billing.FileID, limit int) ([]*clearing.ReceivedFile, error) {
	text, args := r.owned(scope, after, limit)
	return receivedTable.many(ctx, r.tx, "list the received files of an organization", text, args...)
}

// expireReceived keeps a file that is listed, so that it is not read again. A file may
// have 128 parts, so a step has few files.
const expireReceived = `
WITH old AS (
	SELECT id, listed
	FROM received_files f
	WHERE since < $1 AND state NOT IN ('received', 'partial', 'changed') AND (NOT listed OR EXISTS (SELECT FROM received_parts WHERE file_id = f.id))
		AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = f.org_id)
	ORDER BY since, id
	LIMIT 20
), parts AS (
	DELETE FROM received_parts WHERE file_id = ANY (ARRAY (SELECT id FROM old))
), files AS (
	DELETE FROM received_files WHERE id = ANY (ARRAY (SELECT id FROM old WHERE NOT listed))
)
SELECT count(*), pg_current_xact_id()::text AS xid FROM old`

// Expire removes old contents, and old files that are no longer listed.
func (r contents) Expire(ctx context.Context, before time.Time) (n int, err error) {
	err = r.row(ctx, []any{&n, &r.xid}, expireReceived, micro(before))
	if err != nil {
		return 0, fmt.Errorf("expire received files: %w", err)
	}
	return n, nil
}
