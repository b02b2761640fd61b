package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports/porttest"
)

func TestOfficesAndProviders(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const office = `{"name":"Söuth <1>","npi":"1234567893","tax_id":"12-3456789","address":{"line1":"1 Main St","line2":"Apt 2","city":"Albany","state":"NY","zip":"12207"},"phone":"518 555 0100","time_zone":"America/Chicago",` +
		`"entity":"person","first_name":"Ana","last_name":"Díaz","taxonomy":"1223G0001X","contact_name":"Bo","provider_numbers":[{"payer_id":"aetna","number":"N-1","location_number":null}],` +
		`"pay_to_address":{"line1":"P.O. Box 1","city":"Albany","state":"NY","zip":"12201"}}`
	c := call{path: "/offices", body: office, idem: "office"}
	made := s.must(t, 201, c)
	made.shows(t, "name", "Söuth <1>", "mode", "test", "npi", "1234567893", "tax_id", "123456789", "phone", "5185550100", "address.line1", "1 Main St",
		"address.line2", "Apt 2", "address.city", "Albany", "address.state", "NY", "address.zip", "12207", "time_zone", "America/Chicago",
		"verified_at", made.get(t, "created_at"), "entity", "person", "first_name", "Ana", "last_name", "Díaz", "taxonomy", "1223G0001X",
		"contact_name", "Bo", "pay_to_address.line1", "P.O. Box 1", "provider_numbers.0.payer_id", "60054", "provider_numbers.0.number", "N-1",
		"provider_numbers.0.location_number", nil)
	if again := s.must(t, 201, c); again.body != made.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %s", again.body)
	}
	bare := s.must(t, 201, call{path: "/offices", body: `{"name":"Bare","npi":"1234567893","address":null,"tax_id":null}`})
	bare.shows(t, "address", nil, "tax_id", nil, "time_zone", some{}, "entity", "organization", "taxonomy", nil, "pay_to_address", nil)
	if got := s.walk(t, "/offices?limit=1"); fmt.Sprint(got) != fmt.Sprint([]string{bare.text(t, "id"), made.text(t, "id"), s.office.String()}) {
		t.Errorf("offices %v", got)
	}
	live := s.must(t, 201, call{path: "/offices", body: office, key: s.live})
	live.shows(t, "mode", "live")

	provider := s.must(t, 201, call{path: "/providers", body: `{"first_name":"Bo","last_name":"Lee","npi":"1234567893","taxonomy":"1223E0200X"}`})
	provider.shows(t, "first_name", "Bo", "last_name", "Lee", "npi", "1234567893", "taxonomy", "1223E0200X", "object", "provider")
	if got := s.walk(t, "/providers?limit=1"); fmt.Sprint(got) != fmt.Sprint([]string{provider.text(t, "id"), s.dentist.String()}) {
		t.Errorf("providers %v", got)
	}
	for _, c := range []struct{ path, body, fields string }{
		{"/offices", `{}`, "name required,npi required"},
		{"/offices", `{"name":1,"npi":2,"address":"x","mode":"test"}`, "name type,npi type,address type,mode unknown"},
		{"/offices", `{"name":"A","npi":"1234567890","address":{"line1":1,"zip":"1","street":"x"}}`, "address.line1 type,address.street unknown,npi format,address.city required,address.state required,address.zip format"},
		{"/offices", `{"name":"A","npi":"1234567893","entity":"x","provider_numbers":[{"id":1},2]}`, "provider_numbers.1 type,provider_numbers.0.id unknown,entity not_allowed,provider_numbers.0.payer_id required,provider_numbers.0.number required"},
		{"/providers", `{"last_name":null,"colour":1}`, "colour unknown,first_name required,last_name required,npi required"},
		{"/offices", `{"name":"A","npi":"1234567893","address":{},"time_zone":""}`, "time_zone required,address.line1 required,address.city required,address.state required,address.zip required"},
	} {
		a := s.do(t, call{method: "POST", path: c.path, body: c.body, bad: true})
		if got := strings.Join(a.fields(t), ","); a.StatusCode != 422 || got != c.fields {
			t.Errorf("%s %s: %d %s, want %s", c.path, c.body, a.StatusCode, got, c.fields)
		}
	}
}

// An office of name and NPI is completed, and its claim is checked again. What was
// sent keeps what it says, and a retired office takes no new claims.
func TestDirectoryChanges(t *testing.T) {
	t.Parallel()
	s := startService(t)
	bare := s.must(t, 201, call{path: "/offices", body: `{"name":"Bare","npi":"1234567893"}`})
	office := "/offices/" + bare.text(t, "id")
	in := func(o anObject) { o["office_id"] = bare.text(t, "id") }
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("OFFICE-1", in)})
	claim.shows(t, "state", "needs_attention", "findings.0.field", "office_id")
	waits := s.must(t, 201, call{path: "/claims", body: s.crown("OFFICE-3", in)})
	codes := func(r response) (all []string) {
		for _, f := range r.get(t, "findings").([]any) {
			all = append(all, f.(map[string]any)["code"].(string))
		}
		return all
	}
	if got := fmt.Sprint(codes(claim)); got != "[office_tax_id office_address office_phone]" {
		t.Errorf("findings %s", got)
	}
	change := call{method: "PATCH", path: office, idem: "complete", body: `{"tax_id":"12-3456789","phone":"518 555 0100","address":{"line1":"1 Main St","city":"Albany","state":"NY","zip":"12207-0001"}}`}
	changed := s.must(t, 200, change)
	changed.shows(t, "name", "Bare", "tax_id", "123456789", "phone", "5185550100", "address.zip", "12207-0001", "retired", false, "verified_at", bare.get(t, "verified_at"))
	if again := s.must(t, 200, change); again.body != changed.body {
		t.Errorf("again %s", again.body)
	}
	if got := s.must(t, 200, call{path: office}); got.body != changed.body {
		t.Errorf("%s, want %s", got.body, changed.body)
	}
	path := "/claims/" + claim.text(t, "id")
	s.must(t, 200, call{method: "PATCH", path: path, body: `{}`}).shows(t, "state", "validated", "findings", []any{})

	s.must(t, 200, call{method: "PATCH", path: office, body: `{"retired":true,"phone":null}`}).shows(t, "retired", true, "phone", nil, "tax_id", "123456789")
	wantFields(t, s.do(t, call{path: "/claims", body: s.crown("OFFICE-2", in)}), "office_id not_allowed")
	s.must(t, 200, call{method: "PATCH", path: "/claims/" + waits.text(t, "id"), body: `{"note":"It was made before."}`}).shows(t, "findings.0.code", "office_phone")
	wantFields(t, s.do(t, call{method: "PATCH", path: office, body: `{"name":" ","npi":null,"color":1}`, bad: true}), "color unknown,name required,npi required")
	wantStatus(t, s.do(t, call{method: "PATCH", path: "/offices/off_00000000000000000000000000", body: `{"phone":null}`}), 404, billing.CodeNotFound)

	live := s.must(t, 201, call{path: "/offices", key: s.live, body: `{"name":"Live","npi":"1234567893"}`})
	if id, err := billing.ParseID[billing.OfficeID](live.text(t, "id")); err != nil {
		t.Fatal(err)
	} else if _, err := s.access.VerifyOffice(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	of := "/offices/" + live.text(t, "id")
	s.must(t, 200, call{method: "PATCH", key: s.live, path: of, body: `{"name":"Live Dental"}`}).shows(t,
		"verified_at", some{}, "name", "Live", "pending_verification.name", "Live Dental", "pending_verification.pay_to_address", nil, "pending_verification.changed_by", some{})
	s.must(t, 200, call{path: "/summary", key: s.live}).shows(t, "pending_offices.0.office_id", live.text(t, "id"), "pending_offices.0.name", "Live")
	s.must(t, 200, call{method: "POST", key: s.live, path: of + "/withdraw_change"}).shows(t, "name", "Live", "pending_verification", nil)
	wantStatus(t, s.do(t, call{method: "POST", key: s.live, path: of + "/withdraw_change"}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: "/summary", key: s.live}).shows(t, "pending_offices", []any{})
	s.must(t, 200, call{method: "PATCH", key: s.live, path: of, body: `{"tax_id":"987654321"}`}).shows(t, "verified_at", nil)

	dentist := s.must(t, 201, call{path: "/providers", body: `{"first_name":"Bo","last_name":"Lee","npi":"1234567893"}`})
	provider := "/providers/" + dentist.text(t, "id")
	s.must(t, 200, call{method: "PATCH", path: provider, body: `{"last_name":"Leigh","retired":true}`}).shows(t, "first_name", "Bo", "last_name", "Leigh", "retired", true)
	s.must(t, 200, call{path: provider}).shows(t, "last_name", "Leigh", "taxonomy", "122300000X")
	by := func(o anObject) { o["rendering_provider_id"] = dentist.text(t, "id") }
	wantFields(t, s.do(t, call{path: "/claims", body: s.crown("PROVIDER-1", by)}), "rendering_provider_id not_allowed")
	oldest := "/providers/" + s.dentist.String()
	s.must(t, 200, call{method: "PATCH", path: oldest, body: `{"retired":true}`})
	s.must(t, 200, call{method: "PATCH", path: provider, body: `{"retired":false}`})
	s.must(t, 201, call{path: "/claims", body: s.crown("PROVIDER-2", nil)}).shows(t, "rendering_provider.id", dentist.text(t, "id"))
}

func TestPayersAndPatients(t *testing.T) {
	t.Parallel()
	s := startService(t)
	payers := porttest.Payers(t)
	var all []string
	for _, p := range payers.All() {
		all = append(all, p.ID.String())
	}
	for _, path := range []string{"/payers?limit=7", "/payers?limit=100", "/payers?limit=1"} {
		if got := s.walk(t, path); !slices.Equal(got, all) {
			t.Errorf("%s: %v", path, got)
		}
	}
	test, _ := payers.Find("CHTEST")
	for _, search := range []string{"chtest", "molar%20TEST", test.ID.String()} {
		if got := s.walk(t, "/payers?limit=1&search="+search); fmt.Sprint(got) != fmt.Sprint([]string{test.ID.String()}) {
			t.Errorf("%s: %v", search, got)
		}
	}
	s.must(t, 200, call{path: "/payers/" + test.ID.String()}).shows(t, "payer_id", "CHTEST", "object", "payer", "filing_indicator", "CI")
	for _, path := range []string{"/payers/CHTEST", "/payers/pyr_00000000000000000000000000"} {
		wantStatus(t, s.do(t, call{path: path}), 404, billing.CodeNotFound)
	}
	if got := s.walk(t, "/payers?search=absent%20altogether"); len(got) != 0 {
		t.Errorf("a search that matches none found %v", got)
	}
	cursor := s.must(t, 200, call{path: "/payers?limit=1"}).text(t, "next_cursor")
	wantFields(t, s.do(t, call{path: "/payers?search=a&cursor=" + cursor}), "cursor format")
}
