package httpapi

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/adapters/fileblob"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports/porttest"
)

// outlasting are the tables that a reset leaves as they are.
func outlasting() []string {
	return []string{
		"api_keys", "attachment_rules", "audit_entries", "audit_resources", "automation", "connections", "deletions", "disclosures", "erasures", "fee_schedule_rows", "fee_schedules", "holds", "import_mappings", "offices",
		"organizations", "providers", "received_files", "data_keys", "requests", "retention", "sessions", "sign_in_links", "users", "watches", "changes", "webhook_endpoints",
	}
}

// tables returns what the tables with organizations have: for each of them, of the
// organization in test mode, how many rows; and of all others, a digest of the rows. What
// goes on by itself is left out: the log, leases and the folding of totals.
func (s *service) tables(t *testing.T, org billing.OrgID) (own map[string]int, rest map[string]string) {
	t.Helper()
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `
SELECT t.table_name, EXISTS (SELECT FROM information_schema.columns c WHERE c.table_name = t.table_name AND c.column_name = 'mode')
FROM information_schema.columns t
WHERE t.table_schema = 'public' AND t.column_name = 'org_id' AND NOT (SELECT relispartition FROM pg_class WHERE oid = t.table_name::regclass)`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	own, rest = map[string]int{}, map[string]string{}
	for rows.Next() {
		var table string
		var moded bool
		if err := rows.Scan(&table, &moded); err != nil {
			t.Fatal(err)
		}
		ours := "org_id = '" + org.UUID() + "'"
		if moded {
			ours += " AND mode = 'test'"
		}
		ending := ""
		if table == "jobs" {
			ending = " WHERE kind <> 'status_policy'" // a policy has its job until it is deleted
		}
		var n int
		var digest sql.NullString
		what := "to_jsonb(t) - 'holder' - 'holder_address' - 'lease_until' - 'called_at' - 'last_used_at' - 'last_used_from'"
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FILTER (WHERE "+ours+"), md5(string_agg(r::text, '' ORDER BY r::text) FILTER (WHERE ("+ours+
			") IS NOT TRUE)) FROM (SELECT *, "+what+" AS r FROM "+table+" t"+ending+") t").Scan(&n, &digest)
		if err != nil {
			t.Fatal(table, err)
		}
		own[table] = n
		if !slices.Contains([]string{"audit_entries", "audit_resources", "requests", "changes", "watches", "claim_changes", "claim_totals", "sessions"}, table) {
			rest[table] = digest.String
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return own, rest
}

// count reads a number as an administrator.
func (s *service) count(t *testing.T, query string) (n int) {
	t.Helper()
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// practice makes what a practice has, and lets it come to rest.
func (s *service) practice(t *testing.T) made {
	t.Helper()
	m := s.make(t)
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })}).text(t, "id")
	s.must(t, 200, call{method: "PUT", path: "/sandbox/faults", body: `{"rules": [{"operation": "listOffices", "kind": "error", "status": 500, "times": 1}]}`})
	s.until(t, "/claims/"+claim, "paid")
	return m
}

// TestReset removes what an organization has in test mode, beside all that it has in live
// mode, and all of another organization.
func TestReset(t *testing.T) {
	t.Parallel()
	blobs, err := fileblob.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	s := startService(t, func(with *setup) { with.blobs = blobs })
	s.clear(t)
	work(t, s.queue, jobs.KindTasks, s.options.Tasks.Follow)
	ours, office, dentist, key := s.test, s.office, s.dentist, s.key
	for _, name := range []string{"Live Dental", "Next Door Dental"} { // the first becomes our live mode
		o, err := s.access.CreateOrganization(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		s.test = billing.Scope{Org: o.ID, Mode: billing.ModeTest}
		s.furnish(t, name)
		s.practice(t)
		if name == "Live Dental" {
			s.becomesLive(t, o.ID, ours.Org)
		}
	}
	s.test, s.office, s.dentist, s.key = ours, office, dentist, key
	m := s.practice(t)
	s.advances(t, call{body: `{"by":"P3D"}`})
	images := 0
	for range blobs.List(t.Context(), "") {
		images++
	}
	porttest.Await(t, "nothing goes on", func() bool {
		return s.count(t, `SELECT (SELECT count(*) FROM jobs WHERE kind <> 'status_policy') + (SELECT count(*) FROM sandbox_mail WHERE removed_at IS NULL)
			+ (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending') + (SELECT count(*) FROM claim_changes)`) == 0
	})
	full, rest := s.tables(t, s.org)
	for table, n := range full {
		if n == 0 && !slices.Contains(append(outlasting(), "jobs", "claim_changes", "claim_totals", "uploads"), table) {
			t.Errorf("%s: nothing to remove", table)
		}
	}

	for _, body := range []string{`{}`, `{"confirm":"Example Dental"}`, fmt.Sprintf(`{"confirm":%q}`, billing.OrgID{1}), `{"confirm":1}`} {
		a := s.do(t, call{path: "/sandbox/reset", body: body, bad: true})
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if fields := a.fields(t); len(fields) != 1 || !strings.HasPrefix(fields[0], "confirm") {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	reset := call{path: "/sandbox/reset", body: fmt.Sprintf(`{"confirm":%q}`, s.org), idem: "reset"}
	first := s.must(t, 202, reset)
	if first.text(t, "state") != "resetting" {
		t.Errorf("the reply: %s", first.body)
	}
	porttest.Await(t, "the clock is ready", func() bool { return s.must(t, 200, call{path: "/sandbox/clock"}).text(t, "state") == "ready" })
	if again := s.must(t, 202, reset); again.body != first.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the request again: %s", again.body)
	}
	empty, restAfter := s.tables(t, s.org)
	for table, n := range empty {
		want := 0
		if slices.Contains(outlasting(), table) {
			want = full[table]
		}
		switch table {
		case "idempotency_keys":
			want = 1 // of the reset
		case "tasks", "notes":
			want = 1 // of the connection
		}
		if n != want && table != "requests" && table != "audit_entries" && table != "audit_resources" && table != "changes" {
			t.Errorf("%s has %d rows, want %d", table, n, want)
		}
	}
	if n := empty["requests"]; n < full["requests"] {
		t.Errorf("the request log has %d entries, want at least %d", n, full["requests"])
	}
	if !maps.Equal(rest, restAfter) {
		for table := range rest {
			if rest[table] != restAfter[table] {
				t.Errorf("%s: rows of others changed", table)
			}
		}
	}
	left := 0
	for range blobs.List(t.Context(), "") {
		left++
	}
	if images%3 != 0 || left != images/3*2 {
		t.Errorf("%d images of %d are left", left, images)
	}
	clock := s.must(t, 200, call{path: "/sandbox/clock"})
	if clock.get(t, "running") != true || clock.text(t, "now") != clock.text(t, "real_now") || fmt.Sprint(clock.get(t, "pending")) != "0" {
		t.Errorf("the clock: %s", clock.body)
	}
	if e := s.must(t, 200, call{path: "/webhook_endpoints/" + m.endpoint}); e.text(t, "status") != "enabled" {
		t.Errorf("the endpoint: %s", e.body)
	}
	s.wantList(t, "/claims?")
	s.must(t, 200, call{path: "/summary"})
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", func(o anObject) { o["submit"] = true })}).text(t, "id")
	s.until(t, "/claims/"+claim, "paid")
}

// furnish gives a new organization an office, a dentist and a key.
func (s *service) furnish(t *testing.T, name string) {
	t.Helper()
	s.office = s.newOffice(t, intake.OfficeRequest{
		Name: name, NPI: "1234567893", TaxID: "123456789",
		Address: &intake.AddressInput{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"}, Phone: "5185550100",
	})
	hired := idempotency.Administration(s.test, "test", func(p *directory.Provider) string { s.dentist = p.ID; return "" })
	if _, err := s.access.CreateProvider(t.Context(), hired, intake.ProviderRequest{FirstName: "Ann", LastName: "Lee", NPI: "1245319599"}); err != nil {
		t.Fatal(err)
	}
	s.key = s.issue(t, s.test, "read", "submit")
}

// becomesLive makes the rows of an organization those of another in live mode. The totals
// follow their claims.
func (s *service) becomesLive(t *testing.T, from, to billing.OrgID) {
	t.Helper()
	own, _ := s.tables(t, from)
	porttest.Await(t, "its work ends", func() bool { own, _ = s.tables(t, from); return own["jobs"] == 0 })
	for table, n := range own {
		if n == 0 || strings.HasPrefix(table, "sandbox_") && table != "sandbox_mail" && table != "sandbox_notes" ||
			slices.Contains([]string{"sessions", "users", "sign_in_links", "audit_resources", "data_keys", "sandbox_faults", "claim_changes", "claim_totals"}, table) {
			continue
		}
		s.exec(t, "UPDATE "+table+" SET org_id = '"+to.UUID()+"', mode = 'live' WHERE org_id = '"+from.UUID()+"' AND mode = 'test'")
	}
}

// TestWritesDuringAReset are refused with a code of their own, and reads are not. People
// still revoke keys.
func TestWritesDuringAReset(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("PAID-ERA", nil)}).text(t, "id")
	s.exec(t, "INSERT INTO sandbox_clocks (org_id, reset_job, reset_at) VALUES ($1, gen_random_uuid(), now())", s.org.UUID())
	for path, body := range map[string]string{
		"/claims": s.crown("PAID-ERA", nil), "/claims/" + claim + "/submit": "{}", "/offices": `{"name":"Lake Street","npi":"1245319599"}`,
		"/eligibility": s.question("ACTIVE-FULL", nil), "/sandbox/clock/advance": `{"by":"P1D"}`, "/sandbox/clock/stop": "{}",
		"/sandbox/reset": fmt.Sprintf(`{"confirm":%q}`, s.org),
	} {
		a := s.do(t, call{path: path, body: body})
		wantStatus(t, a, 409, billing.CodeSandboxResetting)
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", path)
		}
	}
	s.must(t, 200, call{path: "/claims/" + claim})
	s.must(t, 200, owner.call(call{path: "/claims/" + claim}))
	s.must(t, 201, call{path: "/claims", key: s.live, body: s.liveClaim(t)})
	revoked := s.must(t, 201, owner.call(call{path: "/api_keys", body: `{"name":"k","mode":"test","permissions":["read"]}`})).text(t, "id")
	s.must(t, 200, owner.call(call{method: "POST", path: "/api_keys/" + revoked + "/revoke"}))
	if n, err := s.batches.Cut(t.Context()); n != 0 || err != nil {
		t.Errorf("%d batches are cut, %v", n, err)
	}
	s.exec(t, "DELETE FROM sandbox_clocks")
	s.must(t, 200, call{method: "POST", path: "/claims/" + claim + "/submit"})
}

// liveClaim is the body of a claim of the organization's live mode.
func (s *service) liveClaim(t *testing.T) string {
	t.Helper()
	office := s.must(t, 201, call{method: "POST", path: "/offices", key: s.live, body: `{"name":"Main Street","npi":"1234567893"}`}).text(t, "id")
	return s.crown("1", func(o anObject) { o["office_id"] = office })
}
