package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

// taskRules keeps with each organization by which version of the rules its tasks were computed.
type taskRules struct{ *tx }

// Behind returns a scope whose tasks are not all computed by the version of the rules.
func (r taskRules) Behind(ctx context.Context, rules int) (*task.Rebuild, error) {
	at, err := r.computed(ctx, `removed_at IS NULL
	AND (by IS NULL OR (by->>'rules')::integer < $1 OR ((by->>'rules')::integer = $1 AND NOT (by->>'done')::boolean))
ORDER BY id, mode
LIMIT 1`, rules)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find tasks of earlier rules: %w", err)
	}
	return at, nil
}

// computed returns how far the tasks of the scope that is found are computed.
func (r taskRules) computed(ctx context.Context, where string, args ...any) (*task.Rebuild, error) {
	var at task.Rebuild
	var id billing.JobID
	err := r.row(ctx, []any{&at.Scope.Org, &at.Scope.Mode, &at.Rules, &at.Last.Kind, &id, &at.Done, &at.Asked}, `
SELECT id, mode, coalesce((by->>'rules')::integer, 0), coalesce(by->>'kind', ''), coalesce(by->>'id', '00000000-0000-0000-0000-000000000000')::uuid,
	coalesce((by->>'done')::boolean, false), coalesce((by->>'asked')::integer, 0)
FROM organizations, unnest('{test,live}'::text[]) AS mode, LATERAL (SELECT task_rules->mode AS by) AS computed
WHERE `+where, args...)
	at.Last.ID = id
	return &at, err
}

// Of returns how far the tasks of a scope are computed.
func (r taskRules) Of(ctx context.Context, scope billing.Scope) (*task.Rebuild, error) {
	at, err := r.computed(ctx, "id = $1 AND mode = $2", scope.Org, scope.Mode)
	if err != nil {
		return nil, fmt.Errorf("find how far tasks are computed: %w", err)
	}
	return at, nil
}

// Rebuilt stores how far the tasks of a scope are computed, unless more was asked for since.
func (r taskRules) Rebuilt(ctx context.Context, to task.Rebuild) error {
	_, err := r.do(ctx, "store how far tasks are computed", `
UPDATE organizations
SET task_rules = jsonb_set(task_rules, ARRAY[$2::text], jsonb_build_object('rules', $3::integer, 'kind', $4::text, 'id', $5::uuid, 'done', $6::boolean, 'asked', $7::integer))
WHERE id = $1 AND coalesce((task_rules->$2->>'asked')::integer, 0) = $7`, to.Scope.Org, to.Scope.Mode, to.Rules, to.Last.Kind, billing.JobID(to.Last.ID).UUID(), to.Done, to.Asked)
	return err
}
