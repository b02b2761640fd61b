package webhooks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Pace limits a Dispatcher.
type Pace struct {
	InFlight int           // the most posts in flight to one endpoint
	Lease    time.Duration // how long a lane stays reserved for a holder that does not renew it
	Linger   time.Duration // how long a lane with nothing due is held, in case more comes; less than half of Lease
}

// DefaultPace is the pace of the published benchmarks.
func DefaultPace() Pace {
	return Pace{InFlight: 16, Lease: billing.LaneLease, Linger: 2 * time.Second}
}

// Dispatcher acquires the lanes that calls name, and posts their due
// deliveries. A process has one.
type Dispatcher struct {
	store   ports.Store
	queue   ports.Queue
	sender  ports.WebhookSender
	clock   ports.Clock // this process's own: for pauses, and for the date of messages
	pace    Pace
	log     *slog.Logger
	observe func(webhook.Attempt)

	mu    sync.Mutex
	lanes map[billing.WebhookEndpointID]*lane
	work  sync.WaitGroup
	life  context.Context // the context of Run; the lanes end with it
}

// NewDispatcher creates a Dispatcher. It calls observe for every attempt.
func NewDispatcher(
	store ports.Store, queue ports.Queue, sender ports.WebhookSender, clock ports.Clock, pace Pace, log *slog.Logger,
	observe func(webhook.Attempt),
) *Dispatcher {
	return &Dispatcher{
		store: store, queue: queue, sender: sender, clock: clock, pace: pace, log: log, observe: observe,
		lanes: map[billing.WebhookEndpointID]*lane{},
	}
}

// Run serves calls until ctx ends; then it waits for the running posts and
// releases the lanes.
func (d *Dispatcher) Run(ctx context.Context) error {
	d.mu.Lock()
	d.life = ctx
	d.mu.Unlock()
	<-ctx.Done()
	d.mu.Lock()
	d.life = nil
	d.mu.Unlock()
	d.work.Wait()
	return nil
}

// Call serves the lane of an endpoint: it acquires the lane, or notifies its
// holder that there is more to do. It returns immediately. A stopped Dispatcher
// ignores the call, which only costs time: a lane with something due is called
// again.
func (d *Dispatcher) Call(j jobs.Job) {
	id := billing.WebhookEndpointID(j.Subject)
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.lanes[id]; l != nil {
		l.call()
		return
	}
	if d.life == nil {
		return
	}
	l := &lane{
		Dispatcher: d, scope: j.Scope, id: id, holder: billing.NewID[billing.JobID](billing.RealAt(time.Now())),
		secret: (&secrets{read: currentSecret(d.store, j.Scope, id)}).current,
		called: make(chan struct{}, 1), done: make(chan *webhook.Delivery, d.pace.InFlight), inFlight: map[billing.DeliveryID]string{},
		faults: faults{mode: j.Scope.Mode},
	}
	d.lanes[id] = l
	life := d.life
	d.work.Go(func() { l.run(life) })
}

// forget removes a lane, unless it was called in the meantime.
func (d *Dispatcher) forget(l *lane, always bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !always && len(l.called) > 0 {
		return false
	}
	delete(d.lanes, l.id)
	return true
}
