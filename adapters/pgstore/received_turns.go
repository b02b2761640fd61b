package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// taken are the turns of work.
type taken struct{ *tx }

// Take leases a turn.
func (r taken) Take(ctx context.Context, name string, holder billing.JobID, lease time.Duration) (bool, error) {
	n, err := r.exec(ctx, `
INSERT INTO turns AS t (name, holder, lease_until)
VALUES ($1, $2, clock_timestamp() + $3 * interval '1 us')
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
WHERE t.holder = excluded.holder OR t.lease_until <= clock_timestamp()`, name, holder, lease.Microseconds())
	if err != nil {
		return false, fmt.Errorf("take the turn %s: %w", name, err)
	}
	return n == 1, nil
}

// Leave ends a lease.
func (r taken) Leave(ctx context.Context, name string, holder billing.JobID) error {
	return r.later(ctx, name, "DELETE FROM turns WHERE name = $1 AND holder = $2", name, holder)
}
