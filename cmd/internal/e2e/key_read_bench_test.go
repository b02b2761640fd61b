package e2e_test

import (
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/molar-billing/molar/core/billing"
)

// BenchmarkKeyReads measures how many reads by a key a service carries, over 16
// connections: of a claim, and of a page of 25 checks, beside those of a pair.
func BenchmarkKeyReads(b *testing.B) {
	for b.Loop() {
		p := startPair(b)
		claims := map[*system]string{}
		for _, s := range p.systems {
			s.measure(b, 1, 2*time.Second, "fresh") // the first statistics, plans and connections
			s.provide()
			r, ok := s.insist(b.Context(), "read", "/claims", "application/json", claimBody(s.office, claimEnding{payer: "60054", kind: "claim"}, 1))
			if !ok {
				b.Fatal(r)
			}
			claims[s] = "/claims/" + idOf(r)
			s.readsPerSecond(b, claims[s])
			s.readsPerSecond(b, "/eligibility?limit=25")
		}
		p.header("reads by a key")
		p.compare(b, "a claim", 12, func(s *system) float64 { return s.readsPerSecond(b, claims[s]) })
		p.compare(b, "a page of 25 checks", 12, func(s *system) float64 { return s.readsPerSecond(b, "/eligibility?limit=25") })
	}
}

// sum returns the processor time since an earlier reading, in microseconds.
func (u usage) sum(before usage) (us float64) {
	for name := range u {
		us += float64((u[name] - before[name]).Microseconds())
	}
	return us
}

// readsPerSecond reads a path over 16 connections for two seconds. It returns when the last
// entry is in the request log.
func (s *system) readsPerSecond(b *testing.B, path string) float64 {
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
			for time.Since(begun) < 2*time.Second && !b.Failed() {
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
