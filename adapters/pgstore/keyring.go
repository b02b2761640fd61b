package pgstore

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// maxCached bounds the organizations whose data keys a process holds.
const maxCached = 4096

// keyring has the keys of a process: those of the deployment from its settings, and the data
// keys that it has unwrapped with them.
type keyring struct {
	secrets [][32]byte // of the deployment, newest first
	wraps   []*dataKey // derived from them, in the same order
	copies  []*dataKey // derived from them, for copies of live files

	mu       sync.RWMutex
	own      *deploymentKeys            // nil before the first look at the database
	cached   map[billing.OrgID]*dataKey // encrypt rows of an organization
	others   map[keyID]ownedKey         // were met in rows
	replaced time.Time                  // when a data key was replaced last, as of the last look
}

// ownedKey is a data key with its organization, which is zero for the deployment.
type ownedKey struct {
	org billing.OrgID
	key *dataKey
}

// deploymentKeys are the unwrapped keys of no organization.
type deploymentKeys struct {
	first   *dataKey
	rows    *dataKey // nil while the database has its first form, in which the first key encrypts every row
	secrets map[string][32]byte
}

func newKeyring(secrets [][32]byte) (*keyring, error) {
	k := &keyring{secrets: secrets, cached: map[billing.OrgID]*dataKey{}, others: map[keyID]ownedKey{}}
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
		if wrap, err = subkey(s, "copies"); err != nil {
			return nil, err
		}
		copies, err := newDataKey(wrap, sealVersion)
		if err != nil {
			return nil, err
		}
		copies.prefix = key.prefix // as molar secrets status names it
		k.copies = append(k.copies, copies)
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

// lookedAt returns when a data key had been replaced last, as of the last look.
func (k *keyring) lookedAt() time.Time {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.replaced
}

// keep keeps the data key of an organization, unless some were replaced since it was read.
func (k *keyring) keep(org billing.OrgID, key *dataKey, read time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.replaced.Equal(read) {
		return
	}
	makeRoom(k.cached)
	k.cached[org] = key
}

// named returns the data key with the ID if the process knows it.
func (k *keyring) named(org billing.OrgID, id keyID) *dataKey {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if key := k.cached[org]; key != nil && key.id == id {
		return key
	}
	if org.IsZero() && k.own.rows != nil && k.own.rows.id == id {
		return k.own.rows
	}
	if other := k.others[id]; other.org == org {
		return other.key
	}
	return nil
}

// know keeps a data key that was met in a row.
func (k *keyring) know(org billing.OrgID, key *dataKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	makeRoom(k.others)
	k.others[key.id] = ownedKey{org, key}
}

func makeRoom[K comparable, V any](cache map[K]V) {
	if len(cache) < maxCached {
		return
	}
	for some := range cache {
		delete(cache, some)
		return
	}
}

// outdated reports whether data keys were replaced since the process last read those of the
// deployment.
func (k *keyring) outdated(replaced time.Time) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return !k.replaced.Equal(replaced)
}

// renew forgets the data keys that encrypted rows before some were replaced.
func (k *keyring) renew(replaced time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.replaced = replaced
	clear(k.cached)
}

// sealCopy encrypts the copy of a live file with the newest key of the deployment, so that
// any backup of the database can read the copies that are newer. In the first form of the
// database, releases before this one read them, too.
func (k *keyring) sealCopy(name string, plain []byte) []byte {
	own := k.deployment()
	if own == nil {
		panic(errNoSecret)
	}
	key := own.first
	if own.rows != nil {
		key = k.copies[0]
	}
	return key.seal(plain, sealedFor(billing.Scope{}, blobName(name)))
}

// openCopy decrypts what sealCopy encrypted.
func (k *keyring) openCopy(name string, sealed []byte) ([]byte, error) {
	own := k.deployment()
	if own == nil {
		return nil, errSealed
	}
	boundTo := sealedFor(billing.Scope{}, blobName(name))
	id, second := sealedWith(sealed)
	if !second {
		return own.first.open(sealed, boundTo)
	}
	for i, wrap := range k.wraps {
		if wrap.id == id {
			return k.copies[i].open(sealed, boundTo)
		}
	}
	return nil, fmt.Errorf("%w: it was encrypted with the key %s; add that to MOLAR_SECRET_KEY", errSealed, id)
}

// usable unwraps a data key.
func (k *keyring) usable(w *wrappedKey) (*dataKey, error) {
	plain, err := k.unwrap(w)
	if err != nil {
		return nil, err
	}
	return newDataKey(plain, sealVersion)
}
