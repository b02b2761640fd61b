package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// beforeLedger is the last migration of the release that wrote the rows of
// testdata/before_ledger.sql: claims with a list of their payments, and seven
// remittances, some of them half read or half applied.
const beforeLedger = 14

// TestLedgerMigration migrates what the release before wrote. Its user has no
// administrator rights, so row-level security applies. No row, amount or state is
// lost.
func TestLedgerMigration(t *testing.T) {
	t.Parallel()
	url, owner := ordinaryDatabase(t)
	if err := pgstore.MigrateTo(t.Context(), owner, beforeLedger); err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile("testdata/before_ledger.sql")
	if err != nil {
		t.Fatal(err)
	}
	db := admin(t, url)
	exec(t, db, string(rows))
	before := snapshot(t, db, "progress", map[string]string{"claims": "payments", "eras": "progress,matched_count", "era_claims": "applied"})
	if err := pgstore.Migrate(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, db, "stage", map[string]string{
		"claims":     "accepted,accepted_sum,elsewhere,standing,settled_at,coverage,other_coverage,details,secondary_to,secondary_id,member_key,charged,paid_elsewhere,submitted_number,submit_when_ready",
		"eras":       "stage,matched_count,applied_count,needs_review_count,unmatched_count,ignored_count,forwarded_count,needs_attention,stated_payer,trace_number,source,later",
		"era_claims": "status,matched_by,review,warnings,sequence,line_numbers,applied_at,control_key,payer_number,original_number",
	})
	for _, row := range before["era_claims"] {
		lines, _ := row["detail"].(map[string]any)["Lines"].([]any)
		for _, line := range lines {
			line, _ := line.(map[string]any)
			line["ControlNumber"] = fmt.Sprint(line["Number"])
			delete(line, "Number")
		}
	}
	for table, want := range before {
		if len(want) == 0 || len(after[table]) != len(want) {
			t.Errorf("%s has %d rows, had %d", table, len(after[table]), len(want))
		}
		for key, row := range want {
			if !reflect.DeepEqual(after[table][key], row) {
				t.Errorf("%s %s:\n got %v\nwant %v", table, key, after[table][key], row)
			}
		}
	}
	s := pgtest.Open(t, func(o *pgstore.Options) { o.URL = owner })
	in := billing.Scope{Org: pgstore.Number(3, 9), Mode: billing.ModeTest}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(migratedClaims(ctx, t, tx), migratedERAs(ctx, t, tx))
	})
	if totals := porttest.Totals(t, s, in); totals.States[billing.KindClaim][billing.ClaimReconciled] == 0 {
		t.Errorf("the totals have no reconciled claim: %+v", totals.States)
	}
}

// snapshot returns every row by its key, without some columns. The column with the
// stage of a remittance is always named alike.
func snapshot(t *testing.T, db *sql.DB, stage string, without map[string]string) map[string]map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]map[string]any{}
	for table, key := range map[string]string{"claims": "id", "eras": "id", "era_claims": "era_id || ' ' || ordinal"} {
		add := ""
		if table == "eras" {
			add = " || jsonb_build_object('the stage', " + stage + ")"
		}
		text := scan[[]byte](t, db, "SELECT json_object_agg("+key+", to_jsonb(r) - string_to_array('"+without[table]+"', ',')"+add+") FROM "+table+" r")
		var all map[string]map[string]any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		out[table] = all
	}
	return out
}

// migratedClaims checks the figures of the claims: those that the release before
// showed.
func migratedClaims(ctx context.Context, t *testing.T, tx ports.Tx) error {
	t.Helper()
	arrived := func(era int) time.Time { return time.Date(2026, 5, 1+era, 12, 0, 0, 123456000, time.UTC) }
	standing := func(outcome billing.PaymentOutcome, era byte, paid, patient billing.Money, allowed *billing.Money) *billing.ClaimStanding {
		return &billing.ClaimStanding{
			Outcome: outcome, ERAID: pgstore.Number(era, 7), PaymentDate: billing.Date{Year: 2026, Month: 5, Day: 4 + int(era)}, Paid: paid, Allowed: allowed,
			PatientResponsibility: patient,
		}
	}
	for n, want := range map[byte]struct {
		name     string
		standing *billing.ClaimStanding
		settled  time.Time
		review   billing.ERAID
		ledger   string
	}{
		1:  {"paid", standing(billing.OutcomePaid, 1, 15500, 2500, nil), arrived(1), billing.ERAID{}, "1/1 "},
		2:  {"paid and reversed", nil, arrived(2), billing.ERAID{}, "1/2 2/1 "},
		3:  {"denied, then paid", standing(billing.OutcomePaid, 2, 14000, 2500, new(billing.Money(16000))), arrived(2), billing.ERAID{}, "1/3 2/2 "},
		4:  {"paid, reconciled, and paid again", standing(billing.OutcomePaid, 2, 10500, 5000, new(billing.Money(13700))), arrived(2), billing.ERAID{}, "1/4 2/3 "},
		5:  {"never paid, as the file does not add up", nil, time.Time{}, pgstore.Number(3, 7), ""},
		6:  {"paid by half of a remittance", standing(billing.OutcomePaid, 4, 5000, 2500, nil), arrived(4), billing.ERAID{}, "4/1 "},
		7:  {"never paid, as the work was given up", nil, time.Time{}, billing.ERAID{}, ""},
		8:  {"denied", standing(billing.OutcomeDenied, 1, 0, 0, nil), arrived(1), billing.ERAID{}, "1/5 "},
		20: {"estimated", nil, time.Time{}, billing.ERAID{}, "1/6 "},
	} {
		c, err := tx.Claims.Get(ctx, pgstore.Number(n, 1))
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(c.Standing, want.standing) || !c.SettledAt.Equal(want.settled) || c.ReviewERA != want.review {
			t.Errorf("%s: settled %s, to review %v, standing %+v", want.name, c.SettledAt, c.ReviewERA, c.Standing)
		}
		if n == 4 && !c.Unposted() {
			t.Error("the payment after the claim was reconciled is posted")
		}
		entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{c.ID})
		if err != nil {
			return err
		}
		ledger, paid := "", billing.Money(0)
		for _, e := range entries[c.ID] {
			ledger += fmt.Sprintf("%d/%d ", e.ERA.ID[15], e.Ordinal)
			if paid += e.Paid; e.ERA.TraceNumber != "TRACE-"+strconv.Itoa(int(e.ERA.ID[15])) || e.ERA.Arrival != int64(e.ERA.ID[15]) || e.ERA.PayerName == "" {
				t.Errorf("%s: %+v", want.name, e.ERA)
			}
		}
		if ledger != want.ledger {
			t.Errorf("%s: ledger %q, want %q", want.name, ledger, want.ledger)
		}
		if c.Standing == nil && paid != 0 || c.Standing != nil && paid != c.Standing.Paid {
			t.Errorf("%s: the ledger has %v", want.name, paid)
		}
		if now := c.Claim.Ledger(entries[c.ID]).Standing(); c.Kind == billing.KindClaim && (now == nil) != (want.standing == nil) {
			t.Errorf("%s: the ledger stands as %+v", want.name, now)
		}
	}
	return nil
}

// migratedERAs checks what became of the remittances and their claims.
func migratedERAs(ctx context.Context, t *testing.T, tx ports.Tx) error {
	t.Helper()
	var errs []error
	check := func(what string, err error, got, want any) {
		t.Helper()
		if errs = append(errs, err); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	for n, want := range map[byte]struct {
		stage    billing.ERAStage
		matched  int
		progress billing.ERAProgress
		claims   []string
	}{
		1: {billing.ERADone, 6, billing.ERAProgress{Applied: 6}, []string{
			"applied control_number  primary", "applied control_number  secondary", "applied control_number  ", "applied payer_claim_number  primary",
			"applied control_number  primary", "applied control_number  ",
		}},
		2: {billing.ERADone, 3, billing.ERAProgress{Applied: 3}, []string{"applied control_number  ", "applied control_number  primary", "applied control_number  tertiary"}},
		3: {billing.ERADone, 1, billing.ERAProgress{NeedsReview: 1, Unmatched: 2}, []string{
			"unmatched  no_claim primary", "needs_review control_number unbalanced primary", "unmatched  no_claim ",
		}},
		4: {billing.ERAApplying, 3, billing.ERAProgress{Applied: 1}, []string{
			"applied control_number  primary", "pending control_number  primary", "pending payer_claim_number  secondary",
		}},
		5: {billing.ERAReading, 1, billing.ERAProgress{Unmatched: 1}, []string{"pending control_number  tertiary", "unmatched  no_claim primary"}},
		6: {billing.ERADone, 1, billing.ERAProgress{}, []string{"pending control_number  primary"}},
		7: {billing.ERADone, 0, billing.ERAProgress{}, nil},
	} {
		id := billing.ERAID(pgstore.Number(n, 7))
		name := "remittance " + strconv.Itoa(int(n))
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil {
			return err
		}
		check(name, nil, []any{e.Stage, e.MatchedCount, e.Progress, e.Arrival, len(e.Warnings)}, []any{want.stage, want.matched, want.progress, int64(n), 0})
		content, err := tx.ERAs.Content(ctx, id)
		check(name+", content", err, bytes.Equal(content, []byte("ISA*f"+strconv.Itoa(int(n))+".835")), true)
		rows, err := tx.RemittanceClaims.List(ctx, id, 0, 10)
		var became []string
		for _, r := range rows {
			became = append(became, fmt.Sprintf("%s %s %s %s", r.Status, r.MatchedBy, r.Review, r.Sequence))
			if at := (time.Time{}); r.Status == billing.RemitApplied && !r.AppliedAt.Equal(e.ReceivedAt) || r.Status != billing.RemitApplied && r.AppliedAt != at || r.LineNumbers != nil {
				t.Errorf("%s, claim %d: applied at %s, lines %v", name, r.Ordinal, r.AppliedAt, r.LineNumbers)
			}
		}
		check(name+", claims", err, became, want.claims)
	}
	var attention []byte
	list, err := tx.ERAs.List(ctx, billing.ERAFilter{NeedsAttention: new(true)}, billing.Page{Limit: 10})
	for _, e := range list {
		attention = append(attention, e.ID[15])
		if !e.NeedsAttention() {
			t.Errorf("remittance %d needs no attention", e.ID[15])
		}
	}
	check("those that need attention", err, attention, []byte{6, 3, 2})
	next, err := tx.ERAs.Lock(ctx, billing.ERAID{})
	check("the next to do", err, next.ID, billing.ERAID(pgstore.Number(4, 7)))
	found, err := tx.RemittanceClaims.Unmatched(ctx, []string{"UNKNOWN-2", "Unknown-3"}, nil)
	check("unmatched", err, found, []billing.ERAID{pgstore.Number(3, 7), pgstore.Number(5, 7)})
	found, err = tx.RemittanceClaims.Unmatched(ctx, nil, []string{"O-9"})
	check("unmatched, by the original number", err, found, []billing.ERAID{pgstore.Number(3, 7)})
	return errors.Join(errs...)
}
