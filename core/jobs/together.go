package jobs

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// Together does in one call what several callers of one scope need at the same
// time: one runs, those that arrive meanwhile make up the next call. A caller
// that is alone waits for no other, so a busy process pays for fewer
// transactions and an idle one is as quick as before.
type Together[T any] struct {
	most int
	work func(context.Context, billing.Scope, []T) error

	mu      sync.Mutex
	waiting map[billing.Scope][]turn[T] // an entry, even an empty one, while a call for the scope runs
}

type turn[T any] struct {
	item T
	done chan error
}

// NewTogether makes calls of up to most items. The context of work outlives
// that of any single caller.
func NewTogether[T any](most int, work func(context.Context, billing.Scope, []T) error) *Together[T] {
	return &Together[T]{most: most, work: work, waiting: map[billing.Scope][]turn[T]{}}
}

// Do returns what became of the item, or when ctx ends, while the work goes on.
// After a call that failed each of its items is tried alone, so that no item
// fails for another.
func (t *Together[T]) Do(ctx context.Context, scope billing.Scope, item T) error {
	mine := turn[T]{item, make(chan error, 1)}
	t.mu.Lock()
	waiting, runs := t.waiting[scope]
	if runs {
		t.waiting[scope] = append(waiting, mine)
	} else {
		t.waiting[scope] = nil
		go t.run(context.WithoutCancel(ctx), scope, []turn[T]{mine})
	}
	t.mu.Unlock()
	select {
	case err := <-mine.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run calls until no caller waits.
func (t *Together[T]) run(ctx context.Context, scope billing.Scope, turns []turn[T]) {
	for len(turns) > 0 {
		t.call(ctx, scope, turns)
		t.mu.Lock()
		waiting := t.waiting[scope]
		n := min(len(waiting), t.most)
		turns = waiting[:n:n]
		if n > 0 {
			t.waiting[scope] = waiting[n:]
		} else {
			delete(t.waiting, scope)
		}
		t.mu.Unlock()
	}
}

func (t *Together[T]) call(ctx context.Context, scope billing.Scope, turns []turn[T]) {
	items := make([]T, len(turns))
	for i, one := range turns {
		items[i] = one.item
	}
	err := Survive(func() error { return t.work(ctx, scope, items) })
	if err != nil && len(turns) > 1 {
		for i := range turns {
			t.call(ctx, scope, turns[i:i+1])
		}
		return
	}
	for _, one := range turns {
		one.done <- err
	}
}

// Survive turns a panic into an error that quotes no value, because values may
// be patient data. A bug must not take the process down, and what remains is
// done again.
func Survive(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %T at %s", p, debug.Stack())
		}
	}()
	return work()
}
