package caller_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

func TestNormalEmail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" Ann.Lee@Example.COM ": "ann.lee@example.com", "a+b@x.y": "a+b@x.y",
		"": "", "ann": "", "a@b@c": "", "Ann <ann@x.y>": "", "<ann@x.y>": "", "a b@x.y": "", "a\r\n@x.y": "", "a@x.y,b@x.y": "",
	} {
		got, ok := caller.NormalEmail(text)
		if ok != (want != "") || ok && got != want {
			t.Errorf("NormalEmail(%q) = %q, %t", text, got, ok)
		}
	}
}

func TestUserChanges(t *testing.T) {
	t.Parallel()
	signedIn := time.Unix(1, 0)
	type change = caller.UserChange
	for name, c := range map[string]struct {
		role      caller.Role
		state     caller.UserState
		signedIn  time.Time
		other     caller.UserState // of another owner; empty for none
		change    change
		wantRole  caller.Role
		wantState caller.UserState
		ends      bool
		code      billing.Code
	}{
		"no change":                  {"owner", "active", signedIn, "", change{}, "owner", "active", false, ""},
		"the same role":              {"owner", "active", signedIn, "", change{Role: "owner"}, "owner", "active", false, ""},
		"another role":               {"biller", "active", signedIn, "", change{Role: "owner"}, "owner", "active", true, ""},
		"the last owner's role":      {"owner", "active", signedIn, "", change{Role: "biller"}, "owner", "active", false, billing.CodeConflict},
		"the last owner disabled":    {"owner", "active", signedIn, "", change{State: "disabled"}, "owner", "active", false, billing.CodeConflict},
		"beside an invited owner":    {"owner", "active", signedIn, "invited", change{State: "disabled"}, "owner", "active", false, billing.CodeConflict},
		"beside a disabled owner":    {"owner", "active", signedIn, "disabled", change{Role: "viewer"}, "owner", "active", false, billing.CodeConflict},
		"beside an owner":            {"owner", "active", signedIn, "active", change{Role: "viewer", State: "disabled"}, "viewer", "disabled", true, ""},
		"an invited owner":           {"owner", "invited", time.Time{}, "", change{State: "disabled"}, "owner", "disabled", true, ""},
		"enabled":                    {"biller", "disabled", signedIn, "", change{State: "active"}, "biller", "active", true, ""},
		"enabled before any use":     {"biller", "disabled", time.Time{}, "", change{State: "active"}, "biller", "invited", true, ""},
		"active while still invited": {"biller", "invited", time.Time{}, "", change{State: "active"}, "biller", "invited", false, ""},
	} {
		u := &caller.User{ID: billing.UserID{1}, Role: c.role, State: c.state, SignedInAt: c.signedIn}
		all := []*caller.User{u, {ID: billing.UserID{2}, Role: caller.RoleBiller, State: caller.UserActive}}
		if c.other != "" {
			all = append(all, &caller.User{ID: billing.UserID{3}, Role: caller.RoleOwner, State: c.other})
		}
		ends, err := u.Change(c.change, all)
		if (err != nil) != (c.code != "") || err != nil && billing.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
		if u.Role != c.wantRole || u.State != c.wantState || ends != c.ends {
			t.Errorf("%s: %s, %s, ends %t", name, u.Role, u.State, ends)
		}
	}
}

func TestCodesWorkOnce(t *testing.T) {
	t.Parallel()
	var a caller.Account
	codes, digests := caller.NewRecoveryCodes()
	a.SetTOTP("secret", 5, digests)
	for n, c := range []struct {
		step int64
		want bool
	}{{4, false}, {5, false}, {7, true}, {6, false}, {7, false}, {8, true}} {
		if got := a.UseStep(c.step); got != c.want {
			t.Errorf("use %d: UseStep(%d) = %t", n, c.step, got)
		}
	}
	if a.TOTPStep != 8 {
		t.Errorf("the last step is %d", a.TOTPStep)
	}
	seen := map[string]bool{}
	for _, code := range codes {
		if seen[code] || len(code) != 19 {
			t.Errorf("recovery code %q", code)
		}
		seen[code] = true
	}
	if !a.UseRecoveryCode(" "+code(codes[3])) || a.UseRecoveryCode(codes[3]) || len(a.RecoveryCodes) != len(codes)-1 || a.UseRecoveryCode("") {
		t.Errorf("%d codes are left of %d", len(a.RecoveryCodes), len(codes))
	}
}

// code returns a recovery code as a person may type it.
func code(c string) string { return string([]byte{c[0] | 0x20}) + c[1:4] + c[5:] }

func TestSessionTimes(t *testing.T) {
	t.Parallel()
	began := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		used, ended, now time.Duration
		want             bool
	}{
		"at first":         {0, 0, 0, true},
		"used lately":      {11 * time.Hour, 0, 11*time.Hour + 29*time.Minute, true},
		"idle":             {time.Hour, 0, time.Hour + 30*time.Minute, false},
		"after all":        {12*time.Hour - time.Minute, 0, 12 * time.Hour, false},
		"ended by request": {0, time.Second, 2 * time.Second, false},
	} {
		s := caller.Session{CreatedAt: began, UsedAt: began.Add(c.used)}
		if c.ended > 0 {
			s.EndedAt = began.Add(c.ended)
		}
		if got := s.Alive(began.Add(c.now)); got != c.want {
			t.Errorf("%s: alive %t", name, got)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	a, b := caller.NewToken(), caller.NewToken()
	if a == b || !caller.WellFormedToken(a) || caller.TokenDigest(a) == caller.TokenDigest(b) {
		t.Errorf("tokens %q and %q", a, b)
	}
	for _, bad := range []string{"", a[1:], a + "A", a[:42] + "!", "molar_test_x"} {
		if caller.WellFormedToken(bad) {
			t.Errorf("%q is well formed", bad)
		}
	}
}

// A name changes without ending sessions, and a session wants a password while there is none.
func TestNameAndPassword(t *testing.T) {
	t.Parallel()
	u := caller.User{Role: caller.RoleOwner, State: caller.UserActive}
	ends, err := u.Change(caller.UserChange{Name: new(" Ann Rivers ")}, []*caller.User{&u})
	if err != nil || ends || u.Name != "Ann Rivers" {
		t.Errorf("%q, ends %t, %v", u.Name, ends, err)
	}
	byInvitation, byPassword := caller.Session{WantsPassword: true}, caller.Session{}
	if !byInvitation.LacksPassword(&u) || byPassword.LacksPassword(&u) {
		t.Error("only the session of an invitation wants a password")
	}
	if u.HasPassword = true; byInvitation.LacksPassword(&u) {
		t.Error("a session wants a second password")
	}
}
