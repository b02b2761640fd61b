package access

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// memory remembers what secrets stand for. Requests with the same secret wait for
// one look-up: a thousand requests cost one.
type memory[T any] struct {
	clock ports.Clock

	mu      sync.Mutex
	good    map[[32]byte]remembered[T]
	lookups map[[32]byte]*lookup[T]
}

// lookup is a running look-up.
type lookup[T any] struct {
	done  chan struct{} // closed when value and err are set
	value T
	err   error
}

type remembered[T any] struct {
	value T
	until time.Time
}

// maxRemembered limits the number of remembered values.
const maxRemembered = 10_000

func newMemory[T any](clock ports.Clock) *memory[T] {
	return &memory[T]{clock: clock, good: map[[32]byte]remembered[T]{}, lookups: map[[32]byte]*lookup[T]{}}
}

// get returns what the digest stands for, remembered or from find. It remembers
// no error.
func (m *memory[T]) get(ctx context.Context, digest [32]byte, find func() (T, error)) (value T, err error) {
	for {
		now := m.clock.Now()
		m.mu.Lock()
		if have, ok := m.good[digest]; ok && now.Before(have.until) {
			m.mu.Unlock()
			return have.value, nil
		}
		l := m.lookups[digest]
		if l == nil {
			l = &lookup[T]{done: make(chan struct{})}
			m.lookups[digest] = l
			m.mu.Unlock()
			m.lookUp(digest, l, now, find)
			return l.value, l.err
		}
		m.mu.Unlock()
		select {
		case <-l.done:
		case <-ctx.Done():
			return value, ctx.Err()
		}
		if l.err == nil || billing.CodeOf(l.err) == billing.CodeUnauthorized {
			return l.value, l.err
		} // any other error may come from the other call's deadline
	}
}

// forget forgets what the digest stands for.
func (m *memory[T]) forget(digest [32]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.good, digest)
}

// forgetAll forgets the values that match.
func (m *memory[T]) forgetAll(match func(T) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.good, func(_ [32]byte, have remembered[T]) bool { return match(have.value) })
}

// lookUp remembers a value counting from the time at which the look-up began.
func (m *memory[T]) lookUp(digest [32]byte, l *lookup[T], now time.Time, find func() (T, error)) {
	defer close(l.done)
	l.value, l.err = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.lookups, digest)
	if l.err != nil {
		return
	}
	if len(m.good) >= maxRemembered {
		clear(m.good)
	}
	m.good[digest] = remembered[T]{l.value, now.Add(billing.RememberKeys)}
}
