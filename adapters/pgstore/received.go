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

const receivedColumns = "id, network, org_id, mode, name, size, modified_at, state, reason, since, listed, digest, tries, holder"

type receivedRow struct {
	ID         billing.FileID     `db:"id"`
	Network    string             `db:"network"`
	Org        billing.OrgID      `db:"org_id"` // zero for a connection of the deployment
	Mode       billing.Mode       `db:"mode"`
	Name       string             `db:"name"`
	Size       int64              `db:"size"`
	ModifiedAt time.Time          `db:"modified_at"`
	State      clearing.FileState `db:"state"`
	Reason     string             `db:"reason"`
	Since      time.Time          `db:"since"`
	Listed     bool               `db:"listed"`
	Digest     []byte             `db:"digest"`
	Tries      int                `db:"tries"`
	Holder     billing.JobID      `db:"holder"`
}

func (r receivedRow) file() (*clearing.ReceivedFile, error) {
	f := &clearing.ReceivedFile{
		ID: r.ID, Network: r.Network, Scope: billing.Scope{Org: r.Org, Mode: r.Mode},
		RemoteFile: clearing.RemoteFile{Name: r.Name, Size: r.Size, Time: r.ModifiedAt.UTC()},
		State:      r.State, Reason: r.Reason, Since: r.Since.UTC(), Listed: r.Listed, Tries: r.Tries, Holder: r.Holder,
	}
	copy(f.Digest[:], r.Digest)
	return f, nil
}

const (
	listedFiles  = "SELECT " + receivedColumns + " FROM received_files WHERE network = $1 AND listed"
	nextFile     = "SELECT " + receivedColumns + " FROM received_files WHERE network = $1 AND state = 'received' ORDER BY since, id LIMIT 1 FOR UPDATE"
	problemFiles = "SELECT " + receivedColumns + " FROM received_files WHERE state IN ('refused', 'lost', 'set_aside') ORDER BY since, id LIMIT 1000"
)

// Listed reads the files that the clearinghouse had at the last look.
func (r receivedFiles) Listed(ctx context.Context, network string) ([]*clearing.ReceivedFile, error) {
	return many(ctx, r.tx, "list received files", receivedRow.file, listedFiles, network)
}

// Lock reads and locks a file.
func (r receivedFiles) Lock(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error) {
	return one(ctx, r.tx, "file", receivedRow.file, "SELECT "+receivedColumns+" FROM received_files WHERE id = $1 FOR UPDATE", id)
}

// Next locks the file that waits longest.
func (r receivedFiles) Next(ctx context.Context, network string) (*clearing.ReceivedFile, error) {
	return one(ctx, r.tx, "file", receivedRow.file, nextFile, network)
}

// Put stores a file.
func (r receivedFiles) Put(ctx context.Context, f *clearing.ReceivedFile) error {
	var digest []byte
	if f.Digest != [32]byte{} {
		digest = f.Digest[:]
	}
	_, err := r.exec(ctx, `
INSERT INTO received_files (`+receivedColumns+`)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, since = excluded.since, listed = excluded.listed,
	digest = excluded.digest, tries = excluded.tries, holder = excluded.holder`,
		f.ID, f.Network, f.Scope.Org, f.Scope.Mode, f.Name, f.Size, micro(f.Time), f.State, f.Reason, micro(f.Since), f.Listed,
		digest, f.Tries, f.Holder)
	if err != nil {
		return fmt.Errorf("store received file %s: %w", f.ID, err)
	}
	r.evidence = rowEvidence("received_files", f.ID)
	return nil
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
	return many(ctx, r.tx, "list files with a problem", receivedRow.file, problemFiles)
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
		f.ID, part, r.store.sealer.seal(f.Scope, partName{f.ID, part}, content))
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
	var old []billing.FileID
	if err := r.list(ctx, &old, superseded, f.Network, f.Name, f.ID, f.Digest[:], f.Size, micro(f.Time)); err != nil {
		return fmt.Errorf("find earlier copies of received file %s: %w", f.ID, err)
	}
	return receivedFiles(r).Forget(ctx, old)
}

// partsAtOnce is the number of parts that a statement reads.
const partsAtOnce = 8

const nextParts = "SELECT part, content FROM received_parts WHERE file_id = $1 AND part >= $2 ORDER BY part LIMIT $3"

// Read returns the content of a file, in one allocation.
func (r contents) Read(ctx context.Context, f *clearing.ReceivedFile) ([]byte, error) {
	content := make([]byte, 0, f.Size)
	for next := 0; ; next += partsAtOnce {
		var rows []struct {
			Part    int    `db:"part"`
			Content []byte `db:"content"`
		}
		if err := r.list(ctx, &rows, nextParts, f.ID, next, partsAtOnce); err != nil {
			return nil, fmt.Errorf("read received file %s: %w", f.ID, err)
		}
		for i, row := range rows {
			plain, err := r.store.sealer.open(f.Scope, partName{f.ID, next + i}, row.Content)
			if err != nil {
				return nil, fmt.Errorf("open part %d of received file %s: %w", row.Part, f.ID, err)
			}
			content = append(content, plain...)
		}
		if len(rows) == partsAtOnce {
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

// expireReceived keeps a file that is listed, so that it is not read again. A file may
// have 128 parts, so a step has few files.
const expireReceived = `
WITH old AS (
	SELECT id, listed
	FROM received_files f
	WHERE since < $1 AND state NOT IN ('received', 'partial', 'changed') AND (NOT listed OR EXISTS (SELECT FROM received_parts WHERE file_id = f.id))
	ORDER BY since, id
	LIMIT 20
), parts AS (
	DELETE FROM received_parts WHERE file_id = ANY (ARRAY (SELECT id FROM old))
), files AS (
	DELETE FROM received_files WHERE id = ANY (ARRAY (SELECT id FROM old WHERE NOT listed))
)
SELECT count(*), pg_current_xact_id()::text AS xid FROM old`

// Expire removes old contents, and old files that are no longer listed.
func (r contents) Expire(ctx context.Context, before time.Time) (int, error) {
	var row struct {
		Count int    `db:"count"`
		XID   string `db:"xid"`
	}
	if err := r.get(ctx, &row, expireReceived, micro(before)); err != nil {
		return 0, fmt.Errorf("expire received files: %w", err)
	}
	r.xid = row.XID
	return row.Count, nil
}
