package e2e_test

import (
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// TestWebhooksThroughKills kills the processes that deliver, and wipes what the
// broker has, while events are made: each event that was answered arrives, and
// hardly one twice.
func TestWebhooksThroughKills(t *testing.T) {
	t.Parallel()
	r := startWebhookReceiver(t)
	d := startDevelopers(t, r, 2)
	r.register(d.ready[0].BaseURL, d.key, "/kills")
	load := startLoad(d.system, 4)
	kills := 0
	rounds := rounds(t, 4)
	for round := range rounds {
		for _, victim := range []*process{d.procs[1], d.procs[0]} { // the first responds to the load
			pause(time.Duration(100+rand.IntN(400)) * time.Millisecond)
			victim.kill()
			pause(time.Duration(rand.IntN(200)) * time.Millisecond)
			victim.start(io.Discard)
			kills++
		}
		if round == rounds/2 {
			d.rabbit.Wipe()
		}
	}
	answers := load.stop()
	d.verify(answers)
	events := d.count("SELECT count(*) FROM events WHERE type = 'eligibility.completed'")
	await(t, "every event at its receiver", func() bool { return r.distinct("/kills") >= events })
	pause(time.Second)
	r.mu.Lock()
	defer r.mu.Unlock()
	twice := 0
	for _, times := range r.got["/kills"] {
		twice += len(times) - 1
	}
	t.Logf("%d events arrived through %d kills and a wiped broker, %d of them more than once", len(r.got["/kills"]), kills, twice)
	if window := 16 * kills; twice > window {
		t.Errorf("%d events came more than once; what is under way is at most %d", twice, window)
	}
	if n := d.count("SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'"); n != 0 {
		t.Errorf("%d deliveries are not delivered", n)
	}
}

// TestSlowReceiverHoldsUpNobody queues a thousand events for a receiver that
// takes four seconds, and makes more for one that does not.
func TestSlowReceiverHoldsUpNobody(t *testing.T) {
	t.Parallel()
	r := startWebhookReceiver(t)
	d := startDevelopers(t, r, 1)
	base := d.ready[0].BaseURL
	slow := func() int { pause(4 * time.Second); return 200 }
	r.answer["/slow"] = slow
	r.register(base, d.key, "/slow")
	d.make(300, 8, 0)
	r.register(base, d.key, "/healthy")
	d.make(100, 8, 0)
	await(t, "the events at the healthy receiver", func() bool { return r.distinct("/healthy") == 100 })
	if n := r.distinct("/slow"); n >= 300 {
		t.Errorf("%d events have come to the slow receiver before the healthy one had all of its: it was not slow enough to tell", n)
	}
}
