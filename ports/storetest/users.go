package storetest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// practice stores another organization.
func (b *scoped) practice(org billing.OrgID) {
	b.t.Helper()
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &caller.Organization{ID: org, Name: "Practice", CreatedAt: b.now})
	})
}

// user returns an invited user, n microseconds after the start of the test.
func (b *scoped) user(scope billing.Scope, email string, role caller.Role, n int) *caller.User {
	return &caller.User{
		ID: id[billing.UserID](), Org: scope.Org, Email: email, Role: role, State: caller.UserInvited,
		CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond),
	}
}

func (b *scoped) addUser(scope billing.Scope, u *caller.User) {
	b.t.Helper()
	if err := b.try(scope, func(ctx context.Context, tx ports.Tx) error { return tx.Users.Insert(ctx, u) }); err != nil {
		b.t.Fatal(err)
	}
}

func testUsers(b *scoped) {
	t, elsewhere := b.t, newScope()
	b.organization()
	b.practice(elsewhere.Org)
	ann, ben := b.user(b.scope, "ann@example.com", caller.RoleOwner, 1), b.user(b.scope, "ben@example.com", caller.RoleBiller, 2)
	other := b.user(elsewhere, "ann@example.com", caller.RoleViewer, 3)
	ann.Name = "Ann Rivers"
	b.addUser(b.scope, ann)
	b.addUser(b.scope, ben)
	b.addUser(elsewhere, other)
	err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Users.Insert(ctx, b.user(b.scope, "ann@example.com", caller.RoleViewer, 4))
	})
	wantCode(t, "a second user with the address", err, billing.CodeConflict)

	ben.Role, ben.State, ben.Name = caller.RoleViewer, caller.UserDisabled, "Ben Ortiz"
	for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} { // users belong to both
		scope := billing.Scope{Org: b.scope.Org, Mode: mode}
		all, err := try(b, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.User, error) {
			return tx.Users.Lock(ctx)
		})
		if err != nil || len(all) != 2 {
			t.Fatalf("users %v, %v", all, err)
		}
		if mode == billing.ModeTest {
			b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Users.Save(ctx, ben) })
		}
	}
	page := func(scope billing.Scope, p billing.Page) []*caller.User {
		all, err := try(b, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.User, error) { return tx.Users.List(ctx, p) })
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	equal(t, "users", page(b.scope, billing.Page{Limit: 10}), []*caller.User{ben, ann})
	equal(t, "the next page", page(b.scope, billing.Page{Limit: 1, After: &billing.Position{Time: ben.CreatedAt, ID: ben.ID}}), []*caller.User{ann})
	equal(t, "users elsewhere", page(elsewhere, billing.Page{Limit: 10}), []*caller.User{other})

	// Another organization's transaction changes nothing.
	if err := b.try(elsewhere, func(ctx context.Context, tx ports.Tx) error {
		stolen := *ann
		stolen.State = caller.UserDisabled
		return errors.Join(tx.Users.Save(ctx, &stolen), tx.Users.SetPassword(ctx, stolen.ID, "theirs"), tx.Users.SetTOTP(ctx, stolen.ID, "theirs", 1, nil))
	}); err != nil {
		t.Fatal(err)
	}
	equal(t, "accounts", accountsOf(b, "ann@example.com"), []*caller.Account{{User: *ann, OrgName: practiceName}, {User: *other, OrgName: "Practice"}})
}

func accountsOf(b *scoped, email string) []*caller.Account {
	b.t.Helper()
	return system(b, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Account, error) {
		return tx.Accounts.Find(ctx, email)
	})
}

// testLastOwner lets two owners take each other's role at once. The lock lets one
// of them see what the other did.
func testLastOwner(b *scoped) {
	b.organization()
	owners := []*caller.User{b.user(b.scope, "a@example.com", caller.RoleOwner, 1), b.user(b.scope, "b@example.com", caller.RoleOwner, 2)}
	for _, u := range owners {
		u.State = caller.UserActive
		b.addUser(b.scope, u)
	}
	var refused atomic.Int32
	b.race(times(len(owners), func(n int) error {
		err := b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			all, err := tx.Users.Lock(ctx)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(all, func(u *caller.User) bool { return u.ID == owners[n].ID })
			if _, err := all[i].Change(caller.UserChange{Role: caller.RoleViewer}, all); err != nil {
				return err
			}
			return tx.Users.Save(ctx, all[i])
		})
		if billing.CodeOf(err) == billing.CodeConflict {
			refused.Add(1)
			return nil
		}
		return err
	})...)
	if refused.Load() != 1 {
		b.t.Errorf("%d of 2 changes were refused, want 1", refused.Load())
	}
}

func testAccounts(b *scoped) {
	t := b.t
	b.organization()
	u := b.user(b.scope, "ann@example.com", caller.RoleOwner, 1)
	b.addUser(b.scope, u)
	a := &caller.Account{User: *u, OrgName: practiceName}
	a.SetPassword("a hash")
	a.SetTOTP("JBSWY3DPEHPK3PXP", 7, [][32]byte{digest("one"), digest("two")})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Users.SetPassword(ctx, a.ID, a.Password), tx.Users.SetTOTP(ctx, a.ID, a.TOTPSecret, a.TOTPStep, a.RecoveryCodes))
	})
	equal(t, "account", accountsOf(b, u.Email), []*caller.Account{a})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		found, err := tx.Accounts.Users(ctx, u.Email)
		equal(t, "its user", found, []*caller.User{&a.User})
		return err
	})
	equal(t, "an unknown address", accountsOf(b, "ANN@example.com"), []*caller.Account{})

	a.UseStep(8)
	a.RecoveryCodes = a.RecoveryCodes[1:]
	a.SignIn(b.now.Add(time.Hour))
	a.Operator = caller.OperatorSignIn{At: b.now.Add(time.Hour), Name: "ben"}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		if _, err := tx.Accounts.Lock(ctx, a.ID); err != nil {
			return err
		}
		return tx.Accounts.Save(ctx, a)
	})
	equal(t, "after a sign-in", accountsOf(b, u.Email), []*caller.Account{a})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Accounts.Lock(ctx, id[billing.UserID]())
		wantCode(t, "an unknown user", err, billing.CodeNotFound)
		return nil
	})

	cleared := &caller.Account{User: a.User, OrgName: practiceName}
	cleared.HasPassword, cleared.HasTOTP = false, false
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Users.SetPassword(ctx, a.ID, ""), tx.Users.SetTOTP(ctx, a.ID, "", 0, nil))
	})
	equal(t, "without proof", accountsOf(b, u.Email), []*caller.Account{cleared})
}

func testLinks(b *scoped) {
	t, at := b.t, b.now
	b.organization()
	u := b.user(b.scope, "ann@example.com", caller.RoleOwner, 1)
	b.addUser(b.scope, u)
	links := map[string]*caller.SignInLink{}
	offer := func(token string, kind caller.LinkKind) {
		links[token] = u.NewLink(kind, at)
		links[token].Operator = "ben"
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return tx.Sessions.Link(ctx, links[token], digest(token))
		})
	}
	use := func(token string, at time.Time) (l *caller.SignInLink, err error) {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			l, err = tx.Accounts.UseLink(ctx, digest(token), at)
			return nil
		})
		return l, err
	}
	offer("first", caller.LinkInvitation)
	offer("second", caller.LinkReset) // ends the first
	_, err := use("first", at)
	wantCode(t, "an earlier link", err, billing.CodeNotFound)
	_, err = use("second", at.Add(caller.LinkReset.Lasts()))
	wantCode(t, "an expired link", err, billing.CodeNotFound)
	_, err = use("unknown", at)
	wantCode(t, "an unknown link", err, billing.CodeNotFound)

	var used atomic.Int32
	b.race(times(8, func(int) error {
		return b.Store.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			l, err := tx.Accounts.UseLink(ctx, digest("second"), at)
			if billing.IsNotFound(err) {
				return nil
			}
			used.Add(1)
			equal(t, "link", l, links["second"])
			return err
		})
	})...)
	if used.Load() != 1 {
		t.Errorf("a link worked %d times", used.Load())
	}
}

func testSessions(b *scoped) {
	t, elsewhere := b.t, newScope()
	b.organization()
	b.practice(elsewhere.Org)
	ann, ben, other := b.user(b.scope, "a@x.y", caller.RoleOwner, 1), b.user(b.scope, "b@x.y", caller.RoleViewer, 2), b.user(elsewhere, "a@x.y", caller.RoleOwner, 3)
	sessions := map[string]*caller.Session{}
	begin := func(secret string, u *caller.User, at time.Time) {
		s := &caller.Session{ID: billing.NewID[billing.SessionID](billing.RealAt(at)), Org: u.Org, User: u.ID, Address: "192.0.2.1", Agent: "curl/8", CreatedAt: at, UsedAt: at, TOTP: secret == "ben", PasswordWeak: secret == "idle", WantsPassword: secret == "ann", Operator: map[string]string{"idle": "ben"}[secret]}
		sessions[secret] = s
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.SignedIn.Insert(ctx, s, digest(secret)) })
	}
	for scope, us := range map[billing.Scope][]*caller.User{b.scope: {ann, ben}, elsewhere: {other}} {
		for _, u := range us {
			b.addUser(scope, u)
		}
	}
	begin("ann", ann, b.now)
	begin("ann too", ann, b.now.Add(time.Second))
	begin("ben", ben, b.now.Add(2*time.Second))
	begin("idle", ben, b.now.Add(-caller.SessionIdleTime))
	begin("other", other, b.now)
	list := func(scope billing.Scope, user billing.UserID, p billing.Page) (names []string) {
		all, err := try(b, scope, func(ctx context.Context, tx ports.Tx) ([]*caller.Session, error) {
			return tx.Sessions.List(ctx, user, b.now, p)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			for name, have := range sessions {
				if have.ID == s.ID {
					equal(t, name, s, have)
					names = append(names, name)
				}
			}
		}
		return names
	}
	all := billing.Page{Limit: 10}
	equal(t, "sessions", list(b.scope, billing.UserID{}, all), []string{"ben", "ann too", "ann"})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		got, err := tx.SignedIn.Read(ctx, []billing.SessionID{sessions["idle"].ID, id[billing.SessionID]()})
		equal(t, "read sessions", got, []*caller.Session{sessions["idle"]})
		return err
	})
	equal(t, "the next page", list(b.scope, billing.UserID{}, billing.Page{Limit: 1, After: &billing.Position{Time: sessions["ann too"].CreatedAt, ID: sessions["ann too"].ID}}), []string{"ann"})
	equal(t, "sessions of a user", list(b.scope, ann.ID, all), []string{"ann too", "ann"})
	equal(t, "sessions elsewhere", list(elsewhere, billing.UserID{}, all), []string{"other"})

	end := func(secret string, user billing.UserID, at time.Time) error {
		return b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Sessions.End(ctx, sessions[secret].ID, user, at)
		})
	}
	wantCode(t, "ending another user's session", end("ann", ben.ID, b.now), billing.CodeNotFound)
	wantCode(t, "ending another organization's session", end("other", billing.UserID{}, b.now), billing.CodeNotFound)
	if err := errors.Join(end("ann", billing.UserID{}, b.now), end("ann", ann.ID, b.now.Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	sessions["ann"].EndedAt, sessions["ann too"].EndedAt = b.now, b.now.Add(time.Minute)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return tx.Sessions.EndAll(ctx, ann.ID, b.now.Add(time.Minute))
	})
	sessions["ben"].UsedAt = b.now.Add(time.Minute)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		s, err := tx.Sessions.Get(ctx, sessions["idle"].ID)
		equal(t, "session", s, sessions["idle"])
		_, absent := tx.Sessions.Get(ctx, sessions["other"].ID)
		wantCode(t, "a session elsewhere", absent, billing.CodeNotFound)
		return err
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.SignedIn.Use(ctx, sessions["ben"].ID, b.now.Add(time.Minute))
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for secret, u := range map[string]*caller.User{"ann": ann, "ann too": ann, "ben": ben, "other": other} {
			s, who, err := tx.SignedIn.Find(ctx, digest(secret))
			if err != nil {
				return err
			}
			equal(t, secret, s, sessions[secret])
			equal(t, "user of "+secret, who, u)
		}
		_, _, err := tx.SignedIn.Find(ctx, digest("none"))
		wantCode(t, "an unknown secret", err, billing.CodeNotFound)
		return nil
	})
	b.in(func(ctx context.Context, tx ports.Tx) error {
		sessions["idle"].TOTP, sessions["idle"].PasswordWeak, sessions["ben"].EndedAt = true, false, b.now.Add(time.Minute)
		return errors.Join(tx.Sessions.Keep(ctx, sessions["idle"], b.now.Add(time.Minute)), tx.Organization.Save(ctx, &caller.Organization{RequireTOTP: true}))
	})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for secret, s := range sessions {
			s.TOTPRequired = s.Org == b.scope.Org
			got, _, err := tx.SignedIn.Find(ctx, digest(secret))
			if err != nil {
				return err
			}
			equal(t, secret+" after one was kept", got, s)
		}
		return nil
	})
	b.forgets(ports.Forgetter.Sessions, b.now.Add(time.Second-time.Millisecond), 3)
	var kept []string
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		for secret, s := range sessions {
			if _, _, err := tx.SignedIn.Find(ctx, digest(secret)); err == nil && s.Org == b.scope.Org {
				kept = append(kept, secret)
			}
		}
		return nil
	})
	slices.Sort(kept)
	equal(t, "what is kept", kept, []string{"ann too", "ben"})
}

func testOrigin(b *scoped) {
	for _, want := range []string{"", "http://127.0.0.1:8080", "https://molar.example"} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			if want != "" {
				if err := tx.Origin.Set(ctx, want); err != nil {
					return err
				}
			}
			got, err := tx.Origin.Get(ctx)
			equal(b.t, "origin", got, want)
			return err
		})
	}
}
