package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing/sandbox"
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
