package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// TestKeysOfAnOwner creates, lists and revokes keys of both modes in a session of one.
func TestKeysOfAnOwner(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", billing.RoleOwner)
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

	other, err := s.access.Authenticate(t.Context(), s.other)
	if err != nil {
		t.Fatal(err)
	}
	stranger := s.visits(t, other.Scope.Org, "owner@example.com", billing.RoleOwner)
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
	owner := s.visits(t, s.org, "owner@example.com", billing.RoleOwner)
	for body, want := range map[string]string{
		`{}`: "name required, mode required, permissions required",
		`{"name":" ","mode":"prod","permissions":[]}`:                                             "name required, mode not_allowed, permissions required",
		`{"name":"k","mode":"test","permissions":["read","fly"]}`:                                 "permissions.1 not_allowed",
		`{"name":"k","mode":"test","permissions":["read"],"org":"x"}`:                             "org unknown",
		`{"name":"k\u0007","mode":"test","permissions":["read"]}`:                                 "name format",
		fmt.Sprintf(`{"name":%q,"mode":"test","permissions":["read"]}`, strings.Repeat("k", 201)): "name too_long",
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
