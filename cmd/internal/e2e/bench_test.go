package e2e_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// BenchmarkService measures the separate binaries, with RabbitMQ and
// PostgreSQL on the same machine as the load, and prints each figure with its
// ratio to the commits a second that pgbench reaches on the same PostgreSQL
// in the same run. Absolute figures are noise; ratios can be compared.
func BenchmarkService(b *testing.B) {
	for b.Loop() {
		s := startSystem(b, 1, 1)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "figure\tmeasured\tratio\taim")
		base := s.pgbench(b)
		_, _ = fmt.Fprintf(w, "pgbench, single-row inserts, 32 clients\t%.0f/s\t\t(baseline)\n", base)

		profiles := s.profile(b, "checks", 8)
		fresh := s.measure(b, 32, 10*time.Second, "fresh")
		profiles()
		_, _ = fmt.Fprintf(w, "fresh checks, 32 connections\t%.0f/s, p50 %s, p99 %s\t1/%.1f\t>= 700/s and 1/25\n", fresh.rate, fresh.p50, fresh.p99, base/fresh.rate)
		_, _ = fmt.Fprintf(w, "resident memory of the API under it\t%d MB\t\t<= 80 MB\n", resident(b, s.apis[0])>>20)
		hits := s.measure(b, 32, 5*time.Second, "hit")
		_, _ = fmt.Fprintf(w, "cache hits, 32 connections\t%.0f/s, p99 %s\t1/%.1f\t>= 1500/s\n", hits.rate, hits.p99, base/hits.rate)
		replays := s.measure(b, 32, 5*time.Second, "replay")
		_, _ = fmt.Fprintf(w, "replays, 32 connections\t%.0f/s, p99 %s\t1/%.1f\t>= 3000/s\n", replays.rate, replays.p99, base/replays.rate)
		one := s.measure(b, 1, 5*time.Second, "fresh")
		_, _ = fmt.Fprintf(w, "fresh checks, one connection\tp50 %s, p99 %s\t\tp50 <= 8ms, p99 <= 30ms\n", one.p50, one.p99)
		first, deep := s.pages(b)
		_, _ = fmt.Fprintf(w, "page of GET /eligibility in 1,000,000 rows\tfirst %s, at depth 100,000 %s\t%.2f x\t<= 1.5 x\n", first, deep, float64(deep)/float64(first))
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(fresh.rate, "fresh/s")
		b.ReportMetric(hits.rate, "hits/s")
		b.ReportMetric(replays.rate, "replays/s")
	}
}

// pgbench returns the commits a second of single-row inserts.
func (s *system) pgbench(b *testing.B) float64 {
	b.Helper()
	if _, err := s.db.Exec("CREATE TABLE baseline (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz DEFAULT now(), note text)"); err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(b.TempDir(), "insert.sql")
	if err := os.WriteFile(script, []byte("INSERT INTO baseline (note) VALUES ('one row');\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	return s.play(b, nil, "-f", script, "-T", "5")
}

// play runs pgbench with 32 clients and returns the scripts that it plays in a
// second.
func (s *system) play(b *testing.B, env []string, args ...string) float64 {
	b.Helper()
	bin := "pgbench"
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench"); len(found) > 0 {
		bin = found[len(found)-1]
	}
	cmd := exec.Command(bin, append(append([]string{"-n", "-c", "32", "-j", "2"}, args...), s.postgres.URL())...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	found := regexp.MustCompile(`tps = ([0-9.]+)`).FindSubmatch(out)
	if err != nil || found == nil {
		b.Fatalf("pgbench: %v\n%s", err, out)
	}
	tps, _ := strconv.ParseFloat(string(found[1]), 64)
	return tps
}

// profile writes CPU profiles of the binaries to the folder named by
// MOLAR_BENCH_PROFILES, if any, while the next measurement runs, which is what.
func (s *system) profile(b *testing.B, what string, seconds int) (wait func()) {
	b.Helper()
	dir := os.Getenv("MOLAR_BENCH_PROFILES")
	if dir == "" {
		return func() {}
	}
	var all sync.WaitGroup
	named := map[string]*process{"api": s.apis[0], "payerworker": s.workers[0]}
	if len(s.pngs) > 0 {
		named["pngworker"] = s.pngs[0]
	}
	for name, p := range named {
		all.Go(func() {
			_, body, err := fasthttp.GetTimeout(nil, fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", p.opsURL(), seconds), time.Minute)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, what+"-"+name+".pprof"), body, 0o600)
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	return all.Wait
}

type figures struct {
	rate           float64
	mean, p50, p99 time.Duration
}

var serial atomic.Int64

// measure runs checks of one kind over some connections for a while.
func (s *system) measure(b *testing.B, connections int, span time.Duration, sort string) figures {
	b.Helper()
	return s.measureOf(b, []tenant{{s.office, s.key}}, connections, span, sort)
}

// measureOf is measure with connections that belong to the organizations in turn.
func (s *system) measureOf(b *testing.B, of []tenant, connections int, span time.Duration, sort string) figures {
	b.Helper()
	u, err := url.Parse(s.urls[0])
	if err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	var took []time.Duration
	one := func(t tenant, client *fasthttp.HostClient, key, body string, replayed bool) time.Duration {
		took, err := timed(client, s.urls[0]+"/eligibility", t.key, key, body, func(resp *fasthttp.Response) {
			if resp.StatusCode() != 200 || (string(resp.Header.Peek("idempotent-replayed")) == "true") != replayed {
				b.Errorf("%s: %d %s", sort, resp.StatusCode(), resp.Body())
			}
		})
		if err != nil {
			b.Error(err)
		}
		return took
	}
	known := checkBody(of[0].office, "-ACTIVE-FULL", 0)
	warm := &fasthttp.HostClient{Addr: u.Host}
	one(of[0], warm, fmt.Sprint("warm-", serial.Add(1)), known, false)
	replayKey := fmt.Sprint("replay-", serial.Add(1))
	one(of[0], warm, replayKey, known, false)

	start := time.Now()
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() {
			t := of[i%len(of)]
			client := &fasthttp.HostClient{Addr: u.Host, MaxConns: 1}
			var mine []time.Duration
			for time.Since(start) < span && !b.Failed() {
				n := serial.Add(1)
				switch sort {
				case "fresh":
					mine = append(mine, one(t, client, fmt.Sprint("bench-", n), checkBody(t.office, "-ACTIVE-FULL", int(n)), false))
				case "hit":
					mine = append(mine, one(of[0], client, fmt.Sprint("bench-", n), known, false))
				case "replay":
					mine = append(mine, one(of[0], client, replayKey, known, true))
				}
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	all.Wait()
	elapsed := time.Since(start)
	if len(took) == 0 {
		b.FailNow()
	}
	return summary(took, elapsed)
}

// timed sends a request, a GET without a body, and shows the reply to look. It
// returns how long the reply took.
func timed(client interface {
	Do(req *fasthttp.Request, resp *fasthttp.Response) error
}, target, key, idempotencyKey, body string, look func(*fasthttp.Response),
) (time.Duration, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(target)
	req.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		req.Header.SetMethod("POST")
		req.Header.SetContentType("application/json")
		req.Header.Set("Idempotency-Key", idempotencyKey)
		req.SetBodyString(body)
	}
	start := time.Now()
	err := client.Do(req, resp)
	took := time.Since(start)
	if err == nil {
		look(resp)
	}
	return took, err
}

// summary summarizes the times of requests.
func summary(took []time.Duration, elapsed time.Duration) figures {
	slices.Sort(took)
	var sum time.Duration
	for _, t := range took {
		sum += t
	}
	return figures{
		float64(len(took)) / elapsed.Seconds(), sum / time.Duration(len(took)),
		took[len(took)/2].Round(10 * time.Microsecond), took[len(took)*99/100].Round(10 * time.Microsecond),
	}
}

// resident returns the largest resident memory that a process has had, in
// bytes.
func resident(tb testing.TB, p *process) int {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(v)[0])
			return kb << 10
		}
	}
	tb.Fatal("no VmHWM")
	return 0
}

// pages fills the list to a million rows and compares the medians of the first
// page and of one at depth 100,000.
func (s *system) pages(b *testing.B) (first, deep time.Duration) {
	b.Helper()
	_, err := s.db.Exec(`INSERT INTO eligibility_checks (id, org_id, mode, office_id, payer_id, payer_code, payer_name, state, outcome, request_id,
			idempotency_key, created_at, digest, inquiry, network, completed_at, coverage_status, benefits)
		SELECT gen_random_uuid(), c.org_id, c.mode, c.office_id, c.payer_id, c.payer_code, c.payer_name, c.state, c.outcome, gen_random_uuid(),
			'fill-' || n, c.created_at - n * interval '1 second', sha256(n::text::bytea), c.inquiry, c.network, c.completed_at, c.coverage_status, c.benefits
		FROM (SELECT * FROM eligibility_checks WHERE outcome = 'answered' LIMIT 1) AS c,
			generate_series(1, 1000000 - (SELECT count(*) FROM eligibility_checks)) AS n`)
	if err == nil {
		_, err = s.db.Exec("VACUUM ANALYZE eligibility_checks")
	}
	if err != nil {
		b.Fatal(err)
	}
	client := &fasthttp.Client{}
	page := func(cursor string, limit int) (next string, took time.Duration) {
		target := s.urls[0] + "/eligibility?limit=" + strconv.Itoa(limit) + cursor
		took, err := timed(client, target, s.key, "", "", func(resp *fasthttp.Response) {
			found := regexp.MustCompile(`"next_cursor":"([^"]+)"`).FindSubmatch(resp.Body())
			if resp.StatusCode() != 200 || found == nil {
				b.Fatalf("page: %d %s", resp.StatusCode(), resp.Body())
			}
			next = "&cursor=" + string(found[1])
		})
		if err != nil {
			b.Fatal(err)
		}
		return next, took
	}
	cursor := ""
	for range 1000 {
		cursor, _ = page(cursor, 100)
	}
	read := func(cursor string) time.Duration {
		return median(300, func() time.Duration { _, took := page(cursor, 25); return took }).Round(10 * time.Microsecond)
	}
	return read(""), read(cursor)
}
