package e2e_test

import (
	"strings"
	"testing"
	"time"
)

// TestWebhooksThroughKills kills the delivering processes, and wipes the
// broker, while events are created: each acknowledged event arrives, and few
// arrive twice. Before the first kill, a slow receiver holds up only itself.
// The processes are those of molar dev on the servers of its settings.
func TestWebhooksThroughKills(t *testing.T) {
	t.Parallel()
	r := startWebhookReceiver(t)
	d := startDevelopers(startBrokered(t, 0, 0), r, 2)
	for _, p := range d.procs {
		if !strings.Contains(p.log(), "connected to the broker") {
			t.Error("the broker of the setting was not used")
		}
	}
	t.Run("a slow receiver", d.slowReceiver)
	const made = "SELECT count(*) FROM events WHERE type = 'eligibility.completed'"
	before := d.count(made)
	r.register(d.ready[0].BaseURL, d.key, "/kills")
	load := startLoad(d.system, 4, d.answered)
	count := 0
	rounds := rounds(t, 4)
	for round := range rounds {
		for _, p := range []*process{d.procs[1], d.procs[0]} { // the first responds to the load
			pause(100 * time.Millisecond)
			kills(p).die(400 * time.Millisecond)
			count++
		}
		if round == rounds/2 {
			d.rabbit.Wipe()
		}
	}
	answers := load.stop()
	d.verify(answers)
	events := d.count(made) - before
	await(t, "every event at its receiver", func() bool { return r.distinct("/kills") >= events })
	pause(time.Second)
	r.mu.Lock()
	defer r.mu.Unlock()
	twice := 0
	for _, times := range r.got["/kills"] {
		twice += len(times) - 1
	}
	t.Logf("%d events arrived through %d kills and a wiped broker, %d of them more than once", len(r.got["/kills"]), count, twice)
	if window := 16 * count; twice > window {
		t.Errorf("%d events came more than once; what is under way is at most %d", twice, window)
	}
	if n := d.count("SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'"); n != 0 {
		t.Errorf("%d deliveries are not delivered", n)
	}
}

// slowReceiver queues hundreds of events for a receiver that needs four seconds
// for each, and creates more for one that does not. It removes both afterwards.
func (d *developers) slowReceiver(t *testing.T) {
	base, r := d.ready[0].BaseURL, d.receiver
	r.answer["/slow"] = func() int { pause(4 * time.Second); return 200 }
	slow := r.register(base, d.key, "/slow")
	d.make(300, 8, 0)
	healthy := r.register(base, d.key, "/healthy")
	d.make(100, 8, 0)
	await(t, "the events at the healthy receiver", func() bool { return r.distinct("/healthy") == 100 })
	if n := r.distinct("/slow"); n >= 300 {
		t.Errorf("%d events have come to the slow receiver before the healthy one had all of its: it was not slow enough to show anything", n)
	}
	for _, id := range []string{slow, healthy} {
		d.remove(id)
	}
}
