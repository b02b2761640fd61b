package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"net/netip"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
)

// apiKeys are the API keys of the transaction's organization.
type apiKeys struct{ *tx }

const keyColumns = "id, org_id, mode, name, permissions, last_four, created_at, revoked_at, " +
	"expires_at, allowed_addresses, created_by, last_used_at, last_used_from"

type keyRow struct {
	ID          billing.KeyID  `db:"id"`
	Org         billing.OrgID  `db:"org_id"`
	Mode        billing.Mode   `db:"mode"`
	Name        string         `db:"name"`
	Permissions pq.StringArray `db:"permissions"`
	LastFour    string         `db:"last_four"`
	CreatedAt   time.Time      `db:"created_at"`
	RevokedAt   sql.NullTime   `db:"revoked_at"`
	ExpiresAt   sql.NullTime   `db:"expires_at"`
	Allowed     pq.StringArray `db:"allowed_addresses"`
	CreatedBy   billing.UserID `db:"created_by"`
	UsedAt      sql.NullTime   `db:"last_used_at"`
	UsedFrom    string         `db:"last_used_from"`
	Faults      []byte         `db:"faults"`
}

func (r keyRow) key() (k *caller.APIKey, err error) {
	k = &caller.APIKey{
		ID: r.ID, Scope: billing.Scope{Org: r.Org, Mode: r.Mode}, Name: r.Name, Permissions: typed[billing.Permission](r.Permissions), LastFour: r.LastFour,
		CreatedAt: r.CreatedAt.UTC(), CreatedBy: r.CreatedBy, RevokedAt: present(r.RevokedAt), ExpiresAt: present(r.ExpiresAt), LastUsedAt: present(r.UsedAt), LastUsedFrom: r.UsedFrom,
	}
	for _, text := range r.Allowed {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("read key %s: %w", r.ID, err)
		}
		k.AllowedAddresses = append(k.AllowedAddresses, p)
	}
	if r.Faults == nil {
		return k, nil
	}
	var rows []faultRow
	if err := decode(r.Faults, &rows); err != nil {
		return nil, err
	}
	k.Faults, err = values(rows, faultRow.fault)
	return k, err
}

// Insert stores a key.
func (r apiKeys) Insert(ctx context.Context, k *caller.APIKey, digest [32]byte) error {
	allowed := pq.StringArray{}
	for _, p := range k.AllowedAddresses {
		allowed = append(allowed, p.String())
	}
	r.evidence = rowEvidence("api_keys", k.ID)
	return r.later(ctx, k.ID, `
INSERT INTO api_keys (id, org_id, mode, name, permissions, last_four, digest, created_at, revoked_at, expires_at, allowed_addresses, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		k.ID, r.scope.Org, k.Scope.Mode, k.Name, texts(k.Permissions), k.LastFour, digest[:], micro(k.CreatedAt), optional(k.RevokedAt),
		optional(k.ExpiresAt), allowed, k.CreatedBy)
}

// Revoke revokes a key.
func (r apiKeys) Revoke(ctx context.Context, id billing.KeyID, at time.Time) (*caller.APIKey, bool, error) {
	n, err := r.exec(ctx, "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", id, micro(at))
	if err != nil {
		return nil, false, fmt.Errorf("revoke key %s: %w", id, err)
	}
	r.evidence = evidence{"SELECT EXISTS (SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NOT NULL)", []any{id}}
	k, err := keyFinder(r).Get(ctx, id)
	return k, n == 1, err
}

// List reads a page of keys.
func (r apiKeys) List(ctx context.Context, p billing.Page) ([]*caller.APIKey, error) {
	return page(ctx, r.tx, "keys", keyRow.key, r.ofOrganization(keyColumns, "api_keys"), p)
}

// Working reads the keys that a user made, without revoked and expired ones.
func (r apiKeys) Working(ctx context.Context, by billing.UserID, at time.Time) ([]*caller.APIKey, error) {
	return many(ctx, r.tx, "read the keys of "+by.String(), keyRow.key, "SELECT "+keyColumns+`
FROM api_keys
WHERE org_id = $1 AND created_by = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)
ORDER BY created_at, id`, r.scope.Org, by, micro(at))
}

// Append stores the event of a key. While it does, the transaction has the mode of
// the key.
func (r apiKeys) Append(ctx context.Context, e event.Event) error {
	scope := billing.Scope{Org: r.scope.Org, Mode: e.Scope.Mode}
	if scope == r.scope {
		return r.appendTo(ctx, scope, r.numbered(ctx, e))
	}
	if err := r.switchTo(ctx, scope.Mode); err != nil {
		return err
	}
	if err := r.appendTo(ctx, scope, r.numbered(ctx, e)); err != nil {
		return err
	}
	return r.switchTo(ctx, r.scope.Mode)
}

// switchTo sends the queue, and sets the mode of the statements that follow.
func (t *tx) switchTo(ctx context.Context, mode billing.Mode) error {
	var set string
	if err := t.get(ctx, &set, "SELECT set_config('molar.mode', $1, true)", mode); err != nil {
		return fmt.Errorf("switch to mode %s: %w", mode, err)
	}
	return nil
}

// keyFinder finds keys of the organizations that the transaction sees.
type keyFinder struct{ *tx }

// Find looks up a key by its digest, with the fault rules of its organization.
func (r keyFinder) Find(ctx context.Context, digest [32]byte) (*caller.APIKey, error) {
	return one(ctx, r.tx, "key", keyRow.key, "SELECT "+keyColumns+`, (
	SELECT json_agg(f ORDER BY f.serial)
	FROM sandbox_faults f
	WHERE f.org_id = k.org_id AND k.mode = 'test' AND f.expires_at > now()
) AS faults
FROM api_keys k
WHERE digest = $1`, digest[:])
}

// Get reads a key.
func (r keyFinder) Get(ctx context.Context, id billing.KeyID) (*caller.APIKey, error) {
	return one(ctx, r.tx, "key", keyRow.key, "SELECT "+keyColumns+"\nFROM api_keys\nWHERE id = $1", id)
}

// Valid reads which of the keys are not revoked.
func (r keyFinder) Valid(ctx context.Context, ids []billing.KeyID) (valid []billing.KeyID, err error) {
	if err := r.list(ctx, &valid, "SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL", pq.Array(ids)); err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return valid, nil
}

// Used stores the last uses of keys.
func (r keyFinder) Used(ctx context.Context, all []caller.KeyUsed) error {
	ids, times, from := make([]billing.KeyID, len(all)), make([]time.Time, len(all)), make([]string, len(all))
	for n, u := range all {
		ids[n], times[n], from[n] = u.Key, micro(u.At), u.From
	}
	_, err := r.do(ctx, "store the last uses of keys", `
UPDATE api_keys k
SET last_used_at = u.at, last_used_from = u.address
FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) u (id, at, address)
WHERE k.id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`, pq.Array(ids), pq.Array(times), pq.Array(from))
	return err
}

type organizations struct{ *tx }

type orgRow struct {
	ID        billing.OrgID `db:"id"`
	Name      string        `db:"name"`
	CreatedAt time.Time     `db:"created_at"`

	RequireTOTP       bool `db:"require_totp"`
	EndpointsNeedRead bool `db:"endpoints_need_read"`
}

const orgColumns = "id, name, created_at, require_totp, endpoints_need_read"

func (r orgRow) org() (*caller.Organization, error) {
	return &caller.Organization{ID: r.ID, Name: r.Name, CreatedAt: r.CreatedAt.UTC(), RequireTOTP: r.RequireTOTP, EndpointsNeedRead: r.EndpointsNeedRead}, nil
}

// ownOrganization is the transaction's organization.
type ownOrganization struct{ *tx }

// Get reads the organization.
func (r ownOrganization) Get(ctx context.Context) (*caller.Organization, error) {
	return organizations(r).Get(ctx, r.scope.Org)
}

// Lock reads the organization and locks its row.
func (r ownOrganization) Lock(ctx context.Context) (*caller.Organization, error) {
	return one(ctx, r.tx, "organization", orgRow.org, "SELECT "+orgColumns+"\nFROM organizations\nWHERE id = $1\nFOR UPDATE", r.scope.Org)
}

// Save stores the settings.
func (r ownOrganization) Save(ctx context.Context, o *caller.Organization) error {
	return r.later(ctx, o.ID, "UPDATE organizations SET require_totp = $2, endpoints_need_read = $3 WHERE id = $1",
		r.scope.Org, o.RequireTOTP, o.EndpointsNeedRead)
}

// Insert stores a new organization.
func (r organizations) Insert(ctx context.Context, o *caller.Organization) error {
	r.evidence = rowEvidence("organizations", o.ID)
	return r.later(ctx, o.ID, "INSERT INTO organizations (id, name, created_at) VALUES ($1, $2, $3)", o.ID, o.Name, micro(o.CreatedAt))
}

// Get reads an organization.
func (r organizations) Get(ctx context.Context, id billing.OrgID) (*caller.Organization, error) {
	return one(ctx, r.tx, "organization", orgRow.org, "SELECT "+orgColumns+"\nFROM organizations\nWHERE id = $1", id)
}

// Office reads an office of any organization.
func (r organizations) Office(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return one(ctx, r.tx, "office", officeRow.office, "SELECT "+officeColumns+" FROM offices WHERE id = $1", id)
}

// List reads every organization, oldest first.
func (r organizations) List(ctx context.Context) ([]*caller.Organization, error) {
	return many(ctx, r.tx, "list organizations", orgRow.org, "SELECT "+orgColumns+"\nFROM organizations\nORDER BY created_at, id")
}
