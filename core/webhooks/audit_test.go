package webhooks_test

import (
	"time"

	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/webhook"
	"github.com/molar-billing/molar/ports/porttest"
)

// is checks that the post is one of the events, signed with the endpoint's
// secret.
func (b *fixture) is(p *post, e *webhook.Endpoint, events []*event.Event) {
	b.t.Helper()
	for _, ev := range events {
		if ev.ID.String() != p.ID {
			continue
		}
		want := e.Message(ev, p.At)
		signature, err := want.Signature(e.Secret)
		if err != nil || signature != p.signature || string(want.Body) != string(p.Body) || want.URL != p.URL {
			b.t.Errorf("posted %+v, want %+v, %v", p.Message, want, err)
		}
		return
	}
	b.t.Errorf("%s was posted and did not happen", p.ID)
}

// exactlyOnce checks the records of an endpoint whose posts are all recorded:
// each delivery's attempts are its posts, one after another, and the last of
// them settled it.
func (b *fixture) exactlyOnce(e *webhook.Endpoint) {
	b.t.Helper()
	for _, d := range b.deliveries(e) {
		if n := b.outside.timesOf(e.URL, d.EventID); n != len(d.Attempts) {
			b.t.Errorf("posted %d times, and %d attempts are on record: %v", n, len(d.Attempts), statuses(d))
		}
		b.inOrder(d)
	}
}

// inOrder checks that the attempts are in the order of their times, and agree
// with the state.
func (b *fixture) inOrder(d *webhook.Delivery) {
	b.t.Helper()
	for i, a := range d.Attempts {
		if i > 0 && !d.Attempts[i-1].At.Before(a.At) {
			b.t.Errorf("attempt %d was made at %v, after one at %v", i, a.At, d.Attempts[i-1].At)
		}
		if a.Succeeded() != (d.State == webhook.DeliveryDelivered && i == len(d.Attempts)-1) {
			b.t.Errorf("attempts %v of a %s delivery", statuses(d), d.State)
		}
	}
}

// still checks that the process makes only a few more calls to the store.
func (b *fixture) still(p *process, what string, few int) {
	b.t.Helper()
	var before int
	porttest.Await(b.t, "the process comes to rest", func() bool {
		before = p.fault.count("InTx")
		<-time.After(20 * pause)
		return p.fault.count("InTx") <= before+few
	})
	<-time.After(20 * pause)
	if n := p.fault.count("InTx") - before; n > 2*few {
		b.t.Errorf("%s made %d transactions", what, n)
	}
}
