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

// ErrOtherKey is the error of a store with an encryption key that is not the
// database's: what it would keep, nobody else could open.
var ErrOtherKey = errors.New("the database was begun with another encryption key")

// ErrNoKey is the error of a database that no process has begun with a key.
var ErrNoKey = errors.New("the database has no encryption key yet: set MOLAR_SECRET_KEY and run molar migrate")

// keyProof is sealed and kept by the process that begins the database. Every
// process with a key opens it before anything else.
const keyProof = "molar"

// proofRow is the row of the proof, as far as what is sealed is bound to one.
type proofRow struct{}

// UUID is what the proof is bound to.
func (proofRow) UUID() string { return "encryption key" }

// proof is how far a store has come with the proof of its key.
type proof struct {
	keyed  bool // there is a key
	begins bool // it becomes that of a database without one
	done   atomic.Bool
	turn   sync.Mutex
}

// prove checks, once, that the key is the database's. Only a store that begins
// the database gives it a key: a process that merely waits for the schema may
// have a wrong one. A database without a schema has nothing to open.
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
			return fmt.Errorf("keep the proof of the key: %w", err)
		}
		t.made = made{query: "SELECT EXISTS (SELECT FROM encryption_key WHERE one)"}
		sealed, err = t.keyProof(ctx) // another process may have been first
	}
	if err != nil {
		return fmt.Errorf("prove the key: %w", err)
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
