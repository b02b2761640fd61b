package webhooks

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// lane serves the deliveries to one endpoint in this process.
type lane struct {
	*Dispatcher
	scope  billing.Scope
	id     billing.WebhookEndpointID
	holder billing.JobID
	secret ports.CurrentSecret

	called   chan struct{}                 // receives when there is more to do
	done     chan *webhook.Delivery        // posts that ended
	inFlight map[billing.DeliveryID]string // the URLs of the running posts
	tried    []tried                       // ended but not recorded yet
	well     bool                          // whether the endpoint was healthy when last read
	next     time.Time                     // when this process looks for the next delivery; zero for none
	renewed  time.Time
	held     bool
	faults   faults
}

// tried is a delivery after a post that ended.
type tried struct {
	*webhook.Delivery
	url string // where it was posted
}

func (t tried) attempt() webhook.Attempt { return t.Attempts[len(t.Attempts)-1] }

// call signals that there is more to do; one signal is enough.
func (l *lane) call() {
	select {
	case l.called <- struct{}{}:
	default:
	}
}

// farewell is the time that a stopping lane has to record its results.
const farewell = 3 * time.Second

// run serves the lane until no call came while it was held.
func (l *lane) run(ctx context.Context) {
	for again := true; again; again = !l.forget(l, ctx.Err() != nil) {
		l.hold(ctx)
	}
}

// hold posts due deliveries until none was due for a while, another dispatcher
// has the lane, or ctx ends.
func (l *lane) hold(ctx context.Context) {
	box := l.queue.Await(l.id)
	defer box.Close()
	posts, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	for idle := l.clock.Now(); ctx.Err() == nil; {
		select {
		case <-l.called: // the step finds out why
		default:
		}
		ours, err := l.step(ctx, posts, box.Address)
		if err != nil {
			if ctx.Err() == nil {
				l.log.WarnContext(ctx, "webhook lane not served; it will be tried again", "endpoint_id", l.id.String(), "error", err)
			}
			l.rest(ctx, nil, billing.LaneStoreRetry)
			continue
		}
		if !ours { // the new holder repeats the posts that are running here
			cut()
			l.leave(ctx)
			return
		}
		now := l.clock.Now()
		if len(l.inFlight) > 0 {
			idle = now
		} else if now.Sub(idle) >= l.pace.Linger {
			l.leave(ctx)
			return
		}
		if l.rest(ctx, box.C, l.pause(now, idle)) {
			idle = l.clock.Now()
		}
	}
	last := time.AfterFunc(farewell, cut) // running posts may still end
	defer last.Stop()
	l.leave(ctx)
}

// pause returns the time until the next known work.
func (l *lane) pause(now, idle time.Time) time.Duration {
	pause := idle.Add(l.pace.Linger).Sub(now)
	if len(l.inFlight) > 0 {
		pause = l.pace.Lease / 3
	}
	if !l.next.IsZero() && len(l.inFlight) < l.pace.InFlight { // a full lane continues when a post ends
		pause = min(pause, l.next.Sub(now))
	}
	return max(pause, time.Millisecond)
}

// rest waits for something to do, at most for pause. It reports whether the
// lane was called.
func (l *lane) rest(ctx context.Context, replies <-chan struct{}, pause time.Duration) (called bool) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-replies:
		called = true
	case <-l.called:
		called = true
	case d := <-l.done:
		l.ended(d)
	}
	for { // record everything that has ended together
		select {
		case d := <-l.done:
			l.ended(d)
		default:
			return called
		}
	}
}

// ended records a post that ended. A delivery without an attempt was not
// posted.
func (l *lane) ended(d *webhook.Delivery) {
	if len(d.Attempts) > 0 {
		l.tried = append(l.tried, tried{d, l.inFlight[d.ID]})
	}
	delete(l.inFlight, d.ID)
	l.faults.ended(d.ID)
}

// step records the posts that ended and starts those that are due, in one
// transaction. It returns false when another dispatcher has the lane.
func (l *lane) step(ctx, posts context.Context, address string) (ours bool, err error) {
	now := l.clock.Now()
	free := l.pace.InFlight - len(l.inFlight)
	renew := !l.held || now.Sub(l.renewed) > l.pace.Lease/3
	if free == 0 && len(l.tried) == 0 && !renew {
		return true, nil // nothing to do
	}
	var endpoint *webhook.Endpoint
	var due []webhook.Shipment
	var at, next time.Time // by the clock of the organization
	var standing bool
	var struck map[billing.DeliveryID]fault.Kind
	other := ""
	err = l.store.InTx(ctx, l.scope, func(ctx context.Context, tx ports.Tx) error {
		ours = true
		if renew {
			if ours, other, err = tx.Lanes.Take(ctx, l.id, l.holder, address, l.pace.Lease); err != nil || !ours {
				return err
			}
		}
		at = tx.Clock.Now()
		if standing, err = stands(ctx, tx); err != nil {
			return err
		}
		if err := l.record(ctx, tx); err != nil {
			return err
		}
		endpoint, due, next, err = tx.Lanes.Due(ctx, l.id, at, free, slices.Collect(maps.Keys(l.inFlight)))
		if billing.IsNotFound(err) { // deleted, with its deliveries
			ours = false
			return nil
		}
		if err != nil {
			return err
		}
		struck, due, next, err = l.faults.strike(ctx, tx, due, next)
		return err
	})
	switch {
	case billing.IsResetting(err): // the reset removes the deliveries, and frees the lane
		l.held, l.tried = false, nil
		return false, nil
	case err != nil:
		return true, err
	case !ours:
		l.held = false
		if other != "" {
			_ = l.queue.Reply(ctx, other, l.id) // best effort; the lane is called again while something is due
		}
		return false, nil
	}
	if renew {
		l.held, l.renewed = true, now
	}
	if l.next = (time.Time{}); !next.IsZero() {
		l.next = now.Add(next.Sub(at))
	}
	l.tried, l.well = nil, endpoint.Health == webhook.EndpointHealth{}
	for _, s := range due {
		kind := struck[s.Delivery.ID]
		after := l.faults.follow(kind, s.Delivery.ID, l.inFlight)
		l.inFlight[s.Delivery.ID] = endpoint.URL
		go func() {
			after(posts)
			l.post(posts, endpoint, s, at, standing, kind)
		}()
	}
	return true, nil
}

// record stores the results of the posts that ended, and their effect on the
// endpoint's health. While the endpoint is healthy there is no effect.
func (l *lane) record(ctx context.Context, tx ports.Tx) error {
	var deliveries []*webhook.Delivery
	well := l.well
	for _, t := range l.tried {
		deliveries = append(deliveries, t.Delivery)
		well = well && t.attempt().Succeeded()
	}
	if !well && len(deliveries) > 0 {
		if err := l.recordHealth(ctx, tx); err != nil {
			return err
		}
	}
	return tx.Lanes.Record(ctx, deliveries)
}

// recordHealth stores the endpoint's health. It reads the endpoint again and
// locks it. Since the read for the posts, the endpoint may have been enabled,
// or another dispatcher may have delivered to it. It may also have another URL,
// which the posts do not concern.
func (l *lane) recordHealth(ctx context.Context, tx ports.Tx) error {
	e, err := tx.Endpoints.Lock(ctx, l.id)
	if err != nil {
		if billing.IsNotFound(err) { // deleted
			return nil
		}
		return err
	}
	for _, t := range l.tried {
		if t.url != e.URL {
			continue
		}
		e.Tried(t.attempt())
	}
	return tx.Lanes.RecordHealth(ctx, e)
}

// post posts one delivery. It has a reserved place in done, so it never blocks.
func (l *lane) post(ctx context.Context, e *webhook.Endpoint, s webhook.Shipment, at time.Time, standing bool, struck fault.Kind) {
	attempt, err := l.attempt(ctx, e, s, at, standing)
	if struck == fault.DuplicateDelivery && err == nil {
		attempt, err = l.attempt(ctx, e, s, at, standing)
	}
	if err != nil && !billing.IsNotFound(err) && ctx.Err() == nil { // a deleted endpoint has nothing due
		l.log.WarnContext(ctx, "webhook not posted: its secret could not be read; it will be tried again",
			"endpoint_id", l.id.String(), "event_id", s.Event.ID.String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(billing.LaneStoreRetry):
		}
	}
	if err != nil || ctx.Err() != nil { // not posted, or interrupted: it does not count and is repeated
		l.done <- &webhook.Delivery{ID: s.Delivery.ID}
		return
	}
	d := *s.Delivery
	d.Tried(attempt, rand.Float64())
	l.observe(attempt)
	if !attempt.Succeeded() {
		l.log.LogAttrs(ctx, slog.LevelInfo, "webhook not delivered", slog.String("endpoint_id", l.id.String()),
			slog.String("event_id", s.Event.ID.String()), slog.Int("status", attempt.Status), slog.String("error", attempt.Error),
			slog.Int("attempt", len(d.Attempts)), slog.String("state", string(d.State)))
	}
	l.done <- &d
}

// attempt posts a delivery. While the organization's clock stands, it has as much real time
// as it then takes by the clock, so that every run of a simulation is the same.
func (l *lane) attempt(ctx context.Context, e *webhook.Endpoint, s webhook.Shipment, at time.Time, standing bool) (webhook.Attempt, error) {
	if standing {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, billing.AdvanceAttempt)
		defer cancel()
	}
	a, err := post(ctx, l.sender, e, s.Event, at, l.clock.Now(), l.secret)
	if a.Standing = standing; standing {
		a.Duration = billing.AdvanceAttempt
	}
	return a, err
}

// stands reports whether the clock of the organization stands. One that shows real time was
// not touched, or runs with it.
func stands(ctx context.Context, tx ports.Tx) (bool, error) {
	if tx.Clock.Now().Equal(tx.Real.Now().Time) {
		return false, nil
	}
	c, err := tx.SandboxClock.Get(ctx)
	return err == nil && !c.StandsAt.IsZero(), err
}

// leave waits for the running posts, records those that were not interrupted,
// and releases the lane.
func (l *lane) leave(ctx context.Context) {
	for len(l.inFlight) > 0 {
		l.ended(<-l.done)
	}
	if !l.held && len(l.tried) == 0 {
		return
	}
	err := l.store.InTx(context.WithoutCancel(ctx), l.scope, func(ctx context.Context, tx ports.Tx) error {
		if err := l.record(ctx, tx); err != nil || !l.held {
			return err
		}
		return tx.Lanes.Leave(ctx, l.id, l.holder)
	})
	l.held, l.tried = false, nil
	if err != nil && !billing.IsResetting(err) {
		l.log.WarnContext(ctx, "webhook lane not released; its lease will end, and unrecorded posts will be repeated",
			"endpoint_id", l.id.String(), "error", err)
	}
}
