package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"
)

// BenchmarkReads measures a page of 25 answered checks, cache hits and replays,
// one at a time. With other binaries in the folder MOLAR_BENCH_BASE the two are
// measured in turns of a second, each on servers of its own, and the last line
// is the ratio of their medians.
func BenchmarkReads(b *testing.B) {
	dirs := []string{binaries(b)}
	if base := os.Getenv("MOLAR_BENCH_BASE"); base != "" {
		dirs = []string{base, dirs[0]}
	}
	for b.Loop() {
		var systems []*system
		for _, dir := range dirs {
			s := startSystemOf(b, dir, 1, 1)
			for range 10 { // the first statistics, plans and connections
				s.measure(b, 1, time.Second/5, "fresh")
				s.measure(b, 1, time.Second/5, "hit")
			}
			systems = append(systems, s)
		}
		sorts := []string{"page", "fresh", "hit", "replay"}
		took := make([]map[string][]time.Duration, len(dirs))
		for range 15 {
			for i, s := range systems {
				if took[i] == nil {
					took[i] = map[string][]time.Duration{}
				}
				took[i]["page"] = append(took[i]["page"], s.readPages(b, time.Second))
				for _, sort := range sorts[1:] {
					took[i][sort] = append(took[i][sort], s.measure(b, 1, time.Second/2, sort).p50)
				}
			}
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		_, _ = fmt.Fprintln(w, "binaries\tmedian of "+strings.Join(sorts, "\t"))
		median := func(i int, sort string) time.Duration { return middle(took[i][sort]) }
		for i, dir := range dirs {
			_, _ = fmt.Fprint(w, filepath.Base(dir))
			for _, sort := range sorts {
				_, _ = fmt.Fprintf(w, "\t%s", median(i, sort))
			}
			_, _ = fmt.Fprintln(w)
		}
		if len(dirs) == 2 {
			_, _ = fmt.Fprint(w, "ratio")
			for _, sort := range sorts {
				_, _ = fmt.Fprintf(w, "\t%.2f", float64(median(1, sort))/float64(median(0, sort)))
			}
			_, _ = fmt.Fprintln(w)
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(median(len(dirs)-1, "page").Microseconds()), "µs/page")
	}
}

// readPages reads the newest 25 checks repeatedly on one connection, and
// returns the median.
func (s *system) readPages(b *testing.B, span time.Duration) time.Duration {
	b.Helper()
	client := &fasthttp.Client{}
	var took []time.Duration
	for begun := time.Now(); time.Since(begun) < span; {
		each, err := timed(client, s.urls[0]+"/eligibility?limit=25", s.key, "", "", func(resp *fasthttp.Response) {
			if n := strings.Count(string(resp.Body()), `"outcome":"answered"`); resp.StatusCode() != 200 || n != 25 {
				b.Fatalf("page of %d: %d %s", n, resp.StatusCode(), resp.Body())
			}
		})
		if took = append(took, each); err != nil {
			b.Fatal(err)
		}
	}
	return middle(took)
}
