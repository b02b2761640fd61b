package e2e_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
)

// BenchmarkKeyReads measures how many reads by a key a service carries, over 16
// connections: of a claim, and of a page of 25 checks. With other binaries in the folder
// MOLAR_BENCH_BASE the two take turns of two seconds, A B A B, each on servers of its own,
// and the last line is the ratio of their medians. The processor time of a read, of all
// processes, varies less with what else the machine does.
func BenchmarkKeyReads(b *testing.B) {
	dirs := []string{binaries(b)}
	if base := os.Getenv("MOLAR_BENCH_BASE"); base != "" {
		dirs = []string{base, dirs[0]}
	}
	for b.Loop() {
		var systems []*system
		var reads [][2]string
		for _, dir := range dirs {
			s := startSystemOf(b, dir, 1, 1)
			s.measure(b, 1, 2*time.Second, "fresh") // the first statistics, plans and connections
			s.provide()
			r, ok := s.insist(b.Context(), "read", "/claims", "application/json", claimBody(s.office, claimEnding{payer: "60054", kind: "claim"}, 1))
			if !ok {
				b.Fatal(r)
			}
			systems, reads = append(systems, s), append(reads, [2]string{"/claims/" + idOf(r), "/eligibility?limit=25"})
			for _, path := range reads[len(reads)-1] {
				s.readsPerSecond(b, path, 2*time.Second)
			}
		}
		rates, costs := map[[2]int][]float64{}, map[[2]int][]float64{} // by binaries and path
		for range 12 {
			for i, s := range systems {
				for n, path := range reads[i] {
					before, of := cpu(b), [2]int{i, n}
					rate := s.readsPerSecond(b, path, 2*time.Second)
					rates[of] = append(rates[of], rate)
					costs[of] = append(costs[of], cpu(b).sum(before)/(rate*2))
				}
			}
		}
		middle := func(of map[[2]int][]float64, i, n int) float64 {
			all := of[[2]int{i, n}]
			slices.Sort(all)
			return all[len(all)/2]
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "binaries\ta claim\tprocessor\ta page of 25 checks\tprocessor")
		for i, dir := range dirs {
			_, _ = fmt.Fprintf(w, "%s\t%.0f/s\t%.0f µs\t%.0f/s\t%.0f µs\n", filepath.Base(dir),
				middle(rates, i, 0), middle(costs, i, 0), middle(rates, i, 1), middle(costs, i, 1))
		}
		if len(dirs) == 2 {
			ratio := func(of map[[2]int][]float64, n int) float64 { return middle(of, 1, n) / middle(of, 0, n) }
			_, _ = fmt.Fprintf(w, "ratio\t%.3f\t%.3f\t%.3f\t%.3f\n", ratio(rates, 0), ratio(costs, 0), ratio(rates, 1), ratio(costs, 1))
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(middle(rates, len(dirs)-1, 0), "claims/s")
	}
}

// sum returns the processor time since an earlier reading, in microseconds.
func (u usage) sum(before usage) (us float64) {
	for name := range u {
		us += float64((u[name] - before[name]).Microseconds())
	}
	return us
}

// readsPerSecond reads a path over 16 connections for a while. It returns when the last
// entry is in the request log.
func (s *system) readsPerSecond(b *testing.B, path string, span time.Duration) float64 {
	b.Helper()
	u, err := url.Parse(s.urls[0])
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	var n atomic.Int64
	var last atomic.Pointer[string]
	begun := time.Now()
	for range 16 {
		all.Go(func() {
			client := &fasthttp.HostClient{Addr: u.Host, MaxConns: 1}
			for time.Since(begun) < span && !b.Failed() {
				if _, err := timed(client, s.urls[0]+path, s.key, "", "", func(resp *fasthttp.Response) {
					if resp.StatusCode() != fasthttp.StatusOK {
						b.Errorf("%s: %d", path, resp.StatusCode())
					}
					last.Store(new(string(resp.Header.Peek("X-Request-Id"))))
				}); err != nil {
					b.Error(err)
				}
				n.Add(1)
			}
		})
	}
	all.Wait()
	rate := float64(n.Load()) / time.Since(begun).Seconds()
	id, err := billing.ParseID[billing.RequestID](*last.Load())
	if err != nil {
		b.Fatal(err)
	}
	await(b, "the last entry", func() bool {
		var logged bool
		return s.db.QueryRow("SELECT EXISTS (SELECT FROM requests WHERE id = $1)", id).Scan(&logged) == nil && logged
	})
	return rate
}
