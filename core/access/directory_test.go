package access_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func call(key string) billing.Request { return billing.Request{Key: key, Fingerprint: [32]byte{1}} }

// write is a call whose reply is rendered by render.
func write[T any](scope billing.Scope, req billing.Request, render func(T, error) billing.Reply) idempotency.Write[T] {
	return idempotency.Write[T]{Call: billing.Call{Scope: scope, Request: req}, Render: render}
}

// administration is the call of an operator.
func administration[T any](scope billing.Scope, render func(T, error) billing.Reply) idempotency.Write[T] {
	return write(scope, billing.Request{}, render)
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

func TestCreateOffice(t *testing.T) {
	t.Parallel()
	s, _, c, scope := setup(t)
	first, err := s.CreateOffice(t.Context(), write(scope, call("k"), renderOffice), good())
	if err != nil || first.Replayed {
		t.Fatalf("replayed %t, %v", first.Replayed, err)
	}
	again, err := s.CreateOffice(t.Context(), write(scope, call("k"), renderOffice), good())
	if err != nil || !again.Replayed || string(again.Body) != string(first.Body) {
		t.Errorf("again: %s, replayed %t, %v; want %s", again.Body, again.Replayed, err, first.Body)
	}
	other := call("k")
	other.Fingerprint = [32]byte{2}
	if _, err := s.CreateOffice(t.Context(), write(scope, other, renderOffice), good()); billing.CodeOf(err) != billing.CodeIdempotencyKeyReused {
		t.Errorf("another office with the key: %v", err)
	}
	all, next, err := s.ListOffices(t.Context(), scope, billing.Page{Limit: 10})
	if err != nil || len(all) != 1 || next != nil {
		t.Fatalf("offices %v, %v, %v; want one", all, next, err)
	}
	want, _ := good().Office()
	want.ID, want.Scope, want.CreatedAt = all[0].ID, scope, c.Now().UTC().Truncate(time.Microsecond)
	want.VerifiedAt = want.CreatedAt
	if *all[0] != want || want.ID.String() != string(first.Body) {
		t.Errorf("%+v, want %+v", *all[0], want)
	}
	live := billing.Scope{Org: scope.Org, Mode: billing.ModeLive}
	if all, _, err := s.ListOffices(t.Context(), live, billing.Page{Limit: 10}); err != nil || len(all) != 0 {
		t.Errorf("in another mode %v, %v", all, err)
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

// TestRefusedOffices reports every fault of an office, under a key and without
// one. A refused request does not use up its key.
func TestRefusedOffices(t *testing.T) {
	t.Parallel()
	s, _, _, scope := setup(t)
	in := intake.OfficeRequest{NPI: "1", Faults: billing.Faults{{Field: "name", Code: billing.FaultType}}}
	for _, key := range []string{"k", ""} {
		if _, err := s.CreateOffice(t.Context(), write(scope, call(key), renderOffice), in); faults(err) != "name type, npi format" {
			t.Errorf("with the key %q: %v", key, err)
		}
	}
	if r, err := s.CreateOffice(t.Context(), write(scope, call("k"), renderOffice), good()); err != nil || r.Replayed {
		t.Errorf("the key of a refusal: replayed %t, %v", r.Replayed, err)
	}
}

func TestCreateProvider(t *testing.T) {
	t.Parallel()
	s, store, c, scope := setup(t)
	in := intake.ProviderRequest{FirstName: "Ann", LastName: "Lee", NPI: "1234567893"}
	first, err := s.CreateProvider(t.Context(), write(scope, call("k"), renderProvider), in)
	if err != nil || first.Replayed {
		t.Fatalf("replayed %t, %v", first.Replayed, err)
	}
	again, err := s.CreateProvider(t.Context(), write(scope, call("k"), renderProvider), in)
	if err != nil || !again.Replayed || string(again.Body) != string(first.Body) {
		t.Errorf("again: %s, replayed %t, %v", again.Body, again.Replayed, err)
	}
	var have *billing.Provider
	err = store.View(t.Context(), scope, func(ctx context.Context, tx ports.Tx) (err error) {
		have, err = tx.Providers.Get(ctx, billing.ProviderID{}) // the oldest
		return err
	})
	want, _ := in.Provider()
	want.Scope, want.CreatedAt = scope, c.Now().UTC().Truncate(time.Microsecond)
	if err != nil || have.ID.String() != string(first.Body) {
		t.Fatalf("%+v, %v", have, err)
	}
	if want.ID = have.ID; *have != want {
		t.Errorf("%+v, want %+v", *have, want)
	}
	in = intake.ProviderRequest{LastName: "Lee", Faults: billing.Faults{{Field: "npi", Code: billing.FaultType}}}
	for _, key := range []string{"refused", ""} {
		if _, err := s.CreateProvider(t.Context(), write(scope, call(key), renderProvider), in); faults(err) != "npi type, first_name required" {
			t.Errorf("with the key %q: %v", key, err)
		}
	}
}

// TestOneKeyAtOnce creates offices and providers under one key each, many times
// at once.
func TestOneKeyAtOnce(t *testing.T) {
	t.Parallel()
	s, _, _, scope := setup(t)
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			var err error
			if n%2 == 0 {
				_, err = s.CreateOffice(t.Context(), write(scope, call("office"), renderOffice), good())
			} else {
				in := intake.ProviderRequest{FirstName: "Ann", LastName: "Lee", NPI: "1234567893"}
				_, err = s.CreateProvider(t.Context(), write(scope, call("provider"), renderProvider), in)
			}
			if err != nil && billing.CodeOf(err) != billing.CodeIdempotencyKeyInUse {
				t.Error(err)
			}
		})
	}
	all.Wait()
	offices, _, err1 := s.ListOffices(t.Context(), scope, billing.Page{Limit: 100})
	providers, _, err2 := s.ListProviders(t.Context(), scope, billing.Page{Limit: 100})
	if err := errors.Join(err1, err2); err != nil || len(offices) != 1 || len(providers) != 1 {
		t.Errorf("%d offices, %d providers, %v; want one of each", len(offices), len(providers), err)
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	s, _, c, scope := setup(t)
	var offices, providers []string
	for n := range 5 {
		c.Advance(time.Second)
		o, err := s.CreateOffice(t.Context(), administration(scope, renderOffice), good())
		if err != nil {
			t.Fatal(err)
		}
		in := intake.ProviderRequest{FirstName: fmt.Sprint(n), LastName: "Lee", NPI: "1234567893"}
		p, err := s.CreateProvider(t.Context(), administration(scope, renderProvider), in)
		if err != nil {
			t.Fatal(err)
		}
		offices, providers = append([]string{string(o.Body)}, offices...), append([]string{string(p.Body)}, providers...)
	}
	var gotOffices, gotProviders []string
	for p := (billing.Page{Limit: 2}); ; {
		page, next, err := s.ListOffices(t.Context(), scope, p)
		if err != nil || len(page) > 2 {
			t.Fatal(len(page), err)
		}
		for _, o := range page {
			gotOffices = append(gotOffices, o.ID.String())
		}
		if p.After = next; next == nil {
			break
		}
	}
	for p := (billing.Page{Limit: 2}); ; {
		page, next, err := s.ListProviders(t.Context(), scope, p)
		if err != nil || len(page) > 2 {
			t.Fatal(len(page), err)
		}
		for _, o := range page {
			gotProviders = append(gotProviders, o.ID.String())
		}
		if p.After = next; next == nil {
			break
		}
	}
	if fmt.Sprint(gotOffices) != fmt.Sprint(offices) || fmt.Sprint(gotProviders) != fmt.Sprint(providers) {
		t.Errorf("offices %v, want %v; providers %v, want %v", gotOffices, offices, gotProviders, providers)
	}
}

func TestGetPatient(t *testing.T) {
	t.Parallel()
	s, store, c, scope := setup(t)
	want := billing.Patient{
		ID: billing.NewID[billing.PatientID](c.Now()), Scope: scope, FirstName: "Jane", LastName: "Doe",
		DateOfBirth: billing.Date{Year: 1985, Month: time.April, Day: 12}, CreatedAt: c.Now().UTC().Truncate(time.Microsecond),
	}
	porttest.In(t, store, scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, []billing.Person{{Key: "jane|doe", Patient: want}})
		return err
	})
	if got, err := s.GetPatient(t.Context(), scope, want.ID); err != nil || *got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	live := billing.Scope{Org: scope.Org, Mode: billing.ModeLive}
	if _, err := s.GetPatient(t.Context(), live, want.ID); billing.CodeOf(err) != billing.CodeNotFound {
		t.Errorf("in another mode: %v", err)
	}
}
