package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/tasks"
)

// listTasks handles GET /tasks.
func (a *api) listTasks(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("tasks", x.call.Scope, "limit", "cursor")
	f := task.Filter{
		State:     oneOf(q, "state", task.States()...),
		Kinds:     someOf(q, "kind", task.Kinds()...),
		Resource:  q.resourceID(),
		OfficeID:  id[billing.OfficeID](q, "office_id"),
		PayerID:   q.payer(a.payers),
		DueBefore: q.date("due_before"), AmountFrom: q.money("amount_from"),
	}
	q.assignee(x.call.Principal.User(), &f)
	if x.prefersTable() {
		return asTable(a, x, q, l, f, a.tasks.Page, taskShape)
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, err := a.tasks.List(x.ctx, x.call.Scope, x.call.Principal.User(), f, p)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: taskListJSON{mapped(found.Tasks, taskShape), a.cursors.encode(l, found.Next), a.taskCountsShape(found.Counts)}}, nil
}

// assignee reads whose tasks are listed: those of a user, of the caller or of nobody.
func (q *query) assignee(by billing.UserID, f *task.Filter) {
	s, given := q.text("assignee")
	if !given {
		return
	}
	switch s {
	case "nobody":
		f.Nobody = true
	case "me":
		if f.Assignee = by; by.IsZero() {
			q.faults.Add("assignee", billing.FaultNotAllowed, "Only a person who has signed in has tasks. Send the ID of a user, or nobody.")
		}
	default:
		var err error
		if f.Assignee, err = billing.ParseID[billing.UserID](s); err != nil {
			q.faults.Add("assignee", billing.FaultFormat, "The value must be me, nobody, or the ID of a user.")
		}
	}
}

type taskListJSON struct {
	Data       []taskJSON     `json:"data"`
	NextCursor *string        `json:"next_cursor"`
	Counts     taskCountsJSON `json:"counts"`
}

type taskCountsJSON struct {
	Open   countJSON               `json:"open"`
	Mine   countJSON               `json:"mine"`
	Nobody countJSON               `json:"nobody"`
	Kinds  map[task.Kind]countJSON `json:"kinds"`

	Offices map[billing.OfficeID]countJSON `json:"offices"`
	Payers  []payerCountJSON               `json:"payers"`
}

type payerCountJSON struct {
	Payer payerJSON `json:"payer"`
	countJSON
}

type taskJSON struct {
	ID           billing.TaskID     `json:"id"`
	Object       string             `json:"object"`
	Kind         task.Kind          `json:"kind"`
	State        task.State         `json:"state"`
	Resource     taskResourceJSON   `json:"resource"`
	OfficeID     *billing.OfficeID  `json:"office_id"`
	Payer        *payerJSON         `json:"payer"`
	PatientID    *billing.PatientID `json:"patient_id"`
	PatientName  *string            `json:"patient_name"`
	Amount       *string            `json:"amount"`
	Since        string             `json:"since"`
	DueOn        *billing.Date      `json:"due_on"`
	DueFrom      *task.DueBy        `json:"due_from"`
	Reason       string             `json:"reason"`
	Actions      []string           `json:"actions"`
	Settles      []decision.As      `json:"settles"`
	Settled      *settledJSON       `json:"settled"`
	Assignee     *billing.UserID    `json:"assignee"`
	SnoozedUntil *billing.Date      `json:"snoozed_until"`
	UntilChange  bool               `json:"until_change"`
	EndedAt      *string            `json:"ended_at"`
	Notes        []noteJSON         `json:"notes"`
	NotesCount   int                `json:"notes_count"`
}

type settledJSON struct {
	As     decision.As `json:"as"`
	Amount *string     `json:"amount"`
	Note   *string     `json:"note"`
	By     string      `json:"by"`
	At     string      `json:"at"`
}

// settledShape shows a decision; nil for none.
func settledShape(d *decision.Decision) *settledJSON {
	if d == nil {
		return nil
	}
	out := &settledJSON{As: d.As, Note: orNull(d.Note), By: d.By, At: event.Timestamp(d.At)}
	if d.Amount != 0 {
		out.Amount = new(d.Amount.String())
	}
	return out
}

type taskResourceJSON struct {
	Object  task.ResourceKind     `json:"object"`
	ID      string                `json:"id"`
	BatchID *billing.CheckBatchID `json:"batch_id,omitempty"`
	ItemID  string                `json:"item_id,omitempty"`
}

func resourceShape(of task.Resource) taskResourceJSON {
	return taskResourceJSON{Object: of.Kind, ID: of.String()}
}

func taskShape(t tasks.Shown) taskJSON {
	shape := taskJSON{
		ID: t.ID, Object: "task", Kind: t.Kind, State: t.State, Resource: resourceShape(t.Resource),
		OfficeID: orNull(t.OfficeID), PatientID: orNull(t.Patient), PatientName: orNull(t.PatientName), Since: event.Timestamp(t.Since),
		DueOn: orNull(t.DueOn), DueFrom: orNull(t.DueBy), Reason: t.Reason, Actions: listOf(t.Actions), Settles: listOf(t.Settles), Settled: settledShape(t.Settled), Assignee: orNull(t.Assignee),
		UntilChange: t.UntilChange, EndedAt: timeOrNull(t.EndedAt), Notes: mapped(t.Notes.Newest, noteShape), NotesCount: t.Notes.Count,
	}
	shape.Resource.BatchID, shape.Resource.ItemID = orNull(t.Item.Batch), t.Item.Name
	if !t.Payer.ID.IsZero() {
		shape.Payer = new(payerJSON(t.Payer))
	}
	if t.Amount != 0 {
		shape.Amount = new(t.Amount.String())
	}
	if !t.SnoozedUntil.IsZero() {
		shape.SnoozedUntil = new(t.SnoozedDay())
	}
	return shape
}

// taskCountsShape shows counts, with the payers by which the list can be narrowed: those of the directory.
func (a *api) taskCountsShape(c task.Counts) taskCountsJSON {
	count := func(n int) countJSON { return countJSON(claim.UpTo(task.MaxCount, n)) }
	out := taskCountsJSON{
		Kinds: map[task.Kind]countJSON{}, Mine: count(c.Mine), Nobody: count(c.Nobody),
		Offices: map[billing.OfficeID]countJSON{}, Payers: []payerCountJSON{},
	}
	open := 0
	for _, kind := range task.Kinds() {
		out.Kinds[kind] = count(c.Kinds[kind])
		open += c.Kinds[kind]
	}
	out.Open = count(open)
	for id, n := range c.Offices {
		out.Offices[id] = count(n)
	}
	for _, id := range c.MostOf() {
		if p, known := a.payers.Find(id.String()); known {
			out.Payers = append(out.Payers, payerCountJSON{payerJSON(p.PayerSummary), count(c.Payers[id])})
		}
	}
	return out
}
