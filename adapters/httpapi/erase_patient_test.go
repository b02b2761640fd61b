package httpapi

import (
	"context"
	"database/sql"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/records"
	"github.com/molar-billing/molar/core/recovery"
)

// ofZebulon makes a claim, or the question of a check, about a person whose name is nowhere else.
func ofZebulon(o anObject) {
	s := o["subscriber"].(anObject)
	s["first_name"], s["last_name"], s["date_of_birth"] = "Zebulon", "Quagmire", "1971-05-23"
	s["member_id"] = strings.Replace(s["member_id"].(string), "SANDBOX-", "SANDBOX-ZQ77-", 1)
}

// named returns the tables with a row that says something of the person, and how many.
func named(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var tables []string
	for rows.Next() {
		tables = append(tables, "")
		if err := rows.Scan(&tables[len(tables)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, table := range tables {
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+" t WHERE t::text ~* 'quagmire|zebulon|zq77|1971-05-23|19710523'").Scan(&n); err != nil {
			t.Fatal(table, err)
		}
		if n > 0 {
			found[table] = n
		}
	}
	return found
}

// TestErasePatient erases a patient with claims in several states, a check, images and a payment, and
// looks for the person in every row of the database. What another patient has stays, the figures stay,
// and a remittance that comes later is applied. A restored database erases again.
func TestErasePatient(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	s.standing(t)
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(query string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}

	later := s.queuedClaim(t, "REVERSED", func(o anObject) {
		ofZebulon(o)
		o["note"], o["tenant_reference"] = "Quagmire prefers mornings", "chart-quagmire"
	})
	paid := s.queuedClaim(t, "PAID-ERA", ofZebulon)
	other := s.queuedClaim(t, "PAID-ERA", nil)
	draft := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", ofZebulon)}).text(t, "id")
	path := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: `{"claim_id":"` + paid + `","narrative":"Mr. Quagmire's crown"}`}).text(t, "id")
	image := s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	s.must(t, 200, call{method: "POST", path: path + "/close"})
	open := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: `{"claim_id":"` + paid + `"}`}).text(t, "id")
	check := s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", func(q, _ anObject) {
		ofZebulon(q)
		q["tenant_reference"] = "chart-quagmire"
	})})
	patient := check.text(t, "patient_id")
	asked := "/payer_requests/" + s.must(t, 201, call{path: "/payer_requests", body: letter(func(o anObject) { o["claim_id"] = paid; delete(o, "payer_id") })}).text(t, "id")
	visit := s.item(t, "visit", "ACTIVE-FULL", "payer_id", "NOBODY")
	ofZebulon(visit)
	batch := s.must(t, 201, call{path: "/eligibility/batches", body: checksBody([]anObject{visit, s.item(t, "other", "INACTIVE")})}).text(t, "id")
	s.settledBatch(t, batch)
	checks := "/eligibility/batches/" + batch
	words := []string{"/claims/" + paid, path, asked, checks + "/items/visit"}
	for _, to := range words {
		note := s.must(t, 201, call{path: to + "/notes", body: `{"text":"Mr. Quagmire called."}`}).text(t, "id")
		s.must(t, 200, call{path: "/notes/" + note + "/strike", body: `{"reason":"It was Mrs. Quagmire."}`})
		s.must(t, 201, call{path: to + "/notes", body: `{"text":"Mrs. Quagmire called."}`})
	}
	task := s.must(t, 200, call{path: "/tasks?resource_id=" + strings.TrimPrefix(asked, "/payer_requests/")}).text(t, "data", "0", "id")
	s.must(t, 200, call{method: "POST", path: "/tasks/" + task + "/snooze", idem: "snoozed"}).shows(t, "notes.0.text", "Mrs. Quagmire called.", "notes_count", 1.0)
	s.must(t, 201, call{path: "/claims/" + other + "/notes", body: `{"text":"The neighbor called."}`})
	off := s.checkTasks(t, "")["visit"]
	s.must(t, 200, call{path: "/tasks/" + off["id"].(string) + "/settle", idem: "settled", body: `{"as":"canceled","note":"Quagmire called."}`}).shows(t, "patient_id", patient)
	s.must(t, 201, call{path: checks + "/items/other/notes", body: `{"text":"The neighbor called."}`})

	kept := recovery.New(s.store, blobs, s.store, recovery.Replay{})
	service := records.New(audit.Operated{Store: s.store}, blobs, records.Outside{
		Remember:     kept.Keep,
		BeginErasure: func(ctx context.Context, e *directory.Erasure) error { return pgstore.BeginErasure(ctx, s.database, e) },
	})
	id, err := billing.ParseID[billing.PatientID](patient)
	if err != nil {
		t.Fatal(err)
	}
	ctx := audit.Operating(t.Context(), &audit.Operation{Operator: "ann", Command: "molar patients erase", Resource: patient})
	refused := func(why, part string) {
		t.Helper()
		if _, err := service.PlanErasure(ctx, s.test, id); billing.CodeOf(err) != billing.CodeConflict || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v", why, err)
		}
	}
	refused("while claims are queued", "is on its way to its payer")
	s.advance(t, "next") // the batch leaves
	refused("while claims are sent", "is on its way to its payer")
	for _, id := range []string{later, paid, other} {
		s.must(t, 201, simulating(id, `{"accept":{}}`))
	}
	s.must(t, 201, simulating(paid, `{"pay":{}}`))
	s.must(t, 201, simulating(other, `{"pay":{}}`))
	s.until(t, "/claims/"+later, "accepted_payer")
	before := s.until(t, "/claims/"+paid, "paid")
	appeal := "/appeals/" + s.must(t, 201, call{path: "/claims/" + paid + "/appeals", body: `{"reason":"Mr. Quagmire needs it."}`, idem: "appealed"}).text(t, "id")
	stays := s.until(t, "/claims/"+other, "paid").body
	exec("INSERT INTO holds (org_id, reason, placed_at) VALUES ('" + s.org.UUID() + "', 'x', now())")
	refused("while the organization is held", "A hold keeps")
	exec("DELETE FROM holds")

	e, err := service.PlanErasure(ctx, s.test, id)
	if err != nil {
		t.Fatal(err)
	}
	want := directory.ErasureRecord{
		Removed: []directory.Erased{
			{Kind: "checks", Count: 1}, {Kind: "visits", Count: 1}, {Kind: "estimates", Count: 0}, {Kind: "appeals", Count: 1}, {Kind: "images", Count: 1},
		},
		Blanked: []directory.Erased{{Kind: "claims", Count: 3}, {Kind: "payments", Count: 1}, {Kind: "attachments", Count: 2}, {Kind: "payer requests", Count: 1}},
		Files:   e.Files,
	}
	if !slices.Equal(e.Removed, want.Removed) || !slices.Equal(e.Blanked, want.Blanked) || len(e.Files) < 2 {
		t.Errorf("the plan is %+v", e.ErasureRecord)
	}
	if n := named(t, db); n["claims"] != 3 || n["patients"] != 1 || n["eligibility_checks"] != 1 || n["era_claims"] != 1 || n["attachments"] != 2 || n["events"] != 1 {
		t.Errorf("before the erasure, the person is in %v", n)
	}
	if err := service.Erase(ctx, e); billing.CodeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("without a reason: %v", err)
	}
	mine := func(of string) int {
		return s.count(t, "SELECT count(*) FROM "+of+" WHERE patient_id = '"+id.UUID()+"'")
	}
	if requests, tasks := mine("payer_requests"), mine("(SELECT * FROM tasks WHERE payer_request_id IS NOT NULL) t"); requests != 1 || tasks != 1 {
		t.Errorf("before the erasure, %d payer requests and %d of their tasks are of the patient", requests, tasks)
	}
	e.Reason, e.By = "request 7", "ann"
	if err := service.Erase(ctx, e); err != nil {
		t.Fatal(err)
	}
	if requests, tasks := mine("payer_requests"), mine("(SELECT * FROM tasks WHERE payer_request_id IS NOT NULL) t"); requests+tasks != 0 {
		t.Errorf("after the erasure, %d payer requests and %d of their tasks are of the patient", requests, tasks)
	}
	if n := named(t, db); len(n) > 0 {
		t.Errorf("the person is left in %v", n)
	}
	for _, to := range words[:3] {
		s.must(t, 200, call{path: to + "/notes"}).shows(t, "data", []any{})
	}
	wantStatus(t, s.do(t, call{path: words[3] + "/notes"}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: "/tasks/" + off["id"].(string)}), 404, billing.CodeNotFound)
	if n := s.count(t, "SELECT count(*) FROM idempotency_keys WHERE length(body) > 0 AND key LIKE '%settled'"); n != 0 {
		t.Error("the reply to a decision about a check is kept")
	}
	s.must(t, 200, call{path: checks + "/items/other/notes"}).shows(t, "data.0.text", "The neighbor called.")
	wantStatus(t, s.do(t, call{method: "POST", path: "/tasks/" + task + "/snooze", idem: "snoozed"}), 422, billing.CodeIdempotencyKeyReused) // its reply is gone
	s.must(t, 200, call{path: "/claims/" + other + "/notes"}).shows(t, "data.0.text", "The neighbor called.")
	for _, gone := range []string{appeal, "/patients/" + patient, "/eligibility/" + check.text(t, "id"), open, path + "/documents/" + image + "/content"} {
		wantStatus(t, s.do(t, call{path: gone}), 404, billing.CodeNotFound)
	}
	after := s.must(t, 200, call{path: "/claims/" + paid})
	for _, field := range []string{"state", "payment", "open", "totals", "patient_control_number", "payer_claim_number", "service_dates", "contractual"} {
		if was, is := before.get(t, field), after.get(t, field); !reflect.DeepEqual(was, is) {
			t.Errorf("%s was %v, is %v", field, was, is)
		}
	}
	after.shows(t, "patient_name.last_name", "", "patient_id", nil, "subscriber", nil)
	s.must(t, 200, call{path: "/claims/" + draft}).shows(t, "state", "voided", "next_step", "No action is needed: the patient was erased. What remittances still say is counted.")
	if is := s.must(t, 200, call{path: "/claims/" + other}).body; is != stays {
		t.Errorf("the claim of another patient was\n%s\nis\n%s", stays, is)
	}
	wantStatus(t, s.do(t, call{method: "POST", path: "/claims/" + paid + "/void"}), 409, billing.CodeConflict)
	wantStatus(t, s.do(t, call{path: "/attachments", body: `{"claim_id":"` + paid + `"}`}), 409, billing.CodeConflict)

	s.must(t, 201, simulating(later, `{"pay":{}}`))
	s.until(t, "/claims/"+later, "paid").shows(t, "adjudications.0.payer_name", before.text(t, "adjudications", "0", "payer_name"))
	if n := named(t, db); len(n) > 0 {
		t.Errorf("after a later remittance, the person is in %v", n)
	}
	all, err := service.Erasures(t.Context())
	if err != nil || len(all) != 1 || all[0].DoneAt.IsZero() || all[0].By != "ann" || all[0].Reason != "request 7" || !slices.Equal(all[0].Files, e.Files) {
		t.Errorf("the record is %+v, %v", all, err)
	}
	if n := s.count(t, "SELECT count(*) FROM audit_entries WHERE operator = 'ann' AND operation = 'molar patients erase' AND resource_id = '"+patient+"'"); n != 1 {
		t.Errorf("%d entries of the audit", n)
	}

	claimID, err := billing.ParseID[billing.ClaimID](later)
	if err != nil {
		t.Fatal(err)
	}
	// A backup from before has the patient, and not the record.
	exec("DELETE FROM erasures")
	exec("INSERT INTO patients (id, org_id, mode, name_key, first_name, last_name, date_of_birth, created_at) VALUES ('" + id.UUID() + "', '" + s.org.UUID() + "', 'test', 'x', 'Zebulon', 'Quagmire', '1971-05-23', now())")
	exec("UPDATE claims SET patient_id = '" + id.UUID() + `', subscriber = '{"LastName": "Quagmire"}', erased_at = NULL WHERE id = '` + claimID.UUID() + "'")
	if n, err := service.SweepErasures(t.Context()); n != 0 || err != nil {
		t.Errorf("without a record, %d erasures ended, %v", n, err)
	}
	if _, err := kept.Begin(context.WithoutCancel(t.Context()), true); err != nil {
		t.Fatal(err)
	}
	if n, err := service.SweepErasures(t.Context()); n != 1 || err != nil {
		t.Errorf("%d erasures ended, %v", n, err)
	}
	if n := named(t, db); len(n) > 0 {
		t.Errorf("after a restore, the person is in %v", n)
	}
}
