package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// OwnOrganization stores the settings of the transaction's organization, in both modes.
type OwnOrganization interface {
	// Get reads the organization.
	Get(ctx context.Context) (*caller.Organization, error)

	// Lock reads the organization. No other transaction changes it until this one ends.
	Lock(ctx context.Context) (*caller.Organization, error)

	// Save stores the settings of the locked organization.
	Save(ctx context.Context, o *caller.Organization) error
}

// ThrowAways are the throw-away organizations that the transaction's organization made.
type ThrowAways interface {
	// Insert stores a new one, within it.
	Insert(ctx context.Context, o *caller.Organization) error
	// List returns those that are not being removed, newest first.
	List(ctx context.Context) ([]*caller.Organization, error)
	// Remove records that one is being removed. It returns CodeNotFound if it is, and for any
	// other organization.
	Remove(ctx context.Context, id billing.OrgID, at time.Time) error
	// Within runs fn, in which the transaction has the scope of one, in test mode.
	Within(ctx context.Context, id billing.OrgID, fn func(ctx context.Context) error) error
}

// Users stores the users of the transaction's organization, in both modes.
type Users interface {
	// Insert stores a new user. It returns CodeConflict if the organization has a
	// user with the email address.
	Insert(ctx context.Context, u *caller.User) error

	// Lock returns all users of the organization, oldest first. No other
	// transaction changes them until this one ends.
	Lock(ctx context.Context) ([]*caller.User, error)

	// List reads a page of users, newest first, and one extra row when there is a
	// next page.
	List(ctx context.Context, p billing.Page) ([]*caller.User, error)

	// Save stores the role, the state and the name of a locked user. The open tasks of one who
	// is disabled are nobody's, in both modes.
	Save(ctx context.Context, u *caller.User) error

	// SetPassword stores the hash of a user's password; empty for none.
	SetPassword(ctx context.Context, id billing.UserID, hash string) error

	// SetTOTP stores a user's TOTP secret, encrypted, the time step of its last
	// code, and the digests of its recovery codes. An empty secret removes all.
	SetTOTP(ctx context.Context, id billing.UserID, secret string, step int64, recovery [][32]byte) error
}

// Sessions stores the sign-in links of the transaction's organization, and ends
// its sessions, in both modes.
type Sessions interface {
	// Link stores a sign-in link under the digest of its token. Earlier links of
	// the user stop working.
	Link(ctx context.Context, l *caller.SignInLink, digest [32]byte) error

	// Get reads a session, even one that has ended. It returns CodeNotFound if there
	// is none.
	Get(ctx context.Context, id billing.SessionID) (*caller.Session, error)

	// List reads a page of the sessions that last at the given time, newest first,
	// and one extra row when there is a next page. The zero user stands for all.
	List(ctx context.Context, user billing.UserID, at time.Time, p billing.Page) ([]*caller.Session, error)

	// End ends a session. Ending it again changes nothing. The zero user stands
	// for any. It returns CodeNotFound if the user has no such session.
	End(ctx context.Context, id billing.SessionID, user billing.UserID, at time.Time) error

	// EndAll ends all sessions of a user.
	EndAll(ctx context.Context, user billing.UserID, at time.Time) error

	// Keep stores TOTP and PasswordWeak of a session, and ends all others of its user.
	Keep(ctx context.Context, s *caller.Session, at time.Time) error
}

// APIKeys stores the API keys of the transaction's organization, in both modes.
type APIKeys interface {
	// Insert stores a new key under the digest of its secret.
	Insert(ctx context.Context, k *caller.APIKey, digest [32]byte) error

	// Revoke revokes a key. It returns the key as revoked, and false when it was
	// revoked before. It returns CodeNotFound if there is none.
	Revoke(ctx context.Context, id billing.KeyID, at time.Time) (*caller.APIKey, bool, error)

	// RevokeAll revokes all keys that are not revoked.
	RevokeAll(ctx context.Context, at time.Time) error

	// List reads a page of keys, revoked ones too, newest first, and one extra row
	// when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*caller.APIKey, error)

	// Working returns the keys that a user made and that work at the given time, oldest
	// first.
	Working(ctx context.Context, by billing.UserID, at time.Time) ([]*caller.APIKey, error)

	// Append stores the event of a key in the key's mode, and queues it for the
	// endpoints of that mode.
	Append(ctx context.Context, e event.Event) error
}

// Accounts finds users who sign in, across organizations.
type Accounts interface {
	// Find returns the users with the email address, oldest first.
	Find(ctx context.Context, email string) ([]*caller.Account, error)

	// Users returns them without what proves them, so it needs no key to read that.
	Users(ctx context.Context, email string) ([]*caller.User, error)

	// Lock returns a user. No other transaction changes the user until this one
	// ends. It returns CodeNotFound if there is none.
	Lock(ctx context.Context, id billing.UserID) (*caller.Account, error)

	// Save stores a sign-in of a locked user: the state, the time, the step of the
	// last TOTP code, and the recovery codes that remain.
	Save(ctx context.Context, a *caller.Account) error

	// UseLink returns the sign-in link with the digest, once. It returns
	// CodeNotFound for an unknown link, one that was used, and one that expired.
	UseLink(ctx context.Context, digest [32]byte, at time.Time) (*caller.SignInLink, error)
}

// SignedIn finds the sessions of requests, across organizations.
type SignedIn interface {
	// Insert stores a new session under the digest of its secret.
	Insert(ctx context.Context, s *caller.Session, digest [32]byte) error

	// Find returns the session with the digest, even one that has ended, and its
	// user. It returns CodeNotFound if there is none.
	Find(ctx context.Context, digest [32]byte) (*caller.Session, *caller.User, error)

	// Read returns those of the sessions that exist, even if they have ended.
	Read(ctx context.Context, ids []billing.SessionID) ([]*caller.Session, error)

	// Use records when a session was last used.
	Use(ctx context.Context, id billing.SessionID, at time.Time) error
}

// Origin is the origin of the service's dashboard, for the links that the command
// line prints.
type Origin interface {
	// Get returns the origin that a service recorded last; empty for none.
	Get(ctx context.Context) (string, error)

	// Set records the origin.
	Set(ctx context.Context, origin string) error
}
