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

// faultRules is a column with rules, each a row as JSON.
type faultRules struct{ of *[]fault.Rule }

// Scan reads the rules; NULL for none.
func (r faultRules) Scan(src any) error {
	var rows []struct {
		Serial    int64      `json:"serial"`
		Rule      fault.Rule `json:"rule"`
		Matched   int        `json:"matched"`
		ExpiresAt time.Time  `json:"expires_at"`
	}
	text, _ := src.([]byte)
	if err := decode(text, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		row.Rule.Serial, row.Rule.Matched, row.Rule.ExpiresAt = row.Serial, row.Matched, row.ExpiresAt.UTC()
		*r.of = append(*r.of, row.Rule)
	}
	return nil
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
func (r faults) List(ctx context.Context) (rules []fault.Rule, err error) {
	err = r.each(ctx, "read the fault rules", []any{faultRules{&rules}}, func() {}, `
SELECT json_agg(f ORDER BY f.serial)
FROM sandbox_faults f
WHERE org_id = $1 AND expires_at > now()`, r.scope.Org)
	return rules, err
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
