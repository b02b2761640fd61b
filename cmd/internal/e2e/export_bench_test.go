package e2e_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/valyala/fasthttp"
)

// BenchmarkExport reads 100,000 claims as a file, beside as many read in pages of 100, and the
// memory that the file takes.
func BenchmarkExport(b *testing.B) {
	const many, pages = 100_000, 50
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintln(w, "100,000 claims as a file\tmemory beyond that of a page\ttime of as many in pages of 100")
	s := startSystem(b, 1, 0)
	r, ok := s.insist(b.Context(), "exported", "/claims", "application/json", claimBody(s.office, claimEnding{payer: "60054", kind: "claim"}, 1))
	if !ok {
		b.Fatal(r)
	}
	s.copyClaims(b, many-1)
	for b.Loop() {
		var inPages time.Duration
		cursor := ""
		client := &fasthttp.Client{}
		for range pages {
			each, err := timed(client, s.urls[0]+"/claims?limit=100"+cursor, s.key, "", "", func(resp *fasthttp.Response) {
				_, next, _ := strings.Cut(string(resp.Body()), `"next_cursor":"`)
				next, _, _ = strings.Cut(next, `"`)
				cursor = "&cursor=" + next
			})
			if err != nil || cursor == "&cursor=" {
				b.Fatal(cursor, err)
			}
			inPages += each
		}
		inPages *= many / 100 / pages
		before := resident(b, s.apis[0])
		start := time.Now()
		rows, last := s.export(b, "/claims")
		took := time.Since(start)
		more := resident(b, s.apis[0]) - before
		if last != fmt.Sprintf("# %d rows", many) || rows != many+2 {
			b.Fatalf("%d lines, the last is %q", rows, last)
		}
		_, _ = fmt.Fprintf(w, "%s\t%d MB\t%s (%.2f of it)\n", took.Round(time.Millisecond), more>>20, inPages.Round(time.Millisecond), took.Seconds()/inPages.Seconds())
		b.ReportMetric(took.Seconds()/inPages.Seconds(), "x-of-pages")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}

// copyClaims makes copies of the only claim.
func (s *system) copyClaims(b *testing.B, n int) {
	b.Helper()
	var columns string
	if err := s.db.QueryRow(`
SELECT string_agg(column_name, ', ') FROM information_schema.columns
WHERE table_name = 'claims' AND is_generated = 'NEVER' AND column_name NOT IN ('id', 'patient_control_number', 'created_at')`).Scan(&columns); err != nil {
		b.Fatal(err)
	}
	if _, err := s.db.Exec(fmt.Sprintf(`
INSERT INTO claims (id, patient_control_number, created_at, %[1]s)
SELECT gen_random_uuid(), 'COPY-' || n, created_at - n * interval '1 s', %[1]s FROM claims, generate_series(1, %[2]d) n`, columns, n)); err != nil {
		b.Fatal(err)
	}
	if _, err := s.db.Exec("VACUUM ANALYZE claims"); err != nil {
		b.Fatal(err)
	}
}

// export reads a list as a file, and returns how many lines it has, and the last one.
func (s *system) export(b *testing.B, path string) (lines int, last string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.urls[0]+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Accept", "text/csv")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	for read := bufio.NewScanner(resp.Body); read.Scan(); lines++ {
		last = read.Text()
	}
	return lines, last
}
