package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
	"github.com/molar-billing/molar/ports"
)

// fillFigures gives an organization the figures of a million claims of four years: one in twelve
// is open, one in six of the others leaves something to the patient, and one in 25 is refused.
const fillFigures = `
INSERT INTO claim_figures (claim_id, org_id, mode, office_id, payer_id, provider_id, state, created_at, sent_at, served_on, decided_on, first_pass,
	open, owed, paid, contractual, write_off, billed, other, refused)
SELECT made(n, 1), made(3, 9), 'test', made(n % 20, 2), made(n % 50, 3), made(n % 30, 4), CASE WHEN n % 12 = 0 THEN 'accepted_payer' ELSE 'reconciled' END,
	at, at, at::date - 3, CASE WHEN n % 12 > 0 THEN at::date + n % 40 END, n % 12 > 0 AND n % 10 > 0, CASE WHEN n % 12 = 0 THEN 12500 + n % 1000 ELSE 0 END,
	CASE WHEN n % 12 > 0 AND n % 6 = 1 THEN 2000 ELSE 0 END, CASE WHEN n % 12 > 0 THEN 8000 + n % 100 ELSE 0 END, CASE WHEN n % 12 > 0 THEN 2500 ELSE 0 END, 0, 0, 0,
	CASE WHEN n % 25 = 3 AND n % 12 > 0 THEN jsonb_build_array(jsonb_build_object('Group', 'CO', 'Reason', n % 40, 'Act', 'appeal', 'Amount', 1000)) END
FROM generate_series(1, 1000000) n CROSS JOIN LATERAL (SELECT '2026-11-20'::timestamptz - n * interval '126 s' AS at) t`

// benchReports reads each report of a quarter and of all time, and the aging, which has no period.
func benchReports(b *testing.B, s *pgstore.Store, url string, in billing.Scope) {
	b.Helper()
	db := admin(b, url)
	exec(b, db, "ALTER TABLE claim_figures DISABLE TRIGGER ALL; "+fillFigures+"; ALTER TABLE claim_figures ENABLE TRIGGER ALL")
	exec(b, db, "VACUUM ANALYZE claim_figures")
	today := billing.Date{Year: 2026, Month: time.November, Day: 20}
	quarter := billing.DateSpan{From: billing.Date{Year: 2026, Month: time.April, Day: 1}, To: billing.Date{Year: 2026, Month: time.June, Day: 30}}
	read := func(name string, rows func(context.Context, ports.Tx) (int, error)) {
		b.Run("report, "+name, func(b *testing.B) {
			sampled(b, func() (found int, err error) {
				err = s.View(b.Context(), in, func(ctx context.Context, tx ports.Tx) error {
					found, err = rows(ctx, tx)
					return err
				})
				return found, err
			})
		})
	}
	for _, group := range []report.Group{report.ByPayer, report.ByProvider} {
		read("aging by "+string(group), func(ctx context.Context, tx ports.Tx) (int, error) {
			found, err := tx.Reports.Aging(ctx, report.Filter{By: report.BySubmission, Group: group}, today)
			return len(found), err
		})
	}
	for name, span := range map[string]billing.DateSpan{"a quarter": quarter, "all time": {}} {
		for _, by := range []report.By{report.ByDecision, report.ByService} {
			f, at := report.Filter{By: by, Group: report.ByPayer, Span: span}, ", "+name+" by "+string(by)
			read("collections"+at, func(ctx context.Context, tx ports.Tx) (int, error) {
				found, err := tx.Reports.Collections(ctx, f)
				return len(found), err
			})
			read("denials"+at, func(ctx context.Context, tx ports.Tx) (int, error) {
				found, err := tx.Reports.Denials(ctx, f)
				return len(found), err
			})
			read("payers"+at, func(ctx context.Context, tx ports.Tx) (int, error) {
				found, err := tx.Reports.Payers(ctx, f)
				return len(found), err
			})
		}
	}
	aging := report.Filter{By: report.BySubmission, Group: report.ByPayer}
	for name, f := range map[string]claim.Filter{
		"of the oldest": aging.InsuranceClaims(report.Subject{ID: pgstore.Number(4, 3)}, report.Ages(today)[4]),
		"of a reason":   report.Filter{By: report.ByDecision, Span: quarter}.RefusedClaims(remit.Refusal{Group: "CO", Reason: "3"}),
	} {
		read("claims "+name, func(ctx context.Context, tx ports.Tx) (int, error) {
			found, err := tx.Claims.List(ctx, f, billing.Page{Limit: billing.DefaultPageLimit})
			return len(found), err
		})
	}
}

// BenchmarkMillionFigures is the part of BenchmarkMillionClaims that needs no claims.
func BenchmarkMillionFigures(b *testing.B) {
	url := pgtest.URL(b)
	exec(b, admin(b, url), madeID)
	benchReports(b, pgtest.OpenAt(b, url), url, billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest})
}
