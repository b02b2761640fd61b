package pgstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

func newClaim() *claim.Claim {
	now := time.Now()
	day := billing.Date{Year: 2026, Month: 5, Day: 4}
	return &claim.Claim{
		ID: billing.NewID[billing.ClaimID](billing.RealAt(now)), Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal,
		PatientControlNumber: "PCN", CreatedAt: now,
		Content: claim.Content{
			OfficeID: billing.NewID[billing.OfficeID](billing.RealAt(now)),
			Payer:    directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now))},
			Subscriber: claim.Subscriber{
				FirstName: "A", LastName: "B", DateOfBirth: day, MemberID: "M", GroupNumber: "G", Gender: claim.GenderFemale,
				Address: directory.Address{Line1: "1", Line2: "2", City: "C", State: "TX", ZIP: "78701"},
			},
			Patient:  &claim.Patient{FirstName: "C", LastName: "D", DateOfBirth: day, Relationship: coverage.RelationChild, Gender: claim.GenderMale},
			Accident: &claim.Accident{Type: "auto", Date: day, State: "TX"},
			Lines: []claim.Line{{
				ProcedureCode: "D2740", ServiceDate: day, Fee: 12345, Quantity: 1, Tooth: "3", Surfaces: []string{"M"}, OralCavity: []string{"10"},
				PriorPlacementDate: day,
			}},
		},
		Progress: claim.Progress{State: claim.Validated, UpdatedAt: now},
	}
}

func payerRequest() *attachment.PayerRequest {
	now := time.Now()
	return &attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](billing.RealAt(now)), State: attachment.PayerRequestOpen, Source: attachment.SourceStaff,
		Payer: directory.PayerSummary{ID: billing.NewID[billing.PayerID](billing.RealAt(now))}, CreatedAt: now,
	}
}

func upload() *attachment.Upload {
	d := image()
	return &attachment.Upload{
		AttachmentID: billing.NewID[billing.AttachmentID](billing.RealAt(time.Now())), Key: "k", Size: 1, State: attachment.UploadPending, CreatedAt: d.CreatedAt,
		Document: attachment.Document{ID: d.ID, Type: d.Type, Medium: d.Medium},
	}
}

// filled returns a database with one row of each: a claim, a payer request, an
// attachment for it, its document and an upload.
func filled(t *testing.T, in billing.Scope) *sql.DB {
	t.Helper()
	url := pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	r, a := payerRequest(), newAttachment()
	a.Kind, a.PayerRequestID = attachment.Solicited, r.ID
	a.About = attachment.Subject{
		Patient:      attachment.Patient{FirstName: "A", LastName: "B", DateOfBirth: billing.Date{Year: 2015, Month: 1, Day: 2}},
		Subscriber:   attachment.Subscriber{FirstName: "C", LastName: "D", MemberID: "M", Relationship: coverage.RelationChild},
		ServiceDates: billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 4}, To: billing.Date{Year: 2026, Month: 5, Day: 6}},
	}
	u := upload()
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error {
		err := errors.Join(tx.Claims.Insert(ctx, newClaim()), tx.PayerRequests.Insert(ctx, r), tx.Attachments.Insert(ctx, a),
			tx.Documents.Insert(ctx, a.ID, image()), tx.Documents.Receive(ctx, u))
		return err
	})
	return admin(t, url)
}

// TestRawSQLOfAnotherScopeReachesNoRow queries without any condition, as a
// mistaken query would.
func TestRawSQLOfAnotherScopeReachesNoRow(t *testing.T) {
	t.Parallel()
	in := scope()
	db := filled(t, in)
	reaches(t, db, in, 1,
		"SELECT 1 FROM claims", "SELECT 1 FROM payer_requests", "SELECT 1 FROM attachments", "SELECT 1 FROM documents", "SELECT 1 FROM uploads",
		"SELECT 1 FROM attachments FOR UPDATE", "SELECT 1 FROM payer_requests FOR UPDATE",
		"UPDATE attachments SET narrative = ''", "UPDATE payer_requests SET state = state", "UPDATE uploads SET state = 'done'",
		"DELETE FROM documents",
	)
	// No row can be inserted into another scope.
	for _, table := range []string{"claims", "payer_requests", "attachments", "documents", "uploads"} {
		columns := scan[string](t, db, `SELECT string_agg(column_name, ', ') FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`, table)
		query := "INSERT INTO " + table + " (" + columns + ") SELECT " + columns + " FROM json_populate_recordset(NULL::" + table +
			", (SELECT json_agg(to_json(t)) FROM " + table + " t))"
		_, err := as(t, db, "molar_app", in, strings.Replace(query, "to_json(t)", `(to_jsonb(t) || '{"mode": "live"}')::json`, 1))
		if !refused(err) {
			t.Errorf("%s: %v, want a refusal", table, err)
		}
	}
}

// TestRolesMayDoNoMoreThanTheyNeed tries statements that no repository uses.
func TestRolesMayDoNoMoreThanTheyNeed(t *testing.T) {
	t.Parallel()
	in := scope()
	db := filled(t, in)
	forbidden(t, db, in, map[string][]string{
		"molar_app": {
			"UPDATE attachments SET about = '{}'", "UPDATE attachments SET claim_id = NULL", "DELETE FROM attachments", "DELETE FROM claims",
			"UPDATE documents SET sha256 = ''", "UPDATE payer_requests SET reference_number = ''", "DELETE FROM payer_requests",
			"DELETE FROM uploads", "SELECT setval('attachment_serials', 1)",
			"INSERT INTO requests SELECT * FROM requests", "UPDATE requests SET status = 500", "DELETE FROM requests",
			"UPDATE audit_entries SET status = 500", "DELETE FROM audit_entries", "TRUNCATE audit_entries", "DELETE FROM audit_resources",
			"UPDATE audit_resources SET resource = ''", "TRUNCATE audit_resources", "UPDATE audit_retention SET keep = '720 hours'",
			"SELECT forget_audit_entries(now())",
		},
		"molar_system": {
			"SELECT * FROM claims", "SELECT narrative FROM attachments", "SELECT requested FROM payer_requests", "SELECT file_name FROM documents",
			"SELECT file_name FROM uploads", "UPDATE uploads SET state = 'done'", "DELETE FROM documents", "SELECT body FROM idempotency_keys",
			"SELECT operation FROM requests", "UPDATE requests SET status = 500",
			"SELECT resource FROM audit_resources", "UPDATE audit_entries SET status = 500", "DELETE FROM audit_entries", "TRUNCATE audit_entries",
			"DELETE FROM audit_resources", "UPDATE audit_resources SET resource = ''", "TRUNCATE audit_resources",
			"UPDATE audit_retention SET keep = '720 hours'", "DELETE FROM audit_retention", "ALTER TABLE audit_entries DISABLE ROW LEVEL SECURITY",
		},
	})
	if n, err := as(t, db, "molar_system", in, "DELETE FROM uploads"); err != nil || n != 0 {
		t.Errorf("%d pending uploads were deleted, %v", n, err)
	}
}

// reaches checks that each query reaches so many rows in the scope, and none in
// other scopes.
func reaches(t *testing.T, db *sql.DB, in billing.Scope, rows int64, queries ...string) {
	t.Helper()
	for _, query := range queries {
		for who, want := range map[billing.Scope]int64{in: rows, {Org: in.Org, Mode: billing.ModeLive}: 0, scope(): 0} {
			if n, err := as(t, db, "molar_app", who, query); err != nil || n != want {
				t.Errorf("%s: %d rows, %v, want %d", query, n, err, want)
			}
		}
	}
}

// forbidden fails unless the role is denied the queries.
func forbidden(t *testing.T, db *sql.DB, in billing.Scope, of map[string][]string) {
	t.Helper()
	for role, queries := range of {
		for _, query := range queries {
			if _, err := as(t, db, role, in, query); !refused(err) {
				t.Errorf("%s, %s: %v, want a refusal", role, query, err)
			}
		}
	}
}

func refused(err error) bool {
	pqErr, ok := errors.AsType[*pq.Error](err)
	return ok && pqErr.Code == "42501"
}

// invalid fails unless each update violates a check.
func invalid(t *testing.T, db *sql.DB, updates ...string) {
	t.Helper()
	for _, query := range updates {
		_, err := db.ExecContext(t.Context(), query)
		if pqErr, ok := errors.AsType[*pq.Error](err); !ok || pqErr.Code != "23514" {
			t.Errorf("%s: %v, want a check violation", query, err)
		}
	}
}

// stored returns the json that queries read, indented.
func stored(t *testing.T, db *sql.DB, queries ...string) string {
	t.Helper()
	var got strings.Builder
	for _, query := range queries {
		b, err := json.MarshalIndent(json.RawMessage(scan[[]byte](t, db, query)), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got.Write(append(b, '\n'))
	}
	return got.String()
}

// as runs a statement as a role with a scope, and rolls it back.
func as(t *testing.T, db *sql.DB, role string, in billing.Scope, query string) (int64, error) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), "SELECT set_config('role', $1, true), set_config('molar.org', $2, true), set_config('molar.mode', $3, true)",
		role, in.Org.UUID(), string(in.Mode)); err != nil {
		t.Fatal(err)
	}
	result, err := tx.ExecContext(t.Context(), query)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// TestInvalidRowsAreRefused changes good rows into bad ones.
func TestInvalidRowsAreRefused(t *testing.T) {
	t.Parallel()
	db := filled(t, scope())
	invalid(t, db,
		"UPDATE attachments SET state = 'closed'",
		"UPDATE attachments SET state = 'closed', closed_at = now()",
		"UPDATE attachments SET state = 'closed', closed_at = now(), number = 'n', sending = id, sending_since = now()",
		"UPDATE attachments SET state = 'other'",
		"UPDATE attachments SET closed_at = now()",
		"UPDATE attachments SET number = ''",
		"UPDATE attachments SET sending = id, sending_since = now()",
		"UPDATE attachments SET sending = id, number = 'n'",
		"UPDATE attachments SET sending_since = now(), number = 'n'",
		"UPDATE attachments SET kind = 'unsolicited'",
		"UPDATE attachments SET kind = 'other'",
		"UPDATE attachments SET payer_request_id = NULL",
		"UPDATE attachments SET kind = 'unsolicited', payer_request_id = NULL, payer_reference = 'r'",
		"UPDATE documents SET medium = 'film'",
		"UPDATE documents SET medium = 'film', image_date = now()",
		"UPDATE documents SET medium = 'film', orientation = 'left'",
		"UPDATE documents SET medium = 'other'",
		"UPDATE documents SET image_date = now()",
		"UPDATE documents SET orientation = 'left'",
		"UPDATE documents SET converted_from = 'gif'",
		"UPDATE documents SET size = 0",
		"UPDATE documents SET sha256 = ''",
		"UPDATE payer_requests SET state = 'answered'",
		"UPDATE payer_requests SET state = 'answered', answered_at = now()",
		"UPDATE payer_requests SET answering_attachment_id = id",
		"UPDATE payer_requests SET source = 'other'",
		"UPDATE uploads SET state = 'refused'",
		"UPDATE uploads SET state = 'other'",
		"UPDATE uploads SET refusal = '{}'",
		"UPDATE claims SET state = 'other'",
		"UPDATE claims SET state = 'returned'",
		"UPDATE claims SET kind = 'predetermination', state = 'paid'",
		"UPDATE claims SET kind = 'other'",
		"UPDATE claims SET frequency = 'void'",
		"UPDATE claims SET frequency = 'other'",
		"UPDATE claims SET parent_id = id",
		"UPDATE claims SET patient_control_number = ''",
		"UPDATE claims SET last_service_date = NULL",
		"UPDATE claims SET kind = 'predetermination', reconciled_at = now()",
		"UPDATE claims SET estimate = '{}'",
		"UPDATE claims SET converted_to = id",
	)
	for _, query := range []string{
		"UPDATE attachments SET number = 'n', sending = id, sending_since = now()",
		"UPDATE attachments SET state = 'closed', closed_at = now(), sending = NULL, sending_since = NULL",
		"UPDATE documents SET medium = 'film', image_date = now(), orientation = 'right', converted_from = 'png'",
		"UPDATE payer_requests SET state = 'answered', answered_at = now(), answering_attachment_id = id",
		"UPDATE uploads SET state = 'refused', refusal = '{}'",
		"UPDATE claims SET state = 'paid', standing = '{}', reconciled_at = now()",
		"UPDATE claims SET kind = 'predetermination', state = 'returned', reconciled_at = NULL, estimate = '{}', converted_to = id",
	} {
		exec(t, db, query)
	}
}

// TestConflictsHoldNoValues violates the unique keys that callers see.
func TestConflictsHoldNoValues(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	const secret = "Sentinelname"
	request := billing.NewID[billing.PayerRequestID](billing.RealAt(time.Now()))
	solicited := func() *attachment.Attachment {
		a := newAttachment()
		a.Kind, a.PayerRequestID, a.Narrative = attachment.Solicited, request, secret
		return a
	}
	named := func() *claim.Claim {
		c := newClaim()
		c.PatientControlNumber, c.Subscriber.LastName = secret, secret
		return c
	}
	holder := newAttachment()
	file := func() *attachment.Document {
		d := image()
		d.SHA256, d.FileName = [32]byte{1}, secret
		return d
	}
	for name, fn := range map[string]func(context.Context, ports.Tx) error{
		"an open attachment": func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Attachments.Insert(ctx, solicited()), tx.Attachments.Insert(ctx, solicited()))
		},
		"a control number": func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Claims.Insert(ctx, named()), tx.Claims.Insert(ctx, named()))
		},
		"an image": func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Attachments.Insert(ctx, holder), tx.Documents.Insert(ctx, holder.ID, file()), tx.Documents.Insert(ctx, holder.ID, file()))
		},
	} {
		err := s.InTx(t.Context(), scope(), fn)
		if billing.CodeOf(err) != billing.CodeConflict || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, want a conflict that holds no values", name, err)
		}
	}
}

// TestStoredFormOfAttachments guards the names in the JSON columns, like
// TestStoredForm.
func TestStoredFormOfAttachments(t *testing.T) {
	t.Parallel()
	in, url := scope(), pgtest.URL(t)
	s := pgtest.OpenAt(t, url)
	u := upload()
	u.State = attachment.UploadRefused
	u.Refusal = &billing.Error{
		Code: billing.CodeInvalidRequest, Message: "m", Faults: []billing.FieldFault{{Field: "file", Code: billing.FaultTooMany, Message: "n"}},
	}
	porttest.In(t, s, in, func(ctx context.Context, tx ports.Tx) error { return tx.Documents.Receive(ctx, u) })
	got := stored(t, filled(t, in), "SELECT subscriber FROM claims", "SELECT patient FROM claims", "SELECT accident FROM claims",
		"SELECT lines FROM claims", "SELECT about FROM attachments")
	golden(t, "stored_form_attachments.json", got+stored(t, admin(t, url), "SELECT refusal FROM uploads"))
}
