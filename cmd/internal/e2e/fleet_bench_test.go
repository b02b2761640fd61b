package e2e_test

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// idleSpan is how long an idle fleet is watched: long enough for several of the slowest polls.
const idleSpan = 20 * time.Second

// BenchmarkIdle measures what an api and eight payer workers cost, with their servers,
// without work.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		startSystemOf(b, cmp.Or(os.Getenv("MOLAR_BENCH_BASE"), binaries(b)), 1, 8)
		time.Sleep(idleSpan) // what a start leaves behind
		before := cpu(b)
		time.Sleep(idleSpan)
		after := cpu(b)
		b.ReportMetric(after.sum(before)/1000/idleSpan.Seconds(), "cpu-ms/s")
		fmt.Println("an idle second:", after.since(before, idleSpan.Seconds()))
	}
}

// BenchmarkSlowPayers measures the live checks of one organization whose payers take a
// second, with one payer worker and with four: of the binaries in MOLAR_BENCH_BASE, if any,
// and of those built here, in turns. The rate while all connections wait is that of a service
// that goes on: the other one counts the end, too, when most have their last answer and some wait.
func BenchmarkSlowPayers(b *testing.B) {
	const connections, turns, span = 160, 2, 16 * time.Second
	for b.Loop() {
		sim := startSimulator(b)
		sim.account["core_soap_url"] = late(b, sim.account["core_soap_url"], time.Second)
		built := binaries(b)
		var systems []*system
		for _, dir := range []string{cmp.Or(os.Getenv("MOLAR_BENCH_BASE"), built), built} {
			s := startSystemOf(b, dir, 1, 1)
			o := &operator{s, b.TempDir(), map[string]string{}}
			page := goingLive(b, "sh")
			sim.documents(b, o.dir)
			o.run(page[0])
			o.run(page[1])
			s.key, s.office = o.known["molar"], o.known["off"]
			s.awaitConnections()
			systems = append(systems, s)
		}
		for _, workers := range []int{1, 4} {
			for _, s := range systems {
				s.workers = append(s.workers, s.spawn("payerworker", workers-len(s.workers))...)
				s.measure(b, connections, span/4, "fresh") // the first statistics, plans and connections
			}
			for range turns {
				for _, s := range systems {
					before, begun := cpu(b), time.Now()
					got := s.measure(b, connections, span, "fresh")
					after := cpu(b)
					delete(before, "molar") // the simulator
					delete(after, "molar")
					fmt.Printf("%-12s %d workers: %.1f/s, %.1f/s while all wait, p50 %s, p99 %s, processor time %s\n", filepath.Base(s.dir), workers,
						got.rate, connections/got.mean.Seconds(), got.p50, got.p99, after.since(before, got.rate*time.Since(begun).Seconds()))
				}
			}
		}
	}
}

// BenchmarkFleet compares the fresh checks of one organization over 32 connections with
// those of 32 organizations, and with eight payer workers, in turns. The binaries are those
// in MOLAR_BENCH_BASE, if any.
func BenchmarkFleet(b *testing.B) {
	const connections, turns, span = 32, 6, 3 * time.Second
	for b.Loop() {
		dir := cmp.Or(os.Getenv("MOLAR_BENCH_BASE"), binaries(b))
		few, many := startSystemOf(b, dir, 1, 1), startSystemOf(b, dir, 1, 8)
		var all []tenant
		for i := range connections {
			all = append(all, few.tenant(fmt.Sprint("Dental ", i), "1679576722"))
		}
		rows := []struct {
			name string
			s    *system
			of   []tenant
		}{
			{"one organization", few, []tenant{{few.office, few.key}}},
			{"32 organizations", few, all},
			{"eight workers", many, []tenant{{many.office, many.key}}},
		}
		rates, costs := make([][]float64, len(rows)), make([][]float64, len(rows))
		for turn := range 1 + turns { // the first one warms up
			for i, row := range rows {
				before, begun := cpu(b), time.Now()
				got := row.s.measureOf(b, row.of, connections, span, "fresh")
				if turn > 0 {
					rates[i] = append(rates[i], got.rate)
					costs[i] = append(costs[i], cpu(b).sum(before)/1000/(got.rate*time.Since(begun).Seconds()))
				}
			}
		}
		for i, row := range rows {
			fmt.Printf("%-18s %.0f/s, %.2f of one, processor time %.2f ms\n", row.name, middle(rates[i]), middle(rates[i])/middle(rates[0]), middle(costs[i]))
			b.ReportMetric(middle(rates[i])/middle(rates[0]), strings.ReplaceAll(row.name, " ", "-"))
		}
	}
}

// late forwards connections to the address of a URL, all that is sent there later by a
// delay, and returns the URL of the forwarder.
func late(tb testing.TB, target string, delay time.Duration) string {
	tb.Helper()
	u, err := url.Parse(target)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	to := u.Host
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(from, to, delay)
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

// forward ends when either side closes its connection. The hello of TLS passes at once, so
// that a new connection takes no longer than another.
func forward(from net.Conn, to string, delay time.Duration) {
	defer from.Close() //nolint:errcheck // it is over
	other, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(from, other)
		_ = from.Close()
	}()
	type chunk struct {
		due  time.Time
		data []byte
	}
	chunks := make(chan chunk, 1000)
	go func() {
		defer other.Close() //nolint:errcheck // it is over
		for c := range chunks {
			time.Sleep(time.Until(c.due))
			if _, err := other.Write(c.data); err != nil {
				return
			}
		}
	}()
	defer close(chunks)
	for hello := true; ; hello = false {
		data := make([]byte, 32<<10)
		n, err := from.Read(data)
		if n > 0 {
			due := time.Now()
			if !hello {
				due = due.Add(delay)
			}
			chunks <- chunk{due, data[:n]}
		}
		if err != nil {
			return
		}
	}
}
