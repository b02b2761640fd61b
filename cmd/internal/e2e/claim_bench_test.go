package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// BenchmarkClaimRead reads a claim with 20 adjudications and one without, in turns
// on one connection.
func BenchmarkClaimRead(b *testing.B) {
	const many = 20
	s := startSystem(b, 1, 1, "MOLAR_BATCH_INTERVAL=200ms", "MOLAR_SANDBOX_ERA_DELAY=200ms")
	s.spawn("eraworker", 1)
	s.provide()
	var paths []string
	for n, f := range []claimEnding{{payer: "60054", kind: "claim", ending: "-PAID-ERA", state: "paid"}, {payer: "60054", kind: "claim", state: "accepted_payer"}} {
		r, ok := s.insist(b.Context(), fmt.Sprint("read-", n), "/claims", "application/json", claimBody(s.office, f, n))
		if !ok {
			b.Fatal(r)
		}
		path := "/claims/" + idOf(r)
		await(b, f.state, func() bool { return s.read(path)["state"] == f.state })
		paths = append(paths, path)
	}
	if _, err := s.db.Exec(fmt.Sprintf(`
INSERT INTO era_claims (era_id, ordinal, org_id, mode, claim_id, balanced, detail, status, matched_by, review, warnings, sequence, line_numbers, applied_at)
SELECT era_id, ordinal + n, org_id, mode, claim_id, balanced, detail, status, matched_by, review, warnings, sequence, line_numbers, applied_at
FROM era_claims, generate_series(1, %d) n WHERE status = 'applied'`, many-1)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		took := make([][]time.Duration, len(paths))
		for begun := time.Now(); time.Since(begun) < 10*time.Second; {
			for i, path := range paths {
				each, err := timed(&fasthttp.Client{}, s.urls[0]+path, s.key, "", "", func(resp *fasthttp.Response) {
					if n := strings.Count(string(resp.Body()), `"cancelled_by"`); n != many*(1-i) {
						b.Fatalf("%d adjudications: %s", n, resp.Body())
					}
				})
				if took[i] = append(took[i], each); err != nil {
					b.Fatal(err)
				}
			}
		}
		with, without := middle(took[0]), middle(took[1])
		b.ReportMetric(float64(with.Microseconds()), "µs/with-20")
		b.ReportMetric(float64(without.Microseconds()), "µs/without")
		b.ReportMetric(float64(with)/float64(without), "x-of-one-without")
	}
}
