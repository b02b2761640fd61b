package httpapi

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func auditShapes() map[string]shown {
	e := caller.AuditEntry{
		ID: idOf[billing.AuditEntryID](1), Org: idOf[billing.OrgID](2), Mode: billing.ModeTest, User: idOf[billing.UserID](3),
		Name: "ann@example.com", Address: "192.0.2.1", Agent: "Browser/1.0", Operation: "GET /claims/{id}", Resource: idOf[billing.ClaimID](4).String(),
		Shown: []string{idOf[billing.PatientID](5).String()}, Status: 200, CreatedAt: shapeTime,
	}
	refused, unknown := e, e
	refused.Mode, refused.Operation, refused.Resource, refused.Shown, refused.Status = "", "POST /sessions", "", nil, 401
	unknown.Operation, unknown.Shown, unknown.Status = "POST /eligibility", nil, 0
	background, key, operator := e, e, e
	background.Background, background.Operator = true, "ben"
	key.User, key.Key, key.Name = billing.UserID{}, idOf[billing.KeyID](6), "Front desk"
	operator.User, operator.Operator, operator.Name, operator.Operation = billing.UserID{}, "ben", "", "molar era show"
	operator.Address, operator.Agent, operator.Status = "", "", 0
	file := e
	file.Operation, file.Resource, file.Filters = "GET /claims", "", map[string]string{"state": "rejected", "patient_id": idOf[billing.PatientID](5).String()}
	return map[string]shown{
		"audit_background": {"AuditEntry", auditShape(&background)},
		"audit_key":        {"AuditEntry", auditShape(&key)},
		"audit_operator":   {"AuditEntry", auditShape(&operator)},
		"audit_entry":      {"AuditEntry", auditShape(&e)},
		"audit_file":       {"AuditEntry", auditShape(&file)},
		"audit_refused":    {"AuditEntry", auditShape(&refused)},
		"audit_unknown":    {"AuditEntry", auditShape(&unknown)},
	}
}

// audited returns all entries of the organization, newest first.
func (s *service) audited(t *testing.T, f caller.AuditFilter) []*caller.AuditEntry {
	t.Helper()
	return s.auditOf(t, s.test, f)
}

func (s *service) auditOf(t *testing.T, scope billing.Scope, f caller.AuditFilter) (all []*caller.AuditEntry) {
	t.Helper()
	for p := (billing.Page{Limit: billing.MaxPageLimit}); ; {
		page := porttest.Read(t, s.store, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.AuditEntry, error) {
			return tx.Audit.List(ctx, f, p)
		})
		page, p.After = billing.Cut(page, p.Limit, func(e *caller.AuditEntry) billing.Position {
			return billing.Position{Time: e.CreatedAt, ID: e.ID}
		})
		if all = append(all, page...); p.After == nil {
			return all
		}
	}
}

// TestEveryRouteIsAudited sends a request to every route, with a session and with an
// API key. Each leaves one entry, the session's before the reply.
func TestEveryRouteIsAudited(t *testing.T) {
	t.Parallel()
	s := startService(t)
	m := s.make(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	viewer := s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	writes := s.writesByStrangers(t, m)
	want := map[string]string{} // by ID
	for _, e := range s.audited(t, caller.AuditFilter{Actor: caller.ActorUser}) {
		want[e.ID.String()] = fmt.Sprintf("%s %s  %d", e.User, e.Operation, e.Status) // the two sign-ins
	}
	ask := func(as visitor, c call, r *route) {
		c.method, c.bad = r.method, true
		a := s.do(t, as.call(c))
		want["aud_"+strings.TrimPrefix(a.Header.Get("X-Request-Id"), "req_")] = fmt.Sprintf("%s %s test %d", as.user, r.operation(), a.StatusCode)
	}
	key := s.issue(t, s.test, "read", "submit") // the owner revokes the other one on the way
	mine, err := s.access.Authenticate(t.Context(), key, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	begun, byKeys := time.Now(), map[string]string{}
	for _, r := range (&api{}).routes() {
		c := call{path: m.path(&r)}
		if row := writes[r.operation()]; len(row) > 0 {
			c.body, c.header = row[0].body, row[0].header
		}
		refused := c
		refused.path += "?surprise=1"
		if r.need == caller.NeedNothing {
			s.do(t, owner.call(call{method: r.method, path: c.path, body: "{}", bad: true}))
			continue
		}
		if r.path != root+"/stream" { // which does not end
			ask(owner, c, &r)
		}
		ask(owner, refused, &r)
		ask(viewer, refused, &r)
		c.method, c.bad, c.path, c.key = r.method, true, refused.path, key
		a := s.do(t, c)
		byKeys["aud_"+strings.TrimPrefix(a.Header.Get("X-Request-Id"), "req_")] = fmt.Sprintf("%s %s test %d", mine.ID, r.operation(), a.StatusCode)
	}
	got := map[string]string{}
	add := func(by fmt.Stringer, e *caller.AuditEntry) {
		if id := e.ID.String(); got[id] != "" {
			t.Errorf("twice: %s", got[id])
		}
		got[e.ID.String()] = fmt.Sprintf("%s %s %s %d", by, e.Operation, e.Mode, e.Status)
		if e.Address != "127.0.0.1" || e.Org != s.org || strings.Contains(fmt.Sprint(*e), "surprise") {
			t.Errorf("%+v", e)
		}
	}
	for _, e := range s.audited(t, caller.AuditFilter{Actor: caller.ActorUser}) {
		add(e.User, e)
	}
	porttest.Await(t, "the entries of the key", func() bool {
		return len(s.audited(t, caller.AuditFilter{Key: mine.ID, CreatedAfter: begun})) >= len(byKeys)
	})
	for _, e := range s.audited(t, caller.AuditFilter{Key: mine.ID, CreatedAfter: begun}) {
		add(e.Key, e)
	}
	maps.Copy(want, byKeys)
	if !maps.Equal(got, want) {
		for id, line := range want {
			if got[id] != line {
				t.Errorf("%s: %q, want %q", id, got[id], line)
			}
		}
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
}

// TestAudit reads what a person did, as an owner does.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	ann := s.visits(t, s.org, "ann@example.com", caller.RoleBiller)
	ask := call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), idem: "once"}
	check := s.must(t, 200, ann.call(ask))
	patient := check.text(t, "patient_id")
	claim := s.must(t, 201, ann.call(call{path: "/claims", body: s.crown("1", nil)}))
	id := claim.text(t, "id")
	of := claim.text(t, "patient_id")
	for name, test := range map[string]struct {
		response
		operation, resource string
		shown               []string
	}{
		"a check":            {check, "POST /eligibility", check.text(t, "id"), []string{patient}},
		"its replay":         {s.must(t, 200, ann.call(ask)), "POST /eligibility", check.text(t, "id"), []string{patient}},
		"its messages":       {s.must(t, 200, ann.call(call{path: "/eligibility/" + check.text(t, "id") + "/exchange"})), "GET /eligibility/{id}/exchange", check.text(t, "id"), nil},
		"a rejected check":   {s.must(t, 422, ann.call(call{path: "/eligibility", body: s.question("NOT-FOUND", nil)})), "POST /eligibility", "", nil},
		"a claim":            {claim, "POST /claims", id, []string{of}},
		"a read":             {s.must(t, 200, ann.call(call{path: "/claims/" + strings.ToLower(id[:4]) + strings.ToLower(id[4:])})), "GET /claims/{id}", id, []string{of}},
		"a background read":  {s.must(t, 200, ann.with("Molar-Background", "true").call(call{path: "/claims/" + id})), "GET /claims/{id}", id, []string{of}},
		"HEAD":               {s.must(t, 200, ann.call(call{method: "HEAD", path: "/claims/" + id})), "GET /claims/{id}", id, []string{of}},
		"a list":             {s.must(t, 200, ann.call(call{path: "/claims?limit=1"})), "GET /claims", "", []string{of}},
		"a search":           {s.must(t, 200, ann.call(call{path: "/patients/search", body: `{"query":"example"}`})), "POST /patients/search", "", nil},
		"a name in the path": {s.do(t, ann.call(call{path: "/patients/Sentinel"})), "GET /patients/{id}", "", nil},
		"a refusal":          {s.do(t, ann.call(call{path: "/claims", body: `{"note":"Sentinel"}`, bad: true})), "POST /claims", "", nil},
		"a wrong role":       {s.do(t, ann.call(call{path: "/users"})), "GET /users", "", nil},
	} {
		request := test.Header.Get("X-Request-Id")
		all := s.must(t, 200, owner.call(call{path: "/audit_entries?limit=100&user_id=" + ann.user.String()}))
		n := slices.IndexFunc(all.get(t, "data").([]any), func(e any) bool {
			return e.(map[string]any)["id"] == "aud_"+request[4:]
		})
		if n < 0 || strings.Contains(all.body, "Sentinel") {
			t.Fatalf("%s: %s", name, all.body)
		}
		e := all.get(t, "data").([]any)[n].(map[string]any)
		got := fmt.Sprint(e["status"], e["operation"], e["user_email"], e["address"], e["mode"])
		if want := fmt.Sprint(test.StatusCode, test.operation, "ann@example.com", "127.0.0.1", "test"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if test.resource != "" && e["resource_id"] != test.resource || test.shown != nil && fmt.Sprint(e["shown_ids"]) != fmt.Sprint(test.shown) {
			t.Errorf("%s: %v, want %s and %v", name, e, test.resource, test.shown)
		}
	}
	// A list that is read as a file is one read with its filters, without the words in them.
	for path, want := range map[string]string{
		"/claims": "map[]",
		"/claims?state=rejected&limit=1&patient_control_number=Sentinel": "map[patient_control_number: state:rejected]",
		"/eras?patient_id=" + of: "map[patient_id:" + of + "]",
	} {
		file := s.must(t, 200, ann.with("Accept", "text/csv").call(call{path: path}))
		all := s.must(t, 200, owner.call(call{path: "/audit_entries?user_id=" + ann.user.String()}))
		found := all.get(t, "data").([]any)
		e := found[0].(map[string]any)
		if e["id"] != "aud_"+file.Header.Get("X-Request-Id")[4:] || fmt.Sprint(e["filters"]) != want || strings.Contains(all.body, "Sentinel") {
			t.Errorf("%s: %v, want %s", path, e, want)
		}
		if before := found[len(found)-1].(map[string]any)["filters"]; path == "/claims" && before != nil {
			t.Errorf("the filters of another request: %v", before)
		}
	}
	// Who looked at the patient, and at the claim?
	for resource, want := range map[string]int{of: 5, id: 4, patient: 2} {
		if ids := s.must(t, 200, owner.call(call{path: "/audit_entries?resource_id=" + resource})).get(t, "data").([]any); len(ids) < want {
			t.Errorf("%d entries of %s, want %d", len(ids), resource, want)
		}
	}
	wantStatus(t, s.do(t, ann.call(call{path: "/audit_entries"})), 403, billing.CodePermissionDenied)
	other, err := s.access.Authenticate(t.Context(), s.other, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	stranger := s.visits(t, other.Scope.Org, "owner@example.com", caller.RoleOwner)
	for _, filter := range []string{"user_id=" + ann.user.String(), "resource_id=" + of, "resource_id=" + id} {
		if a := s.must(t, 200, stranger.call(call{path: "/audit_entries?" + filter})); len(a.get(t, "data").([]any)) > 0 {
			t.Errorf("another organization's owner reads %s", a.body)
		}
	}
}

// TestSignInsAreAudited signs in, fails to, and signs out.
func TestSignInsAreAudited(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ann := s.visits(t, s.org, "ann@example.com", caller.RoleOwner)
	s.must(t, 200, ann.call(call{method: "PATCH", path: "/users/" + ann.user.String(), body: `{"password":"` + password + `"}`}))
	refused := func(email, password string) {
		body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
		a := s.do(t, call{method: "POST", path: "/sessions", body: body, header: browserHeaders()})
		wantStatus(t, a, 401, billing.CodeUnauthorized)
	}
	refused("ann@example.com", "Sentinel guess 14")
	refused("stranger@example.com", "Sentinel guess 14") // is no user of any organization
	in := s.enters(t, ann.user, `{"email":"ann@example.com","password":"`+password+`"}`)
	s.must(t, 204, in.call(call{method: "DELETE", path: "/sessions/" + in.session}))
	var got []string
	porttest.Await(t, "the entry of the refused sign-in", func() bool {
		got = nil
		for _, e := range s.audited(t, caller.AuditFilter{User: ann.user}) {
			got = append(got, fmt.Sprint(e.Operation, " ", e.Status, " ", e.Resource, " ", e.Mode))
		}
		return len(got) == 5
	})
	want := []string{
		"DELETE /sessions/{id} 204 " + in.session + " test", "POST /sessions 201 " + in.session + " ", "POST /sessions 401  ",
		"PATCH /users/{id} 200 " + ann.user.String() + " test", "POST /sessions 201 " + ann.session + " ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if all := s.audited(t, caller.AuditFilter{}); strings.Contains(fmt.Sprint(all), "Sentinel") {
		t.Errorf("%v", all)
	}
}

// TestRefusalsOfSharedAddresses lets sign-ins fail whose email address has users in two
// organizations. Each sees where and when from only if the attempt was at its own user
// for sure, and that there was one in any case.
func TestRefusalsOfSharedAddresses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	other, err := s.access.Authenticate(t.Context(), s.other, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]billing.Scope{"here": s.test, "there": other.Scope}
	passwords := map[string]string{"here": password, "there": "Drills and mirrors 15"}
	browsers := map[string]visitor{}
	set := func(where string) {
		v := s.visits(t, scopes[where].Org, "ann@example.com", caller.RoleOwner)
		s.must(t, 200, v.call(call{method: "PATCH", path: "/users/" + v.user.String(), body: fmt.Sprintf(`{"password":%q}`, passwords[where])}))
		browsers[where] = v
	}
	refusals := func(where string) (all []*caller.AuditEntry) {
		for _, e := range s.auditOf(t, scopes[where], caller.AuditFilter{}) {
			if e.Status == 401 && e.Operation == "POST /sessions" {
				all = append(all, e)
			}
		}
		return all
	}
	seen := map[string]int{}
	fail := func(name string, as map[string]string, body string, exact ...string) {
		t.Helper()
		wantStatus(t, s.do(t, call{method: "POST", path: "/sessions", body: body, header: as}), 401, billing.CodeUnauthorized)
		for where := range browsers {
			seen[where]++
			porttest.Await(t, "the entry "+where, func() bool { return len(refusals(where)) == seen[where] })
			shown := 0
			for _, e := range refusals(where) {
				hour := e.CreatedAt.Truncate(time.Hour)
				if known := e.Address == "127.0.0.1"; known {
					shown++
				} else if e.Address != "" || !e.CreatedAt.Equal(hour) || strings.Compare(e.ID.String(), billing.NewID[billing.AuditEntryID](billing.RealAt(hour.Add(time.Millisecond))).String()) > 0 {
					t.Errorf("%s: %+v, ID made at another time than the hour", name, e)
				}
			}
			if slices.Contains(exact, where) {
				seen[where+" exactly"]++
			}
			if shown != seen[where+" exactly"] {
				t.Errorf("%s, seen from %s: %d entries have the client's address, want %d", name, where, shown, seen[where+" exactly"])
			}
		}
	}
	guess := `{"email":"ann@example.com","password":"a wrong guess"}`
	set("here")
	fail("one user", browserHeaders(), guess, "here")
	set("there")
	fail("a stranger", browserHeaders(), guess)
	fail("a browser that knows one of them", browsers["there"].headers, guess, "there")
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	here := s.enters(t, browsers["here"].user, fmt.Sprintf(`{"email":"ann@example.com","password":%q}`, password))
	s.must(t, 200, here.call(call{method: "PATCH", path: "/users/" + here.user.String(), body: fmt.Sprintf(
		`{"current_password":%q,"totp_secret":%q,"totp":%q}`, password, secret, code)}))
	fail("the password of one of them without its code", browserHeaders(), fmt.Sprintf(`{"email":"ann@example.com","password":%q}`, password), "here")
}

// TestUnrecordedIsRefused lets no entry be stored. No reply has data then, so no byte of
// a reply comes before its entry.
func TestUnrecordedIsRefused(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	s := startService(t, func(with *setup) {
		with.audited = func(store func(*caller.AuditEntry) error) func(*caller.AuditEntry) error {
			return func(e *caller.AuditEntry) error {
				if full.Load() {
					return errors.New("the disk is full")
				}
				return store(e)
			}
		}
	})
	m := s.make(t)
	ann := s.visits(t, s.org, "ann@example.com", caller.RoleOwner)
	full.Store(true)
	for _, path := range []string{
		"/claims/" + m.claim, "/claims", "/eras/" + m.era + "/file", "/attachments/" + m.attachment + "/documents/" + m.document + "/content",
	} {
		a := s.do(t, ann.call(call{path: path, bad: true}))
		wantStatus(t, a, http.StatusServiceUnavailable, billing.CodeUnavailable)
		if a.Header.Get("Retry-After") != "5" || a.Header.Get("X-Request-Id") == "" || a.Header.Get("Cache-Control") != "no-store" ||
			a.Header.Get("Content-Disposition") != "" || len(a.get(t, "errors").([]any)) > 0 {
			t.Errorf("%s: %v %s", path, a.Header, a.body)
		}
	}
	// A refusal has no data, so it needs no entry.
	wantStatus(t, s.do(t, ann.call(call{path: "/claims/clm_x", bad: true})), http.StatusNotFound, billing.CodeNotFound)
	// A write's own commit has its entry. Its reply can be had with the same key.
	write := ann.call(call{path: "/claims", body: s.crown("1", nil), idem: "again", bad: true})
	lost := s.do(t, write)
	wantStatus(t, lost, http.StatusServiceUnavailable, billing.CodeUnavailable)
	full.Store(false)
	made := s.must(t, 201, write)
	var statuses []int
	for _, e := range s.audited(t, caller.AuditFilter{Resource: made.text(t, "id")}) {
		statuses = append(statuses, e.Status)
		if e.Operation != "POST /claims" {
			t.Errorf("%+v", e)
		}
	}
	if made.Header.Get("Idempotent-Replayed") != "true" || !slices.Equal(statuses, []int{201, 201}) {
		t.Errorf("%v, entries with %v", made.Header, statuses)
	}
}
