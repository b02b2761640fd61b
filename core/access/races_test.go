package access_test

import (
	"encoding/base32"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
)

// person is a user with a password and a second factor.
type person struct {
	*caller.User
	secret   string
	recovery []string
}

// withCodes invites a user, who chooses a password and a second factor.
func (p *people) withCodes(email string, role caller.Role) person {
	p.t.Helper()
	out := person{secret: base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))}
	in := p.byLink(p.invite(email, role).Token)
	var shown access.UserWithCodes
	if _, err := p.s.ChangeCredentials(p.t.Context(), wrote(p, &shown), p.resume(in), access.CredentialsChange{
		Password: new(goodPassword), TOTPSecret: &out.secret, TOTP: p.code(out.secret),
	}); err != nil {
		p.t.Fatal(err)
	}
	out.User, out.recovery = in.User, shown.RecoveryCodes
	p.clock.Advance(time.Minute) // the code of the next step
	return out
}

func (p *people) code(secret string) string {
	p.t.Helper()
	code, err := totp.GenerateCode(secret, p.clock.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	return code
}

// TestOnce does at once, many times, what may happen once.
func TestOnce(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withCodes("ann@example.com", caller.RoleOwner)
	ben := p.withCodes("ben@example.com", caller.RoleOwner)
	token, code := p.invite("cat@example.com", caller.RoleViewer).Token, p.code(ann.secret)
	with := func(u person, code string) func(n int) error {
		return func(n int) error {
			_, err := p.password(u.Email, goodPassword, code, fmt.Sprintf("198.51.100.%d", n), "")
			return err
		}
	}
	owners := []*caller.Caller{p.resume(p.entered(ann, ann.recovery[9])), p.resume(p.entered(ben, ben.recovery[9]))}
	var shown [2]access.Changed
	demotions := []idempotency.Write[access.Changed]{by(p, owners[0], &shown[0]), by(p, owners[1], &shown[1])}
	for _, c := range []struct {
		name  string
		times int
		do    func(n int) error
		other billing.Code // of all but one
	}{
		{"a sign-in link", 8, func(int) error {
			in := from("198.51.100.1")
			in.Token = token
			_, err := p.s.SignIn(t.Context(), in)
			return err
		}, billing.CodeUnauthorized},
		{"a code", 5, with(ann, code), billing.CodeUnauthorized},
		{"a recovery code", 5, with(ben, ben.recovery[0]), billing.CodeUnauthorized},
		{"owners who demote each other", 2, func(n int) error {
			_, err := p.s.ChangeUser(t.Context(), demotions[n], owners[1-n].User.ID, caller.UserChange{Role: caller.RoleBiller})
			return err
		}, billing.CodeUnauthorized},
	} {
		var all sync.WaitGroup
		errs := make(chan error, c.times)
		for n := range c.times {
			all.Go(func() { errs <- c.do(n) })
		}
		all.Wait()
		good := 0
		for range c.times {
			if err := <-errs; err == nil {
				good++
			} else if billing.CodeOf(err) != c.other {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if good != 1 {
			t.Errorf("%s worked %d times", c.name, good)
		}
	}
	left := 0
	found, _, err := p.s.ListUsers(t.Context(), p.scope, billing.Page{Limit: 10})
	for _, u := range found {
		if u.Role == caller.RoleOwner {
			left++
		}
	}
	if err != nil || left != 1 {
		t.Errorf("%d owners are left, %v", left, err)
	}
}

func (p *people) entered(u person, code string) *access.SignedIn {
	p.t.Helper()
	in, err := p.password(u.Email, goodPassword, code, "192.0.2.1", "")
	if err != nil {
		p.t.Fatal(err)
	}
	return in
}

// by returns a call of a person.
func by[T any](p *people, c *caller.Caller, shown *T) idempotency.Write[T] {
	call := wrote(p, shown)
	call.Principal, call.Session = c.Principal, c.Session.ID
	return call
}

// TestEndedSessionsChangeNothing lets people go on whose sessions were ended a moment
// ago, while the process still remembers them. They change no user, themselves included,
// and create no key.
func TestEndedSessionsChangeNothing(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.withPassword("first@example.com", caller.RoleOwner)
	var user access.Changed
	var proven access.UserWithCodes
	var invited access.Invited
	var issued access.Issued
	change := func(c caller.UserChange) func(id billing.UserID) error {
		return func(id billing.UserID) error {
			_, err := p.s.ChangeUser(t.Context(), wrote(p, &user), id, c)
			return err
		}
	}
	for name, end := range map[string]func(id billing.UserID) error{
		"demoted":  change(caller.UserChange{Role: caller.RoleViewer}),
		"disabled": change(caller.UserChange{State: caller.UserDisabled}),
		"reset": func(id billing.UserID) error {
			_, err := p.s.ResetUser(t.Context(), wrote(p, &invited), id)
			return err
		},
	} {
		u, other := p.withPassword(name+"@example.com", caller.RoleOwner), p.invite("other."+name+"@example.com", caller.RoleBiller).User
		in, err := p.password(u.Email, goodPassword, "", "192.0.2.1", "")
		if err != nil {
			t.Fatal(err)
		}
		c := p.resume(in)
		if err := end(u.ID); err != nil {
			t.Fatal(err)
		}
		for act, do := range map[string]func() (caller.Reply, error){
			"set a password": func() (caller.Reply, error) {
				return p.s.ChangeCredentials(t.Context(), by(p, c, &proven), c, access.CredentialsChange{Current: goodPassword, Password: new("Bridges and crowns 15")})
			},
			"changed a role": func() (caller.Reply, error) {
				return p.s.ChangeUser(t.Context(), by(p, c, &user), other.ID, caller.UserChange{Role: caller.RoleOwner})
			},
			"took the role back": func() (caller.Reply, error) {
				return p.s.ChangeUser(t.Context(), by(p, c, &user), u.ID, caller.UserChange{Role: caller.RoleOwner, State: caller.UserActive})
			},
			"invited": func() (caller.Reply, error) {
				return p.s.InviteUser(t.Context(), by(p, c, &invited), "friend."+name+"@example.com", "", caller.RoleOwner)
			},
			"invited again": func() (caller.Reply, error) { return p.s.InviteAgain(t.Context(), by(p, c, &invited), other.ID) },
			"created a key": func() (caller.Reply, error) {
				return p.s.CreateKey(t.Context(), by(p, c, &issued), intake.KeyRequest{Name: "k", Mode: "live", Permissions: []string{"read"}})
			},
		} {
			_, err := do()
			wantCode(t, name+" user "+act, err, billing.CodeUnauthorized)
		}
	}
}
