package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// users are the users of the transaction's organization.
type users struct{ *tx }

const userColumns = "id, org_id, email, name, role, state, has_password, has_totp, created_at, signed_in_at, operator_signed_in_at, operator_signed_in"

type userRow struct {
	ID          billing.UserID   `db:"id"`
	Org         billing.OrgID    `db:"org_id"`
	Email       string           `db:"email"`
	Name        string           `db:"name"`
	Role        caller.Role      `db:"role"`
	State       caller.UserState `db:"state"`
	HasPassword bool             `db:"has_password"`
	HasTOTP     bool             `db:"has_totp"`
	CreatedAt   time.Time        `db:"created_at"`
	SignedInAt  sql.NullTime     `db:"signed_in_at"`
	OperatorAt  sql.NullTime     `db:"operator_signed_in_at"`
	Operator    string           `db:"operator_signed_in"`
}

func (r userRow) user() (*caller.User, error) {
	return &caller.User{
		ID: r.ID, Org: r.Org, Email: r.Email, Name: r.Name, Role: r.Role, State: r.State, HasPassword: r.HasPassword, HasTOTP: r.HasTOTP,
		CreatedAt: r.CreatedAt.UTC(), SignedInAt: present(r.SignedInAt), Operator: caller.OperatorSignIn{At: present(r.OperatorAt), Name: r.Operator},
	}, nil
}

// Insert stores a new user without a password.
func (r users) Insert(ctx context.Context, u *caller.User) error {
	r.evidence = rowEvidence("users", u.ID)
	n, err := r.exec(ctx, `
INSERT INTO users (id, org_id, email, name, role, state, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (org_id, email) DO NOTHING`, u.ID, r.scope.Org, u.Email, u.Name, u.Role, u.State, micro(u.CreatedAt))
	switch {
	case err != nil:
		return fmt.Errorf("insert user %s: %w", u.ID, err)
	case n == 0:
		return &billing.Error{
			Code: billing.CodeConflict, Message: "The organization has a user with this email address.",
			Faults: []billing.FieldFault{{Field: "email", Code: billing.FaultConflict, Message: "The organization has a user with this email address."}},
		}
	}
	return nil
}

// Lock reads all users of the organization and locks their rows.
func (r users) Lock(ctx context.Context) ([]*caller.User, error) {
	var rows []userRow
	err := r.list(ctx, &rows, "SELECT "+userColumns+"\nFROM users\nWHERE org_id = $1\nORDER BY created_at, id\nFOR UPDATE", r.scope.Org)
	if err != nil {
		return nil, fmt.Errorf("lock users: %w", err)
	}
	return values(rows, userRow.user)
}

// List reads a page of users.
func (r users) List(ctx context.Context, p billing.Page) ([]*caller.User, error) {
	return page(ctx, r.tx, "users", userRow.user, r.ofOrganization(userColumns, "users"), p)
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
	return r.later(ctx, u.ID, "UPDATE users SET role = $2, state = $3, name = $4 WHERE id = $1", u.ID, u.Role, u.State, u.Name)
}

// SetPassword stores the hash of a password.
func (r users) SetPassword(ctx context.Context, id billing.UserID, hash string) error {
	return r.later(ctx, id, "UPDATE users SET password = nullif($2, '') WHERE id = $1", id, hash)
}

// SetTOTP stores the encrypted TOTP secret and the recovery codes.
func (r users) SetTOTP(ctx context.Context, id billing.UserID, secret string, step int64, recovery [][32]byte) error {
	var sealed []byte
	if secret != "" {
		sealed = r.store.sealer.seal(sealScope(r.scope.Org), id, []byte(secret))
	}
	return r.later(ctx, id, "UPDATE users SET totp = $2, totp_step = $3, recovery_codes = $4 WHERE id = $1", id, sealed, step, digests(recovery))
}

// sealScope is what an encrypted TOTP secret is bound to, beside its row.
func sealScope(org billing.OrgID) billing.Scope { return billing.Scope{Org: org} }

func digests(of [][sha256.Size]byte) pq.ByteaArray {
	out := pq.ByteaArray{}
	for _, d := range of {
		out = append(out, d[:])
	}
	return out
}

// sessions are the sessions of the transaction's organization.
type sessions struct{ *tx }

const sessionColumns = "id, org_id, user_id, address, agent, created_at, used_at, ended_at, totp, password_weak, operator, wants_password, " +
	"(SELECT require_totp FROM organizations o WHERE o.id = org_id) AS totp_required"

type sessionRow struct {
	ID        billing.SessionID `db:"id"`
	Org       billing.OrgID     `db:"org_id"`
	User      billing.UserID    `db:"user_id"`
	Address   string            `db:"address"`
	Agent     string            `db:"agent"`
	CreatedAt time.Time         `db:"created_at"`
	UsedAt    time.Time         `db:"used_at"`
	EndedAt   sql.NullTime      `db:"ended_at"`

	TOTP         bool   `db:"totp"`
	PasswordWeak bool   `db:"password_weak"`
	Operator     string `db:"operator"`
	Wants        bool   `db:"wants_password"`
	TOTPRequired bool   `db:"totp_required"`
}

func (r sessionRow) session() (*caller.Session, error) {
	return &caller.Session{
		ID: r.ID, Org: r.Org, User: r.User, Address: r.Address, Agent: r.Agent,
		CreatedAt: r.CreatedAt.UTC(), UsedAt: r.UsedAt.UTC(), EndedAt: present(r.EndedAt),
		TOTP: r.TOTP, PasswordWeak: r.PasswordWeak, Operator: r.Operator, WantsPassword: r.Wants, TOTPRequired: r.TOTPRequired,
	}, nil
}

// Link stores a sign-in link, after it has ended the unused ones of the user.
func (r sessions) Link(ctx context.Context, l *caller.SignInLink, digest [32]byte) error {
	if _, err := r.exec(ctx, "UPDATE sign_in_links SET used_at = $2 WHERE user_id = $1 AND used_at IS NULL", l.User, micro(l.CreatedAt)); err != nil {
		return fmt.Errorf("end sign-in links: %w", err)
	}
	return r.later(ctx, digest, `
INSERT INTO sign_in_links (digest, org_id, user_id, kind, operator, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`, digest[:], r.scope.Org, l.User, l.Kind, l.Operator, micro(l.CreatedAt), micro(l.ExpiresAt))
}

// Get reads a session.
func (r sessions) Get(ctx context.Context, id billing.SessionID) (*caller.Session, error) {
	return one(ctx, r.tx, "session", sessionRow.session, "SELECT "+sessionColumns+"\nFROM sessions\nWHERE id = $1", id)
}

// List reads a page of the sessions that last.
func (r sessions) List(ctx context.Context, user billing.UserID, at time.Time, p billing.Page) ([]*caller.Session, error) {
	return page(ctx, r.tx, "sessions", sessionRow.session, r.alive(user, at), p)
}

func (r sessions) alive(user billing.UserID, at time.Time) *query {
	q := r.ofOrganization(sessionColumns, "sessions")
	q.where("ended_at IS NULL")
	q.where("created_at > %", micro(at.Add(-caller.SessionTime)))
	q.where("used_at > %", micro(at.Add(-caller.SessionIdleTime)))
	whereSet(q, "user_id = %", user)
	return q
}

// End ends a session, unless it has ended.
func (r sessions) End(ctx context.Context, id billing.SessionID, user billing.UserID, at time.Time) error {
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

type accountRow struct {
	userRow
	OrgName       string         `db:"org_name"`
	Password      sql.NullString `db:"password"`
	TOTP          []byte         `db:"totp"`
	TOTPStep      int64          `db:"totp_step"`
	RecoveryCodes pq.ByteaArray  `db:"recovery_codes"`
}

const accountColumns = userColumns + ", (SELECT name FROM organizations o WHERE o.id = org_id) AS org_name, password, totp, totp_step, recovery_codes"

// account returns the account with its decrypted TOTP secret. A secret that was
// encrypted with another key is an error, because without it a password would be
// enough.
func (r accounts) account(row accountRow) (*caller.Account, error) {
	u, err := row.user()
	if err != nil {
		return nil, err
	}
	a := &caller.Account{User: *u, OrgName: row.OrgName, Password: row.Password.String, TOTPStep: row.TOTPStep}
	for _, d := range row.RecoveryCodes {
		a.RecoveryCodes = append(a.RecoveryCodes, [sha256.Size]byte(d))
	}
	if row.TOTP != nil {
		secret, err := r.store.sealer.open(sealScope(a.Org), a.ID, row.TOTP)
		if err != nil {
			return nil, fmt.Errorf("read user %s: %w", a.ID, err)
		}
		a.TOTPSecret = string(secret)
	}
	return a, nil
}

// Find reads the users with the email address.
func (r accounts) Find(ctx context.Context, email string) ([]*caller.Account, error) {
	return many(ctx, r.tx, "find users", r.account, "SELECT "+accountColumns+"\nFROM users\nWHERE email = $1\nORDER BY created_at, id", email)
}

// Users reads the users with the email address, without their secrets.
func (r accounts) Users(ctx context.Context, email string) ([]*caller.User, error) {
	return many(ctx, r.tx, "find users", userRow.user, "SELECT "+userColumns+"\nFROM users\nWHERE email = $1\nORDER BY created_at, id", email)
}

// Lock reads a user and locks the row.
func (r accounts) Lock(ctx context.Context, id billing.UserID) (*caller.Account, error) {
	return one(ctx, r.tx, "user", r.account, "SELECT "+accountColumns+"\nFROM users\nWHERE id = $1\nFOR UPDATE", id)
}

// Save stores a sign-in.
func (r accounts) Save(ctx context.Context, a *caller.Account) error {
	return r.later(ctx, a.ID, "UPDATE users SET state = $2, signed_in_at = $3, totp_step = $4, recovery_codes = $5, operator_signed_in_at = $6, operator_signed_in = $7 WHERE id = $1",
		a.ID, a.State, optional(a.SignedInAt), a.TOTPStep, digests(a.RecoveryCodes), optional(a.Operator.At), a.Operator.Name)
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
	return one(ctx, r.tx, "sign-in link", linkRow.link, "SELECT org_id, user_id, kind, operator, created_at, expires_at FROM sign_in_links WHERE digest = $1", digest[:])
}

type linkRow struct {
	Org       billing.OrgID   `db:"org_id"`
	User      billing.UserID  `db:"user_id"`
	Kind      caller.LinkKind `db:"kind"`
	Operator  string          `db:"operator"`
	CreatedAt time.Time       `db:"created_at"`
	ExpiresAt time.Time       `db:"expires_at"`
}

func (r linkRow) link() (*caller.SignInLink, error) {
	return &caller.SignInLink{Org: r.Org, User: r.User, Kind: r.Kind, Operator: r.Operator, CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC()}, nil
}

// signedIn are the sessions of requests, across organizations.
type signedIn struct{ *tx }

// Insert stores a new session.
func (r signedIn) Insert(ctx context.Context, s *caller.Session, digest [32]byte) error {
	r.evidence = rowEvidence("sessions", s.ID)
	return r.later(ctx, s.ID, `
INSERT INTO sessions (id, org_id, user_id, digest, address, agent, created_at, used_at, totp, password_weak, operator, wants_password)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		s.ID, s.Org, s.User, digest[:], s.Address, s.Agent, micro(s.CreatedAt), micro(s.UsedAt), s.TOTP, s.PasswordWeak, s.Operator, s.WantsPassword)
}

// Find reads a session and its user.
func (r signedIn) Find(ctx context.Context, digest [32]byte) (*caller.Session, *caller.User, error) {
	s, err := one(ctx, r.tx, "session", sessionRow.session, "SELECT "+sessionColumns+"\nFROM sessions\nWHERE digest = $1", digest[:])
	if err != nil {
		return nil, nil, err
	}
	u, err := one(ctx, r.tx, "user", userRow.user, "SELECT "+userColumns+"\nFROM users\nWHERE id = $1", s.User)
	return s, u, err
}

// Read reads sessions.
func (r signedIn) Read(ctx context.Context, ids []billing.SessionID) ([]*caller.Session, error) {
	return many(ctx, r.tx, "read sessions", sessionRow.session, "SELECT "+sessionColumns+"\nFROM sessions\nWHERE id = ANY ($1::uuid[])", pq.Array(ids))
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
