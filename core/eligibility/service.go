// Package eligibility asks payers about a person's dental coverage.
//
// A check is made in two phases. Check commits the pending check with the job
// to answer it, and waits; Answer, in a worker, talks to the payer and commits
// what came of it. Whoever dies in between, the job brings the check to its
// end, and a repeated request with the same idempotency key finds it.
package eligibility

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of eligibility checks.
type Service struct {
	store    ports.Store
	queue    ports.Queue
	networks ports.Networks
	edi      ports.EDI
	payers   *billing.PayerDirectory
	times    Times

	offices offices

	reads *jobs.Together[*reading]
	ends  *jobs.Together[*ending]
	rests *jobs.Together[rest]
}

// most is how many checks one transaction reads, completes or postpones.
const most = 32

// Times are the spans that an operator can set.
type Times struct {
	Wait     time.Duration // how long a caller waits for the payer
	Silence  time.Duration // how long a payer may be silent before the check ends as payer_unavailable
	CacheTTL time.Duration // how long an answer counts as recent
}

// DefaultTimes are the spans of the interface.
func DefaultTimes() Times {
	return Times{Wait: 25 * time.Second, Silence: 60 * time.Second, CacheTTL: 24 * time.Hour}
}

// New makes the use cases.
func New(
	store ports.Store, queue ports.Queue, networks ports.Networks,
	edi ports.EDI, payers *billing.PayerDirectory, times Times,
) *Service {
	s := &Service{store: store, queue: queue, networks: networks, edi: edi, payers: payers, times: times}
	s.reads = jobs.NewTogether(most, s.readAll)
	s.ends = jobs.NewTogether(most, s.completeAll)
	s.rests = jobs.NewTogether(most, s.postponeAll)
	return s
}
