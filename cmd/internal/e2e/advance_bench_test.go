package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// BenchmarkAdvances measures advances of a clock that stands, by one process of molar dev with
// PostgreSQL and RabbitMQ: over a day in which nothing is due, over 1,000 claims from their
// submission to their payment with all webhooks, and over 100 claims of every ending.
func BenchmarkAdvances(b *testing.B) {
	for b.Loop() {
		r := startWebhookReceiver(b)
		d := startDevelopers(startSystem(b, 0, 0, "MOLAR_SANDBOX_ERA_DELAY=336h"), r, 1)
		d.provide()
		now := time.Date(2027, 3, 1, 15, 0, 3, 0, time.UTC)
		d.stand(now)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "figure\tmeasured\taim")
		took := func(body string) time.Duration {
			start := time.Now()
			now = instant(b, d.clock(http.MethodPost, "/advance", body)["now"])
			return time.Since(start)
		}
		took(`{"by":"P1D"}`) // warm
		_, _ = fmt.Fprintf(w, "an advance over a day in which nothing is due\t%s\t<= 50ms\n", took(`{"by":"P1D"}`).Round(time.Millisecond))

		r.register(d.urls[0], d.key, "/hooks")
		start := time.Now()
		d.claimsAt(now, 1000, []sandboxEnding{{"CHTEST", "claim", ""}})
		made := time.Since(start)
		advanced := took(`{"until":"idle"}`)
		if n := d.count("SELECT count(*) FROM claims WHERE state = 'paid'"); n < 1000 {
			b.Fatalf("%d claims are paid", n)
		}
		events := d.count("SELECT count(*) FROM webhook_deliveries WHERE state = 'delivered'")
		_, _ = fmt.Fprintf(w, "1,000 claims from draft to paid, with %d webhooks\t%s (%s to submit them, %s to advance)\t<= 1m0s\n",
			events, (made + advanced).Round(100*time.Millisecond), made.Round(100*time.Millisecond), advanced.Round(100*time.Millisecond))

		endings := sandboxEndings()
		d.claimsAt(now, 100*len(endings), endings)
		_, _ = fmt.Fprintf(w, "until idle, 100 claims of each of %d endings\t%s\t<= 1m0s\n", len(endings), took(`{"until":"idle"}`).Round(100*time.Millisecond))
		if n := d.count("SELECT count(*) FROM claims WHERE state IN ('queued', 'submitted')"); n != 0 {
			b.Fatalf("%d claims are under way", n)
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// claimsAt submits n claims over some connections.
func (s *system) claimsAt(at time.Time, n int, endings []sandboxEnding) {
	s.tb.Helper()
	var all sync.WaitGroup
	for c := range 8 {
		all.Go(func() {
			for i := c; i < n; i += 8 {
				s.claimAt(at, i, endings[i%len(endings)])
			}
		})
	}
	all.Wait()
}
