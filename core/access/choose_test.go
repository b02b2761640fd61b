package access_test

import (
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// choices returns the organizations among which a person must choose.
func choices(err error) (ids []billing.OrgID) {
	if c, ok := errors.AsType[*access.ChooseError](err); ok && billing.CodeOf(err) == billing.CodeChooseOrganization {
		for _, o := range c.Organizations {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

// TestChooseOrganization signs in with a password that is right for the users of two
// organizations. A second factor of one is part of what is right for it.
func TestChooseOrganization(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	here := p.scope
	there := p.beside(ann.Email, goodPassword)
	if c := p.resume(there); c.Session.LacksPassword(c.User) {
		t.Error("the session still wants a password")
	}
	try := func(org billing.OrgID, code, browser string) (*access.SignedIn, error) {
		in := from("192.0.2.1")
		in.Email, in.Password, in.TOTP, in.Browser, in.Organization = ann.Email, goodPassword, code, browser, org
		in.Refused = func(u *caller.User, _ bool) {
			if org != (billing.OrgID{}) && u.Org != org {
				t.Errorf("the refusal is recorded for %s, want %s", u.Org, org)
			}
		}
		return p.s.SignIn(t.Context(), in)
	}
	want := []billing.OrgID{here.Org, there.User.Org}
	for range 40 { // nothing counts
		if _, err := try(billing.OrgID{}, "", ""); !slices.Equal(choices(err), want) {
			t.Fatalf("%v, want the choice of %v", err, want)
		}
	}
	for _, org := range want {
		in, err := try(org, "", "")
		if err != nil || in.User.Org != org {
			t.Fatalf("%s: %+v, %v", org, in, err)
		}
	}
	elsewhere := p.organization().Org
	_, err := try(elsewhere, "", "")
	wantCode(t, "an organization without a user of the address", err, billing.CodeUnauthorized)

	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	code := func() string {
		c, err := totp.GenerateCode(secret, p.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	in, err := try(here.Org, "", "")
	if err != nil {
		t.Fatal(err)
	}
	p.scope = here
	var shown access.UserWithCodes
	if _, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), p.resume(in), access.CredentialsChange{Current: goodPassword, TOTPSecret: &secret, TOTP: code()}); err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(time.Minute)
	if in, err := try(billing.OrgID{}, "", ""); err != nil || in.User.Org != there.User.Org {
		t.Errorf("without the code, %+v, %v", in, err)
	}
	for _, factor := range []string{code(), shown.RecoveryCodes[0]} {
		if _, err := try(billing.OrgID{}, factor, ""); !slices.Equal(choices(err), want) {
			t.Errorf("with the code: %v", err)
		}
		if in, err := try(here.Org, factor, ""); err != nil || in.User.Org != here.Org {
			t.Errorf("the code after the choice: %+v, %v", in, err)
		}
		if in, err := try(here.Org, factor, ""); err == nil {
			t.Errorf("the code works twice: %+v", in)
		}
	}
}

// TestChoicesAreGuesses gives two users of an attacker each guess as their password: the
// reply would say whether it is also right for a third user, the victim.
func TestChoicesAreGuesses(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	p.credentials.cheap = true
	ann := p.withPassword("ann@example.com", caller.RoleOwner)
	own := "Drills and mirrors"
	both := []*access.SignedIn{p.beside(ann.Email, own), p.beside(ann.Email, own)}
	waits := false
	for n := range 20 {
		in := from(fmt.Sprintf("198.51.100.%d", n))
		in.Email, in.Password = ann.Email, own
		_, err := p.s.SignIn(t.Context(), in)
		if waits = billing.CodeOf(err) == billing.CodeTooManyRequests; waits {
			break
		}
		if len(choices(err)) != 2 {
			t.Fatal(err)
		}
		next := fmt.Sprint("Drills and mirrors ", n)
		for i, u := range both {
			p.clock.Advance(time.Millisecond)
			in := from(fmt.Sprintf("203.0.113.%d", n))
			in.Email, in.Password, in.Browser, in.Organization = ann.Email, own, u.Browser, u.User.Org
			now, err := p.s.SignIn(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			both[i] = now
			scope := p.scope
			p.scope = billing.Scope{Org: u.User.Org, Mode: billing.ModeTest}
			var shown access.UserWithCodes
			if _, err := p.s.ChangeCredentials(t.Context(), wrote(p, &shown), p.resume(now), access.CredentialsChange{Current: own, Password: &next}); err != nil {
				t.Fatal(err)
			}
			p.scope = scope
		}
		own = next
	}
	if !waits {
		t.Error("20 guesses were compared with the third user")
	}
}
