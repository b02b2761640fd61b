package pgstore_test

import (
	"testing"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/tasks"
)

// fillTasks gives every tenth claim a task, one in a hundred of which is somebody's and one in
// fifty snoozed.
const fillTasks = `
INSERT INTO tasks (id, org_id, mode, resource, claim_id, kind, office_id, payer_id, payer_code, payer_name, patient_id, amount, since, due_on, due_by, reason,
	actions, assignee, until_change)
SELECT made(n, 7), org_id, mode, 'claim', c.id, (ARRAY['claim_rejected', 'no_decision', 'denied', 'secondary_to_bill', 'unacknowledged'])[n % 5 + 1],
	office_id, payer_id, payer_code, payer_name, patient_id, n % 1000 * 100, created_at, CASE WHEN n % 3 = 0 THEN created_at::date + 30 END,
	CASE WHEN n % 3 = 0 THEN 'practice' ELSE '' END, 'The payer rejected the claim: correct it.', ARRAY['updateClaim', 'voidClaim'],
	CASE WHEN n % 100 = 0 THEN made(n % 300, 8) END, n % 50 = 7
FROM generate_series(1, 100000) n JOIN claims c ON c.id = made(10 * n, 1)`

// benchTasks lists the 100,000 open tasks of an organization with a million claims, with their
// counts, as Today does.
func benchTasks(b *testing.B, s *pgstore.Store, url string, in billing.Scope) {
	b.Helper()
	db := admin(b, url)
	exec(b, db, fillTasks)
	exec(b, db, "UPDATE tasks SET office_id = made(6, 2) WHERE claim_id IN (SELECT made(10000 * n, 1) FROM generate_series(1, 10) n)")
	exec(b, db, "VACUUM ANALYZE tasks")
	all := tasks.New(s, func(billing.Scope, billing.PayerID) bool { return true })
	var deep *billing.Position
	for range 500 { // half of them
		found, err := all.List(b.Context(), in, pgstore.Number(200, 8), task.Filter{}, billing.Page{Limit: billing.MaxPageLimit, After: deep})
		if err != nil {
			b.Fatal(err)
		}
		deep = found.Next
	}
	for name, test := range map[string]struct {
		f     task.Filter
		after *billing.Position
	}{
		"all": {}, "all, deep": {after: deep}, "of a kind": {f: task.Filter{Kinds: []task.Kind{task.Denied}}},
		"of two kinds": {f: task.Filter{Kinds: []task.Kind{task.Denied, task.NoDecision}}},
		"of an office": {f: task.Filter{OfficeID: pgstore.Number(10, 2)}}, "of a payer": {f: task.Filter{PayerID: pgstore.Number(10, 3)}},
		"of an office with ten": {f: task.Filter{OfficeID: pgstore.Number(6, 2)}},
		"of nobody's office":    {f: task.Filter{OfficeID: pgstore.Number(5, 2)}}, "of somebody": {f: task.Filter{Assignee: pgstore.Number(100, 8)}},
		"nobody's": {f: task.Filter{Nobody: true}}, "of a large amount": {f: task.Filter{AmountFrom: 990_00}}, "snoozed": {f: task.Filter{State: task.Snoozed}},
		"of an office, a payer and a kind": {f: task.Filter{OfficeID: pgstore.Number(10, 2), PayerID: pgstore.Number(10, 3), Kinds: []task.Kind{task.Denied}}},
	} {
		b.Run("tasks, "+name, func(b *testing.B) {
			sampled(b, func() (int, error) {
				found, err := all.List(b.Context(), in, pgstore.Number(200, 8), test.f, billing.Page{Limit: billing.DefaultPageLimit, After: test.after})
				return len(found.Tasks), err
			})
		})
	}
}
