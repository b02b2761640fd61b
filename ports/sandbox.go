package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
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

// Resets removes what an organization has in test mode, while its clock has a reset. From
// the commit that begins one, each transaction of the organization in test mode that begins
// and would write fails with sandbox.ErrResetting instead.
type Resets interface {
	// Transactions returns the other open transactions that may write. Those that began
	// before a reset are over when none of them is returned any more.
	Transactions(ctx context.Context) ([]string, error)
	// Settle removes the jobs that do not run; after a minute, all but that of the reset. It
	// reports whether no other job is left, and no file is being applied.
	Settle(ctx context.Context, org billing.OrgID, job billing.JobID) (over bool, err error)
	// Images returns up to limit images, in the order of their IDs, after one of them.
	Images(ctx context.Context, org billing.OrgID, after billing.DocumentID, limit int) ([]billing.DocumentID, error)
	// RemoveRows removes about limit rows of what a reset removes, and returns how many.
	RemoveRows(ctx context.Context, org billing.OrgID, limit int) (removed int, err error)
	// RemoveRest does so with what a reset keeps, if the organization is being removed.
	RemoveRest(ctx context.Context, org billing.OrgID, limit int) (removed int, err error)
	// End ends the reset of the job, if it has not ended: the endpoints are healthy, the clock
	// shows real time, and the job and an organization that is being removed are gone.
	End(ctx context.Context, org billing.OrgID, job billing.JobID) error
}
