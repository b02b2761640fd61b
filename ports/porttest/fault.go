package porttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Fault is what becomes of one call that a process makes to the outside, a
// transaction being a call. The calls before it, and those after it when the
// process lives, do what they do. A process with a nil Fault has none.
type Fault struct {
	At   int    // which call, from 0
	Only string // counts the calls of this name alone; empty for all
	How  Ending
	Then func() // runs when the call is reached

	mu    sync.Mutex
	calls int
	met   string
}

// Ending is how a call ends.
type Ending int

// The ways in which a call ends. Before its effect is, for a transaction, before
// the commit.
const (
	DiesBefore  Ending = iota // the process dies without the effect
	DiesAfter                 // the process dies when the call has had its effect
	FailsBefore               // the call fails without the effect
	FailsAfter                // the call has its effect, but its outcome is lost
	Passes                    // the call is what it is
)

func (e Ending) String() string {
	return [...]string{"dies before", "dies after", "fails before", "fails after", "passes"}[e]
}

// ErrLost is the error of a call that fails.
var ErrLost = errors.New("the outcome was lost")

// killed is the panic of a process that dies: nothing that it meant to do
// afterwards is done.
type killed struct{}

// Call makes a call.
func (f *Fault) Call(name string, do func() error) error {
	return f.call(name, func(before func() error) error {
		if err := before(); err != nil {
			return err
		}
		return do()
	})
}

// call makes a call that runs before when its effect is yet to come.
func (f *Fault) call(name string, do func(before func() error) error) error {
	nothing := func() error { return nil }
	if !f.reaches(name) {
		return do(nothing)
	}
	if f.Then != nil {
		f.Then()
	}
	switch f.How {
	case DiesBefore:
		return do(func() error { panic(killed{}) })
	case FailsBefore:
		return do(func() error { return ErrLost })
	case DiesAfter, FailsAfter:
		if err := do(nothing); err != nil {
			return err
		}
		if f.How == DiesAfter {
			panic(killed{})
		}
		return ErrLost
	case Passes:
	}
	return do(nothing)
}

// reaches counts a call and reports whether it is the one.
func (f *Fault) reaches(name string) bool {
	if f == nil || f.Only != "" && f.Only != name {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.calls-1 != f.At {
		return false
	}
	f.met = name
	return true
}

// Met is the name of the call, empty when it was not reached.
func (f *Fault) Met() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met
}

// Dies runs work of a process that may be killed, and reports whether it was.
func Dies(work func()) (was bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, was = p.(killed); !was {
				panic(fmt.Sprint(p))
			}
		}
	}()
	work()
	return false
}

// EveryEnding runs a test for each call that a piece of work makes and each way
// in which that call may end, until the work comes to its end with none of its
// calls reached.
func EveryEnding(t *testing.T, least int, test func(t *testing.T, f *Fault)) {
	t.Helper()
	const most = 60
	for how := range Passes {
		reached := 0
		for ; reached < most; reached++ {
			f := &Fault{At: reached, How: how}
			if test(t, f); f.Met() == "" {
				break
			}
			if t.Failed() {
				t.Fatalf("the process %s call %d, %s", how, f.At, f.Met())
			}
		}
		if reached < least || reached == most {
			t.Fatalf("%d calls were reached, want %d at least and an end", reached, least)
		}
	}
}

// Store is a store whose transactions are calls, named as the methods are.
type Store struct {
	ports.Store
	*Fault
}

// InTx is the store's.
func (s Store) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.call("InTx", func(before func() error) error {
		return s.Store.InTx(ctx, scope, then(fn, before))
	})
}

// View is the store's.
func (s Store) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.call("View", func(before func() error) error {
		return s.Store.View(ctx, scope, then(fn, before))
	})
}

// System is the store's.
func (s Store) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.call("System", func(before func() error) error {
		return s.Store.System(ctx, then(fn, before))
	})
}

// then is a transaction that ends with before.
func then[T any](fn func(context.Context, T) error, before func() error) func(context.Context, T) error {
	return func(ctx context.Context, tx T) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return before()
	}
}
