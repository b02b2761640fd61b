package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
)

// createClaim handles POST /claims.
func (a *api) createClaim(x *exchange) (*reply, error) {
	in := readClaimRequest(x)
	return kept(a.claims.Make(x.ctx, replying(x, http.StatusCreated, claimShape), in))
}

// getClaim handles GET /claims/{id}.
func (a *api) getClaim(x *exchange) (*reply, error) {
	return read(x, a.claims.Get, claimID(x), claimShape)
}

// updateClaim handles PATCH /claims/{id}.
func (a *api) updateClaim(x *exchange) (*reply, error) {
	in := readClaimRequest(x)
	return kept(a.claims.Change(x.ctx, replying(x, http.StatusOK, claimShape), claimID(x), in))
}

// replaceClaim handles POST /claims/{id}/replace.
func (a *api) replaceClaim(x *exchange) (*reply, error) {
	in := readClaimRequest(x)
	return kept(a.claims.Replace(x.ctx, replying(x, http.StatusOK, claimShape), claimID(x), in))
}

// convertClaim handles POST /claims/{id}/convert.
func (a *api) convertClaim(x *exchange) (*reply, error) {
	in := readConvertRequest(x)
	return kept(a.claims.Convert(x.ctx, replying(x, http.StatusCreated, claimShape), claimID(x), in))
}

// submitClaim handles POST /claims/{id}/submit.
func (a *api) submitClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Submit(x.ctx, replying(x, http.StatusOK, claimShape), claimID(x)))
}

// reconcileClaim handles POST /claims/{id}/reconcile.
func (a *api) reconcileClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Reconcile(x.ctx, replying(x, http.StatusOK, claimShape), claimID(x)))
}

// reopenClaim handles POST /claims/{id}/reopen.
func (a *api) reopenClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Reopen(x.ctx, replying(x, http.StatusOK, claimShape), claimID(x)))
}

// voidClaim handles POST /claims/{id}/void. It returns the void transaction.
func (a *api) voidClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Void(x.ctx, replying(x, http.StatusCreated, claimShape), claimID(x)))
}

// listClaims handles GET /claims. A list has one kind. A search for a single
// claim without a kind finds both.
func (a *api) listClaims(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("claims", x.call.Scope, "limit", "cursor")
	number, _ := q.text("patient_control_number")
	f := billing.ClaimFilter{
		Kind:          oneOf(q, "kind", billing.KindClaim, billing.KindPredetermination),
		State:         oneOf(q, "state", billing.ClaimStates()...),
		OfficeID:      id[billing.OfficeID](q, "office_id"),
		PayerID:       id[billing.PayerID](q, "payer_id"),
		CreatedAfter:  q.instant("created_after"),
		CreatedBefore: q.instant("created_before"),
		SentFrom:      q.instant("sent_from"),
		SentTo:        q.instant("sent_to"),
		RequestID:     id[billing.RequestID](q, "request_id"),
		ControlNumber: number,
	}
	if f.Kind == "" && f.RequestID.IsZero() && f.ControlNumber == "" {
		f.Kind = billing.KindClaim
	}
	return listed(a, x, q, l, f, a.claims.List, claimSummaryShape)
}

// listBatches handles GET /batches.
func (a *api) listBatches(x *exchange) (*reply, error) {
	return unfiltered(a, x, "batches", a.batches.List, batchShape)
}

// getBatch handles GET /batches/{id}.
func (a *api) getBatch(x *exchange) (*reply, error) {
	return read(x, a.batches.Get, fileID(x), batchShape)
}

// getBatchFile handles GET /batches/{id}/file.
func (a *api) getBatchFile(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	b, content, err := a.batches.File(x.ctx, x.call.Scope, fileID(x))
	if err != nil {
		return nil, err
	}
	return fileReply(b.File.Name, content), nil
}
