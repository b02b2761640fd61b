package jobs

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
)

// Turns is a queue that takes turns between scopes: Take returns one value of
// each scope that has any, however many another has. Within a scope it is first
// in, first out. An organization and those that it made are one. The zero value is empty. It is not safe for concurrent use.
type Turns[T any] struct {
	waiting map[billing.Scope][]T
	order   []billing.Scope // those with values; the first is next
	size    int
}

// Put adds a value. A scope without values gets its turn after the others.
func (t *Turns[T]) Put(scope billing.Scope, v T) {
	scope = scope.Turn()
	if t.waiting == nil {
		t.waiting = map[billing.Scope][]T{}
	}
	if len(t.waiting[scope]) == 0 {
		t.order = append(t.order, scope)
	}
	t.waiting[scope] = append(t.waiting[scope], v)
	t.size++
}

// Take removes the next value; ok is false when there is none.
func (t *Turns[T]) Take() (v T, ok bool) {
	if t.size == 0 {
		return v, false
	}
	return t.take(0), true
}

// Start removes the next value whose scope has a place, and occupies that
// place; ok is false when there is none.
func (t *Turns[T]) Start(p *Places) (v T, ok bool) {
	turn := slices.IndexFunc(t.order, p.start)
	if turn < 0 {
		return v, false
	}
	return t.take(turn), true
}

// take removes the first value of the scope with that turn.
func (t *Turns[T]) take(turn int) (v T) {
	scope := t.order[turn]
	t.order = slices.Delete(t.order, turn, turn+1)
	of := t.waiting[scope]
	v, of[0] = of[0], v // drop the reference
	if of = of[1:]; len(of) == 0 {
		delete(t.waiting, scope)
	} else {
		t.waiting[scope] = of
		t.order = append(t.order, scope)
	}
	t.size--
	return v
}

// Len returns the number of waiting values.
func (t *Turns[T]) Len() int { return t.size }

// Places limits the jobs that run at once. Beyond the bound there is a quarter
// more for scopes without a running job, which therefore do not wait until a job
// of a busy scope ends. It is not safe for concurrent use.
type Places struct {
	bound   int
	all     int
	running map[billing.Scope]int
}

// NewPlaces returns free places for n jobs.
func NewPlaces(n int) *Places { return &Places{bound: n, running: map[billing.Scope]int{}} }

// Len returns the number of places, those for scopes without a running job
// included.
func (p *Places) Len() int { return p.bound + p.bound/4 }

// start occupies a place, if there is one for the scope.
func (p *Places) start(scope billing.Scope) bool {
	if p.all >= p.Len() || p.all >= p.bound && p.running[scope] > 0 {
		return false
	}
	p.all++
	p.running[scope]++
	return true
}

// End frees the place of a job of the scope.
func (p *Places) End(scope billing.Scope) {
	scope = scope.Turn()
	p.all--
	if p.running[scope]--; p.running[scope] == 0 {
		delete(p.running, scope)
	}
}
