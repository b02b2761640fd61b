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

// Fault is the fault of one outside call of a process. A transaction is a call.
// Other calls run normally. A process with a nil Fault has no fault.
type Fault struct {
	At   int    // the number of the call, from 0
	Only string // counts only calls of this name; empty for all
	How  Ending
	Then func() // runs when the call is reached

	mu    sync.Mutex
	calls int
	met   string
}

// Ending is how a call ends.
type Ending int

// The ways in which a call ends. "Before" means before its effect; for a
// transaction, before the commit.
const (
	DiesBefore  Ending = iota // the process dies without the effect
	DiesAfter                 // the process dies after the effect
	FailsBefore               // the call fails without the effect
	FailsAfter                // the call has its effect, but its outcome is lost
	Passes                    // the call runs normally
)

func (e Ending) String() string {
	return [...]string{"dies before", "dies after", "fails before", "fails after", "passes"}[e]
}

// ErrLost is the error of a failed call.
var ErrLost = errors.New("the outcome was lost")

// killed is the panic of a process that dies: none of its later work runs.
type killed struct{}

// Call runs a call.
func (f *Fault) Call(name string, do func() error) error {
	return f.call(name, func(before func() error) error {
		if err := before(); err != nil {
			return err
		}
		return do()
	})
}

// call runs a call that calls before just before its effect.
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

// reaches counts a call and reports whether it is the faulty one.
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

// Met returns the name of the faulty call, or an empty string if it was not
// reached.
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

// EveryEnding runs a test for each call of some work and each ending of that
// call, until the work ends without reaching the call.
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

// Store is a store whose transactions are calls, named like the methods.
type Store struct {
	ports.Store
	*Fault
}

// InTx calls the store's InTx.
func (s Store) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.call("InTx", func(before func() error) error {
		return s.Store.InTx(ctx, scope, then(fn, before))
	})
}

// View calls the store's View.
func (s Store) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.call("View", func(before func() error) error {
		return s.Store.View(ctx, scope, then(fn, before))
	})
}

// System calls the store's System.
func (s Store) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.call("System", func(before func() error) error {
		return s.Store.System(ctx, then(fn, before))
	})
}

// then returns a transaction that calls before at its end.
func then[T any](fn func(context.Context, T) error, before func() error) func(context.Context, T) error {
	return func(ctx context.Context, tx T) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return before()
	}
}
