package httpapi

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// enter begins the entry of a request: by a person in the audit, by a key also in the
// request log. It has the resource that the path names.
func (x *exchange) enter() {
	if x.caller.User != nil {
		x.call.Request.Audit = x.auditEntry()
		return
	}
	key, err := billing.ParseID[billing.KeyID](x.call.Principal.ID)
	if err != nil {
		return
	}
	_, resource, _ := anyID(x.params.Params("id"))
	x.call.Request.Entry = &caller.LoggedRequest{
		ID: x.id, Scope: x.call.Scope, KeyID: key, Operation: x.route.operation(), Resource: resource, CreatedAt: x.s.now(),
		Address: x.client().String(), Agent: x.agent(),
	}
}

// record adds the reply to the entry, and records it.
func (x *exchange) record(took time.Duration) {
	if x.call.Request.Entry == nil {
		return
	}
	e := *x.call.Request.Entry // the original belongs to the use case, which may still run
	e.Status, e.Error, e.Duration = x.req.Response.StatusCode(), x.code, took
	var resource string
	if resource, e.Shown = x.replied(); e.Resource == "" {
		e.Resource = resource
	}
	x.s.record(&e)
}

// firstID returns the ID of the resource that a reply shows. It is its first field.
func firstID(body []byte) string {
	rest, ok := bytes.CutPrefix(body, []byte(`{"id":"`))
	if !ok {
		return ""
	}
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	_, resource, _ := anyID(string(id))
	return resource
}

// operation returns the name of the operation in the request log.
func (r *route) operation() string { return r.method + " " + strings.TrimPrefix(r.path, root) }

// operations returns the names of all operations that the request log can have.
func (a *api) operations() (names []string) {
	for _, r := range a.routes() {
		if r.need != caller.NeedNothing {
			names = append(names, r.operation())
		}
	}
	return names
}

// listRequests handles GET /requests.
func (a *api) listRequests(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("requests", x.call.Scope, "limit", "cursor")
	f := caller.RequestFilter{
		KeyID:         id[billing.KeyID](q, "key_id"),
		Operation:     oneOf(q, "operation", a.operations()...),
		Status:        q.status("status"),
		Error:         oneOf(q, "error", billing.Codes()...),
		Resource:      q.resource("resource_id"),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
	}
	return listed(a, x, q, l, f, a.audit.List, requestShape)
}

// status reads an HTTP status.
func (q *query) status(name string) int {
	s, given := q.text(name)
	if !given {
		return 0
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || slices.Contains([]byte("+-"), s[0]):
		q.faults.Add(name, billing.FaultType, "The status must be a number from 200 to 599.")
	case n < http.StatusOK || n > 599:
		q.faults.Add(name, billing.FaultRange, "The status must be a number from 200 to 599.")
	}
	return n
}

type requestJSON struct {
	ID         billing.RequestID `json:"id"`
	Object     string            `json:"object"`
	KeyID      billing.KeyID     `json:"key_id"`
	Operation  string            `json:"operation"`
	ResourceID *string           `json:"resource_id"`
	Status     *int              `json:"status"`
	Error      *billing.Code     `json:"error"`
	DurationMS *float64          `json:"duration_ms"`
	CreatedAt  string            `json:"created_at"`
}

func requestShape(e *caller.LoggedRequest) requestJSON {
	out := requestJSON{
		ID: e.ID, Object: "request", KeyID: e.KeyID, Operation: e.Operation, ResourceID: orNull(e.Resource), Status: orNull(e.Status),
		Error: orNull(e.Error), CreatedAt: event.Timestamp(e.CreatedAt),
	}
	if e.Status != 0 {
		out.DurationMS = new(float64(e.Duration.Microseconds()) / 1000)
	}
	return out
}
