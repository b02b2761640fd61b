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
	sealed, err := t.keyProof(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		if !s.proof.begins || !s.proof.keyed {
			return ErrNoKey
		}
		if _, err = t.exec(ctx, "INSERT INTO encryption_key (proof) VALUES ($1) ON CONFLICT (one) DO NOTHING",
			s.sealer.seal(billing.Scope{}, proofRow{}, []byte(keyProof))); err != nil {
			return fmt.Errorf("store the proof of the key: %w", err)
		}
		t.evidence = evidence{query: "SELECT EXISTS (SELECT FROM encryption_key WHERE one)"}
		sealed, err = t.keyProof(ctx) // another process may have been first
	}
	if err != nil {
		return fmt.Errorf("check the key: %w", err)
	}
	if !s.proof.keyed {
		return nil
	}
	if plain, err := s.sealer.open(billing.Scope{}, proofRow{}, sealed); err != nil || string(plain) != keyProof {
		return ErrOtherKey
	}
	return nil
}

func (t *tx) keyProof(ctx context.Context) (sealed []byte, err error) {
	return sealed, t.get(ctx, &sealed, "SELECT proof FROM encryption_key WHERE one")
}
