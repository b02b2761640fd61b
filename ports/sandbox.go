package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/billing/scenario"
)

// SandboxClock is the clock of the organization in test mode.
type SandboxClock interface {
	// Get reads the clock. One that was never touched runs with real time.
	Get(ctx context.Context) (*sandbox.Clock, error)

	// Lock reads like Get, and no other transaction writes the clock until this one ends.
	Lock(ctx context.Context) (*sandbox.Clock, error)

	// Put stores a locked clock. After the commit it calls the lanes with deliveries that
	// are due by it.
	Put(ctx context.Context, c *sandbox.Clock) error

	// Work returns the earliest work of each kind that waits for the clock, and counts it if
	// asked to; and the jobs under way, but those of connections outside the sandbox, whose
	// networks are named. Claims that wait for a batch are grouped by payer, with the time of
	// the oldest.
	Work(ctx context.Context, networks []string, counted bool) (sandbox.Work, error)
}

// SandboxMail has what the sandbox's clearinghouses will return to the organization in test
// mode. Each network has a mail of its own.
type SandboxMail interface {
	// Waiting locks and reads the messages about the files with the names that are not
	// removed, the first due first.
	Waiting(ctx context.Context, network string, files []string) ([]scenario.Message, error)

	// Put stores a new message.
	Put(ctx context.Context, network string, m scenario.Message) error

	// Change stores the contents of locked messages, and removes those without one.
	Change(ctx context.Context, all []scenario.Message) error

	// Note stores a note. Notes that are stored at once wait for each other.
	Note(ctx context.Context, n scenario.Note) error
}
