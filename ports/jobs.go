package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
)

// Outbox stores the jobs that a transaction makes necessary.
type Outbox interface {
	// Stage stores a job in the commit of its cause, and gives it an ID if it has none.
	// A job with a time rests until then; any other is published after the commit.
	Stage(ctx context.Context, j jobs.Job) error

	// Done deletes a job in the commit of its effect; deleting it twice does
	// nothing.
	Done(ctx context.Context, id billing.JobID) error

	// Pending reports whether the job is not done yet.
	Pending(ctx context.Context, id billing.JobID) (bool, error)

	// Postpone lets the job rest until the given real time.
	Postpone(ctx context.Context, id billing.JobID, until time.Time) error
}

// Jobs are the outbox as the relay and the runners see it, across scopes.
type Jobs interface {
	// Due leases and returns up to limit jobs whose rest or lease has ended. A
	// lease is twice as long as the job's last one, up to billing.JobMaxLease;
	// the first is of length lease. Due serves the streams in turn, one job each,
	// and skips full ones.
	Due(ctx context.Context, now time.Time, lease time.Duration, limit int, full ...jobs.Stream) ([]jobs.Job, error)

	// Renew extends the leases of running jobs, except of those that are postponed or locked.
	Renew(ctx context.Context, ids []billing.JobID, lease time.Duration) error

	// Attempt counts an attempt at a job that failed. Again counts a redelivered
	// message instead: only when no worker holds the lease, so that its worker
	// must have died. It returns the number of attempts.
	Attempt(ctx context.Context, id billing.JobID, again bool) (int, error)

	// Release ends the leases taken or renewed longer ago than age, when messages
	// published then may be lost.
	Release(ctx context.Context, age time.Duration) error

	// Backlog returns the number of waiting jobs of each kind, and the age of the
	// oldest due one.
	Backlog(ctx context.Context) ([]Backlog, error)

	// Lanes returns jobs that call up to limit lanes of enabled endpoints: those
	// with due deliveries and no holder that were not called within the pause. It
	// skips an open circuit that is not due for a probe.
	Lanes(ctx context.Context, now time.Time, pause time.Duration, limit int) ([]jobs.Job, error)
}

// Leases are the leases of running jobs, across scopes.
type Leases interface {
	// Hold leases those of the jobs whose lease has ended again, as Jobs.Due does,
	// and returns them. Held are all that then have a lease: they are published,
	// and no worker has done or postponed them yet. A job whose lease another
	// transaction is changing is held, too.
	Hold(ctx context.Context, ids []billing.JobID, lease time.Duration) (held []billing.JobID, again []jobs.Job, err error)
}

// Backlog is the number of waiting jobs of a kind.
type Backlog struct {
	Kind   jobs.Kind
	Jobs   int           // all that are not done
	Oldest time.Duration // since the oldest was due; zero when none is
}
