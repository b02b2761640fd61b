package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
)

type tasks struct{ *tx }

func taskFields(t *task.Task) []field {
	return scoped(&t.ID, &t.Scope, []field{
		{"resource", &t.Resource.Kind},
		{"resource_id", given{resourceID{&t.Resource.ID}}},
		{"kind", &t.Kind},
		{"office_id", &t.OfficeID},
		{"payer_id", &t.Payer.ID},
		{"payer_code", &t.Payer.PayerID},
		{"payer_name", &t.Payer.Name},
		{"patient_id", &t.Patient},
		{"amount", &t.Amount},
		{"since", instant{&t.Since}},
		{"until", instant{&t.Until}},
		{"due_on", &t.DueOn},
		{"due_by", &t.DueBy},
		{"reason", &t.Reason},
		{"actions", textArray[string]{of: &t.Actions}},
		{"ended_at", instant{&t.EndedAt}},
		{"settles", textArray[decision.As]{of: &t.Settles}},
		{"settled", maybe{&t.Settled}},
		// Save writes these.
		{"assignee", &t.Assignee},
		{"snoozed_until", instant{&t.SnoozedUntil}},
		{"until_change", &t.UntilChange},
		{"coalesce((SELECT p.first_name || ' ' || p.last_name FROM patients p WHERE p.id = tasks.patient_id), '') AS patient_name", given{&t.PatientName}},
		{"(SELECT i.batch_id FROM " + itemOfTask + ") AS batch_id", given{&t.Item.Batch}},
		{"coalesce((SELECT i.item_id FROM " + itemOfTask + "), '') AS item_id", given{&t.Item.Name}},
		{"EXISTS (SELECT FROM check_batches b, " + itemOfTask + " AND b.id = i.batch_id AND b.canceled_at IS NOT NULL) AS batch_canceled", given{&t.Item.Canceled}},
		{waitingERA, given{&t.ReviewERA}},
		{sentOnTo, given{&t.ForwardedTo}},
		{voiding, given{&t.Voiding}},
	})
}

// itemOfTask is the item of a batch of checks that a task is about.
const itemOfTask = "check_batch_items i WHERE i.id = tasks.eligibility_batch_item_id"

// waitingERA is a column with the first remittance that needs review for the claim of a task without a
// decision.
const waitingERA = `CASE WHEN kind = 'no_decision' THEN (
	SELECT r.era_id FROM era_claims r WHERE r.claim_id = tasks.claim_id AND r.status = 'needs_review' ORDER BY r.era_id LIMIT 1
) END AS review_era`

// sentOnTo is a column with the payer that the claim of a task without a decision was sent on to, as
// forwardedTo of claims; empty for none.
const sentOnTo = `coalesce(CASE WHEN kind = 'no_decision' THEN (
	SELECT coalesce(nullif(r.detail -> 'CrossoverPayer' ->> 'Name', ''), 'another payer')
	FROM era_claims r JOIN claims c ON c.id = r.claim_id
	WHERE r.claim_id = tasks.claim_id AND r.status = 'forwarded' AND c.settled_at IS NULL
	ORDER BY r.era_id DESC LIMIT 1
) END, '') AS sent_on_to`

// voiding is a column that reports whether a void of the claim of a task is on its way, as hasVoid of
// claims.
const voiding = `coalesce(CASE WHEN 'voidClaim' = ANY (actions) THEN EXISTS (
	SELECT FROM claims v WHERE v.parent_id = tasks.claim_id AND v.org_id = tasks.org_id AND v.mode = tasks.mode AND v.frequency = 'void' AND v.state <> 'rejected'
) END, false) AS voiding`

// resourceID is a column for the ID of a resource of any kind.
type resourceID struct{ of *[16]byte }

// Scan reads the UUID.
func (r resourceID) Scan(src any) error { return (*billing.JobID)(r.of).Scan(src) }

// taskKey identifies the tasks of a resource in the queue of a transaction.
type taskKey task.Resource

// keepTasks queues what the rules say of a resource that was written: new tasks begin, those
// whose cause has ended end, and the others change. A new resource has none that could end.
func (t *tx) keepTasks(ctx context.Context, of task.Resource, isNew bool, found []task.Work, decided decision.List) error {
	return t.keepTasksIn(ctx, t.scope, of, isNew, found, decided)
}

// keepTasksIn is keepTasks in a scope, for the operator's transactions, which have none.
func (t *tx) keepTasksIn(ctx context.Context, in billing.Scope, of task.Resource, isNew bool, found []task.Work, decided decision.List) error {
	clock := t.clockOf(ctx, t.scope)
	decisions := map[string]decision.Decision{}
	for _, d := range decided {
		decisions[d.Of] = d
	}
	all := make([]row, len(found))
	for i, w := range found {
		all[i] = row{
			"id": billing.NewID[billing.TaskID](clock.transactionClock.Now()), "kind": w.Kind, "office_id": w.OfficeID, "payer_id": w.Payer.ID,
			"payer_code": w.Payer.PayerID, "payer_name": w.Payer.Name, "known": w.Patient, "person_key": w.Person.Key, "person_born": w.Person.Born, "amount": int64(w.Amount), "since": micro(w.Since),
			"until": instant{&found[i].Until}, "due_on": w.DueOn, "due_by": w.DueBy, "reason": w.Reason, "actions": texts(w.Actions), "settles": texts(w.Settles),
		}
	}
	resource := billing.JobID(of.ID)
	if !isNew {
		text, err := encodeRows(all)
		said, errDecided := document{of: decisions}.Value()
		if err = errors.Join(err, errDecided); err != nil {
			return fmt.Errorf("encode tasks: %w", err)
		}
		with := gatherTasks
		if t.scope.Org.IsZero() {
			with = gatherOperatorsTasks
		}
		return t.push(ctx, write{row: taskKey(of), with: with, set: saveTasks, rows: []row{{
			"org_id": in.Org, "mode": in.Mode, "resource": of.Kind, "resource_id": resource, "at": clock.Now(), "work": json.RawMessage(text), "decided": said,
		}}})
	}
	for i, w := range all {
		w["org_id"], w["mode"], w["resource"], w[ownColumn(of.Kind)], w["patient_id"] = in.Org, in.Mode, of.Kind, resource, found[i].Patient
		if d, is := decisions[string(w["kind"].(task.Kind))]; is {
			w["settled"] = document{of: d}
		}
		key := w["id"]
		if i == 0 {
			key = taskKey(of) // what is written of the resource next sends them first
		}
		if err := insertTasks.queue(ctx, t, key, w); err != nil {
			return err
		}
	}
	return nil
}

// ownColumn is the column for the ID of a resource of the kind, in the tables whose rows are about any.
func ownColumn(of task.ResourceKind) string { return string(of) + "_id" }

// ownColumns are those of all kinds, in their order.
func ownColumns() (all []string) {
	for _, kind := range task.ResourceKinds() {
		all = append(all, ownColumn(kind))
	}
	return all
}

// byKind writes the ID of a resource into the column of its kind.
func byKind() string {
	var all []string
	for _, kind := range task.ResourceKinds() {
		all = append(all, "CASE resource WHEN '"+string(kind)+"' THEN resource_id END")
	}
	return strings.Join(all, ", ")
}

//nolint:gochecknoglobals // a constant, built from the kinds
var taskColumns = "id, org_id, mode, resource, " + strings.Join(ownColumns(), ", ") + ", kind, " +
	"office_id, payer_id, payer_code, payer_name, patient_id, amount, since, until, due_on, due_by, reason, actions, settles, settled"

//nolint:gochecknoglobals // a constant, built from the columns
var insertTasks = insertion("tasks", taskColumns, "")

// lookedFor is the patient of a task: the known one, or who is in the directory under the name and the
// birth date.
const lookedFor = `CASE WHEN w.person_key = '' THEN w.known ELSE (
		SELECT p.id FROM patients p
		WHERE p.org_id = r.org_id AND p.mode = r.mode AND p.name_key = w.person_key AND p.date_of_birth = w.person_born
	) END`

// gatherTasks reads what is wanted, with the patient, and ends the tasks of the resources that are not. The
// planner takes a hundred rows for those of JSON, and would rather read a table of a few thousand rows
// whole than look for each: an array of keys has it look. The operator sees no patients.
const (
	gatherTasks          = wantedTasks + lookedFor + endTasks
	gatherOperatorsTasks = wantedTasks + "w.known" + endTasks

	wantedTasks = `resources AS MATERIALIZED (
	SELECT * FROM json_to_recordset($1) AS r (org_id uuid, mode text, resource text, resource_id uuid, at timestamptz, work json, decided json)
), wanted AS MATERIALIZED (
	SELECT r.org_id, r.mode, r.resource, r.resource_id, r.decided -> w.kind AS settled, w.*, `
	endTasks = ` AS patient_id
	FROM resources r CROSS JOIN LATERAL json_to_recordset(r.work) AS w (
		id uuid, kind text, office_id uuid, payer_id uuid, payer_code text, payer_name text, known uuid, person_key text, person_born date,
		amount bigint, since timestamptz, until timestamptz, due_on date, due_by text, reason text, actions text[], settles text[])
), over AS (
	UPDATE tasks t
	SET ended_at = least(r.at, t.until), settled = r.decided -> t.kind
	FROM resources r
	WHERE t.resource_id = ANY (ARRAY(SELECT resource_id FROM resources)) AND t.resource_id = r.resource_id AND t.ended_at IS NULL
		AND NOT EXISTS (SELECT FROM wanted w WHERE w.resource_id = t.resource_id AND w.kind = t.kind)
)`
)

// saveTasks writes what is wanted. A task that comes again is the same one, which nobody snoozes.
// One that is snoozed until its resource changes comes back when what it says changes; that a payer
// said the same again, on another day, is no change.
//
//nolint:gochecknoglobals // a constant, built from the columns
var saveTasks = `
INSERT INTO tasks AS t (` + taskColumns + `)
SELECT id, org_id, mode, resource, ` + byKind() + `, kind,
	office_id, payer_id, payer_code, payer_name, patient_id, amount, since, until, due_on, due_by, reason, actions, settles, settled
FROM wanted
ON CONFLICT ON CONSTRAINT tasks_one DO UPDATE
SET (office_id, payer_id, payer_code, payer_name, patient_id, amount, since, until, due_on, due_by, reason, actions, settles) =
		(excluded.office_id, excluded.payer_id, excluded.payer_code, excluded.payer_name, excluded.patient_id, excluded.amount,
		excluded.since, excluded.until, excluded.due_on, excluded.due_by, excluded.reason, excluded.actions, excluded.settles),
	ended_at = NULL,
	assignee = CASE WHEN t.ended_at IS NULL OR EXISTS (SELECT FROM users u WHERE u.id = t.assignee AND u.state <> 'disabled') THEN t.assignee END,
	settled = excluded.settled,
	snoozed_until = CASE WHEN t.ended_at IS NULL THEN t.snoozed_until END,
	until_change = t.until_change AND t.ended_at IS NULL AND t.amount = excluded.amount AND t.since = excluded.since
		AND t.due_on IS NOT DISTINCT FROM excluded.due_on AND regexp_replace(t.reason, 'On [A-Z][a-z]+ [0-9]+, [0-9]+ ', '') = regexp_replace(excluded.reason, 'On [A-Z][a-z]+ [0-9]+, [0-9]+ ', '')
WHERE t.ended_at IS NOT NULL OR
	(t.office_id, t.payer_id, t.patient_id, t.amount, t.since, t.until, t.due_on, t.due_by, t.reason, t.actions, t.settles) IS DISTINCT FROM
	(excluded.office_id, excluded.payer_id, excluded.patient_id, excluded.amount, excluded.since, excluded.until, excluded.due_on, excluded.due_by, excluded.reason,
	excluded.actions, excluded.settles)`

// Get reads a task.
func (r tasks) Get(ctx context.Context, id billing.TaskID) (*task.Task, error) {
	return r.get(ctx, id, "")
}

// get reads a task as it is by the clock of the scope.
func (r tasks) get(ctx context.Context, id billing.TaskID, lock string) (*task.Task, error) {
	t, err := taskTable.get(ctx, r.tx, id, lock)
	if err == nil {
		t.Pass(r.clockOf(ctx, r.scope).Now())
	}
	return t, err
}

// Lock reads a task and keeps other transactions from writing it.
func (r tasks) Lock(ctx context.Context, id billing.TaskID) (*task.Task, error) {
	return r.get(ctx, id, forUpdate)
}

// Save stores what people did with a task.
func (r tasks) Save(ctx context.Context, t *task.Task) error { return taskTable.save(ctx, r.tx, t) }

func (r tasks) filter(now time.Time, f task.Filter) *query {
	q := taskTable.of(r.tx)
	switch f.State {
	case task.Done:
		q.where("(ended_at IS NOT NULL AND (since <= ended_at OR settled IS NOT NULL) OR ended_at IS NULL AND until <= % AND since <= until)", micro(now)) // what never began was not done
	case task.Snoozed:
		q.where("ended_at IS NULL AND since <= % AND (until IS NULL OR until > %) AND (until_change OR snoozed_until > %)", micro(now), micro(now), micro(now))
	case task.Open, "":
		q.where("ended_at IS NULL AND since <= % AND (until IS NULL OR until > %) AND NOT until_change AND (snoozed_until IS NULL OR snoozed_until <= %)", micro(now), micro(now), micro(now))
	}
	if len(f.Kinds) == 1 {
		q.where("kind = %", f.Kinds[0])
	} else if len(f.Kinds) > 1 {
		q.where("kind = ANY (%::text[])", texts(f.Kinds))
	}
	if f.Resource != [16]byte{} {
		q.where("resource_id = %", billing.JobID(f.Resource))
	}
	whereSet(q, "office_id = %", f.OfficeID)
	whereSet(q, "payer_id = %", f.PayerID)
	whereSet(q, "assignee = % AND assignee IS NOT NULL", f.Assignee)
	if f.Nobody {
		q.where("assignee IS NULL")
	}
	whereSet(q, "due_on <= %", f.DueBefore)
	whereSet(q, "amount >= %", f.AmountFrom)
	return q
}

// taskOrder is the order of a list of tasks, as their indexes have it: by task.Position.
const taskOrder = "place_day, place_amount, since, id"

func (r tasks) list(now time.Time, f task.Filter, p billing.Page) (string, []any) {
	q := r.filter(now, f)
	if a := p.After; a != nil {
		day := "infinity"
		if due := task.DueAt(*a); !due.IsZero() {
			day = due.String()
		}
		q.where("("+taskOrder+") > (%::date, %::bigint, %, %)", day, a.Order[1], micro(a.Time), billing.TaskID(a.ID))
	}
	return q.text("ORDER BY "+taskOrder+"\nLIMIT %", p.Limit+1), q.args
}

// List reads a page of tasks.
func (r tasks) List(ctx context.Context, f task.Filter, p billing.Page) ([]*task.Task, error) {
	now := r.clockOf(ctx, r.scope).Now()
	text, args := r.list(now, f, p)
	all, err := taskTable.many(ctx, r.tx, "list tasks", text, args...)
	for _, t := range all {
		t.Pass(now)
	}
	return all, err
}

// Renew applies the rules to the next resources of a kind, and then to those of the next kind.
func (r tasks) Renew(ctx context.Context, after task.Resource, limit int) (task.Renewed, error) {
	kinds := task.ResourceKinds()
	for _, kind := range kinds[max(0, slices.Index(kinds, after.Kind)):] {
		if kind != after.Kind {
			after = task.Resource{Kind: kind}
		}
		done, err := r.renewKind(ctx, after, limit)
		if err != nil || done.Resources > 0 {
			return done, err
		}
	}
	return task.Renewed{}, nil
}

// ruled is a resource with what the rules say of it.
type ruled struct {
	id      [16]byte
	work    []task.Work
	decided decision.List
}

func (r tasks) renewKind(ctx context.Context, after task.Resource, limit int) (task.Renewed, error) {
	var all []ruled
	var err error
	switch after.Kind {
	case task.OfClaim:
		q := r.query(whole.columns(), "claims c")
		q.where("id > %", billing.JobID(after.ID).UUID())
		var found []*claim.Record
		found, err = claims(r).read(ctx, "read claims", whole, q.text("ORDER BY id\nLIMIT %\nFOR UPDATE OF c", limit), q.args)
		for _, c := range found {
			all = append(all, ruled{c.ID, task.OfAClaim(c.Claim), c.Decisions})
			if err := r.keepFigures(ctx, c.Claim, false); err != nil {
				return task.Renewed{}, err
			}
		}
	case task.OfRemittance:
		all, err = rule(ctx, r.tx, eraTable, after, limit, func(e *remit.ERA) ruled { return ruled{e.ID, task.OfARemittance(e), e.Decisions} })
	case task.OfPayerRequest:
		all, err = rule(ctx, r.tx, payerRequestTable, after, limit, func(p *attachment.PayerRequest) ruled { return ruled{p.ID, task.OfAPayerRequest(p), p.Decisions} })
	case task.OfAttachment:
		all, err = r.ofAttachments(ctx, after, limit)
	case task.OfEnrollment:
		all, err = rule(ctx, r.tx, enrollmentTable, after, limit, func(e *network.Enrollment) ruled { return ruled{e.ID, task.OfAnEnrollment(e), nil} })
	case task.OfDeposit: // the rules do not read the bank's words
		all, err = rule(ctx, r.tx, depositTable, after, limit, func(d *depositRow) ruled { return ruled{d.ID, task.OfADeposit(&d.Deposit), d.Decisions} })
	case task.OfCheckItem:
		all, err = rule(ctx, r.tx, checkItemTable, after, limit, func(i *coverage.BatchItem) ruled { return ruled{i.ID, task.OfACheckItem(i), i.Decisions} })
	case task.OfConnection:
		all, err = rule(ctx, r.tx, ownConnectionTable, after, limit, func(c *network.Connection) ruled { return ruled{c.ID, task.OfAConnection(c), nil} })
	case task.OfFile:
		all, err = rule(ctx, r.tx, quarantineTable, after, limit, func(q *quarantine.File) ruled { return ruled{q.ID, task.OfAFile(q), nil} })
	}
	if err != nil || len(all) == 0 {
		return task.Renewed{}, err
	}
	return r.renew(ctx, after.Kind, all)
}

// rule reads and locks the next resources of a table, and applies their rules.
func rule[V any](ctx context.Context, in *tx, t *table[V], after task.Resource, limit int, of func(*V) ruled) (all []ruled, err error) {
	q := t.of(in)
	q.where("id > %", billing.JobID(after.ID).UUID())
	found, err := t.many(ctx, in, "read "+t.name, q.text("ORDER BY id\nLIMIT %\n"+forUpdate, limit), q.args...)
	for _, v := range found {
		all = append(all, of(v))
	}
	return all, err
}

// ofAttachments is rule for attachments, with their documents.
func (r tasks) ofAttachments(ctx context.Context, after task.Resource, limit int) ([]ruled, error) {
	var found []*attachment.Attachment
	all, err := rule(ctx, r.tx, attachmentTable, after, limit, func(a *attachment.Attachment) ruled {
		found = append(found, a)
		return ruled{}
	})
	if err != nil {
		return nil, err
	}
	err = documents(r).addTo(ctx, found)
	for i, a := range found {
		all[i] = ruled{a.ID, task.OfAnAttachment(a), a.Decisions}
	}
	return all, err
}

// renew writes the tasks of locked resources that are not as the rules say.
func (r tasks) renew(ctx context.Context, kind task.ResourceKind, all []ruled) (task.Renewed, error) {
	ids := make([]billing.JobID, len(all))
	for i := range all {
		ids[i] = all[i].id
	}
	q := taskTable.of(r.tx)
	q.where("resource_id = ANY (%::uuid[]) AND ended_at IS NULL", uuids(ids))
	kept, err := taskTable.many(ctx, r.tx, "read tasks", q.text(""), q.args...)
	if err != nil {
		return task.Renewed{}, err
	}
	done := task.Renewed{Last: task.Resource{Kind: kind, ID: all[len(all)-1].id}, Resources: len(all)}
	for _, one := range all {
		if task.Same(kept, one.id, one.work) {
			continue
		}
		done.Differed++
		if err := r.keepTasks(ctx, task.Resource{Kind: kind, ID: one.id}, false, one.work, one.decided); err != nil {
			return done, err
		}
	}
	return done, nil
}
