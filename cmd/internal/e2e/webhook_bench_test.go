package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"text/tabwriter"
	"time"
)

// BenchmarkWebhooks measures delivery to an https receiver on the same machine,
// by one process of molar dev with PostgreSQL and RabbitMQ.
func BenchmarkWebhooks(b *testing.B) {
	const backlog = 20_000
	for b.Loop() {
		r := startWebhookReceiver(b)
		d := startDevelopers(startSystem(b, 0, 0), r, 1)
		base := d.ready[0].BaseURL
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "figure\tmeasured\taim")

		r.register(base, d.key, "/steady")
		d.make(50, 1, 0) // warm
		await(b, "the first events", func() bool { return r.distinct("/steady") >= 50 })
		r.forget("/steady")
		d.make(1000, 4, 10*time.Millisecond)
		await(b, "the steady events", func() bool { return r.distinct("/steady") >= 1000 })
		_, _ = fmt.Fprintf(w, "commit to receipt at 100/s\tp50 %s, p99 %s\t<= 5ms / 20ms\n", r.percentile(0.5), r.percentile(0.99))

		r.answer["/slow"] = func() int { pause(4 * time.Second); return http.StatusOK }
		slow := r.register(base, d.key, "/slow")
		if n := d.resend(slow); n < 1000 {
			b.Fatalf("%d events queued for the slow receiver", n)
		}
		r.forget("/steady")
		d.make(500, 4, 20*time.Millisecond)
		await(b, "the events beside the slow receiver", func() bool { return r.distinct("/steady") >= 500 })
		_, _ = fmt.Fprintf(w, "the same at 50/s, behind 1,000 events for a receiver that takes 4 s\tp50 %s, p99 %s\tp99 <= 100ms\n",
			r.percentile(0.5), r.percentile(0.99))
		d.remove(slow)

		d.fill(backlog)
		burst := r.register(base, d.key, "/burst")
		used := cpu(b)
		start := time.Now()
		queued := d.resend(burst)
		await(b, "the backlog at its receiver", func() bool { return r.distinct("/burst") >= queued })
		took := time.Since(start)
		spent := cpu(b)["molar"] - used["molar"]
		rate := float64(queued) / took.Seconds()
		_, _ = fmt.Fprintf(w, "delivered, one endpoint, %d events\t%.0f/s\t>= 2500/s\n", queued, rate)
		_, _ = fmt.Fprintf(w, "CPU of our process for each\t%.3f ms\t<= 0.4 ms\n", float64(spent.Microseconds())/1000/float64(queued))
		_, _ = fmt.Fprintf(w, "resident memory after it\t%d MB\t\n", resident(b, d.procs[0])>>20)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(rate, "delivered/s")
	}
}

// fill makes events of about 1 kB in the database itself, for a backlog that
// the API could not make in time.
func (d *developers) fill(n int) {
	d.tb.Helper()
	_, err := d.db.Exec(`
INSERT INTO events (id, org_id, mode, type, resource_id, sequence, created_at, data)
SELECT gen_random_uuid(), org_id, mode, type, gen_random_uuid(), 1, now() - interval '1 hour', data
FROM (SELECT * FROM events WHERE type = 'eligibility.completed' LIMIT 1) AS e, generate_series(1, $1)`, n)
	if err != nil {
		d.tb.Fatal(err)
	}
}

// resend queues everything again for one endpoint.
func (d *developers) resend(endpoint string) int {
	d.tb.Helper()
	a, err := post(d.tb.Context(), http.DefaultClient, d.urls[0]+"/events/resend", d.key, unique("resend"), "application/json",
		fmt.Appendf(nil, `{"endpoint_id":%q,"created_after":"2020-01-01T00:00:00Z","created_before":"2100-01-01T00:00:00Z","event_types":["eligibility.completed"]}`, endpoint))
	if err != nil || a.status != http.StatusOK {
		d.tb.Fatalf("resend: %v %v", a, err)
	}
	n, _ := a.body["queued"].(float64)
	return int(n)
}

func (d *developers) remove(endpoint string) {
	d.tb.Helper()
	url := d.urls[0] + "/webhook_endpoints/" + endpoint
	r, err := send(d.tb.Context(), http.DefaultClient, http.MethodDelete, url, d.key, unique("remove"), "", nil)
	if err != nil || r.status != http.StatusNoContent {
		d.tb.Fatalf("remove: %v %v", r, err)
	}
}
