package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestOfficesOfTheHelp runs the examples of the help. The offices are complete.
func TestOfficesOfTheHelp(t *testing.T) {
	t.Parallel()
	s := access.New(pgtest.Open(t), porttest.Payers(t), &noon{}, credentials.New([32]byte{1}))
	org, err := s.CreateOrganization(t.Context(), "Demo")
	if err != nil {
		t.Fatal(err)
	}
	b := Backend{Access: func(context.Context) (*access.Service, func() error, error) {
		return s, func() error { return nil }, nil
	}}
	examples := strings.Split(createOffice(b).Example, "\n\n")
	for _, example := range examples {
		c := New(b)
		var out bytes.Buffer
		c.SetOut(&out)
		c.SetArgs(words(strings.ReplaceAll(example, "org_...", org.ID.String())))
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%s: %v", example, err)
		}
		if _, err := billing.ParseID[billing.OfficeID](strings.TrimSpace(out.String())); err != nil {
			t.Errorf("%s printed %q", example, out.String())
		}
	}
	all, _, err := s.ListOffices(t.Context(), billing.Scope{Org: org.ID, Mode: billing.ModeTest}, billing.Page{Limit: 10})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d offices, %v", len(all), err)
	}
	for _, o := range all {
		if len(o.TaxID) != 9 || len(o.Phone) != 10 || len(o.Address.ZIP) != 9 || o.Address.Line1 == "" || o.Address.State == "" {
			t.Errorf("%+v is incomplete", o)
		}
	}
	person := all[0]
	if want := []directory.ProviderNumber{{PayerID: "CHTEST", Number: "PN-7"}}; person.Entity != directory.EntityPerson || person.LastName != "Diaz" ||
		person.Taxonomy != "1223G0001X" || person.ContactName != "Billing desk" || person.PayTo.Line1 != "P.O. Box 100" ||
		!slices.Equal(person.ProviderNumbers, want) {
		t.Errorf("%+v", person)
	}
	if all[1].Entity != directory.EntityOrganization {
		t.Errorf("%+v", all[1])
	}
}

// words splits a command line as a shell does, without the name of the program.
func words(line string) (all []string) {
	for i, part := range strings.Split(strings.ReplaceAll(line, "\\\n", " "), "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all[1:]
}

func TestProviderNumberFlags(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		numbers, locations []string
		want               []directory.ProviderNumber
		err                string
	}{
		"none":             {nil, nil, nil, ""},
		"one payer":        {[]string{"A=1"}, []string{"A=2"}, []directory.ProviderNumber{{PayerID: "A", Number: "1", LocationNumber: "2"}}, ""},
		"two payers":       {[]string{"A=1,=2"}, []string{"B=3"}, []directory.ProviderNumber{{PayerID: "A", Number: "1,=2"}, {PayerID: "B", LocationNumber: "3"}}, ""},
		"no payer":         {[]string{"1"}, nil, nil, `--provider-number "1" is not PAYER=NUMBER`},
		"an empty payer":   {nil, []string{"=1"}, nil, `--location-number "=1" is not`},
		"an empty number":  {[]string{"A="}, nil, nil, `"A=" is not`},
		"a payer repeated": {[]string{"A=1", "A=2"}, nil, nil, "--provider-number names A twice"},
	} {
		got, err := providerNumbers(c.numbers, c.locations)
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) || err == nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v, %q", name, got, err, c.want, c.err)
		}
	}
}
