package intake_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/intake"
)

func TestOfficeRequests(t *testing.T) {
	t.Parallel()
	form := billing.Faults{{Field: "time_zone", Code: billing.FaultType}}
	for name, c := range map[string]struct {
		change func(*intake.OfficeRequest)
		zone   string
		want   []string
	}{
		"with what it needs": {func(*intake.OfficeRequest) {}, intake.DefaultTimeZone, nil},
		"its own time zone":  {func(r *intake.OfficeRequest) { r.TimeZone = new("America/Chicago") }, "America/Chicago", nil},
		"an empty time zone": {func(r *intake.OfficeRequest) { r.TimeZone = new("") }, "", []string{"time_zone required"}},
		"an empty address":   {func(r *intake.OfficeRequest) { r.Address = &intake.AddressInput{} }, intake.DefaultTimeZone, []string{"address.line1 required", "address.city required", "address.state required", "address.zip required"}},
		"an empty pay-to address": {func(r *intake.OfficeRequest) { r.PayToAddress = &intake.AddressInput{} }, intake.DefaultTimeZone, []string{
			"pay_to_address.line1 required", "pay_to_address.city required", "pay_to_address.state required", "pay_to_address.zip required",
		}},
		"an organization by name": {func(r *intake.OfficeRequest) { r.Entity = "organization" }, intake.DefaultTimeZone, nil},
		"a person":                {func(r *intake.OfficeRequest) { r.Entity, r.FirstName, r.LastName = "person", "Ana", "Diaz" }, intake.DefaultTimeZone, nil},
		"form comes first":        {func(r *intake.OfficeRequest) { r.TimeZone, r.Faults = new(""), form }, "", []string{"time_zone type"}},
		"nothing of an office":    {func(r *intake.OfficeRequest) { *r = intake.OfficeRequest{Faults: form} }, intake.DefaultTimeZone, []string{"time_zone type", "name required", "npi required"}},
	} {
		r := intake.OfficeRequest{Name: "Main", NPI: "1234567893", TaxID: "12-3456789"}
		c.change(&r)
		o, faults := r.Office()
		if !slices.Equal(found(faults), c.want) || o.TimeZone != c.zone || c.want == nil && o.TaxID != "123456789" {
			t.Errorf("%s: %+v, faults %v, want %v", name, o, found(faults), c.want)
		}
	}
	if len(form) != 1 {
		t.Errorf("the faults of the form are %v", form)
	}
}

func TestAnOfficeIsReadWhole(t *testing.T) {
	t.Parallel()
	numbers := []directory.ProviderNumber{{PayerID: "aetna", Number: "N", LocationNumber: "L"}}
	r := intake.OfficeRequest{
		Name: "Main", NPI: "1234567893", TaxID: "12-3456789", Phone: "518-555-0100", Entity: "person", FirstName: "Ana", LastName: "Diaz",
		Taxonomy: "1223G0001X", ContactName: "Bo", ProviderNumbers: numbers,
		Address:      &intake.AddressInput{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"},
		PayToAddress: &intake.AddressInput{Line1: "P.O. Box 1", City: "Albany", State: "ny", ZIP: "122010001"},
	}
	want := directory.Office{
		Name: "Main", NPI: "1234567893", TaxID: "123456789", Phone: "5185550100", TimeZone: intake.DefaultTimeZone,
		Address: directory.Address{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"},
		OfficeDetails: directory.OfficeDetails{
			Entity: directory.EntityPerson, FirstName: "Ana", LastName: "Diaz", Taxonomy: "1223G0001X", ContactName: "Bo", ProviderNumbers: numbers,
			PayTo: directory.Address{Line1: "P.O. Box 1", City: "Albany", State: "NY", ZIP: "122010001"},
		},
	}
	if got, faults := r.Office(); len(faults) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v\nfaults %v", got, want, faults)
	}
}

func TestProviderRequests(t *testing.T) {
	t.Parallel()
	for taxonomy, want := range map[string]string{"": intake.DefaultTaxonomy, "1223G0001X": "1223G0001X", "dentist": ""} {
		p, faults := intake.ProviderRequest{FirstName: "Ann", LastName: "Lee", NPI: "1234567893", Taxonomy: taxonomy}.Provider()
		if good := len(faults) == 0; good != (want != "") || good && p.Taxonomy != want {
			t.Errorf("%q: %+v, faults %v, want %s", taxonomy, p, faults, want)
		}
	}
}
