package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
)

// makeClaim is POST /claims.
func (a *api) makeClaim(x *exchange) (*reply, error) {
	in, fingerprint := readClaimRequest(x)
	return kept(a.claims.Make(x.ctx, x.key.Scope, x.request(fingerprint), in, rendered(x, http.StatusCreated, claimShape)))
}

// claimID is the ID in the path, read like attachmentID.
func claimID(x *exchange) billing.ClaimID {
	id, _ := billing.ParseID[billing.ClaimID](x.params.Params("id"))
	return id
}

// getClaim is GET /claims/{id}.
func (a *api) getClaim(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	r, err := a.claims.Get(x.ctx, x.key.Scope, claimID(x))
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: claimShape(r)}, nil
}

// changeClaim is PATCH /claims/{id}.
func (a *api) changeClaim(x *exchange) (*reply, error) {
	in, fingerprint := readClaimRequest(x)
	return kept(a.claims.Change(x.ctx, x.key.Scope, x.request(fingerprint), claimID(x), in, rendered(x, http.StatusOK, claimShape)))
}

// replaceClaim is POST /claims/{id}/replace.
func (a *api) replaceClaim(x *exchange) (*reply, error) {
	in, fingerprint := readClaimRequest(x)
	return kept(a.claims.Replace(x.ctx, x.key.Scope, x.request(fingerprint), claimID(x), in, rendered(x, http.StatusOK, claimShape)))
}

// convertClaim is POST /claims/{id}/convert.
func (a *api) convertClaim(x *exchange) (*reply, error) {
	in, fingerprint := readConvertRequest(x)
	return kept(a.claims.Convert(x.ctx, x.key.Scope, x.request(fingerprint), claimID(x), in, rendered(x, http.StatusCreated, claimShape)))
}

// submitClaim is POST /claims/{id}/submit.
func (a *api) submitClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Submit(x.ctx, x.key.Scope, nothingSent(x), claimID(x), rendered(x, http.StatusOK, claimShape)))
}

// reconcileClaim is POST /claims/{id}/reconcile.
func (a *api) reconcileClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Reconcile(x.ctx, x.key.Scope, nothingSent(x), claimID(x), rendered(x, http.StatusOK, claimShape)))
}

// voidClaim is POST /claims/{id}/void: it makes a claim, and answers that one.
func (a *api) voidClaim(x *exchange) (*reply, error) {
	return kept(a.claims.Void(x.ctx, x.key.Scope, nothingSent(x), claimID(x), rendered(x, http.StatusCreated, claimShape)))
}

// nothingSent reads the request of an operation that wants to know nothing but
// what its path says.
func nothingSent(x *exchange) billing.Request {
	faults := x.query().end()
	req := x.request(x.emptyDocument(&faults))
	req.Faults = faults
	return req
}

// listClaims is GET /claims. A list holds one kind, unless it looks one claim
// up, which may be of either.
func (a *api) listClaims(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("claims", x.key.Scope, "limit", "cursor")
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
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next, err := a.claims.List(x.ctx, x.key.Scope, f, p)
	if err != nil {
		return nil, err
	}
	return page(found, claimSummaryShape, a.cursors.encode(l, next)), nil
}

// fileID is the ID in the path, read like attachmentID.
func fileID(x *exchange) billing.FileID {
	id, _ := billing.ParseID[billing.FileID](x.params.Params("id"))
	return id
}

// listBatches is GET /batches.
func (a *api) listBatches(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("batches", x.key.Scope, "limit", "cursor")
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next, err := a.batches.List(x.ctx, x.key.Scope, p)
	if err != nil {
		return nil, err
	}
	return page(found, batchShape, a.cursors.encode(l, next)), nil
}

// getBatch is GET /batches/{id}.
func (a *api) getBatch(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	b, err := a.batches.Get(x.ctx, x.key.Scope, fileID(x))
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusOK, body: batchShape(b)}, nil
}

// getBatchFile is GET /batches/{id}/file.
func (a *api) getBatchFile(x *exchange) (*reply, error) {
	if err := x.query().end().Err(); err != nil {
		return nil, err
	}
	b, content, err := a.batches.File(x.ctx, x.key.Scope, fileID(x))
	if err != nil {
		return nil, err
	}
	return fileReply(b.File.Name, content), nil
}
