package webhooks_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing/webhook"
)

// TestClocksApart delivers from processes whose clocks are wrong by five
// minutes. They store the database's time, and one continues where another
// stopped; only the date of a message is the process's own.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	fast, slow := 300*time.Second, -300*time.Second
	for _, test := range []struct{ first, second time.Duration }{{fast, slow}, {slow, fast}} {
		e := b.endpoint()
		b.outside.at(e.URL, firstSays(500))
		began := b.clock.Now().Truncate(time.Microsecond)
		b.happens()
		p := b.processAt(b.clock.Apart(test.first), nil)
		p.worked(e)
		p.stop()
		ended := b.clock.Now()
		d := b.deliveries(e)[0]
		if len(d.Attempts) != 1 || d.State != webhook.DeliveryPending {
			t.Fatalf("%s off: %+v, want one failed attempt", test.first, d)
		}
		a := d.Attempts[0]
		if a.At.Before(began) || a.At.After(ended) {
			t.Errorf("%s off: the attempt was made at %s, want between %s and %s", test.first, a.At, began, ended)
		}
		if wait := d.NextAttemptAt.Sub(a.At.Add(a.Duration)); wait < 4*time.Second || wait > 6*time.Second {
			t.Errorf("%s off: the next attempt comes %s after the first", test.first, wait)
		}
		if since := b.get(e).Health.FailingSince; !since.Equal(a.At.Truncate(time.Microsecond)) {
			t.Errorf("%s off: failing since %s, want %s", test.first, since, a.At)
		}
		posts := b.outside.got(e.URL)
		if dated := posts[0].At.Add(-test.first); dated.Before(began) || dated.After(ended) {
			t.Errorf("%s off: the message is dated %s", test.first, posts[0].At)
		}
		b.clock.To(d.NextAttemptAt)
		p = b.processAt(b.clock.Apart(test.second), nil)
		p.worked(e)
		p.stop()
		if n := b.states(e); n[webhook.DeliveryDelivered] != 1 {
			t.Errorf("%s off, then %s: %v when the second attempt was due", test.first, test.second, n)
		}
	}
}
