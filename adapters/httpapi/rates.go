package httpapi

import (
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/billing"
)

// rates limits the requests of each API key and each user per second, within this process.
type rates struct {
	now      func() time.Time
	mu       sync.Mutex
	requests buckets
	checks   buckets // a check also counts as a request
}

func newRates(requests, checks int, now func() time.Time) *rates {
	return &rates{now: now, requests: newBuckets(requests), checks: newBuckets(checks)}
}

// take removes the tokens for a request from the buckets of the caller. If one
// bucket is empty, it removes none. It returns the level of the bucket that
// decides: the empty one, or else the one with fewer tokens.
func (r *rates) take(caller [16]byte, isCheck bool) level {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	tight := r.requests.after(caller, now)
	if isCheck {
		if l := r.checks.after(caller, now); l.refused || !tight.refused && l.remaining < tight.remaining {
			tight = l
		}
	}
	if !tight.refused {
		r.requests.take(caller, now)
		if isCheck {
			r.checks.take(caller, now)
		}
	}
	return tight
}

// buckets are token buckets, one for each caller. A bucket holds the tokens of
// one second, and starts full.
type buckets struct {
	perSecond int                    // 0: no limit
	fullAt    map[[16]byte]time.Time // when each bucket is full again
	sweepAt   int                    // the number of buckets that starts the next sweep
}

// minSweep is the minimum number of buckets at which full ones are removed.
const minSweep = 1024

func newBuckets(perSecond int) buckets {
	return buckets{perSecond, map[[16]byte]time.Time{}, minSweep}
}

// level is the state of a bucket after a request.
type level struct {
	limit     int           // tokens; 0 means no limit, and the other fields mean nothing
	remaining int           // whole tokens
	refill    time.Duration // until the bucket is full
	refused   bool          // no token was left
}

// after returns the level after one more token is taken.
func (b *buckets) after(caller [16]byte, now time.Time) level {
	if b.perSecond == 0 {
		return level{remaining: math.MaxInt}
	}
	token := time.Second / time.Duration(b.perSecond)
	empty := token * time.Duration(b.perSecond)
	refill := max(b.fullAt[caller].Sub(now), 0)
	if refill+token > empty {
		return level{b.perSecond, 0, refill, true}
	}
	refill += token
	return level{b.perSecond, int((empty - refill) / token), refill, false}
}

// take removes one token from the bucket of the key, which must have one. It
// removes the buckets that are full again, since an unused bucket is full: the
// keys of the last second remain.
func (b *buckets) take(caller [16]byte, now time.Time) {
	if b.perSecond == 0 {
		return
	}
	b.fullAt[caller] = now.Add(b.after(caller, now).refill)
	if len(b.fullAt) < b.sweepAt {
		return
	}
	for k, full := range b.fullAt {
		if !full.After(now) {
			delete(b.fullAt, k)
		}
	}
	b.sweepAt = max(minSweep, 2*len(b.fullAt))
}

// meter counts the request against the limits of its caller. Requests without a
// caller are counted by the network of the client, so that a stranger who sends many
// does not keep others from signing in.
func (x *exchange) meter(isCheck bool) error {
	number := access.NetworkOf(x.client()).Addr().As16()
	if x.caller != nil {
		number = x.caller.Number()
	}
	l := x.s.rates.take(number, isCheck)
	if l.limit == 0 {
		return nil
	}
	x.set("RateLimit-Limit", strconv.Itoa(l.limit))
	x.set("RateLimit-Remaining", strconv.Itoa(l.remaining))
	x.set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(l.refill.Seconds()))))
	if l.refused {
		return &billing.Error{
			Code:    billing.CodeTooManyRequests,
			Message: "This API key, user or client sends more than " + strconv.Itoa(l.limit) + " requests of this kind a second. Send the request again after the number of seconds in Retry-After.",
		}
	}
	return nil
}
