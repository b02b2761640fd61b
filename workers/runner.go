// Package workers runs jobs from the queue. It passes each job to one use case,
// whose error decides what happens to the job; handlers.go names the use case
// of each kind. The loops without jobs are here too: they cut batches, fetch
// files and sweep.
package workers

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Handler runs the jobs of a kind.
type Handler struct {
	Kind     jobs.Kind
	Parallel int // how many at once in this process; see jobs.Places

	// Do does the work and removes the job in the commit of its effect. It may
	// run any number of times. After an error the job stays and runs again.
	Do func(context.Context, jobs.Job) error

	// Fail ends a job that failed billing.JobAttempts times, so that a waiting
	// request fails too.
	Fail func(context.Context, jobs.Job) error
}

// drainTime is the time that running jobs have when the process stops.
const drainTime = 3 * time.Second

// Runner runs jobs from the queue and renews their leases meanwhile.
type Runner struct {
	store   ports.Store
	queue   ports.Queue
	log     *slog.Logger
	observe func(kind jobs.Kind, result string, took time.Duration)

	mu       sync.Mutex
	running  map[billing.JobID]bool
	renewing bool // renew comes again by itself
}

// NewRunner creates a Runner. It calls observe for every attempt, with the
// result "done", "error" or "dead".
func NewRunner(
	store ports.Store, queue ports.Queue, log *slog.Logger, observe func(kind jobs.Kind, result string, took time.Duration),
) *Runner {
	return &Runner{store: store, queue: queue, log: log, observe: observe, running: map[billing.JobID]bool{}}
}

// Run runs jobs until ctx ends, and then waits for running jobs for up to
// drainTime.
func (r *Runner) Run(ctx context.Context, h Handler) error {
	return r.queue.Consume(ctx, h.Kind, h.Parallel, func(ctx context.Context, d ports.Message) ports.Verdict {
		if !r.begin(ctx, d.Job.ID) {
			return ports.Finished // if the running attempt fails, the row starts it again
		}
		defer r.end(d.Job.ID)
		work, cancel := drain(ctx)
		defer cancel()
		return r.handle(work, h, d)
	})
}

// begin reports whether the job does not run here yet. The lease of a job that waits in
// line expires, so there may be several messages of it; a payer should not be asked by
// each.
func (r *Runner) begin(ctx context.Context, id billing.JobID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[id] {
		return false
	}
	r.running[id] = true
	if !r.renewing {
		r.renewing = true
		ctx = context.WithoutCancel(ctx) // jobs run on while the process stops
		time.AfterFunc(billing.JobLease/3, func() { r.renew(ctx) })
	}
	return true
}

func (r *Runner) end(id billing.JobID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, id)
}

// drain returns a context that ends drainTime after ctx.
func drain(ctx context.Context) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(drainTime, cancel) })
	return work, func() { stop(); cancel() }
}

func (r *Runner) handle(ctx context.Context, h Handler, d ports.Message) ports.Verdict {
	start := time.Now()
	log := r.log.With("kind", string(h.Kind), "job_id", d.Job.ID.String())
	// A redelivered message may come from a process that died because of the job.
	if d.Redelivered && r.attempts(ctx, d.Job, true) > billing.JobAttempts {
		return r.giveUp(ctx, h, d.Job, log, start)
	}
	err := jobs.Survive(func() error { return h.Do(ctx, d.Job) })
	took := time.Since(start)
	if done, ok := errors.AsType[*jobs.DoneError](err); ok {
		level := slog.LevelWarn
		if network.Observed(done.Cause) {
			level = slog.LevelDebug // the line of its connection has it
		}
		log.Log(ctx, level, "job ended without success", "resource", d.Job.Resource(), "error", done.Cause)
		r.observe(h.Kind, "done", took)
		return ports.Finished
	}
	if billing.IsResetting(err) {
		r.observe(h.Kind, "done", took)
		r.rest(ctx, d.Job, log)
		return ports.Finished
	}
	if err == nil {
		r.observe(h.Kind, "done", took)
		log.LogAttrs(ctx, slog.LevelInfo, "job done", slog.Int64("duration_us", took.Microseconds()))
		return ports.Finished
	}
	n := -1 // not counted
	if ctx.Err() == nil {
		n = r.attempts(ctx, d.Job, false)
	}
	switch {
	case n == 0:
		r.observe(h.Kind, "done", took)
		log.DebugContext(ctx, "job not done: it was removed meanwhile, such as by a reset of test mode", "error", err)
		return ports.Finished
	case n >= billing.JobAttempts:
		log.ErrorContext(ctx, "job failed for the last time", "error", err)
		return r.giveUp(ctx, h, d.Job, log, start)
	}
	r.observe(h.Kind, "error", took)
	log.WarnContext(ctx, "job failed and will be tried again", "error", err, "duration_us", took.Microseconds())
	return ports.Finished
}

// rest lets a job wait that came while test mode is being reset. The reset removes it, or
// leaves it for later.
func (r *Runner) rest(ctx context.Context, j jobs.Job, log *slog.Logger) {
	err := r.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.ResetJobRest))
	})
	log.DebugContext(ctx, "job not done: test mode is being reset", "error", err)
}

// attempts counts this attempt and returns how many there have been; 0 if the job was
// removed. When the store fails it returns -1, so that the job is not given up because of
// the store.
func (r *Runner) attempts(ctx context.Context, j jobs.Job, again bool) (n int) {
	err := r.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		n, err = tx.Jobs.Attempt(ctx, j.ID, again)
		return err
	})
	if err != nil {
		return -1
	}
	return n
}

func (r *Runner) giveUp(ctx context.Context, h Handler, j jobs.Job, log *slog.Logger, start time.Time) ports.Verdict {
	if err := jobs.Survive(func() error { return h.Fail(ctx, j) }); err != nil {
		log.ErrorContext(ctx, "job cannot be given up yet", "error", err)
		return ports.Finished // the row starts it again
	}
	r.observe(h.Kind, "dead", time.Since(start))
	log.ErrorContext(ctx, "job given up; its message is with the dead letters", "attempts", billing.JobAttempts)
	return ports.Dead
}

// renew renews the leases of the jobs that run, so that the relay does not publish them
// again, for as long as there are any.
func (r *Runner) renew(ctx context.Context) {
	r.mu.Lock()
	running := slices.Collect(maps.Keys(r.running))
	r.renewing = len(running) > 0
	r.mu.Unlock()
	if len(running) == 0 {
		return
	}
	err := r.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Jobs.Renew(ctx, running, billing.JobLease)
	})
	if err != nil {
		r.log.WarnContext(ctx, "leases not renewed", "jobs", len(running), "error", err)
	}
	time.AfterFunc(billing.JobLease/3, func() { r.renew(ctx) })
}
