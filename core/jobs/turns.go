package jobs

import "github.com/molar-billing/molar/core/billing"

// Turns is a queue that takes turns between scopes: Take returns one value of
// each scope that has any, however many another has. Within a scope it is first
// in, first out. The zero value is empty. It is not safe for concurrent use.
type Turns[T any] struct {
	waiting map[billing.Scope][]T
	order   []billing.Scope // those with values; the first is next
	size    int
}

// Put adds a value. A scope without values gets its turn after the others.
func (t *Turns[T]) Put(scope billing.Scope, v T) {
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
	scope := t.order[0]
	t.order = t.order[1:]
	of := t.waiting[scope]
	v, of[0] = of[0], v // drop the reference
	if of = of[1:]; len(of) == 0 {
		delete(t.waiting, scope)
	} else {
		t.waiting[scope] = of
		t.order = append(t.order, scope)
	}
	t.size--
	return v, true
}

// Len returns the number of waiting values.
func (t *Turns[T]) Len() int { return t.size }
