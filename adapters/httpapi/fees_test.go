package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/intake"
)

// feesBody returns a fee schedule as a body, with fields in place of its own.
func feesBody(fields ...any) string {
	return jsonOf(anObject{
		"name": "Office fees", "kind": "office_fees", "effective_from": "2026-01-01",
		"rows": []anObject{{"procedure_code": "D1110", "amount": "104.00"}, {"procedure_code": "D0120", "amount": "58.00"}},
	}, with(fields...))
}

// feeFile returns the request with a file of rows.
func feeFile(query, file string) call {
	return call{method: "POST", path: "/fee_schedules?" + query, body: file, header: map[string]string{"Content-Type": "text/csv"}}
}

// TestFeeSchedules stores schedules, reads and lists them, and finds what counts.
func TestFeeSchedules(t *testing.T) {
	t.Parallel()
	s := startService(t)
	create := call{path: "/fee_schedules", body: feesBody(), idem: "first"}
	made := s.must(t, 201, create)
	made.shows(t, "object", "fee_schedule", "kind", "office_fees", "office_id", nil, "payer", nil, "network", nil, "write_off_beyond_limits", nil,
		"replaces", nil, "replaced_by", nil, "replaced_from", nil, "row_count", 2.0)
	if again := s.must(t, 201, create); again.body != made.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the request again: %s", again.body)
	}
	all := made.text(t, "id")
	a := s.do(t, call{path: "/fee_schedules", body: feesBody("name", "Again")})
	wantFields(t, a, "effective_from conflict")
	if !strings.Contains(a.body, all+" (Office fees)") {
		t.Errorf("the conflict does not name the schedule: %s", a.body)
	}

	allowed := s.must(t, 201, call{path: "/fee_schedules", body: feesBody("name", "Contract", "kind", "allowed", "payer_id", "CHTEST", "network", "in", "office_id", s.office.String(),
		"write_off_beyond_limits", false)})
	allowed.shows(t, "payer.payer_id", "CHTEST", "network", "in", "office_id", s.office.String(), "write_off_beyond_limits", false)
	next := s.must(t, 201, call{path: "/fee_schedules", body: feesBody("name", "Fees of summer", "effective_from", "2026-06-01", "replaces", all, "rows", []anObject{{"procedure_code": "D0120", "amount": "61.50"}})})
	next.shows(t, "replaces", all, "row_count", 1.0)
	s.must(t, 200, call{path: "/fee_schedules/" + all}).shows(t, "name", "Office fees", "replaced_by", next.text(t, "id"), "replaced_from", "2026-06-01",
		"rows.0.procedure_code", "D0120", "rows.0.amount", "58.00", "rows.1.procedure_code", "D1110")
	wantFields(t, s.do(t, call{path: "/fee_schedules", body: feesBody("replaces", all, "effective_from", "2027-01-01")}), "replaces conflict")
	wantStatus(t, s.do(t, call{path: "/fee_schedules", body: feesBody("replaces", "fee_01JGFJJZ00FC1R3ZY5N7Q8Z4VK")}), 404, billing.CodeNotFound)

	for query, want := range map[string][]string{
		"":                                {next.text(t, "id"), allowed.text(t, "id"), all},
		"?kind=allowed":                   {allowed.text(t, "id")},
		"?payer_id=CHTEST":                {allowed.text(t, "id")},
		"?office_id=" + s.office.String(): {allowed.text(t, "id")},
		"?current=false":                  {all},
		"?current=true&limit=1":           {next.text(t, "id"), allowed.text(t, "id")},
	} {
		if got := s.walk(t, "/fee_schedules"+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}

	match := func(query string) response {
		return s.must(t, 200, call{path: "/fee_schedules/match?procedure_code=D0120&" + query})
	}
	match("date=2026-05-31").shows(t, "object", "fee_match", "office_fee.amount", "58.00", "office_fee.schedule_id", all, "allowed", nil, "schedules.0.counts", true,
		"schedules.1.because", "It does not count before 2026-06-01.", "schedules.2.because", "It is for one office, and none is given.", "truncated", false)
	match("date=2026-06-01&payer_id=CHTEST&network=in&office_id="+s.office.String()).shows(t, "office_fee.amount", "61.50", "allowed.amount", "58.00",
		"allowed.write_off_beyond_limits", false, "office_fee.write_off_beyond_limits", nil, "network", "in")
	s.must(t, 200, call{path: "/fee_schedules/match?procedure_code=D9999&date=2026-06-01"}).shows(t, "office_fee", nil, "allowed", nil, "schedules.0.amount", nil)
	s.must(t, 200, call{path: "/fee_schedules/match?procedure_code=D0120&date=2026-06-01", key: s.other}).shows(t, "schedules", []any{}, "office_fee", nil)
	wantStatus(t, s.do(t, call{path: "/fee_schedules/match?procedure_code=D0120&date=2026-06-01&office_id=" + s.office.String(), key: s.other}), 404, billing.CodeNotFound)
	wantFields(t, s.do(t, call{path: "/fee_schedules/match", bad: true}), "procedure_code required,date required")
	wantStatus(t, s.do(t, call{path: "/fee_schedules/" + all, key: s.live}), 404, billing.CodeNotFound)
}

// TestFeeFiles sends files of rows, and reads them back as files.
func TestFeeFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	query := "name=" + url.QueryEscape("From Dentrix") + "&kind=allowed&payer_id=CHTEST&network=in&effective_from=2026-01-01&office_id=" + s.office.String()
	c := feeFile(query, "ADA Code;Description;Fee\nd0140;Pr\xfcfung;$1,071.5\nD0120;Exam;58\n")
	c.idem = "file"
	made := s.must(t, 201, c)
	made.shows(t, "name", "From Dentrix", "row_count", 2.0, "payer.payer_id", "CHTEST", "write_off_beyond_limits", true)
	if again := s.must(t, 201, c); again.body != made.body {
		t.Errorf("the request again: %s", again.body)
	}
	for _, change := range []func(*call){
		func(c *call) { c.body += "D0150;x;5\n" }, func(c *call) { c.path = strings.Replace(c.path, "=in", "=out", 1) },
	} {
		other := c
		change(&other)
		wantStatus(t, s.do(t, other), 422, billing.CodeIdempotencyKeyReused)
	}
	const file = "procedure_code,amount\r\nD0120,58.00\r\nD0140,1071.50\r\n"
	path := "/fee_schedules/" + made.text(t, "id")
	for accept, csv := range map[string]bool{
		"text/csv": true, "text/csv;q=0.9, */*": true, "application/json, text/csv": false, "*/*": false, "": false, "TEXT/CSV": true,
		"text/csv;q=0.5, application/json": false, "application/json;q=0.4, text/csv; q=0.5": true, "text/csv, */*;q=0.1": true, "text/csv;q=0": false,
	} {
		a := s.must(t, 200, call{path: path, header: map[string]string{"Accept": accept}})
		if got := a.body == file; got != csv || csv != strings.HasSuffix(a.Header.Get("Content-Disposition"), `.csv"`) {
			t.Errorf("%s: %s %v", accept, a.body, a.Header)
		}
	}
	s.must(t, 201, feeFile(strings.Replace(query, "=in", "=out", 1), file))

	a := s.do(t, feeFile("kind=office_fees&effective_from=2026-01-01&surprise=1", "code,fee\nD0120,58.00\nD012,1.234\n"))
	wantFields(t, a, "surprise unknown,name required,csv.3.1 format,csv.3.2 format")
	if !strings.Contains(a.body, "Line 3, column 2: The amount must be dollars and cents") {
		t.Errorf("%s", a.body)
	}
	empty := feeFile("name=x&kind=office_fees&effective_from=2026-01-01", "")
	empty.bad = true
	a = s.do(t, empty)
	wantFields(t, a, "body required,rows required")
	wantFields(t, s.do(t, call{path: "/fee_schedules", body: feesBody(), header: map[string]string{"Content-Type": "text/plain"}, bad: true}), "Content-Type format")
	wantFields(t, s.do(t, call{path: "/fee_schedules?name=x", body: feesBody(), bad: true}), "name unknown")
}

// TestLargestFeeSchedule stores as many rows as a schedule may have, as JSON and as a file.
func TestLargestFeeSchedule(t *testing.T) {
	t.Parallel()
	s := startService(t)
	rows := make([]anObject, 5000)
	file := "procedure_code,amount\n"
	for n := range rows {
		rows[n] = anObject{"procedure_code": fmt.Sprintf("D%04d", n), "amount": fmt.Sprintf("%d.%02d", n, n%100)}
		file += fmt.Sprintf("D%04d,%d.%02d\n", n, n, n%100)
	}
	made := s.must(t, 201, call{path: "/fee_schedules", body: feesBody("rows", rows, "payer_id", nil, "network", nil, "office_id", nil, "replaces", nil, "write_off_beyond_limits", nil)})
	s.must(t, 200, call{path: "/fee_schedules/" + made.text(t, "id")}).shows(t, "row_count", 5000.0, "rows.4999.procedure_code", "D4999", "rows.4999.amount", "4999.99")
	s.must(t, 201, feeFile("name=x&kind=allowed&effective_from=2026-01-01", file)).shows(t, "row_count", 5000.0)
	wantFields(t, s.do(t, call{path: "/fee_schedules", body: feesBody("rows", append(rows, anObject{"procedure_code": "D9999", "amount": "1.00"})), bad: true}), "rows too_many")
}

// TestFeesOfPeople lets owners write, and everyone read.
func TestFeesOfPeople(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.newOffice(t, intake.OfficeRequest{Name: "Second", NPI: "1234567893"})
	for role, status := range map[caller.Role]int{caller.RoleOwner: 201, caller.RoleBiller: 403, caller.RoleViewer: 403} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(call{path: "/fee_schedules", body: feesBody()})); a.StatusCode != status {
			t.Errorf("%s: %d %s", role, a.StatusCode, a.body)
		}
		s.must(t, 200, v.call(call{path: "/fee_schedules/match?procedure_code=D0120&date=2026-06-01"}))
	}
}
