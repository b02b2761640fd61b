// Package eligibility asks payers about a person's dental coverage.
//
// A check has two phases. Check commits the pending check with the job that
// answers it, and waits. Answer, in a worker, asks the payer and commits the
// result. When a process dies in between, the job completes the check, and a
// repeated request with the same idempotency key finds it.
package eligibility

import (
	"time"

	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of eligibility checks.
type Service struct {
	store    ports.CheckStore
	queue    ports.Queue
	networks ports.Networks
	origins  ports.Origins
	payers   *directory.PayerDirectory
	times    Times

	offices offices

	alone, batched together
	pace           pace // of the checks of batches
}

// startsApart is the time between the starts of checks of batches in a process: 50 a second take
// half of a core, with the database.
const startsApart = 20 * time.Millisecond

// together shares transactions among checks of one kind of job. A check for which a person waits
// stands behind none of a batch. Those of different organizations share them too, except those of batches, whose items
// are locked with them.
type together struct {
	reads *jobs.Together[*reading]
	ends  *jobs.Together[*ending]
	rests *jobs.Together[rest]
}

// with returns what the checks of a job share.
func (s *Service) with(j jobs.Job) *together {
	if j.Kind == jobs.KindBatchEligibility {
		return &s.batched
	}
	return &s.alone
}

// most is the number of checks that one transaction reads, completes or
// postpones.
const most = 32

// Times are the time limits that an operator can set.
type Times struct {
	Wait     time.Duration // how long a call waits for the payer
	Silence  time.Duration // how long a payer may be silent before the check ends as payer_unavailable
	CacheTTL time.Duration // how long an answer counts as recent
}

// DefaultTimes are the limits that the specification names.
func DefaultTimes() Times {
	return Times{Wait: 25 * time.Second, Silence: 60 * time.Second, CacheTTL: 24 * time.Hour}
}

// New creates the use cases.
func New(
	store ports.CheckStore, queue ports.Queue, networks ports.Networks, origins ports.Origins, payers *directory.PayerDirectory, times Times,
) *Service {
	s := &Service{store: store, queue: queue, networks: networks, origins: origins, payers: payers, times: times, pace: pace{apart: startsApart}}
	s.alone = together{jobs.NewTogether(most, s.readAll), jobs.NewTogether(most, s.completeAlone), jobs.NewTogether(most, s.postponeAll)}
	s.batched = together{jobs.NewTogether(most, s.readAll), jobs.NewTogetherApart(most, s.completeBatched), jobs.NewTogether(most, s.postponeAll)}
	return s
}
