package httpapi

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// throwAway makes a throw-away organization, and returns the reply, its key and its ID.
func (s *service) throwAway(t *testing.T, c call) (made response, key string, id billing.OrgID) {
	t.Helper()
	c.path, c.body = "/sandbox/organizations", `{"name":"Run 7","expires_in":"P1D"}`
	made = s.must(t, 201, c)
	id, err := billing.ParseID[billing.OrgID](made.text(t, "id"))
	if err != nil || !billing.IsThrowAway(id) {
		t.Fatalf("%s: %v", id, err)
	}
	return made, made.text(t, "api_key"), id
}

// TestThrowAways makes organizations that see nothing of each other, and removes one.
func TestThrowAways(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	made, key, id := s.throwAway(t, call{idem: "make"})
	again := s.must(t, 201, call{path: "/sandbox/organizations", body: `{"name":"Run 7","expires_in":"P1D"}`, idem: "make"})
	if again.get(t, "secret_available") != false || strings.Contains(again.body, "api_key") || strings.Contains(again.body, "sign_in_url") {
		t.Errorf("the request again: %s", again.body)
	}
	_, other, second := s.throwAway(t, call{})
	if got := s.walk(t, "/sandbox/organizations?"); !slices.Equal(got, []string{second.String(), id.String()}) {
		t.Errorf("the list: %v", got)
	}
	if me := s.must(t, 200, call{path: "/me", key: key}); me.text(t, "organization", "id") != id.String() || me.text(t, "mode") != "test" {
		t.Errorf("me: %s", me.body)
	}
	var offices, providers []string
	for _, k := range []string{key, other} {
		offices = append(offices, s.idsOf(t, k, "/offices")...)
		providers = append(providers, s.idsOf(t, k, "/providers")...)
	}
	if len(offices) != 4 || len(providers) != 4 || len(slices.Compact(offices)) != 4 {
		t.Errorf("offices %v, providers %v", offices, providers)
	}
	claim := s.must(t, 201, call{path: "/claims", key: key, body: s.crown("PAID-ERA", func(o anObject) { o["office_id"], o["submit"] = offices[0], true })}).text(t, "id")
	s.must(t, 200, call{method: "PATCH", path: "/sandbox/clock", key: key, body: `{"running":false}`})
	if c := s.must(t, 200, call{path: "/sandbox/clock"}); c.get(t, "running") != true {
		t.Errorf("the clock of the maker: %s", c.body)
	}
	wantStatus(t, s.do(t, call{path: "/claims/" + claim, key: other}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: "/claims/" + claim}), 404, billing.CodeNotFound)
	s.advances(t, call{key: key, body: `{"until":"idle"}`})
	if c := s.must(t, 200, call{path: "/claims/" + claim, key: key}); c.text(t, "state") != "paid" {
		t.Errorf("the claim is %s", c.text(t, "state"))
	}
	s.must(t, 200, call{path: "/webhook_endpoints", key: key, body: hook("/run", nil)})
	s.must(t, 201, call{path: "/fee_schedules", key: key, body: feesBody()})
	s.must(t, 201, call{path: "/attachment_rules", key: key, body: ruleBody()})
	s.must(t, 200, call{method: "PUT", path: "/import_mappings/schedule", key: key, body: mappingBody})
	s.must(t, 200, call{method: "PUT", path: "/automation", key: key, body: `{"level":"exceptions"}`})

	for path, k := range map[string]string{id.String(): s.other, s.org.String(): s.key, second.String(): key, (billing.OrgID{1}).String(): s.key} {
		wantStatus(t, s.do(t, call{method: "DELETE", path: "/sandbox/organizations/" + path, key: k}), 404, billing.CodeNotFound)
	}
	s.must(t, 204, call{method: "DELETE", path: "/sandbox/organizations/" + id.String()})
	wantStatus(t, s.do(t, call{method: "DELETE", path: "/sandbox/organizations/" + id.String()}), 404, billing.CodeNotFound)
	porttest.Await(t, "its key stops", func() bool { return s.do(t, call{path: "/me", key: key}).StatusCode == 401 })
	porttest.Await(t, "all of it is removed", func() bool {
		own, _ := s.tables(t, id)
		for _, n := range own {
			if n > 0 {
				return false
			}
		}
		return true
	})
	if _, err := s.access.GetOrganization(t.Context(), id); !billing.IsNotFound(err) {
		t.Errorf("the organization: %v", err)
	}
	if got := s.walk(t, "/sandbox/organizations?"); !slices.Equal(got, []string{second.String()}) {
		t.Errorf("the list after: %v", got)
	}
	s.must(t, 200, call{path: "/me", key: other})
	token := made.text(t, "sign_in_url")
	u, err := url.Parse(token)
	if err != nil {
		t.Fatal(err)
	}
	a := s.do(t, call{method: "POST", path: "/sessions", body: fmt.Sprintf(`{"token":%q}`, u.Fragment), header: browserHeaders()})
	wantStatus(t, a, 401, billing.CodeUnauthorized)

	s.exec(t, "UPDATE organizations SET expires_at = now() WHERE id = $1", second.UUID())
	if n, err := s.access.RemoveExpired(t.Context()); n != 1 || err != nil {
		t.Errorf("%d organizations have expired, %v", n, err)
	}
	if n, err := s.access.RemoveExpired(t.Context()); n != 0 || err != nil {
		t.Errorf("%d organizations have expired again, %v", n, err)
	}
	removals := s.audited(t, caller.AuditFilter{Resource: second.String()})
	if !slices.ContainsFunc(removals, func(e *caller.AuditEntry) bool { return strings.HasPrefix(e.Operation, "DELETE") && e.Operator != "" }) {
		t.Errorf("the audit of the maker: %+v", removals)
	}
	porttest.Await(t, "the other is removed", func() bool {
		_, err := s.access.GetOrganization(t.Context(), second)
		return billing.IsNotFound(err)
	})
}

// idsOf lists IDs with a key.
func (s *service) idsOf(t *testing.T, key, path string) (ids []string) {
	t.Helper()
	for _, row := range s.must(t, 200, call{path: path, key: key}).get(t, "data").([]any) {
		ids = append(ids, row.(anObject)["id"].(string))
	}
	return ids
}

// TestThrowAwaysHaveLess has no live mode and makes no others, and its key lives as long as
// that of its maker.
func TestThrowAwaysHaveLess(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	issued := s.must(t, 201, owner.call(call{path: "/api_keys", body: `{"name":"ci","mode":"test","permissions":["submit"]}`}))
	made, key, id := s.throwAway(t, call{key: issued.text(t, "secret")})
	body := `{"name":"Run 8"}`
	wantStatus(t, s.do(t, call{path: "/sandbox/organizations", key: key, body: body}), 403, billing.CodePermissionDenied)
	wantStatus(t, s.do(t, call{path: "/sandbox/organizations", key: s.live, body: body}), 403, billing.CodeTestModeOnly)
	wantStatus(t, s.do(t, call{path: "/sandbox/organizations", key: s.read, body: body}), 403, billing.CodePermissionDenied)
	wantStatus(t, s.do(t, call{path: "/offices", key: key}), 403, billing.CodePermissionDenied) // as the key that made it
	for body, fault := range map[string]string{
		`{}`: "name required", `{"name":"r","expires_in":"P31D"}`: "expires_in range", `{"name":"r","expires_in":"P1M"}`: "expires_in format",
		`{"name":"r","expires_in":"PT0S"}`: "expires_in range",
	} {
		a := s.do(t, call{path: "/sandbox/organizations", body: body, bad: true})
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if fields := a.fields(t); len(fields) != 1 || fields[0] != fault {
			t.Errorf("%s: %s", body, a.body)
		}
	}

	u, err := url.Parse(made.text(t, "sign_in_url"))
	if err != nil {
		t.Fatal(err)
	}
	guest := s.enters(t, billing.UserID{}, fmt.Sprintf(`{"token":%q}`, u.Fragment))
	me := s.must(t, 200, guest.call(call{path: "/me"}))
	if me.text(t, "organization", "id") != id.String() || me.text(t, "role") != "owner" {
		t.Errorf("me: %s", me.body)
	}
	s.must(t, 200, guest.call(call{method: "PATCH", path: "/users/" + me.text(t, "user", "id"), body: `{"password":"` + password + `"}`}))
	wantStatus(t, s.do(t, guest.with("Molar-Mode", "live").call(call{path: "/claims"})), 403, billing.CodeTestModeOnly)
	wantStatus(t, s.do(t, guest.call(call{path: "/api_keys", body: `{"name":"k","mode":"live","permissions":["read"]}`})), 403, billing.CodePermissionDenied)
	third := s.must(t, 201, guest.call(call{path: "/api_keys", body: `{"name":"k","mode":"test","permissions":["read"]}`})).text(t, "secret")

	if k, err := s.access.Authenticate(t.Context(), key, netip.Addr{}); err != nil || k.Caller().Number() != [16]byte(k.MadeWith) || k.MadeWith.String() != issued.text(t, "id") {
		t.Errorf("the key counts as %v, %v", k, err)
	}
	s.must(t, 200, owner.call(call{method: "POST", path: "/api_keys/" + issued.text(t, "id") + "/revoke"}))
	for _, k := range []string{key, third} {
		porttest.Await(t, "a key stops with the maker's", func() bool { return s.do(t, call{path: "/me", key: k}).StatusCode == 401 })
	}
}

// TestThrowAwaysAreFew makes as many as there may be.
func TestThrowAwaysAreFew(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var first billing.OrgID
	for n := range caller.MaxThrowAways {
		_, _, id := s.throwAway(t, call{})
		if n == 0 {
			first = id
		}
		if turn := (billing.Scope{Org: id, Mode: billing.ModeTest}).Turn(); turn != s.test.Turn() {
			t.Errorf("it takes turns as %v, its maker as %v", turn, s.test.Turn())
		}
	}
	body := `{"name":"One more"}`
	wantStatus(t, s.do(t, call{path: "/sandbox/organizations", body: body}), 409, billing.CodeConflict)
	s.must(t, 204, call{method: "DELETE", path: "/sandbox/organizations/" + first.String()})
	s.must(t, 201, call{path: "/sandbox/organizations", body: body})
}
