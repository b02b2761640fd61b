package pgstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// taken are the turns of work.
type taken struct{ *tx }

// takeTurn writes nothing while another holder has the turn: every process asks. The last
// condition is for a holder that took it meanwhile. Without a lease it takes nothing.
const takeTurn = "WITH " + turnTaken + "\nSELECT " + turnOf

const turnTaken = `other AS (
	SELECT lease_until - clock_timestamp() AS rest
	FROM turns
	WHERE name = $1 AND holder <> $2 AND lease_until > clock_timestamp()
), taken AS (
	INSERT INTO turns AS t (name, holder, lease_until)
	SELECT $1, $2::uuid, clock_timestamp() + $3 * interval '1 us'
	WHERE $3 <> 0 AND NOT EXISTS (SELECT FROM other)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
	WHERE t.holder = excluded.holder OR t.lease_until <= clock_timestamp()
	RETURNING pg_current_xact_id()::text AS xid
)`

const turnOf = `coalesce((SELECT xid FROM taken), '') AS xid,
	CASE WHEN EXISTS (SELECT FROM taken) THEN 0
		ELSE ceil(extract(epoch FROM coalesce((SELECT rest FROM other), $3 * interval '1 us')) * 1000000)::bigint END AS others`

// Take leases a turn.
func (r taken) Take(ctx context.Context, name string, holder billing.JobID, lease time.Duration) (others time.Duration, err error) {
	var xid string
	if err := r.row(ctx, []any{&xid, microseconds{&others}}, takeTurn, name, holder, lease.Microseconds()); err != nil {
		return 0, fmt.Errorf("take the turn %s: %w", name, err)
	}
	if xid != "" {
		r.xid = xid
	}
	return others, nil
}

// turnsSince returns when leases end: a JSON object with the seconds that each still had, or
// nothing.
func turnsSince(at time.Time, leases []byte) (map[string]time.Time, error) {
	if leases == nil {
		return nil, nil
	}
	var seconds map[string]float64
	if err := json.Unmarshal(leases, &seconds); err != nil {
		return nil, fmt.Errorf("read the leases of turns: %w", err)
	}
	ends := make(map[string]time.Time, len(seconds))
	for name, s := range seconds {
		ends[name] = at.Add(time.Duration(s * float64(time.Second)))
	}
	return ends, nil
}

// Leave ends a lease.
func (r taken) Leave(ctx context.Context, name string, holder billing.JobID) error {
	return r.later(ctx, name, "DELETE FROM turns WHERE name = $1 AND holder = $2", name, holder)
}
