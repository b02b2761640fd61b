package access

import (
	"context"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// places bounds how many passwords are hashed at once, which bounds the memory and
// leaves time for other requests. Strangers, however many, never delay the users who
// are known: those who have signed in with the browser before, or have a session.
type places struct{ strangers, known *lane }

// lane has places of its own. Those who find none wait in turn.
type lane struct {
	free chan struct{}
	each int // how many attempts of one user wait at most

	mu      sync.Mutex
	all     int                    // attempts that wait
	waiting map[billing.UserID]int // of them, those of a user
}

// maxWaiting is how many attempts wait in a lane. A hash takes 60 ms.
const maxWaiting = 16

func newPlaces() *places { return &places{newLane(2, maxWaiting), newLane(1, 1)} }

func newLane(free, each int) *lane {
	return &lane{free: make(chan struct{}, free), each: each, waiting: map[billing.UserID]int{}}
}

// enter waits for a place of a known user, or of strangers if the user is zero. The
// caller leaves the place. It returns CodeTooManyRequests if too many wait.
func (p *places) enter(ctx context.Context, user billing.UserID) (leave func(), err error) {
	l := p.strangers
	if !user.IsZero() {
		l = p.known
	}
	leave = func() { <-l.free }
	select {
	case l.free <- struct{}{}:
		return leave, nil
	default:
	}
	if !l.wait(user) {
		return nil, &billing.Error{
			Code: billing.CodeTooManyRequests, RetryAfter: time.Second, Reason: billing.RefusedBusy,
			Message: "Too many people are signing in. Try again in a second.",
		}
	}
	defer l.waited(user)
	select {
	case l.free <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wait counts an attempt that begins to wait. It returns false if too many wait.
func (l *lane) wait(user billing.UserID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all >= maxWaiting || l.waiting[user] >= l.each {
		return false
	}
	l.all++
	l.waiting[user]++
	return true
}

func (l *lane) waited(user billing.UserID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.waiting[user]--; l.waiting[user] == 0 {
		delete(l.waiting, user)
	}
}
