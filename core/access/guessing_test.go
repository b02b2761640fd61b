package access_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// TestGuessesWait guesses in every way until attempts wait, and waits as long as it is
// asked to. An attempt a moment sooner is refused, even with the right password.
func TestGuessesWait(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	home := func() *access.SignedIn {
		in, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", "")
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	type try func(password string) error
	change := func() try {
		by := p.resume(home())
		return func(current string) error {
			var shown access.UserWithCodes
			_, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), by, access.CredentialsChange{Current: current, Password: new(goodPassword)})
			return err
		}
	}
	signIn := func(email, address, browser string) func() try {
		return func() try {
			return func(password string) error {
				_, err := p.password(email, password, "", address, browser)
				return err
			}
		}
	}
	second, minute, quarter := time.Second, time.Minute, 15*time.Minute
	for _, c := range []struct {
		name  string
		begin func() try
		waits []time.Duration // after the attempts that are free
	}{
		{"one account from one address", signIn(ann.Email, "198.51.100.1", ""), []time.Duration{second, 2 * second, 4 * second, 8 * second}},
		{"an account that does not exist", signIn("absent@example.com", "198.51.100.2", ""), []time.Duration{second, 2 * second, 4 * second, 8 * second}},
		{"the current password in a stolen session", change, []time.Duration{second, 2 * second}},
	} {
		p.clock.Advance(2 * time.Hour) // what came before is forgotten
		guess := c.begin()
		for n := range 5 {
			if err := guess(fmt.Sprint("a wrong guess ", n)); err == nil || billing.CodeOf(err) == billing.CodeTooManyRequests {
				t.Errorf("%s: guess %d: %v", c.name, n, err)
			}
		}
		for _, want := range c.waits {
			for _, sooner := range []time.Duration{want, time.Millisecond} {
				e, _ := errors.AsType[*billing.Error](guess(goodPassword))
				if e == nil || e.Code != billing.CodeTooManyRequests || e.RetryAfter != sooner {
					t.Fatalf("%s: %+v, want a wait of %s", c.name, e, sooner)
				}
				p.clock.Advance(sooner - min(sooner, time.Millisecond))
			}
			p.clock.Advance(time.Millisecond)
			if err := guess("another wrong guess"); err == nil || billing.CodeOf(err) == billing.CodeTooManyRequests {
				t.Errorf("%s: after %s: %v", c.name, want, err)
			}
		}
	}
	// The wait of an account is short, so that no stranger closes it; that of a pair
	// is long.
	for n, c := range map[string]struct {
		address func(n int) string
		most    time.Duration
	}{
		"an account from everywhere": {func(n int) string { return fmt.Sprintf("10.1.%d.1", n) }, minute},
		"a pair":                     {func(int) string { return "198.51.100.9" }, quarter},
	} {
		p.clock.Advance(2 * time.Hour)
		longest := time.Duration(0)
		for i := range 40 {
			_, err := p.password(ann.Email, "a wrong guess", "", c.address(i), "")
			if e, _ := errors.AsType[*billing.Error](err); e != nil {
				longest = max(longest, e.RetryAfter)
				p.clock.Advance(e.RetryAfter)
			}
		}
		if longest != c.most {
			t.Errorf("%s waits %s at most, want %s", n, longest, c.most)
		}
	}
}

// guess signs in with a wrong password, and returns whether it was compared with the
// user's.
func (p *people) guess(u *caller.User, password, address, browser string) (judged bool, err error) {
	in := from(address)
	in.Email, in.Password, in.Browser = u.Email, password, browser
	in.Refused = func(refused *caller.User, _ bool) { judged = judged || refused.ID == u.ID }
	_, err = p.s.SignIn(p.t.Context(), in)
	return judged, err
}

// beside invites the person to another organization, whose owner is an attacker: they
// open the link and set a password. It returns what their browser then has.
func (p *people) beside(email, password string) (attacker *access.SignedIn) {
	p.t.Helper()
	victims := p.scope
	defer func() { p.scope = victims }()
	p.scope = p.organization()
	attacker = p.byLink(p.invite(email, caller.RoleBiller).Token)
	var shown access.UserWithCodes
	if _, err := p.s.ChangeCredentials(p.t.Context(), wrote(p, &shown), p.resume(attacker), access.CredentialsChange{Password: &password}); err != nil {
		p.t.Fatal(err)
	}
	return attacker
}

// TestOrganizationsGuessAlone guesses at a user whose address has a user in an
// attacker's organization, too. The attacker signs in to that one after every four
// guesses, which lets no more guesses be compared.
func TestOrganizationsGuessAlone(t *testing.T) {
	t.Parallel()
	const theirs = "Drills and mirrors 15"
	for name, c := range map[string]struct {
		guesses, addresses int
		pace               time.Duration
		most               int
	}{
		"a flood":                    {2000, 40, time.Second, 50},
		"forty guesses at one place": {40, 1, 300 * time.Millisecond, 8},
	} {
		var judged [2]int
		for trick := range judged {
			p := newPeople(t)
			p.credentials.cheap = true
			ann := p.withPassword("ann@example.com", caller.RoleOwner)
			attacker := p.beside(ann.Email, theirs)
			for n := range c.guesses {
				address := fmt.Sprintf("198.51.100.%d", n%c.addresses)
				if trick == 1 && n%4 == 0 {
					if in, err := p.password(ann.Email, theirs, "", address, attacker.Browser); err != nil || in.User.ID != attacker.User.ID {
						t.Fatalf("%s: guess %d: the attacker's own password: %v", name, n, err)
					}
				}
				browser := map[int]string{1: attacker.Browser}[trick]
				p.clock.Advance(c.pace)
				ok, err := p.guess(ann, fmt.Sprint("a wrong guess ", n), address, browser)
				if ok {
					judged[trick]++
				}
				if want := map[bool]billing.Code{true: billing.CodeTooManyRequests, false: billing.CodeUnauthorized}[!ok && browser == ""]; billing.CodeOf(err) != want {
					t.Fatalf("%s: guess %d: %v, want %s", name, n, err, want)
				}
			}
			if _, err := p.password(ann.Email, goodPassword, "", "198.51.100.0", attacker.Browser); trick == 1 && billing.CodeOf(err) != billing.CodeUnauthorized {
				t.Errorf("%s: the right password after too many guesses: %v", name, err)
			}
		}
		if judged[0] > c.most || judged[0] < 5 || judged[1] > judged[0] {
			t.Errorf("%s: %d guesses were compared, and %d with the trick; want at most %d", name, judged[0], judged[1], c.most)
		}
	}
}

// TestKnownBrowsers lets a browser that knows a user fail until it must wait. It is
// refused as with a wrong password, in all of the user's browsers, and it keeps no
// other user of the address waiting.
func TestKnownBrowsers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	other := p.beside(ann.Email, "Drills and mirrors 15")
	var homes [2]*access.SignedIn
	for n := range homes {
		var err error
		if homes[n], err = p.password(ann.Email, goodPassword, "", "192.0.2.1", ""); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 7 {
		judged, err := p.guess(ann, "a wrong guess", "192.0.2.1", homes[n%2].Browser)
		if wantCode(t, "a guess in a known browser", err, billing.CodeUnauthorized); judged != (n < 5) {
			t.Errorf("guess %d was compared: %t", n, judged)
		}
	}
	_, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", homes[0].Browser)
	wantCode(t, "a known browser that must wait", err, billing.CodeUnauthorized)
	if in, err := p.password(ann.Email, "Drills and mirrors 15", "", "192.0.2.1", other.Browser); err != nil || in.User.ID != other.User.ID {
		t.Errorf("the other user waits, too: %v", err)
	}
	p.clock.Advance(time.Second)
	if _, err := p.password(ann.Email, goodPassword, "", "192.0.2.1", homes[1].Browser); err != nil {
		t.Errorf("after a second: %v", err)
	}
	if judged, _ := p.guess(ann, "a wrong guess", "192.0.2.1", homes[0].Browser); !judged {
		t.Error("a sign-in does not clear the counter of its user")
	}
}

// TestSharedAddress lets people sign in beside each other from one address, such as that
// of a practice. Strangers who guess from it keep no known browser waiting, and known
// browsers that fail keep no stranger waiting.
func TestSharedAddress(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	p.withPassword("ann@example.com", caller.RoleOwner)
	home, err := p.password("ann@example.com", goodPassword, "", "192.0.2.1", "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 49 {
		_, _ = p.password(fmt.Sprintf("absent%d@example.com", n), "a wrong guess", "", "192.0.2.1", "")
		if home, err = p.password("ann@example.com", goodPassword, "", "192.0.2.1", home.Browser); err != nil {
			t.Fatalf("sign-in %d: %v", n, err)
		}
		p.clock.Advance(time.Second)
	}
	for n := range 40 {
		email := fmt.Sprintf("known%d@example.com", n)
		p.withPassword(email, caller.RoleBiller)
		in, err := p.password(email, goodPassword, "", "198.51.100.1", "")
		if err != nil {
			t.Fatalf("a stranger beside known browsers: %v", err)
		}
		_, err = p.password(email, "a wrong guess", "", "198.51.100.1", in.Browser)
		wantCode(t, "a known browser", err, billing.CodeUnauthorized)
	}
}

// TestBrowserKeepsFiveMarks signs in six people with one browser.
func TestBrowserKeepsFiveMarks(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	browser := ""
	var all []*caller.User
	for n := range 6 {
		all = append(all, p.withPassword(fmt.Sprintf("u%d@example.com", n), caller.RoleBiller))
		in, err := p.password(all[n].Email, goodPassword, "", "192.0.2.1", browser)
		if err != nil {
			t.Fatal(err)
		}
		browser = in.Browser
	}
	for n := range 40 { // now strangers wait
		_, _ = p.password(fmt.Sprintf("absent%d@example.com", n), "a wrong guess", "", "192.0.2.1", "")
	}
	for n, u := range all {
		_, err := p.password(u.Email, goodPassword, "", "192.0.2.1", browser)
		if known := err == nil; known != (n > 0) {
			t.Errorf("user %d: %v", n, err)
		}
	}
}

// TestOwnPasswordIsAGuess sets each guess as the password of a user of the attacker's
// own, and signs in with it: were it another user's password, too, the reply would show
// it. So such a sign-in counts for the other user, and one with the same password as
// before does not.
func TestOwnPasswordIsAGuess(t *testing.T) {
	t.Parallel()
	for _, changes := range []bool{false, true} {
		p := newPeople(t)
		p.credentials.cheap = true
		ann := p.withPassword("ann@example.com", caller.RoleOwner)
		own, victims := "Drills and mirrors", p.scope
		in := p.beside(ann.Email, own)
		for n := range 20 {
			var err error
			if in, err = p.password(ann.Email, own, "", fmt.Sprintf("198.51.100.%d", n), in.Browser); err != nil {
				t.Fatal(err)
			}
			if !changes {
				continue
			}
			next := fmt.Sprint("Drills and mirrors ", n)
			var shown access.UserWithCodes
			p.scope = billing.Scope{Org: in.User.Org, Mode: billing.ModeTest}
			if _, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), p.resume(in), access.CredentialsChange{Current: own, Password: &next}); err != nil {
				t.Fatal(err)
			}
			own = next
		}
		p.scope = victims
		_, err := p.password(ann.Email, goodPassword, "", "203.0.113.1", "")
		if waits := billing.CodeOf(err) == billing.CodeTooManyRequests; waits != changes {
			t.Errorf("sign-ins with changed passwords (%t) are compared with other users: %v", changes, err)
		}
	}
}

// TestRightWhileOthersWait lets an attacker, whose user has each guess as the password,
// sign in while other users of the address are left out of the comparison. The same guess
// is then compared with them, too, once they need not wait: it counts as any other does.
func TestRightWhileOthersWait(t *testing.T) {
	t.Parallel()
	var judged [2]int
	for again := range judged {
		p := newPeople(t)
		p.credentials.cheap = true
		ann := p.withPassword("ann@example.com", caller.RoleOwner)
		attacker := p.beside(ann.Email, goodPassword)
		guess := 0
		for n := range 600 {
			p.clock.Advance(time.Second)
			own := fmt.Sprint("Drills and mirrors ", guess)
			for _, u := range []*caller.User{ann, attacker.User} { // as if the guess were right, so that the reply shows a comparison
				porttest.In(t, p.store, billing.Scope{Org: u.Org, Mode: billing.ModeTest}, func(ctx context.Context, tx ports.Tx) error {
					return tx.Users.SetPassword(ctx, u.ID, p.credentials.Hash(u.Email, own))
				})
			}
			_, err := p.password(ann.Email, own, "", fmt.Sprintf("198.51.100.%d", n%40), attacker.Browser)
			switch {
			case len(choices(err)) == 2:
				judged[again]++
				in := from("203.0.113.1") // the attacker's own user does not wait
				in.Email, in.Password, in.Browser, in.Organization = ann.Email, own, attacker.Browser, attacker.User.Org
				p.signIn(in)
			case err != nil:
				t.Fatal(err)
			case again == 1:
				continue // with the same guess
			}
			guess++
		}
	}
	if judged[0] < 10 || judged[1] > judged[0] {
		t.Errorf("%d guesses were compared, and %d of those that were right while others waited", judged[0], judged[1])
	}
}
