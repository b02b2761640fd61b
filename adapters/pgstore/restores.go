package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/restore"
)

type restores struct{ *tx }

// Next raises the number of live files. The row stays locked until the commit.
func (r restores) Next(ctx context.Context) (n restore.Numbers, err error) {
	err = r.row(ctx, []any{&n.LiveFile, &n.Batch, &n.Attachment, &r.xid}, `
UPDATE live_files
SET number = number + 1
RETURNING number, (SELECT last_value FROM file_serials), (SELECT last_value FROM attachment_serials), pg_current_xact_id()::text AS xid`)
	if err != nil {
		return n, fmt.Errorf("number a live file: %w", err)
	}
	if want := r.store.expected.Load(); n.LiveFile <= want {
		return n, &BehindError{Have: n.LiveFile - 1, Want: want}
	}
	r.evidence = evidence{"SELECT number >= $1 FROM live_files", []any{n.LiveFile}}
	return n, nil
}

// openRestore is a condition of statements that wait while a restore is not resumed.
const openRestore = "EXISTS (SELECT FROM restores WHERE resumed_at IS NULL)"

// Held reports whether a restore is not resumed.
func (r restores) Held(ctx context.Context) (held bool, err error) {
	err = r.fetch(ctx, "find an open restore", &held, "SELECT "+openRestore)
	return held, err
}

// Lacked adds to what the database lacked.
func (r restores) Lacked(ctx context.Context, ids ...[16]byte) error {
	if len(ids) == 0 {
		return nil
	}
	all := make([]billing.JobID, len(ids))
	for i, id := range ids {
		all[i] = id
	}
	_, err := r.do(ctx, "store what the database lacked", "UPDATE restores SET lacked = lacked || $1::uuid[] WHERE resumed_at IS NULL", uuids(all))
	return err
}

// Numbers reads the highest numbers.
func (r restores) Numbers(ctx context.Context) (n restore.Numbers, err error) {
	err = r.row(ctx, []any{&n.LiveFile, &n.Batch, &n.Attachment}, `
SELECT number, (SELECT last_value FROM file_serials) AS batch, (SELECT last_value FROM attachment_serials) AS attachment
FROM live_files`)
	if err != nil {
		return n, fmt.Errorf("read the highest numbers: %w", err)
	}
	return n, nil
}

// Raise raises numbers. Those of the sequences stay raised if the transaction fails.
func (r restores) Raise(ctx context.Context, to restore.Numbers) error {
	for sequence, n := range map[string]int64{"file_serials": to.Batch, "attachment_serials": to.Attachment} {
		var raised int64
		if err := r.fetch(ctx, "raise "+sequence, &raised, "SELECT setval('"+sequence+"', greatest(last_value, $1)) FROM "+sequence, n); err != nil {
			return err
		}
	}
	if _, err := r.do(ctx, "raise the number of live files", "UPDATE live_files SET number = greatest(number, $1)", to.LiveFile); err != nil {
		return err
	}
	_, err := r.do(ctx, "end a replay", "UPDATE restores SET replayed = greatest(1, $1) WHERE resumed_at IS NULL", to.LiveFile)
	return err
}

// Insert stores a restore, unless it or another open one is there. Its ID and those of events are of one clock.
func (r restores) Insert(ctx context.Context, of *restore.Restore) error {
	if of.ID.IsZero() {
		of.ID = billing.NewID[billing.RestoreID](transactionClock{ctx, r.tx}.Now())
	}
	_, err := r.do(ctx, "insert a restore", "INSERT INTO restores (id, begun_at, resumed_at, live_file) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
		of.ID, micro(of.BegunAt), optional(of.ResumedAt), of.LiveFile)
	return err
}

// Open returns the restore that is not resumed.
func (r restores) Open(ctx context.Context) (open *restore.Restore, err error) {
	var of restore.Restore
	err = r.each(ctx, "find an open restore", []any{&of.ID, instant{&of.BegunAt}, &of.LiveFile, &of.Replayed}, func() { open = &of },
		"SELECT id, begun_at, live_file, replayed FROM restores WHERE resumed_at IS NULL")
	if err != nil || open == nil {
		return nil, err
	}
	of.Lacked, err = columnOf[billing.JobID](ctx, r.tx, "read what the database lacked", "SELECT unnest(lacked) FROM restores WHERE id = $1", of.ID)
	return open, err
}

// Resume ends a restore.
func (r restores) Resume(ctx context.Context, of *restore.Restore, at time.Time) error {
	_, err := r.do(ctx, "resume after a restore", "UPDATE restores SET resumed_at = $2 WHERE id = $1 AND resumed_at IS NULL", of.ID, micro(at))
	return err
}

// blobName is the row ID that the content of a blob is bound to.
type blobName string

// UUID returns the name, which no row has as its ID.
func (n blobName) UUID() string { return string(n) }

// Seal encrypts the copy of a live file.
func (s *Store) Seal(name string, plain []byte) []byte { return s.keys.sealCopy(name, plain) }

// Open decrypts the copy of a live file.
func (s *Store) Open(name string, sealed []byte) ([]byte, error) {
	return s.keys.openCopy(name, sealed)
}

// BehindError is the error of a store whose database has not given out the number of a
// live file that has a copy: it was restored. No transaction begins.
type BehindError struct{ Have, Want int64 }

func (e *BehindError) Error() string {
	return fmt.Sprintf("the database is at live file %d of %d: it was restored from a backup, or is a standby without the last transactions; "+
		"run molar restore check, then molar restore begin", e.Have, e.Want)
}

// Is makes a BehindError a reason why the store is unavailable.
func (e *BehindError) Is(target error) bool { return target == billing.ErrStoreAway }

// Expect makes transactions fail with a *BehindError until the database has given out the
// number of a live file. A store expects each number that it has seen.
func (s *Store) Expect(ctx context.Context, number int64) error {
	s.raise(number)
	return s.look(ctx)
}

// raise returns the highest number so far.
func (s *Store) raise(number int64) int64 {
	for {
		highest := s.expected.Load()
		if number <= highest || s.expected.CompareAndSwap(highest, number) {
			return max(number, highest)
		}
	}
}
