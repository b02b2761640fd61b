package webhooks_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// fault is the end of one of a process's calls to the outside. The commit of a
// transaction ("InTx") is a call. The zero fault is a process that lives.
type fault struct {
	at    int // the number of the call, from 0
	how   ending
	only  string // counts only the calls with this name; empty for all
	then  func() // runs when the call is reached, before its effect
	after func() // runs after the effect

	over <-chan struct{} // closed when the process is buried: a dead one waits for that

	mu    sync.Mutex
	calls map[string]int // by name; all under ""
	met   string         // the name of the call that was reached
	dead  bool
	away  bool // the store is away for now
	boxes int  // open mailboxes
}

// ending is how a call ends.
type ending int

const (
	meets       ending = iota // the call succeeds or fails by itself
	diesBefore                // the process dies without the call
	diesAfter                 // the process dies after the effect
	failsBefore               // the call fails
	failsAfter                // the call has its effect, but its reply is lost
)

func (e ending) String() string {
	return [...]string{"meets", "dies before", "dies after", "fails before", "fails after"}[e]
}

// dies reports whether the process dies of it.
func (e ending) dies() bool { return e == diesBefore || e == diesAfter }

var (
	errLost = errors.New("the answer was lost")
	errDead = errors.New("the process is dead")
	errAway = errors.New("the store is away")
)

// call makes a call. A dead process gets no further than its next call, in any
// of its goroutines, until it is buried. Inside a transaction it does not wait
// there: the server rolls back what a dead process had begun.
func (f *fault) call(name string, inside bool, do func() error) error {
	f.mu.Lock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	reached := f.met == "" && (f.then != nil || f.after != nil || f.how != meets) && (f.only == "" || f.only == name) && f.calls[f.only] == f.at
	f.calls[""]++
	f.calls[name]++
	if reached {
		f.met = name
	}
	dead, away := f.dead, f.away && name == "InTx"
	f.mu.Unlock()
	switch {
	case dead:
		return f.gone(inside)
	case away:
		return errAway
	case !reached:
		return f.outlived(inside, do())
	}
	return f.end(inside, do)
}

// end ends the call that was reached.
func (f *fault) end(inside bool, do func() error) error {
	if f.then != nil {
		f.then()
	}
	var err error
	if f.how == diesBefore {
		return f.die(inside)
	}
	if f.how != failsBefore {
		err = do()
	}
	if f.after != nil {
		f.after()
	}
	switch f.how {
	case diesAfter:
		return f.die(inside)
	case failsBefore, failsAfter:
		return errors.Join(err, errLost)
	case meets, diesBefore:
	}
	return f.outlived(inside, err)
}

func (f *fault) die(inside bool) error {
	f.mu.Lock()
	f.dead = true
	f.mu.Unlock()
	return f.gone(inside)
}

// outlived returns the result of a call in which the process may have died.
func (f *fault) outlived(inside bool, err error) error {
	if f.isDead() {
		return f.gone(inside)
	}
	return err
}

func (f *fault) gone(inside bool) error {
	if !inside {
		<-f.over
	}
	return errDead
}

func (f *fault) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// reached returns the name of the call that was reached; empty before.
func (f *fault) reached() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met
}

// count returns how many calls of the name were made.
func (f *fault) count(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[name]
}

// open counts open mailboxes: it adds n and returns the number.
func (f *fault) open(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.boxes += n
	return f.boxes
}

// leave takes the store away, or brings it back.
func (f *fault) leave(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

type mortalStore struct {
	ports.Store
	f *fault
}

func (s mortalStore) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.f.call("InTx", false, func() error {
		return s.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
			tx.Lanes = mortalLanes{tx.Lanes, s.f}
			return fn(ctx, tx)
		})
	})
}

type mortalLanes struct {
	ports.Lanes
	f *fault
}

func (l mortalLanes) Take(
	ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID, address string, lease time.Duration,
) (taken bool, other string, err error) {
	err = l.f.call("Take", true, func() error {
		taken, other, err = l.Lanes.Take(ctx, id, holder, address, lease)
		return err
	})
	return taken, other, err
}

func (l mortalLanes) Due(
	ctx context.Context, id billing.WebhookEndpointID, now time.Time, limit int, inFlight []billing.DeliveryID,
) (e *webhook.Endpoint, due []webhook.Shipment, next time.Time, err error) {
	err = l.f.call("Due", true, func() error {
		e, due, next, err = l.Lanes.Due(ctx, id, now, limit, inFlight)
		return err
	})
	return e, due, next, err
}

func (l mortalLanes) Record(ctx context.Context, tried []*webhook.Delivery) error {
	return l.f.call("Record", true, func() error { return l.Lanes.Record(ctx, tried) })
}

func (l mortalLanes) RecordHealth(ctx context.Context, e *webhook.Endpoint) error {
	return l.f.call("RecordHealth", true, func() error { return l.Lanes.RecordHealth(ctx, e) })
}

func (l mortalLanes) Leave(ctx context.Context, id billing.WebhookEndpointID, holder billing.JobID) error {
	return l.f.call("Leave", true, func() error { return l.Lanes.Leave(ctx, id, holder) })
}

type mortalQueue struct {
	ports.Queue
	f *fault
}

func (q mortalQueue) Await(subject [16]byte) ports.Mailbox {
	box, forget := q.Queue.Await(subject), sync.OnceFunc(func() { q.f.open(-1) })
	q.f.open(1)
	ended := box.Close
	box.Close = func() { ended(); forget() }
	return box
}

func (q mortalQueue) Reply(ctx context.Context, address string, subject [16]byte) error {
	return q.f.call("Reply", false, func() error { return q.Queue.Reply(ctx, address, subject) })
}

// mortalSender posts for a process; a dead one starts no post.
type mortalSender struct {
	ports.WebhookSender
	f *fault
}

func (s mortalSender) Post(ctx context.Context, m webhook.Message, secret ports.CurrentSecret) (a webhook.Attempt, err error) {
	if lost := s.f.call("Post", false, func() error { a, err = s.WebhookSender.Post(ctx, m, secret); return nil }); lost != nil {
		return webhook.Attempt{At: m.At, Error: lost.Error()}, nil
	}
	return a, err
}
