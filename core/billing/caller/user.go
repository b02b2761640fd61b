package caller

import (
	"crypto/sha256"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// User is a person who signs in to one organization. An email address may have a
// user in several organizations.
type User struct {
	ID          billing.UserID
	Org         billing.OrgID
	Email       string // in the form of NormalEmail
	Name        string // as colleagues know the person; empty for none
	Role        Role
	State       UserState
	HasPassword bool
	HasTOTP     bool
	CreatedAt   time.Time
	SignedInAt  time.Time // of the last sign-in; zero before the first
	Operator    OperatorSignIn
}

// Position returns the place in a list, by the time and the ID.
func (u *User) Position() billing.Position { return billing.Position{Time: u.CreatedAt, ID: u.ID} }

// OperatorSignIn is the last sign-in with an operator's link.
type OperatorSignIn struct {
	At   time.Time // zero for none
	Name string    // of the operator
}

// Recent reports whether there was such a sign-in in the last 14 days. Until then the
// user's pages show it.
func (s OperatorSignIn) Recent(now time.Time) bool {
	return !s.At.IsZero() && now.Before(s.At.AddDate(0, 0, 14))
}

// Principal returns the person who calls.
func (u *User) Principal() Principal { return Principal{PrincipalUser, u.ID.String()} }

// Role decides what a user may do.
type Role string

// The roles.
const (
	RoleOwner  Role = "owner"  // everything
	RoleBiller Role = "biller" // every write except of what the organization has: users, keys, webhook endpoints, offices, providers, fee schedules
	RoleViewer Role = "viewer" // reads only
)

// Roles returns every role.
func Roles() []Role { return []Role{RoleOwner, RoleBiller, RoleViewer} }

// UserState is the state of a user.
type UserState string

// The states of a user.
const (
	UserInvited  UserState = "invited" // has never signed in
	UserActive   UserState = "active"
	UserDisabled UserState = "disabled" // cannot sign in
)

// NormalEmail returns an email address without white space around it, in lower
// case, and whether it has the form of one.
func NormalEmail(text string) (string, bool) {
	email := strings.ToLower(strings.TrimSpace(text))
	parsed, err := mail.ParseAddress(email)
	return email, err == nil && parsed.Address == email && parsed.Name == "" && len(email) <= maxEmail
}

// maxEmail is the longest address that mail can be sent to (RFC 5321).
const maxEmail = 254

// UserChange is a change of a user by an owner or an operator, or of the name by the
// user. Empty fields change nothing.
type UserChange struct {
	Role  Role
	State UserState // UserActive or UserDisabled
	Name  *string   // empty for none
}

// Change changes the user, who is one of all users of the organization. It
// reports whether the user's sessions must end. It returns CodeConflict if the
// change leaves the organization without an active owner.
func (u *User) Change(c UserChange, all []*User) (ends bool, err error) {
	next := *u
	if c.Role != "" {
		next.Role = c.Role
	}
	switch {
	case c.State == UserDisabled:
		next.State = UserDisabled
	case c.State == UserActive && u.State == UserDisabled && u.SignedInAt.IsZero():
		next.State = UserInvited
	case c.State == UserActive && u.State == UserDisabled:
		next.State = UserActive
	}
	owns := func(u *User) bool { return u.Role == RoleOwner && u.State == UserActive }
	other := func(o *User) bool { return o.ID != u.ID && owns(o) }
	if owns(u) && !owns(&next) && !slices.ContainsFunc(all, other) {
		return false, &billing.Error{
			Code:    billing.CodeConflict,
			Message: "This is the last active owner of the organization. Make another user an owner first.",
		}
	}
	ends = next != *u
	if c.Name != nil {
		next.Name = strings.TrimSpace(*c.Name)
	}
	*u = next
	return ends, nil
}

// Account is a user with what proves that a person is the user.
type Account struct {
	User
	OrgName       string // only read
	Password      string // its hash; empty for none
	TOTPSecret    string // in base32; empty for none
	TOTPStep      int64  // the time step of the last code that was used
	RecoveryCodes [][sha256.Size]byte
}

// UseStep records the use of a TOTP code of the time step. It returns false if the
// code, or a later one, was used before.
func (a *Account) UseStep(step int64) bool {
	if step <= a.TOTPStep {
		return false
	}
	a.TOTPStep = step
	return true
}

// UseRecoveryCode removes a recovery code. It returns false if the account does
// not have it.
func (a *Account) UseRecoveryCode(code string) bool {
	n := slices.Index(a.RecoveryCodes, RecoveryDigest(code))
	if n < 0 {
		return false
	}
	a.RecoveryCodes = slices.Delete(a.RecoveryCodes, n, n+1)
	return true
}

// SignIn records a sign-in. An invited user becomes active.
func (a *Account) SignIn(now time.Time) {
	a.SignedInAt = now
	if a.State == UserInvited {
		a.State = UserActive
	}
}

// SetPassword stores the hash of a new password.
func (a *Account) SetPassword(hash string) { a.Password, a.HasPassword = hash, hash != "" }

// SetTOTP stores a new TOTP secret, whose code of the time step is used, and the
// digests of its recovery codes.
func (a *Account) SetTOTP(secret string, step int64, recovery [][sha256.Size]byte) {
	a.TOTPSecret, a.TOTPStep, a.RecoveryCodes, a.HasTOTP = secret, step, recovery, secret != ""
}
