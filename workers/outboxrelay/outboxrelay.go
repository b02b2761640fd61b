// Package outboxrelay moves jobs from the outbox to the queue.
//
// A job is published right after the commit that staged it. The broker's
// confirmation is not recorded: the row goes when the work is done. Until then
// the job has a lease. When the lease ends, or the job's time comes, the relay
// publishes the job again. So a job survives a process that dies before it
// publishes, a worker that dies with it, and a broker that loses everything.
//
// A stream is the jobs of one kind and scope. A relay has a limited number of
// each stream in flight: at the broker or with a worker. The others wait for a
// place, here or in the outbox. So few messages are ahead of a job at the
// broker, however much work another organization has. A job keeps its place
// when its lease ends and it is published again. Otherwise a slow worker would
// let more and more jobs of one stream get ahead of the next.
//
// One relay of the fleet looks for what is due, for all; see jobs.Duty. The others look
// after their own flights alone, and do not use the database without any.
package outboxrelay

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

const (
	// batch is the maximum number of jobs that one poll reads.
	batch = 100
	// window is the least number of jobs of a stream in flight: few to wait for.
	window = 64
	// few is the number of jobs of a stream in flight beside which another one may end together with others.
	few = 2
	// widenEvery is the time between looks at how many workers there are.
	widenEvery = time.Second
	// soon is the time that a flight waits for a reply before the relay looks in
	// the outbox.
	soon = 50 * time.Millisecond
	// maxWaiting is the maximum number of jobs of a stream that wait for a place
	// in the window.
	maxWaiting = 4096
	// patience is the time that the broker has to confirm.
	patience = 5 * time.Second
)

// Relay publishes jobs. Several may run at once, in any number of processes.
type Relay struct {
	// Places is how many jobs of a kind a worker runs at once. A stream has that many in
	// flight for each worker, but at least window. It does not change while the relay runs.
	Places map[jobs.Kind]int

	queue ports.Queue
	log   *slog.Logger
	duty  *jobs.Duty    // of sweep alone
	woken chan struct{} // receives when a flight ends a rest of sweep

	mu      sync.Mutex
	streams map[jobs.Stream]*stream
	calls   map[[16]byte]bool       // webhook lanes whose calls wait to be published
	start   func(jobs.Job, *flight) // starts a flight, which ends with Run; nil while the relay does not run
	flights sync.WaitGroup
	windows map[jobs.Kind]int // those of kinds with many workers
	resting bool              // sweep has nothing to do until there is a flight, or the duty may be free
}

// stream is this relay's jobs of a stream.
type stream struct {
	waiting []waiting
	flights map[billing.JobID]*flight
}

// waiting is a job that waits for a place in the window.
type waiting struct {
	jobs.Job
	until time.Time // when its lease ends and another relay takes it; zero for a call, which has no lease
}

// flight is a job that was published.
type flight struct {
	since  time.Time
	landed chan struct{} // closed when no worker has the job any longer
}

// New creates a Relay. The store stages jobs before Run receives it.
func New(queue ports.Queue, log *slog.Logger) *Relay {
	return &Relay{queue: queue, log: log, duty: jobs.NewDuty("outbox"), woken: make(chan struct{}, 1), streams: map[jobs.Stream]*stream{}, calls: map[[16]byte]bool{}, windows: map[jobs.Kind]int{}}
}

// Staged accepts jobs that were just committed. It never waits: a job without a
// place is published when its lease ends.
func (r *Relay) Staged(staged []jobs.Job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range staged {
		if j.Kind == jobs.KindWebhook {
			if r.calls[j.Subject] {
				continue // one waiting call of a lane is enough
			}
			r.calls[j.Subject] = true
		}
		r.put(j)
	}
}

// put publishes a job as soon as its stream has a place.
func (r *Relay) put(j jobs.Job) {
	s := r.streams[j.Stream()]
	if s == nil {
		s = &stream{flights: map[billing.JobID]*flight{}}
		r.streams[j.Stream()] = s
	}
	if len(s.waiting) >= maxWaiting {
		delete(r.calls, j.Subject)
		return
	}
	w := waiting{Job: j}
	if j.Kind != jobs.KindWebhook {
		w.until = time.Now().Add(billing.JobLease)
	}
	s.waiting = append(s.waiting, w)
	r.advance(j.Stream(), s)
}

// advance publishes the jobs that have a place.
func (r *Relay) advance(of jobs.Stream, s *stream) {
	for r.start != nil && len(s.waiting) > 0 && len(s.flights) < r.window(of.Kind) {
		next := s.waiting[0]
		s.waiting = s.waiting[1:]
		if !next.until.IsZero() && time.Now().After(next.until) {
			continue
		}
		r.launch(s, next.Job)
	}
	if len(s.waiting)+len(s.flights) == 0 {
		delete(r.streams, of)
	}
}

// window returns the number of jobs of a stream that may be in flight.
func (r *Relay) window(kind jobs.Kind) int { return max(window, r.windows[kind]) }

// widen fits the windows of full streams to the workers that there are now.
func (r *Relay) widen(ctx context.Context) {
	kinds := map[jobs.Kind]int{}
	for _, of := range r.full() {
		kinds[of.Kind] = r.Places[of.Kind]
	}
	for kind, places := range kinds {
		bounded, cancel := context.WithTimeout(ctx, patience)
		_, _, n, err := r.queue.Depth(bounded, kind)
		if cancel(); err != nil {
			r.log.DebugContext(ctx, "workers not counted; as many jobs stay in flight", "kind", string(kind), "error", err)
			continue
		}
		r.mu.Lock()
		r.windows[kind] = n * places
		for of, s := range r.streams {
			r.advance(of, s)
		}
		r.mu.Unlock()
	}
}

// launch starts the flight of a job, in place of an earlier one. The worker that had that one may
// be paused or cut off, so another one should get the job.
func (r *Relay) launch(s *stream, j jobs.Job) {
	if earlier := s.flights[j.ID]; earlier != nil {
		close(earlier.landed)
	} else {
		j.Together = j.Kind.Together() && len(s.flights) >= few
	}
	f := &flight{time.Now(), make(chan struct{})}
	s.flights[j.ID] = f
	if r.resting {
		r.resting = false
		select {
		case r.woken <- struct{}{}:
		default: // sweep has not seen an earlier one
		}
	}
	r.start(j, f)
}

// land ends a flight, and the next job gets its place.
func (r *Relay) land(j jobs.Job, f *flight) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.streams[j.Stream()]
	if s == nil || s.flights[j.ID] != f { // it has landed, or a later flight has its place
		return
	}
	delete(s.flights, j.ID)
	r.advance(j.Stream(), s)
}

// fly publishes a job and waits until no worker has it: the reply to this
// process reports that, or else the outbox. A call of a webhook lane has no
// row, so fly does not wait for it.
func (r *Relay) fly(ctx context.Context, j jobs.Job, f *flight) {
	defer r.land(j, f)
	box := r.queue.Await(j.Subject)
	defer box.Close()
	if !r.publish(ctx, j) || j.Kind == jobs.KindWebhook {
		return
	}
	select {
	case <-box.C:
	case <-f.landed:
	case <-ctx.Done():
	}
}

func (r *Relay) publish(ctx context.Context, j jobs.Job) (published bool) {
	if j.Kind == jobs.KindWebhook {
		r.mu.Lock()
		delete(r.calls, j.Subject) // after this a new event needs a new call
		r.mu.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := r.queue.Publish(ctx, j)
	if err != nil {
		r.log.DebugContext(ctx, "job not published; it will be published again when its lease ends", "job_id", j.ID.String(), "error", err)
	}
	return err == nil
}

// Run publishes until ctx ends.
func (r *Relay) Run(ctx context.Context, store ports.Store) error {
	r.mu.Lock()
	r.start = func(j jobs.Job, f *flight) { r.flights.Go(func() { r.fly(ctx, j, f) }) }
	for of, s := range r.streams {
		r.advance(of, s)
	}
	r.mu.Unlock()
	r.sweep(ctx, store)
	r.mu.Lock()
	r.start = nil
	r.mu.Unlock()
	r.flights.Wait()
	if r.duty.Mine() { // a duty that cannot be left ends with its lease
		_ = store.System(context.WithoutCancel(ctx), func(ctx context.Context, tx ports.SystemTx) error {
			return tx.Turns.Leave(ctx, r.duty.Name, r.duty.Holder)
		})
	}
	return nil
}

// sweep publishes the due jobs. When the broker returns it may have lost
// earlier messages, so the leases from before end then.
func (r *Relay) sweep(ctx context.Context, store ports.Store) {
	var away time.Time // when the broker went down; zero while it is up
	var widened time.Time
	next := time.After(billing.OutboxPoll)
	var looked <-chan struct{} // closed at the next look of the store; nil unless the relay rests
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.woken:
			next, looked = time.After(billing.OutboxPoll), nil
			continue
		case <-looked:
		case <-next:
		}
		looked = nil
		if err := r.queue.Ready(); err != nil {
			next = time.After(billing.OutboxPoll)
			if away.IsZero() {
				away = time.Now()
				r.log.WarnContext(ctx, "broker is down; jobs wait in the outbox", "error", err)
			}
			continue
		}
		if time.Since(widened) > widenEvery {
			widened = time.Now()
			r.widen(ctx)
		}
		look := store.Seen().Next
		more, err := r.look(ctx, store, away)
		if err == nil {
			away = time.Time{}
		} else if ctx.Err() == nil {
			r.log.WarnContext(ctx, "outbox not read", "error", err)
		}
		switch {
		case more:
			next = time.After(billing.OutboxBusyPoll)
		case err == nil && r.rests():
			next, looked = r.duty.Ends(), look
		default:
			next = time.After(r.duty.Pause(!r.idle(), billing.OutboxPoll))
		}
	}
}

// rests reports whether another process has the duty and nothing is in flight.
func (r *Relay) rests() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resting = len(r.streams) == 0 && r.duty.Others() > 0
	return r.resting
}

// look lands the jobs that no worker has any longer, and publishes the due
// ones if that is the duty of this process. Jobs published before the broker went down are due, too, unless another
// relay has published them again. More reports that there may be others.
func (r *Relay) look(ctx context.Context, store ports.Store, away time.Time) (more bool, err error) {
	r.duty.See(store.Seen().Turns)
	flying := r.flying()
	if len(flying) == 0 && away.IsZero() && r.duty.Others() > 0 {
		return false, nil
	}
	if away.IsZero() && r.idle() {
		if found, err := r.due(ctx, store); err != nil || !found {
			return false, err
		}
	}
	var again, due, lanes []jobs.Job
	err = store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if !away.IsZero() {
			if err := tx.Jobs.Release(ctx, time.Since(away)); err != nil {
				return err
			}
		}
		if len(flying) > 0 {
			var held []billing.JobID
			if held, again, err = tx.Leases.Hold(ctx, flying, billing.JobLease); err != nil {
				return err
			}
			r.landed(flying, held)
		}
		if others, err := r.duty.Take(ctx, tx.Turns.Take); err != nil || others > 0 {
			return err
		}
		now := tx.Real.Now().Time
		if due, err = tx.Jobs.Due(ctx, now, billing.JobLease, batch, r.full()...); err != nil {
			return err
		}
		lanes, err = tx.Jobs.Lanes(ctx, now, billing.LaneCall, batch)
		return err
	})
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range again {
		if s := r.streams[j.Stream()]; s != nil && s.flights[j.ID] != nil {
			r.launch(s, j)
		} else { // it landed meanwhile
			r.put(j)
		}
	}
	for _, j := range append(due, lanes...) {
		r.put(j)
	}
	for _, s := range r.streams {
		more = more || len(s.waiting) > 0
	}
	return more || len(due) == batch, nil
}

// idle reports whether no job waits here or is in flight.
func (r *Relay) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.streams) == 0
}

// due reports whether look would publish something, and renews the duty in the same round
// trip. An idle fleet costs little more than this.
func (r *Relay) due(ctx context.Context, store ports.Store) (found bool, err error) {
	ask := func(ctx context.Context, name string, holder billing.JobID, lease time.Duration) (others time.Duration, err error) {
		others, found, err = store.Due(ctx, name, holder, lease, billing.LaneCall)
		return others, err
	}
	if _, known := r.duty.Known(); known { // it is this process's
		_, err = ask(ctx, r.duty.Name, r.duty.Holder, 0)
		return found, err
	}
	others, err := r.duty.Take(ctx, ask)
	return found && others == 0, err
}

// flying returns the flights to look up in the outbox: those without a prompt
// reply.
func (r *Relay) flying() (ids []billing.JobID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for of, s := range r.streams {
		if of.Kind == jobs.KindWebhook {
			continue
		}
		for id, f := range s.flights {
			if time.Since(f.since) > soon {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// landed lands the flights that are no longer held.
func (r *Relay) landed(flying, held []billing.JobID) {
	over := make(map[billing.JobID]bool, len(flying))
	for _, id := range flying {
		over[id] = true
	}
	for _, id := range held {
		delete(over, id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for of, s := range r.streams {
		for id, f := range s.flights {
			if over[id] {
				close(f.landed)
				delete(s.flights, id)
			}
		}
		r.advance(of, s)
	}
}

// full returns the streams that accept no more jobs now.
func (r *Relay) full() (full []jobs.Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for of, s := range r.streams {
		if len(s.waiting) > 0 || len(s.flights) >= r.window(of.Kind) {
			full = append(full, of)
		}
	}
	return full
}
