package changes

import (
	"context"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/event"
)

// Stream is the changes that one caller follows.
type Stream struct {
	service *Service
	caller  *caller.Caller
	more    chan struct{} // receives after pending or ended changed

	// Used by Run.
	began bool
	after event.Mark // the earlier stream that this one continues; zero for none

	mu      sync.Mutex
	pending Update
	trusted time.Time // when the caller's session or key was last known to be valid
	ended   bool
}

// Update is the next part of a stream.
type Update struct {
	Reset   bool           // changes before this update may be missing: load everything again
	Changes []event.Change // after the reset, if there is one
	Mark    event.Mark     // a later stream continues after it
}

// Next returns the next update. It waits for one, but not longer than idle, and then
// returns one with only a mark. It returns false when the stream has ended: because the
// caller may not follow it any longer, the reader is too slow, or ctx has ended.
func (st *Stream) Next(ctx context.Context, idle time.Duration) (Update, bool) {
	heartbeat := time.NewTimer(idle)
	defer heartbeat.Stop()
	for idled := false; ; {
		u, left := st.take()
		switch {
		case left <= 0:
			return Update{}, false
		case idled || u.Reset || len(u.Changes) > 0:
			return u, true
		}
		untrusted := time.NewTimer(left)
		select {
		case <-st.more:
		case <-untrusted.C:
		case <-heartbeat.C:
			idled = true
		case <-ctx.Done():
			untrusted.Stop()
			return Update{}, false
		}
		untrusted.Stop()
	}
}

// take returns what is pending, and for how long the stream may last without another
// check of its caller.
func (st *Stream) take() (u Update, left time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return u, 0
	}
	u, st.pending = st.pending, Update{Mark: st.pending.Mark}
	return u, st.trusted.Add(st.service.times.Trust).Sub(st.service.clock.Now())
}

// Close releases the stream.
func (st *Stream) Close() {
	st.service.mu.Lock()
	defer st.service.mu.Unlock()
	delete(st.service.streams, st)
}

// push adds an update to what is pending. A reset that is not read yet stands for all
// that follows.
func (st *Stream) push(u Update) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.pending.Mark = u.Mark
	switch {
	case st.pending.Reset:
	case u.Reset:
		st.pending = u
	default:
		st.pending.Changes = append(st.pending.Changes, u.Changes...)
		st.ended = st.ended || len(st.pending.Changes) > maxPending
	}
	if u.Reset || len(u.Changes) > 0 {
		signal(st.more)
	}
}

func (st *Stream) trust(at time.Time) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.trusted = at
}

func (st *Stream) end() {
	st.mu.Lock()
	st.ended = true
	st.mu.Unlock()
	signal(st.more)
}

// credential returns the ID of the caller's session or key.
func (st *Stream) credential() [16]byte {
	if k := st.caller.Key; k != nil {
		return k.ID
	}
	return st.caller.Session.ID
}
