package directory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/billingtest"
	"github.com/molar-billing/molar/core/billing/directory"
)

func TestOffices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*directory.Office)
		want   []string
	}{
		"whole":                {func(*directory.Office) {}, nil},
		"without what it may":  {func(o *directory.Office) { o.TaxID, o.Phone, o.Address = "", "", directory.Address{} }, nil},
		"a country code":       {func(o *directory.Office) { o.Phone = "+1 518.555.0100" }, nil},
		"nothing":              {func(o *directory.Office) { *o = directory.Office{} }, []string{"name required", "npi required", "time_zone required"}},
		"an invisible name":    {func(o *directory.Office) { o.Name = "\u200b\u3164\u2800\u00ad" }, []string{"name required"}},
		"a name of no shape":   {func(o *directory.Office) { o.Name = "a\x00" }, []string{"name format"}},
		"a name of no text":    {func(o *directory.Office) { o.Name = "a\xff" }, []string{"name format"}},
		"a long name":          {func(o *directory.Office) { o.Name = strings.Repeat("é", 201) }, []string{"name too_long"}},
		"a long street":        {func(o *directory.Office) { o.Address.Line2 = strings.Repeat("é", 201) }, []string{"address.line2 too_long"}},
		"a ZIP of 8 digits":    {func(o *directory.Office) { o.Address.ZIP = "62701-001" }, []string{"address.zip format"}},
		"16 digits":            {func(o *directory.Office) { o.Phone = strings.Repeat("5", 16) }, []string{"phone format"}},
		"a blank NPI":          {func(o *directory.Office) { o.NPI = " " }, []string{"npi required"}},
		"a wrong NPI":          {func(o *directory.Office) { o.NPI = "1234567890" }, []string{"npi format"}},
		"a short tax ID":       {func(o *directory.Office) { o.TaxID = "12-345678" }, []string{"tax_id format"}},
		"letters for a tax ID": {func(o *directory.Office) { o.TaxID = "12345678x" }, []string{"tax_id format"}},
		"seven digits":         {func(o *directory.Office) { o.Phone = "555-0100" }, []string{"phone format"}},
		"another country":      {func(o *directory.Office) { o.Phone = "+44 518 555 0100" }, []string{"phone format"}},
		"a telephone word":     {func(o *directory.Office) { o.Phone = "518-555-TOOTH" }, []string{"phone format"}},
		"no such zone":         {func(o *directory.Office) { o.TimeZone = "Mars/Olympus" }, []string{"time_zone format"}},
		"here":                 {func(o *directory.Office) { o.TimeZone = "Local" }, []string{"time_zone format"}},
		"no such state":        {func(o *directory.Office) { o.Address.State = "XX" }, []string{"address.state format"}},
		"a person":             {func(o *directory.Office) { o.Entity, o.FirstName, o.LastName = directory.EntityPerson, "Ana", "Diaz" }, nil},
		"a nameless person": {func(o *directory.Office) { o.Entity, o.FirstName = directory.EntityPerson, "\u200d" }, []string{
			"first_name required", "last_name required",
		}},
		"a person with long names": {func(o *directory.Office) {
			o.Entity, o.FirstName, o.LastName = directory.EntityPerson, strings.Repeat("é", 36), strings.Repeat("é", 61)
		}, []string{"first_name too_long", "last_name too_long"}},
		"an organization with a first name": {func(o *directory.Office) { o.FirstName, o.LastName = "Ana", "Diaz" }, []string{
			"first_name not_allowed", "last_name not_allowed",
		}},
		"no such entity": {func(o *directory.Office) { o.Entity = "robot" }, []string{"entity not_allowed"}},
		"details": {func(o *directory.Office) {
			o.Taxonomy, o.ContactName, o.PayTo = "1223G0001X", "Billing desk", directory.Address{Line1: "P.O. Box 1", City: "Albany", State: "ny", ZIP: "12207"}
			o.ProviderNumbers = []directory.ProviderNumber{{PayerID: "CHTEST", Number: strings.Repeat("1", 50)}, {PayerID: "60054", LocationNumber: "L"}}
		}, nil},
		"a wrong taxonomy": {func(o *directory.Office) { o.Taxonomy = "dentist" }, []string{"taxonomy format"}},
		"a long contact":   {func(o *directory.Office) { o.ContactName = strings.Repeat("é", 61) }, []string{"contact_name too_long"}},
		"half of a pay-to address": {func(o *directory.Office) { o.PayTo = directory.Address{Line1: "1", State: "XX", ZIP: "1"} }, []string{
			"pay_to_address.city required", "pay_to_address.state format", "pay_to_address.zip format",
		}},
		"wrong numbers": {func(o *directory.Office) {
			o.ProviderNumbers = []directory.ProviderNumber{{}, {PayerID: "A", Number: strings.Repeat("é", 51), LocationNumber: "\x00"}}
		}, []string{
			"provider_numbers.0.payer_id required", "provider_numbers.0.number required", "provider_numbers.1.number too_long",
			"provider_numbers.1.location_number format",
		}},
		"101 payers": {func(o *directory.Office) { o.ProviderNumbers = make([]directory.ProviderNumber, 101) }, []string{"provider_numbers too_many"}},
		"half of an address": {func(o *directory.Office) { o.Address = directory.Address{Line2: "Apt 2"} }, []string{
			"address.line1 required", "address.city required", "address.state required", "address.zip required",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := directory.Office{
				Name: "South", NPI: "1234567893", TaxID: "12-3456789", Phone: "(518) 555-0100", TimeZone: "America/New_York",
				Address: directory.Address{Line1: "1 Main St", City: "Albany", State: "ny", ZIP: "12207"},
			}
			c.change(&o)
			var f billing.Faults
			o.Normalize()
			if o.Judge(&f); !slices.Equal(billingtest.FieldCodes(f), c.want) {
				t.Fatalf("faults %v, want %v", billingtest.FieldCodes(f), c.want)
			}
			if c.want == nil && (strings.TrimPrefix(o.TaxID, "123456789")+strings.TrimPrefix(o.Phone, "5185550100")+strings.TrimPrefix(o.Address.State, "NY")+strings.TrimPrefix(o.PayTo.State, "NY") != "") {
				t.Errorf("normalized to %+v", o)
			}
		})
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	var f billing.Faults
	(&directory.Provider{LastName: "\u200d"}).Judge(&f)
	if want := []string{"first_name required", "last_name required", "npi required", "taxonomy required"}; !slices.Equal(billingtest.FieldCodes(f), want) {
		t.Errorf("faults %v, want %v", billingtest.FieldCodes(f), want)
	}
}
