package httpapi

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// auditEntry begins the entry of a person's request in the audit. It has the resource
// that the path names.
func (x *exchange) auditEntry() *billing.AuditEntry {
	e := &billing.AuditEntry{
		ID: billing.AuditEntryID(x.id), Address: x.client().String(), Operation: x.route.operation(), CreatedAt: x.s.now(),
	}
	if x.caller != nil {
		e.Org, e.Mode, e.User = x.call.Scope.Org, x.call.Scope.Mode, x.caller.User.ID
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
	r := billing.Reply{Status: x.fctx.Response.StatusCode(), Resource: x.resource}
	if !x.fctx.Response.IsBodyStream() {
		body := x.fctx.Response.Body()
		r.Shown = x.shows(body)
		if r.Resource == "" {
			r.Resource = firstID(body)
		}
	}
	if err := x.s.audit(x.call.Request.Audit.Replied(r)); err != nil && !x.refused {
		x.fctx.Response.Reset() // also closes a stream
		x.setCommon()
		x.fail(&billing.Error{
			Code: billing.CodeUnavailable, Message: "The request could not be recorded in the audit. Send it again after a few seconds.", Cause: err,
		})
	}
}

// shownIDs finds the IDs of shows. A text that a client sent has no unescaped quotes, so
// it is not found.
var shownIDs = regexp.MustCompile(`"(?:(?:patient|claim)_id":"(?:pat|clm)|id":"pat)_[0-9A-Z]{26}"`)

// shows returns the IDs in a reply by which the audit can be searched: those of
// patients, and of claims that another resource belongs to. For a request with an API
// key it returns none.
func (x *exchange) shows(body []byte) (ids []string) {
	if x.call.Request.Audit == nil {
		return nil
	}
	for _, found := range shownIDs.FindAll(body, -1) {
		ids = append(ids, string(found[bytes.LastIndexByte(found[:len(found)-1], '"')+1:len(found)-1]))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// listAuditEntries handles GET /audit_entries.
func (a *api) listAuditEntries(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("audit_entries", x.call.Scope, "limit", "cursor")
	f := billing.AuditFilter{
		User:          id[billing.UserID](q, "user_id"),
		Resource:      q.resource("resource_id"),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
	}
	return listed(a, x, q, l, f, a.audit.ListEntries, auditShape)
}

type auditJSON struct {
	ID         billing.AuditEntryID `json:"id"`
	Object     string               `json:"object"`
	UserID     billing.UserID       `json:"user_id"`
	UserEmail  string               `json:"user_email"`
	Address    string               `json:"address"`
	Operation  string               `json:"operation"`
	ResourceID *string              `json:"resource_id"`
	ShownIDs   []string             `json:"shown_ids"`
	Mode       *billing.Mode        `json:"mode"`
	Status     *int                 `json:"status"`
	CreatedAt  string               `json:"created_at"`
}

func auditShape(e *billing.AuditEntry) auditJSON {
	return auditJSON{
		e.ID, "audit_entry", e.User, e.Email, e.Address, e.Operation, orNull(e.Resource), listOf(e.Shown), orNull(e.Mode), orNull(e.Status),
		billing.Timestamp(e.CreatedAt),
	}
}
