package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/ports/porttest"
)

func TestOfficesAndProviders(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const office = `{"name":"Söuth <1>","npi":"1234567893","tax_id":"12-3456789","address":{"line1":"1 Main St","line2":"Apt 2","city":"Albany","state":"NY","zip":"12207"},"phone":"518 555 0100","time_zone":"America/Chicago"}`
	c := call{path: "/offices", body: office, idem: "office"}
	made := s.must(t, 201, c)
	made.shows(t, "name", "Söuth <1>", "mode", "test", "npi", "1234567893", "tax_id", "123456789", "phone", "5185550100", "address.line1", "1 Main St",
		"address.line2", "Apt 2", "address.city", "Albany", "address.state", "NY", "address.zip", "12207", "time_zone", "America/Chicago",
		"verified_at", made.get(t, "created_at"))
	if again := s.must(t, 201, c); again.body != made.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %s", again.body)
	}
	bare := s.must(t, 201, call{path: "/offices", body: `{"name":"Bare","npi":"1234567893","address":null,"tax_id":null}`})
	bare.shows(t, "address", nil, "tax_id", nil, "time_zone", some{})
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
		{"/providers", `{"last_name":null,"colour":1}`, "colour unknown,first_name required,last_name required,npi required"},
		{"/offices", `{"name":"A","npi":"1234567893","address":{},"time_zone":""}`, "time_zone required,address.line1 required,address.city required,address.state required,address.zip required"},
	} {
		a := s.do(t, call{method: "POST", path: c.path, body: c.body, bad: true})
		if got := strings.Join(a.fields(t), ","); a.StatusCode != 422 || got != c.fields {
			t.Errorf("%s %s: %d %s, want %s", c.path, c.body, a.StatusCode, got, c.fields)
		}
	}
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
	if got := s.walk(t, "/payers?search=nobody%20at%20all"); len(got) != 0 {
		t.Errorf("nobody is %v", got)
	}
	cursor := s.must(t, 200, call{path: "/payers?limit=1"}).text(t, "next_cursor")
	wantFields(t, s.do(t, call{path: "/payers?search=a&cursor=" + cursor}), "cursor format")
}
