package pgstore

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"sync"

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

// maxCached bounds the organizations whose data keys a process holds.
const maxCached = 4096

// keyring has the keys of a process: those of the deployment from its settings, and the data
// keys that it has unwrapped with them.
type keyring struct {
	secrets [][32]byte // of the deployment, newest first
	wraps   []*dataKey // derived from them, in the same order

	mu     sync.RWMutex
	own    *deploymentKeys // nil before the first look at the database
	cached map[billing.OrgID]*dataKey
}

// deploymentKeys are the unwrapped keys of no organization.
type deploymentKeys struct {
	first   *dataKey
	rows    *dataKey // nil while the database has its first form, in which the first key encrypts every row
	secrets map[string][32]byte
}

func newKeyring(secrets [][32]byte) (*keyring, error) {
	k := &keyring{secrets: secrets, cached: map[billing.OrgID]*dataKey{}}
	for _, s := range secrets {
		wrap, err := subkey(s, "wrap")
		if err != nil {
			return nil, err
		}
		key, err := newDataKey(wrap, sealVersion)
		if err != nil {
			return nil, err
		}
		k.wraps = append(k.wraps, key)
	}
	return k, nil
}

// subkey computes the key for one purpose, so that no key has two.
func subkey(secret [32]byte, purpose string) (key [32]byte, err error) {
	b, err := hkdf.Key(sha256.New, secret[:], nil, "molar "+purpose, len(key))
	copy(key[:], b)
	return key, err
}

// firstForm returns the keys that the first form of the database derives from its only key.
func firstForm(secret [32]byte) (*deploymentKeys, error) {
	store, err := subkey(secret, "store")
	if err != nil {
		return nil, err
	}
	d := &deploymentKeys{secrets: map[string][32]byte{purposeFirst: store}}
	for _, purpose := range []string{PurposePasswords, PurposeCursor} {
		if d.secrets[purpose], err = subkey(secret, purpose); err != nil {
			return nil, err
		}
	}
	d.first, err = newDataKey(store, sealVersion1)
	return d, err
}

func (k *keyring) deployment() *deploymentKeys {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.own
}

func (k *keyring) setDeployment(own *deploymentKeys) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.own = own
}

func (k *keyring) of(org billing.OrgID) *dataKey {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.cached[org]
}

func (k *keyring) keep(org billing.OrgID, key *dataKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cached) >= maxCached {
		for some := range k.cached {
			delete(k.cached, some)
			break
		}
	}
	k.cached[org] = key
}

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

// openOwn decrypts what sealOwn encrypted.
func (k *keyring) openOwn(scope billing.Scope, id rowID, sealed []byte) ([]byte, error) {
	own := k.deployment()
	switch {
	case own == nil:
		return nil, errSealed
	case own.rows != nil && len(sealed) > 0 && sealed[0] == sealVersion:
		return own.rows.open(sealed, sealedFor(scope, id))
	}
	return own.first.open(sealed, sealedFor(scope, id))
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
	key, err := t.dataKey(ctx, scope.Org, true)
	if err != nil {
		t.unsealable = err
		return nil
	}
	return key.seal(plain, sealedFor(scope, id))
}

// unseal decrypts what seal encrypted. A process may meet a data key of the deployment before
// it has seen that there is one.
func (t *tx) unseal(ctx context.Context, scope billing.Scope, id rowID, sealed []byte) ([]byte, error) {
	own := t.store.keys.deployment()
	if own == nil {
		return nil, errSealed
	}
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return own.first.open(sealed, sealedFor(scope, id))
	}
	if scope.Org.IsZero() {
		if own.rows == nil {
			if _, err := t.deploymentKeys(ctx); err != nil {
				return nil, err
			}
		}
		return t.store.keys.openOwn(scope, id, sealed)
	}
	key, err := t.dataKey(ctx, scope.Org, false)
	if err != nil {
		return nil, err
	}
	return key.open(sealed, sealedFor(scope, id))
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

// dataKey returns the key of an organization, and makes it at first use if a row is to be
// encrypted. A key that this transaction made is not kept, because it may not commit.
func (t *tx) dataKey(ctx context.Context, org billing.OrgID, orNew bool) (*dataKey, error) {
	if key := t.store.keys.of(org); key != nil {
		return key, nil
	}
	if key, made := t.made[org]; made {
		return key, nil
	}
	rows, err := t.wrappedKeys(ctx, "WHERE org_id = $1", org)
	if err == nil && len(rows) == 0 && orNew {
		return t.makeDataKey(ctx, org)
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errSealed
	}
	key, err := t.store.keys.usable(&rows[0])
	if err == nil {
		t.store.keys.keep(org, key)
	}
	return key, err
}

func (k *keyring) usable(w *wrappedKey) (*dataKey, error) {
	plain, err := k.unwrap(w)
	if err != nil {
		return nil, err
	}
	return newDataKey(plain, sealVersion)
}

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
	current, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL AND purpose = 'rows'")
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
	rows, err := t.wrappedKeys(ctx, "WHERE org_id = $1", org)
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
	rows, err := t.wrappedKeys(ctx, "WHERE org_id IS NULL")
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
