package pgstore_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
)

// fillFiles creates 20,000 remittances for ten scopes and the claims of two,
// and 2,000 batches. Some claims wait and others are in a batch.
const fillFiles = `
INSERT INTO eras (id, org_id, mode, state, payer_id, payer_code, payer_name, payment_date, detail, balanced, claim_count, matched_count, progress,
	identity, received_at, posted_at, content)
SELECT made(n, 7), made(n % 10, 9), 'test', CASE WHEN n % 3 = 0 AND n % 500 <> 3 THEN 'posted' ELSE 'needs_review' END, made(n / 10 % 13, 3), '', '',
	'2026-01-01'::date + n / 1440, '{}', true, 1, 1, CASE WHEN n % 500 = 3 THEN 'reading' ELSE 'done' END, sha256(n::text::bytea),
	CASE WHEN n % 500 <> 3 THEN '2026-01-01'::timestamptz + n * interval '1 min' END, CASE WHEN n % 3 = 0 AND n % 500 <> 3 THEN now() END, ''
FROM generate_series(1, 20000) n;
INSERT INTO era_claims (era_id, ordinal, org_id, mode, claim_id, applied, balanced, detail)
SELECT made(n % 2 * 10 + 3, 7), n / 2, made(3, 9), 'test', made(n, 1), n % 100 > 3, true, '{}' FROM generate_series(2, 20001) n;
INSERT INTO batches (id, org_id, mode, state, name, interchange_number, group_number, transaction_number, number, claim_count, result,
	acknowledgement, created_at, content)
SELECT made(n, 8), made(n % 10, 9), 'test', 'pending', n || '.837', n, n, n, n, 1, '', '', '2026-01-01'::timestamptz + n * interval '1 min', ''
FROM generate_series(1, 2000) n;
INSERT INTO sandbox_mail (name, due, content) SELECT 'f' || n, '2026-01-01'::timestamptz + n * interval '1 min', '' FROM generate_series(1, 2000) n;
UPDATE claims SET state = 'queued' WHERE id IN (SELECT made(n * 4 + 3, 1) FROM generate_series(1, 300) n);
UPDATE claims SET batch_id = made(n, 8) FROM (SELECT n, made(n * 4, 1) AS claim FROM generate_series(1, 300) n) b WHERE id = b.claim;
INSERT INTO offices SELECT made(n, 2), made(3, 9), 'test', '', 1000000000 + n, 100000000 + n, '', '', '', '', '', '', '', now(), now() FROM generate_series(20, 2000) n;
ANALYZE claims, offices, eras, era_claims, batches, sandbox_mail`

// claimStatements returns the statements on claims and their files. Names that
// begin with "every scope" run across scopes.
func claimStatements(t *testing.T, in billing.Scope) map[string]statement {
	t.Helper()
	q := pgstore.ListQueries{Scope: in}
	made := func(text string, args []any) statement { return statement{text, args} }
	queued := func(text string, args []any, err error) statement {
		if err != nil {
			t.Fatal(err)
		}
		return statement{text, args}
	}
	at := time.Date(2007, 3, 1, 0, 0, 0, 0, time.UTC)
	var control, payer []string
	for n := range 300 {
		control, payer = append(control, "pcn-"+strconv.Itoa(n*7)), append(payer, "PAYER"+strconv.Itoa(n*11))
	}
	c, other := claim(), claim()
	statements := map[string]statement{
		"similar":                    made(q.Similar(number(7, 5), billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 1}, To: billing.Date{Year: 2026, Month: 5, Day: 9}})),
		"match":                      made(q.Match(control, payer)),
		"queued":                     made(q.Queued([]billing.PayerID{number(2, 3), number(5, 3)}, 5000)),
		"of a batch":                 made(q.OfBatch(number(7, 8))),
		"count sent":                 made(q.CountSent(billing.ClaimFilter{Kind: billing.KindClaim, SentFrom: at, SentTo: at.AddDate(0, 0, 1)})),
		"next remittance":            made(q.NextERA()),
		"remittance claims":          made(q.ERAClaims(number(3, 7), 100, false, 300)),
		"remittance claims to apply": made(q.ERAClaims(number(3, 7), 0, true, 300)),
		"save claims":                queued(q.SaveClaims(t.Context(), c, other)),
		"number events":              queued(q.AppendEvents(t.Context(), event(number(3, 6)), event(number(5, 6)))),
		"offices, NPI":               made(q.OfficesByNPI("1234567893")),
		"offices, tax ID":            made(q.OfficesByTaxID("123456789")),
		"every scope, queued":        {pgstore.QueuedPayers, []any{"test"}},
		"every scope, NPI":           {pgstore.RoutedByNPI, []any{"test", "123456789", "1234567893"}},
		"every scope, tax ID":        {pgstore.RoutedByTaxID, []any{"test", "123456789"}},
		"every scope, batch":         {pgstore.RoutedBatch, []any{"test", pq.StringArray{"7", "8"}, "sandbox"}},
		"every scope, mail":          {pgstore.TakenMail, []any{at, 1000000, 10}},
	}
	first, next := billing.Page{Limit: 25}, billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: number(7, 1)}}
	for name, p := range map[string]billing.Page{"": first, ", next page": next} {
		for filter, f := range map[string]billing.ClaimFilter{
			"kind": {}, "state": {State: billing.ClaimRejected}, "office": {OfficeID: number(2, 2)}, "payer": {PayerID: number(2, 3)},
			"created": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)}, "sent": {SentFrom: at, SentTo: at.AddDate(0, 0, 1)},
			"sent since": {SentFrom: at}, "sent before": {SentTo: at}, "office and state": {OfficeID: number(2, 2), State: billing.ClaimRejected},
		} {
			f.Kind = billing.KindClaim
			statements["claims, "+filter+name] = made(q.Claims(f, p))
			if strings.HasPrefix(filter, "sent") {
				statements["claims, few "+filter+name] = made(q.FewSent(f, p))
			}
		}
		statements["claims, request"+name] = made(q.Claims(billing.ClaimFilter{RequestID: number(3, 6)}, p))
		statements["claims, control number"+name] = made(q.Claims(billing.ClaimFilter{ControlNumber: "pcn-7"}, p))
		for filter, f := range map[string]billing.ERAFilter{
			"all": {}, "state": {State: billing.ERAPosted}, "payer": {PayerID: number(2, 3)}, "received": {ReceivedFrom: at, ReceivedTo: at.AddDate(0, 0, 1)},
			"paid": {PaidFrom: billing.Date{Year: 2026, Month: 1, Day: 2}, PaidTo: billing.Date{Year: 2026, Month: 1, Day: 3}},
		} {
			statements["remittances, "+filter+name] = made(q.ERAs(f, p))
		}
		statements["batches"+name] = made(q.Batches(p))
	}
	return statements
}

// TestClaimPlans checks that the statements on claims and their files use their
// indexes, as the store's connections plan them. Rows to lock are sorted first,
// by ID, and so are the few claims that were sent in a span. No list is sorted,
// except that of the one claim with a control number.
func TestClaimPlans(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	fillMany(t, url, 20_000, 20_000)
	db := admin(t, url)
	exec(t, db, fillFiles)
	in := billing.Scope{Org: number(3, 9), Mode: billing.ModeTest}
	statements := claimStatements(t, in)
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		as := in
		if strings.HasPrefix(name, "every scope") {
			as = billing.Scope{}
		}
		plan := explain(t, db, as, []string{"plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off"}, statements[name])
		list := !strings.Contains(name, "control number") && strings.HasPrefix(name, "claims, ") && !strings.HasPrefix(name, "claims, few") || strings.HasPrefix(name, "remittances") || strings.HasPrefix(name, "batches")
		if strings.Contains(plan, "Seq Scan") || list && strings.Contains(plan, "Sort") {
			t.Errorf("%s:\n%s", name, plan)
		}
		fmt.Fprintf(&got, "== %s\n%s", name, scans(plan))
	}
	golden(t, "claim_plans.txt", got.String())
}
