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
	return listed(a, x, q, l, text, a.foundPayers, payerEntryShape)
}

// foundPayers returns a page of the payers that a search finds. The directory is the same for every
// organization.
func (a *api) foundPayers(_ context.Context, _ billing.Scope, text string, p billing.Page) ([]*directory.Payer, *billing.Position, error) {
	found := a.payers.Search(text)
	if p.After != nil {
		last := slices.IndexFunc(found, func(of *directory.Payer) bool { return of.ID == p.After.ID })
		found = found[last+1:] // the whole list if the directory no longer has the payer
	}
	found, next := billing.Cut(found, p.Limit, func(of *directory.Payer) billing.Position { return billing.Position{ID: of.ID} })
	return found, next, nil
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
