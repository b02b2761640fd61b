package remittances_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// fate is what becomes of one transaction of a process. Those before it, and
// when the process lives after it too, do what they do.
type fate struct {
	at    int // which transaction, from 0
	how   ending
	then  func() // runs when the transaction is reached
	mu    sync.Mutex
	calls int
	met   bool
}

// ending is how a transaction ends.
type ending int

const (
	diesBefore ending = iota // the process dies without it
	diesWithin               // the process dies before the commit
	diesAfter                // the process dies when it is committed
	failsWithin
	failsAfter // it is committed, but the answer is lost
	meets      // it is what it is
)

func (e ending) String() string {
	return [...]string{"dies before", "dies within", "dies after", "fails within", "fails after", "meets"}[e]
}

// killed is the panic of a process that dies: nothing that it meant to do
// afterwards is done.
type killed struct{}

var errLost = errors.New("the answer was lost")

// call runs a transaction. Within, when not nil, is called by it when all is
// done but the commit.
func (f *fate) call(run func(within func() error) error) error {
	nothing := func() error { return nil }
	if f == nil {
		return run(nothing)
	}
	f.mu.Lock()
	reached := f.calls == f.at
	f.calls++
	f.met = f.met || reached
	f.mu.Unlock()
	if !reached {
		return run(nothing)
	}
	if f.then != nil {
		f.then()
	}
	switch f.how {
	case diesBefore:
		panic(killed{})
	case diesWithin:
		return run(func() error { panic(killed{}) })
	case failsWithin:
		return run(func() error { return errLost })
	case diesAfter, failsAfter:
		if err := run(nothing); err != nil {
			return err
		}
		if f.how == diesAfter {
			panic(killed{})
		}
		return errLost
	case meets:
	}
	return run(nothing)
}

// dies runs work of a process that may be killed, and reports whether it was.
func dies(work func()) (was bool) {
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

type fatedStore struct {
	ports.Store
	f *fate
}

func (s fatedStore) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.f.call(func(within func() error) error {
		return s.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			if err := fn(ctx, tx); err != nil {
				return err
			}
			return within()
		})
	})
}

func (s fatedStore) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.f.call(func(within func() error) error {
		return s.Store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
			if err := fn(ctx, tx); err != nil {
				return err
			}
			return within()
		})
	})
}
