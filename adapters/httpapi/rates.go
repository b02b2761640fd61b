package httpapi

import (
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// rates limits how much each API key asks for in a second, within this process.
type rates struct {
	now      func() time.Time
	mu       sync.Mutex
	requests buckets
	checks   buckets // a check is a request too
}

func newRates(requests, checks int, now func() time.Time) *rates {
	return &rates{now: now, requests: newBuckets(requests), checks: newBuckets(checks)}
}

// take takes what a request needs from the buckets of the key, or nothing when
// one of them has too little. It returns the bucket that decides: the one that
// has too little, or else the one with less left.
func (r *rates) take(key billing.KeyID, isCheck bool) level {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	tight := r.requests.after(key, now)
	if isCheck {
		if l := r.checks.after(key, now); l.refused || !tight.refused && l.remaining < tight.remaining {
			tight = l
		}
	}
	if !tight.refused {
		r.requests.take(key, now)
		if isCheck {
			r.checks.take(key, now)
		}
	}
	return tight
}

// buckets are token buckets, one for each key. A bucket holds the tokens of one
// second and is full at first.
type buckets struct {
	perSecond int                         // 0: no limit
	fullAt    map[billing.KeyID]time.Time // a bucket is the time at which it is full again
	sweepAt   int                         // buckets
}

// minSweep is how many buckets there are at least when full ones are removed.
const minSweep = 1024

func newBuckets(perSecond int) buckets {
	return buckets{perSecond, map[billing.KeyID]time.Time{}, minSweep}
}

// level is how a bucket stands after a request.
type level struct {
	limit     int           // tokens; 0 when there is no limit, and the rest means nothing
	remaining int           // whole tokens
	refill    time.Duration // until the bucket is full
	refused   bool          // there was no token
}

// after is the level once one more token is taken.
func (b *buckets) after(key billing.KeyID, now time.Time) level {
	if b.perSecond == 0 {
		return level{remaining: math.MaxInt}
	}
	token := time.Second / time.Duration(b.perSecond)
	empty := token * time.Duration(b.perSecond)
	refill := max(b.fullAt[key].Sub(now), 0)
	if refill+token > empty {
		return level{b.perSecond, 0, refill, true}
	}
	refill += token
	return level{b.perSecond, int((empty - refill) / token), refill, false}
}

// take takes a token that is there. Buckets that are full again are as those
// that no request has used, so they are removed: what stays are the keys of the last
// second.
func (b *buckets) take(key billing.KeyID, now time.Time) {
	if b.perSecond == 0 {
		return
	}
	b.fullAt[key] = now.Add(b.after(key, now).refill)
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

// meter counts the request against the limits of its key. The operations that
// take no key share the buckets of none.
func (x *exchange) meter(isCheck bool) error {
	var key billing.KeyID
	if x.key != nil {
		key = x.key.ID
	}
	l := x.s.rates.take(key, isCheck)
	if l.limit == 0 {
		return nil
	}
	x.set("RateLimit-Limit", strconv.Itoa(l.limit))
	x.set("RateLimit-Remaining", strconv.Itoa(l.remaining))
	x.set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(l.refill.Seconds()))))
	if l.refused {
		return &billing.Error{
			Code:    billing.CodeTooManyRequests,
			Message: "The API key sends more than " + strconv.Itoa(l.limit) + " requests of this kind a second. Send it again after the seconds of Retry-After.",
		}
	}
	return nil
}
