package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
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

// Resets removes what an organization has in test mode, while its clock has a reset. From
// the commit that begins one, each transaction of the organization in test mode that begins
// and would write fails with sandbox.ErrResetting instead.
type Resets interface {
	// Transactions returns the open transactions that may write, but this one. Those that
	// began before a reset are over when none of them is returned any more.
	Transactions(ctx context.Context) ([]string, error)

	// UnderWay reports whether work of the organization in test mode goes on that began
	// before: jobs that were not removed, but that of the reset, and files that were given out.
	UnderWay(ctx context.Context, org billing.OrgID, job billing.JobID) (bool, error)

	// Images returns up to limit images of the organization in test mode, in the order of
	// their IDs, after one of them or from the first.
	Images(ctx context.Context, org billing.OrgID, after billing.DocumentID, limit int) ([]billing.DocumentID, error)

	// RemoveJobs removes jobs, except those that run; after a minute, these too.
	RemoveJobs(ctx context.Context, org billing.OrgID) error

	// RemoveRows removes about limit rows of all that a reset removes, and returns how many;
	// none at the end, or without a reset.
	RemoveRows(ctx context.Context, org billing.OrgID, limit int) (removed int, err error)

	// RemoveRest removes about limit rows of what a reset keeps, if the organization is being
	// removed, and returns how many.
	RemoveRest(ctx context.Context, org billing.OrgID, limit int) (removed int, err error)

	// End ends the reset of the job, if it has not ended: the endpoints are healthy, and the
	// clock shows real time. It removes the job, and an organization that is being removed.
	End(ctx context.Context, org billing.OrgID, job billing.JobID) error
}
