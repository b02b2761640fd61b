package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// The defaults of the directory.
const (
	DefaultTimeZone = "America/New_York" // for an office that names none
	DefaultTaxonomy = "122300000X"       // dentistry, for a provider that names none
)

// OfficeRequest is an office as a caller wrote it; nothing is parsed yet. Nil is
// a value that was left out or null.
type OfficeRequest struct {
	Name, NPI, TaxID, Phone string
	Address                 *AddressInput
	TimeZone                *string
	Faults                  billing.Faults // found when the body was decoded
}

// Office validates the request and returns the requested office, without ID,
// scope and times.
func (r OfficeRequest) Office() (billing.Office, billing.Faults) {
	f := slices.Clone(r.Faults)
	o := billing.Office{Name: r.Name, NPI: r.NPI, TaxID: r.TaxID, Phone: r.Phone, TimeZone: DefaultTimeZone}
	if r.TimeZone != nil {
		if o.TimeZone = *r.TimeZone; o.TimeZone == "" {
			f.Add("time_zone", billing.FaultRequired, "Send a time zone, or leave out time_zone to use "+DefaultTimeZone+".")
		}
	}
	if r.Address != nil {
		if o.Address = billing.Address(*r.Address); o.Address == (billing.Address{}) { // an empty address is not a missing one
			o.Address.Judge(&f)
		}
	}
	o.Normalize()
	o.Judge(&f)
	return o, f
}

// ProviderRequest is a provider as a caller wrote it; nothing is parsed yet.
type ProviderRequest struct {
	FirstName, LastName, NPI string
	Taxonomy                 string         // empty for the default
	Faults                   billing.Faults // found when the body was decoded
}

// Provider validates the request and returns the requested provider, without
// ID, scope and time.
func (r ProviderRequest) Provider() (billing.Provider, billing.Faults) {
	f := slices.Clone(r.Faults)
	p := billing.Provider{FirstName: r.FirstName, LastName: r.LastName, NPI: r.NPI, Taxonomy: r.Taxonomy}
	if p.Taxonomy == "" {
		p.Taxonomy = DefaultTaxonomy
	}
	p.Judge(&f)
	return p, f
}
