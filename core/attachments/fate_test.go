package attachments_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

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
	then  func() // runs when the call is reached
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
	meets                     // the call is what it is
)

func (e ending) String() string {
	return [...]string{"dies before", "dies after", "fails before", "fails after", "meets"}[e]
}

// killed is the panic of a process that dies: nothing that it meant to do
// afterwards is done.
type killed struct{}

var errLost = errors.New("the answer was lost")

func (f *fate) call(name string, do func() error) error {
	f.mu.Lock()
	reached := (f.only == "" || f.only == name) && f.calls == f.at
	if f.only == "" || f.only == name {
		f.calls++
	}
	if reached {
		f.met = name
	}
	f.mu.Unlock()
	if !reached {
		return do()
	}
	if f.then != nil {
		f.then()
	}
	switch f.how {
	case diesBefore:
		panic(killed{})
	case failsBefore:
		return errLost
	case diesAfter:
		_ = do()
		panic(killed{})
	case failsAfter:
		if err := do(); err != nil {
			return err
		}
		return errLost
	case meets:
	}
	return do()
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
	return s.f.call("InTx", func() error { return s.Store.InTx(ctx, scope, fn) })
}

type fatedQueue struct {
	ports.Queue
	f *fate
}

func (q fatedQueue) Reply(ctx context.Context, address string, subject [16]byte) error {
	return q.f.call("Reply", func() error { return q.Queue.Reply(ctx, address, subject) })
}

type fatedBlobs struct {
	ports.Blobs
	f *fate
}

func (b fatedBlobs) Put(ctx context.Context, name string, blob ports.Blob) error {
	return b.f.call("Put", func() error { return b.Blobs.Put(ctx, name, blob) })
}

func (b fatedBlobs) Open(ctx context.Context, name string) (content io.ReadCloser, size int64, err error) {
	err = b.f.call("OpenBlob", func() error {
		content, size, err = b.Blobs.Open(ctx, name)
		return err
	})
	if err != nil && content != nil {
		_ = content.Close()
	}
	return content, size, err
}

func (b fatedBlobs) Delete(ctx context.Context, name string) error {
	return b.f.call("Delete", func() error { return b.Blobs.Delete(ctx, name) })
}

func (b fatedBlobs) List(ctx context.Context, prefix string) iter.Seq2[ports.BlobInfo, error] {
	return b.Blobs.List(ctx, prefix)
}

type fatedNetwork struct {
	ports.AttachmentNetwork
	f *fate
}

func (n fatedNetwork) Open(ctx context.Context, t billing.Transmission) error {
	return n.f.call("Open", func() error { return n.AttachmentNetwork.Open(ctx, t) })
}

func (n fatedNetwork) Add(ctx context.Context, number string, d *billing.Document, content io.Reader) error {
	return n.f.call("Add", func() error { return n.AttachmentNetwork.Add(ctx, number, d, content) })
}

func (n fatedNetwork) Commit(ctx context.Context, number string) error {
	return n.f.call("Commit", func() error { return n.AttachmentNetwork.Commit(ctx, number) })
}
