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

	mu sync.Mutex
	of map[tried]*failures
}

// tried is what failed attempts are counted by.
type tried struct {
	limit   limit
	email   string // empty for an address
	address netip.Prefix
	browser string // of an earlier sign-in; empty for none
}

// limit is how many attempts may fail before the next ones wait. The wait starts
// with a second and doubles, up to the longest.
type limit struct {
	free    int
	longest time.Duration
}

// The limits. An attacker with many addresses makes browsers wait that have not
// signed in to the account before, and no other; and those wait a minute at most.
func limits() (pair, address, account, browser limit) {
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
	return &attempts{clock: clock, of: map[tried]*failures{}}
}

// counted returns what an attempt is counted by.
func counted(email string, address netip.Addr, browser string) []tried {
	pair, ofAddress, account, ofBrowser := limits()
	network := NetworkOf(address)
	if browser != "" {
		return []tried{{pair, email, network, ""}, {ofAddress, "", network, ""}, {ofBrowser, email, netip.Prefix{}, browser}}
	}
	return []tried{{pair, email, network, ""}, {ofAddress, "", network, ""}, {account, email, netip.Prefix{}, ""}}
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

// begin counts an attempt as failed before its outcome is known, so that many at
// once do not slip through. It returns CodeTooManyRequests if the attempt must
// wait, with the time to wait; then it counts nothing.
func (a *attempts) begin(all []tried) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock.Now()
	wait := time.Duration(0)
	for _, t := range all {
		if f := a.of[t]; f != nil && now.Sub(f.last) < forgetFailures {
			wait = max(wait, f.until.Sub(now))
		}
	}
	if wait > 0 {
		return &billing.Error{
			Code: billing.CodeTooManyRequests, RetryAfter: wait,
			Message: "There were too many attempts to sign in. Wait a while, then try again.",
		}
	}
	if len(a.of)+len(all) > maxTried {
		a.sweep(now)
	}
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
	}
	return nil
}

// succeed takes back what begin counted. The failures of the pair and of the
// browser are forgotten: the person knows the password.
func (a *attempts) succeed(all []tried) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range all {
		f := a.of[t]
		if f == nil {
			continue
		}
		if f.count--; f.count < t.limit.free {
			f.until = time.Time{}
		}
		if own := t.email != "" && (t.address.IsValid() || t.browser != ""); own || f.count <= 0 {
			delete(a.of, t)
		}
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
