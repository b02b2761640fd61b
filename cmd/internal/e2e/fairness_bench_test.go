package e2e_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"
)

// flooders is how many slow checks one organization has waiting at a time.
const flooders = 5000

// BenchmarkFairness has one organization keep 5,000 slow checks waiting at one
// instance, and measures the plain checks of another one: at the flooded
// instance, at the one beside it, and in molar dev.
func BenchmarkFairness(b *testing.B) {
	room := fmt.Sprint("MOLAR_WAITING_REQUESTS=", 8*flooders) // all of the flood is to wait
	for b.Loop() {
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "checks beside a flood of slow ones\tidle p50\tp50\tp99\tmax\tratio of p50\taim")
		s := startSystem(b, 2, 1, room)
		other := s.tenant("Other Dental", "1679576722")
		a := neighbour{s.urls[0], s.key, s.office}
		flooded, beside := neighbour{s.urls[0], other.key, other.office}, neighbour{s.urls[1], other.key, other.office}
		report(b, w, a, map[string]neighbour{"flooded instance": flooded, "other instance": beside})
		for _, p := range slices.Concat(s.apis, s.workers) {
			p.kill()
		}

		p, r := startWholeDev(b, []string{room}, b.TempDir())
		report(b, w, neighbour{r.BaseURL, r.Keys["test"], r.Offices["test"]},
			map[string]neighbour{"molar dev": {r.BaseURL, r.Keys["other_test"], r.Offices["other_test"]}})
		p.stop()
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
}

// caller is an organization that sends requests to an instance.
type neighbour struct{ url, key, office string }

// report measures the tenants without the flood and beside it.
func report(b *testing.B, w *tabwriter.Writer, a neighbour, others map[string]neighbour) {
	b.Helper()
	idle := map[string]figures{}
	for name, t := range others {
		t.probe(b, 2*time.Second) // which warms up
		idle[name] = summary(t.probe(b, 5*time.Second), time.Second)
	}
	f := a.flood(b, flooders)
	<-f.full
	var all sync.WaitGroup
	for name, t := range others {
		all.Go(func() {
			took := t.probe(b, 30*time.Second)
			got := summary(took, time.Second)
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.1f\t<= 3\n", name, idle[name].p50, got.p50, got.p99,
				slices.Max(took).Round(10*time.Microsecond), float64(got.p50)/float64(idle[name].p50))
		})
	}
	all.Wait()
	f.stop()
	_, _ = fmt.Fprintf(w, "  the flood: %s\n", f)
}

// request is one check; its status is 0 when no reply came.
func (t neighbour) request(client *fasthttp.HostClient, member string) (status int, took time.Duration) {
	n := serial.Add(1)
	took, _ = timed(client, t.url+"/eligibility", t.key, fmt.Sprint("fair-", n), checkBody(t.office, member, int(n)),
		func(resp *fasthttp.Response) { status = resp.StatusCode() })
	return status, took
}

func (t neighbour) client(b *testing.B, connections int) *fasthttp.HostClient {
	b.Helper()
	u, err := url.Parse(t.url)
	if err != nil {
		b.Fatal(err)
	}
	return &fasthttp.HostClient{Addr: u.Host, MaxConns: connections, ReadTimeout: patience}
}

// probe makes plain checks one after the other.
func (t neighbour) probe(b *testing.B, span time.Duration) (took []time.Duration) {
	b.Helper()
	client := t.client(b, 1)
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		status, each := t.request(client, "-ACTIVE-FULL")
		if status != fasthttp.StatusOK {
			b.Errorf("a plain check got %d after %s", status, each)
		}
		took = append(took, each)
	}
	return took
}

// flood is slow checks that wait, each followed by another one.
type flood struct {
	full chan struct{} // closed when all have been sent
	stop func()

	mu       sync.Mutex
	statuses map[int]int
	longest  time.Duration
}

func (f *flood) String() string {
	return fmt.Sprintf("replies by status %v, the longest after %s", f.statuses, f.longest.Round(time.Millisecond))
}

// flood starts n slow checks at once.
func (t neighbour) flood(b *testing.B, n int) *flood {
	b.Helper()
	f := &flood{full: make(chan struct{}), statuses: map[int]int{}}
	client := t.client(b, n)
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	var sent atomic.Int64
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				if sent.Add(1) == int64(n) {
					close(f.full)
				}
				status, took := t.request(client, "-SLOW-5")
				f.mu.Lock()
				f.statuses[status]++
				f.longest = max(f.longest, took)
				f.mu.Unlock()
				if status != fasthttp.StatusOK {
					time.Sleep(time.Second)
				}
			}
		})
	}
	f.stop = func() { cancel(); all.Wait() }
	return f
}
