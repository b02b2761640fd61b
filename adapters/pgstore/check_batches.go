package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

type (
	checkBatches struct{ *tx }
	checkItems   struct{ *tx }
	checkFeed    struct{ *tx }
)

func checkBatchFields(b *coverage.Batch) []field {
	return scoped(&b.ID, &b.Scope, []field{
		{"created_at", instant{&b.CreatedAt}},
		{"name", &b.Name},
		{"recheck", microseconds{&b.Recheck}},
		{"request_id", &b.RequestID},
		{"person_request_id", &b.OfPerson},
		{"not_after", instant{&b.NotAfter}},
		{"feed", &b.Feed},
		{"canceled_at", instant{&b.CanceledAt}},
	})
}

func countedBatchFields(b *coverage.Batch) []field {
	return append(checkBatchFields(b), field{"counts", document{&b.Counts, "{}"}})
}

func checkItemFields(i *coverage.BatchItem) []field {
	return scoped(&i.ID, &i.Scope, []field{
		{"batch_id", &i.BatchID},
		{"created_at", instant{&i.CreatedAt}},
		{"item_id", &i.ItemID},
		{"appointment_at", instant{&i.AppointmentAt}},
		{"appointment_id", &i.AppointmentID},
		{"request", document{&i.Request, "{}"}},
		{"person_key", &i.PersonKey},
		{"person_born", &i.PersonBorn},
		{"network", &i.Lane.Network},
		{"payer_id", &i.Lane.Payer},
		{"parent_id", &i.ParentID},
		{"check_id", &i.CheckID},
		{"fresh", &i.Fresh},
		{"attempts", &i.Attempts},
		{"asking", &i.Asking},
		{"next_at", instant{&i.NextAt}},
		{"until", instant{&i.Until}},
		{"recheck_at", instant{&i.RecheckAt}},
		{"outcome", &i.Outcome},
		{"needs_a_person", &i.NeedsAPerson},
		{"faults", document{&i.Faults, "[]"}},
		{"completed_at", instant{&i.CompletedAt}},
		{"office_id", &i.OfficeID},
		{"asked_payer_id", &i.Payer.ID},
		{"payer_code", &i.Payer.PayerID},
		{"payer_name", &i.Payer.Name},
		{"appointment_on", &i.AppointmentOn},
		{"patient_id", &i.Patient},
		{"status", &i.Status},
		{"differs", &i.Differs},
		{"decisions", document{&i.Decisions, "[]"}},
	})
}

// Insert stores a new batch with its items.
func (r checkBatches) Insert(ctx context.Context, b *coverage.Batch, items []*coverage.BatchItem) error {
	if err := checkBatchTable.insert(ctx, r.tx, b); err != nil {
		return err
	}
	for _, i := range items {
		row, err := rowOf(checkItemFields(i))
		if err != nil {
			return err
		}
		if err := r.rows(ctx, i.ID, row, insertCheckItems); err != nil {
			return err
		}
		if !i.NeedsAPerson { // it has no tasks
			continue
		}
		if err := r.keepItemTasks(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// As with gatherFigures, an array of keys keeps the planner from reading all items.
//
//nolint:gochecknoglobals // constants, built from the columns
var (
	insertCheckItems = "INSERT INTO check_batch_items (" + checkItemTable.columns + ")\nSELECT " + checkItemTable.columns +
		"\nFROM json_populate_recordset(NULL::check_batch_items, $1)"
	saveCheckItems = func() string {
		set, comma := "", ""
		for _, f := range checkItemFields(new(coverage.BatchItem)) {
			switch f.column {
			case "id", "org_id", "mode", "batch_id", "created_at", "item_id":
			default:
				set += comma + f.column + " = s." + f.column
				comma = ", "
			}
		}
		return "UPDATE check_batch_items i\nSET " + set + "\nFROM json_populate_recordset(NULL::check_batch_items, $1) s\n" +
			"WHERE i.id = ANY (ARRAY(SELECT id FROM json_populate_recordset(NULL::check_batch_items, $1))) AND i.id = s.id AND i.org_id = s.org_id AND i.mode = s.mode"
	}()
)

// How a time without a zone is written for the domain, in UTC, and the zero time.
const (
	jsonTime = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`
	noTime   = `'0001-01-01T00:00:00Z'`
)

// batchCounts is a column with the counts of the items of a batch, by the names of the domain.
const batchCounts = `(
	SELECT json_build_object('Pending', coalesce(sum(n) FILTER (WHERE outcome = ''), 0), 'Waiting', coalesce(sum(waiting), 0),
		'NeedsAPerson', coalesce(sum(needing), 0), 'Outcomes', coalesce(json_object_agg(outcome, n) FILTER (WHERE outcome <> ''), '{}'),
		'Latest', coalesce(to_char(max(latest), ` + jsonTime + `), ` + noTime + `), 'Completed', coalesce(to_char(max(completed), ` + jsonTime + `), ` + noTime + `))
	FROM (
		SELECT outcome, count(*) AS n, count(*) FILTER (WHERE outcome <> '' AND next_at IS NOT NULL) AS waiting,
			count(*) FILTER (WHERE needs_a_person) AS needing, max(next_at) AT TIME ZONE 'UTC' AS latest, max(completed_at) AT TIME ZONE 'UTC' AS completed
		FROM check_batch_items i
		WHERE i.batch_id = check_batches.id
		GROUP BY outcome
	) by_outcome
) AS counts`

func (r checkBatches) counted() *query {
	return r.query(checkBatchTable.columns+", "+batchCounts, "check_batches")
}

// Get reads a batch with counts.
func (r checkBatches) Get(ctx context.Context, id billing.CheckBatchID) (*coverage.Batch, error) {
	q := r.counted()
	q.where("id = %", id)
	found, err := read(ctx, r.tx, "get a batch of checks", countedBatchFields, q.text(""), q.args...)
	if err == nil && len(found) == 0 {
		err = billing.NotFound("batch of checks", "")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Lock reads a batch and locks it.
func (r checkBatches) Lock(ctx context.Context, id billing.CheckBatchID) (*coverage.Batch, error) {
	return checkBatchTable.get(ctx, r.tx, id, forUpdate)
}

// Save stores what can change of a batch.
func (r checkBatches) Save(ctx context.Context, b *coverage.Batch) error {
	return checkBatchTable.save(ctx, r.tx, b)
}

// List reads a page of batches with counts, newest first.
func (r checkBatches) List(ctx context.Context, p billing.Page) ([]*coverage.Batch, error) {
	q := r.counted()
	return read(ctx, r.tx, "list batches of checks", countedBatchFields, q.page(p), q.args...)
}

// itemIsOf is the condition of items about a patient.
const itemIsOf = `id IN (
	SELECT i.id FROM eligibility_checks c JOIN check_batch_items i ON i.check_id = c.id WHERE c.patient_id = %
	UNION
	SELECT i.id
	FROM patients p JOIN check_batch_items i ON i.org_id = p.org_id AND i.mode = p.mode AND i.person_key = p.name_key AND i.person_born = p.date_of_birth
	WHERE p.id = %)`

func (r checkItems) filter(f coverage.ItemFilter) *query {
	q := checkItemTable.of(r.tx)
	whereSet(q, "batch_id = %", f.BatchID)
	whereSet(q, "outcome = %", f.Outcome)
	whereSet(q, "item_id = %", f.ItemID)
	if !f.PatientID.IsZero() {
		q.where("("+itemIsOf+")", f.PatientID, f.PatientID)
	}
	if f.NeedsAPerson != nil {
		q.where("needs_a_person = %", *f.NeedsAPerson)
	}
	return q
}

// List reads a page of items.
func (r checkItems) List(ctx context.Context, f coverage.ItemFilter, p billing.Page) ([]*coverage.BatchItem, error) {
	return checkItemTable.page(ctx, r.tx, r.filter(f), p)
}

// Lock locks and reads items of a batch.
func (r checkItems) Lock(ctx context.Context, batch billing.CheckBatchID, names ...string) ([]*coverage.BatchItem, error) {
	q := checkItemTable.of(r.tx)
	q.where("batch_id = %", batch)
	if len(names) > 0 {
		q.where("item_id = ANY (%::text[])", pq.StringArray(names))
	} else {
		q.where("(next_at IS NOT NULL OR asking IS NOT NULL)")
	}
	return checkItemTable.many(ctx, r.tx, "lock items of a batch", q.text("ORDER BY id\n"+forUpdate), q.args...)
}

// Of locks and reads the items of checks.
func (r checkItems) Of(ctx context.Context, checks []billing.CheckID) (map[billing.CheckID]*coverage.BatchItem, error) {
	q := checkItemTable.of(r.tx)
	q.where("check_id = ANY (%::uuid[])", uuids(checks))
	all, err := checkItemTable.many(ctx, r.tx, "lock items of checks", q.text("ORDER BY id\n"+forUpdate), q.args...)
	found := make(map[billing.CheckID]*coverage.BatchItem, len(all))
	for _, i := range all {
		found[i.CheckID] = i
	}
	return found, err
}

// Save stores what can change of items.
func (r checkItems) Save(ctx context.Context, items []*coverage.BatchItem) error {
	for _, i := range items {
		row, err := rowOf(checkItemFields(i))
		if err != nil {
			return err
		}
		if err := r.rows(ctx, i.ID, row, saveCheckItems); err != nil {
			return err
		}
		if err := r.keepItemTasks(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// keepItemTasks queues the tasks of an item, also of a new one: their patients are looked for.
func (t *tx) keepItemTasks(ctx context.Context, i *coverage.BatchItem) error {
	return t.keepTasks(ctx, task.Resource{Kind: task.OfCheckItem, ID: i.ID}, false, task.OfACheckItem(i), i.Decisions)
}

// Outlook tells what is left of a batch.
func (r checkFeed) Outlook(ctx context.Context, batch billing.CheckBatchID, now time.Time) (o ports.Outlook, err error) {
	var l coverage.Lane
	var due, over, left int
	var next time.Time
	err = r.each(ctx, "look at a batch of checks", []any{&l.Network, &l.Payer, &due, &over, &left, instant{&next}}, func() {
		if due > 0 {
			o.Lanes = append(o.Lanes, l)
		}
		o.Over, o.Left = o.Over || over > 0, o.Left+left
		if !next.IsZero() && (o.Next.IsZero() || next.Before(o.Next)) {
			o.Next = next
		}
	}, `
SELECT network, payer_id, count(*) FILTER (WHERE next_at <= $4 AND until > $4) AS due, count(*) FILTER (WHERE next_at <= $4 AND until <= $4) AS over,
	count(*) AS left, min(next_at) FILTER (WHERE next_at > $4) AS next
FROM check_batch_items
WHERE org_id = $1 AND mode = $2 AND batch_id = $3 AND (next_at IS NOT NULL OR asking IS NOT NULL)
GROUP BY network, payer_id
ORDER BY network, payer_id`, r.scope.Org, r.scope.Mode, batch, micro(now))
	return o, err
}

// Room returns how many checks more may be asked in lanes.
func (r checkFeed) Room(ctx context.Context, lanes []coverage.Lane, most []int) ([]int, error) {
	networks, payers := lanesOf(lanes)
	limits := make(pq.Int64Array, len(most))
	for i, n := range most {
		limits[i] = int64(n)
	}
	return columnOf[int](ctx, r.tx, "look at the lanes of payers", "SELECT room FROM check_lane_room($1, $2, $3::text[], $4::uuid[], $5::integer[])",
		r.scope.Org, r.scope.Mode, networks, payers, limits)
}

func lanesOf(lanes []coverage.Lane) (networks, payers pq.StringArray) {
	networks, payers = make(pq.StringArray, len(lanes)), make(pq.StringArray, len(lanes))
	for i, l := range lanes {
		networks[i], payers[i] = l.Network, l.Payer.UUID()
	}
	return networks, payers
}

// Due locks and reads the next items of a batch.
func (r checkFeed) Due(
	ctx context.Context, batch billing.CheckBatchID, now time.Time, lanes []coverage.Lane, room []int, limit int,
) ([]*coverage.BatchItem, error) {
	networks, payers := lanesOf(lanes)
	rooms := make(pq.Int64Array, len(room))
	for i, n := range room {
		rooms[i] = int64(n)
	}
	q := checkItemTable.of(r.tx)
	q.where(`batch_id = % AND id IN (
		SELECT id
		FROM (
			SELECT id, network, payer_id, next_at, until, row_number() OVER (PARTITION BY network, payer_id ORDER BY next_at, id) AS turn
			FROM check_batch_items
			WHERE batch_id = % AND next_at <= %
		) i LEFT JOIN unnest(%::text[], %::uuid[], %::integer[]) AS l (network, payer_id, room) USING (network, payer_id)
		WHERE turn <= room OR until <= %
		ORDER BY next_at, id
		LIMIT %
	)`, batch, batch, micro(now), networks, payers, rooms, micro(now), limit)
	return checkItemTable.many(ctx, r.tx, "find due items of a batch", q.text("ORDER BY id\n"+forUpdate), q.args...)
}

// Rest notes that a payer did not respond.
func (r checkFeed) Rest(ctx context.Context, l coverage.Lane, rest time.Duration) error {
	return r.later(ctx, l, `
INSERT INTO check_lanes AS l (network, payer_id, failures, until)
VALUES ($1, $2, 1, clock_timestamp())
ON CONFLICT (network, payer_id) DO UPDATE SET failures = l.failures + 1, until = clock_timestamp() + $3 * interval '1 us'`,
		l.Network, l.Payer, rest.Microseconds())
}

// Reached notes that a payer responded.
func (r checkFeed) Reached(ctx context.Context, l coverage.Lane) error {
	return r.later(ctx, l, "UPDATE check_lanes SET failures = 0 WHERE network = $1 AND payer_id = $2 AND failures > 0", l.Network, l.Payer)
}

const forgetCheckBatches = `
DELETE FROM check_batches
WHERE id IN (
	SELECT id
	FROM check_batches b
	WHERE id < first_id($1) AND NOT EXISTS (SELECT FROM holds h WHERE h.org_id = b.org_id)
	ORDER BY id
	LIMIT ` + forgetBatch + `
)`

// CheckBatches removes old batches of checks, a bounded number per call. The checks stay.
func (r forgetter) CheckBatches(ctx context.Context, before time.Time) (int, error) {
	n, err := r.do(ctx, "forget batches of checks", forgetCheckBatches, before.UTC())
	if err != nil {
		return 0, fmt.Errorf("forget batches of checks: %w", err)
	}
	return n, nil
}
