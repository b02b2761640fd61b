package access

import (
	"context"
	"crypto/subtle"
	"net/netip"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports"
)

// SignIn is a request to sign in, with the token of a link, or with an email
// address and a password.
type SignIn struct {
	Token string

	Email, Password string
	TOTP            string        // a code, or a recovery code; empty for none
	Organization    billing.OrgID // whose user is meant; zero if the person did not choose
	Browser         string        // what the last sign-in returned to this browser

	Address netip.Addr
	Agent   string

	// Entry records a sign-in in the audit, in its commit. SignIn sets the user and
	// the session.
	Entry caller.AuditEntry
	// Refused is called for each user whose password, code or link was refused; nil
	// for no call. It is not called for a user who was left out of the comparison. An
	// attempt is surely at the user when no other organization's user can be meant.
	Refused func(u *caller.User, surely bool)
}

// SignedIn is the result of signing in.
type SignedIn struct {
	User    *caller.User
	Session *caller.Session
	Secret  string // of the session, which cannot be read again
	Browser string // lets this browser sign in while others fail to
}

// ChooseError is the refusal of a password, and a code, that are right for the users
// of several organizations. Its code is CodeChooseOrganization.
type ChooseError struct {
	error
	Organizations []caller.Organization // only with ID and name
}

func (c *ChooseError) Unwrap() error { return c.error }

// SignIn begins a session. Without a right token or password it returns
// CodeUnauthorized, whether the account exists or not, and after many attempts
// CodeTooManyRequests. If several users are meant, it returns a ChooseError.
func (s *Service) SignIn(ctx context.Context, in SignIn) (*SignedIn, error) {
	if in.Refused == nil {
		in.Refused = func(*caller.User, bool) {}
	}
	if in.Token != "" {
		return s.signInByLink(ctx, in)
	}
	return s.signInByPassword(ctx, in)
}

func (s *Service) signInByLink(ctx context.Context, in SignIn) (out *SignedIn, err error) {
	if !caller.WellFormedToken(in.Token) {
		return nil, linkRefused()
	}
	var refused *caller.User
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		l, err := tx.Accounts.UseLink(ctx, caller.TokenDigest(in.Token), tx.Real.Now().Time)
		if billing.IsNotFound(err) {
			return linkRefused()
		}
		if err != nil {
			return err
		}
		a, err := tx.Accounts.Lock(ctx, l.User)
		if err != nil {
			return err
		}
		if a.State == caller.UserDisabled {
			refused = &a.User
			return linkRefused()
		}
		if l.Operator != "" {
			a.Operator = caller.OperatorSignIn{At: tx.Real.Now().Time, Name: l.Operator}
		}
		out, err = s.open(ctx, tx, a, in, &caller.Session{Operator: l.Operator, WantsPassword: l.Kind != caller.LinkOperator})
		return err
	})
	if refused != nil {
		in.Refused(refused, true)
	}
	return out, err
}

func linkRefused() error {
	return &billing.Error{
		Code: billing.CodeUnauthorized, Reason: billing.RefusedLink,
		Message: "This link has expired or was used before. Sign in with your password, or ask an owner of your organization for a new link.",
	}
}

// signInByPassword computes one hash for every attempt that need not wait, whether
// the account exists or not, and compares it with the users of the address.
func (s *Service) signInByPassword(ctx context.Context, in SignIn) (*SignedIn, error) {
	try, err := s.begin(in)
	if err != nil {
		return nil, err
	}
	accounts, hash, err := s.hashed(ctx, try, in.Password)
	if err != nil {
		return nil, err
	}
	chosen := !in.Organization.IsZero()
	if chosen {
		accounts = slices.DeleteFunc(accounts, func(a *caller.Account) bool { return a.Org != in.Organization })
	}
	only := len(accounts) == 1
	accounts = slices.DeleteFunc(accounts, func(a *caller.Account) bool { return !try.judges(a.ID) })
	right := s.right(accounts, hash, in.TOTP)
	switch {
	case len(right) > 1:
		s.takeBackIfKnown(try, hash)
		return nil, chooseOrganization(right)
	case len(right) == 1:
		out, err := s.prove(ctx, right[0], in)
		if err != nil {
			return nil, err
		}
		if out != nil {
			s.succeed(try, out.User, hash, chosen)
			return out, nil
		}
	}
	for _, a := range accounts {
		in.Refused(&a.User, only || equal(a.Password, hash) || slices.Contains(try.known, a.ID))
	}
	return nil, passwordRefused()
}

// right returns those of the users who may sign in with the hash and the code. It uses
// no code up.
func (s *Service) right(accounts []*caller.Account, hash, code string) (right []*caller.Account) {
	for _, a := range accounts {
		tried := *a
		tried.RecoveryCodes = slices.Clone(a.RecoveryCodes)
		if equal(a.Password, hash) && a.State != caller.UserDisabled && s.secondFactor(&tried, code, s.clock.Now()) {
			right = append(right, a)
		}
	}
	return right
}

func chooseOrganization(right []*caller.Account) error {
	choose := &ChooseError{error: &billing.Error{
		Code:    billing.CodeChooseOrganization,
		Message: "You can sign in to several organizations. Choose one of organizations, and send the same with its organization_id.",
	}}
	for _, a := range right {
		choose.Organizations = append(choose.Organizations, caller.Organization{ID: a.Org, Name: a.OrgName})
	}
	return choose
}

// hashed returns the users of the address, and the hash of the password. An attempt
// that finds no place does not count.
func (s *Service) hashed(ctx context.Context, try *attempt, password string) (accounts []*caller.Account, hash string, err error) {
	leave, err := s.places.enter(ctx, try.by())
	if err != nil {
		s.takeBack(try)
		return nil, "", err
	}
	defer leave()
	if err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		accounts, err = tx.Accounts.Find(ctx, try.email)
		return err
	}); err != nil {
		return nil, "", err
	}
	return accounts, s.credentials.Hash(try.email, password), nil
}

func passwordRefused() error {
	return &billing.Error{
		Code: billing.CodeUnauthorized, Reason: billing.RefusedPassword,
		Message: "The email address, the password or the code is wrong. After several wrong attempts, wait a few minutes before the next one.",
	}
}

func equal(have, want string) bool {
	return subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1
}

// prove signs in to an account whose password is right, if its code is right,
// too. It returns nil if it is not, and if the account has changed.
func (s *Service) prove(ctx context.Context, right *caller.Account, in SignIn) (out *SignedIn, err error) {
	weak := caller.WeakPassword(in.Password, right.Email, s.strength(in.Password, right))
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		out = nil
		a, err := tx.Accounts.Lock(ctx, right.ID)
		if err != nil || !equal(a.Password, right.Password) || a.State == caller.UserDisabled || !s.secondFactor(a, in.TOTP, tx.Real.Now().Time) {
			return err
		}
		out, err = s.open(ctx, tx, a, in, &caller.Session{TOTP: a.TOTPSecret != "", PasswordWeak: weak})
		return err
	})
	return out, err
}

// strength measures a password for an account.
func (s *Service) strength(password string, a *caller.Account) int {
	return s.credentials.Strength(caller.Measured(password), caller.KnownWords(a.Email, a.OrgName))
}

// secondFactor reports whether the code, which then works no more, is right.
func (s *Service) secondFactor(a *caller.Account, code string, now time.Time) bool {
	if a.TOTPSecret == "" {
		return true
	}
	if step, ok := s.credentials.Step(a.TOTPSecret, code, now); ok {
		return a.UseStep(step)
	}
	return a.UseRecoveryCode(code)
}

// open stores the sign-in and a new session, whose secret no one could know
// before.
func (s *Service) open(
	ctx context.Context, tx ports.SystemTx, a *caller.Account, in SignIn, session *caller.Session,
) (*SignedIn, error) {
	stamp := tx.Real.Now()
	now := stamp.Time
	a.SignIn(now)
	if err := tx.Accounts.Save(ctx, a); err != nil {
		return nil, err
	}
	secret := caller.NewToken()
	session.ID, session.Org, session.User = billing.NewID[billing.SessionID](stamp), a.Org, a.ID
	session.Address, session.Agent, session.CreatedAt, session.UsedAt = in.Address.Unmap().String(), in.Agent, now, now
	if err := tx.SignedIn.Insert(ctx, session, caller.TokenDigest(secret)); err != nil {
		return nil, err
	}
	e := in.Entry
	e.Org, e.User, e.Operator, e.Resource = a.Org, a.ID, session.Operator, session.ID.String()
	if err := tx.AuditLog.Insert(ctx, []*caller.AuditEntry{&e}); err != nil {
		return nil, err
	}
	return &SignedIn{User: &a.User, Session: session, Secret: secret, Browser: s.mark(in.Browser, &a.User)}, nil
}
