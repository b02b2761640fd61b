package access

import (
	"net/netip"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// attempts slows down failed attempts to sign in, within this process. What it
// counts does not depend on whether an account exists.
type attempts struct {
	clock ports.Clock

	mu    sync.Mutex
	of    map[tried]*failures
	known map[string]string // the hash of the password that was right last, by email address for strangers, and by known user
}

// tried is what failed attempts are counted by.
type tried struct {
	limit   limit
	email   string // as it was typed; empty for an address
	address netip.Prefix
	by      string // a user's known browsers, or a session; empty for strangers
}

// limit is how many attempts may fail before the next ones wait. The wait starts
// with a second and doubles, up to the longest.
type limit struct {
	free    int
	longest time.Duration
}

// The limits. An attacker with many addresses makes browsers wait that have not
// signed in to the account before, and no other; and those wait a minute at most.
func limits() (pair, address, account, own limit) {
	return limit{5, 15 * time.Minute}, limit{30, time.Minute}, limit{10, time.Minute}, limit{5, 15 * time.Minute}
}

type failures struct {
	count int
	until time.Time // no attempt before
	last  time.Time
}

// forgetFailures is how long after the last attempt the failed ones are
// forgotten.
const forgetFailures = time.Hour

// maxTried bounds the memory. When it is reached, the failures that were last a
// while ago are forgotten, and any others if these are too few.
const maxTried = 100_000

func newAttempts(clock ports.Clock) *attempts {
	return &attempts{clock: clock, of: map[tried]*failures{}, known: map[string]string{}}
}

// byStrangers returns what an attempt is counted by for users who have not signed in
// with the browser before. A browser that knows another user of the email address is
// counted apart under the client's address, where others may sign in.
func byStrangers(email string, address netip.Addr, known bool) []tried {
	pair, ofAddress, account, _ := limits()
	network, by := NetworkOf(address), ""
	if known {
		by = "known"
	}
	return []tried{{pair, email, network, ""}, {ofAddress, "", network, by}, {account, email, netip.Prefix{}, ""}}
}

// byOwn returns what an attempt is counted by for a user's own browsers, or a
// session.
func byOwn(id string) []tried {
	_, _, _, own := limits()
	return []tried{{limit: own, by: id}}
}

// NetworkOf returns what one client can have: an IPv4 address, or the /64 of an
// IPv6 address.
func NetworkOf(a netip.Addr) netip.Prefix {
	bits := 64
	if a = a.Unmap(); a.Is4() {
		bits = 32
	}
	p, _ := a.WithZone("").Prefix(bits) // the zero prefix for no address
	return p
}

// begun is what an attempt was counted by, and until when each made others wait.
type begun map[tried]time.Time

// begin counts an attempt as failed before its outcome is known, so that many at
// once do not slip through. If the attempt must wait, it counts nothing and returns
// the time to wait.
func (a *attempts) begin(all []tried) (counted begun, wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	for _, t := range all {
		if f := a.of[t]; f != nil && now.Sub(f.last) < forgetFailures {
			wait = max(wait, f.until.Sub(now))
		}
	}
	if wait > 0 {
		return nil, wait
	}
	if len(a.of)+len(all) > maxTried {
		a.sweep(now)
	}
	counted = begun{}
	for _, t := range all {
		f := a.of[t]
		if f == nil || now.Sub(f.last) >= forgetFailures {
			f = &failures{}
			a.of[t] = f
		}
		f.count++
		f.last = now
		if over := f.count - t.limit.free; over >= 0 {
			f.until = now.Add(min(time.Second<<min(over, 20), t.limit.longest))
		}
		counted[t] = f.until
	}
	return counted, 0
}

// takeBack takes back what begin counted.
func (a *attempts) takeBack(counted begun) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for t, until := range counted {
		f := a.of[t]
		if f == nil {
			continue
		}
		if f.until.Equal(until) { // no later attempt has failed
			f.until = time.Time{}
		}
		if f.count--; f.count <= 0 {
			delete(a.of, t)
		}
	}
}

// forget forgets the failures of a user's own browsers: the person knows the
// password.
func (a *attempts) forget(all []tried) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range all {
		delete(a.of, t)
	}
}

// repeats records that a password with the hash was right in an attempt that was judged
// as a stranger's at an email address, or as a known user's. It reports false if another
// password was right before.
func (a *attempts) repeats(as, hash string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, ok := a.known[as]
	if len(a.known) >= maxTried {
		clear(a.known)
	}
	a.known[as] = hash
	return !ok || before == hash
}

func tooManyAttempts(wait time.Duration) error {
	return &billing.Error{
		Code: billing.CodeTooManyRequests, RetryAfter: wait, Reason: billing.RefusedSlowed,
		Message: "There were too many attempts to sign in. Wait a while, then try again.",
	}
}

func (a *attempts) sweep(now time.Time) {
	for t, f := range a.of {
		if now.Sub(f.last) >= forgetFailures {
			delete(a.of, t)
		}
	}
	for t := range a.of {
		if len(a.of) <= maxTried*9/10 {
			return
		}
		delete(a.of, t)
	}
}
