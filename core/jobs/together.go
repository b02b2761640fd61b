package jobs

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Together combines concurrent requests into one call: one call runs, and the
// callers that arrive meanwhile share the next. A caller that is alone does not
// wait, and makes its call by itself. So a busy process needs fewer transactions, and an
// idle one is as fast as without it.
type Together[T any] struct {
	most  int
	apart bool // a call has items of one scope
	work  func(context.Context, []T) error

	mu      sync.Mutex
	waiting []turn[T]              // those of a scope in the order of arrival
	running map[billing.Scope]bool // the scopes with items in a call
	young   *call[T]               // the call that all others wait for; nil if there is none
}

type turn[T any] struct {
	ctx   context.Context //nolint:containedctx // of the caller, for the values that it has
	scope billing.Scope
	place int // among the items of its scope that wait
	item  T
	done  chan error
}

// soon is how long the callers of other scopes wait for a call, from the first of them. What holds up one scope, such as a lock, must
// not hold up the others.
const soon = 20 * time.Millisecond

// NewTogether combines up to most items of any scopes in a call. If a caller is alone, work gets its context. Otherwise
// the context of work outlives that of any single caller.
func NewTogether[T any](most int, work func(context.Context, []T) error) *Together[T] {
	return &Together[T]{most: most, work: work, running: map[billing.Scope]bool{}}
}

// NewTogetherApart combines the items of each scope in calls of its own, which run at the same time.
func NewTogetherApart[T any](most int, work func(context.Context, []T) error) *Together[T] {
	t := NewTogether(most, work)
	t.apart = true
	return t
}

// Do returns the result of the item. The call of a caller who is alone ends with ctx. One who shares a call gets the error of ctx
// when that ends first, and the call goes on. After a failed call each of its items is
// tried alone, so that no item fails because of another.
func (t *Together[T]) Do(ctx context.Context, scope billing.Scope, item T) error {
	mine := turn[T]{ctx: context.WithoutCancel(ctx), scope: scope, item: item, done: make(chan error, 1)}
	t.mu.Lock()
	t.waiting = append(t.waiting, mine)
	c := t.next()
	alone := c.isOf(mine)
	if !alone {
		t.begin(c)
	}
	t.mu.Unlock()
	if alone {
		return t.alone(ctx, c)
	}
	select {
	case err := <-mine.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isOf reports whether the call has no other turn.
func (c *call[T]) isOf(one turn[T]) bool {
	return c != nil && len(c.turns) == 1 && c.turns[0].done == one.done
}

// alone makes a call of one turn where its caller waits: another goroutine would wake another thread, and the caller again.
func (t *Together[T]) alone(ctx context.Context, c *call[T]) error {
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended(c)
		t.start()
	}()
	return t.do(ctx, c.turns)
}

// start begins the next call, if there is one.
func (t *Together[T]) start() { t.begin(t.next()) }

func (t *Together[T]) begin(c *call[T]) {
	if c != nil {
		go t.run(c)
	}
}

// call is a call with its items. It is young until the timer fires.
type call[T any] struct {
	turns []turn[T]
	aging *time.Timer // runs while others wait
}

// next takes the items of the next call: none while all that wait must wait longer. Of more items than it takes, the
// first of each scope come first, then the second ones.
func (t *Together[T]) next() *call[T] {
	if t.young != nil {
		t.age()
		return nil
	}
	able, left := []turn[T]{}, t.waiting[:0]
	of := map[billing.Scope]int{}
	for _, one := range t.waiting {
		if t.running[one.scope] || t.apart && len(able) > 0 && one.scope != able[0].scope {
			left = append(left, one)
			continue
		}
		of[one.scope]++
		one.place = of[one.scope]
		able = append(able, one)
	}
	slices.SortStableFunc(able, func(a, b turn[T]) int { return cmp.Compare(a.place, b.place) })
	c := &call[T]{turns: able[:min(len(able), t.most)]}
	left = append(left, able[len(c.turns):]...)
	clear(t.waiting[len(left):])
	t.waiting = left
	if len(c.turns) == 0 {
		return nil
	}
	for _, one := range c.turns {
		t.running[one.scope] = true
	}
	if !t.apart {
		t.young = c
		t.age()
	}
	return c
}

// age makes the young call old soon, if others wait for it.
func (t *Together[T]) age() {
	c := t.young
	if len(t.waiting) == 0 || c.aging != nil {
		return
	}
	c.aging = time.AfterFunc(soon, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.young == c {
			t.young = nil
			t.start()
		}
	})
}

// ended frees the scopes of a call.
func (t *Together[T]) ended(c *call[T]) {
	for _, one := range c.turns {
		delete(t.running, one.scope)
	}
	t.grown(c)
}

func (t *Together[T]) grown(c *call[T]) {
	if t.young != c {
		return
	}
	t.young = nil
	if c.aging != nil {
		c.aging.Stop()
	}
}

// run makes the call, and then others until none is left to begin.
func (t *Together[T]) run(c *call[T]) {
	for c != nil {
		err := t.do(c.turns[0].ctx, c.turns)
		if parts := c.parts(err); len(parts) > 1 {
			t.mu.Lock()
			t.grown(c)
			t.start()
			t.mu.Unlock()
			for _, part := range parts {
				go t.run(part)
			}
			return
		}
		if err != nil && len(c.turns) > 1 {
			for i := range c.turns {
				one := c.turns[i : i+1]
				one[0].done <- t.do(one[0].ctx, one)
			}
		} else {
			for _, one := range c.turns {
				one.done <- err
			}
		}
		t.mu.Lock()
		t.ended(c)
		c = t.next()
		t.mu.Unlock()
	}
}

func (t *Together[T]) do(ctx context.Context, turns []turn[T]) error {
	items := make([]T, len(turns))
	for i, one := range turns {
		items[i] = one.item
	}
	return Survive(func() error { return t.work(ctx, items) })
}

// parts returns a call for each scope of one that failed.
func (c *call[T]) parts(failed error) (all []*call[T]) {
	if failed == nil {
		return nil
	}
	of := map[billing.Scope]*call[T]{}
	for _, one := range c.turns {
		part := of[one.scope]
		if part == nil {
			part = &call[T]{}
			of[one.scope] = part
			all = append(all, part)
		}
		part.turns = append(part.turns, one)
	}
	return all
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
