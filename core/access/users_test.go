package access_test

import (
	"context"
	"encoding/base32"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/adapters/credentials"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

const goodPassword = "Crowns and bridges 14"

// counted counts the hashes that it computes.
type counted struct {
	ports.Credentials
	hashes atomic.Int32
	cheap  bool          // where many guesses are hashed
	held   chan struct{} // hashes of wrong guesses end when it is closed; nil for at once
}

func (c *counted) Hash(email, password string) string {
	c.hashes.Add(1)
	if c.held != nil && strings.Contains(password, "wrong guess") {
		<-c.held
	}
	if c.cheap {
		return fmt.Sprintf("%x", c.MAC(email+password))
	}
	return c.Credentials.Hash(email, password)
}

// people is a practice whose users sign in.
type people struct {
	t           *testing.T
	store       ports.Store
	s           *access.Service
	clock       *porttest.Clock
	credentials *counted
	scope       billing.Scope
	keys        int
}

func newPeople(t *testing.T) *people {
	t.Helper()
	c := porttest.At(time.Now(), 0)
	p := &people{t: t, clock: c, credentials: &counted{Credentials: credentials.New([32]byte{1})}}
	p.store = pgtest.Clocked{Store: pgtest.Open(t), Clock: c}
	p.s = access.New(p.store, porttest.Payers(t), c, p.credentials)
	p.scope = p.organization()
	return p
}

func (p *people) organization() billing.Scope {
	p.t.Helper()
	org, err := p.s.CreateOrganization(p.t.Context(), "Demo Dental")
	if err != nil {
		p.t.Fatal(err)
	}
	return billing.Scope{Org: org.ID, Mode: billing.ModeTest}
}

// wrote returns a call with a new key, and what it shows first.
func wrote[T any](p *people, shown *T) idempotency.Write[T] {
	p.keys++
	return idempotency.Write[T]{
		Call: caller.Call{Scope: p.scope, Request: caller.Request{Key: fmt.Sprint("k", p.keys)}},
		Render: func(made T, _ error) caller.Reply {
			*shown = made
			return caller.Reply{Status: 200, Body: fmt.Appendf(nil, "%+v", made)}
		},
	}
}

func (p *people) invite(email string, role caller.Role) access.Invited {
	p.t.Helper()
	var made access.Invited
	p.clock.Advance(time.Millisecond)
	if _, err := p.s.InviteUser(p.t.Context(), wrote(p, &made), email, "", role); err != nil {
		p.t.Fatal(err)
	}
	return made
}

func from(address string) access.SignIn {
	now := time.Now()
	entry := caller.AuditEntry{ID: billing.NewID[billing.AuditEntryID](billing.RealAt(now)), Address: address, Operation: "POST /sessions", Status: 201, CreatedAt: now}
	return access.SignIn{Address: netip.MustParseAddr(address), Agent: "curl/8", Entry: entry}
}

func (p *people) signIn(in access.SignIn) *access.SignedIn {
	p.t.Helper()
	out, err := p.s.SignIn(p.t.Context(), in)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p *people) byLink(token string) *access.SignedIn {
	p.t.Helper()
	in := from("192.0.2.1")
	in.Token = token
	return p.signIn(in)
}

// password signs in with a password.
func (p *people) password(email, password, code, address, browser string) (*access.SignedIn, error) {
	in := from(address)
	in.Email, in.Password, in.TOTP, in.Browser = email, password, code, browser
	return p.s.SignIn(p.t.Context(), in)
}

func (p *people) resume(in *access.SignedIn) *caller.Caller {
	p.t.Helper()
	c, err := p.s.Resume(p.t.Context(), in.Secret, billing.ModeTest, false)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// ended checks that a session stops within two seconds.
func (p *people) ended(what string, in *access.SignedIn) {
	p.t.Helper()
	p.clock.Advance(2 * time.Second)
	for _, background := range []bool{true, false} {
		if _, err := p.s.Resume(p.t.Context(), in.Secret, billing.ModeTest, background); billing.CodeOf(err) != billing.CodeUnauthorized {
			p.t.Errorf("%s: the session goes on: %v", what, err)
		}
	}
}

// withPassword invites a user, who signs in and chooses the password.
func (p *people) withPassword(email string, role caller.Role) *caller.User {
	p.t.Helper()
	in := p.byLink(p.invite(email, role).Token)
	var shown access.UserWithCodes
	_, err := p.s.ChangeCredentials(p.t.Context(), wrote(p, &shown), p.resume(in), access.CredentialsChange{Password: new(goodPassword)})
	if err != nil || !shown.User.HasPassword {
		p.t.Fatalf("%+v, %v", shown, err)
	}
	if c := p.resume(in); c.Session.LacksPassword(c.User) {
		p.t.Error("the session still wants a password")
	}
	return in.User
}

func wantCode(t *testing.T, what string, err error, code billing.Code) {
	t.Helper()
	if err == nil || billing.CodeOf(err) != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	var shown access.Invited
	call := wrote(p, &shown)
	first, err := p.s.InviteUser(t.Context(), call, " Ann@Example.com ", " Ann Rivers ", caller.RoleOwner)
	made := shown
	if err != nil || made.User.Email != "ann@example.com" || made.User.Name != "Ann Rivers" || made.User.State != caller.UserInvited || made.Token == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := p.s.InviteUser(t.Context(), call, "ann@example.com", "", caller.RoleOwner)
	if err != nil || !again.Replayed || strings.Contains(string(again.Body), made.Token) || !strings.Contains(string(first.Body), made.Token) {
		t.Errorf("replay %s, %v", again.Body, err)
	}
	_, err = p.s.InviteUser(t.Context(), wrote(p, &shown), "ANN@example.com", "", caller.RoleViewer)
	wantCode(t, "the same address", err, billing.CodeConflict)
	_, err = p.s.InviteUser(t.Context(), wrote(p, &shown), "ann", "\x1b", "king")
	if faults(err) != "name format, email format, role not_allowed" {
		t.Errorf("faults %v", err)
	}
	p.clock.Advance(47 * time.Hour)
	in := p.byLink(made.Token)
	if c := p.resume(in); c.User.State != caller.UserActive || c.Scope != p.scope || c.Principal.Type != caller.PrincipalUser {
		t.Errorf("caller %+v", c)
	}
	for name, token := range map[string]string{
		"the link again": made.Token, "no token": "x", "another": caller.NewToken(), "of a session": in.Secret,
	} {
		again := from("192.0.2.1")
		again.Token = token
		_, err := p.s.SignIn(t.Context(), again)
		wantCode(t, name, err, billing.CodeUnauthorized)
	}
	_, err = p.s.InviteAgain(t.Context(), wrote(p, &shown), made.User.ID)
	wantCode(t, "inviting an active user", err, billing.CodeConflict)

	ben := p.invite("ben@example.com", caller.RoleBiller)
	if _, err := p.s.InviteAgain(t.Context(), wrote(p, &shown), ben.User.ID); err != nil {
		t.Fatal(err)
	}
	late, old := from("192.0.2.1"), from("192.0.2.1")
	late.Token, old.Token = shown.Token, ben.Token
	_, err = p.s.SignIn(t.Context(), old)
	wantCode(t, "an earlier invitation", err, billing.CodeUnauthorized)
	p.clock.Advance(48 * time.Hour)
	_, err = p.s.SignIn(t.Context(), late)
	wantCode(t, "an expired invitation", err, billing.CodeUnauthorized)
}

// TestSessionsEnd ends sessions in every way.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	ben := p.withPassword("ben@example.com", caller.RoleBiller)
	enter := func(u *caller.User) *access.SignedIn {
		in, err := p.password(u.Email, goodPassword, "", "192.0.2.1", "")
		if err != nil {
			t.Fatal(err)
		}
		p.resume(in)
		return in
	}
	var user access.Changed
	change := func(c caller.UserChange) {
		t.Helper()
		if _, err := p.s.ChangeUser(t.Context(), wrote(p, &user), ben.ID, c); err != nil {
			t.Fatal(err)
		}
	}
	in := enter(ben)
	change(caller.UserChange{Role: caller.RoleViewer})
	p.ended("another role", in)
	in = enter(ben)
	change(caller.UserChange{State: caller.UserDisabled})
	p.ended("disabled", in)
	_, err := p.password(ben.Email, goodPassword, "", "192.0.2.1", "")
	wantCode(t, "a disabled user", err, billing.CodeUnauthorized)
	change(caller.UserChange{State: caller.UserActive})

	in = enter(ben)
	var invited access.Invited
	if _, err := p.s.ResetUser(t.Context(), wrote(p, &invited), ben.ID); err != nil {
		t.Fatal(err)
	}
	p.ended("reset", in)
	_, err = p.password(ben.Email, goodPassword, "", "192.0.2.1", "")
	wantCode(t, "the password before the reset", err, billing.CodeUnauthorized)
	bens := p.byLink(invited.Token)

	owners, anns := p.resume(enter(ann)), enter(ann)
	all, _, err := p.s.ListSessions(t.Context(), owners, billing.Page{Limit: 10})
	if err != nil || len(all) != 4 { // with the one in which the owner chose a password
		t.Errorf("an owner sees %d sessions, %v", len(all), err)
	}
	all, _, err = p.s.ListSessions(t.Context(), p.resume(bens), billing.Page{Limit: 10})
	if err != nil || len(all) != 1 || all[0].ID != bens.Session.ID {
		t.Errorf("a biller sees %d sessions, %v", len(all), err)
	}
	var id billing.SessionID
	_, err = p.s.EndSession(t.Context(), wrote(p, &id), p.resume(bens), anns.Session.ID)
	wantCode(t, "ending the owner's session", err, billing.CodeNotFound)
	for _, s := range []*access.SignedIn{anns, bens} {
		if _, err = p.s.EndSession(t.Context(), wrote(p, &id), owners, s.Session.ID); err != nil {
			t.Error(err)
		}
		p.ended("by the owner", s)
	}
	_, err = p.s.ChangeUser(t.Context(), wrote(p, &user), ann.ID, caller.UserChange{Role: caller.RoleViewer})
	wantCode(t, "the last owner", err, billing.CodeConflict)
}

// TestIdleSessions lets requests of a person keep a session for twelve hours, and
// those of a page for half an hour.
func TestIdleSessions(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.withPassword("ann@example.com", caller.RoleOwner)
	for background, want := range map[bool]time.Duration{true: caller.SessionIdleTime, false: caller.SessionTime} {
		in, err := p.password("ann@example.com", goodPassword, "", "192.0.2.1", "")
		if err != nil {
			t.Fatal(err)
		}
		lasted := time.Duration(0)
		for ; lasted < 24*time.Hour; lasted += 5 * time.Minute {
			if _, err := p.s.Resume(t.Context(), in.Secret, billing.ModeLive, background); err != nil {
				break
			}
			p.clock.Advance(5 * time.Minute)
		}
		if lasted != want {
			t.Errorf("in the background %t: the session lasted %s, want %s", background, lasted, want)
		}
	}
	if n, err := p.s.ForgetSessions(t.Context()); n != 0 || err != nil {
		t.Errorf("%d were forgotten, %v", n, err)
	}
	p.clock.Advance(7 * 24 * time.Hour)
	if n, err := p.s.ForgetSessions(t.Context()); n != 4 || err != nil { // three sessions and a link
		t.Errorf("%d were forgotten, %v", n, err)
	}
}

// TestCodes turns on a second factor. Each code works once.
func TestCodes(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	in, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", "")
	if err != nil {
		t.Fatal(err)
	}
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code := func() string {
		t.Helper()
		c, err := totp.GenerateCode(secret, p.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var shown access.UserWithCodes
	by := p.resume(in)
	for want, bad := range map[string]access.CredentialsChange{
		"current_password required":    {TOTPSecret: &secret, TOTP: code()},
		"current_password not_allowed": {Current: "another password", TOTPSecret: &secret, TOTP: code()},
		"totp not_allowed":             {Current: goodPassword, TOTPSecret: &secret, TOTP: "000000"},
		"totp_secret format":           {Current: goodPassword, TOTPSecret: new("AAAA"), TOTP: code()},
		"password too_few":             {Current: goodPassword, Password: new("short")},
		"password not_allowed":         {Current: goodPassword, Password: new("1Q2W3E4r5t6y")},
		"password too_long":            {Current: goodPassword, Password: new(strings.Repeat("p", 129))},
	} {
		if _, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), by, bad); faults(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	used := code()
	call := wrote(p, &shown)
	if _, err := p.s.ChangeCredentials(t.Context(), call, by, access.CredentialsChange{Current: goodPassword, TOTPSecret: &secret, TOTP: used}); err != nil {
		t.Fatal(err)
	}
	recovery := shown.RecoveryCodes
	again, err := p.s.ChangeCredentials(t.Context(), call, by, access.CredentialsChange{Current: goodPassword, TOTPSecret: &secret, TOTP: used})
	if err != nil || len(recovery) != 10 || !again.Replayed || strings.Contains(string(again.Body), recovery[0]) {
		t.Errorf("recovery codes %v, then %s, %v", recovery, again.Body, err)
	}
	p.clock.Advance(time.Minute)
	for n, c := range []struct {
		code string
		want bool
	}{
		{"", false},
		{used, false},
		{code(), true},
		{code(), false}, // once
		{recovery[4], true},
		{recovery[4], false},
		{strings.ToLower(recovery[5]), true},
	} {
		_, err := p.password(ann.Email, goodPassword, c.code, fmt.Sprintf("192.0.2.%d", n+1), "")
		if (err == nil) != c.want {
			t.Errorf("attempt %d: %v", n, err)
		}
	}
}

// TestWeakPasswords chooses passwords that people choose most. One that was chosen when
// it was still allowed works, and the session knows that it is weak.
func TestWeakPasswords(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	ann := p.withPassword("ann.smith@example.com", caller.RoleOwner)
	in, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", "")
	if err != nil || in.Session.PasswordWeak {
		t.Fatalf("a good password: %+v, %v", in, err)
	}
	by := p.resume(in)
	for _, weak := range []string{
		"123456789012", "            ", "Password2026", "P@ssw0rd2026!", "Welcome12345", "Summer2026!!!", "qwertyuiop12", "aaaaaaaaaaaa",
		"abcdefghijkl", "iloveyou2026", "jennifer1985", "letmein12345", "1q2w3e4r5t6y", "Demo Dental 26", "molarmolar12", "ann.smith@example.com",
		"ann.smith2026", strings.Repeat("password", 9), strings.Repeat("a", 72) + "tooth fairies and drills",
	} {
		var shown access.UserWithCodes
		_, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), by, access.CredentialsChange{Current: goodPassword, Password: &weak})
		if faults(err) != "password not_allowed" {
			t.Errorf("%q: %v", weak, err)
		}
		porttest.In(t, p.store, p.scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Users.SetPassword(ctx, ann.ID, p.credentials.Hash(ann.Email, weak))
		})
		if old, err := p.password(ann.Email, weak, "", "192.0.2.1", in.Browser); err != nil || !old.Session.PasswordWeak || !p.resume(old).Session.PasswordWeak {
			t.Errorf("%q from before: %+v, %v", weak, old, err)
		}
		porttest.In(t, p.store, p.scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Users.SetPassword(ctx, ann.ID, p.credentials.Hash(ann.Email, goodPassword))
		})
	}
}

// TestEnumeration compares what a stranger sees of accounts that exist and of
// those that do not: the text, and the hashes, which are all of the time.
func TestEnumeration(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	p.withPassword("gone@example.com", caller.RoleBiller)
	p.invite("new@example.com", caller.RoleBiller)
	gone, err := p.s.FindUsers(t.Context(), "gone@example.com")
	if err != nil || len(gone) != 1 {
		t.Fatalf("%v, %v", gone, err)
	}
	var user access.Changed
	if _, err := p.s.ChangeUser(t.Context(), wrote(p, &user), gone[0].ID, caller.UserChange{State: caller.UserDisabled}); err != nil {
		t.Fatal(err)
	}
	first := p.scope
	p.scope = p.organization()
	p.withPassword("twice@example.com", caller.RoleOwner)
	p.scope = first
	p.withPassword("twice@example.com", caller.RoleOwner)
	text := ""
	for n, email := range []string{ann.Email, "gone@example.com", "new@example.com", "twice@example.com", "absent@example.com", "", "no address"} {
		before := p.credentials.hashes.Load()
		_, err := p.password(email, "another password", "", fmt.Sprintf("198.51.100.%d", n+1), "")
		if text == "" {
			text = err.Error()
		}
		if hashes := p.credentials.hashes.Load() - before; hashes != 1 || err.Error() != text || billing.CodeOf(err) != billing.CodeUnauthorized {
			t.Errorf("%q: %d hashes, %v", email, hashes, err)
		}
	}
	for _, known := range []string{ann.Email, "absent@example.com"} { // and when attempts must wait
		n := 0
		for ; n < 50; n++ {
			if _, err := p.password(known, "another password", "", "203.0.113."+map[bool]string{true: "1", false: "2"}[known == ann.Email], ""); billing.CodeOf(err) == billing.CodeTooManyRequests {
				break
			}
		}
		if n != 5 {
			t.Errorf("%s: %d attempts before the first wait", known, n)
		}
	}
}

// TestBruteForce guesses from many addresses, and at many accounts. It never keeps
// out a person whose browser has signed in before.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	other := p.invite("other@example.com", caller.RoleOwner).User.ID.String()
	p.withPassword("ann@example.com", caller.RoleOwner)
	home, err := p.password("ann@example.com", goodPassword, "", "192.0.2.1", "")
	if err != nil {
		t.Fatal(err)
	}
	guesses := func(email, address string, each func(n int) (string, string)) (tried int) {
		for n := range 1000 {
			e, a := email, address
			if each != nil {
				e, a = each(n)
			}
			_, err := p.password(e, "a wrong guess", "", a, "")
			if billing.CodeOf(err) == billing.CodeTooManyRequests {
				return n
			}
		}
		return 1000
	}
	botnet := guesses("", "", func(n int) (string, string) {
		return "ann@example.com", fmt.Sprintf("10.%d.%d.1", n/250, n%250)
	})
	if botnet != 10 {
		t.Errorf("%d guesses from many addresses", botnet)
	}
	if _, err := p.password("ann@example.com", goodPassword, "", "192.0.2.7", ""); billing.CodeOf(err) != billing.CodeTooManyRequests {
		t.Errorf("a new browser does not wait: %v", err)
	}
	for _, forged := range []string{"x.y", home.Browser + "x", other + home.Browser[len(other):]} {
		if _, err := p.password("ann@example.com", goodPassword, "", "192.0.2.8", forged); billing.CodeOf(err) != billing.CodeTooManyRequests {
			t.Errorf("a forged browser does not wait: %v", err)
		}
	}
	if _, err := p.password("ann@example.com", goodPassword, "", "192.0.2.1", home.Browser); err != nil {
		t.Errorf("the person is kept out: %v", err)
	}
	if _, err := p.password("ben@example.com", "a wrong guess", "", "192.0.2.9", home.Browser); billing.CodeOf(err) != billing.CodeUnauthorized {
		t.Errorf("a browser of another account: %v", err)
	}
	p.clock.Advance(time.Minute)
	if _, err := p.password("ann@example.com", goodPassword, "", "192.0.2.7", ""); err != nil {
		t.Errorf("a new browser waits longer than a minute: %v", err)
	}
	for address, each := range map[string]func(n int) (string, string){
		"an IPv4 address":  func(n int) (string, string) { return fmt.Sprintf("u%d@example.com", n), "198.51.100.7" },
		"a mapped address": func(n int) (string, string) { return fmt.Sprintf("v%d@example.com", n), "::ffff:198.51.100.8" },
		"an IPv6 network": func(n int) (string, string) {
			return fmt.Sprintf("w%d@example.com", n), fmt.Sprintf("2001:db8::%x", n+1)
		},
		"a stolen cookie": func(n int) (string, string) { return fmt.Sprintf("x%d@example.com", n), "198.51.100.9" },
		"another /64 of one": func(n int) (string, string) {
			return fmt.Sprintf("y%d@example.com", n), fmt.Sprintf("2001:db8:0:1::%x", n+1)
		},
	} {
		if n := guesses("", "", each); n != 30 {
			t.Errorf("%s guessed at %d accounts", address, n)
		}
	}
	// Attempts at once do not slip through.
	var slow atomic.Int32
	results := make(chan error, 20)
	for range 20 {
		go func() {
			_, err := p.password("eve@example.com", "a wrong guess", "", "198.51.100.20", "")
			results <- err
		}()
	}
	for range 20 {
		if billing.CodeOf(<-results) == billing.CodeTooManyRequests {
			slow.Add(1)
		}
	}
	if slow.Load() != 15 {
		t.Errorf("%d of 20 attempts at once had to wait, want 15", slow.Load())
	}
}

// An owner resets others, and changes the own password in the settings only: the reset asks
// for no proof.
func TestAnOwnerDoesNotResetItself(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	var shown access.Invited
	call := wrote(p, &shown)
	call.Principal = caller.Principal{Type: caller.PrincipalUser, ID: ann.ID.String()}
	_, err := p.s.ResetUser(t.Context(), call, ann.ID)
	wantCode(t, "the own account", err, billing.CodeConflict)
}
