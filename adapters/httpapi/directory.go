package httpapi

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// listPayers handles GET /payers. The directory comes from a file, so a cursor
// needs only the ID of the last payer, without a time.
func (a *api) listPayers(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("payers", x.call.Scope, "limit", "cursor")
	text, _ := q.text("search")
	limit, after := q.limit(), q.cursor(a.cursors, l)
	found := a.payers.Search(text)
	if after != nil {
		last := slices.IndexFunc(found, func(p *directory.Payer) bool { return p.ID == after.ID })
		found = found[last+1:] // the whole list if the directory no longer has the payer
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next := billing.Cut(found, limit, func(p *directory.Payer) billing.Position { return billing.Position{ID: p.ID} })
	return page(found, payerEntryShape, a.cursors.encode(l, next)), nil
}

// getPayer handles GET /payers/{id}. The directory is the same for every organization.
func (a *api) getPayer(x *exchange) (*reply, error) {
	find := func(_ context.Context, _ billing.Scope, id billing.PayerID) (*directory.Payer, error) {
		if p, ok := a.payers.Find(id.String()); ok {
			return p, nil
		}
		return nil, billing.NotFound("payer", "")
	}
	return read(x, find, pathID[billing.PayerID](x, "id"), payerEntryShape)
}

// searchPatients handles POST /patients/search.
func (a *api) searchPatients(x *exchange) (*reply, error) {
	return searched(a, x, "found patients", a.access.SearchPatients, patientShape)
}
