package pgstore

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
)

// countTasks counts the open tasks by kind, by office, by payer and by assignee. The first part has
// those without an end in time and without a snooze, in the order of their index: the planner would rather read the
// table whole, and look for the group of each row.
const countTasks = `
WITH open AS (
	SELECT kind, office_id, payer_id, assignee, count(*) AS found
	FROM (
		SELECT kind, office_id, payer_id, assignee
		FROM tasks
		WHERE org_id = $1 AND mode = $2 AND ended_at IS NULL AND until IS NULL AND snoozed_until IS NULL AND NOT until_change AND since <= $3
		ORDER BY office_id, payer_id, kind, assignee
	) t
	GROUP BY office_id, payer_id, kind, assignee
	UNION ALL
	SELECT kind, office_id, payer_id, assignee, count(*)
	FROM tasks
	WHERE org_id = $1 AND mode = $2 AND ended_at IS NULL AND NOT until_change AND (until IS NOT NULL OR snoozed_until IS NOT NULL)
		AND since <= $3 AND (until IS NULL OR until > $3) AND (snoozed_until IS NULL OR snoozed_until <= $3)
	GROUP BY office_id, payer_id, kind, assignee
)
SELECT coalesce(kind, ''), office_id, payer_id, assignee, GROUPING (assignee) = 0, sum(found)
FROM open
GROUP BY GROUPING SETS ((kind), (office_id), (payer_id), (assignee))`

func (r tasks) count(now time.Time) []any { return []any{r.scope.Org, r.scope.Mode, micro(now)} }

// Count counts the open tasks.
func (r tasks) Count(ctx context.Context, by billing.UserID) (task.Counts, error) {
	c := task.Counts{Kinds: map[task.Kind]int{}, Offices: map[billing.OfficeID]int{}, Payers: map[billing.PayerID]int{}}
	var kind task.Kind
	var office billing.OfficeID
	var payer billing.PayerID
	var whose billing.UserID
	var assigned bool // the count is of an assignee, or of nobody
	var n int
	err := r.each(ctx, "count tasks", []any{&kind, &office, &payer, &whose, &assigned, &n}, func() {
		switch {
		case assigned && whose.IsZero():
			c.Nobody = n
		case assigned && whose == by:
			c.Mine = n
		case kind != "":
			c.Kinds[kind] = n
		case !office.IsZero():
			c.Offices[office] = n
		case !payer.IsZero():
			c.Payers[payer] = n
		}
	}, countTasks, r.count(r.clockOf(ctx, r.scope).Now())...)
	return c, err
}
