package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Received stores the files of connections, across scopes.
type Received interface {
	// Listed reads the files that the clearinghouse of a network had at the last look.
	Listed(ctx context.Context, network string) ([]*clearing.ReceivedFile, error)

	// Lock reads a file, and no other transaction writes it until this one ends. It
	// returns CodeNotFound if there is none.
	Lock(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error)

	// Next locks the file of a network that waits longest to be applied. It returns
	// CodeNotFound if there is none.
	Next(ctx context.Context, network string) (*clearing.ReceivedFile, error)

	// Put stores a file, new or changed.
	Put(ctx context.Context, f *clearing.ReceivedFile) error

	// Forget removes files with their contents.
	Forget(ctx context.Context, ids []billing.FileID) error

	// Problems reads the files that wait for the operator, the oldest first, at most a
	// thousand.
	Problems(ctx context.Context) ([]*clearing.ReceivedFile, error)
}

// ReceivedContents stores the contents of received files in parts, encrypted.
type ReceivedContents interface {
	// Clear removes the parts of a file.
	Clear(ctx context.Context, id billing.FileID) error

	// Add stores a part of a file. Parts count from 0.
	Add(ctx context.Context, f *clearing.ReceivedFile, part int, content []byte) error

	// Supersede removes what earlier looks stored for the name and content of a file
	// that is stored now: copies that were applied, and a loss that was none.
	Supersede(ctx context.Context, f *clearing.ReceivedFile) error

	// Read returns the content of a file. It returns CodeNotFound once that has been
	// removed.
	Read(ctx context.Context, f *clearing.ReceivedFile) ([]byte, error)

	// Owned reads the files of connections that belong to the scope, by their IDs, beginning
	// after the given one, at most limit.
	Owned(ctx context.Context, scope billing.Scope, after billing.FileID, limit int) ([]*clearing.ReceivedFile, error)

	// Expire removes the contents of files that got their state before the given time, and
	// the files that are no longer listed, a limited number a call, and returns how many.
	// Files that wait to be applied stay.
	Expire(ctx context.Context, before time.Time) (int, error)
}

// Turns are leases of work that one process does at a time, by the name of the work.
type Turns interface {
	// Take leases the turn, or renews the holder's lease, and returns zero. Otherwise it
	// returns for how long another holder still has it.
	Take(ctx context.Context, name string, holder billing.JobID, lease time.Duration) (others time.Duration, err error)

	// Leave ends the holder's lease.
	Leave(ctx context.Context, name string, holder billing.JobID) error
}
