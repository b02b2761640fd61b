package jobs

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// Together combines concurrent requests from callers of one scope into one
// call: one call runs, and the callers that arrive meanwhile share the next. A
// caller that is alone does not wait. So a busy process needs fewer
// transactions, and an idle one is as fast as before.
type Together[T any] struct {
	most int
	work func(context.Context, billing.Scope, []T) error

	mu      sync.Mutex
	waiting map[billing.Scope][]turn[T] // has an entry, perhaps empty, while a call for the scope runs
}

type turn[T any] struct {
	item T
	done chan error
}

// NewTogether combines up to most items in a call. The context of work outlives
// that of any single caller.
func NewTogether[T any](most int, work func(context.Context, billing.Scope, []T) error) *Together[T] {
	return &Together[T]{most: most, work: work, waiting: map[billing.Scope][]turn[T]{}}
}

// Do returns the result of the item, or the error of ctx when that ends first;
// the work continues. After a failed call each of its items is tried alone, so
// that no item fails because of another.
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

// run makes calls until no caller waits.
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

// Survive converts a panic to an error without its value, which may be patient
// data. A bug must not stop the process; the remaining work runs again.
func Survive(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %T at %s", p, debug.Stack())
		}
	}()
	return work()
}
