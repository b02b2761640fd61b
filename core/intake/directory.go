package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// The defaults of the directory.
const (
	DefaultTimeZone = directory.DefaultTimeZone // for an office that names none
	DefaultTaxonomy = "122300000X"              // dentistry, for a provider that names none
)

// organization is the word for offices that are no persons.
const organization = "organization"

// OfficeRequest is an office as a caller wrote it; nothing is parsed yet. Nil is
// a value that was left out or null.
type OfficeRequest struct {
	Name, NPI, TaxID, Phone     string
	Address                     *AddressInput
	TimeZone                    *string
	Entity, FirstName, LastName string // of a person, the names; empty for an organization
	Taxonomy, ContactName       string
	PayToAddress                *AddressInput
	ProviderNumbers             []directory.ProviderNumber // each with any ID of its payer
	Retired                     bool
	Given                       map[string]bool // the fields in the body of a PATCH, including null ones
	Faults                      billing.Faults  // found when the body was decoded
}

// Office validates the request and returns the requested office, without ID,
// scope and times. The payers of its provider numbers have the IDs of the request.
func (r OfficeRequest) Office() (directory.Office, billing.Faults) {
	f := slices.Clone(r.Faults)
	o := directory.Office{Name: r.Name, NPI: r.NPI, TaxID: r.TaxID, Phone: r.Phone, TimeZone: DefaultTimeZone}
	if r.TimeZone != nil {
		if o.TimeZone = *r.TimeZone; o.TimeZone == "" {
			f.Add("time_zone", billing.FaultRequired, "Send a time zone, or leave out time_zone to use "+DefaultTimeZone+".")
		}
	}
	o.OfficeDetails = directory.OfficeDetails{
		Entity: directory.OfficeEntity(r.Entity), FirstName: r.FirstName, LastName: r.LastName, Taxonomy: r.Taxonomy, ContactName: r.ContactName,
		ProviderNumbers: r.ProviderNumbers, Retired: r.Retired,
	}
	if r.Entity == organization {
		o.Entity = directory.EntityOrganization
	}
	o.Address = officeAddress(&f, "address.", r.Address)
	o.PayTo = officeAddress(&f, "pay_to_address.", r.PayToAddress)
	o.Normalize()
	o.Judge(&f)
	return o, f
}

// Change validates the body of a PATCH and returns the changed office. A field in the
// body replaces the whole field; null clears it.
func (r OfficeRequest) Change(o *directory.Office) (directory.Office, billing.Faults) {
	keep := func(field string, set func()) {
		if !r.Given[field] {
			set()
		}
	}
	keep("name", func() { r.Name = o.Name })
	keep("npi", func() { r.NPI = o.NPI })
	keep("tax_id", func() { r.TaxID = o.TaxID })
	keep("phone", func() { r.Phone = o.Phone })
	keep("address", func() { r.Address = addressInput(o.Address) })
	keep("time_zone", func() { r.TimeZone = &o.TimeZone })
	keep("entity", func() { r.Entity = string(o.Entity) })
	keep("first_name", func() { r.FirstName = o.FirstName })
	keep("last_name", func() { r.LastName = o.LastName })
	keep("taxonomy", func() { r.Taxonomy = o.Taxonomy })
	keep("contact_name", func() { r.ContactName = o.ContactName })
	keep("pay_to_address", func() { r.PayToAddress = addressInput(o.PayTo) })
	keep("provider_numbers", func() { r.ProviderNumbers = o.ProviderNumbers })
	keep("retired", func() { r.Retired = o.Retired })
	return r.Office()
}

// addressInput returns the address as a caller writes it, or nil for none.
func addressInput(a directory.Address) *AddressInput {
	if a == (directory.Address{}) {
		return nil
	}
	return new(AddressInput(a))
}

// officeAddress reads an address that can be left out. An empty address is not a
// missing one.
func officeAddress(f *billing.Faults, at string, in *AddressInput) (a directory.Address) {
	if in == nil {
		return a
	}
	if a = directory.Address(*in); a == (directory.Address{}) {
		a.Judge(f, at)
	}
	return a
}

// ProviderRequest is a provider as a caller wrote it; nothing is parsed yet.
type ProviderRequest struct {
	FirstName, LastName, NPI string
	Taxonomy                 string // empty for the default
	Retired                  bool
	Given                    map[string]bool // the fields in the body of a PATCH, including null ones
	Faults                   billing.Faults  // found when the body was decoded
}

// Provider validates the request and returns the requested provider, without
// ID, scope and time.
func (r ProviderRequest) Provider() (directory.Provider, billing.Faults) {
	f := slices.Clone(r.Faults)
	p := directory.Provider{FirstName: r.FirstName, LastName: r.LastName, NPI: r.NPI, Taxonomy: r.Taxonomy, Retired: r.Retired}
	if p.Taxonomy == "" {
		p.Taxonomy = DefaultTaxonomy
	}
	p.Judge(&f)
	return p, f
}

// Change validates the body of a PATCH and returns the changed provider. A field in
// the body replaces the whole field; null clears it.
func (r ProviderRequest) Change(p *directory.Provider) (directory.Provider, billing.Faults) {
	for _, field := range []struct {
		name     string
		now, was *string
	}{
		{"first_name", &r.FirstName, &p.FirstName},
		{"last_name", &r.LastName, &p.LastName},
		{"npi", &r.NPI, &p.NPI},
		{"taxonomy", &r.Taxonomy, &p.Taxonomy},
	} {
		if !r.Given[field.name] {
			*field.now = *field.was
		}
	}
	if !r.Given["retired"] {
		r.Retired = p.Retired
	}
	return r.Provider()
}
