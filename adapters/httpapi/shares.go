package httpapi

import (
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// leastShares is into how many parts the places for requests are divided at
// least: one organization holds a quarter of them at most.
const leastShares = 4

// shares counts the requests under way in this process, by organization, so that
// one that floods it leaves places, memory and time for the others.
type shares struct {
	places int // for requests under way

	mu sync.Mutex
	of map[billing.OrgID]int // those that have requests under way
}

func newShares(places int) *shares { return &shares{places: places, of: map[billing.OrgID]int{}} }

// begin takes a place for a request, unless the organization has its share of
// them: a quarter, or less while more than four organizations have requests
// under way. Each may have one request in any case.
func (s *shares) begin(org billing.OrgID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	share := s.places / max(leastShares, len(s.of))
	if n := s.of[org]; n > 0 && n >= share {
		return false
	}
	s.of[org]++
	return true
}

func (s *shares) end(org billing.OrgID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[org]--; s.of[org] == 0 {
		delete(s.of, org)
	}
}

// share takes one of the organization's places until the exchange ends.
func (x *exchange) share() error {
	if x.key == nil {
		return nil
	}
	org := x.key.Scope.Org
	if !x.s.shares.begin(org) {
		return &billing.Error{
			Code: billing.CodeTooManyRequests,
			Message: "The organization has as many requests under way as it may have. " +
				"Wait for one to end, or send it again after the seconds of Retry-After.",
		}
	}
	x.atEnd = append(x.atEnd, func() { x.s.shares.end(org) })
	return nil
}
