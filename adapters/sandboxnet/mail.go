package sandboxnet

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Mail is the clearinghouse's state between calls. MailFile and Note are type
// aliases of plain structs, so that a store implements Mail without importing
// this package. Package mailtest is its contract.
type Mail interface {
	// Put stores files until they are due. It does not change a file whose name
	// is stored, or was removed in the last days.
	Put(ctx context.Context, files []MailFile) error

	// Take returns up to limit files that are due, the first due first. It
	// returns them again after the pause unless they are removed by then.
	Take(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]clearing.IncomingFile, error)

	// Remove removes a file.
	Remove(ctx context.Context, name string) error

	// Remember stores notes. For each note it returns the content of the previous
	// note under the same key, or nil. If the maker has already stored a note under
	// the key, Remember stores nothing and returns the same result again. Concurrent
	// calls wait for each other.
	Remember(ctx context.Context, notes []Note) ([][]byte, error)
}

// Post returns a function that puts a file into the mail of the sandbox.
func Post(mail Mail) func(ctx context.Context, f clearing.IncomingFile, due time.Time) error {
	return func(ctx context.Context, f clearing.IncomingFile, due time.Time) error {
		return mail.Put(ctx, []MailFile{{IncomingFile: f, Due: due}})
	}
}

// MailFile is a file that the clearinghouse returns once it is due.
type MailFile = struct {
	clearing.IncomingFile

	Due time.Time
}

// Note is what the clearinghouse remembers for later files. Key is the digest
// of the subject. By is the maker: a file, or a claim of one. Scope is whose it is.
type Note = struct {
	Scope   billing.Scope
	Key     [32]byte
	By      string
	Content []byte
}
