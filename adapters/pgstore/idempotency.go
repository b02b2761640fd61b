package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

type idempotencyKeys struct{ *tx }

// usedKey identifies a key for the queue of writes.
type usedKey string

// Claim takes the key for the rest of the transaction; see the function's
// comment in the migration.
func (r idempotencyKeys) Claim(ctx context.Context, key string) (*billing.KeyUse, error) {
	var row struct {
		Claimed     bool            `db:"claimed"`
		Fingerprint []byte          `db:"fingerprint"`
		CheckID     billing.CheckID `db:"check_id"`
		CreatedAt   sql.NullTime    `db:"created_at"`
	}
	err := r.get(ctx, &row, "SELECT claimed, fingerprint, check_id, created_at FROM claim_idempotency_key($1, $2, $3)",
		r.scope.Org, r.scope.Mode, key)
	switch {
	case err != nil:
		return nil, fmt.Errorf("claim an idempotency key: %w", err)
	case !row.CreatedAt.Valid && !row.Claimed:
		return nil, billing.ErrKeyInUse()
	case !row.CreatedAt.Valid:
		return nil, nil
	}
	use := &billing.KeyUse{Key: key, Held: row.Claimed, CheckID: row.CheckID, CreatedAt: row.CreatedAt.Time.UTC()}
	copy(use.Fingerprint[:], row.Fingerprint)
	return use, nil
}

// Record keeps the use of a claimed key.
func (r idempotencyKeys) Record(ctx context.Context, use billing.KeyUse) error {
	return r.later(ctx, usedKey(use.Key), `
INSERT INTO idempotency_keys (org_id, mode, key, fingerprint, check_id, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (org_id, mode, key) DO UPDATE
SET fingerprint = excluded.fingerprint, check_id = excluded.check_id, created_at = excluded.created_at`,
		r.scope.Org, r.scope.Mode, use.Key, use.Fingerprint[:], use.CheckID, micro(use.CreatedAt))
}

type forgetter struct{ *tx }

// forgetBatch bounds how long a sweep holds its locks.
const forgetBatch = 1000

// KeyUses removes old idempotency keys, a bounded number a call. A key that is
// being used again at this moment, or whose work is not done, is left for the
// next sweep.
func (r forgetter) KeyUses(ctx context.Context, before time.Time) (int, error) {
	n, err := r.exec(ctx, `
DELETE FROM idempotency_keys k
USING (
	SELECT org_id, mode, key
	FROM idempotency_keys
	WHERE created_at < $1 AND NOT EXISTS (SELECT FROM jobs WHERE subject = check_id)
	ORDER BY created_at
	LIMIT $2
) old
WHERE k.org_id = old.org_id AND k.mode = old.mode AND k.key = old.key AND k.created_at < $1`,
		before.UTC(), forgetBatch)
	if err != nil {
		return 0, fmt.Errorf("forget idempotency keys: %w", err)
	}
	return n, nil
}
