package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing/restore"
)

// LiveFiles numbers the live files of all scopes, whose copies are in Blobs.
type LiveFiles interface {
	// Next gives out the next number for a live file, and returns the highest ones. No
	// other transaction gets one until this one ends, so that a number is given out
	// exactly if its transaction and all before it are committed.
	Next(ctx context.Context) (restore.Numbers, error)

	// Held reports whether live claims wait for the end of a restore.
	Held(ctx context.Context) (bool, error)

	// Lacked adds claims or received files to those that the database lacked before the
	// open restore.
	Lacked(ctx context.Context, ids ...[16]byte) error
}

// Restores stores the restores of the database.
type Restores interface {
	LiveFiles

	// Numbers reads the highest numbers given out.
	Numbers(ctx context.Context) (restore.Numbers, error)

	// Raise lets no number that is given out later be one of these or lower, and stores that
	// the live files were replayed up to theirs.
	Raise(ctx context.Context, to restore.Numbers) error

	// Insert stores a restore, and gives it an ID if it has none. It stores none that is there
	// already, and no second open one: it waits for the transaction that stores the first.
	Insert(ctx context.Context, r *restore.Restore) error

	// Open returns the restore that is not resumed; nil if there is none.
	Open(ctx context.Context) (*restore.Restore, error)

	// Resume stores that the restore ended at the time, unless it has ended.
	Resume(ctx context.Context, r *restore.Restore, at time.Time) error
}

// Sealer encrypts what is stored outside the database, each under its name.
type Sealer interface {
	Seal(name string, plain []byte) []byte

	// Open returns an error for another name, and for damaged bytes.
	Open(name string, sealed []byte) ([]byte, error)
}
