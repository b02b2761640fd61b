package access_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
)

// require sets whether the organization of a session requires a second factor.
func (p *people) require(who *caller.Caller, required bool) error {
	var shown *caller.Organization
	_, err := p.s.ChangeOrganization(p.t.Context(), by(p, who, &shown), caller.OrganizationChange{RequireTOTP: &required})
	return err
}

// limited checks that a session can only set up a second factor.
func (p *people) limited(what string, in *access.SignedIn) *caller.Caller {
	p.t.Helper()
	by := p.resume(in)
	if !by.Session.LacksTOTP() {
		p.t.Errorf("%s may do everything", what)
	}
	return by
}

// offered returns the token of a link that an operator makes for a user.
func (p *people) offered(
	u *caller.User, offer func(*access.Service, context.Context, idempotency.Write[access.Invited], billing.UserID) (caller.Reply, error),
) string {
	p.t.Helper()
	var made access.Invited
	if _, err := offer(p.s, p.t.Context(), wrote(p, &made), u.ID); err != nil {
		p.t.Fatal(err)
	}
	return made.Token
}

// TestOrganizationRequiresTOTP lets an owner require a second factor, and the others set
// one up: one who had signed in before, one by a link, and one whose phone is lost.
func TestOrganizationRequiresTOTP(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	ann := p.withCodes("ann@example.com", caller.RoleOwner)
	owner := p.entered(ann, ann.recovery[0])
	ben := p.withPassword("ben@example.com", caller.RoleOwner)
	var before [2]*access.SignedIn
	for n := range before {
		var err error
		if before[n], err = p.password(ben.Email, goodPassword, "", "192.0.2.1", ""); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, "an owner without a second factor", p.require(p.resume(before[0]), true), billing.CodeTOTPRequired)
	if err := p.require(p.resume(owner), true); err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(2 * time.Second)
	if p.resume(owner).Session.LacksTOTP() {
		t.Error("the owner has no second factor")
	}

	who := p.limited("a session from before", before[0])
	var shown access.UserWithCodes
	prove := func(in access.CredentialsChange) error {
		_, err := p.s.ChangeCredentials(t.Context(), by(p, who, &shown), who, in)
		return err
	}
	wantCode(t, "another password", prove(access.CredentialsChange{Current: goodPassword, Password: new("tooth fairies and drills")}), billing.CodeTOTPRequired)
	end := func(in *access.SignedIn) error {
		var shown billing.SessionID
		_, err := p.s.EndSession(t.Context(), by(p, who, &shown), who, in.Session.ID)
		return err
	}
	wantCode(t, "the end of another's session", end(owner), billing.CodeTOTPRequired)
	if err := prove(access.CredentialsChange{Current: goodPassword, TOTPSecret: &ann.secret, TOTP: p.code(ann.secret)}); err != nil {
		t.Fatal(err)
	}
	if err := p.resume(before[0]).Can(caller.NeedOwner); err != nil { // at once
		t.Errorf("after the second factor: %v", err)
	}
	p.ended("the second factor of another session", before[1])
	who = p.resume(before[0])
	if err := prove(access.CredentialsChange{Current: goodPassword, TOTPSecret: new("")}); faults(err) != "totp_secret not_allowed" {
		t.Errorf("no second factor: %v", err)
	}

	who = p.limited("a session by a link", p.byLink(p.offered(ben, (*access.Service).LinkUser)))
	if err := end(&access.SignedIn{Session: who.Session}); err != nil {
		t.Errorf("the end of the own session: %v", err)
	}
	reset := p.byLink(p.offered(ann.User, (*access.Service).ResetUser)) // even of the only other owner
	who = p.limited("a session after a reset", reset)
	if err := prove(access.CredentialsChange{Password: new(goodPassword), TOTPSecret: &ann.secret, TOTP: p.code(ann.secret)}); err != nil {
		t.Fatal(err)
	}
	if err := p.require(p.resume(reset), false); err != nil {
		t.Errorf("the owner after a reset: %v", err)
	}
	if in := p.byLink(p.offered(ben, (*access.Service).LinkUser)); p.resume(in).Session.LacksTOTP() {
		t.Error("a second factor is still required")
	}
}
