// Package changes follows what changes in the scopes of open streams.
//
// One goroutine of a process, Run, serves all of its streams. It makes transactions
// record their changes (ports.Changes), reads the record several times a second, and
// passes each change to the streams of its scope. It also ends the streams of callers
// whose session or key has ended.
package changes

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Times are the times of following.
type Times struct {
	Read  time.Duration // between two reads of the record
	Begin time.Duration // between the first reads of a new scope; doubles up to Read
	Check time.Duration // between two checks of the callers
	Trust time.Duration // for which a check counts: without a newer one, the stream ends
	Renew time.Duration // between two renewals of the watches
	Watch time.Duration // how long a watch lasts after its last renewal
}

// DefaultTimes returns the times of the service. A change is on the streams about 200
// ms after its commit, and a stream ends within two seconds of a revocation.
func DefaultTimes() Times {
	return Times{
		Read: 200 * time.Millisecond, Begin: 10 * time.Millisecond, Check: 700 * time.Millisecond, Trust: 1900 * time.Millisecond,
		Renew: 15 * time.Second, Watch: 3 * time.Minute,
	}
}

const (
	resumeTime = 2 * time.Minute  // for which a stream can continue another; less than Times.Watch
	keepTime   = 10 * time.Minute // for which changes are kept; exceeds resumeTime and any transaction
	maxRead    = 1000             // changes of a scope in one read; more of them reset its streams
	maxPending = 4 * maxRead      // changes that wait for a reader; a slower one is cut off
)

// Service has the use cases of following changes.
type Service struct {
	store ports.Store
	clock ports.Clock
	times Times
	log   *slog.Logger
	wake  chan struct{} // receives after a stream was opened

	mu      sync.Mutex
	streams map[*Stream]struct{}
}

// New creates the use cases.
func New(store ports.Store, clock ports.Clock, times Times, log *slog.Logger) *Service {
	return &Service{store: store, clock: clock, times: times, log: log, wake: make(chan struct{}, 1), streams: map[*Stream]struct{}{}}
}

// Open returns a stream of the changes in the caller's scope. It begins with a reset,
// unless it continues an earlier stream after the mark; zero for none. The caller
// closes it.
func (s *Service) Open(by *caller.Caller, after event.Mark) *Stream {
	st := &Stream{service: s, caller: by, after: after, trusted: s.clock.Now(), more: make(chan struct{}, 1)}
	s.mu.Lock()
	s.streams[st] = struct{}{}
	s.mu.Unlock()
	signal(s.wake)
	return st
}

// Run serves the streams until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	var f follower
	for pause := time.Duration(0); ; {
		var next <-chan time.Time // never, without streams
		if streams := s.open(); len(streams) > 0 {
			pause = min(2*pause, s.times.Read)
			if f.step(ctx, s, streams) {
				pause = s.times.Begin
			}
			next = time.After(pause)
		} else {
			f = follower{}
		}
		select {
		case <-next:
		case <-s.wake:
			<-time.After(s.times.Begin) // others may open now
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Service) open() []*Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	streams := make([]*Stream, 0, len(s.streams))
	for st := range s.streams {
		streams = append(streams, st)
	}
	return streams
}

// Forget deletes old changes, a limited number in one transaction, and returns how
// many.
func (s *Service) Forget(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Changes.Forget(ctx, tx.Real.Now().Add(-keepTime))
	})
}

// follower is the state of Run.
type follower struct {
	mark     event.Mark             // the streams have all changes that it includes
	complete map[billing.Scope]bool // the scopes that are watched, and whether the record after mark is complete
	renewed  time.Time
	checked  time.Time
	failing  bool
}

// step does what is due. It returns whether a scope is new.
func (f *follower) step(ctx context.Context, s *Service, streams []*Stream) (begun bool) {
	ctx, cancel := context.WithTimeout(ctx, s.times.Trust-s.times.Check)
	defer cancel()
	of := map[billing.Scope][]*Stream{}
	for _, st := range streams {
		of[st.caller.Scope] = append(of[st.caller.Scope], st)
	}
	for scope := range of {
		if _, watched := f.complete[scope]; !watched {
			begun = true
		}
	}
	err := f.check(ctx, s, streams)
	if err == nil {
		err = f.watch(ctx, s, of)
	}
	if err == nil {
		err = f.read(ctx, s, of)
	}
	if err != nil && !f.failing && ctx.Err() == nil {
		s.log.WarnContext(ctx, "the streams of changes wait", "error", err)
	}
	f.failing = err != nil
	return begun
}

// check ends the streams whose session or key has ended, and those of sessions that lack
// a second factor.
func (f *follower) check(ctx context.Context, s *Service, streams []*Stream) error {
	now := s.clock.Now()
	if now.Sub(f.checked) < s.times.Check {
		return nil
	}
	var sessions []billing.SessionID
	var keys []billing.KeyID
	for _, st := range streams {
		if st.caller.Key != nil {
			if st.caller.Key.Works(now) {
				keys = append(keys, st.caller.Key.ID)
			}
		} else {
			sessions = append(sessions, st.caller.Session.ID)
		}
	}
	valid := map[[16]byte]bool{}
	if err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		good, err := tx.KeyFinder.Valid(ctx, keys)
		if err != nil {
			return err
		}
		for _, id := range good {
			valid[id] = true
		}
		found, err := tx.SignedIn.Read(ctx, sessions)
		for _, session := range found {
			valid[session.ID] = session.Alive(tx.Real.Now().Time) && !session.LacksTOTP()
		}
		return err
	}); err != nil {
		return err
	}
	f.checked = now
	for _, st := range streams {
		if id := st.credential(); valid[id] {
			st.trust(now)
		} else {
			st.end()
		}
	}
	return nil
}

// watch makes transactions record the changes of scopes that are new, and of all when
// it is time.
func (f *follower) watch(ctx context.Context, s *Service, of map[billing.Scope][]*Stream) error {
	now := s.clock.Now()
	all := now.Sub(f.renewed) >= s.times.Renew
	var scopes []billing.Scope
	for scope := range of {
		if all || !f.complete[scope] {
			scopes = append(scopes, scope)
		}
	}
	if len(scopes) == 0 {
		return nil
	}
	if err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Changes.Watch(ctx, scopes, s.times.Watch)
	}); err != nil {
		return err
	}
	if all {
		f.renewed = now
	}
	return nil
}

// read passes new changes to the streams.
func (f *follower) read(ctx context.Context, s *Service, of map[billing.Scope][]*Stream) error {
	scopes := make([]billing.Scope, 0, len(of))
	for scope := range of {
		scopes = append(scopes, scope)
	}
	found, mark, err := s.after(ctx, scopes, f.mark)
	if err != nil {
		return err
	}
	f.mark = mark
	f.complete = make(map[billing.Scope]bool, len(scopes))
	for i, scope := range scopes {
		f.complete[scope] = found[i].Complete
		next := update(found[i], mark)
		for _, st := range of[scope] {
			switch {
			case !found[i].Complete:
				st.began = false // it begins again with a reset
			case st.began:
				st.push(next)
			default:
				err = errors.Join(err, s.begin(ctx, st, mark))
			}
		}
	}
	return err
}

// begin makes the first update of a stream, when all later changes in its scope will be
// read: what changed since the stream that it continues, or else a reset.
func (s *Service) begin(ctx context.Context, st *Stream, mark event.Mark) error {
	first := Update{Reset: true, Mark: mark}
	if st.after.Horizon > 0 && mark.Time.Sub(st.after.Time) < resumeTime {
		found, now, err := s.after(ctx, []billing.Scope{st.caller.Scope}, st.after)
		if err != nil {
			return err
		}
		if found[0].Complete {
			first = update(found[0], now)
		}
	}
	st.began, st.after = true, event.Mark{}
	st.push(first)
	return nil
}

func (s *Service) after(
	ctx context.Context, scopes []billing.Scope, mark event.Mark,
) (found []event.ScopeChanges, now event.Mark, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		found, now, err = tx.Changes.After(ctx, scopes, mark, maxRead)
		return err
	})
	return found, now, err
}

func update(c event.ScopeChanges, mark event.Mark) Update {
	if c.More {
		return Update{Reset: true, Mark: mark}
	}
	u := Update{Mark: mark}
	seen := make(map[event.Change]struct{}, len(c.Changes))
	for _, one := range c.Changes {
		if _, twice := seen[one]; !twice {
			seen[one] = struct{}{}
			u.Changes = append(u.Changes, one)
		}
	}
	return u
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
