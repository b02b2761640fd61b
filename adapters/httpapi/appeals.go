package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// makeAppeal handles POST /claims/{id}/appeals.
func (a *api) makeAppeal(x *exchange) (*reply, error) {
	in := readBody[intake.AppealRequest](x)
	return kept(a.appeals.Make(x.ctx, replyingWithAppeal(x, http.StatusCreated), claimID(x), in))
}

// listAppeals handles GET /claims/{id}/appeals.
func (a *api) listAppeals(x *exchange) (*reply, error) {
	q, f := x.query(), appeal.Filter{ClaimID: claimID(x)}
	l := q.bind("appeals of "+f.ClaimID.String(), x.call.Scope, "limit", "cursor")
	x.resource = f.ClaimID.String()
	return listed(a, x, q, l, f, a.appeals.List, appealShape)
}

// updateAppeal handles PATCH /appeals/{id}.
func (a *api) updateAppeal(x *exchange) (*reply, error) {
	in := readBody[intake.AppealRequest](x)
	return kept(a.appeals.Change(x.ctx, replyingWithAppeal(x, http.StatusOK), pathID[billing.AppealID](x, "id"), in))
}

// recordAppealSent handles POST /appeals/{id}/sent.
func (a *api) recordAppealSent(x *exchange) (*reply, error) {
	in := readBody[intake.AppealSentRequest](x)
	return kept(a.appeals.Send(x.ctx, replyingWithAppeal(x, http.StatusOK), pathID[billing.AppealID](x, "id"), in))
}

// recordAppealDecided handles POST /appeals/{id}/decided.
func (a *api) recordAppealDecided(x *exchange) (*reply, error) {
	in := readBody[intake.AppealDecidedRequest](x)
	return kept(a.appeals.Decide(x.ctx, replyingWithAppeal(x, http.StatusOK), pathID[billing.AppealID](x, "id"), in))
}

// replyingWithAppeal returns the call for a use case that replies with an appeal. The stored reply
// is one about the claim, and goes with its patient.
func replyingWithAppeal(x *exchange, status int) idempotency.Write[*appeal.Appeal] {
	w := replying(x, status, appealShape)
	render := w.Render
	w.Render = func(a *appeal.Appeal, failure error) caller.Reply {
		r := render(a, failure)
		if failure == nil {
			r.Resource = a.ClaimID.String()
		}
		return r
	}
	return w
}

type appealJSON struct {
	ID        billing.AppealID   `json:"id"`
	Object    string             `json:"object"`
	ClaimID   billing.ClaimID    `json:"claim_id"`
	State     appeal.State       `json:"state"`
	Level     appeal.Level       `json:"level"`
	Reason    string             `json:"reason"`
	Letter    string             `json:"letter"`
	Documents []string           `json:"documents"`
	Deadline  deadlineJSON       `json:"deadline"`
	DueOn     *billing.Date      `json:"due_on"`
	Sent      *appealSentJSON    `json:"sent"`
	Decided   *appealDecidedJSON `json:"decided"`
	Payments  []appealPaidJSON   `json:"payments"`
	CreatedAt string             `json:"created_at"`
	UpdatedAt string             `json:"updated_at"`
}

type deadlineJSON struct {
	On     *billing.Date `json:"on"`
	Days   *int          `json:"days"`
	Source limit.Source  `json:"source"`
	Stated *string       `json:"stated"`
}

type appealSentJSON struct {
	On        billing.Date `json:"on"`
	By        appeal.Way   `json:"by"`
	Reference *string      `json:"reference"`
}

type appealDecidedJSON struct {
	On      billing.Date   `json:"on"`
	Outcome appeal.Outcome `json:"outcome"`
}

type appealPaidJSON struct {
	ERAID billing.ERAID `json:"era_id"`
	On    billing.Date  `json:"on"`
	Paid  string        `json:"paid"`
}

func appealShape(a *appeal.Appeal) appealJSON {
	shape := appealJSON{
		ID: a.ID, Object: "appeal", ClaimID: a.ClaimID, State: a.State, Level: a.Level, Reason: a.Words.Reason, Letter: a.Words.Letter,
		Documents: mapped(a.Documents, func(id string) string { return id }), Deadline: deadlineShape(a.SendBy), DueOn: orNull(a.DueOn()),
		Payments:  mapped(a.Paid, func(e *remit.LedgerEntry) appealPaidJSON { return appealPaidJSON{e.ERA.ID, e.Date, e.Paid.String()} }),
		CreatedAt: event.Timestamp(a.CreatedAt), UpdatedAt: event.Timestamp(a.UpdatedAt),
	}
	if !a.SentOn.IsZero() {
		shape.Sent = &appealSentJSON{a.SentOn, a.SentBy, orNull(a.Words.Reference)}
	}
	if a.State == appeal.Decided {
		shape.Decided = &appealDecidedJSON{a.DecidedOn, a.Outcome}
	}
	return shape
}

func deadlineShape(d limit.Deadline) deadlineJSON {
	return deadlineJSON{orNull(d.On), orNull(d.Days), d.Source, orNull(d.Stated)}
}
