package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

const practiceName = "Zahnärzte & Co"

func (b *scoped) organization() *caller.Organization {
	o := &caller.Organization{ID: b.scope.Org, Name: practiceName, CreatedAt: b.now}
	b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.Orgs.Insert(ctx, o) })
	return o
}

func testOrganizations(b *scoped) {
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
		equal(t, "organizations", all, []*caller.Organization{o})
		return err
	})
	elsewhere := newScope()
	b.practice(elsewhere.Org)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Organization.Lock(ctx)
		equal(t, "own organization", got, o)
		if read, err := tx.Organization.Get(ctx); err != nil || *read != *o {
			t.Errorf("own organization %+v, %v", read, err)
		}
		o.RequireTOTP, o.EndpointsNeedRead = true, true
		return errors.Join(err, tx.Organization.Save(ctx, o))
	})
	if err := b.try(elsewhere, func(ctx context.Context, tx ports.Tx) error {
		return tx.Organization.Save(ctx, &caller.Organization{ID: o.ID})
	}); err != nil {
		t.Fatal(err)
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.Orgs.Get(ctx, o.ID)
		equal(t, "the organization after another one's change", got, o)
		return err
	})
}

func testOffices(b *scoped) {
	t := b.t
	b.organization()
	first := &directory.Office{
		ID: id[billing.OfficeID](), Scope: b.scope, Name: "Main", NPI: "1234567893", TaxID: "123456789", Phone: "5125550100",
		Address:  directory.Address{Line1: "1 Main St", Line2: "#2", City: "Austin", State: "TX", ZIP: "787010001"},
		TimeZone: "America/Chicago", CreatedAt: b.now, VerifiedAt: b.now.Add(time.Minute),
		OfficeDetails: directory.OfficeDetails{
			Entity: directory.EntityPerson, FirstName: "Ana", LastName: "Diaz", Taxonomy: "122300000X", ContactName: "Billing",
			PayTo:           directory.Address{Line1: "P.O. Box 1", City: "Austin", State: "TX", ZIP: "787010001"},
			ProviderNumbers: []directory.ProviderNumber{{PayerID: "CHTEST", Number: "N-1", LocationNumber: "L-1"}},
		},
	}
	second := &directory.Office{ID: id[billing.OfficeID](), Scope: b.scope, Name: "Branch", TaxID: "12-3456789", CreatedAt: b.now.Add(time.Second)}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Offices.Insert(ctx, second), tx.Offices.Insert(ctx, first), tx.Providers.Insert(ctx, &directory.Provider{
			ID: id[billing.ProviderID](), Scope: b.scope, FirstName: "Ana", LastName: "Diaz", NPI: "1234567893", Taxonomy: "122300000X", CreatedAt: b.now,
		}))
	})
	equal(t, "office", read(b, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) {
		return tx.Offices.Get(ctx, first.ID)
	}), first)
	equal(t, "offices", read(b, func(ctx context.Context, tx ports.Tx) ([]*directory.Office, error) {
		return tx.Offices.List(ctx, billing.Page{Limit: 10})
	}), []*directory.Office{second, first})
	b.numbered(first, second)
	b.foundByOperators(first)
	b.officesAreSaved(first, second)
	b.providersAreSaved()
}

// providersAreSaved changes every field of a provider. A retired one is not the
// default.
func (b *scoped) providersAreSaved() {
	get := func(id billing.ProviderID) *directory.Provider {
		return read(b, func(ctx context.Context, tx ports.Tx) (*directory.Provider, error) { return tx.Providers.Get(ctx, id) })
	}
	oldest := get(billing.ProviderID{})
	next := *oldest
	next.ID, next.CreatedAt = id[billing.ProviderID](), oldest.CreatedAt.Add(time.Second)
	want := Filled[directory.Provider](b.t)
	want.ID, want.Scope, want.CreatedAt, want.Retired = oldest.ID, oldest.Scope, oldest.CreatedAt, true
	b.in(func(ctx context.Context, tx ports.Tx) error {
		p, err := tx.Providers.Lock(ctx, oldest.ID)
		if err != nil {
			return err
		}
		*p = want
		return errors.Join(tx.Providers.Insert(ctx, &next), tx.Providers.Save(ctx, p))
	})
	equal(b.t, "saved provider", get(oldest.ID), &want)
	equal(b.t, "default provider", get(billing.ProviderID{}), &next)
	b.absent("an absent provider to lock", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Providers.Lock(ctx, id[billing.ProviderID]())
	})
}

// officesAreSaved changes every field of an office, and no other office.
func (b *scoped) officesAreSaved(first, second *directory.Office) {
	want := Filled[directory.Office](b.t)
	want.ID, want.Scope, want.CreatedAt = second.ID, second.Scope, second.CreatedAt
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Offices.Lock(ctx, second.ID)
		if err != nil {
			return err
		}
		*got = want
		return tx.Offices.Save(ctx, got)
	})
	for _, o := range []*directory.Office{first, &want} {
		equal(b.t, "saved office", read(b, func(ctx context.Context, tx ports.Tx) (*directory.Office, error) { return tx.Offices.Get(ctx, o.ID) }), o)
	}
	equal(b.t, "offices with a change that waits", read(b, func(ctx context.Context, tx ports.Tx) ([]*directory.Office, error) {
		return tx.Totals.PendingOffices(ctx)
	}), []*directory.Office{&want})
	b.absent("an absent office to lock", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Offices.Lock(ctx, id[billing.OfficeID]())
	})
}

// numbered finds offices of the scope by their numbers. Another scope has
// offices with the same numbers.
func (b *scoped) numbered(first, second *directory.Office) {
	t, in := b.t, b.scope
	twin := *first
	twin.ID, twin.Scope = id[billing.OfficeID](), newScope()
	b.scope = twin.Scope
	b.organization()
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Offices.Insert(ctx, &twin) })
	b.scope = in
	for name, test := range map[string]struct {
		npi, taxID string
		want       []*directory.Office
	}{
		"NPI":                     {first.NPI, "999999999", []*directory.Office{first}},
		"tax ID":                  {"", "12 3456789", []*directory.Office{first, second}},
		"tax ID, NPI of none":     {"1992999999", "123456789", []*directory.Office{first, second}},
		"neither":                 {"", "", nil},
		"none that anybody knows": {"1992999999", "999999999", nil},
	} {
		got := read(b, func(ctx context.Context, tx ports.Tx) ([]*directory.Office, error) {
			return tx.Offices.Numbered(ctx, test.npi, test.taxID)
		})
		if len(got)+len(test.want) > 0 {
			equal(t, name, got, test.want)
		}
	}
}

// foundByOperators finds an office of any organization.
func (b *scoped) foundByOperators(want *directory.Office) {
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.Orgs.Office(ctx, want.ID)
		equal(b.t, "office of any organization", got, want)
		_, absent := tx.Orgs.Office(ctx, id[billing.OfficeID]())
		wantCode(b.t, "an absent office", absent, billing.CodeNotFound)
		return err
	})
}

func (b *scoped) person() directory.Patient {
	return directory.Patient{
		ID: id[billing.PatientID](), Scope: b.scope, FirstName: "Zoë", LastName: "O'Brien",
		DateOfBirth: billing.Date{Year: 1980, Month: 2, Day: 29}, CreatedAt: b.now,
	}
}

func (b *scoped) find(name string, p directory.Patient) (billing.PatientID, error) {
	found, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) ([]billing.PatientID, error) {
		return tx.Patients.Find(ctx, []directory.Person{{Key: name, Patient: p}})
	})
	if err != nil {
		return billing.PatientID{}, err
	}
	return found[0], nil
}

// testPatientsTogether finds several people at once: a known one, a new one
// twice, and one more.
func testPatientsTogether(b *scoped) {
	t := b.t
	known, fresh, again, other := b.person(), b.person(), b.person(), b.person()
	if _, err := b.find("zoe|obrien", known); err != nil {
		t.Fatal(err)
	}
	var got []billing.PatientID
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		got, err = tx.Patients.Find(ctx, []directory.Person{
			{Key: "ann|lee", Patient: fresh}, {Key: "zoe|obrien", Patient: b.person()}, {Key: "ann|lee", Patient: again}, {Key: "al|o", Patient: other},
		})
		return err
	})
	if len(got) != 4 || got[0] != got[2] || got[0] != fresh.ID && got[0] != again.ID || got[1] != known.ID || got[3] != other.ID {
		t.Errorf("found %v", got)
	}
}

// testBackground finds people with the last answer of a payer about each.
func testBackground(b *scoped) {
	t := b.t
	person, key := b.person(), "zoe|obrien"
	patient, err := b.find(key, person)
	if err != nil {
		t.Fatal(err)
	}
	var last *coverage.Check
	for n := range 3 { // the third is of another payer
		c := b.answered(n)
		c.PatientID, c.Benefits = patient, []byte(`{"n":`+strconv.Itoa(n)+`}`)
		c.Payer.ID = billing.PayerID{byte(7 + n/2)}
		b.insert(c)
		if n == 1 {
			last = c
		}
	}
	rejected := b.answered(3)
	rejected.PatientID, rejected.Payer.ID, rejected.Status, rejected.Benefits = patient, last.Payer.ID, "", nil
	rejected.Outcome, rejected.Rejection = coverage.OutcomeRejected, &coverage.Rejection{Kind: coverage.RejectionRejected}
	b.insert(rejected)
	var got []coverage.Background
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		got, err = tx.PendingChecks.Background(ctx, []directory.Person{
			{Key: key, Patient: b.person()}, {Key: "al|o", Patient: b.person()}, {Key: key, Patient: b.person()}, {Key: key, Patient: b.person()},
		}, []billing.PayerID{last.Payer.ID, last.Payer.ID, {8}, {9}})
		return err
	})
	if len(got) != 4 {
		t.Fatal(got)
	}
	if k := got[0]; k.Patient != patient || k.Check != last.ID || k.Status != last.Status || string(k.Benefits) != `{"n":1}` {
		t.Errorf("the last answer is %+v", k)
	}
	if k := got[1]; k.Patient == patient || k.Patient.IsZero() || !k.Check.IsZero() {
		t.Errorf("someone new has %+v", k)
	}
	if k := got[2]; k.Patient != patient || string(k.Benefits) != `{"n":2}` {
		t.Errorf("another payer's answer is %+v", k)
	}
	if k := got[3]; k.Patient != patient || !k.Check.IsZero() || k.Benefits != nil {
		t.Errorf("a payer that was not asked has %+v", k)
	}
}

func testPatients(b *scoped) {
	t := b.t
	first, again, twin := b.person(), b.person(), b.person()
	twin.DateOfBirth.Day = 28
	for _, test := range []struct {
		name string
		p    directory.Patient
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

func testPatientRace(b *scoped) {
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

// testSearch finds patients and claims by what a person types.
func testSearch(b *scoped) {
	zoe, cruz, twin, ann, stranger := b.person(), b.person(), b.person(), b.person(), b.person()
	ann.FirstName, ann.LastName, ann.DateOfBirth = "Mary Ann", "Garcia-Lopez", billing.Date{Year: 1885, Month: 2, Day: 3}
	cruz.FirstName, cruz.LastName, cruz.DateOfBirth = "María José", "de la Cruz", billing.Date{Year: 1985, Month: 2, Day: 3}
	twin.FirstName, twin.LastName, stranger.Scope = "Obi", "Zoll", b.others()[0]
	cruz.CreatedAt, twin.CreatedAt, ann.CreatedAt = zoe.CreatedAt.Add(time.Second), zoe.CreatedAt.Add(2*time.Second), zoe.CreatedAt.Add(3*time.Second)
	for n, p := range []directory.Patient{zoe, cruz, twin, ann, stranger} {
		if _, err := try(b, p.Scope, func(ctx context.Context, tx ports.Tx) ([]billing.PatientID, error) {
			return tx.Patients.Find(ctx, []directory.Person{{Key: "key " + strconv.Itoa(n), Patient: p}})
		}); err != nil {
			b.t.Fatal(err)
		}
	}
	first, second, other := b.claim(1), b.claim(2), b.claim(3)
	first.PatientID, first.Subscriber.MemberID, first.PatientControlNumber = zoe.ID, "Abc-77", "Pcn-1"
	second.PatientID, second.Subscriber.MemberID, second.Kind = cruz.ID, "X1", claim.KindPredetermination
	other.PatientID, other.Subscriber.MemberID = billing.PatientID{}, "aBC-77"
	b.insertClaims(first, second, other)
	checked, later := b.check(1), b.check(2)
	checked.PatientID, checked.Inquiry.Subscriber.MemberID = twin.ID, "Chk-9"
	later.Inquiry.Subscriber.MemberID = "CHK-8"
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Checks.Insert(ctx, checked), tx.Checks.Insert(ctx, later))
	})
	for text, want := range map[string]struct {
		patients []billing.PatientID
		claims   []billing.ClaimID
	}{
		"zo":                   {[]billing.PatientID{twin.ID, zoe.ID}, []billing.ClaimID{first.ID}},
		"ZOË":                  {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"obrien":               {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"o'b zoe":              {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"zoe o'b":              {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"O'Brien, Z":           {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"Z, O'Brien":           {},
		"O'Brien,":             {[]billing.PatientID{zoe.ID}, []billing.ClaimID{first.ID}},
		"brien":                {},
		"lopez garcia":         {[]billing.PatientID{ann.ID}, nil},
		"garcia‐lopez":         {[]billing.PatientID{ann.ID}, nil}, // with the hyphen of printers
		"lop MARY gar a":       {[]billing.PatientID{ann.ID}, nil},
		"maryann":              {[]billing.PatientID{ann.ID}, nil},
		"garcialopez":          {[]billing.PatientID{ann.ID}, nil},
		"opez":                 {},
		"arcia lopez":          {},
		"mary garcia smith":    {},
		"lopez, ann":           {[]billing.PatientID{ann.ID}, nil},
		"ann, lopez":           {},
		"ma":                   {[]billing.PatientID{ann.ID, cruz.ID}, []billing.ClaimID{second.ID}},
		"2/3/85":               {[]billing.PatientID{ann.ID, cruz.ID}, []billing.ClaimID{second.ID}},
		"2/3/85 garcia":        {[]billing.PatientID{ann.ID}, nil},
		"jose 02/03/85":        {[]billing.PatientID{cruz.ID}, []billing.ClaimID{second.ID}},
		"de la cruz, m 2/3/85": {[]billing.PatientID{cruz.ID}, []billing.ClaimID{second.ID}},
		"m, cruz 2/3/85":       {},
		"maria de la c":        {[]billing.PatientID{cruz.ID}, []billing.ClaimID{second.ID}},
		"maria jose d":         {[]billing.PatientID{cruz.ID}, []billing.ClaimID{second.ID}},
		"02/29/1980":           {[]billing.PatientID{twin.ID, zoe.ID}, []billing.ClaimID{first.ID}},
		"obi 1980-02-29":       {[]billing.PatientID{twin.ID}, nil},
		"cruz 1980-02-29":      {},
		"abc-77":               {[]billing.PatientID{zoe.ID}, []billing.ClaimID{other.ID, first.ID}},
		"pcn-1":                {nil, []billing.ClaimID{first.ID}},
		"abc-7":                {[]billing.PatientID{zoe.ID}, []billing.ClaimID{other.ID, first.ID}},
		"aBC":                  {[]billing.PatientID{zoe.ID}, []billing.ClaimID{other.ID, first.ID}},
		"ab":                   {},
		"bc-77":                {},
		"chk-9":                {[]billing.PatientID{twin.ID}, nil}, // of a check
		"chk":                  {[]billing.PatientID{twin.ID}, nil},
		"x1":                   {[]billing.PatientID{cruz.ID}, []billing.ClaimID{second.ID}},
		"pcn":                  {nil, []billing.ClaimID{first.ID}},
		"cn-1":                 {},
		"%":                    {},
		"zo_":                  {[]billing.PatientID{twin.ID, zoe.ID}, []billing.ClaimID{first.ID}},
		"1980-02-29 no such":   {},
	} {
		what := billing.ParseSearch(text)
		var people []*directory.Patient
		var claims []*claim.Record
		b.in(func(ctx context.Context, tx ports.Tx) error {
			ids, more, err := tx.Patients.Search(ctx, what)
			if err != nil {
				return err
			}
			equal(b.t, text+": more", more, false)
			if people, err = tx.Patients.Read(ctx, ids, billing.Page{Limit: 10}); err == nil {
				claims, more, err = tx.Claims.Search(ctx, what, ids, billing.Page{Limit: 10})
				equal(b.t, text+": more claims", more, false)
			}
			return err
		})
		var patientIDs []billing.PatientID
		for _, p := range people {
			patientIDs = append(patientIDs, p.ID)
		}
		var claimIDs []billing.ClaimID
		for _, c := range claims {
			claimIDs = append(claimIDs, c.ID)
		}
		equal(b.t, text+": patients", patientIDs, want.patients)
		equal(b.t, text+": claims", claimIDs, want.claims)
	}
	all := walk(2, func(p billing.Page) []*directory.Patient {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*directory.Patient, error) { return tx.Patients.List(ctx, p) })
	}, func(p *directory.Patient) billing.Position { return billing.Position{Time: p.CreatedAt, ID: p.ID} }, func() {})
	equal(b.t, "all", all, []*directory.Patient{&ann, &twin, &cruz, &zoe})
}

// testSearchLetters finds names whose apostrophes and letters are written in another way than
// they are typed.
func testSearchLetters(b *scoped) {
	for stored, typed := range map[string][]string{
		"O’Neill":      {"oneill", "o'neill", "o´neill", "O\u2018Neill"},
		"OʼNeillan":    {"oneillan", "o’neillan"},
		"O´Neillard":   {"oneillard", "o'neillard", "o`neillard"},
		"O`Neillson":   {"oneillson", "o’neillson"},
		"Oʻahumoku":    {"oahumoku"},
		"Łukasz":       {"lukasz", "LUKASZ", "łukasz"},
		"Ŀuçıngor":     {"lucingor", "lucıngor"},
		"Søndergård":   {"sondergard", "SØNDERGÅRD"},
		"Weißenbach":   {"weissenb", "WEISSENBACH", "WEIẞENBACH"},
		"Æblegaard":    {"aeblegaard", "æblegaard"},
		"Œuvrardot":    {"oeuvrardot"},
		"Đukanović":    {"dukanovic", "đukanović"},
		"Þórðarson":    {"thordarson", "ÞÓRÐ"},
		"Ŋgũgĩħŧo":     {"ngugihto"},
		"Nuñez‐Ibáñez": {"nunezibanez", "ibanez nunez"},
	} {
		p := b.person()
		p.FirstName, p.LastName = "Kai", stored
		if _, err := b.find(stored, p); err != nil {
			b.t.Fatal(err)
		}
		for _, text := range typed {
			b.in(func(ctx context.Context, tx ports.Tx) error {
				ids, _, err := tx.Patients.Search(ctx, billing.ParseSearch(text+", k"))
				if !slices.Contains(ids, p.ID) {
					b.t.Errorf("%s does not find %s", text, stored)
				}
				return err
			})
		}
	}
}

// testSearchLimit finds no more patients, and no more claims by the start of their
// numbers, than a search may, and reports that there are more.
func testSearchLimit(b *scoped) {
	const most = 200
	var people []directory.Person
	var many []*claim.Claim
	for n := range most + 1 {
		p := b.person()
		p.FirstName = "Zoë " + strconv.Itoa(n)
		people = append(people, directory.Person{Key: strconv.Itoa(n), Patient: p})
		c := b.claim(n)
		c.PatientControlNumber = fmt.Sprintf("Many-%03d", n)
		many = append(many, c)
	}
	b.insertClaims(many...)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Patients.Find(ctx, people)
		return err
	})
	for text, want := range map[string]struct {
		patients, claims int
		more             bool
	}{
		"obrien":   {most, 0, true},
		"zoe 7":    {11, 0, false}, // 7, and 70 to 79
		"many-":    {0, most, true},
		"many-19":  {0, 10, false},
		"many-199": {0, 1, false},
	} {
		what := billing.ParseSearch(text)
		b.in(func(ctx context.Context, tx ports.Tx) error {
			patients, more, err := tx.Patients.Search(ctx, what)
			if err != nil {
				return err
			}
			claims, moreClaims, err := tx.Claims.Search(ctx, what, nil, billing.Page{Limit: 2 * most})
			equal(b.t, text+": patients", len(patients), want.patients)
			equal(b.t, text+": claims", len(claims), want.claims)
			equal(b.t, text+": more", more || moreClaims, want.more)
			return err
		})
	}
}
