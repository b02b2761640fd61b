package httpapi

import (
	"sync"

	"github.com/molar-billing/molar/core/billing"
)

// minQuotas is the minimum number of quotas that the places for requests are divided
// into: one organization gets at most a quarter of them.
const minQuotas = 4

// quotas counts the requests in progress in this process by organization, or the open
// streams. An organization that floods the process leaves places, memory and time for
// the others.
type quotas struct {
	places int // for all organizations

	mu sync.Mutex
	of map[billing.OrgID]int // the organizations with requests in progress
}

func newQuotas(places int) *quotas { return &quotas{places: places, of: map[billing.OrgID]int{}} }

// begin reserves a place for a request, unless the organization has used its
// quota: a quarter of the places, or less while more than four organizations
// have requests in progress. Each organization may always have one request.
func (s *quotas) begin(org billing.OrgID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	quota := s.places / max(minQuotas, len(s.of))
	if n := s.of[org]; n > 0 && n >= quota {
		return false
	}
	s.of[org]++
	return true
}

func (s *quotas) end(org billing.OrgID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[org]--; s.of[org] == 0 {
		delete(s.of, org)
	}
}

// admit holds one of the organization's places until the exchange ends.
func (x *exchange) admit() error {
	if x.caller == nil {
		return nil
	}
	org := x.call.Scope.Org
	if !x.s.quotas.begin(org) {
		return &billing.Error{
			Code: billing.CodeTooManyRequests,
			Message: "The organization has the maximum number of requests in progress. " +
				"Wait for one to finish, or send the request again after the number of seconds in Retry-After.",
		}
	}
	x.atEnd = append(x.atEnd, func() { x.s.quotas.end(org) })
	return nil
}
