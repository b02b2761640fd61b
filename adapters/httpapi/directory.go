package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
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

// createOffice handles POST /offices.
func (a *api) createOffice(x *exchange) (*reply, error) {
	in := readBody[intake.OfficeRequest](x, "retired")
	return kept(a.access.CreateOffice(x.ctx, replying(x, http.StatusCreated, officeShape), in))
}

// updateOffice handles PATCH /offices/{id}.
func (a *api) updateOffice(x *exchange) (*reply, error) {
	in := readBody[intake.OfficeRequest](x)
	return kept(a.access.ChangeOffice(x.ctx, replying(x, http.StatusOK, officeShape), officeID(x), in))
}

// withdrawOfficeChange handles POST /offices/{id}/withdraw_change.
func (a *api) withdrawOfficeChange(x *exchange) (*reply, error) {
	return kept(a.access.WithdrawOfficeChange(x.ctx, replying(x, http.StatusOK, officeShape), officeID(x)))
}

// createProvider handles POST /providers.
func (a *api) createProvider(x *exchange) (*reply, error) {
	in := readBody[intake.ProviderRequest](x, "retired")
	return kept(a.access.CreateProvider(x.ctx, replying(x, http.StatusCreated, providerShape), in))
}

// updateProvider handles PATCH /providers/{id}.
func (a *api) updateProvider(x *exchange) (*reply, error) {
	in := readBody[intake.ProviderRequest](x)
	return kept(a.access.ChangeProvider(x.ctx, replying(x, http.StatusOK, providerShape), providerID(x), in))
}

// searchPatients handles POST /patients/search.
func (a *api) searchPatients(x *exchange) (*reply, error) {
	return searched(a, x, "found patients", a.access.SearchPatients, patientShape)
}
