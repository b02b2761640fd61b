package pgstore_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// fillLedgers creates remittances of 300 claims each. Of a hundred claims two are
// unmatched and one needs review; the others are applied. Every claim has two.
const fillLedgers = `
INSERT INTO eras (id, org_id, mode, state, payer_id, payer_code, payer_name, payment_date, detail, balanced, claim_count, matched_count,
	applied_count, needs_review_count, unmatched_count, ignored_count, forwarded_count, needs_attention, stated_payer, trace_number, stage, identity,
	received_at, posted_at, content)
SELECT made(n, 7), made(3, 9), 'test', 'needs_review', made(n % 50, 3), '60054', 'Aetna Dental', '2026-01-01'::date + n / 100, '{}', true, 300, 297,
	294, 3, 3, 0, 0, n % 20 = 0, 'AETNA', 'TRACE' || n, 'done', sha256(n::text::bytea), '2007-01-01'::timestamptz + n * interval '20 h', NULL, ''
FROM generate_series($1::int / 300, $2::int / 300 - 1) n;
INSERT INTO era_claims (era_id, ordinal, org_id, mode, status, claim_id, matched_by, review, warnings, sequence, line_numbers, applied_at, balanced, detail)
SELECT made(n / 300, 7), n % 300 + 1, made(3, 9), 'test', CASE WHEN n % 100 < 2 THEN 'unmatched' WHEN n % 100 = 2 THEN 'needs_review' ELSE 'applied' END,
	CASE WHEN n % 100 >= 2 THEN made(n % ($3 / 2), 1) END, 'control_number', '', '{}', 'primary', '{1,2}', now(), true,
	json_build_object('Ordinal', n % 300 + 1, 'ControlNumber', 'PCN-' || n, 'PayerClaimNumber', 'PAYER' || n, 'Original', '', 'StatusCode', '1', 'Charge', 126000, 'Paid', 90000,
		'PatientFirstName', 'Ada', 'PatientLastName', 'Byron', 'MemberID', 'M' || n, 'Date', '2026-05-04', 'Balanced', true, 'Lines', '[
		{"ControlNumber": "1", "ProcedureCode": "D2740", "ServiceDate": "2026-05-04", "Charge": 120000, "Paid": 85000, "Allowed": 100000, "Units": "1", "Adjustments": [{"Group": "CO", "Reason": "45", "Amount": 20000}, {"Group": "PR", "Reason": "2", "Amount": 15000}]},
		{"ControlNumber": "2", "ProcedureCode": "D0120", "ServiceDate": "2026-05-04", "Charge": 6000, "Paid": 5000, "Allowed": 5000, "Units": "1", "Adjustments": [{"Group": "CO", "Reason": "45", "Amount": 1000}]}]'::json)
FROM generate_series($1::int, $2::int - 1) n`

// BenchmarkMillionClaimsOfRemittances runs the statements that apply a remittance,
// and its lists, with a million remittance claims for half as many claims.
func BenchmarkMillionClaimsOfRemittances(b *testing.B) {
	const rows, chunk = 1_200_000, 300
	url := pgtest.URL(b)
	began := time.Now()
	fillMany(b, url, rows/2, 100_000)
	db := admin(b, url)
	for from := 0; from < rows; from += rows / 10 {
		exec(b, db, strings.NewReplacer("$1", strconv.Itoa(from), "$2", strconv.Itoa(from+rows/10), "$3", strconv.Itoa(rows)).Replace(fillLedgers))
	}
	exec(b, db, "VACUUM ANALYZE eras, era_claims")
	b.Logf("filled in %s", time.Since(began).Round(time.Second))
	s := pgtest.OpenAt(b, url)
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	numbered := func(n int, kind byte) (id [16]byte) {
		return [16]byte{3: kind, 13: byte(n >> 16), 14: byte(n >> 8), 15: byte(n)}
	}
	at := 0
	claims := func(n int) (all []billing.ClaimID) {
		for range n {
			at = (at + 7919) % (rows / 2)
			all = append(all, numbered(at, 1))
		}
		return all
	}
	numbers := func(n, every int) (control, payer []string) {
		for range n {
			at = (at + 7919) % (rows / every)
			control, payer = append(control, "pcn-"+strconv.Itoa(at*every)), append(payer, "PAYER"+strconv.Itoa(at*every))
		}
		return control, payer
	}
	for name, run := range map[string]func(ctx context.Context, tx ports.Tx) (int, error){
		"ledger of one claim": func(ctx context.Context, tx ports.Tx) (int, error) {
			l, err := tx.RemittanceClaims.Ledger(ctx, claims(1))
			return len(l), err
		},
		"ledgers of 300 claims": func(ctx context.Context, tx ports.Tx) (int, error) {
			l, err := tx.RemittanceClaims.Ledger(ctx, claims(chunk))
			return len(l), err
		},
		"unmatched, a new claim": func(ctx context.Context, tx ports.Tx) (int, error) {
			control, payer := numbers(1, 1)
			ids, err := tx.RemittanceClaims.Unmatched(ctx, control, payer)
			return len(ids), err
		},
		"unmatched, 300 found": func(ctx context.Context, tx ports.Tx) (int, error) {
			control, payer := numbers(chunk, 100)
			ids, err := tx.RemittanceClaims.Unmatched(ctx, control, payer)
			return len(ids), err
		},
		"needs attention": func(ctx context.Context, tx ports.Tx) (int, error) {
			l, err := tx.ERAs.List(ctx, remit.Filter{NeedsAttention: new(true)}, billing.Page{Limit: billing.DefaultPageLimit})
			return len(l), err
		},
		"match again, and save what became of 300": func(ctx context.Context, tx ports.Tx) (int, error) {
			at = (at + 7) % (rows / chunk)
			era := billing.ERAID(numbered(at, 7))
			if _, err := tx.RemittanceClaims.Again(ctx, era); err != nil {
				return 0, err
			}
			all, err := tx.RemittanceClaims.List(ctx, era, 0, chunk)
			if err != nil {
				return 0, err
			}
			for _, r := range all {
				if r.Status == remit.StatusPending {
					r.Status = remit.StatusUnmatched
				}
			}
			return len(all), tx.RemittanceClaims.Save(ctx, era, all)
		},
	} {
		b.Run(name, func(b *testing.B) {
			sampled(b, func() (found int, err error) {
				err = s.InTx(b.Context(), in, func(ctx context.Context, tx ports.Tx) (err error) {
					found, err = run(ctx, tx)
					return err
				})
				return found, err
			})
		})
	}
}
