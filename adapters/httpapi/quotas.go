package httpapi

import (
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// minShares is the minimum number of shares that places are divided into: one
// organization gets at most a quarter of them.
const minShares = 4

// tally counts what each caller, or each organization, has in progress in this
// process.
type tally struct {
	shared bool // the limit is for all together; see begin

	mu sync.Mutex
	of map[[16]byte]int // those with something in progress
}

// begin counts one more. It returns false if who is at the limit. The limit of
// a shared tally is a quarter of the places, or less while more than four have
// something in progress, but one for each. So one that floods the process leaves
// places, memory and time for the others.
func (t *tally) begin(who [16]byte, limit int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared {
		limit = max(1, limit/max(minShares, len(t.of)))
	}
	if t.of[who] >= limit {
		return false
	}
	if t.of == nil {
		t.of = map[[16]byte]int{}
	}
	t.of[who]++
	return true
}

// end ends what begin has counted.
func (t *tally) end(who [16]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[who]--; t.of[who] == 0 {
		delete(t.of, who)
	}
}

// admit holds one of the organization's places until the exchange ends.
func (x *exchange) admit() error {
	if x.caller == nil {
		return nil
	}
	org := x.call.Scope.Turn().Org
	if !x.s.inProgress.begin(org, x.s.limits.Requests) {
		return &billing.Error{
			Code: billing.CodeTooManyRequests,
			Message: "The organization has the maximum number of requests in progress. " +
				"Wait for one to finish, or send the request again after the number of seconds in Retry-After.",
		}
	}
	x.atEnd = append(x.atEnd, func() { x.s.inProgress.end(org) })
	return nil
}
