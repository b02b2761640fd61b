package pgstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing/fault"
)

type faults struct{ *tx }

// faultRow is a stored rule. The row of a key has those of its organization.
type faultRow struct {
	Serial    int64           `db:"serial" json:"serial"`
	Rule      json.RawMessage `db:"rule" json:"rule"`
	Matched   int             `db:"matched" json:"matched"`
	ExpiresAt time.Time       `db:"expires_at" json:"expires_at"`
}

func (r faultRow) fault() (f fault.Rule, err error) {
	if err = json.Unmarshal(r.Rule, &f); err != nil {
		return f, fmt.Errorf("read fault rule %d: %w", r.Serial, err)
	}
	f.Serial, f.Matched, f.ExpiresAt = r.Serial, r.Matched, r.ExpiresAt.UTC()
	return f, nil
}

// Replace stores the rules of the organization.
func (r faults) Replace(ctx context.Context, rules []fault.Rule) error {
	texts, until := make([]string, len(rules)), make([]time.Time, len(rules))
	for i, rule := range rules {
		text, err := json.Marshal(rule)
		if err != nil {
			return fmt.Errorf("replace the fault rules: %w", err)
		}
		texts[i], until[i] = string(text), micro(rule.ExpiresAt)
	}
	if _, err := r.do(ctx, "replace the fault rules", "DELETE FROM sandbox_faults WHERE org_id = $1", r.scope.Org); err != nil {
		return err
	}
	_, err := r.do(ctx, "replace the fault rules", `
INSERT INTO sandbox_faults (org_id, rule, expires_at)
SELECT $1, rule, expires_at
FROM unnest($2::json[], $3::timestamptz[]) WITH ORDINALITY t (rule, expires_at, n)
ORDER BY n`, r.scope.Org, pq.Array(texts), pq.Array(until))
	return err
}

// List reads the rules of the organization.
func (r faults) List(ctx context.Context) ([]fault.Rule, error) {
	return many(ctx, r.tx, "read the fault rules", faultRow.fault, `
SELECT serial, rule, matched, expires_at
FROM sandbox_faults
WHERE org_id = $1 AND expires_at > now()
ORDER BY serial`, r.scope.Org)
}

// Match counts a match.
func (r faults) Match(ctx context.Context, serial int64) (n int, err error) {
	err = r.get(ctx, &n, `
UPDATE sandbox_faults
SET matched = matched + 1
WHERE org_id = $1 AND serial = $2 AND expires_at > now()
RETURNING matched`, r.scope.Org, serial)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}
