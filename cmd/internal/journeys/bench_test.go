package journeys_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-rod/rod"
)

// fillClaims creates as many claims of a practice as $2: most were sent, some wait, and
// each has two services. It creates them without their triggers, because the list of
// claims does not read what these write.
const fillClaims = `
INSERT INTO claims (id, org_id, mode, kind, state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id,
	patient_id, subscriber, place_of_service, prior_authorization, note, lines, first_service_date, last_service_date,
	request_id, created_at, updated_at, sent_at, payer_claim_number)
SELECT gen_random_uuid(), o.org_id, 'test', 'claim', (ARRAY['submitted', 'accepted_clearinghouse', 'accepted_payer', 'validated'])[n % 4 + 1],
	'original', 'PCN-' || n, o.id, o.id, '60054', 'Aetna Dental', o.id, md5('patient' || n % 200000)::uuid,
	json_build_object('FirstName', 'Ada', 'LastName', 'Byron ' || n, 'DateOfBirth', '1985-12-10', 'MemberID', 'M' || n),
	'11', '', '', '[{"ProcedureCode": "D2740", "ServiceDate": "2026-05-04", "Fee": 120000, "Quantity": 1, "Tooth": "14"}, {"ProcedureCode": "D0120", "ServiceDate": "2026-05-04", "Fee": 6000, "Quantity": 1}]',
	'2026-05-04', '2026-05-04', gen_random_uuid(), at, at, CASE WHEN n % 4 = 3 THEN NULL ELSE at + interval '15 min' END, ''
FROM (SELECT id, org_id FROM offices WHERE org_id = (SELECT org_id FROM users WHERE email = $1) AND mode = 'test') o,
	generate_series(1, $2::int) n, LATERAL (SELECT now() - n * interval '1 min' AS at) a`

// BenchmarkClaims opens the list of an organization with a million claims, as a link
// does, in a browser that has been there before. A list is ready when it shows its
// rows and the counts of its tabs, and the page has time for a click. It counts the
// requests to which the service has replied by then.
func BenchmarkClaims(b *testing.B) {
	practice := newPractice(b)
	page := practice.signsIn("biller")
	began := time.Now()
	practice.s.sql(b, "ALTER TABLE claims DISABLE TRIGGER USER")
	practice.s.sql(b, fillClaims, practice.email("biller"), 1_000_000)
	practice.s.sql(b, "ALTER TABLE claims ENABLE TRIGGER USER")
	b.Logf("filled in %s", time.Since(began).Round(time.Second))
	practice.s.sql(b, "VACUUM ANALYZE claims")
	page.onLoad(`new MutationObserver((_, observer) => {
		if (document.querySelectorAll(".table tbody tr").length < 50 || !document.querySelector(".tab .count")) return
		observer.disconnect()
		requestAnimationFrame(() => setTimeout(() => {
			const requests = performance.getEntriesByType("resource").filter((e) => e.name.includes("/api/")).length
			window.ready = [performance.now(), requests]
		}))
	}).observe(document, { childList: true, subtree: true })`)
	var took []float64
	var requests int
	for b.Loop() {
		took = took[:0]
		for range 100 {
			page.open("/test/claims")
			page.until("the list", func(r *rod.Page) error {
				now, err := r.Eval("() => window.ready ?? []")
				if err != nil {
					return err
				}
				ready := now.Value.Arr()
				if len(ready) == 0 {
					return errors.New("is not ready")
				}
				took, requests = append(took, ready[0].Num()), max(requests, ready[1].Int())
				return nil
			})
		}
	}
	report(b, took)
	b.ReportMetric(float64(requests), "requests")
}

// BenchmarkEvent measures from the time of an event, at which its transaction began,
// until the list of events shows it.
func BenchmarkEvent(b *testing.B) {
	practice := newPractice(b)
	page := practice.signsIn("biller")
	page.onLoad(`window.shown = {}
	new MutationObserver(() => {
		for (const row of document.querySelectorAll(".table tbody tr")) {
			const claim = row.textContent.match(/clm_[0-9A-Z]{26}/)?.[0], at = row.querySelector("time")
			if (claim && at) window.shown[claim] ??= Date.now() - Date.parse(at.dateTime)
		}
	}).observe(document, { childList: true, subtree: true })`)
	page.open("/test/developers/events")
	page.sees("API key created")
	var took []float64
	for b.Loop() {
		took = took[:0]
		for range 100 {
			claim := practice.claims("Sam", "W1", nil, aFilling())
			page.until("the event", func(r *rod.Page) error {
				after, err := r.Eval("(claim) => window.shown[claim] ?? 0", claim)
				if err == nil && after.Value.Num() == 0 {
					err = errors.New("is not shown")
				}
				if err == nil {
					took = append(took, after.Value.Num())
				}
				return err
			})
		}
	}
	report(b, took)
}

// report reports milliseconds.
func report(b *testing.B, took []float64) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "p50-ms")
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
	b.ReportMetric(took[len(took)-1], "max-ms")
	b.ReportMetric(0, "ns/op")
}
