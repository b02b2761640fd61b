package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"
)

// BenchmarkLive compares live mode, over CAQH CORE and SFTP to the simulator, with the
// sandbox in the same run: the rate of 2,000 checks, in turns, and the time from the cut of a
// batch of 5,000 claims until each is paid.
func BenchmarkLive(b *testing.B) {
	const checks, turns, claims = 2000, 4, 5000
	for b.Loop() {
		// Claims wait until all are made; then the next cut takes them.
		s := startSystem(b, 1, 1, "MOLAR_BATCH_INTERVAL=1s", "MOLAR_SANDBOX_ERA_DELAY=1s")
		s.spawn("eraworker", 1)
		sim := startSimulator(b)
		o := &operator{s, b.TempDir(), map[string]string{}}
		page := goingLive(b, "sh")
		sim.documents(b, o.dir)
		o.run(page[0])
		o.run(page[1])
		sandbox, live := tenant{s.office, s.key}, tenant{o.known["off"], o.known["molar"]}
		s.provide()
		s.key, s.office = live.key, live.office
		s.provide()
		s.awaitConnections()

		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "figure\tsandbox\tlive\tratio\taim")
		both := []tenant{sandbox, live}
		var spent [2]time.Duration
		for turn := range 1 + turns { // the first one warms up
			for i, t := range both {
				begun := time.Now()
				s.fresh(b, t, checks/turns)
				if turn > 0 {
					spent[i] += time.Since(begun)
				}
			}
		}
		rates := [2]float64{checks / spent[0].Seconds(), checks / spent[1].Seconds()}
		_, _ = fmt.Fprintf(w, "%d checks, 32 connections\t%.0f/s\t%.0f/s\t%.2f\t>= 0.60\n", checks, rates[0], rates[1], rates[1]/rates[0])

		var took [2]time.Duration
		s.batch(b, sandbox, claims/10) // the first statistics and plans
		for i, t := range both {
			took[i] = s.batch(b, t, claims)
		}
		_, _ = fmt.Fprintf(w, "%d claims sent, acknowledged and applied\t%s\t%s\t%.2f\t<= 2\n", claims,
			took[0].Round(100*time.Millisecond), took[1].Round(100*time.Millisecond), took[1].Seconds()/took[0].Seconds())
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(rates[1]/rates[0], "checks-live/sandbox")
		b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "batch-live/sandbox")
	}
}

// each does something n times, in 32 connections.
func (s *system) each(b *testing.B, n int, do func(client *fasthttp.HostClient)) {
	b.Helper()
	u, err := url.Parse(s.urls[0])
	if err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for range 32 {
		all.Go(func() {
			client := &fasthttp.HostClient{Addr: u.Host, MaxConns: 1}
			for left.Add(-1) >= 0 && !b.Failed() {
				do(client)
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// fresh makes n checks of members of their own.
func (s *system) fresh(b *testing.B, t tenant, n int) {
	b.Helper()
	s.each(b, n, func(client *fasthttp.HostClient) {
		id := int(serial.Add(1))
		_, err := timed(client, s.urls[0]+"/eligibility", t.key, fmt.Sprint("live-", id), checkBody(t.office, "-ACTIVE-FULL", id), func(resp *fasthttp.Response) {
			if resp.StatusCode() != fasthttp.StatusOK {
				b.Errorf("a check: %d %s", resp.StatusCode(), resp.Body())
			}
		})
		if err != nil {
			b.Error(err)
		}
	})
}

// batch makes n claims, has them leave in one batch, and returns the time from its cut
// until all of them are paid.
func (s *system) batch(b *testing.B, t tenant, n int) time.Duration {
	b.Helper()
	for _, p := range s.workers {
		p.kill() // nothing is cut meanwhile
	}
	s.each(b, n, func(client *fasthttp.HostClient) {
		id := int(serial.Add(1))
		_, err := timed(client, s.urls[0]+"/claims", t.key, fmt.Sprint("claim-", id), string(claimBody(t.office, claimFates[1], id)), func(resp *fasthttp.Response) {
			var claim struct {
				State string `json:"state"`
			}
			if err := json.Unmarshal(resp.Body(), &claim); err != nil || claim.State != "queued" {
				b.Errorf("a claim: %d %s", resp.StatusCode(), resp.Body())
			}
		})
		if err != nil {
			b.Error(err)
		}
	})
	before := s.count("SELECT count(*) FROM batches")
	begun := time.Now()
	kills(s.workers...).restart()
	await(b, "the payment of each claim", func() bool {
		return s.count(`SELECT count(*) FROM claims WHERE state <> 'paid'`) == 0
	})
	took := time.Since(begun)
	if cut := s.count("SELECT count(*) FROM batches") - before; cut != 1 {
		b.Errorf("%d batches were cut", cut)
	}
	return took
}
