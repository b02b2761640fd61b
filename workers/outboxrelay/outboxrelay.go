// Package outboxrelay moves jobs from the outbox to the queue.
//
// A job is published right after the commit that staged it. Nothing is marked
// when the broker confirms it: the row goes when the work is done. Until then
// the job has a lease, and when that runs out, or the job's time comes, the
// relay publishes it again. So a job survives a process that dies before it
// publishes, a worker that dies with it, and a broker that loses everything.
package outboxrelay

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

const (
	// tick is how often the relay looks for jobs that are due: half of what a
	// delayed job may be late.
	tick = 250 * time.Millisecond
	// batch bounds how many jobs one look publishes again, and so how fast a
	// backlog can grow duplicates: 400 a second. As many that rested come beside
	// them.
	batch = 100
	// callPause is how long a webhook lane with something due is given to be
	// taken before it is called again.
	callPause = time.Second
	// publishers is how many confirmations are waited for at once.
	publishers = 32
	// patience is how long the broker may take to confirm.
	patience = 5 * time.Second
)

// Relay publishes jobs. Several may run at once, in any number of processes.
type Relay struct {
	store ports.Store
	queue ports.Queue
	log   *slog.Logger
	fresh chan jobs.Job

	mu    sync.Mutex
	calls map[[16]byte]bool // of webhook lanes, that wait in fresh
}

// New makes a Relay. The store stages first and is given later, with Run.
func New(queue ports.Queue, log *slog.Logger) *Relay {
	return &Relay{queue: queue, log: log, fresh: make(chan jobs.Job, 4096), calls: map[[16]byte]bool{}}
}

// Staged takes jobs that were just committed. It never waits: what finds no
// place is published when its lease runs out.
func (r *Relay) Staged(staged []jobs.Job) {
	for _, j := range staged {
		if j.Kind == jobs.KindWebhook && !r.calling(j.Subject, true) {
			continue // one call of a lane that waits to be published is enough
		}
		select {
		case r.fresh <- j:
		default:
			if j.Kind == jobs.KindWebhook {
				r.calling(j.Subject, false)
			}
			return
		}
	}
}

// calling notes that a call of the lane waits to be published, or that it does
// no more, and reports whether that is news.
func (r *Relay) calling(lane [16]byte, now bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[lane] == now {
		return false
	}
	if now {
		r.calls[lane] = true
	} else {
		delete(r.calls, lane)
	}
	return true
}

// Run publishes until ctx ends.
func (r *Relay) Run(ctx context.Context, store ports.Store) error {
	r.store = store
	var group sync.WaitGroup
	for range publishers {
		group.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case j := <-r.fresh:
					r.publish(ctx, j)
				}
			}
		})
	}
	r.sweep(ctx)
	group.Wait()
	return nil
}

// sweep publishes what is due. When the broker comes back after it was away it
// may have lost what it was given before, so the leases of that time end then.
func (r *Relay) sweep(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var away time.Time // since when; zero while the broker is there
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := r.queue.Ready(); err != nil {
			if away.IsZero() {
				away = time.Now()
				r.log.WarnContext(ctx, "broker is away; jobs wait in the outbox", "error", err)
			}
			continue
		}
		if err := r.due(ctx, away); err == nil {
			away = time.Time{}
		} else if ctx.Err() == nil {
			r.log.WarnContext(ctx, "outbox not read", "error", err)
		}
	}
}

// due publishes the jobs that are due. Those that were published before the
// broker went away are, too; another relay may have seen to them already.
func (r *Relay) due(ctx context.Context, away time.Time) error {
	var due, lanes []jobs.Job
	err := r.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if !away.IsZero() {
			if err := tx.Jobs.Release(ctx, time.Since(away)); err != nil {
				return err
			}
		}
		now := tx.Clock.Now()
		if due, err = tx.Jobs.Due(ctx, now, jobs.Lease, batch); err != nil {
			return err
		}
		lanes, err = tx.Jobs.Lanes(ctx, now, callPause, batch)
		return err
	})
	if err != nil {
		return err
	}
	for _, j := range append(due, lanes...) {
		select {
		case <-ctx.Done():
			return nil
		case r.fresh <- j:
		}
	}
	return nil
}

func (r *Relay) publish(ctx context.Context, j jobs.Job) {
	if j.Kind == jobs.KindWebhook {
		r.calling(j.Subject, false) // from here on a new event is a new call
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := r.queue.Publish(ctx, j); err != nil {
		r.log.DebugContext(ctx, "job not published; its lease brings it back", "job_id", j.ID.String(), "error", err)
	}
}
