package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// administration is the call of an operator.
func administration[T any](scope billing.Scope, render func(T, error) billing.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: billing.Call{Scope: scope}, Render: render}
}

func good() intake.OfficeRequest {
	return intake.OfficeRequest{
		Name: "Main", NPI: "1234567893", TaxID: "12-3456789", Phone: "(217) 555-0100",
		Address: &intake.AddressInput{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "62701-0001"},
	}
}

func renderOffice(o *billing.Office, _ error) billing.Reply {
	return billing.Reply{Status: 201, Body: []byte(o.ID.String())}
}

func renderProvider(p *billing.Provider, _ error) billing.Reply {
	return billing.Reply{Status: 201, Body: []byte(p.ID.String())}
}

// faults returns the faults of an error, field by field.
func faults(err error) string {
	var words []string
	if e, ok := errors.AsType[*billing.Error](err); ok {
		for _, f := range e.Faults {
			words = append(words, f.Field+" "+string(f.Code))
		}
	}
	return strings.Join(words, ", ")
}

// TestOfficeNumbers names payers by their aliases.
func TestOfficeNumbers(t *testing.T) {
	t.Parallel()
	s, _, _, scope := setup(t)
	in := good()
	in.ProviderNumbers = []billing.ProviderNumber{{PayerID: "aetna", Number: "N"}, {PayerID: "UNKNOWN", Number: "N"}, {PayerID: "??", LocationNumber: "L"}}
	_, err := s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	if billing.CodeOf(err) != billing.CodeNotFound || faults(err) != "provider_numbers.1.payer_id not_found, provider_numbers.2.payer_id not_found" {
		t.Errorf("unknown payers: %v, %q", err, faults(err))
	}
	in.ProviderNumbers = []billing.ProviderNumber{{PayerID: "aetna", Number: "N"}, {PayerID: "60054", Number: "M"}}
	_, err = s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	if billing.CodeOf(err) != billing.CodeInvalidRequest || faults(err) != "provider_numbers.1.payer_id conflict" {
		t.Errorf("a payer twice: %v, %q", err, faults(err))
	}
	in.ProviderNumbers = []billing.ProviderNumber{{PayerID: " aetna ", Number: "N"}, {PayerID: "CHTEST", LocationNumber: "L"}}
	_, err = s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	all, _, err2 := s.ListOffices(t.Context(), scope, billing.Page{Limit: 1})
	want := []billing.ProviderNumber{{PayerID: "60054", Number: "N"}, {PayerID: "CHTEST", LocationNumber: "L"}}
	if err := errors.Join(err, err2); err != nil || !slices.Equal(all[0].ProviderNumbers, want) {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestVerifyOffice verifies offices of live mode, which only the operator can;
// test offices are verified.
func TestVerifyOffice(t *testing.T) {
	t.Parallel()
	s, _, c, scope := setup(t)
	for mode, verified := range map[billing.Mode]bool{billing.ModeTest: true, billing.ModeLive: false} {
		there := billing.Scope{Org: scope.Org, Mode: mode}
		_, err := s.CreateOffice(t.Context(), administration(there, renderOffice), good())
		all, _, err2 := s.ListOffices(t.Context(), there, billing.Page{Limit: 1})
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		made := all[0]
		if made.VerifiedAt.Equal(made.CreatedAt) != verified || made.VerifiedAt.IsZero() == verified {
			t.Fatalf("in %s mode: %+v, %v", mode, made, err)
		}
		at := c.Now().Add(time.Hour)
		if verified {
			at = made.VerifiedAt
		}
		for range 2 {
			c.Advance(time.Hour)
			o, err := s.VerifyOffice(t.Context(), made.ID)
			if err != nil || o.ID != made.ID || !o.VerifiedAt.Equal(at.Truncate(time.Microsecond)) {
				t.Errorf("in %s mode: %+v, %v; want it verified at %s", mode, o, err, at)
			}
		}
	}
	if _, err := s.VerifyOffice(t.Context(), billing.OfficeID{1}); billing.CodeOf(err) != billing.CodeNotFound || faults(err) != "id not_found" {
		t.Errorf("an absent one: %v", err)
	}
}
