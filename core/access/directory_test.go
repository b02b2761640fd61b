package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// administration is the call of an operator.
func administration[T any](scope billing.Scope, render func(T, error) caller.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: caller.Call{Scope: scope}, Render: render}
}

func good() intake.OfficeRequest {
	return intake.OfficeRequest{
		Name: "Main", NPI: "1234567893", TaxID: "12-3456789", Phone: "(217) 555-0100",
		Address: &intake.AddressInput{Line1: "1 Main Street", City: "Springfield", State: "IL", ZIP: "62701-0001"},
	}
}

func renderOffice(o *directory.Office, _ error) caller.Reply {
	return caller.Reply{Status: 201, Body: []byte(o.ID.String())}
}

func renderProvider(p *directory.Provider, _ error) caller.Reply {
	return caller.Reply{Status: 201, Body: []byte(p.ID.String())}
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
	in.ProviderNumbers = []directory.ProviderNumber{{PayerID: "aetna", Number: "N"}, {PayerID: "UNKNOWN", Number: "N"}, {PayerID: "??", LocationNumber: "L"}}
	_, err := s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	if billing.CodeOf(err) != billing.CodeNotFound || faults(err) != "provider_numbers.1.payer_id not_found, provider_numbers.2.payer_id not_found" {
		t.Errorf("unknown payers: %v, %q", err, faults(err))
	}
	in.ProviderNumbers = []directory.ProviderNumber{{PayerID: "aetna", Number: "N"}, {PayerID: "60054", Number: "M"}}
	_, err = s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	if billing.CodeOf(err) != billing.CodeInvalidRequest || faults(err) != "provider_numbers.1.payer_id conflict" {
		t.Errorf("a payer twice: %v, %q", err, faults(err))
	}
	in.ProviderNumbers = []directory.ProviderNumber{{PayerID: " aetna ", Number: "N"}, {PayerID: "CHTEST", LocationNumber: "L"}}
	_, err = s.CreateOffice(t.Context(), administration(scope, renderOffice), in)
	all, _, err2 := s.ListOffices(t.Context(), scope, billing.Page{Limit: 1})
	want := []directory.ProviderNumber{{PayerID: "60054", Number: "N"}, {PayerID: "CHTEST", LocationNumber: "L"}}
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

// TestChangesOfVerifiedOffices changes the name and the address for payments of a verified
// office of live mode: they wait for the operator, also when other fields change after
// them. What is as verified again does not wait, and an unverified office changes at once.
func TestChangesOfVerifiedOffices(t *testing.T) {
	t.Parallel()
	s, _, c, scope := setup(t)
	live := billing.Scope{Org: scope.Org, Mode: billing.ModeLive}
	if _, err := s.CreateOffice(t.Context(), administration(live, renderOffice), good()); err != nil {
		t.Fatal(err)
	}
	now := func() *directory.Office {
		all, _, err := s.ListOffices(t.Context(), live, billing.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	change := func(by string, in intake.OfficeRequest, fields ...string) {
		in.Given = map[string]bool{}
		for _, f := range fields {
			in.Given[f] = true
		}
		call := administration(live, renderOffice)
		call.Principal.ID = by
		if _, err := s.ChangeOffice(t.Context(), call, now().ID, in); err != nil {
			t.Fatal(err)
		}
	}
	is := func(when, name, waits, by string) {
		t.Helper()
		o := now()
		got, who := "", ""
		if o.Pending != nil {
			got, who = o.Pending.Name+"; "+o.Pending.PayTo.Line1, o.Pending.By
		}
		if o.Name != name || o.PayTo != (directory.Address{}) || got != waits || who != by {
			t.Errorf("%s: %s waits for %q by %q, want %s, %q by %q", when, o.Name, got, who, name, waits, by)
		}
	}
	verify := func() {
		c.Advance(time.Hour)
		if _, err := s.VerifyOffice(t.Context(), now().ID); err != nil {
			t.Fatal(err)
		}
	}
	change("key_1", intake.OfficeRequest{Name: "Before"}, "name")
	is("unverified", "Before", "", "")
	verify()
	change("usr_1", intake.OfficeRequest{Name: "After"}, "name")
	is("a name", "Before", "After; ", "usr_1")
	change("usr_2", intake.OfficeRequest{Phone: "5125550111"}, "phone")
	is("a name, then a phone number", "Before", "After; ", "usr_1")
	elsewhere := &intake.AddressInput{Line1: "9 Far Road", City: "Reno", State: "NV", ZIP: "895010001"}
	change("usr_3", intake.OfficeRequest{PayToAddress: elsewhere}, "pay_to_address")
	is("both", "Before", "After; 9 Far Road", "usr_3")
	change("usr_3", intake.OfficeRequest{Name: "Before"}, "name", "pay_to_address")
	is("as verified again", "Before", "", "")
	if _, err := s.WithdrawOfficeChange(t.Context(), administration(live, renderOffice), now().ID); billing.CodeOf(err) != billing.CodeConflict {
		t.Errorf("nothing to withdraw: %v", err)
	}
	change("usr_1", intake.OfficeRequest{Name: "After"}, "name")
	if _, err := s.WithdrawOfficeChange(t.Context(), administration(live, renderOffice), now().ID); err != nil {
		t.Error(err)
	}
	is("withdrawn", "Before", "", "")
	change("usr_1", intake.OfficeRequest{Name: "After"}, "name")
	was := now().VerifiedAt
	verify()
	if is("verified", "After", "", ""); !now().VerifiedAt.After(was) {
		t.Errorf("verified at %s, before at %s", now().VerifiedAt, was)
	}
	change("usr_1", intake.OfficeRequest{Name: "Another", NPI: "1111111112"}, "name", "npi")
	if is("another NPI", "Another", "", ""); !now().VerifiedAt.IsZero() {
		t.Error("an office with another NPI is still verified")
	}
}
