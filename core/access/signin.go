package access

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"net/netip"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// SignIn is a request to sign in, with the token of a link, or with an email
// address and a password.
type SignIn struct {
	Token string

	Email, Password string
	TOTP            string // a code, or a recovery code; empty for none
	Browser         string // what an earlier sign-in returned to this browser

	Address netip.Addr
	Agent   string

	// Entry records a sign-in in the audit, in its commit. SignIn sets the user and
	// the session.
	Entry billing.AuditEntry
	// Refused is called for each user whose password, code or link was refused; nil
	// for no call.
	Refused func(*billing.User)
}

// SignedIn is the result of signing in.
type SignedIn struct {
	User    *billing.User
	Session *billing.Session
	Secret  string // of the session, which cannot be read again
	Browser string // lets this browser sign in while others fail to
}

// SignIn begins a session. Without a right token or password it returns
// CodeUnauthorized, whether the account exists or not, and after many attempts
// CodeTooManyRequests.
func (s *Service) SignIn(ctx context.Context, in SignIn) (*SignedIn, error) {
	if in.Refused == nil {
		in.Refused = func(*billing.User) {}
	}
	if in.Token != "" {
		return s.signInByLink(ctx, in)
	}
	return s.signInByPassword(ctx, in)
}

func (s *Service) signInByLink(ctx context.Context, in SignIn) (out *SignedIn, err error) {
	if !billing.WellFormedToken(in.Token) {
		return nil, linkRefused()
	}
	var refused *billing.User
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		l, err := tx.Accounts.UseLink(ctx, billing.TokenDigest(in.Token), tx.Clock.Now())
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
		if a.State == billing.UserDisabled {
			refused = &a.User
			return linkRefused()
		}
		out, err = s.begin(ctx, tx, a, in)
		return err
	})
	if refused != nil {
		in.Refused(refused)
	}
	return out, err
}

func linkRefused() error {
	return &billing.Error{
		Code:    billing.CodeUnauthorized,
		Message: "This link has expired or was used before. Sign in with your password, or ask an owner of your organization for a new link.",
	}
}

// signInByPassword computes one hash for every attempt, whether the account
// exists or not, and compares it with all users of the address.
func (s *Service) signInByPassword(ctx context.Context, in SignIn) (*SignedIn, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	browser, known := s.browser(email, in.Browser)
	if !known {
		browser = ""
	}
	tries := counted(email, in.Address, browser)
	if err := s.attempts.begin(tries); err != nil {
		return nil, err
	}
	var accounts []*billing.Account
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		accounts, err = tx.Accounts.Find(ctx, email)
		return err
	})
	if err != nil {
		return nil, err
	}
	hash, err := s.proofs.Hash(ctx, email, in.Password)
	if err != nil {
		return nil, err
	}
	var out *SignedIn
	for _, a := range accounts {
		if !equal(a.Password, hash) || a.State == billing.UserDisabled || out != nil {
			continue
		}
		if out, err = s.prove(ctx, a.ID, hash, in); err != nil {
			return nil, err
		}
	}
	if out == nil {
		for _, a := range accounts {
			in.Refused(&a.User)
		}
		return nil, &billing.Error{Code: billing.CodeUnauthorized, Message: "The email address, the password or the code is wrong."}
	}
	s.attempts.succeed(tries)
	return out, nil
}

func equal(have, want string) bool {
	return subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1
}

// prove signs in to an account whose password is right, if its code is right,
// too. It returns nil if it is not, and if the account has changed.
func (s *Service) prove(ctx context.Context, id billing.UserID, hash string, in SignIn) (out *SignedIn, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		out = nil
		a, err := tx.Accounts.Lock(ctx, id)
		if err != nil || !equal(a.Password, hash) || a.State == billing.UserDisabled || !s.secondFactor(a, in.TOTP, tx.Clock.Now()) {
			return err
		}
		out, err = s.begin(ctx, tx, a, in)
		return err
	})
	return out, err
}

// secondFactor reports whether the code, which then works no more, is right.
func (s *Service) secondFactor(a *billing.Account, code string, now time.Time) bool {
	if a.TOTPSecret == "" {
		return true
	}
	if step, ok := s.proofs.Step(a.TOTPSecret, code, now); ok {
		return a.UseStep(step)
	}
	return a.UseRecoveryCode(code)
}

// begin stores the sign-in and a new session, whose secret no one could know
// before.
func (s *Service) begin(ctx context.Context, tx ports.SystemTx, a *billing.Account, in SignIn) (*SignedIn, error) {
	now := tx.Clock.Now()
	a.SignIn(now)
	if err := tx.Accounts.Save(ctx, a); err != nil {
		return nil, err
	}
	secret := billing.NewToken()
	session := &billing.Session{
		ID: billing.NewID[billing.SessionID](now), Org: a.Org, User: a.ID, Address: in.Address.Unmap().String(), Agent: in.Agent,
		CreatedAt: now, UsedAt: now,
	}
	if err := tx.SignedIn.Insert(ctx, session, billing.TokenDigest(secret)); err != nil {
		return nil, err
	}
	e := in.Entry
	e.Org, e.User, e.Resource = a.Org, a.ID, session.ID.String()
	if err := tx.AuditLog.Insert(ctx, []*billing.AuditEntry{&e}); err != nil {
		return nil, err
	}
	return &SignedIn{User: &a.User, Session: session, Secret: secret, Browser: s.markBrowser(a.Email)}, nil
}

// markBrowser returns what proves that a browser has signed in to an account of
// the email address: a name for the browser, and a mark of both.
func (s *Service) markBrowser(email string) string {
	name := billing.NewToken()
	return name + "." + s.browserMark(email, name)
}

// browser returns the name of a browser that has signed in to an account of the
// email address.
func (s *Service) browser(email, text string) (name string, known bool) {
	name, mark, _ := strings.Cut(text, ".")
	return name, billing.WellFormedToken(name) && equal(mark, s.browserMark(email, name))
}

func (s *Service) browserMark(email, name string) string {
	mark := s.proofs.Mark("browser " + name + " " + email)
	return base64.RawURLEncoding.EncodeToString(mark[:])
}
