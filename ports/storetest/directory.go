package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

func (b *bench) organization() *billing.Organization {
	o := &billing.Organization{ID: b.scope.Org, Name: "Zahnärzte & Co", CreatedAt: b.now}
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Orgs.Insert(ctx, o) })
	return o
}

func testOrganizations(b *bench) {
	t := b.t
	o := b.organization()
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.Orgs.Get(ctx, o.ID)
		equal(t, "organization", got, o)
		if err != nil {
			return err
		}
		_, err = tx.Orgs.Get(ctx, id[billing.OrgID]())
		wantCode(t, "an absent organization", err, billing.CodeNotFound)
		all, err := tx.Orgs.List(ctx)
		equal(t, "organizations", all, []*billing.Organization{o})
		return err
	})
}

func testOffices(b *bench) {
	t := b.t
	b.organization()
	first := &billing.Office{
		ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", NPI: "1234567893", TaxID: "123456789", Phone: "5125550100",
		Address:  billing.Address{Line1: "1 Main St", Line2: "#2", City: "Austin", State: "TX", ZIP: "787010001"},
		TimeZone: "America/Chicago", CreatedAt: b.now, VerifiedAt: b.now.Add(time.Minute),
	}
	second := &billing.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Branch", TaxID: "12-3456789", CreatedAt: b.now.Add(time.Second)}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, second), tx.Offices.Insert(ctx, first), tx.Providers.Insert(ctx, &billing.Provider{
			ID: id[billing.ProviderID](), Scope: b.scope, FirstName: "Ana", LastName: "Diaz", NPI: "1234567893", Taxonomy: "122300000X", CreatedAt: b.now,
		}))
	})
	equal(t, "office", read(b, func(ctx context.Context, tx ports.Tx) (*billing.Office, error) { return tx.Offices.Get(ctx, first.ID) }), first)
	equal(t, "offices", read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.Office, error) {
		return tx.Offices.List(ctx, billing.Page{Limit: 10})
	}), []*billing.Office{second, first})
	b.numbered(first, second)
	b.verify(second, first)
}

// numbered finds offices of the scope by their numbers. Another scope has
// offices with the same numbers.
func (b *bench) numbered(first, second *billing.Office) {
	t, in := b.t, b.scope
	twin := *first
	twin.ID, twin.Scope = id[billing.OfficeID](), newScope()
	b.scope = twin.Scope
	b.organization()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, &twin) })
	b.scope = in
	for name, test := range map[string]struct {
		npi, taxID string
		want       []*billing.Office
	}{
		"NPI":                     {first.NPI, "999999999", []*billing.Office{first}},
		"tax ID":                  {"", "12 3456789", []*billing.Office{first, second}},
		"tax ID, NPI of none":     {"1992999999", "123456789", []*billing.Office{first, second}},
		"neither":                 {"", "", nil},
		"none that anybody knows": {"1992999999", "999999999", nil},
	} {
		got := read(b, func(ctx context.Context, tx ports.Tx) ([]*billing.Office, error) {
			return tx.Offices.Numbered(ctx, test.npi, test.taxID)
		})
		if len(got)+len(test.want) > 0 {
			equal(t, name, got, test.want)
		}
	}
}

// verify verifies an office. A verified one does not change.
func (b *bench) verify(fresh, verified *billing.Office) {
	t, at := b.t, b.now.Add(time.Hour)
	now := *fresh
	now.VerifiedAt = at
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for what, want := range map[string]*billing.Office{"verified": &now, "verified before": verified} {
			got, err := tx.Orgs.VerifyOffice(ctx, want.ID, at)
			if err != nil {
				return err
			}
			equal(t, what, got, want)
		}
		_, err := tx.Orgs.VerifyOffice(ctx, id[billing.OfficeID](), at)
		wantCode(t, "an absent office", err, billing.CodeNotFound)
		return nil
	})
	equal(t, "office", read(b, func(ctx context.Context, tx ports.Tx) (*billing.Office, error) { return tx.Offices.Get(ctx, fresh.ID) }), &now)
}

func (b *bench) person() billing.Patient {
	return billing.Patient{
		ID: id[billing.PatientID](), Scope: b.scope, FirstName: "Zoë", LastName: "O'Brien",
		DateOfBirth: billing.Date{Year: 1980, Month: 2, Day: 29}, CreatedAt: b.now,
	}
}

func (b *bench) find(name string, p billing.Patient) (billing.PatientID, error) {
	found, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) ([]billing.PatientID, error) {
		return tx.Patients.Find(ctx, []billing.Person{{Key: name, Patient: p}})
	})
	if err != nil {
		return billing.PatientID{}, err
	}
	return found[0], nil
}

// testPatientsTogether finds several people at once: a known one, a new one
// twice, and one more.
func testPatientsTogether(b *bench) {
	t := b.t
	known, fresh, again, other := b.person(), b.person(), b.person(), b.person()
	if _, err := b.find("zoe|obrien", known); err != nil {
		t.Fatal(err)
	}
	var got []billing.PatientID
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		got, err = tx.Patients.Find(ctx, []billing.Person{
			{Key: "ann|lee", Patient: fresh}, {Key: "zoe|obrien", Patient: b.person()}, {Key: "ann|lee", Patient: again}, {Key: "al|o", Patient: other},
		})
		return err
	})
	if len(got) != 4 || got[0] != got[2] || got[0] != fresh.ID && got[0] != again.ID || got[1] != known.ID || got[3] != other.ID {
		t.Errorf("found %v", got)
	}
}

func testPatients(b *bench) {
	t := b.t
	first, again, twin := b.person(), b.person(), b.person()
	twin.DateOfBirth.Day = 28
	for _, test := range []struct {
		name string
		p    billing.Patient
		want billing.PatientID
	}{
		{"zoe|obrien", first, first.ID},
		{"zoe|obrien", again, first.ID},
		{"zoe|obrien", twin, twin.ID},
		{"zoo|obrien", again, again.ID},
	} {
		got, err := b.find(test.name, test.p)
		if err != nil || got != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, got, err, test.want)
		}
	}
}

func testPatientRace(b *bench) {
	t := b.t
	const callers = 8
	var found [callers]billing.PatientID
	b.race(times(callers, func(n int) (err error) {
		found[n], err = b.find("same|person", b.person())
		return err
	})...)
	for _, id := range found {
		equal(t, "patient", id, found[0])
	}
}
