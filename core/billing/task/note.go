package task

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Note is what a person wrote about a resource that can have tasks. Its text never changes. One
// that was written about the wrong patient is struck, and kept.
type Note struct {
	ID       billing.NoteID
	Scope    billing.Scope
	Resource Resource
	Text     string
	At       time.Time
	By       string // the ID of the user or the key

	StruckAt     time.Time // zero unless it is struck
	StruckBy     string
	StruckReason string
}

// Strike strikes the note. It returns CodeConflict for one that is struck already.
func (n *Note) Strike(reason, by string, at time.Time) error {
	if !n.StruckAt.IsZero() {
		return &billing.Error{Code: billing.CodeConflict, Message: "The note is struck already. Read the notes of its resource to see by whom, and why."}
	}
	n.StruckAt, n.StruckBy, n.StruckReason = at, by, reason
	return nil
}

// Position returns the place of the note in a list.
func (n *Note) Position() billing.Position { return billing.Position{Time: n.At, ID: n.ID} }

// Notes are the notes of a resource that are not struck.
type Notes struct {
	Newest []*Note // at most NewestNotes, the newest first
	Count  int     // of all of them
}

// NewestNotes is how many of its notes a task shows.
const NewestNotes = 3
