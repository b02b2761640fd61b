package rabbitqueue_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/rabbitqueue"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

func benchJob(kind jobs.Kind) jobs.Job {
	now := time.Now()
	return jobs.Job{
		ID: billing.NewID[billing.JobID](now), Kind: kind,
		Scope:   billing.Scope{Org: billing.NewID[billing.OrgID](now), Mode: billing.ModeTest},
		Subject: billing.NewID[billing.CheckID](now),
	}
}

// BenchmarkPublish measures confirmed publications by that many callers at
// once.
func BenchmarkPublish(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(callers), func(b *testing.B) {
			kind := jobs.Kind("bench-publish")
			q := open(b, testservers.Rabbit(b).URL(), kind, rabbitqueue.Classic)
			b.ResetTimer()
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					for n := i; n < b.N; n += callers {
						if err := q.Publish(b.Context(), benchJob(kind)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

// BenchmarkDelivery measures the time from the call of Publish to the call of
// the consumer's handle, one job at a time.
func BenchmarkDelivery(b *testing.B) {
	kind := jobs.Kind("bench-delivery")
	q := open(b, testservers.Rabbit(b).URL(), kind, rabbitqueue.Classic)
	got := make(chan struct{})
	defer startConsumer(b, q, kind, 4, func() { got <- struct{}{} })()
	var publishing sync.WaitGroup
	for b.Loop() {
		publishing.Wait() // for the confirmation of the last
		publishing.Go(func() { _ = q.Publish(b.Context(), benchJob(kind)) })
		<-got
	}
	publishing.Wait()
}

// BenchmarkRoundTrip measures what a request waits for when a worker does
// nothing: a job is published, and the consumer replies.
func BenchmarkRoundTrip(b *testing.B) {
	kind := jobs.Kind("bench-round-trip")
	url := testservers.Rabbit(b).URL()
	api, worker := open(b, url, kind, rabbitqueue.Classic), open(b, url, kind, rabbitqueue.Classic)
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = worker.Consume(ctx, kind, 4, func(ctx context.Context, d ports.Message) ports.Verdict {
			_ = worker.Reply(ctx, d.Job.ReplyTo, d.Job.Subject)
			return ports.Finished
		})
	}()
	defer func() { cancel(); <-done }()
	for b.Loop() {
		j := benchJob(kind)
		box := api.Await(j.Subject)
		j.ReplyTo = box.Address
		if err := api.Publish(b.Context(), j); err != nil {
			b.Fatal(err)
		}
		<-box.C
		box.Close()
	}
}

// BenchmarkConsume measures jobs through one consumer of that many at once.
func BenchmarkConsume(b *testing.B) {
	for _, parallel := range []int{1, 4, 16} {
		b.Run(strconv.Itoa(parallel), func(b *testing.B) {
			kind := jobs.Kind("bench-consume-" + strconv.Itoa(parallel))
			q := open(b, testservers.Rabbit(b).URL(), kind, rabbitqueue.Classic)
			var fill sync.WaitGroup
			for i := range 32 {
				fill.Go(func() {
					for n := i; n < b.N; n += 32 {
						_ = q.Publish(b.Context(), benchJob(kind))
					}
				})
			}
			fill.Wait()
			got := make(chan struct{}, 64)
			b.ResetTimer()
			defer startConsumer(b, q, kind, parallel, func() { got <- struct{}{} })()
			for range b.N {
				<-got
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
			b.StopTimer()
		})
	}
}

func startConsumer(b *testing.B, q *rabbitqueue.Queue, kind jobs.Kind, parallel int, each func()) (stop func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = q.Consume(ctx, kind, parallel, func(context.Context, ports.Message) ports.Verdict {
			each()
			return ports.Finished
		})
	}()
	return func() { cancel(); <-done }
}
