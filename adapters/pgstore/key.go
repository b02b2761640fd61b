package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/molar-billing/molar/core/billing"
)

// ErrOtherKey is the error of a store whose encryption key is not the database's.
// Other processes could not decrypt its data.
var ErrOtherKey = errors.New("the database has another encryption key")

// ErrNoKey is the error of a database without an encryption key.
var ErrNoKey = fmt.Errorf("%w: it has no encryption key yet; set MOLAR_SECRET_KEY and run molar migrate", billing.ErrStoreAway)

// keyProof is a text that the process that sets the database's key encrypts and
// stores. Every other process with a key must decrypt it before its first
// transaction.
const keyProof = "molar"

// proofRow identifies the row of the proof.
type proofRow struct{}

// UUID returns the row ID that the encrypted proof is bound to.
func (proofRow) UUID() string { return "encryption key" }

// proof is the state of the check of a store's key.
type proof struct {
	keyed  bool // the store has a key
	begins bool // the store sets the key of a database without one
	done   atomic.Bool
	turn   sync.Mutex
}

// prove checks once that the key is the database's. Only a store with Options.Begins
// sets the key of a database. A process that waits for the schema may have a wrong
// key. A database without a schema has no data to decrypt.
func (s *Store) prove(ctx context.Context) error {
	if !s.proof.keyed && !s.proof.begins || s.proof.done.Load() {
		return nil
	}
	s.proof.turn.Lock()
	defer s.proof.turn.Unlock()
	if s.proof.done.Load() {
		return nil
	}
	err := s.repeat(ctx, session{role: roleSystem}, false, s.proveIn)
	if e, ok := errors.AsType[*serverError](err); ok && (e.Code == codeInvalidParameter || e.Code == codeNoTable) {
		return nil
	}
	s.proof.done.Store(err == nil)
	return err
}

func (s *Store) proveIn(ctx context.Context, t *tx) error {
	found, err := t.deploymentKeys(ctx)
	if err != nil || found {
		return err
	}
	sealed, err := t.keyProof(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return s.begin(ctx, t)
	}
	if err != nil {
		return fmt.Errorf("check the key: %w", err)
	}
	if !s.proof.keyed {
		return nil
	}
	own, err := s.keys.firstFormOf(sealed)
	if err == nil {
		s.keys.setDeployment(own)
	}
	return err
}

// begin makes the newest key of the process that of a database without one.
func (s *Store) begin(ctx context.Context, t *tx) error {
	if !s.proof.begins || !s.proof.keyed {
		return ErrNoKey
	}
	own, err := firstForm(s.keys.secrets[0])
	if err != nil {
		return err
	}
	t.evidence = evidence{query: "SELECT EXISTS (SELECT FROM encryption_key WHERE one)"}
	n, err := t.exec(ctx, "INSERT INTO encryption_key (proof) VALUES ($1) ON CONFLICT (one) DO NOTHING", own.first.seal([]byte(keyProof), sealedFor(billing.Scope{}, proofRow{})))
	if err != nil {
		return fmt.Errorf("store the proof of the key: %w", err)
	}
	if n == 1 { // otherwise another process was first
		if err := t.beginDataKeys(ctx, own); err != nil {
			return err
		}
	}
	_, err = t.deploymentKeys(ctx)
	return err
}

// firstFormOf returns the keys that the first form of the database derives from the key of the
// process that opens the proof.
func (k *keyring) firstFormOf(proof []byte) (*deploymentKeys, error) {
	for _, secret := range k.secrets {
		own, err := firstForm(secret)
		if err != nil {
			return nil, err
		}
		if plain, err := own.first.open(proof, sealedFor(billing.Scope{}, proofRow{})); err == nil && string(plain) == keyProof {
			return own, nil
		}
	}
	return nil, ErrOtherKey
}

func (t *tx) keyProof(ctx context.Context) (sealed []byte, err error) {
	return sealed, t.get(ctx, &sealed, "SELECT proof FROM encryption_key WHERE one")
}
