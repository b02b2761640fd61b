package e2e_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"
)

// BenchmarkFresh measures fresh checks against the floor: the statements of one
// check, played by pgbench on the same server in the same run.
func BenchmarkFresh(b *testing.B) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "fresh checks, 32 connections\tp50, p99\tprocessor\tcommits a check\tone connection, p50\tcommits a check\tpgbench floor\tof the floor\tsingle-row inserts")
	for b.Loop() {
		s := startSystem(b, 1, 1)
		s.measure(b, 32, 3*time.Second, "fresh") // the first statistics, plans and connections
		commits, used := s.commits(b), cpu(b)
		profiles := s.profile(b, "checks", 8)
		many := s.measure(b, 32, 10*time.Second, "fresh")
		profiles()
		took := cpu(b).since(used, many.rate*10)
		perCheck := commits() / (many.rate * 10)
		one := s.measure(b, 1, 5*time.Second, "fresh")
		alone := commits() / (one.rate * 5)
		floor := s.floor(b)
		_, _ = fmt.Fprintf(w, "%.0f/s\t%s, %s\t%s\t%.2f\t%s\t%.2f\t%.0f/s\t%.2f\t1/%.1f\n", many.rate, many.p50, many.p99, took, perCheck,
			one.p50, alone, floor, many.rate/floor, s.pgbench(b)/many.rate)
		b.ReportMetric(many.rate, "fresh/s")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFreshPair compares fresh checks, and claims that are entered, with those of a pair.
func BenchmarkFreshPair(b *testing.B) {
	figures := []struct {
		name        string
		connections int
	}{{"one connection", 1}, {"32 connections", 32}} // the second leaves the faster system with more rows
	for b.Loop() {
		p := startPair(b)
		for _, s := range p.systems {
			s.measure(b, 32, 5*time.Second, "fresh")
		}
		p.header("fresh checks")
		for _, f := range figures {
			p50s := map[*system][]float64{}
			ratio := p.compare(b, f.name, 24, func(s *system) float64 {
				got := s.measure(b, f.connections, 2*time.Second, "fresh")
				p50s[s] = append(p50s[s], float64(got.p50.Microseconds()))
				return got.rate
			})
			before, now := middle(p50s[p.systems[0]]), middle(p50s[p.systems[1]])
			fmt.Printf("    p50 %.0f µs, %.0f µs, %.3f\n", before, now, now/before)
			name := strings.ReplaceAll(f.name, " ", "-")
			b.ReportMetric(ratio, name)
			b.ReportMetric(now/before, name+"-p50")
		}
		p.header("claims that are entered")
		ratio := p.compare(b, "8 connections", 12, func(s *system) float64 { return s.enters(b, 8, 2*time.Second) })
		b.ReportMetric(ratio, "claims-8-connections")
	}
}

// enters returns how many claims connections enter in a second. They are submitted, and no
// process sends them.
func (s *system) enters(b *testing.B, connections int, span time.Duration) float64 {
	b.Helper()
	var all sync.WaitGroup
	var entered atomic.Int64
	start := time.Now()
	for range connections {
		all.Go(func() {
			client := &fasthttp.Client{MaxConnsPerHost: 1}
			for time.Since(start) < span && !b.Failed() {
				n := int(serial.Add(1))
				body := claimBody(s.office, claimEnding{payer: "60054", kind: "claim", ending: "-PAID-ERA"}, n)
				if _, err := timed(client, s.urls[0]+"/claims", s.key, fmt.Sprint("claim-", n), string(body), func(resp *fasthttp.Response) {
					if resp.StatusCode() != 201 {
						b.Errorf("%d %s", resp.StatusCode(), resp.Body())
					}
				}); err != nil {
					b.Error(err)
				}
				entered.Add(1)
			}
		})
	}
	all.Wait()
	return float64(entered.Load()) / time.Since(start).Seconds()
}

// commits begins to count the transactions that the server commits. It returns
// a function that returns their number since its last call, without those of an
// idle system.
func (s *system) commits(b *testing.B) func() float64 {
	b.Helper()
	committed := func() (int, time.Time) {
		time.Sleep(11 * time.Second) // an idle session reports its last transactions after 10 s
		return s.count("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"), time.Now()
	}
	idle, from := committed()
	before, begun := committed()
	perSecond := float64(before-idle) / begun.Sub(from).Seconds()
	return func() float64 {
		after, ended := committed()
		n := float64(after-before) - perSecond*ended.Sub(begun).Seconds()
		before, begun = after, ended
		return n
	}
}

// floor returns the checks a second that pgbench reaches with their statements.
func (s *system) floor(b *testing.B) float64 {
	b.Helper()
	var v struct{ org, office, payer, inquiry, benefits, shown, exchanges, data, name string }
	if err := s.db.QueryRow(`
SELECT c.org_id, c.office_id, c.payer_id, c.inquiry, c.benefits, c.shown, encode(c.exchanges, 'hex'), e.data, p.name_key
FROM eligibility_checks c JOIN events e ON e.resource_id = c.id JOIN patients p ON p.id = c.patient_id
WHERE c.outcome = 'answered'
LIMIT 1`).Scan(&v.org, &v.office, &v.payer, &v.inquiry, &v.benefits, &v.shown, &v.exchanges, &v.data, &v.name); err != nil {
		b.Fatal(err)
	}
	settings := "PGOPTIONS=-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c jit=off"
	return s.play(b, []string{settings}, "-M", "prepared", "-f", "testdata/floor.sql", "-T", "10", "-D", "n=0",
		"-D", "org="+v.org, "-D", "office="+v.office, "-D", "payer="+v.payer, "-D", "inquiry="+v.inquiry, "-D", "benefits="+v.benefits,
		"-D", "exchanges="+v.exchanges, "-D", "shown="+v.shown, "-D", "data="+v.data, "-D", "name_key="+v.name)
}

// usage is processor time by command.
type usage map[string]time.Duration

// cpu returns the processor time of the processes started by this test,
// including those that ended and were waited for. The kernel counts the time of a process
// in ticks of 10 ms by who runs at a tick, and processes that wake for a moment do so
// at ticks. Their schedules are exact.
func cpu(tb testing.TB) usage {
	tb.Helper()
	parents, names, used := map[int]int{}, map[int]string{}, map[int]time.Duration{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		begin, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')') // the name may hold anything
		fields := strings.Fields(string(text[end+1:]))
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		names[pid] = string(text[begin+1 : end])
		parents[pid], _ = strconv.Atoi(fields[1])
		for _, f := range fields[13:15] { // of those that it waited for
			ticks, _ := strconv.Atoi(f)
			used[pid] += time.Duration(ticks) * 10 * time.Millisecond
		}
		threads, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "task", "*", "schedstat"))
		for _, thread := range threads {
			text, _ := os.ReadFile(thread)
			ran, _, _ := strings.Cut(string(text), " ")
			ns, _ := strconv.ParseInt(ran, 10, 64)
			used[pid] += time.Duration(ns)
		}
	}
	all := usage{}
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p == os.Getpid() {
				all[names[pid]] += used[pid]
				break
			}
		}
	}
	return all
}

// since returns the processor time of one of n checks after an earlier reading:
// in all, and by the commands that used most.
func (u usage) since(before usage, n float64) string {
	var parts []string
	var sum time.Duration
	for _, name := range slices.Sorted(maps.Keys(u)) {
		each := time.Duration(float64(u[name]-before[name]) / n).Round(10 * time.Microsecond)
		if sum += each; each >= 100*time.Microsecond {
			parts = append(parts, fmt.Sprintf("%s %s", name, each))
		}
	}
	return fmt.Sprintf("%s (%s)", sum, strings.Join(parts, ", "))
}
