package httpapi

import (
	"bytes"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// auditEntry begins the entry of a person's request in the audit. It has the resource
// that the path names.
func (x *exchange) auditEntry() *caller.AuditEntry {
	e := &caller.AuditEntry{
		ID: billing.AuditEntryID(x.id), Background: x.background(), Address: x.client().String(), Agent: x.agent(),
		Operation: x.route.operation(), CreatedAt: x.s.now(),
	}
	if x.caller != nil {
		e.Org, e.Mode, e.User, e.Operator = x.call.Scope.Org, x.call.Scope.Mode, x.caller.User.ID, x.caller.Session.Operator
	}
	_, e.Resource, _ = anyID(x.params.Params("id"))
	return e
}

// audit stores the entry of a person's request, before the reply is sent. If it
// cannot, a reply with data becomes an error, and a refusal without data stays. The
// entry of a write is in the commit of the write, so nothing happens that has none.
func (x *exchange) audit() {
	if x.call.Request.Audit == nil {
		return
	}
	r := caller.Reply{Status: x.req.Response.StatusCode()}
	r.Resource, r.Shown = x.replied()
	r.Filters = x.filters
	if err := x.s.audit(x.call.Request.Audit.Replied(r)); err != nil && !x.refused {
		x.req.Response.Reset() // also closes a stream
		x.setCommon()
		x.fail(&billing.Error{
			Code: billing.CodeUnavailable, Message: "The request could not be recorded in the audit. Send it again after a few seconds.", Cause: err,
		})
	}
}

// replied returns the resource of the reply, and the IDs of the patients and claims in it.
// The audit is searched by them. A file or an image shows no IDs: the store knows whose
// claims it holds.
func (x *exchange) replied() (resource string, shown []string) {
	if x.req.Response.IsBodyStream() {
		return x.resource, x.about
	}
	body := x.req.Response.Body()
	if resource = x.resource; resource == "" {
		resource = firstID(body)
	}
	return resource, append(shows(body), x.about...)
}

// shows returns the IDs in a reply by which the audit can be searched: those of
// patients, and of claims that another resource belongs to. A text that a client sent has
// no unescaped quotes, so it is not found.
func shows(body []byte) (ids []string) {
	ids = append(idsIn(body, `":"pat_`, `"patient_id`, `"id`), idsIn(body, `":"clm_`, `"claim_id`)...)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// idsIn returns the IDs in the fields that begin with a text: the end of the name of the
// field, and the prefix of the ID.
func idsIn(body []byte, begin string, fields ...string) (ids []string) {
	size := len(begin) + 26
	for {
		at := bytes.Index(body, []byte(begin))
		if at < 0 || len(body) < at+size {
			return ids
		}
		if slices.ContainsFunc(fields, func(f string) bool { return bytes.HasSuffix(body[:at], []byte(f)) }) {
			ids = append(ids, string(body[at+len(`":"`):at+size]))
		}
		body = body[at+size:]
	}
}

// listAuditEntries handles GET /audit_entries.
func (a *api) listAuditEntries(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("audit_entries", x.call.Scope, "limit", "cursor")
	f := caller.AuditFilter{
		Actor:         oneOf(q, "actor", caller.ActorUser, caller.ActorKey, caller.ActorOperator, caller.ActorRule),
		User:          id[billing.UserID](q, "user_id"),
		Key:           id[billing.KeyID](q, "key_id"),
		Resource:      q.resource("resource_id"),
		Patient:       id[billing.PatientID](q, "patient_id"),
		Background:    q.flag("background"),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
	}
	if changes := q.flag("changes"); changes != nil {
		f.Changes = *changes
	}
	if of, err := billing.ParseID[billing.PatientID](f.Resource); err == nil && f.Patient.IsZero() {
		f.Resource, f.Patient = "", of
	}
	return listed(a, x, q, l, f, a.audit.ListEntries, auditShape)
}

type auditJSON struct {
	ID         billing.AuditEntryID `json:"id"`
	Object     string               `json:"object"`
	Actor      actorJSON            `json:"actor"`
	UserID     *billing.UserID      `json:"user_id"`
	UserEmail  *string              `json:"user_email"`
	Operator   *string              `json:"operator"`
	Background bool                 `json:"background"`
	Address    string               `json:"address"`
	Agent      string               `json:"agent"`
	Operation  string               `json:"operation"`
	ResourceID *string              `json:"resource_id"`
	ShownIDs   []string             `json:"shown_ids"`
	Filters    map[string]string    `json:"filters"`
	Mode       *billing.Mode        `json:"mode"`
	Status     *int                 `json:"status"`
	CreatedAt  string               `json:"created_at"`
}

// actorJSON is who made an entry of the audit.
type actorJSON struct {
	Kind caller.Actor `json:"kind"`
	ID   *string      `json:"id"` // null for an operator or a rule
	Name string       `json:"name"`
}

func auditShape(e *caller.AuditEntry) auditJSON {
	out := auditJSON{
		ID: e.ID, Object: "audit_entry", Actor: actorJSON{Kind: e.Actor(), Name: e.Name}, UserID: orNull(e.User),
		Operator: orNull(e.Operator), Background: e.Background,
		Address: e.Address, Agent: e.Agent, Operation: e.Operation, ResourceID: orNull(e.Resource), ShownIDs: listOf(e.Shown), Filters: e.Filters,
		Mode: orNull(e.Mode), Status: orNull(e.Status), CreatedAt: event.Timestamp(e.CreatedAt),
	}
	switch out.Actor.Kind {
	case caller.ActorUser:
		out.Actor.ID, out.UserEmail = new(e.User.String()), &e.Name
	case caller.ActorKey:
		out.Actor.ID = new(e.Key.String())
	case caller.ActorOperator:
		out.Actor.Name = e.Operator
	case caller.ActorRule:
		out.Actor.Name = e.Rule
	}
	return out
}
