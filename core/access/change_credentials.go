package access

import (
	"context"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// CredentialsChange is a new password of a user, a new TOTP secret, or both, with the
// name that the person may enter beside them. Nil fields change nothing.
type CredentialsChange struct {
	Name       *string
	Current    string // the password so far; empty without one
	Password   *string
	TOTPSecret *string // in base32; empty removes it
	TOTP       string  // a code of the new secret
}

// UserWithCodes is a user with new recovery codes. The reply that is stored for replays
// does not have the codes.
type UserWithCodes struct {
	User          *caller.User
	RecoveryCodes []string
}

// setsUp reports whether the person sets up a second factor.
func (c CredentialsChange) setsUp() bool { return c.TOTPSecret != nil && *c.TOTPSecret != "" }

// ChangeCredentials changes the caller's password, TOTP secret, or both. Then all
// sessions of the user end within two seconds. Only that in which the person set up a
// second factor, or chose the password that the session wanted, goes on. It returns CodeInvalidRequest for a weak password, a wrong
// current one, a code that the new secret does not have, and the removal of a second
// factor that the organization requires.
func (s *Service) ChangeCredentials(
	ctx context.Context, call idempotency.Write[UserWithCodes], by *caller.Caller, in CredentialsChange,
) (caller.Reply, error) {
	if !in.setsUp() {
		if err := by.Can(caller.NeedSession); err != nil {
			return caller.Reply{}, err
		}
	}
	a, err := s.account(ctx, by.User)
	if err != nil {
		return caller.Reply{}, err
	}
	faults := call.Request.Faults
	judgeName(&faults, in.Name)
	if in.Password != nil {
		caller.JudgePassword(&faults, "password", *in.Password, a.Email, s.strength(*in.Password, a))
	}
	step := s.checkSecret(&faults, in, by.Session)
	if len(faults) == 0 {
		if err := s.checkCurrent(ctx, &faults, a, in.Current, by.Session); err != nil {
			return caller.Reply{}, err
		}
	}
	if len(faults) == 0 && in.Password != nil {
		if a.Password, err = s.hash(ctx, a, *in.Password); err != nil {
			return caller.Reply{}, err
		}
	}
	codes, digests := caller.NewRecoveryCodes()
	if !in.setsUp() {
		codes, digests = nil, nil
	}
	call.Request.Faults = faults
	hide := func(p UserWithCodes) UserWithCodes { return UserWithCodes{User: p.User} }
	defer s.forget(a.ID)
	return idempotency.Reveal(ctx, s.store, call, hide, func(ctx context.Context, tx ports.Tx) (UserWithCodes, error) {
		u, _, err := lockUser(ctx, tx, call.Call, a.ID)
		if err != nil {
			return UserWithCodes{}, err
		}
		wanted := by.Session.LacksPassword(u) && in.Password != nil
		if in.Password != nil {
			u.HasPassword = true
			if err := tx.Users.SetPassword(ctx, u.ID, a.Password); err != nil {
				return UserWithCodes{}, err
			}
		}
		if in.TOTPSecret != nil {
			u.HasTOTP = codes != nil
			if err := tx.Users.SetTOTP(ctx, u.ID, *in.TOTPSecret, step, digests); err != nil {
				return UserWithCodes{}, err
			}
		}
		if in.Name != nil {
			u.Name = strings.TrimSpace(*in.Name)
			if err := tx.Users.Save(ctx, u); err != nil {
				return UserWithCodes{}, err
			}
		}
		if !in.setsUp() && !wanted {
			return UserWithCodes{u, codes}, tx.Sessions.EndAll(ctx, u.ID, tx.Real.Now().Time)
		}
		session := *by.Session
		session.Prove(in.setsUp(), in.Password != nil)
		return UserWithCodes{u, codes}, tx.Sessions.Keep(ctx, &session, tx.Real.Now().Time)
	})
}

// forget makes this process look up the sessions of a user anew.
func (s *Service) forget(id billing.UserID) {
	of := func(in *signedIn) bool { return in.user.ID == id }
	s.active.forgetAll(of)
	s.background.forgetAll(of)
}

// hash returns the hash of a password for a user who has a session.
func (s *Service) hash(ctx context.Context, a *caller.Account, password string) (string, error) {
	leave, err := s.places.enter(ctx, a.ID)
	if err != nil {
		return "", err
	}
	defer leave()
	return s.credentials.Hash(a.Email, password), nil
}

// account reads the account of a user.
func (s *Service) account(ctx context.Context, u *caller.User) (*caller.Account, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (*caller.Account, error) {
		return tx.Accounts.Lock(ctx, u.ID)
	})
}

// checkSecret checks that the person's app has the new TOTP secret, and returns
// the time step of its code.
func (s *Service) checkSecret(faults *billing.Faults, in CredentialsChange, session *caller.Session) int64 {
	if !in.setsUp() {
		if in.TOTPSecret != nil && session.TOTPRequired {
			faults.Add("totp_secret", billing.FaultNotAllowed, "Your organization requires a second factor. Send the secret of another one instead.")
		}
		return 0
	}
	if len(*in.TOTPSecret) < minSecret || len(*in.TOTPSecret) > maxSecret {
		faults.Add("totp_secret", billing.FaultFormat, "A secret has 32 to 128 characters of base32.")
		return 0
	}
	step, ok := s.credentials.Step(*in.TOTPSecret, in.TOTP, s.clock.Now())
	if !ok {
		faults.Add("totp", billing.FaultNotAllowed, "This is not the code that the secret has now.")
	}
	return step
}

// The lengths of a TOTP secret: from 160 bits (RFC 4226) in base32.
const minSecret, maxSecret = 32, 128

// checkCurrent checks the current password of an account that has one. Attempts
// count, because a stolen session must not be a way to guess the password.
func (s *Service) checkCurrent(ctx context.Context, faults *billing.Faults, a *caller.Account, current string, session *caller.Session) error {
	if a.Password == "" {
		return nil
	}
	if current == "" {
		faults.Add("current_password", billing.FaultRequired, "Send the current password.")
		return nil
	}
	tries := byOwn(session.ID.String())
	counted, wait := s.attempts.begin(tries)
	if wait > 0 {
		return tooManyAttempts(wait)
	}
	hash, err := s.hash(ctx, a, current)
	if err != nil {
		s.attempts.takeBack(counted)
		return err
	}
	if !equal(a.Password, hash) {
		faults.Add("current_password", billing.FaultNotAllowed, "This is not the current password.")
		return nil
	}
	s.attempts.forget(tries)
	return nil
}
