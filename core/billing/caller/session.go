package caller

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Session is the time from a sign-in of a user to its end. Its secret is in the
// cookie of a browser, and never stored.
type Session struct {
	ID        billing.SessionID
	Org       billing.OrgID
	User      billing.UserID
	Address   string // of the client that signed in
	Agent     string // the User-Agent of that client
	CreatedAt time.Time
	UsedAt    time.Time // to SessionPrecision
	EndedAt   time.Time // by the user or an owner; zero while it has not been ended

	TOTP         bool // it began with a second factor, or one was set up in it
	PasswordWeak bool // it began with a password that is easy to guess

	Operator string // it began with the link of this operator; empty for none

	WantsPassword bool // it began with a link for a person who has no password yet

	TOTPRequired bool // by its organization; only read
}

// Position returns the place in a list, by the time and the ID.
func (s *Session) Position() billing.Position { return billing.Position{Time: s.CreatedAt, ID: s.ID} }

// LacksTOTP reports whether the person must set up a second factor before anything else.
func (s *Session) LacksTOTP() bool { return s.TOTPRequired && !s.TOTP }

// LacksPassword reports whether the person, who is the user, chooses a password before
// anything else.
func (s *Session) LacksPassword(u *User) bool { return s.WantsPassword && !u.HasPassword }

// Prove records that the person set up a second factor in the session, chose a password,
// or both.
func (s *Session) Prove(secondFactor, newPassword bool) {
	s.TOTP = s.TOTP || secondFactor
	s.PasswordWeak = s.PasswordWeak && !newPassword
}

// How long a session lasts.
const (
	SessionTime      = 12 * time.Hour   // in total
	SessionIdleTime  = 30 * time.Minute // without a request
	SessionPrecision = time.Minute      // of UsedAt, so that few requests write
)

// Alive reports whether the session lasts at the given time.
func (s *Session) Alive(now time.Time) bool {
	return s.EndedAt.IsZero() && now.Before(s.CreatedAt.Add(SessionTime)) && now.Before(s.UsedAt.Add(SessionIdleTime))
}

// SignInLink lets a user sign in once.
type SignInLink struct {
	Org       billing.OrgID
	User      billing.UserID
	Kind      LinkKind
	Operator  string // who made a LinkOperator at the command line; empty for none
	CreatedAt time.Time
	ExpiresAt time.Time
}

// LinkKind is the kind of a sign-in link.
type LinkKind string

// The kinds of sign-in links.
const (
	LinkInvitation LinkKind = "invitation" // for a new user
	LinkOperator   LinkKind = "operator"   // from the command line
	LinkReset      LinkKind = "reset"      // after the password and the second factor were removed
)

// Lasts returns how long a link of the kind works.
func (k LinkKind) Lasts() time.Duration {
	if k == LinkInvitation {
		return 48 * time.Hour
	}
	return 10 * time.Minute
}

// NewLink returns a link for the user.
func (u *User) NewLink(kind LinkKind, now time.Time) *SignInLink {
	return &SignInLink{Org: u.Org, User: u.ID, Kind: kind, CreatedAt: now, ExpiresAt: now.Add(kind.Lasts())}
}

// NewToken returns the secret of a link or a session: 256 random bits.
func NewToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// WellFormedToken reports whether the text has the form of a token.
func WellFormedToken(s string) bool {
	b, err := base64.RawURLEncoding.DecodeString(s)
	return err == nil && len(b) == 32
}

// TokenDigest returns the digest of a token that is stored.
func TokenDigest(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// recoveryCodes is the number of recovery codes of an account.
const recoveryCodes = 10

// NewRecoveryCodes returns new recovery codes: 80 random bits each, in groups of
// four characters.
func NewRecoveryCodes() (codes []string, digests [][sha256.Size]byte) {
	for range recoveryCodes {
		var b [10]byte
		_, _ = rand.Read(b[:]) // never fails since Go 1.24
		text := base32.StdEncoding.EncodeToString(b[:])
		code := strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-")
		codes, digests = append(codes, code), append(digests, RecoveryDigest(code))
	}
	return codes, digests
}

// RecoveryDigest returns the digest of a recovery code that is stored. Case,
// hyphens and spaces do not matter.
func RecoveryDigest(code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))))
}

// SignInPath returns the path of a sign-in link below the origin. The token is in
// the fragment, which no server, log or scanner sees.
func SignInPath(token string) string { return "/sign-in#" + token }
