package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

const canary = "ISA*Sentinelname~"

// files is a database with one of each stored file, all with the canary as
// content, a remittance with a claim, and a claim with all fields of later
// states.
type files struct {
	url   string
	store *pgstore.Store
	in    billing.Scope
	claim *claim.Claim
	batch *clearing.Batch
	era   *remit.ERA
	held  *quarantine.File // of no organization
	own   *quarantine.File
}

func filedUp(t *testing.T) files {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	f := files{url: pgtest.URL(t), in: scope(), claim: newClaim()}
	f.store = pgtest.OpenAt(t, f.url)
	day, money := billing.Date{Year: 2026, Month: 5, Day: 4}, billing.Money(12345)
	f.batch = clearing.NewBatch(f.in, "sandbox", 7, 1, billing.RealAt(now), now)
	f.era = &remit.ERA{
		ID: billing.NewID[billing.ERAID](billing.RealAt(now)), State: remit.NeedsReview, Origin: clearing.FileFromImport, PayerName: "P", Stage: remit.Applying, ReceivedAt: now,
		Warnings:            []remit.WarningCode{remit.WarnEnvelopeCounts},
		Payment:             remit.Payment{Method: "ACH", TraceNumber: "T", Date: day, Total: money, ProviderAdjustmentsTotal: money},
		ProviderAdjustments: []remit.ProviderAdjustment{{ProviderID: "1", Reason: "WO", Reference: "R", PeriodEnd: day, Amount: money}},
		Balance:             remit.Balance{Findings: []remit.BalanceFinding{{Level: "line", Claim: 1, ControlNumber: "A", Line: 1, Segment: 2, Expected: 1, Stated: 2, Off: 1, Explanation: "x"}}},
		File:                clearing.FileRef{Name: "f", ControlNumbers: clearing.ControlNumbers{Interchange: "1", Group: "2", Transaction: "3"}},
	}
	f.held = &quarantine.File{ID: billing.NewID[billing.FileID](billing.RealAt(now)), Scope: billing.Scope{Mode: billing.ModeTest}, Origin: clearing.FileFromNetwork, Name: "q", Cause: quarantine.Unplaced, Content: []byte(canary), ReceivedAt: now}
	f.own = &quarantine.File{
		ID: billing.NewID[billing.FileID](billing.RealAt(now)), Scope: f.in, Origin: clearing.FileFromImport, Name: "o", Cause: quarantine.Unplaced, Content: []byte(canary), ReceivedAt: now,
		Payment: &quarantine.Payment{PayeeNPI: "1"},
	}
	f.claim.Findings = []claim.Finding{{Code: "c", Field: "f", Message: "m", Fix: "x"}}
	f.claim.BatchID, f.claim.SentAt = f.batch.ID, now
	f.claim.Standing = &claim.Standing{
		Outcome: remit.OutcomePaid, ERAID: f.era.ID, PaymentDate: day, Paid: money, Allowed: &money, PatientResponsibility: money,
		Contractual: money, NotPaid: money, Capped: true, Exceeds: true,
	}
	f.claim.History = []claim.Move{{State: claim.Paid, At: now, Cause: claim.TriggerPay, File: "f", By: "usr", Note: "n"}}
	posted := &remit.Claim{
		Ordinal: 1, ControlNumber: "A", PayerClaimNumber: "P", Original: "O", StatusCode: "1", Charge: money, Paid: money, Allowed: &money,
		PatientResponsibility: &money, PatientFirstName: "A", PatientLastName: "B", MemberID: "M", ServiceDates: billing.DateSpan{From: day, To: day}, Date: day,
		CorrectedPatient: &remit.CorrectedPatient{FirstName: "A", LastName: "B", MemberID: "M"}, CrossoverPayer: &remit.CrossoverPayer{Name: "C", ID: "X"},
		Balanced: true, Adjustments: []remit.Adjustment{{Group: "CO", Reason: "45", Amount: money, Quantity: "1"}}, Remarks: []string{"N1"},
		Lines:         []remit.Line{{ControlNumber: "1", ProcedureCode: "D2740", SubmittedCode: "D2750", ServiceDate: day, Charge: money, Paid: money, Allowed: &money, Units: "1"}},
		ClaimProgress: remit.ClaimProgress{Status: remit.StatusApplied, ClaimID: f.claim.ID, AppliedAt: now},
	}
	porttest.In(t, f.store, f.in, func(ctx context.Context, tx ports.Tx) error {
		_, err1 := tx.Batches.Insert(ctx, f.batch, []byte(canary))
		_, err2 := tx.ERAs.Insert(ctx, f.era, [32]byte{1}, []byte(canary))
		stored, err3 := tx.Acknowledgements.Keep(ctx, clearing.IncomingFile{Name: "a", Content: []byte(canary)}, []byte(canary), now)
		err4 := tx.Acknowledgements.Link(ctx, f.batch.ID, stored, clearing.Acknowledgement999)
		_, err5 := tx.Quarantine.Insert(ctx, f.own)
		return errors.Join(err1, err2, err3, err4, err5, tx.RemittanceClaims.Insert(ctx, f.era.ID, []*remit.Claim{posted}), tx.Claims.Insert(ctx, f.claim))
	})
	porttest.System(t, f.store, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Quarantine.Insert(ctx, f.held)
		return err
	})
	mail := f.store.SandboxMail()
	if err := mail.Put(t.Context(), []sandboxnet.MailFile{{IncomingFile: clearing.IncomingFile{Scope: f.in, Name: "m", Content: []byte(canary)}, Due: now}}); err != nil {
		t.Fatal(err)
	}
	if _, err := mail.Remember(t.Context(), []sandboxnet.Note{{Key: [32]byte{1}, By: "m", Content: []byte(canary)}}); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFilesAreEncrypted searches all columns for the content, and decrypts it
// with another key, and in another row.
func TestFilesAreEncrypted(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	db := admin(t, f.url)
	for _, table := range []string{"batches", "eras", "acknowledgements", "quarantine", "sandbox_mail", "sandbox_notes"} {
		stored := scan[[]byte](t, db, "SELECT content FROM "+table)
		if bytes.Contains(stored, []byte("Sentinel")) || len(stored) < len(canary) || stored[0] != 2 {
			t.Errorf("%s: stored as %q", table, stored)
		}
		if text := scan[string](t, db, "SELECT to_json(t)::text FROM "+table+" t"); strings.Contains(text, "Sentinel") {
			t.Errorf("%s: in clear in %s", table, text)
		}
	}
	if excerpt := scan[[]byte](t, db, "SELECT excerpt FROM acknowledgements"); bytes.Contains(excerpt, []byte("Sentinel")) || len(excerpt) < len(canary) {
		t.Errorf("excerpt: stored as %q", excerpt)
	}
	read := func(s *pgstore.Store) map[string]error {
		out := map[string]error{}
		opened := func(what string, content []byte, err error) {
			if err == nil && string(content) != canary {
				t.Errorf("%s: opened as %q", what, content)
			}
			out[what] = err
		}
		_ = s.View(t.Context(), f.in, func(ctx context.Context, tx ports.Tx) error {
			content, err := tx.Batches.Content(ctx, f.batch.ID)
			opened("batch", content, err)
			content, err = tx.ERAs.Content(ctx, f.era.ID)
			opened("remittance", content, err)
			return nil
		})
		_ = s.System(t.Context(), func(ctx context.Context, tx ports.SystemTx) error {
			q, err := tx.Quarantine.Get(ctx, f.held.ID)
			if q == nil {
				q = &quarantine.File{}
			}
			opened("quarantine", q.Content, err)
			return nil
		})
		got, err := s.SandboxMail().Take(t.Context(), time.Now().Add(time.Hour), 0, 1)
		if len(got) == 0 {
			got = make([]clearing.IncomingFile, 1)
		}
		opened("mail", got[0].Content, err)
		return out
	}
	for what, err := range read(f.store) {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	exec(t, db, "DELETE FROM encryption_key; DELETE FROM data_keys")
	other := pgtest.OpenAt(t, f.url, func(o *pgstore.Options) { o.Keys = [][32]byte{{9}} })
	for what, err := range read(other) {
		if err == nil {
			t.Errorf("%s: another key opened it", what)
		}
	}
	exec(t, db, `UPDATE batches SET content = (SELECT content FROM eras);
		UPDATE eras SET content = (SELECT content FROM quarantine WHERE org_id IS NULL);
		UPDATE quarantine SET content = (SELECT content FROM sandbox_mail);
		UPDATE sandbox_mail SET content = (SELECT content FROM acknowledgements)`)
	for what, err := range read(f.store) {
		if err == nil {
			t.Errorf("%s: the content of another row opened", what)
		}
	}
}

// TestRawSQLAboutFiles queries without any condition, with either role.
func TestRawSQLAboutFiles(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	db := admin(t, f.url)
	exec(t, db, "UPDATE claims SET state = 'queued', batch_id = NULL")
	reaches(t, db, f.in, 1,
		"SELECT 1 FROM batches", "SELECT 1 FROM eras FOR UPDATE", "SELECT 1 FROM era_claims", "SELECT 1 FROM acknowledgements",
		"SELECT 1 FROM batch_acknowledgements", "SELECT 1 FROM quarantine FOR UPDATE", "DELETE FROM quarantine", "SELECT content FROM sandbox_mail",
		"UPDATE batches SET result = ''", "UPDATE eras SET claim_count = 0", "UPDATE era_claims SET status = 'ignored'", "UPDATE claims SET note = ''",
	)
	forbidden(t, db, f.in, map[string][]string{
		"molar_app": {
			"UPDATE batches SET content = ''", "UPDATE batches SET name = 'x'", "DELETE FROM batches", "UPDATE eras SET content = ''", "UPDATE eras SET identity = ''",
			"DELETE FROM eras", "UPDATE era_claims SET detail = '{}'", "DELETE FROM era_claims", "UPDATE acknowledgements SET name = ''", "DELETE FROM acknowledgements",
			"UPDATE quarantine SET reason = ''", "UPDATE quarantine SET name = ''", "UPDATE batch_acknowledgements SET number = 2", "DELETE FROM batch_acknowledgements", "UPDATE sandbox_mail SET due = now()", "DELETE FROM sandbox_mail", "SELECT 1 FROM sandbox_notes", "UPDATE claims SET kind = kind", "UPDATE claims SET created_at = now()",
			"UPDATE claims SET parent_id = NULL", "SELECT setval('file_serials', 1)",
		},
		"molar_system": {
			"SELECT content FROM batches", "UPDATE batches SET state = 'sent'", "SELECT 1 FROM eras", "SELECT 1 FROM era_claims", "SELECT 1 FROM acknowledgements",
			"SELECT 1 FROM batch_acknowledgements", "SELECT note FROM claims", "SELECT lines FROM claims", "UPDATE claims SET state = 'draft'", "UPDATE quarantine SET reason = ''",
			"UPDATE sandbox_mail SET name = ''", "INSERT INTO offices (id) VALUES (NULL)",
		},
	})
	// Across scopes only waiting claims are visible.
	for update, want := range map[string]int64{
		"state = 'queued', batch_id = NULL": 1, "state = 'submitted', batch_id = NULL": 0, "state = 'queued', batch_id = id": 0,
	} {
		exec(t, db, "UPDATE claims SET "+update)
		if n, err := as(t, db, "molar_system", billing.Scope{}, "SELECT id FROM claims"); err != nil || n != want {
			t.Errorf("%s: %d claims are seen, %v, want %d", update, n, err, want)
		}
	}
}

// TestInvalidFilesAreRefused changes good rows into bad ones.
func TestInvalidFilesAreRefused(t *testing.T) {
	t.Parallel()
	db := admin(t, filedUp(t).url)
	invalid(t, db,
		"UPDATE batches SET state = 'sent'", "UPDATE batches SET sent_at = now()", "UPDATE batches SET result = 'accepted'", "UPDATE batches SET state = 'other'",
		"UPDATE batches SET state = 'acknowledged', acknowledged_at = now(), sent_at = now()", "UPDATE batches SET name = ''",
		"UPDATE batches SET state = 'acknowledged', result = 'accepted'",
		"UPDATE eras SET state = 'posted'", "UPDATE eras SET posted_at = now()", "UPDATE eras SET state = 'other'", "UPDATE eras SET stage = 'other'",
		"UPDATE eras SET received_at = NULL", "UPDATE eras SET identity = ''", "UPDATE sandbox_mail SET content = NULL", "UPDATE sandbox_mail SET removed_at = now()",
		"UPDATE eras SET source = 'other'", "UPDATE quarantine SET source = 'other'", "UPDATE batch_acknowledgements SET kind = 'other'",
		"UPDATE era_claims SET status = 'other'", "UPDATE era_claims SET claim_id = NULL", "UPDATE era_claims SET applied_at = NULL",
	)
	for _, query := range []string{
		"UPDATE batches SET state = 'sent', sent_at = now()", "UPDATE batches SET state = 'acknowledged', acknowledged_at = now(), result = 'rejected'",
		"UPDATE eras SET stage = 'reading'", "UPDATE eras SET stage = 'done', state = 'posted', posted_at = now()",
	} {
		exec(t, db, query)
	}
}

// TestStoredFormOfClaims guards the names in the JSON columns.
func TestStoredFormOfClaims(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	db := admin(t, f.url)
	money := billing.Money(12345)
	f.claim.ID, f.claim.PatientControlNumber, f.claim.Kind, f.claim.State = billing.NewID[billing.ClaimID](billing.RealAt(time.Now())), "B", claim.KindPredetermination, claim.Returned
	f.claim.Estimate = &remit.ClaimEstimate{
		ERAID: f.era.ID, Allowed: &money, Pay: money, Patient: money, ReturnedAt: f.era.ReceivedAt,
		Lines: []remit.LineEstimate{{Number: 1, Allowed: &money, Pay: money, Patient: money}},
	}
	porttest.In(t, f.store, f.in, func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Insert(ctx, f.claim) })
	got := stored(t, db, "SELECT findings FROM claims WHERE kind = 'claim'", "SELECT standing FROM claims WHERE kind = 'claim'",
		"SELECT history FROM claims WHERE kind = 'claim'", "SELECT estimate FROM claims WHERE kind = 'predetermination'",
		"SELECT detail FROM eras", "SELECT detail FROM era_claims")
	golden(t, "stored_form_claims.json", strings.NewReplacer(f.era.ID.String(), "era_ID", f.era.ReceivedAt.Format(time.RFC3339Nano), "TIME").Replace(got))
}

// TestSandboxForgets removes old data of the sandbox.
func TestSandboxForgets(t *testing.T) {
	t.Parallel()
	f := filedUp(t)
	db, mail := admin(t, f.url), f.store.SandboxMail()
	put := func() {
		t.Helper()
		if err := mail.Put(t.Context(), []sandboxnet.MailFile{{IncomingFile: clearing.IncomingFile{Name: "m", Content: []byte(canary)}, Due: time.Now()}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := mail.Remove(t.Context(), "m"); err != nil {
		t.Fatal(err)
	}
	for days, want := range map[string]int{"6": 0, "8": 1} {
		exec(t, db, "UPDATE sandbox_mail SET content = NULL, removed_at = now() - "+days+" * interval '1 day'")
		put()
		if n := scan[int](t, db, "SELECT count(*) FROM sandbox_mail WHERE removed_at IS NULL"); n != want {
			t.Errorf("%s days after it was removed, a name is kept %d times, want %d", days, n, want)
		}
	}
}
