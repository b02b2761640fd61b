package sandboxnet

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Mail is what the clearinghouse remembers between calls. MailFile and Note are
// plain structs under another name, so that a store implements Mail without an
// import of this package. Package mailtest is its contract.
type Mail interface {
	// Put keeps files until they are due. A file whose name is kept, or was kept
	// and removed in the last days, stays as it is.
	Put(ctx context.Context, files []MailFile) error

	// Take returns files that are due, the one that was due first in front, at
	// most limit. It returns them again after the pause unless they are removed
	// by then.
	Take(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]billing.IncomingFile, error)

	// Remove removes a file.
	Remove(ctx context.Context, name string) error

	// Remember keeps notes, and returns for each the content of the note that
	// was made under its key just before it, empty when there was none. A note
	// by the same maker under the same key is not kept again, and the result
	// stays what it was. Of two calls at once, one waits for the other.
	Remember(ctx context.Context, notes []Note) ([][]byte, error)
}

// MailFile is a file that comes back from the clearinghouse once it is due.
type MailFile = struct {
	billing.IncomingFile

	Due time.Time
}

// Note is what the clearinghouse remembers for later files. Key is a digest of
// what the note is about. By is who makes it: a file, or a claim of one.
type Note = struct {
	Key     [32]byte
	By      string
	Content []byte
}
