package pgstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
)

// The purposes of keys in data_keys.
const (
	purposeRows      = "rows"  // encrypts rows of an organization, or of none
	purposeFirst     = "first" // encrypted every row in the database's first form
	PurposePasswords = "passwords"
	PurposeCursor    = "cursor"
)

// errNoSecret is the error of a process without a key of the deployment that needs one.
var errNoSecret = errors.New("MOLAR_SECRET_KEY is not set, and this needs encryption")

// Secret returns the deployment's secret for passwords or cursors. It is known once the
// first transaction has begun, and a caller that has had none has a mistake.
func (s *Store) Secret(purpose string) [32]byte {
	own := s.keys.deployment()
	if own == nil {
		panic("the secret of " + purpose + " is needed before the database was reached, or without MOLAR_SECRET_KEY")
	}
	return own.secrets[purpose]
}

// sealOwn encrypts for a row of no organization.
func (k *keyring) sealOwn(scope billing.Scope, id rowID, plain []byte) []byte {
	own := k.deployment()
	if own == nil {
		panic(errNoSecret)
	}
	key := own.rows
	if key == nil {
		key = own.first
	}
	return key.seal(plain, sealedFor(scope, id))
}

// seal encrypts for a row. If it cannot, the transaction does not commit.
func (t *tx) seal(ctx context.Context, scope billing.Scope, id rowID, plain []byte) []byte {
	own := t.store.keys.deployment()
	if own == nil {
		t.unsealable = errNoSecret
		return nil
	}
	if own.rows == nil || scope.Org.IsZero() {
		return t.store.keys.sealOwn(scope, id, plain)
	}
	key, err := t.dataKey(ctx, scope.Org)
	if err != nil {
		t.unsealable = err
		return nil
	}
	return key.seal(plain, sealedFor(scope, id))
}

// unseal decrypts what seal encrypted.
func (t *tx) unseal(ctx context.Context, scope billing.Scope, id rowID, sealed []byte) ([]byte, error) {
	return t.open(ctx, scope.Org, sealedFor(scope, id), sealed)
}

// open decrypts with the data key that the bytes name. A process may meet one that was made
// after it last looked.
func (t *tx) open(ctx context.Context, org billing.OrgID, boundTo, sealed []byte) ([]byte, error) {
	own := t.store.keys.deployment()
	if own == nil {
		return nil, errSealed
	}
	id, second := sealedWith(sealed)
	if !second {
		return own.first.open(sealed, boundTo)
	}
	if key := t.made[org]; key != nil && key.id == id {
		return key.open(sealed, boundTo)
	}
	key := t.store.keys.named(org, id)
	if key == nil {
		rows, err := t.wrappedKeys(ctx, "WHERE id = $1 AND org_id IS NOT DISTINCT FROM nullif($2::uuid, '00000000-0000-0000-0000-000000000000')", id[:], org)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, errSealed
		}
		if key, err = t.store.keys.usable(&rows[0]); err != nil {
			return nil, err
		}
		t.store.keys.know(org, key)
	}
	return key.open(sealed, boundTo)
}

// wrappedKey is a row of data_keys.
type wrappedKey struct {
	id, by  []byte
	org     billing.OrgID // zero for the deployment
	purpose string
	wrapped []byte
}

func (w *wrappedKey) boundTo() []byte { return []byte("data key|" + w.org.UUID() + "|" + w.purpose) }

// unwrap decrypts a data key with the key that wrapped it. The error is ErrOtherKey if the
// process does not have that one.
func (k *keyring) unwrap(w *wrappedKey) (key [32]byte, err error) {
	for _, wrap := range k.wraps {
		if string(wrap.id[:]) != string(w.by) {
			continue
		}
		plain, err := wrap.open(w.wrapped, w.boundTo())
		if err != nil || len(plain) != len(key) {
			return key, ErrOtherKey
		}
		return [32]byte(plain), nil
	}
	return key, ErrOtherKey
}

const selectKeys = "SELECT id, coalesce(org_id, '00000000-0000-0000-0000-000000000000') AS org, purpose, wrapped, wrapped_by FROM data_keys "

// wrappedKeys reads rows of data_keys.
func (t *tx) wrappedKeys(ctx context.Context, text string, args ...any) (all []wrappedKey, err error) {
	var w wrappedKey
	err = t.each(ctx, "read data keys", []any{&w.id, &w.org, &w.purpose, &w.wrapped, &w.by}, func() {
		all, w = append(all, w), wrappedKey{}
	}, selectKeys+text, args...)
	return all, err
}

// dataKey returns the key that encrypts rows of an organization, and makes it at first use. A
// key that this transaction made is not kept, because it may not commit.
func (t *tx) dataKey(ctx context.Context, org billing.OrgID) (*dataKey, error) {
	if key := t.store.keys.of(org); key != nil {
		return key, nil
	}
	if key, made := t.made[org]; made {
		return key, nil
	}
	read := t.store.keys.lookedAt()
	rows, err := t.wrappedKeys(ctx, currentKey, org)
	if err == nil && len(rows) == 0 {
		return t.makeDataKey(ctx, org)
	}
	if err != nil {
		return nil, err
	}
	key, err := t.store.keys.usable(&rows[0])
	if err == nil {
		t.store.keys.keep(org, key, read)
	}
	return key, err
}

// currentKey is the condition of the key that encrypts rows of an organization.
const currentKey = "WHERE org_id = $1 AND replaced_at IS NULL"

// The lock that a rotation takes alone, and a transaction that makes a data key with others: so
// a new key is wrapped by what wraps the deployment's, or the rotation sees it.
const (
	lockRotation = "SELECT pg_advisory_xact_lock(hashtextextended('molar key rotation', 0))"
	shareKeys    = "SELECT pg_advisory_xact_lock_shared(hashtextextended('molar key rotation', 0))"
)

const insertKey = `
INSERT INTO data_keys (id, org_id, purpose, wrapped, wrapped_by)
VALUES ($1, nullif($2::uuid, '00000000-0000-0000-0000-000000000000'), $3, $4, $5)
ON CONFLICT DO NOTHING`

// makeDataKey stores a new key of an organization, or returns the one that another
// transaction has stored meanwhile.
func (t *tx) makeDataKey(ctx context.Context, org billing.OrgID) (*dataKey, error) {
	var locked sql.NullString
	if err := t.get(ctx, &locked, shareKeys); err != nil {
		return nil, fmt.Errorf("make a data key: %w", err)
	}
	current, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL AND purpose = 'rows' AND replaced_at IS NULL")
	if err != nil {
		return nil, err
	}
	wrap := t.store.keys.wrapper(current)
	if wrap == nil {
		return nil, ErrOtherKey
	}
	var plain [32]byte
	_, _ = rand.Read(plain[:]) // never fails
	if err := t.storeKey(ctx, wrap, wrappedKey{org: org, purpose: purposeRows}, plain); err != nil {
		return nil, err
	}
	rows, err := t.wrappedKeys(ctx, currentKey, org)
	if err != nil || len(rows) == 0 {
		return nil, errors.Join(err, errSealed)
	}
	key, err := t.store.keys.usable(&rows[0])
	if t.made == nil {
		t.made = map[billing.OrgID]*dataKey{}
	}
	if err == nil {
		t.made[org] = key
	}
	return key, err
}

// wrapper returns the key of the process that wraps these; nil if it has another.
func (k *keyring) wrapper(rows []wrappedKey) *dataKey {
	for _, wrap := range k.wraps {
		if len(rows) > 0 && string(rows[0].by) == string(wrap.id[:]) {
			return wrap
		}
	}
	return nil
}

func (t *tx) storeKey(ctx context.Context, wrap *dataKey, w wrappedKey, plain [32]byte) error {
	id := keyIDOf(plain)
	if _, err := t.exec(ctx, insertKey, id[:], w.org, w.purpose, wrap.seal(plain[:], w.boundTo()), wrap.id[:]); err != nil {
		return fmt.Errorf("store a data key: %w", err)
	}
	return nil
}

// deploymentKeys reads the keys of no organization into the keyring. Found is false while the
// database has its first form.
func (t *tx) deploymentKeys(ctx context.Context) (found bool, err error) {
	rows, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL AND replaced_at IS NULL")
	if err != nil || len(rows) == 0 || len(t.store.keys.wraps) == 0 {
		return len(rows) > 0, err
	}
	own := &deploymentKeys{secrets: map[string][32]byte{}}
	for i := range rows {
		plain, err := t.store.keys.unwrap(&rows[i])
		if err == nil {
			own.secrets[rows[i].purpose] = plain
		}
		switch {
		case err != nil:
		case rows[i].purpose == purposeRows:
			own.rows, err = newDataKey(plain, sealVersion)
		case rows[i].purpose == purposeFirst:
			own.first, err = newDataKey(plain, sealVersion1)
		}
		if err != nil {
			return true, err
		}
	}
	if own.rows == nil || own.first == nil {
		return true, ErrOtherKey
	}
	t.store.keys.setDeployment(own)
	return true, nil
}

// beginDataKeys ends the first form of the database: it stores a data key of the deployment,
// and what the first form derived from the only key. It does nothing if they are there.
func (t *tx) beginDataKeys(ctx context.Context, own *deploymentKeys) error {
	var plain [32]byte
	_, _ = rand.Read(plain[:]) // never fails
	for purpose, key := range map[string][32]byte{
		purposeRows: plain, purposeFirst: own.secrets[purposeFirst], PurposePasswords: own.secrets[PurposePasswords], PurposeCursor: own.secrets[PurposeCursor],
	} {
		if err := t.storeKey(ctx, t.store.keys.wraps[0], wrappedKey{purpose: purpose}, key); err != nil {
			return err
		}
	}
	return nil
}
