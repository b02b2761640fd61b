package webhooks

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fault"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports"
)

// faults lets deliveries of test mode fail by the rules of the organization, which it reads
// at most once a second.
type faults struct {
	mode    billing.Mode
	rules   []fault.Rule
	read    time.Time
	waiting []follower
}

// follower is a delivery that comes after the next one.
type follower struct {
	id      billing.DeliveryID
	before  map[billing.DeliveryID]string // the posts that ran already; they are not the next one
	release chan struct{}
}

// followTime is how long a delivery waits for a next one.
const followTime = time.Second

// strike returns what strikes each of the deliveries that are due, those that are posted,
// and when the next one is due: a delayed one is not posted. A delivery is struck before its
// first attempt alone.
func (f *faults) strike(
	ctx context.Context, tx ports.Tx, due []webhook.Shipment, next time.Time,
) (map[billing.DeliveryID]fault.Kind, []webhook.Shipment, time.Time, error) {
	if f.mode != billing.ModeTest || len(due) == 0 {
		return nil, due, next, nil
	}
	now := tx.Real.Now().Time
	if now.Sub(f.read) >= billing.RememberKeys {
		rules, err := tx.Faults.List(ctx)
		if err != nil {
			return nil, nil, next, err
		}
		f.rules, f.read = rules, now
	}
	struck := map[billing.DeliveryID]fault.Kind{}
	var posted []webhook.Shipment
	for _, s := range due {
		r, err := f.struckBy(ctx, tx, s.Delivery, now)
		if err != nil {
			return nil, nil, next, err
		}
		struck[s.Delivery.ID] = r.Kind
		if r.Kind != fault.DelayDelivery {
			posted = append(posted, s)
			continue
		}
		until := tx.Clock.Now().Add(time.Duration(r.Milliseconds) * time.Millisecond)
		if err := tx.Lanes.Postpone(ctx, s.Delivery.ID, until); err != nil {
			return nil, nil, next, err
		}
		if next.IsZero() || until.Before(next) {
			next = until
		}
	}
	return struck, posted, next, nil
}

// struckBy returns the first rule that strikes the delivery; zero for none.
func (f *faults) struckBy(ctx context.Context, tx ports.Tx, d *webhook.Delivery, now time.Time) (fault.Rule, error) {
	if !d.Fresh() {
		return fault.Rule{}, nil
	}
	for _, r := range f.rules {
		if !r.ConcernsDeliveries(now) {
			continue
		}
		if n, err := tx.Faults.Match(ctx, r.Serial); err != nil {
			return fault.Rule{}, err
		} else if n > 0 && r.Strikes(n) {
			return r, nil
		}
	}
	return fault.Rule{}, nil
}

// follow returns what a delivery waits for before it is posted: if it is to come after the
// next one, until a post ends that does not run yet.
func (f *faults) follow(kind fault.Kind, id billing.DeliveryID, running map[billing.DeliveryID]string) (wait func(context.Context)) {
	if kind != fault.ReorderDeliveries {
		return func(context.Context) {}
	}
	w := follower{id, maps.Clone(running), make(chan struct{})}
	f.waiting = append(f.waiting, w)
	return func(ctx context.Context) {
		select {
		case <-w.release:
		case <-time.After(followTime):
		case <-ctx.Done():
		}
	}
}

// ended releases those that waited for the post to end.
func (f *faults) ended(id billing.DeliveryID) {
	f.waiting = slices.DeleteFunc(f.waiting, func(w follower) bool {
		_, older := w.before[id]
		if !older && w.id != id {
			close(w.release)
		}
		return !older
	})
}
