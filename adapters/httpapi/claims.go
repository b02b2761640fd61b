package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
)

// voidClaim handles POST /claims/{id}/void. It returns the void transaction, or the claim
// itself if that was never sent.
func (a *api) voidClaim(x *exchange) (*reply, error) {
	w := replying(x, http.StatusCreated, claimShape)
	render := w.Render
	w.Render = func(made *claim.Record, failure error) caller.Reply {
		r := render(made, failure)
		if failure == nil && made.Frequency != claim.FrequencyVoid {
			r.Status = http.StatusOK
		}
		return r
	}
	return kept(a.claims.Void(x.ctx, w, claimID(x)))
}

// listClaims handles GET /claims. A list has one kind. A search for few claims, without
// a kind, finds both.
func (a *api) listClaims(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bindOrdered("claims", x.call.Scope)
	f := a.claimFilter(q)
	f.Sort = oneOf(q, "sort", claim.SortCreated, claim.SortService, claim.SortCharge, claim.SortOpen)
	return listed(a, x, q, l, f, a.claims.List, claimSummaryShape)
}

// searchClaims handles POST /claims/search.
func (a *api) searchClaims(x *exchange) (*reply, error) {
	return searched(a, x, "found claims", a.claims.Search, claimSummaryShape)
}

// countClaims handles GET /claims/counts, with the filters of listClaims.
func (a *api) countClaims(x *exchange) (*reply, error) {
	q := x.query()
	f := a.claimFilter(q)
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	counts, err := a.claims.Count(x.ctx, x.call.Scope, f)
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: claimCountsShape(counts)}, nil
}

// claimFilter reads the filters of lists of claims.
func (a *api) claimFilter(q *query) claim.Filter {
	number := q.free("patient_control_number")
	f := claim.Filter{
		Kind:          oneOf(q, "kind", claim.KindClaim, claim.KindPredetermination),
		States:        someOf(q, "state", claim.States()...),
		OfficeID:      id[billing.OfficeID](q, "office_id"),
		PayerID:       q.payer(a.payers),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
		SentFrom:      q.instant("sent_from"),
		SentTo:        q.instant("sent_to"),
		ServiceFrom:   q.date("service_from"),
		ServiceTo:     q.date("service_to"),
		PatientID:     id[billing.PatientID](q, "patient_id"),
		BatchID:       id[billing.FileID](q, "batch_id"),
		RequestID:     id[billing.RequestID](q, "request_id"),
		ControlNumber: number,
		Open:          oneOf(q, "open", "true") != "",
		Overpaid:      oneOf(q, "overpaid", "true") != "",
		Changed:       oneOf(q, "payment_changed", "true") != "",
	}
	a.figureFilter(q, &f)
	if f.Kind == "" && !f.Single() {
		f.Kind = claim.KindClaim
	}
	return f
}

// claimCountsJSON has the number of claims in each state.
type claimCountsJSON struct {
	Object string                         `json:"object"`
	Counts map[claim.State]claimCountJSON `json:"counts"`
}

type claimCountJSON struct {
	Count int  `json:"count"`
	More  bool `json:"more"`
}

func claimCountsShape(counts map[claim.State]claim.ClaimCount) claimCountsJSON {
	out := claimCountsJSON{Object: "claim_counts", Counts: map[claim.State]claimCountJSON{}}
	for state, c := range counts {
		out.Counts[state] = claimCountJSON(c)
	}
	return out
}

// getBatchFile handles GET /batches/{id}/file.
func (a *api) getBatchFile(x *exchange) (*reply, error) {
	b, content, err := a.batches.File(x.ctx, x.call.Scope, fileID(x))
	if err != nil {
		return nil, err
	}
	return fileReply(b.File.Name, content), nil
}
