package httpapi

import (
	"net/http"
	"slices"

	"github.com/molar-billing/molar/core/billing"
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
		last := slices.IndexFunc(found, func(p *billing.Payer) bool { return p.ID == after.ID })
		found = found[last+1:] // the whole list if the directory no longer has the payer
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	found, next := billing.Cut(found, limit, func(p *billing.Payer) billing.Position { return billing.Position{ID: p.ID} })
	return page(found, payerEntryShape, a.cursors.encode(l, next)), nil
}

// createOffice handles POST /offices.
func (a *api) createOffice(x *exchange) (*reply, error) {
	var in intake.OfficeRequest
	doc := x.document(&in.Faults)
	in.Name, in.NPI, in.TaxID, in.Phone = doc.text("name"), doc.text("npi"), doc.text("tax_id"), doc.text("phone")
	in.TimeZone = doc.optionalText("time_zone")
	if address := doc.optionalObject("address"); address != nil {
		in.Address = new(readAddress(address))
	}
	doc.end()
	return kept(a.access.CreateOffice(x.ctx, replying(x, http.StatusCreated, officeShape), in))
}

// listOffices handles GET /offices.
func (a *api) listOffices(x *exchange) (*reply, error) {
	return unfiltered(a, x, "offices", a.access.ListOffices, officeShape)
}

// createProvider handles POST /providers.
func (a *api) createProvider(x *exchange) (*reply, error) {
	var in intake.ProviderRequest
	doc := x.document(&in.Faults)
	in.FirstName, in.LastName = doc.text("first_name"), doc.text("last_name")
	in.NPI, in.Taxonomy = doc.text("npi"), doc.text("taxonomy")
	doc.end()
	return kept(a.access.CreateProvider(x.ctx, replying(x, http.StatusCreated, providerShape), in))
}

// listProviders handles GET /providers.
func (a *api) listProviders(x *exchange) (*reply, error) {
	return unfiltered(a, x, "providers", a.access.ListProviders, providerShape)
}

// getPatient handles GET /patients/{id}.
func (a *api) getPatient(x *exchange) (*reply, error) {
	return read(x, a.access.GetPatient, patientID(x), patientShape)
}
