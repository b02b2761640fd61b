package pgstore

import (
	"context"
	"database/sql/driver"
	"errors"
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

func keyFields(k *caller.APIKey) []field {
	return scoped(&k.ID, &k.Scope, []field{
		{"name", &k.Name},
		{"permissions", textArray[billing.Permission]{of: &k.Permissions}},
		{"last_four", &k.LastFour},
		{"created_at", instant{&k.CreatedAt}},
		{"revoked_at", instant{&k.RevokedAt}},
		{"expires_at", instant{&k.ExpiresAt}},
		{"allowed_addresses", prefixes{&k.AllowedAddresses}},
		{"created_by", &k.CreatedBy},
		{"last_used_at", instant{&k.LastUsedAt}},
		{"last_used_from", &k.LastUsedFrom},
		{"made_with", &k.MadeWith},
	})
}

// prefixes is an array of addresses.
type prefixes struct{ of *[]netip.Prefix }

// Value returns the array.
func (p prefixes) Value() (driver.Value, error) {
	all := pq.StringArray{}
	for _, one := range *p.of {
		all = append(all, one.String())
	}
	return all.Value()
}

// Scan reads the array.
func (p prefixes) Scan(src any) error {
	var all pq.StringArray
	err := all.Scan(src)
	for _, text := range all {
		one, wrong := netip.ParsePrefix(text)
		err = errors.Join(err, wrong)
		*p.of = append(*p.of, one)
	}
	return err
}

// Insert stores a key.
func (r apiKeys) Insert(ctx context.Context, k *caller.APIKey, digest [32]byte) error {
	id, args, err := keyTable.values(r.tx, k, digest[:])
	if err != nil {
		return err
	}
	args[2] = k.Scope.Mode // a key of either mode
	r.evidence = rowEvidence("api_keys", id)
	return r.later(ctx, k.ID, keyTable.inserting, args...)
}

// Revoke revokes a key.
func (r apiKeys) Revoke(ctx context.Context, id billing.KeyID, at time.Time) (*caller.APIKey, bool, error) {
	r.lasting = true
	n, err := r.exec(ctx, "UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL", id, micro(at))
	if err != nil {
		return nil, false, fmt.Errorf("revoke key %s: %w", id, err)
	}
	r.evidence = evidence{"SELECT EXISTS (SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NOT NULL)", []any{id}}
	k, err := keyFinder(r).Get(ctx, id)
	return k, n == 1, err
}

// RevokeAll revokes all keys.
func (r apiKeys) RevokeAll(ctx context.Context, at time.Time) error {
	_, err := r.do(ctx, "revoke all keys", "UPDATE api_keys SET revoked_at = $2 WHERE org_id = $1 AND revoked_at IS NULL", r.scope.Org, micro(at))
	return err
}

// List reads a page of keys.
func (r apiKeys) List(ctx context.Context, p billing.Page) ([]*caller.APIKey, error) {
	return keyTable.page(ctx, r.tx, r.ofOrganization(keyColumns, "api_keys"), p)
}

// Working reads the keys that a user made, without revoked and expired ones.
func (r apiKeys) Working(ctx context.Context, by billing.UserID, at time.Time) ([]*caller.APIKey, error) {
	return keyTable.many(ctx, r.tx, "read the keys of "+by.String(), keyTable.selecting+`
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
	all, err := read(ctx, r.tx, "get key", func(k *caller.APIKey) []field {
		return append(keyFields(k), field{"faults", faultRules{&k.Faults}})
	}, "SELECT "+keyColumns+`, (
	SELECT json_agg(f ORDER BY f.serial)
	FROM sandbox_faults f
	WHERE f.org_id = k.org_id AND k.mode = 'test' AND f.expires_at > now()
) AS faults
FROM api_keys k
WHERE digest = $1`, digest[:])
	if err == nil && len(all) == 0 {
		err = billing.NotFound("key", "")
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Get reads a key.
func (r keyFinder) Get(ctx context.Context, id billing.KeyID) (*caller.APIKey, error) {
	return keyTable.one(ctx, r.tx, keyTable.selecting+"WHERE id = $1", id)
}

// Valid reads which of the keys are not revoked.
func (r keyFinder) Valid(ctx context.Context, ids []billing.KeyID) ([]billing.KeyID, error) {
	return columnOf[billing.KeyID](ctx, r.tx, "read keys", "SELECT id FROM api_keys WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL", pq.Array(ids))
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

func orgFields(o *caller.Organization) []field {
	return []field{
		{"id", &o.ID},
		{"name", &o.Name},
		{"created_at", instant{&o.CreatedAt}},
		{"require_totp", &o.RequireTOTP},
		{"endpoints_need_read", &o.EndpointsNeedRead},
		{"maker_id", &o.Maker},
		{"made_by", &o.MadeBy},
		{"expires_at", instant{&o.ExpiresAt}},
		{"removed_at", instant{&o.RemovedAt}},
	}
}

// ownOrganization is the transaction's organization.
type ownOrganization struct{ *tx }

// Get reads the organization.
func (r ownOrganization) Get(ctx context.Context) (*caller.Organization, error) {
	return organizations(r).Get(ctx, r.scope.Org)
}

// Lock reads the organization and locks its row.
func (r ownOrganization) Lock(ctx context.Context) (*caller.Organization, error) {
	return orgTable.one(ctx, r.tx, orgTable.selecting+"WHERE id = $1\nFOR UPDATE", r.scope.Org)
}

// Save stores the settings.
func (r ownOrganization) Save(ctx context.Context, o *caller.Organization) error {
	return r.later(ctx, o.ID, "UPDATE organizations SET require_totp = $2, endpoints_need_read = $3 WHERE id = $1",
		r.scope.Org, o.RequireTOTP, o.EndpointsNeedRead)
}

// Expired reads throw-away organizations that have expired.
func (r organizations) Expired(ctx context.Context, at time.Time, limit int) ([]*caller.Organization, error) {
	return orgTable.many(ctx, r.tx, "list expired organizations", orgTable.selecting+`
WHERE expires_at <= $1 AND removed_at IS NULL
ORDER BY expires_at
LIMIT $2`, micro(at), limit)
}

// Insert stores a new organization.
func (r organizations) Insert(ctx context.Context, o *caller.Organization) error {
	return orgTable.insert(ctx, r.tx, o)
}

// Get reads an organization.
func (r organizations) Get(ctx context.Context, id billing.OrgID) (*caller.Organization, error) {
	return orgTable.one(ctx, r.tx, orgTable.selecting+"WHERE id = $1", id)
}

// Office reads an office of any organization.
func (r organizations) Office(ctx context.Context, id billing.OfficeID) (*directory.Office, error) {
	return officeTable.one(ctx, r.tx, officeTable.selecting+"WHERE id = $1", id)
}

// List reads every organization, oldest first.
func (r organizations) List(ctx context.Context) ([]*caller.Organization, error) {
	return orgTable.many(ctx, r.tx, "list organizations", orgTable.selecting+"ORDER BY created_at, id")
}
