package pgstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

// How often a process announces its keys, and after which time without it has ended.
const (
	announceEvery = 10 * time.Second
	holdersFor    = time.Minute
)

// announcer announces which keys of the deployment a process holds.
type announcer struct {
	name string
	id   string // random
	mu   sync.Mutex
	last time.Time // when it announced them
}

func newAnnouncer(name string) announcer {
	return announcer{name: name, id: rand.Text()}
}

const announce = `
INSERT INTO key_holders (id, name, holds, seen_at) VALUES ($1, $2, $3, clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()`

// forgetHolders leaves the process's own row, which the same statement writes.
const forgetHolders = "DELETE FROM key_holders WHERE seen_at < clock_timestamp() - make_interval(secs => $1) AND id <> $2"

// lookAtKeys announces the keys of a process. It reads those of the deployment again when data
// keys were replaced, and while the database has its first form, which may have ended.
func (s *Store) lookAtKeys(ctx context.Context, replaced time.Time) error {
	if !s.proof.done.Load() {
		return nil // there is no schema yet
	}
	if own := s.keys.deployment(); own != nil && (own.rows == nil || s.keys.outdated(replaced)) {
		if err := s.repeat(ctx, session{role: roleSystem}, true, s.proveIn); err != nil {
			return err
		}
		s.keys.renew(replaced)
	}
	s.announcer.mu.Lock()
	defer s.announcer.mu.Unlock()
	if s.announcer.name == "" || time.Since(s.announcer.last) < announceEvery {
		return nil
	}
	var holds pq.ByteaArray
	for _, wrap := range s.keys.wraps {
		holds = append(holds, wrap.id[:])
	}
	err := s.repeat(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		return errors.Join(
			t.later(ctx, "announce", announce, s.announcer.id, s.announcer.name, holds),
			t.later(ctx, "forget", forgetHolders, holdersFor.Seconds(), s.announcer.id))
	})
	if err != nil {
		return fmt.Errorf("announce the keys of the process: %w", err)
	}
	s.announcer.last = time.Now()
	return nil
}

// leave takes back what the process announced. Without it the row ends by its age.
func (s *Store) leave(ctx context.Context) {
	s.announcer.mu.Lock()
	defer s.announcer.mu.Unlock()
	if s.announcer.last.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	_ = s.attempt(ctx, &tx{store: s}, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
		_, err := t.exec(ctx, "DELETE FROM key_holders WHERE id = $1", s.announcer.id)
		return err
	})
}

// KeyStatus is which keys of the deployment wrap the data keys, and which process holds which.
type KeyStatus struct {
	FirstForm bool // the database has no data keys: one key encrypts every row
	Keys      []WrappingKey
	Processes []KeyHolder
}

// WrappingKey is a key of the deployment: one that wraps data keys, or that this process holds.
type WrappingKey struct {
	ID     string // 16 hexadecimal digits
	Wraps  int    // data keys
	Newest bool   // the first of this process's keys
	Held   bool   // by this process
}

// KeyHolder is a running process.
type KeyHolder struct {
	Name   string
	Holds  []string // IDs of keys, newest first
	SeenAt time.Time
}

// KeyStatus reads the status.
func (s *Store) KeyStatus(ctx context.Context) (k *KeyStatus, err error) {
	err = s.transact(ctx, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		k, err = t.keyStatus(ctx)
		return err
	})
	return k, err
}

func (t *tx) keyStatus(ctx context.Context) (*KeyStatus, error) {
	k := &KeyStatus{FirstForm: true}
	for i, wrap := range t.store.keys.wraps {
		k.Keys = append(k.Keys, WrappingKey{ID: wrap.id.String(), Newest: i == 0, Held: true})
	}
	var id []byte
	var n int
	if err := t.each(ctx, "count data keys", []any{&id, &n}, func() {
		k.FirstForm = false
		i := slices.IndexFunc(k.Keys, func(w WrappingKey) bool { return w.ID == hex.EncodeToString(id) })
		if i < 0 {
			i, k.Keys = len(k.Keys), append(k.Keys, WrappingKey{ID: hex.EncodeToString(id)})
		}
		k.Keys[i].Wraps = n
	}, "SELECT wrapped_by, count(*) AS wraps FROM data_keys GROUP BY wrapped_by ORDER BY count(*) DESC"); err != nil {
		return nil, err
	}
	var h KeyHolder
	var holds pq.ByteaArray
	return k, t.each(ctx, "read which process holds which key", []any{&h.Name, &holds, &h.SeenAt}, func() {
		h.Holds = nil
		for _, id := range holds {
			h.Holds = append(h.Holds, hex.EncodeToString(id))
		}
		k.Processes, holds = append(k.Processes, h), nil
	}, "SELECT name, holds, seen_at FROM key_holders WHERE seen_at >= clock_timestamp() - make_interval(secs => $1) ORDER BY name, id", holdersFor.Seconds())
}

// rewrapsAtOnce is the number of data keys that one transaction of a rotation wraps.
const rewrapsAtOnce = 500

const rewrap = `
UPDATE data_keys SET wrapped = n.wrapped, wrapped_by = $3
FROM unnest($1::bytea[], $2::bytea[]) AS n (id, wrapped)
WHERE data_keys.id = n.id`

// RotateKeys wraps every data key with the newest key of this process, and calls progress with
// the number of those that are wrapped. It can be ended at any time, and then goes on when it
// is called again. A database of the first form gets its data keys first.
//
// Errors: billing.ErrConflict with the names of running processes that lack the newest key.
func (s *Store) RotateKeys(ctx context.Context, progress func(done int)) error {
	if len(s.keys.wraps) == 0 {
		return errNoSecret
	}
	err := s.transact(ctx, session{role: roleSystem}, false, s.rotateDeployment)
	for done := 0; err == nil; {
		progress(done)
		var n int
		err = s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error {
			n, err = t.rewrap(ctx, "WHERE wrapped_by <> $1 ORDER BY id LIMIT $2 FOR UPDATE", rewrapsAtOnce)
			return err
		})
		if n == 0 {
			break
		}
		done += n
	}
	return err
}

// rotateDeployment refuses if a process lacks the newest key, and wraps the keys of no
// organization: from then on, new data keys are wrapped by the newest.
func (s *Store) rotateDeployment(ctx context.Context, t *tx) error {
	var locked sql.NullString
	if err := t.get(ctx, &locked, lockRotation); err != nil {
		return fmt.Errorf("begin a rotation: %w", err)
	}
	status, err := t.keyStatus(ctx)
	if err != nil {
		return err
	}
	newest := s.keys.wraps[0].id.String()
	var lacking []string
	for _, p := range status.Processes {
		if !slices.Contains(p.Holds, newest) {
			lacking = append(lacking, p.Name)
		}
	}
	if len(lacking) > 0 {
		return &billing.Error{Code: billing.CodeConflict, Message: fmt.Sprintf(
			"These processes lack the key %s: %s. Start them again with it first in MOLAR_SECRET_KEY, then run molar secrets rotate again.",
			newest, strings.Join(lacking, ", "))}
	}
	if found, err := t.deploymentKeys(ctx); err != nil {
		return err
	} else if !found {
		if err := t.beginDataKeys(ctx, s.keys.deployment()); err != nil {
			return err
		}
		if _, err = t.deploymentKeys(ctx); err != nil {
			return err
		}
	}
	_, err = t.rewrap(ctx, "WHERE wrapped_by <> $1 AND org_id IS NULL LIMIT $2 FOR UPDATE", rewrapsAtOnce)
	return err
}

// rewrap wraps data keys with the newest key of the process, and returns how many.
func (t *tx) rewrap(ctx context.Context, which string, most int) (int, error) {
	to := t.store.keys.wraps[0]
	rows, err := t.wrappedKeys(ctx, which, to.id[:], most)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	ids, wrapped := make(pq.ByteaArray, len(rows)), make(pq.ByteaArray, len(rows))
	for i := range rows {
		plain, err := t.store.keys.unwrap(&rows[i])
		if err != nil {
			return 0, fmt.Errorf("unwrap the data key %x: %w", rows[i].id, err)
		}
		ids[i], wrapped[i] = rows[i].id, to.seal(plain[:], rows[i].boundTo())
	}
	if _, err := t.exec(ctx, rewrap, ids, wrapped, to.id[:]); err != nil {
		return 0, fmt.Errorf("wrap data keys: %w", err)
	}
	return len(rows), nil
}
