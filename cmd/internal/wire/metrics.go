package wire

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// jobMetrics counts attempts at jobs and how long they took.
func jobMetrics(r prometheus.Registerer) func(jobs.Kind, string, time.Duration) {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "molar_jobs_total", Help: "Attempts at jobs, by kind and result: done, error or dead.",
	}, []string{"kind", "result"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "molar_job_duration_seconds", Help: "How long attempts at jobs took.",
		Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
	}, []string{"kind"})
	r.MustRegister(total, seconds)
	return func(k jobs.Kind, result string, took time.Duration) {
		total.WithLabelValues(string(k), result).Inc()
		seconds.WithLabelValues(string(k)).Observe(took.Seconds())
	}
}

// buildMetric says what the program was built from. Its value is always 1.
func buildMetric(r prometheus.Registerer) {
	of := build()
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "molar_build_info", Help: "What this program was built from.",
	}, []string{"version", "commit", "go"})
	r.MustRegister(info)
	info.WithLabelValues(of.Version, of.Commit, of.Go).Set(1)
}

// registerMetrics adds the metrics that are read at each scrape.
func registerMetrics(g *graph) {
	g.metrics.MustRegister(g.store.Metrics()...)
	g.metrics.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "molar_request_log_dropped_total", Help: "Requests of keys that are missing in the request log and in the audit. Those of writes are restored.",
		}, func() float64 { return float64(g.audit.Dropped()) }),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&backlogCollector{
			graph:   g,
			jobs:    prometheus.NewDesc("molar_outbox_jobs", "Jobs that are not done.", []string{"kind"}, nil),
			age:     prometheus.NewDesc("molar_outbox_oldest_due_seconds", "Age of the oldest job that is due.", []string{"kind"}, nil),
			depth:   prometheus.NewDesc("molar_queue_messages", "Messages at the broker: waiting or dead.", []string{"kind", "state"}, nil),
			unsent:  prometheus.NewDesc("molar_unsent_oldest_seconds", "How long the oldest claim of live mode has waited for a batch, and the oldest batch of live mode to leave. Claims that a person holds, or that wait for an office or an enrollment, do not count.", []string{"what"}, nil),
			unknown: prometheus.NewDesc("molar_batches_unknown", "Batches that a clearinghouse may or may not have: see molar batches list.", nil, nil),
			files:   prometheus.NewDesc("molar_files_not_received", "Files of connections that were not received, by problem: see molar files list.", []string{"problem"}, nil),
			overdue: prometheus.NewDesc("molar_acknowledgements_overdue", "Acknowledgements that a connection should have sent by now: see molar batches list.", []string{"connection"}, nil),
			aside:   prometheus.NewDesc("molar_quarantine_files", "Files in quarantine, by cause: see molar era quarantine.", []string{"cause"}, nil),
			up:      prometheus.NewDesc("molar_queue_up", "Whether the broker is connected.", nil, nil),
		},
	)
}

// backlogCollector reads the outbox and the queues when metrics are scraped.
type backlogCollector struct {
	graph                                                        *graph
	jobs, age, depth, unsent, unknown, files, overdue, aside, up *prometheus.Desc
}

// scrapeTime bounds how long a scrape waits for the database and the broker.
const scrapeTime = 2 * time.Second

func (c *backlogCollector) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.jobs
	ch <- c.age
	ch <- c.depth
	ch <- c.unsent
	ch <- c.unknown
	ch <- c.files
	ch <- c.overdue
	ch <- c.aside
	ch <- c.up
}

func (c *backlogCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	err := c.graph.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		backlog, err := tx.Jobs.Backlog(ctx)
		for _, b := range backlog {
			gauge(c.jobs, float64(b.Jobs), string(b.Kind))
			gauge(c.age, b.Oldest.Seconds(), string(b.Kind))
		}
		if err != nil {
			return err
		}
		claims, batches, err := tx.Routes.Unsent(ctx, billing.ModeLive)
		if err != nil {
			return err
		}
		gauge(c.unsent, secondsSince(claims, tx.Real.Now()), "claim")
		gauge(c.unsent, secondsSince(batches, tx.Real.Now()), "batch")
		undecided, err := tx.Routes.Undecided(ctx)
		if err != nil {
			return err
		}
		c.batches(undecided, gauge)
		problems, err := tx.Received.Problems(ctx)
		count := map[clearing.FileState]int{clearing.FileLost: 0, clearing.FileRefused: 0, clearing.FileSetAside: 0}
		for _, f := range problems {
			count[f.State]++
		}
		for state, n := range count {
			gauge(c.files, float64(n), string(state))
		}
		if err != nil {
			return err
		}
		aside, err := tx.Quarantine.Counts(ctx)
		for _, cause := range quarantine.Causes() {
			gauge(c.aside, float64(aside[cause]), string(cause))
		}
		return err
	})
	if err != nil {
		c.graph.log.WarnContext(ctx, "outbox metrics not read", "error", err)
	}
	up := 0.0
	if c.graph.queue.Ready() == nil {
		up = 1
		for _, k := range jobs.Kinds() {
			if waiting, dead, _, err := c.graph.queue.Depth(ctx, k); err == nil {
				gauge(c.depth, float64(waiting), string(k), "waiting")
				gauge(c.depth, float64(dead), string(k), "dead")
			}
		}
	}
	gauge(c.up, up)
}

// batches shows how many batches have an unknown outcome, and how many acknowledgements
// of each connection are overdue.
func (c *backlogCollector) batches(undecided []*clearing.Batch, gauge func(d *prometheus.Desc, v float64, labels ...string)) {
	unknown, overdue := 0, map[string]int{}
	for _, b := range undecided {
		if !b.UnknownSince.IsZero() {
			unknown++
		}
		overdue[b.Network] += len(b.Overdue)
	}
	gauge(c.unknown, float64(unknown))
	for _, one := range c.graph.connections.Connections() {
		if one.Carried(network.Claims) {
			gauge(c.overdue, float64(overdue[one.Network()]), one.Name)
		}
	}
}

// secondsSince returns how long ago a time was; 0 for the zero time.
func secondsSince(at time.Time, now billing.Real) float64 {
	if at.IsZero() {
		return 0
	}
	return now.Sub(at).Seconds()
}
