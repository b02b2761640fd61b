package httpapi

import (
	"encoding/base32"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestSecretsStaySecret uses every secret that a person can have, rightly and wrongly.
// Only the reply that makes one shows it, and the log shows none.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	log := &syncBuffer{}
	s := startService(t, func(with *setup) {
		with.log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	secrets := map[string]string{"password": password, "wrong password": "a wrong guess 77", "wrong token": caller.NewToken()}
	for part := range strings.SplitSeq(owner.headers["Cookie"], "; ") {
		name, value, _ := strings.Cut(part, "=")
		secrets[name] = value
	}
	seed := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code, err := totp.GenerateCode(seed, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	secrets["seed"] = seed
	invite := owner.call(call{path: "/users", body: `{"email":"ann@example.com","role":"owner"}`, idem: "invite"})
	_, secrets["link"], _ = strings.Cut(s.must(t, 201, invite).text(t, "sign_in_url"), "#")
	create := owner.call(call{path: "/api_keys", body: `{"name":"k","mode":"test","permissions":["read"]}`, idem: "key"})
	secrets["key"] = s.must(t, 201, create).text(t, "secret")
	hooked := owner.call(call{path: "/webhook_endpoints", body: hook("/secrets", nil), idem: "hook"})
	secrets["webhook"] = s.must(t, 200, hooked).text(t, "secret")
	ann := s.enters(t, billing.UserID{}, fmt.Sprintf(`{"token":%q}`, secrets["link"]))
	prove := ann.call(call{
		method: "PATCH", path: "/users/" + s.must(t, 200, ann.call(call{path: "/me"})).text(t, "user", "id"), idem: "prove",
		body: fmt.Sprintf(`{"password":%q,"totp_secret":%q,"totp":%q}`, password, seed, code),
	})
	secrets["recovery code"] = s.must(t, 200, prove).text(t, "recovery_codes", "0")
	used := fmt.Sprintf(`{"email":"ann@example.com","password":%q,"totp":%q}`, password, secrets["recovery code"])
	ann = s.enters(t, billing.UserID{}, used)

	var replies []response
	for _, again := range []call{invite, create, hooked, prove} {
		if again.idem == "prove" {
			again.header = nil // of the session that the change ended
			again = ann.call(again)
		}
		replies = append(replies, s.do(t, again))
	}
	for _, body := range []string{
		used, fmt.Sprintf(`{"token":%q}`, secrets["link"]), fmt.Sprintf(`{"token":%q}`, secrets["wrong token"]),
		fmt.Sprintf(`{"email":"ann@example.com","password":%q}`, secrets["wrong password"]), fmt.Sprintf(`{"token":%q,"password":%q}`, secrets["link"], password),
	} {
		replies = append(replies, s.do(t, call{method: "POST", path: "/sessions", body: body, header: browserHeaders(), bad: true}))
	}
	for _, path := range []string{"/me", "/users", "/sessions", "/api_keys", "/webhook_endpoints", "/events", "/requests", "/audit_entries", "/connections"} {
		replies = append(replies, s.must(t, 200, owner.call(call{path: path})), s.do(t, call{path: path, key: secrets["key"], bad: true}))
	}
	for name, secret := range secrets {
		for _, a := range replies {
			if strings.Contains(a.body, secret) || strings.Contains(fmt.Sprint(a.Header), secret) {
				t.Errorf("%s %s shows the %s: %s", a.Request.Method, a.Request.URL.Path, name, a.body)
			}
		}
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log shows the %s", name)
		}
	}
	if !strings.Contains(log.String(), "request completed") {
		t.Error("the log is empty")
	}
}
