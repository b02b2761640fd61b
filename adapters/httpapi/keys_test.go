package httpapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestKeysOfAnOwner creates, lists and revokes keys of both modes in a session of one.
func TestKeysOfAnOwner(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	create := call{path: "/api_keys", body: `{"name":"Reports","mode":"live","permissions":["submit","read"]}`, idem: "reports"}
	made := s.must(t, 201, owner.call(create))
	made.shows(t, "object", "api_key", "name", "Reports", "mode", "live", "permissions.0", "read", "permissions.1", "submit", "revoked_at", nil, "secret_available", true)
	id, secret := made.text(t, "id"), made.text(t, "secret")
	if !strings.HasPrefix(secret, "molar_live_") || made.text(t, "last_four") != secret[len(secret)-4:] {
		t.Errorf("key %s", made.body)
	}
	replay := s.must(t, 201, owner.call(create))
	if replay.shows(t, "id", id, "secret_available", false); replay.Header.Get("Idempotent-Replayed") != "true" || strings.Contains(replay.body, "secret\":\"") || strings.Contains(replay.body, secret) {
		t.Errorf("replay %s", replay.body)
	}
	create.body = strings.Replace(create.body, "live", "test", 1)
	wantStatus(t, s.do(t, owner.call(create)), 422, billing.CodeIdempotencyKeyReused)

	s.must(t, 200, call{path: "/me", key: secret}).shows(t, "mode", "live", "key.id", id)
	s.must(t, 200, owner.call(call{path: "/api_keys?limit=1"})).shows(t, "data.0.id", id)
	for _, mode := range []string{"test", "live"} { // a session of each mode sees the keys of both
		seen, next := 0, ""
		for ok := true; ok; ok = next != "" {
			page := s.must(t, 200, owner.with("Molar-Mode", mode).call(call{path: "/api_keys?limit=1" + next}))
			if next = ""; page.get(t, "next_cursor") != nil {
				next = "&cursor=" + page.text(t, "next_cursor")
			}
			seen++
		}
		if seen != 4 {
			t.Errorf("%d keys in %s mode", seen, mode)
		}
	}
	s.must(t, 200, call{path: "/events?resource_id=" + id, key: secret}).shows(t, "data.0.type", "api_key.created", "data.0.data.mode", "live")
	if ids := s.walk(t, "/events?resource_id="+id); len(ids) != 0 {
		t.Errorf("events in test mode: %v", ids)
	}

	other, err := s.access.Authenticate(t.Context(), s.other, netip.Addr{})
	if err != nil {
		t.Fatal(err)
	}
	stranger := s.visits(t, other.Scope.Org, "owner@example.com", caller.RoleOwner)
	if all := s.must(t, 200, stranger.call(call{path: "/api_keys"})); strings.Contains(all.body, id) || strings.Contains(all.body, "secret") {
		t.Errorf("another owner sees %s", all.body)
	}
	for _, absent := range []string{id, "x", "key_" + strings.Repeat("0", 26), s.office.String()} {
		wantStatus(t, s.do(t, stranger.call(call{method: "POST", path: "/api_keys/" + absent + "/revoke", bad: true})), 404, billing.CodeNotFound)
	}

	revoked := s.must(t, 200, owner.call(call{method: "POST", path: "/api_keys/" + id + "/revoke"}))
	for s.do(t, call{path: "/me", key: secret}).StatusCode != http.StatusUnauthorized {
	}
	s.must(t, 200, owner.call(call{method: "POST", path: "/api_keys/" + id + "/revoke"})).shows(t, "revoked_at", revoked.text(t, "revoked_at"))
	s.must(t, 200, call{path: "/events?resource_id=" + id, key: s.live}).shows(t, "data.0.type", "api_key.revoked", "data.1.type", "api_key.created", "data.1.sequence", 1.0)
}

// TestKeysAreRefused sends bodies without a valid key.
func TestKeysAreRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	for body, want := range map[string]string{
		`{}`: "name required, mode required, permissions required",
		`{"name":" ","mode":"prod","permissions":[]}`:                 "name required, mode not_allowed, permissions required",
		`{"name":"k","mode":"test","permissions":["read","fly"]}`:     "permissions.1 not_allowed",
		`{"name":"k","mode":"test","permissions":["read"],"org":"x"}`: "org unknown",
		`{"name":"k\u0007","mode":"test","permissions":["read"]}`:     "name format",
		`{"name":"k","mode":"test","permissions":["read"],"expires_at":"2020-01-01T00:00:00Z","allowed_addresses":["here","10.0.0.0/8","::ffff:10.0.0.0/104"]}`: "allowed_addresses.0 format, allowed_addresses.2 format, expires_at range",
		`{"name":"k","mode":"test","permissions":["read"],"expires_at":"tomorrow","allowed_addresses":[` + strings.Repeat(`"10.0.0.1",`, 20) + `"10.0.0.2"]}`:   "expires_at format, allowed_addresses too_many",
		fmt.Sprintf(`{"name":%q,"mode":"test","permissions":["read"]}`, strings.Repeat("k", 201)):                                                               "name too_long",
	} {
		a := s.do(t, owner.call(call{path: "/api_keys", body: body, bad: true}))
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if got := strings.Join(a.fields(t), ", "); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if n := strings.Count(s.must(t, 200, owner.call(call{path: "/api_keys"})).body, `"key_`); n != 3 {
		t.Errorf("%d keys", n)
	}
}

// TestKeysWithLimits makes keys that expire, and that work from some addresses. The reply
// says which limit refuses a request, also one with a body, and a stream ends.
func TestKeysWithLimits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	create := func(more string) (id, secret string) {
		a := s.must(t, 201, owner.call(call{path: "/api_keys", body: `{"name":"Limited","mode":"test","permissions":["read","submit"],` + more + `}`}))
		return a.text(t, "id"), a.text(t, "secret")
	}
	listed := func(id string) map[string]any {
		for _, k := range s.must(t, 200, owner.call(call{path: "/api_keys?limit=100"})).get(t, "data").([]any) {
			if k := k.(map[string]any); k["id"] == id {
				return k
			}
		}
		return nil
	}
	here, secret := create(`"allowed_addresses":["127.0.0.1","127.0.0.0/8","2001:db8::/48"],"expires_at":"2999-01-01T00:00:00+01:00"`)
	s.must(t, 200, call{path: "/me", key: secret})
	if err := s.access.StoreUses(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := listed(here)
	if fmt.Sprint(k["allowed_addresses"]) != "[127.0.0.1/32 127.0.0.0/8 2001:db8::/48]" || k["expires_at"] != "2998-12-31T23:00:00.000000+00:00" ||
		k["created_by"] != owner.user.String() || k["last_used_at"] == nil || k["last_used_from"] != "127.0.0.1" {
		t.Errorf("key %v", k)
	}
	elsewhere, away := create(`"allowed_addresses":["203.0.113.0/24"]`)
	for _, c := range []call{{path: "/me", key: away}, {method: "POST", path: "/eligibility", key: away, body: "{}", bad: true}} {
		a := s.do(t, c)
		wantStatus(t, a, 401, billing.CodeUnauthorized)
		if !strings.Contains(a.body, "does not work from the address 127.0.0.1") {
			t.Errorf("%s: %s", c.path, a.body)
		}
	}
	if err := s.access.StoreUses(t.Context()); err != nil || listed(elsewhere)["last_used_at"] != nil {
		t.Errorf("a refused use counts: %v, %v", listed(elsewhere), err)
	}
	_, soon := create(`"expires_at":"` + time.Now().Add(3*time.Second).UTC().Format(time.RFC3339Nano) + `"`)
	stream := s.follow(t, map[string]string{"Authorization": "Bearer " + soon})
	var last response
	for last = s.do(t, call{path: "/me", key: soon}); last.StatusCode == http.StatusOK; last = s.do(t, call{path: "/me", key: soon}) {
	}
	wantStatus(t, last, 401, billing.CodeUnauthorized)
	if !strings.Contains(last.body, "This API key expired at ") {
		t.Errorf("expired: %s", last.body)
	}
	stream.ends()
}

// TestKeysOfADisabledUser disables an owner, who leaves keys behind.
func TestKeysOfADisabledUser(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ann, ben := s.visits(t, s.org, "ann@example.com", caller.RoleOwner), s.visits(t, s.org, "ben@example.com", caller.RoleOwner)
	create := func(mode string) string {
		return s.must(t, 201, ben.call(call{path: "/api_keys", body: `{"name":"Ben's","mode":"` + mode + `","permissions":["read"]}`})).text(t, "id")
	}
	first, second, gone := create("test"), create("live"), create("test")
	s.must(t, 200, ben.call(call{method: "POST", path: "/api_keys/" + gone + "/revoke"}))
	change := func(body string) response {
		return s.must(t, 200, ann.call(call{method: "PATCH", path: "/users/" + ben.user.String(), body: body}))
	}
	if viewer := change(`{"role":"viewer"}`); strings.Contains(viewer.body, "working_keys") {
		t.Errorf("another role: %s", viewer.body)
	}
	for range 2 { // also when the user is disabled already
		disabled := change(`{"state":"disabled"}`)
		disabled.shows(t, "working_keys.0.id", first, "working_keys.1.id", second, "working_keys.1.mode", "live")
		if strings.Contains(disabled.body, gone) {
			t.Errorf("a revoked key: %s", disabled.body)
		}
	}
}
