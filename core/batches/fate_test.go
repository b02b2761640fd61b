package batches_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// fate is what becomes of one call that a process makes to the outside, a
// commit being a call. The calls before it, and when the process lives after
// it too, do what they do.
type fate struct {
	at    int // which call, from 0
	how   ending
	only  string // counts the calls of this name alone; empty for all
	mu    sync.Mutex
	calls int
	met   string // the name of the call that was reached
}

// ending is how a call ends.
type ending int

const (
	diesBefore  ending = iota // the process dies without the call
	diesAfter                 // the process dies when the call has had its effect
	failsBefore               // the call fails
	failsAfter                // the call has its effect, but its answer is lost
)

func (e ending) String() string {
	return [...]string{"dies before", "dies after", "fails before", "fails after"}[e]
}

// killed is the panic of a process that dies: nothing that it meant to do
// afterwards is done.
type killed struct{}

var errLost = errors.New("the answer was lost")

func (f *fate) call(name string, do func() error) error {
	f.mu.Lock()
	counts := f.only == "" || f.only == name
	reached := counts && f.calls == f.at
	if counts {
		f.calls++
	}
	if reached {
		f.met = name
	}
	f.mu.Unlock()
	if !reached {
		return do()
	}
	switch f.how {
	case diesBefore:
		panic(killed{})
	case diesAfter:
		_ = do()
		panic(killed{})
	case failsBefore:
	case failsAfter:
		if err := do(); err != nil {
			return err
		}
	}
	return errLost
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

// everyEnding runs a test for each call that a piece of work makes and each
// way in which that call may end, until the work comes to its end with none of
// its calls reached.
func everyEnding(t *testing.T, least int, test func(t *testing.T, f *fate)) {
	t.Helper()
	for how := range failsAfter + 1 {
		reached := 0
		for ; reached < 60; reached++ {
			f := &fate{at: reached, how: how}
			if test(t, f); f.met == "" {
				break
			}
			if t.Failed() {
				t.Fatalf("the process %s call %d, %s", how, f.at, f.met)
			}
		}
		if reached < least {
			t.Fatalf("%d calls were reached, want %d at least", reached, least)
		}
	}
}

type fatedStore struct {
	ports.Store
	f *fate
}

func (s fatedStore) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.f.call("InTx", func() error { return s.Store.InTx(ctx, scope, fn) })
}

func (s fatedStore) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.f.call("View", func() error { return s.Store.View(ctx, scope, fn) })
}

func (s fatedStore) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.f.call("System", func() error { return s.Store.System(ctx, fn) })
}

type fatedNetwork struct {
	ports.Clearinghouse
	f *fate
}

func (n fatedNetwork) Send(ctx context.Context, scope billing.Scope, name string, content []byte) error {
	return n.f.call("Send", func() error { return n.Clearinghouse.Send(ctx, scope, name, content) })
}

func (n fatedNetwork) Receive(ctx context.Context, limit int) (files []billing.IncomingFile, err error) {
	err = n.f.call("Receive", func() (err error) {
		files, err = n.Clearinghouse.Receive(ctx, limit)
		return err
	})
	return files, err
}

func (n fatedNetwork) Remove(ctx context.Context, name string) error {
	return n.f.call("Remove", func() error { return n.Clearinghouse.Remove(ctx, name) })
}
