package pgstore_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
)

// fillClaims creates claims of one organization, one every ten minutes: nine in
// ten of kind claim, sent a quarter of an hour later. Of the first claims,
// 20,000 were sent on one day long after all were created, which is the worst
// case for a list in the order of creation.
const fillClaims = `
INSERT INTO claims (id, org_id, mode, kind, state, frequency, patient_control_number, office_id, payer_id, payer_code, payer_name, provider_id,
	patient_id, subscriber, place_of_service, prior_authorization, note, lines, first_service_date, last_service_date,
	request_id, created_at, updated_at, sent_at, payer_claim_number)
SELECT made(n, 1), made(3, 9), 'test', CASE WHEN n % 10 = 9 THEN 'predetermination' ELSE 'claim' END,
	CASE WHEN n % 100 = 99 THEN 'accepted_payer' WHEN n % 1000 = 7 THEN 'rejected' ELSE (ARRAY['submitted', 'accepted_clearinghouse', 'accepted_payer', 'validated'])[n % 4 + 1] END,
	'original', 'PCN-' || n, made(n % 20, 2), made(n % 50, 3), '60054', 'Aetna Dental', made(n % 30, 4), made(n % 200000, 5),
	json_build_object('FirstName', 'Ada', 'LastName', 'Byron ' || n, 'DateOfBirth', '1985-12-10', 'MemberID', 'M' || n, 'Address', json_build_object('Line1', n || ' Main St', 'City', 'Austin', 'State', 'TX', 'ZIP', '78701')),
	'11', '', '', '[{"ProcedureCode": "D2740", "ServiceDate": "2026-05-04", "Fee": 120000, "Quantity": 1, "Tooth": "14"}, {"ProcedureCode": "D0120", "ServiceDate": "2026-05-04", "Fee": 6000, "Quantity": 1}]',
	served, served, made(n, 6), '2007-01-01'::timestamptz + n * interval '10 min', '2007-01-01'::timestamptz + n * interval '10 min',
	CASE WHEN n % 4 = 3 THEN NULL WHEN n <= 30000 THEN '2030-01-01'::timestamptz + n * interval '1 s' ELSE '2007-01-01'::timestamptz + n * interval '10 min' + interval '15 min' END,
	CASE WHEN n % 2 = 0 THEN 'PAYER' || n ELSE '' END
FROM generate_series($1::int, $2::int) n
CROSS JOIN LATERAL (
	SELECT CASE WHEN n % 10 = 9 THEN NULL WHEN n <= 30000 THEN '2030-01-01'::date ELSE ('2007-01-01'::timestamptz + n * interval '10 min')::date END AS served
) s`

// fillPatients creates as many patients as claims, the first fifth of which have them. A
// tenth are called Smith. Each was checked.
const fillPatients = `
INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at)
SELECT made(n, 5), made(3, 9), 'test', n, (ARRAY['Ann', 'Bob', 'Cy', 'Dee', 'Eve', 'Zoë'])[n % 6 + 1] || chr(97 + n / 7 % 26),
	CASE WHEN n % 10 = 7 THEN 'Smith' ELSE initcap(substr(md5(n::text), 1, 6)) END, '1940-01-01'::date + n % 25000, '2007-01-01'::timestamptz + n * interval '1 min'
FROM generate_series(0, $1) n;
INSERT INTO patient_words (org_id, mode, word, patient_id, names)
SELECT DISTINCT org_id, mode, word, id, names
FROM patients
CROSS JOIN patient_names(first_name, last_name) names
CROSS JOIN string_to_table(replace(names, ',', ''), ' ') word
WHERE word <> '';
INSERT INTO check_members SELECT made(3, 9), 'test', 'C' || n, made(n, 5) FROM generate_series(0, $1) n`

func inStates(all ...claim.State) []claim.State { return all }

func dayOf(t time.Time) billing.Date {
	return billing.Date{Year: t.Year(), Month: t.Month(), Day: t.Day()}
}

const madeID = `CREATE FUNCTION made(n int, kind int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT (lpad(to_hex(kind), 8, '0') || lpad(to_hex(n), 24, '0'))::uuid $$`

// fillMany fills the tables without their triggers and indexes, and then counts the
// totals and makes the indexes, which takes a tenth of the time.
func fillMany(tb testing.TB, url string, rows, step int) {
	tb.Helper()
	db := admin(tb, url)
	var indexes pq.StringArray
	if err := db.QueryRowContext(tb.Context(), `
SELECT array_agg(indexdef) FROM pg_indexes i
WHERE tablename IN ('claims', 'patients', 'patient_words', 'check_members') AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conname = i.indexname)`,
	).Scan(&indexes); err != nil {
		tb.Fatal(err)
	}
	name := regexp.MustCompile(`INDEX (\w+) ON`)
	for _, text := range indexes {
		exec(tb, db, "DROP INDEX "+name.FindStringSubmatch(text)[1])
	}
	exec(tb, db, madeID+`;
ALTER TABLE claims DISABLE TRIGGER USER;
ALTER TABLE patients DISABLE TRIGGER USER`)
	var fill sync.WaitGroup
	fill.Go(func() {
		exec(tb, db, strings.ReplaceAll(fillPatients, "$1", strconv.Itoa(rows)))
	})
	for from := 1; from <= rows; from += step {
		exec(tb, db, strings.NewReplacer("$1", strconv.Itoa(from), "$2", strconv.Itoa(min(from+step-1, rows))).Replace(fillClaims))
	}
	fill.Wait()
	exec(tb, db, recount)
	exec(tb, db, `
INSERT INTO organizations VALUES (made(3, 9), 'Many', now());
INSERT INTO offices SELECT made(n, 2), made(3, 9), 'test', 'Office ' || n, '', '', '', '', '', '', '', '', '', now() FROM generate_series(0, 19) n;
INSERT INTO providers SELECT made(n, 4), made(3, 9), 'test', 'Ada', 'Byron', '1234567893', '', now() FROM generate_series(0, 29) n`)
	for _, text := range indexes {
		exec(tb, db, "SET maintenance_work_mem = '1GB'; "+text)
	}
	exec(tb, db, `
ALTER TABLE claims ENABLE TRIGGER USER;
ALTER TABLE patients ENABLE TRIGGER USER`)
	exec(tb, db, "VACUUM ANALYZE claims, patients, patient_words, check_members, offices, providers, claim_totals")
}

// sampled runs a transaction up to 300 times, within five seconds, and reports its
// latency and the number of rows that it returns.
func sampled(b *testing.B, run func() (found int, err error)) {
	b.Helper()
	var took []time.Duration
	var found int
	for b.Loop() {
		took = took[:0]
		for until := time.Now().Add(5 * time.Second); len(took) < 300 && time.Now().Before(until); {
			began := time.Now()
			var err error
			if found, err = run(); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(found), "rows")
	b.ReportMetric(0, "ns/op")
}

// added waits until the store has added all changes to the totals. Services do so
// every two seconds; after a fill they need longer.
func added(b *testing.B, url string) {
	b.Helper()
	for db := admin(b, url); ; time.Sleep(100 * time.Millisecond) {
		var waiting bool
		if err := db.QueryRowContext(b.Context(), "SELECT EXISTS (SELECT FROM claim_changes)").Scan(&waiting); err != nil {
			b.Fatal(err)
		}
		if !waiting {
			return
		}
	}
}

// BenchmarkMillionClaims lists the claims of an organization with a million,
// with each filter: the first page, and one 100,000 claims down.
func BenchmarkMillionClaims(b *testing.B) {
	const rows, depth = 1_000_000, 100_000
	url := pgtest.URL(b)
	began := time.Now()
	fillMany(b, url, rows, 100_000)
	b.Logf("filled in %s", time.Since(began).Round(time.Second))
	s := pgtest.OpenAt(b, url)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	made := func(n int) time.Time { return time.Date(2007, 1, 1, 0, 10*n, 0, 0, time.UTC) }
	day := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name string
		f    claim.Filter
		deep time.Time // a cursor after about 100,000 claims of the list; zero when it has fewer
	}{
		{"kind", claim.Filter{}, made(rows - depth*10/9)},
		{"state", claim.Filter{States: inStates(claim.Submitted)}, made(rows - depth*40/9)},
		{"a rare state", claim.Filter{States: inStates(claim.Rejected)}, time.Time{}},
		{"office", claim.Filter{OfficeID: pgstore.Number(4, 2)}, made(rows / 4)},
		{"payer", claim.Filter{PayerID: pgstore.Number(4, 3)}, made(rows / 4)},
		{"office and state", claim.Filter{OfficeID: pgstore.Number(4, 2), States: inStates(claim.Submitted)}, made(rows / 4)},
		{"office and payer", claim.Filter{OfficeID: pgstore.Number(4, 2), PayerID: pgstore.Number(4, 3)}, made(rows / 4)},
		{"office and a rare state", claim.Filter{OfficeID: pgstore.Number(7, 2), States: inStates(claim.Rejected)}, made(rows / 4)},
		{"office and no such state", claim.Filter{OfficeID: pgstore.Number(7, 2), States: inStates(claim.Denied)}, time.Time{}},
		{"created", claim.Filter{CreatedAfter: made(rows / 10), CreatedBefore: made(rows * 9 / 10)}, made(rows*9/10 - depth*10/9)},
		{"sent in a day", claim.Filter{SentFrom: made(rows / 2), SentTo: made(rows/2 + 144)}, time.Time{}},
		{"sent in a month", claim.Filter{SentFrom: made(rows / 2), SentTo: made(rows/2 + 4320)}, time.Time{}},
		{"sent in years", claim.Filter{SentFrom: made(rows / 10), SentTo: made(rows * 9 / 10)}, made(rows*9/10 - depth*40/27)},
		{"sent since", claim.Filter{SentFrom: made(rows / 10)}, made(rows - depth*40/27)},
		{"sent before", claim.Filter{SentTo: made(rows * 9 / 10)}, made(rows*9/10 - depth*40/27)},
		{"sent in a month, one office", claim.Filter{SentFrom: made(rows / 2), SentTo: made(rows/2 + 4320), OfficeID: pgstore.Number(4, 2)}, time.Time{}},
		{"sent late, few", claim.Filter{SentFrom: day, SentTo: day.Add(time.Hour)}, time.Time{}},
		{"sent late, many, the worst case", claim.Filter{SentFrom: day, SentTo: day.AddDate(0, 0, 1)}, time.Time{}},
		{"states", claim.Filter{States: inStates(claim.Submitted, claim.Rejected, claim.Denied)}, made(rows - depth*40/9)},
		{"office and states", claim.Filter{OfficeID: pgstore.Number(7, 2), States: inStates(claim.Rejected, claim.Denied)}, time.Time{}},
		{"served in a month", claim.Filter{ServiceFrom: dayOf(made(rows / 2)), ServiceTo: dayOf(made(rows/2 + 4320))}, time.Time{}},
		{"served in years", claim.Filter{ServiceFrom: dayOf(made(rows / 10)), ServiceTo: dayOf(made(rows * 9 / 10))}, made(rows*9/10 - depth*10/9)},
		{"served late, many, the worst case", claim.Filter{ServiceFrom: dayOf(day)}, time.Time{}},
		{"patient", claim.Filter{PatientID: [16]byte{3: 5, 15: 7}}, time.Time{}},
		{"batch", claim.Filter{BatchID: [16]byte{3: 8, 15: 7}}, time.Time{}},
		{"request", claim.Filter{RequestID: [16]byte{3: 6, 13: 7, 14: 0xa1, 15: 0x20}}, time.Time{}},
		{"control number", claim.Filter{ControlNumber: "pcn-500000"}, time.Time{}},
	} {
		if !test.f.Single() {
			test.f.Kind = claim.KindClaim
		}
		pages := map[string]*billing.Position{"first": nil}
		if !test.deep.IsZero() {
			pages["deep"] = &billing.Position{Time: test.deep, ID: pgstore.Number(0, 1)}
		}
		for name, after := range pages {
			b.Run(test.name+", "+name, func(b *testing.B) {
				sampled(b, func() (found int, err error) {
					err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
						page, err := tx.Claims.List(ctx, test.f, billing.Page{Limit: billing.DefaultPageLimit, After: after})
						found = len(page)
						return err
					})
					return found, err
				})
			})
		}
	}
	for name, f := range map[string]claim.Filter{
		"all": {}, "office": {OfficeID: pgstore.Number(4, 2)}, "served in a month": {ServiceFrom: dayOf(made(rows / 2)), ServiceTo: dayOf(made(rows/2 + 4320))},
		"served in years": {ServiceFrom: dayOf(made(rows / 10))}, "sent in years": {SentFrom: made(rows / 10)},
	} {
		f.Kind = claim.KindClaim
		b.Run("counts, "+name, func(b *testing.B) {
			sampled(b, func() (found int, err error) {
				err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
					counts, err := tx.Claims.Count(ctx, f)
					found = len(counts)
					return err
				})
				return found, err
			})
		})
	}
	benchTasks(b, s, url, in)
	benchReports(b, s, url, in)
	b.Run("summary", func(b *testing.B) {
		added(b, url)
		sampled(b, func() (found int, err error) {
			err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
				today := billing.DateOf(tx.Clock.Now())
				totals, err1 := tx.Totals.Claims(ctx, today)
				_, err2 := tx.Totals.Waiting(ctx)
				_, err3 := tx.Totals.PayerRequests(ctx)
				_, err4 := tx.Totals.Checks(ctx, today)
				_, err5 := tx.Endpoints.List(ctx)
				found = len(totals.States)
				return errors.Join(err1, err2, err3, err4, err5)
			})
			return found, err
		})
	})
	for _, text := range []string{
		"smith", "s", "ann smith", "smith, zoea", "q x", "annx smith", "an smi", "bo smit", "d4", "1984-02-29", "smith 1984-02-29", "M500000", "PCN-500000", "SANDBOX-PAID", "a b c d", "M50", "C500000", "C50", "smith 2/29/84",
	} {
		what := billing.ParseSearch(text)
		b.Run("search patients, "+text, func(b *testing.B) {
			sampled(b, func() (found int, err error) {
				err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
					ids, _, err := tx.Patients.Search(ctx, what)
					if err != nil {
						return err
					}
					page, err := tx.Patients.Read(ctx, ids, billing.Page{Limit: billing.DefaultPageLimit})
					found = len(page)
					return err
				})
				return found, err
			})
		})
		b.Run("search claims, "+text, func(b *testing.B) {
			sampled(b, func() (found int, err error) {
				err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
					ids, _, err := tx.Patients.Search(ctx, what)
					if err != nil {
						return err
					}
					page, _, err := tx.Claims.Search(ctx, what, ids, billing.Page{Limit: billing.DefaultPageLimit})
					found = len(page)
					return err
				})
				return found, err
			})
		})
	}
}
