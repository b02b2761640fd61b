package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// users are the users of the transaction's organization.
type users struct{ *tx }

func userFields(u *caller.User) []field {
	return []field{
		{"id", &u.ID},
		{"org_id", &u.Org},
		{"email", &u.Email},
		{"name", &u.Name},
		{"role", &u.Role},
		{"state", &u.State},
		{"has_password", given{&u.HasPassword}},
		{"has_totp", given{&u.HasTOTP}},
		{"created_at", instant{&u.CreatedAt}},
		{"signed_in_at", instant{&u.SignedInAt}},
		{"operator_signed_in_at", instant{&u.Operator.At}},
		{"operator_signed_in", &u.Operator.Name},
	}
}

// Insert stores a new user without a password.
func (r users) Insert(ctx context.Context, u *caller.User) error {
	stored, err := userTable.insertUnless(ctx, r.tx, u, "ON CONFLICT (org_id, email) DO NOTHING")
	if err == nil && !stored {
		return &billing.Error{
			Code: billing.CodeConflict, Message: "The organization has a user with this email address.",
			Faults: []billing.FieldFault{{Field: "email", Code: billing.FaultConflict, Message: "The organization has a user with this email address."}},
		}
	}
	return err
}

// Lock reads all users of the organization and locks their rows, for a change of what both
// modes have.
func (r users) Lock(ctx context.Context) ([]*caller.User, error) {
	r.lasting = true
	return userTable.many(ctx, r.tx, "lock users", userTable.selecting+"WHERE org_id = $1\nORDER BY created_at, id\nFOR UPDATE", r.scope.Org)
}

// List reads a page of users.
func (r users) List(ctx context.Context, p billing.Page) ([]*caller.User, error) {
	return userTable.page(ctx, r.tx, r.ofOrganization(userColumns, "users"), p)
}

// ofOrganization builds a SELECT of rows that belong to both modes.
func (t *tx) ofOrganization(columns, table string) *query {
	q := &query{}
	q.built.WriteString("SELECT " + columns + "\nFROM " + table)
	q.add("\nWHERE org_id = %", t.scope.Org)
	return q
}

// Save stores the role, the state and the name.
func (r users) Save(ctx context.Context, u *caller.User) error {
	if u.State == caller.UserDisabled {
		if err := r.leave(ctx, u.ID); err != nil {
			return err
		}
	}
	return r.later(ctx, u.ID, "UPDATE users SET role = $2, state = $3, name = $4 WHERE id = $1", u.ID, u.Role, u.State, u.Name)
}

// leave takes the open tasks of both modes from a user.
func (r users) leave(ctx context.Context, id billing.UserID) error {
	for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
		if err := r.switchTo(ctx, mode); err != nil {
			return err
		}
		if _, err := r.do(ctx, "take the tasks from a user",
			"UPDATE tasks SET assignee = NULL WHERE org_id = $1 AND mode = $2 AND assignee = $3 AND ended_at IS NULL", r.scope.Org, mode, id); err != nil {
			return err
		}
	}
	return r.switchTo(ctx, r.scope.Mode)
}

// SetPassword stores the hash of a password.
func (r users) SetPassword(ctx context.Context, id billing.UserID, hash string) error {
	return r.later(ctx, id, "UPDATE users SET password = nullif($2, '') WHERE id = $1", id, hash)
}

// SetTOTP stores the encrypted TOTP secret and the recovery codes.
func (r users) SetTOTP(ctx context.Context, id billing.UserID, secret string, step int64, recovery [][32]byte) error {
	var sealed []byte
	if secret != "" {
		sealed = r.seal(ctx, sealScope(r.scope.Org), id, []byte(secret))
	}
	return r.later(ctx, id, "UPDATE users SET totp = $2, totp_step = $3, recovery_codes = $4 WHERE id = $1", id, sealed, step, digests{&recovery})
}

// sealScope is what an encrypted TOTP secret is bound to, beside its row.
func sealScope(org billing.OrgID) billing.Scope { return billing.Scope{Org: org} }

// digests is an array of digests.
type digests struct{ of *[][sha256.Size]byte }

// Value returns the array.
func (d digests) Value() (driver.Value, error) {
	all := pq.ByteaArray{}
	for _, sum := range *d.of {
		all = append(all, sum[:])
	}
	return all.Value()
}

// Scan reads the array.
func (d digests) Scan(src any) error {
	var all pq.ByteaArray
	err := all.Scan(src)
	for _, sum := range all {
		*d.of = append(*d.of, [sha256.Size]byte(sum))
	}
	return err
}

// sessions are the sessions of the transaction's organization.
type sessions struct{ *tx }

func sessionFields(s *caller.Session) []field {
	return []field{
		{"id", &s.ID},
		{"org_id", &s.Org},
		{"user_id", &s.User},
		{"address", &s.Address},
		{"agent", &s.Agent},
		{"created_at", instant{&s.CreatedAt}},
		{"used_at", instant{&s.UsedAt}},
		{"ended_at", instant{&s.EndedAt}},
		{"totp", &s.TOTP},
		{"password_weak", &s.PasswordWeak},
		{"operator", &s.Operator},
		{"wants_password", &s.WantsPassword},
		{"(SELECT require_totp FROM organizations o WHERE o.id = org_id) AS totp_required", given{&s.TOTPRequired}},
	}
}

// Link stores a sign-in link, after it has ended the unused ones of the user.
func (r sessions) Link(ctx context.Context, l *caller.SignInLink, digest [32]byte) error {
	if _, err := r.exec(ctx, "UPDATE sign_in_links SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL", l.User, micro(l.CreatedAt)); err != nil {
		return fmt.Errorf("end sign-in links: %w", err)
	}
	_, args, err := linkTable.values(r.tx, l, digest[:])
	if err != nil {
		return err
	}
	return r.later(ctx, digest, linkTable.inserting, args...)
}

// Get reads a session.
func (r sessions) Get(ctx context.Context, id billing.SessionID) (*caller.Session, error) {
	return sessionTable.one(ctx, r.tx, sessionTable.selecting+"WHERE id = $1", id)
}

// List reads a page of the sessions that last.
func (r sessions) List(ctx context.Context, user billing.UserID, at time.Time, p billing.Page) ([]*caller.Session, error) {
	return sessionTable.page(ctx, r.tx, r.alive(user, at), p)
}

func (r sessions) alive(user billing.UserID, at time.Time) *query {
	q := r.ofOrganization(sessionTable.columns, "sessions")
	q.where("ended_at IS NULL")
	q.where("created_at > %", micro(at.Add(-caller.SessionTime)))
	q.where("used_at > %", micro(at.Add(-caller.SessionIdleTime)))
	whereSet(q, "user_id = %", user)
	return q
}

// End ends a session, unless it has ended.
func (r sessions) End(ctx context.Context, id billing.SessionID, user billing.UserID, at time.Time) error {
	r.lasting = true
	n, err := r.exec(ctx, "UPDATE sessions SET ended_at = coalesce(ended_at, $3) WHERE id = $1 AND user_id = coalesce($2, user_id)", id, user, micro(at))
	switch {
	case err != nil:
		return fmt.Errorf("end session %s: %w", id, err)
	case n == 0:
		return billing.NotFound("session", "")
	}
	return nil
}

// EndAll ends the sessions of a user.
func (r sessions) EndAll(ctx context.Context, user billing.UserID, at time.Time) error {
	_, err := r.do(ctx, "end the sessions of "+user.String(), "UPDATE sessions SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL", user, micro(at))
	return err
}

// Keep stores what proves the person of a session, and ends the others of the user.
func (r sessions) Keep(ctx context.Context, s *caller.Session, at time.Time) error {
	_, err := r.do(ctx, "end the other sessions of "+s.User.String(), `
UPDATE sessions
SET totp = CASE WHEN id = $2 THEN $3 ELSE totp END, password_weak = CASE WHEN id = $2 THEN $4 ELSE password_weak END,
    ended_at = CASE WHEN id <> $2 THEN $5::timestamptz END
WHERE user_id = $1 AND ended_at IS NULL`, s.User, s.ID, s.TOTP, s.PasswordWeak, micro(at))
	return err
}

// accounts are the users who sign in, across organizations.
type accounts struct{ *tx }

// accountFields reads the TOTP secret as it is stored. See revealed.
func accountFields(a *caller.Account) []field {
	return append(userFields(&a.User),
		field{"(SELECT name FROM organizations o WHERE o.id = org_id) AS org_name", &a.OrgName},
		field{"password", orNull[string]{&a.Password}},
		field{"totp", orNull[string]{&a.TOTPSecret}},
		field{"totp_step", &a.TOTPStep},
		field{"recovery_codes", digests{&a.RecoveryCodes}})
}

// revealed returns an account with its decrypted TOTP secret. A secret that was
// encrypted with another key is an error, because without it a password would be
// enough.
func (r accounts) revealed(ctx context.Context, a *caller.Account) (*caller.Account, error) {
	if a.TOTPSecret == "" {
		return a, nil
	}
	secret, err := r.unseal(ctx, sealScope(a.Org), a.ID, []byte(a.TOTPSecret))
	if err != nil {
		return nil, fmt.Errorf("read user %s: %w", a.ID, err)
	}
	a.TOTPSecret = string(secret)
	return a, nil
}

// Find reads the users with the email address.
func (r accounts) Find(ctx context.Context, email string) ([]*caller.Account, error) {
	all, err := accountTable.many(ctx, r.tx, "find users", accountTable.selecting+"WHERE email = $1\nORDER BY created_at, id", email)
	if err != nil {
		return nil, err
	}
	return values(all, func(a *caller.Account) (*caller.Account, error) { return r.revealed(ctx, a) })
}

// Users reads the users with the email address, without their secrets.
func (r accounts) Users(ctx context.Context, email string) ([]*caller.User, error) {
	return userTable.many(ctx, r.tx, "find users", userTable.selecting+"WHERE email = $1\nORDER BY created_at, id", email)
}

// Lock reads a user and locks the row.
func (r accounts) Lock(ctx context.Context, id billing.UserID) (*caller.Account, error) {
	a, err := accountTable.one(ctx, r.tx, accountTable.selecting+"WHERE id = $1\nFOR UPDATE", id)
	if err != nil {
		return nil, err
	}
	return r.revealed(ctx, a)
}

// Save stores a sign-in.
func (r accounts) Save(ctx context.Context, a *caller.Account) error {
	return r.later(ctx, a.ID, "UPDATE users SET state = $2, signed_in_at = $3, totp_step = $4, recovery_codes = $5, operator_signed_in_at = $6, operator_signed_in = $7 WHERE id = $1",
		a.ID, a.State, optional(a.SignedInAt), a.TOTPStep, digests{&a.RecoveryCodes}, optional(a.Operator.At), a.Operator.Name)
}

// UseLink marks a sign-in link as used.
func (r accounts) UseLink(ctx context.Context, digest [32]byte, at time.Time) (*caller.SignInLink, error) {
	n, err := r.exec(ctx, "UPDATE sign_in_links SET used_at = $2 WHERE digest = $1 AND used_at IS NULL AND expires_at > $2", digest[:], micro(at))
	if err != nil {
		return nil, fmt.Errorf("use a sign-in link: %w", err)
	}
	if n == 0 {
		return nil, billing.NotFound("sign-in link", "")
	}
	return linkTable.one(ctx, r.tx, linkTable.selecting+"WHERE digest = $1", digest[:])
}

func linkFields(l *caller.SignInLink) []field {
	return []field{
		{"org_id", &l.Org},
		{"user_id", &l.User},
		{"kind", &l.Kind},
		{"operator", &l.Operator},
		{"created_at", instant{&l.CreatedAt}},
		{"expires_at", instant{&l.ExpiresAt}},
	}
}

// signedIn are the sessions of requests, across organizations.
type signedIn struct{ *tx }

// Insert stores a new session.
func (r signedIn) Insert(ctx context.Context, s *caller.Session, digest [32]byte) error {
	return sessionTable.insert(ctx, r.tx, s, digest[:])
}

// Find reads a session and its user.
func (r signedIn) Find(ctx context.Context, digest [32]byte) (*caller.Session, *caller.User, error) {
	s, err := sessionTable.one(ctx, r.tx, sessionTable.selecting+"WHERE digest = $1", digest[:])
	if err != nil {
		return nil, nil, err
	}
	u, err := userTable.one(ctx, r.tx, userTable.selecting+"WHERE id = $1", s.User)
	return s, u, err
}

// Read reads sessions.
func (r signedIn) Read(ctx context.Context, ids []billing.SessionID) ([]*caller.Session, error) {
	return sessionTable.many(ctx, r.tx, "read sessions", sessionTable.selecting+"WHERE id = ANY ($1::uuid[])", pq.Array(ids))
}

// Use stores when a session was last used.
func (r signedIn) Use(ctx context.Context, id billing.SessionID, at time.Time) error {
	return r.later(ctx, id, "UPDATE sessions SET used_at = greatest(used_at, $2) WHERE id = $1", id, micro(at))
}

// Sessions deletes old sessions and sign-in links. The IDs of sessions begin with
// their creation time, so the primary key finds them.
func (r forgetter) Sessions(ctx context.Context, before time.Time) (int, error) {
	sessions, err := r.exec(ctx, forgetSessions, billing.NewID[billing.SessionID](billing.RealAt(before)))
	if err != nil {
		return 0, fmt.Errorf("forget sessions: %w", err)
	}
	links, err := r.exec(ctx, forgetLinks, micro(before))
	if err != nil {
		return 0, fmt.Errorf("forget sign-in links: %w", err)
	}
	return sessions + links, nil
}

const forgetSessions = `
DELETE FROM sessions
WHERE id IN (SELECT id FROM sessions WHERE id < $1 ORDER BY id LIMIT ` + forgetBatch + `)`

const forgetLinks = `
DELETE FROM sign_in_links
WHERE digest IN (SELECT digest FROM sign_in_links WHERE created_at < $1 ORDER BY created_at LIMIT ` + forgetBatch + `)`

// origin is the origin of the dashboard.
type origin struct{ *tx }

// Get reads the origin.
func (r origin) Get(ctx context.Context) (text string, err error) {
	if err = r.get(ctx, &text, "SELECT origin FROM origin"); errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return text, err
}

// Set stores the origin.
func (r origin) Set(ctx context.Context, text string) error {
	return r.later(ctx, "origin", "INSERT INTO origin (origin) VALUES ($1) ON CONFLICT (one) DO UPDATE SET origin = excluded.origin", text)
}
