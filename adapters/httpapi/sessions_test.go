package httpapi

import (
	"context"
	"encoding/base32"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

const password = "Crowns and bridges 14"

// visitor is a browser that has signed in.
type visitor struct {
	user    billing.UserID
	session string // its ID
	headers map[string]string
}

// call returns a request of the browser's.
func (v visitor) call(c call) call {
	headers := maps.Clone(v.headers)
	maps.Copy(headers, c.header)
	c.header = headers
	return c
}

// without returns the browser without a header.
func (v visitor) without(names ...string) visitor {
	v.headers = maps.Clone(v.headers)
	for _, name := range names {
		v.headers[name] = ""
	}
	return v
}

// with returns the browser with another header.
func (v visitor) with(name, value string) visitor {
	v.headers = maps.Clone(v.headers)
	v.headers[name] = value
	return v
}

// browserHeaders are those of a page's own request without a key.
func browserHeaders() map[string]string {
	return map[string]string{"Authorization": "", "Sec-Fetch-Site": "same-origin", "Molar-Mode": "test", "User-Agent": "test"}
}

// invited returns a new user and the token of the invitation.
func (s *service) invited(t *testing.T, org billing.OrgID, email string, role caller.Role) (id billing.UserID, token string) {
	t.Helper()
	call := idempotency.Administration(billing.Scope{Org: org, Mode: billing.ModeTest}, "test", func(i access.Invited) string {
		id, token = i.User.ID, i.Token
		return ""
	})
	if _, err := s.access.InviteUser(t.Context(), call, email, "", role); err != nil {
		t.Fatal(err)
	}
	return id, token
}

// visits signs in a new user by an invitation.
func (s *service) visits(t *testing.T, org billing.OrgID, email string, role caller.Role) visitor {
	t.Helper()
	user, token := s.invited(t, org, email, role)
	return s.enters(t, user, fmt.Sprintf(`{"token":%q}`, token))
}

func (s *service) enters(t *testing.T, user billing.UserID, body string) visitor {
	t.Helper()
	a := s.must(t, 201, call{method: "POST", path: "/sessions", body: body, header: browserHeaders()})
	v := visitor{user, a.text(t, "id"), browserHeaders()}
	v.headers["Cookie"] = cookieOf(a)
	return v
}

// cookieOf returns the cookies that a reply sets.
func cookieOf(a response) string {
	var all []string
	for _, c := range a.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// TestPrincipals tries every operation as everyone.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	s := startService(t)
	m := s.make(t)
	other, err := s.access.Authenticate(t.Context(), s.other, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	key := func(secret string) visitor {
		return visitor{headers: map[string]string{"Authorization": "Bearer " + secret}}
	}
	submit := s.issue(t, s.test, "submit")
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	ended := s.visits(t, s.org, "ended@example.com", caller.RoleOwner)
	s.must(t, 204, owner.call(call{method: "DELETE", path: "/sessions/" + ended.session}))
	s.refusedSoon(t, ended)

	const refused, forbidden, may = 401, 403, 0
	type row map[caller.Need]int
	everyone := row{caller.NeedCaller: may, caller.NeedRead: may, caller.NeedSubmit: may, caller.NeedResend: may, caller.NeedManage: may, caller.NeedSelf: may, caller.NeedSession: may, caller.NeedOwner: may, caller.NeedSandbox: may}
	but := func(changes row) row {
		r := maps.Clone(everyone)
		maps.Copy(r, changes)
		return r
	}
	noOne := row{
		caller.NeedCaller: refused, caller.NeedRead: refused, caller.NeedSubmit: refused, caller.NeedResend: refused, caller.NeedManage: refused,
		caller.NeedSelf: refused, caller.NeedSession: refused, caller.NeedOwner: refused, caller.NeedSandbox: refused,
	}
	keys := row{caller.NeedSelf: forbidden, caller.NeedSession: forbidden, caller.NeedOwner: forbidden}
	for name, p := range map[string]struct {
		as   visitor
		want row
	}{
		"no key":             {visitor{headers: map[string]string{"Authorization": ""}}, noOne},
		"unknown key":        {key("molar_test_x"), noOne},
		"read key":           {key(s.read), but(row{caller.NeedSandbox: forbidden, caller.NeedSubmit: forbidden, caller.NeedResend: forbidden, caller.NeedManage: forbidden, caller.NeedSelf: forbidden, caller.NeedSession: forbidden, caller.NeedOwner: forbidden})},
		"submit key":         {key(submit), but(row{caller.NeedRead: forbidden, caller.NeedResend: forbidden, caller.NeedSelf: forbidden, caller.NeedSession: forbidden, caller.NeedOwner: forbidden})},
		"live key":           {key(s.live), but(row{caller.NeedSelf: forbidden, caller.NeedSession: forbidden, caller.NeedOwner: forbidden, caller.NeedSandbox: forbidden})},
		"other key":          {key(s.other), but(keys)},
		"owner":              {owner, everyone},
		"biller":             {s.visits(t, s.org, "biller@example.com", caller.RoleBiller), but(row{caller.NeedManage: forbidden, caller.NeedSandbox: forbidden, caller.NeedOwner: forbidden})},
		"viewer":             {s.visits(t, s.org, "viewer@example.com", caller.RoleViewer), but(row{caller.NeedSandbox: forbidden, caller.NeedSubmit: forbidden, caller.NeedResend: forbidden, caller.NeedManage: forbidden, caller.NeedOwner: forbidden})},
		"other owner":        {s.visits(t, other.Scope.Org, "owner@example.com", caller.RoleOwner), everyone},
		"ended session":      {ended, noOne},
		"expired session":    {s.expired(t, owner), noOne},
		"unknown session":    {owner.with("Cookie", strings.Split(owner.headers["Cookie"], "=")[0]+"="+caller.NewToken()), noOne},
		"no proof of origin": {owner.without("Sec-Fetch-Site"), noOne},
		"another site":       {owner.with("Sec-Fetch-Site", "cross-site").with("Origin", "https://evil.example"), noOne},
		"same site only":     {owner.with("Sec-Fetch-Site", "same-site").with("Origin", "http://"+s.addr), noOne},
		"another origin":     {owner.without("Sec-Fetch-Site").with("Origin", "https://evil.example"), noOne},
		"another port":       {owner.without("Sec-Fetch-Site").with("Origin", "http://127.0.0.1:1"), noOne},
		"no origin":          {owner.without("Sec-Fetch-Site").with("Origin", "null"), noOne},
		"its own origin":     {owner.without("Sec-Fetch-Site").with("Origin", "http://"+s.addr), everyone},
		"no mode":            {owner.without("Molar-Mode"), noOne},
		"unknown mode":       {owner.with("Molar-Mode", "prod"), noOne},
	} {
		for _, r := range (&api{}).routes() {
			if r.need == caller.NeedNothing {
				continue
			}
			// An unknown parameter, so that what is allowed has no effect.
			got := s.do(t, p.as.call(call{method: r.method, path: m.path(&r) + "?surprise=1", bad: true}))
			want, code := p.want[r.need], map[int]billing.Code{refused: billing.CodeUnauthorized, forbidden: billing.CodePermissionDenied}
			if name == "live key" && r.need == caller.NeedSandbox {
				code[forbidden] = billing.CodeTestModeOnly
			}
			switch {
			case want != may:
				if got.StatusCode != want || got.code() != string(code[want]) {
					t.Errorf("%s: %s %s: %d %s, want %d", name, r.method, r.path, got.StatusCode, got.code(), want)
				}
			case got.StatusCode == refused || got.StatusCode == forbidden && r.path != root+"/users/{id}" || got.StatusCode == 500:
				t.Errorf("%s: %s %s: %d %s", name, r.method, r.path, got.StatusCode, got.body)
			}
		}
	}
}

// expired returns a browser of the same user, whose session began 13 hours ago.
func (s *service) expired(t *testing.T, v visitor) visitor {
	t.Helper()
	secret, now := caller.NewToken(), time.Now()
	porttest.System(t, s.store, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.SignedIn.Insert(ctx, &caller.Session{
			ID: billing.NewID[billing.SessionID](billing.RealAt(now)), Org: s.org, User: v.user, CreatedAt: now.Add(-13 * time.Hour), UsedAt: now,
		}, caller.TokenDigest(secret))
	})
	return v.with("Cookie", strings.Split(v.headers["Cookie"], "=")[0]+"="+secret)
}

// refusedSoon waits until the session is refused.
func (s *service) refusedSoon(t *testing.T, v visitor) {
	t.Helper()
	for s.do(t, v.call(call{path: "/me"})).StatusCode != http.StatusUnauthorized {
	}
}

func TestSessionWorks(t *testing.T) {
	t.Parallel()
	s := startService(t)
	user, token := s.invited(t, s.org, "ann@example.com", caller.RoleOwner)
	body := fmt.Sprintf(`{"token":%q}`, token)
	in := s.must(t, 201, call{method: "POST", path: "/sessions", body: body, header: browserHeaders()})
	for _, c := range in.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Secure || !strings.HasSuffix(c.Name, s.addr[strings.LastIndex(s.addr, ":")+1:]) {
			t.Errorf("cookie %v", c)
		}
		if strings.Contains(in.body, c.Value) || c.MaxAge != map[bool]int{true: 43200, false: 31536000}[strings.HasPrefix(c.Name, "molar_session_")] {
			t.Errorf("cookie %v, reply %s", c, in.body)
		}
	}
	if again := s.do(t, call{method: "POST", path: "/sessions", body: body, header: browserHeaders()}); again.StatusCode != 401 || len(again.Cookies()) > 0 {
		t.Errorf("the link again: %d %v", again.StatusCode, again.Cookies())
	}
	ann := visitor{user, in.text(t, "id"), browserHeaders()}
	ann.headers["Cookie"] = cookieOf(in)
	s.must(t, 200, ann.call(call{path: "/me"})).shows(t, "user.email", "ann@example.com", "role", "owner", "mode", "test", "permissions", nil, "organization.name", "Example Dental", "organization.time_zones.0", "America/New_York")
	s.must(t, 200, ann.with("Molar-Mode", "live").call(call{path: "/me"})).shows(t, "mode", "live")
	s.must(t, 200, call{path: "/me"}).shows(t, "role", nil, "user", nil, "permissions.0", "read")

	// What a person makes has no request ID.
	check := s.must(t, 200, ann.call(call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}))
	check.shows(t, "request_id", nil)
	claim := s.must(t, 201, ann.call(call{path: "/claims", body: s.crown("1", nil)}))
	s.must(t, 200, ann.call(call{path: "/claims/" + claim.text(t, "id")})).shows(t, "request_id", nil)

	invite := call{path: "/users", body: `{"email":"Ben@Example.com","role":"biller"}`, idem: "ben"}
	made := s.must(t, 201, ann.call(invite))
	made.shows(t, "email", "ben@example.com", "state", "invited", "secret_available", true)
	link := made.text(t, "sign_in_url")
	if replay := s.must(t, 201, ann.call(invite)); !strings.HasPrefix(link, "http://"+s.addr+"/sign-in#") || strings.Contains(replay.body, "sign-in") || replay.get(t, "secret_available") != false {
		t.Errorf("link %q, replay %s", link, replay.body)
	}
	ben := s.enters(t, billing.UserID{}, fmt.Sprintf(`{"token":%q}`, link[strings.Index(link, "#")+1:]))
	benID := made.text(t, "id")
	wantStatus(t, s.do(t, ben.call(call{method: "PATCH", path: "/users/" + benID, body: `{"role":"owner"}`})), 403, billing.CodePermissionDenied)
	wantStatus(t, s.do(t, ann.call(call{method: "PATCH", path: "/users/" + benID, body: `{"password":"` + password + `"}`})), 403, billing.CodePermissionDenied)
	wantStatus(t, s.do(t, ben.call(call{method: "DELETE", path: "/sessions/" + ann.session})), 404, billing.CodeNotFound)
	s.must(t, 200, ben.call(call{method: "PATCH", path: "/users/" + benID, body: `{"password":"` + password + `"}`})).shows(t, "has_password", true)
	ben = s.enters(t, billing.UserID{}, `{"email":" BEN@example.com","password":"`+password+`"}`)
	if all := s.must(t, 200, ben.call(call{path: "/sessions"})); all.text(t, "data", "0", "id") != ben.session || all.get(t, "data", "0", "current") != true {
		t.Errorf("sessions %s", all.body)
	}
	s.must(t, 200, ann.call(call{path: "/users?limit=1"})).shows(t, "data.0.id", benID)
	wantStatus(t, s.do(t, ann.call(call{method: "PATCH", path: "/users/" + user.String(), body: `{"state":"disabled"}`})), 409, billing.CodeConflict)
	s.must(t, 200, ann.call(call{method: "PATCH", path: "/users/" + benID, body: `{"role":"viewer"}`}))
	s.refusedSoon(t, ben)
	ended := s.must(t, 204, ann.call(call{method: "DELETE", path: "/sessions/" + ann.session}))
	if c := ended.Cookies(); len(c) != 1 || c[0].Value != "" || !strings.HasPrefix(c[0].Name, "molar_session_") {
		t.Errorf("cookies %v", c)
	}
	s.refusedSoon(t, ann)
}

// secured chooses a password and a second factor. The session goes on.
func (s *service) secured(t *testing.T, v visitor) visitor {
	t.Helper()
	seed := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code, err := totp.GenerateCode(seed, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s.must(t, 200, v.call(call{
		method: "PATCH", path: "/users/" + v.user.String(), body: fmt.Sprintf(`{"password":%q,"totp_secret":%q,"totp":%q}`, password, seed, code),
	}))
	return v
}

// TestRequireTOTP lets an owner require a second factor. Then a session without one can
// only set one up and end itself, and its stream ends.
func TestRequireTOTP(t *testing.T) {
	t.Parallel()
	s := startService(t)
	require := func(v visitor, body string) response {
		return s.do(t, v.call(call{method: "PATCH", path: "/organization", body: body, bad: body != `{"require_totp":true}`}))
	}
	owner := s.visits(t, s.org, "ann@example.com", caller.RoleOwner)
	wantStatus(t, require(owner, `{"require_totp":true}`), 403, billing.CodeTOTPRequired)
	s.must(t, 200, owner.call(call{path: "/me"})).shows(t, "organization.require_totp", false)
	owner = s.secured(t, owner)
	for _, body := range []string{`{}`, `{"require_totp":null}`, `{"require_totp":"yes"}`, `{"require_totp":true,"name":"Mine"}`} {
		wantStatus(t, require(owner, body), 422, billing.CodeInvalidRequest)
	}
	ben := s.visits(t, s.org, "ben@example.com", caller.RoleOwner)
	follower := s.follow(t, ben.headers)
	set := require(owner, `{"require_totp":true}`)
	set.shows(t, "object", "organization", "id", s.org.String(), "require_totp", true)
	for _, _, ok := follower.next(); ok; _, _, ok = follower.next() {
	}
	s.must(t, 200, owner.call(call{path: "/me"})).shows(t, "organization.require_totp", true, "session.id", owner.session, "session.totp_required", false)
	s.must(t, 200, call{path: "/me", key: s.other}).shows(t, "organization.require_totp", false, "session", nil)
	s.must(t, 200, owner.call(call{path: "/audit_entries?resource_id=" + s.org.String()})).shows(t, "data.0.operation", "PATCH /organization", "data.0.user_id", owner.user.String())

	for _, background := range []string{"true", "false"} { // a process remembers a session for a second, for each
		porttest.Await(t, "the requirement", func() bool {
			return s.must(t, 200, ben.with("Molar-Background", background).call(call{path: "/me"})).get(t, "session", "totp_required") == true
		})
		s.must(t, 200, ben.call(call{path: "/me"})).shows(t, "organization.people", []any{})
	}
	s.must(t, 200, ben.call(call{path: "/me"})).shows(t, "warnings", []any{})
	for _, r := range (&api{}).routes() {
		if r.need == caller.NeedNothing || r.need == caller.NeedCaller || r.need == caller.NeedSelf {
			continue
		}
		path := regexp.MustCompile(`{\w+}`).ReplaceAllString(strings.TrimPrefix(r.path, root), "1")
		wantStatus(t, s.do(t, ben.call(call{method: r.method, path: path, bad: true})), 403, billing.CodeTOTPRequired)
	}
	for _, body := range []string{`{}`, `{"state":"active"}`, `{"password":"tooth fairies and drills"}`} {
		wantStatus(t, s.do(t, ben.call(call{method: "PATCH", path: "/users/" + ben.user.String(), body: body})), 403, billing.CodeTOTPRequired)
	}
	wantStatus(t, s.do(t, ben.call(call{method: "DELETE", path: "/sessions/" + owner.session})), 403, billing.CodeTOTPRequired)
	s.must(t, 200, call{path: "/claims"}) // a key
	s.secured(t, ben)
	s.must(t, 200, ben.call(call{path: "/users"}))
	cat := s.visits(t, s.org, "cat@example.com", caller.RoleViewer)
	s.must(t, 204, cat.call(call{method: "DELETE", path: "/sessions/" + cat.session}))
}

// TestEndpointsNeedRead makes and changes webhook endpoints as a key that only submits, one
// that also reads, and an owner, without and with the setting.
func TestEndpointsNeedRead(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "ann@example.com", caller.RoleOwner)
	submit := s.issue(t, s.test, "submit")
	setting := func(on bool) {
		body := fmt.Sprintf(`{"endpoints_need_read":%t}`, on)
		s.must(t, 200, owner.call(call{method: "PATCH", path: "/organization", body: body})).shows(t, "endpoints_need_read", on, "require_totp", false)
		s.must(t, 200, owner.call(call{path: "/me"})).shows(t, "organization.endpoints_need_read", on, "organization.people.0.name", "ann@example.com")
		s.must(t, 200, call{path: "/me", key: submit}).shows(t, "organization.people", []any{})
	}
	create := func(by func(call) call, idem string) call {
		return by(call{path: "/webhook_endpoints", body: `{"url":"https://hooks.example.com/a"}`, idem: idem})
	}
	alone := func(c call) call { c.key = submit; return c }
	both := func(c call) call { return c }

	made := s.must(t, 200, create(alone, "alone"))
	me := s.must(t, 200, alone(call{path: "/me"}))
	made.shows(t, "created_by", me.text(t, "key", "id"))
	s.must(t, 200, create(owner.call, "owner")).shows(t, "created_by", owner.user.String())
	at := "/webhook_endpoints/" + made.text(t, "id")
	change := func(body string) call { return call{method: "PATCH", path: at, body: body} }
	disable, enable := call{method: "POST", path: at + "/disable", body: "{}"}, call{method: "POST", path: at + "/enable", body: "{}"}
	chooses := []call{change(`{"url":"https://hooks.example.com/b"}`), change(`{"event_types":["claim.paid"]}`), change(`{"event_types":null}`), enable}

	setting(true)
	if again := s.must(t, 200, create(alone, "alone")); again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("what the key made before is not replayed")
	}
	wantStatus(t, s.do(t, create(alone, "another")), 403, billing.CodePermissionDenied)
	s.must(t, 200, create(both, "both"))
	s.must(t, 200, create(owner.call, "another-owner"))
	s.must(t, 200, alone(change(`{"description":"Front desk"}`)))
	s.must(t, 200, alone(disable))
	for _, c := range chooses {
		wantStatus(t, s.do(t, alone(c)), 403, billing.CodePermissionDenied)
		s.must(t, 200, both(c))
		s.must(t, 200, owner.call(c))
	}
	setting(false)
	for _, c := range chooses {
		s.must(t, 200, alone(c))
	}
}

// TestChooseOrganization signs in with a password that is right in two organizations.
func TestChooseOrganization(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const email, password = "ann@example.com", "Crowns and bridges 14"
	made, err := s.access.CreateOrganization(t.Context(), "Cedar Dental")
	if err != nil {
		t.Fatal(err)
	}
	other := made.ID
	for _, org := range []billing.OrgID{s.org, other} {
		v := s.visits(t, org, email, caller.RoleOwner)
		s.must(t, 200, v.call(call{method: "PATCH", path: "/users/" + v.user.String(), body: `{"password":"` + password + `"}`}))
	}
	ask := func(more string) response {
		return s.do(t, call{method: "POST", path: "/sessions", header: browserHeaders(), bad: strings.Contains(more, "Demo Dental"), body: `{"email":"` + email + `","password":"` + password + `"` + more + `}`})
	}
	asked := ask("")
	wantStatus(t, asked, 409, billing.CodeChooseOrganization)
	if len(asked.Cookies()) > 0 || asked.text(t, "organizations", "0", "id") != s.org.String() || asked.text(t, "organizations", "1", "name") == "" {
		t.Errorf("%s, cookies %v", asked.body, asked.Cookies())
	}
	for n := range asked.get(t, "organizations").([]any) {
		org := asked.text(t, "organizations", fmt.Sprint(n), "id")
		in := ask(`,"organization_id":"` + org + `"`)
		v := visitor{headers: browserHeaders()}
		v.headers["Cookie"] = cookieOf(in)
		if me := s.must(t, 200, v.call(call{path: "/me"})); me.text(t, "organization", "id") != org {
			t.Errorf("%s: %s", org, me.body)
		}
	}
	wantStatus(t, ask(`,"organization_id":"Demo Dental"`), 422, billing.CodeInvalidRequest)
	refused := s.do(t, call{method: "POST", path: "/sessions", header: browserHeaders(), body: `{"token":"x","organization_id":"` + other.String() + `"}`})
	wantStatus(t, refused, 422, billing.CodeInvalidRequest)
}

// TestSignInIsGuarded signs in as other sites would, and as programs that have a
// good token or password but no right to a cookie.
func TestSignInIsGuarded(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, token := s.invited(t, s.org, "ann@example.com", caller.RoleOwner)
	body := fmt.Sprintf(`{"token":%q}`, token)
	for name, c := range map[string]struct {
		header map[string]string
		body   string
		status int
	}{
		"another site's fetch":   {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, body, 401},
		"another site's form":    {map[string]string{"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"}, body, 401},
		"an old browser's form":  {map[string]string{"Sec-Fetch-Site": "", "Origin": "https://evil.example", "Content-Type": "application/x-www-form-urlencoded"}, "token=" + token, 401},
		"a link to the page":     {map[string]string{"Sec-Fetch-Site": "none"}, body, 401},
		"no proof":               {map[string]string{"Sec-Fetch-Site": ""}, body, 401},
		"two origins":            {map[string]string{"Sec-Fetch-Site": "", "Origin": "http://" + s.addr + ", https://evil.example"}, body, 401},
		"a form of the page":     {map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "token=" + token, 422},
		"text of the page":       {map[string]string{"Content-Type": "text/plain"}, body, 422},
		"both":                   {nil, `{"token":"x","email":"a@x.y"}`, 422},
		"neither":                {nil, `{}`, 422},
		"a wrong token":          {nil, `{"token":"x"}`, 401},
		"an unknown account":     {nil, `{"email":"absent@example.com","password":"a wrong guess"}`, 401},
		"one without a password": {nil, `{"email":"ann@example.com","password":"a wrong guess"}`, 401},
	} {
		headers := browserHeaders()
		headers["Content-Type"] = "application/json"
		maps.Copy(headers, c.header)
		a := s.do(t, call{method: "POST", path: "/sessions", body: c.body, header: headers, bad: true})
		if a.StatusCode != c.status || len(a.Cookies()) > 0 || strings.Contains(a.body, token) {
			t.Errorf("%s: %d %s %v", name, a.StatusCode, a.body, a.Cookies())
		}
	}
	// Names that an attacker points to this machine.
	for _, host := range []string{"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1@evil.example", "evil.example#localhost", "[::1", ""} {
		w := dial(t, s.addr)
		w.send("POST %s/sessions HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
			root, host, host, len(body), body)
		if a := w.reply(); a.StatusCode != 401 && a.StatusCode != 400 || len(a.Cookies()) > 0 {
			t.Errorf("host %q: %d %s", host, a.StatusCode, a.body)
		}
	}
	// The token has survived all of this. A cookie from before is no session after.
	fixed := browserHeaders()
	name := "molar_session_" + s.addr[strings.LastIndex(s.addr, ":")+1:]
	chosen := caller.NewToken()
	fixed["Cookie"] = name + "=" + chosen
	in := s.must(t, 201, call{method: "POST", path: "/sessions", body: body, header: fixed})
	if strings.Contains(cookieOf(in), chosen) {
		t.Errorf("cookies %s", cookieOf(in))
	}
	wantStatus(t, s.do(t, call{path: "/me", header: fixed}), 401, billing.CodeUnauthorized)
	fixed["Cookie"] = cookieOf(in) + "; " + name + "=" + chosen // one that was tossed in
	wantStatus(t, s.do(t, call{path: "/me", header: fixed}), 401, billing.CodeUnauthorized)
}

func TestPublicOrigin(t *testing.T) {
	t.Parallel()
	o := origin{"https://molar.example"}
	away := netip.MustParseAddr("203.0.113.7")
	for head, want := range map[string]bool{
		"Host: 10.0.0.1:8080\r\nOrigin: https://molar.example\r\n":                               true,
		"Host: evil.example\r\nSec-Fetch-Site: same-origin\r\n":                                  true, // its cookie is of the public host
		"Host: molar.example\r\nOrigin: http://molar.example\r\n":                                false,
		"Host: molar.example\r\nOrigin: https://molar.example.evil.example\r\n":                  false,
		"Host: molar.example\r\nOrigin: https://molar.example\r\nSec-Fetch-Site: cross-site\r\n": false,
		"Host: molar.example\r\n": false,
	} {
		if err := o.prove([]byte(head), away); (err == nil) != want {
			t.Errorf("%q: %v", head, err)
		}
	}
	if session, browser := o.names(nil); session != "__Host-molar_session" || browser != "__Host-molar_browser" || !o.secure() {
		t.Errorf("cookies %s, %s", session, browser)
	}
	local := []byte("Host: localhost:8080\r\nSec-Fetch-Site: same-origin\r\n")
	if (origin{}).prove(local, away) == nil || (origin{}).prove(local, netip.MustParseAddr("::ffff:127.0.0.1")) != nil {
		t.Error("without a public origin, only this machine has sessions")
	}
	for text, want := range map[string]bool{
		"https://molar.example": true, "https://molar.example:8443": true, "http://localhost:8080": true, "http://[::1]:8080": true,
		"http://molar.example": false, "https://molar.example/": false, "https://molar.example/app": false, "molar.example": false, "": false,
		"https://user@molar.example": false, "ftp://molar.example": false,
	} {
		if ValidOrigin(text) != want {
			t.Errorf("ValidOrigin(%q) = %t", text, !want)
		}
	}
}

// TestUnknownClientsWarn starts a service behind a proxy that it does not trust. Its log
// and its owners say so.
func TestUnknownClientsWarn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for n, c := range []struct {
		name, public, proxies string
		warns                 bool
	}{
		{"an unknown proxy", "https://molar.example", "", true},
		{"a known proxy", "https://molar.example", "10.0.0.0/8", false},
		{"no proxy", "", "", false},
	} {
		var log strings.Builder
		o := s.options
		o.PublicURL, o.Log = c.public, slog.New(slog.NewTextHandler(&log, nil))
		for _, p := range strings.Fields(c.proxies) {
			o.TrustedProxies = append(o.TrustedProxies, netip.MustParsePrefix(p))
		}
		server, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(log.String(), "MOLAR_TRUSTED_PROXIES"); warned != c.warns {
			t.Errorf("%s: the log has %q", c.name, log.String())
		}
		at := &service{access: s.access, addr: serve(t, server), key: s.key}
		owner := at.visits(t, s.org, fmt.Sprintf("owner%d@example.com", n), caller.RoleOwner)
		biller := at.visits(t, s.org, fmt.Sprintf("biller%d@example.com", n), caller.RoleBiller)
		if me := at.must(t, 200, owner.call(call{path: "/me"})); strings.Contains(me.body, "client_addresses_unknown") != c.warns {
			t.Errorf("%s: %s", c.name, me.body)
		}
		for who, me := range map[string]call{"a biller": biller.call(call{path: "/me"}), "a key": {path: "/me"}} {
			if got := at.must(t, 200, me); len(got.get(t, "warnings").([]any)) > 0 {
				t.Errorf("%s, %s: %s", c.name, who, got.body)
			}
		}
	}
}

// TestHSTS asks browsers to stay with HTTPS behind it, and nowhere else.
func TestHSTS(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{"https://molar.example": "max-age=31536000", "http://localhost:8080": "", "": ""} {
		s, err := newServer(Options{PublicURL: public}, nil, identifier{key: identify})
		if err != nil {
			t.Fatal(err)
		}
		w := dial(t, serve(t, s))
		w.send("GET /absent HTTP/1.1\r\nHost: molar.example\r\n\r\n")
		if got := w.reply().Header.Get("Strict-Transport-Security"); got != want {
			t.Errorf("%q: %q, want %q", public, got, want)
		}
	}
}

// TestClient believes X-Forwarded-For as far as trusted proxies wrote it.
func TestClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ proxies, forwarded, want string }{
		"no proxy is trusted":  {"10.0.0.0/8", "198.51.100.1", "127.0.0.1"},
		"one proxy":            {"127.0.0.0/8", "198.51.100.1", "198.51.100.1"},
		"a forged first entry": {"127.0.0.0/8", "1.1.1.1, 198.51.100.1", "198.51.100.1"},
		"two proxies":          {"127.0.0.0/8 10.0.0.0/8", "1.1.1.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"},
		"with ports":           {"127.0.0.0/8 10.0.0.0/8", "1.1.1.1:1, 198.51.100.1:4711, 10.0.0.2:80", "198.51.100.1"},
		"IPv6 with a port":     {"127.0.0.0/8", "[2001:db8::1]:4711", "2001:db8::1"},
		"IPv6 in brackets":     {"127.0.0.0/8", "[2001:db8::1]", "2001:db8::1"},
		"a host with a port":   {"127.0.0.0/8", "molar.example:80", "127.0.0.1"},
		"nonsense":             {"127.0.0.0/8", "1.1.1.1, nonsense", "127.0.0.1"},
		"nothing":              {"127.0.0.0/8", "", "127.0.0.1"},
	} {
		var o Options
		for _, p := range strings.Fields(c.proxies) {
			o.TrustedProxies = append(o.TrustedProxies, netip.MustParsePrefix(p))
		}
		s, err := newServer(o, []route{{http.MethodGet, "/client", caller.NeedNothing, noBody, func(x *exchange) (*reply, error) {
			return &reply{status: http.StatusOK, body: x.client().String()}, nil
		}}}, identifier{key: identify})
		if err != nil {
			t.Fatal(err)
		}
		w := dial(t, serve(t, s))
		w.send("GET /client HTTP/1.1\r\nHost: molar\r\nX-Forwarded-For: %s\r\n\r\n", c.forwarded)
		if a := w.reply(); strings.TrimSpace(a.body) != `"`+c.want+`"` {
			t.Errorf("%s: %s, want %s", name, a.body, c.want)
		}
	}
}

// TestRefusalsAreWatched is refused in several ways, from an address that a proxy names.
func TestRefusalsAreWatched(t *testing.T) {
	t.Parallel()
	s := startService(t, func(with *setup) { with.signIns = porttest.At(time.Now(), 0) }) // the sixth guess comes within a second of the fifth
	var log strings.Builder
	var mu sync.Mutex
	o := s.options
	registry := prometheus.NewRegistry()
	o.Metrics = registry
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	o.Log = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(b)
	}), nil))
	server, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	at := &service{access: s.access, addr: serve(t, server), key: s.key}
	headers := browserHeaders()
	headers["X-Forwarded-For"] = "198.51.100.7"
	signIn := func(body string) {
		at.do(t, call{method: "POST", path: "/sessions", header: headers, body: body})
	}
	signIn(`{"token":"` + caller.NewToken() + `"}`)
	for range 6 {
		signIn(`{"email":"nobody@example.com","password":"a wrong guess"}`)
	}
	for _, authorization := range []string{"", "Bearer molar_test_x"} {
		at.do(t, call{path: "/me", header: map[string]string{"Authorization": authorization, "X-Forwarded-For": "198.51.100.7"}, bad: true})
	}
	counted := counts(t, registry)
	for why, want := range map[billing.Refusal]float64{
		billing.RefusedLink: 1, billing.RefusedPassword: 5, billing.RefusedSlowed: 1, billing.RefusedNoKey: 1, billing.RefusedKey: 1, billing.RefusedExpiredKey: 0,
	} {
		mu.Lock()
		lines := strings.Count(log.String(), "reason="+string(why)+" address=198.51.100.7")
		mu.Unlock()
		if got, ok := counted["molar_access_refused_total reason="+string(why)]; got != want || !ok || lines != int(want) {
			t.Errorf("%s: counted %v, %d lines, want %v", why, got, lines, want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Contains(log.String(), "nobody@") || strings.Contains(log.String(), "guess") {
		t.Errorf("the log has who or what was tried: %s", log.String())
	}
}

type writerFunc func(b []byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

// TestOperatorsLinkIsMarked signs in with a link that an operator made. For 14 days the user
// can see it, and the audit marks what the session does.
func TestOperatorsLinkIsMarked(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	s := startService(t, func(with *setup) { with.now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) } })
	ann := s.visits(t, s.org, "ann@example.com", caller.RoleOwner)
	s.must(t, 200, ann.call(call{path: "/me"})).shows(t, "operator_sign_in", nil)
	var token string
	link := idempotency.Administration(s.test, "ben", func(i access.Invited) string { token = i.Token; return "" })
	if _, err := s.access.LinkUser(t.Context(), link, ann.user); err != nil {
		t.Fatal(err)
	}
	ben := s.enters(t, ann.user, fmt.Sprintf(`{"token":%q}`, token))
	s.must(t, 200, ben.call(call{path: "/me"})).shows(t, "operator_sign_in.operator", "ben", "operator_sign_in.current", true)
	porttest.Await(t, "the user's own session shows it", func() bool {
		return strings.Contains(s.must(t, 200, ann.call(call{path: "/me"})).body, `"operator":"ben","current":false`)
	})
	marked := 0
	for _, e := range s.audited(t, caller.AuditFilter{User: ann.user}) {
		if e.Operator == "ben" {
			marked++
		}
	}
	if marked != 2 { // the sign-in, and the request
		t.Errorf("%d entries name the operator", marked)
	}
	later.Store(int64(14*24*time.Hour + time.Minute))
	s.must(t, 200, ben.call(call{path: "/me"})).shows(t, "operator_sign_in", nil)
}
