package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

const mappingBody = `{"columns":[{"name":"Pt","field":"name"},{"name":"Note","field":null}],"payers":[{"name":"Blue Cross","payer_id":"CHTEST"}]}`

// scheduleBody returns a file with two rows, the second with two faults, as JSON.
func scheduleBody(office string, fields ...any) string {
	csv := "Date;Time;Patient;DOB;Payer;Member ID;Note\n" + lately(0) + ";8:30;\"Example, Sam\";2/29/1984;Molar Test Payer;W1;x\n" + lately(0) + ";9:30;\"Sample, Ann\";1/2/03;Blue Cross;W2\n"
	return jsonOf(anObject{"office_id": office, "csv": csv}, with(fields...))
}

// TestReadSchedule reads a file as JSON and as CSV. Each item is what POST /eligibility/batches
// accepts.
func TestReadSchedule(t *testing.T) {
	t.Parallel()
	s := startService(t)
	office := s.office.String()
	a := s.must(t, 200, call{path: "/eligibility/batches/schedule", body: scheduleBody(office)})
	a.shows(t, "object", "schedule", "faults", []any{}, "columns.2.field", "name", "columns.6.field", nil, "columns.6.known", false, "columns.0.known", true,
		"rows.0.line", 2.0, "rows.0.cells.4", "Molar Test Payer", "rows.0.faults", []any{}, "rows.0.member_id_restored", false,
		"rows.0.item.item_id", "line-2", "rows.0.item.office_id", office, "rows.0.item.patient", nil, "rows.0.item.subscriber.last_name", "Example",
		"rows.0.item.subscriber.date_of_birth", "1984-02-29", "rows.0.item.service_date", lately(0), "rows.0.item.procedure_codes", []any{},
		"rows.1.item", nil, "rows.1.faults.0.column", 4.0, "rows.1.faults.0.field", "subscriber.date_of_birth", "rows.1.faults.0.candidates.0.value", "1/2/1903",
		"rows.1.faults.0.candidates.1.label", "1/2/2003", "rows.1.faults.1.column", 5.0, "rows.1.faults.1.field", "payer_id")
	file := call{method: "POST", path: "/eligibility/batches/schedule?office_id=" + office, header: map[string]string{"Content-Type": "text/csv"}}
	file.body = "Patient,DOB,Payer,Member ID\n\"N\xfa\xf1ez, Jos\xe9\",2/29/1984,Molar Test Payer,W1\n"
	s.must(t, 200, file).shows(t, "rows.0.item.subscriber.last_name", "Núñez", "rows.0.item.appointment_at", nil, "rows.0.item.service_date", nil)
	made := s.must(t, 201, call{path: "/eligibility/batches", body: jsonOf(anObject{"name": "Today", "items": []any{a.get(t, "rows", "0", "item")}}, with())})
	made.shows(t, "pending", 1.0)

	file.body = "Who,DOB,Payer,Member ID\nx,y,z,1\n"
	s.must(t, 200, file).shows(t, "faults.0.column", nil, "faults.0.field", "name", "rows.0.item", nil, "rows.0.cells.0", "x", "rows.0.faults", []any{})
	for name, c := range map[string]struct {
		body string
		want string
	}{
		"no office":       {`{"csv":"Patient,DOB,Payer,Member ID"}`, "office_id required"},
		"a wrong office":  {scheduleBody("off_7"), "office_id format"},
		"nothing":         {`{}`, "csv required"},
		"an empty file":   {scheduleBody(office, "csv", ""), "csv required"},
		"an open quote":   {scheduleBody(office, "csv", "a\n\"b"), "csv.2.1 format"},
		"too many rows":   {scheduleBody(office, "csv", "Patient,DOB,Payer,Member ID\n"+strings.Repeat("x\n", 5001)), "csv.5002.1 too_many"},
		"an unknown name": {scheduleBody(office, "columns", []any{}), "columns unknown"},
	} {
		if a := s.do(t, call{path: "/eligibility/batches/schedule", body: c.body, bad: true}); a.StatusCode != 422 || strings.Join(a.fields(t), ",") != c.want {
			t.Errorf("%s: %d %s, want %s", name, a.StatusCode, a.body, c.want)
		}
	}
	file.path, file.bad = "/eligibility/batches/schedule?mode=x", true
	wantFields(t, s.do(t, file), "mode unknown")
	wantStatus(t, s.do(t, call{path: "/eligibility/batches/schedule", body: scheduleBody("off_01JGFJJZ00FC1R3ZY5N7Q8Z4VJ")}), 404, billing.CodeNotFound)
}

// TestLargestSchedule reads as many rows as a file may have.
func TestLargestSchedule(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var file strings.Builder
	file.WriteString("Patient,DOB,Payer,Member ID,office_id\n")
	for n := range 5000 {
		fmt.Fprintf(&file, "\"Example%d, Sam\",2/29/1984,Molar Test Payer,W%d,%s\n", n, n, s.office)
	}
	s.must(t, 200, call{path: "/eligibility/batches/schedule", body: file.String(), header: map[string]string{"Content-Type": "text/csv"}}).
		shows(t, "rows.4999.item.item_id", "line-5001", "rows.4999.item.subscriber.member_id", "W4999")
}

// TestImportMappings keeps a mapping, which files are read with. It belongs to one organization
// and one mode.
func TestImportMappings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const path = "/import_mappings/schedule"
	s.must(t, 200, call{path: path}).shows(t, "object", "import_mapping", "kind", "schedule", "columns", []any{}, "payers", []any{}, "updated_at", nil)
	put := call{method: "PUT", path: path, body: mappingBody, idem: "first"}
	made := s.must(t, 200, put)
	made.shows(t, "columns.0.field", "name", "columns.1.field", nil, "payers.0.name", "Blue Cross", "payers.0.payer.payer_id", "CHTEST")
	if again := s.must(t, 200, put); again.body != made.body || s.must(t, 200, call{path: path}).body != made.body {
		t.Errorf("the request again: %s", again.body)
	}
	file := scheduleBody(s.office.String(), "csv", "Pt,DOB,Payer,Member ID,Note\n\"Example, Sam\",2/29/1984,BLUE CROSS,W1,x\n")
	s.must(t, 200, call{path: "/eligibility/batches/schedule", body: file}).shows(t, "columns.4.known", true, "columns.4.field", nil, "rows.0.faults", []any{})
	for _, key := range []string{s.other, s.live} {
		s.must(t, 200, call{path: path, key: key}).shows(t, "columns", []any{}, "updated_at", nil)
	}
	a := s.do(t, call{method: "PUT", path: path, body: `{"payers":[{"name":"A","payer_id":"NOBODY"}]}`})
	wantStatus(t, a, 404, billing.CodeNotFound)
	if got := strings.Join(a.fields(t), ","); got != "payers.0.payer_id not_found" {
		t.Errorf("an unknown payer: %s", got)
	}
	wantFields(t, s.do(t, call{method: "PUT", path: path, body: `{"columns":[{"name":"A","field":"dob"}]}`, bad: true}), "columns.0.field not_allowed")
	for _, c := range []call{{path: "/import_mappings/fees", bad: true}, {method: "PUT", path: "/import_mappings/fees", body: mappingBody, bad: true}} {
		wantStatus(t, s.do(t, c), 404, billing.CodeNotFound)
	}
	s.must(t, 200, call{method: "PUT", path: path, body: `{}`}).shows(t, "columns", []any{}, "payers", []any{})
}

// TestWhoMapsImports lets those keep mappings who may ask payers.
func TestWhoMapsImports(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for role, status := range map[caller.Role]int{caller.RoleOwner: 200, caller.RoleBiller: 200, caller.RoleViewer: 403} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(call{method: "PUT", path: "/import_mappings/schedule", body: mappingBody})); a.StatusCode != status {
			t.Errorf("%s: %d, want %d", role, a.StatusCode, status)
		}
		s.must(t, 200, v.call(call{path: "/import_mappings/schedule"}))
		s.must(t, 200, v.call(call{path: "/eligibility/batches/schedule", body: scheduleBody(s.office.String())}))
	}
	entries := s.audited(t, caller.AuditFilter{Changes: true})
	if !slices.ContainsFunc(entries, func(e *caller.AuditEntry) bool {
		return e.Operation == "PUT /import_mappings/{kind}" && e.Status == 200
	}) {
		t.Errorf("the audit has %v", entries)
	}
}
