package httpapi

import (
	"encoding/csv"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/molar-billing/molar/core/billing/claim"
)

var asCSV = map[string]string{"Accept": "text/csv"}

// table reads a list as a file, and returns its head and its rows.
func (s *service) table(t *testing.T, c call) (head []string, rows [][]string) {
	t.Helper()
	c.header = asCSV
	file := s.must(t, 200, c)
	if got := file.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("%s: Content-Type %q", c.path, got)
	}
	lines, count, ok := strings.Cut(file.body, "\r\n# ")
	r := csv.NewReader(strings.NewReader(lines))
	all, err := r.ReadAll()
	if err != nil || !ok || len(all) == 0 || count != strconv.Itoa(len(all)-1)+" rows\r\n" {
		t.Fatalf("%s: %v\n%s", c.path, err, file.body)
	}
	return all[0], all[1:]
}

// TestListsAsFiles reads lists as CSV files. They have what the pages have.
func TestListsAsFiles(t *testing.T) {
	t.Parallel()
	s := startService(t)
	var want []string
	for range 3 {
		c := s.claim(t, func(c *claim.Claim) { c.State, c.Subscriber.LastName = claim.Rejected, "=1+1" })
		want = append(want, c.ID.String())
	}
	slices.Reverse(want) // the newest is first
	head, rows := s.table(t, call{path: "/claims?limit=1&state=rejected"})
	cell := func(row int, column string) string {
		at := slices.Index(head, column)
		if at < 0 {
			t.Fatalf("there is no %s in %q", column, head)
		}
		return rows[row][at]
	}
	for i, id := range want {
		if cell(i, "id") != id || cell(i, "patient_name.last_name") != "'=1+1" || cell(i, "totals.charge") == "" || cell(i, "payment.paid") != "" {
			t.Errorf("row %d: %q", i, rows[i])
		}
	}
	if len(rows) != len(want) || slices.Contains(head, "object") || head[0] != "id" {
		t.Errorf("%d rows of %q", len(rows), head)
	}
	first := s.must(t, 200, call{path: "/claims?limit=1"})
	if _, rest := s.table(t, call{path: "/claims?cursor=" + first.text(t, "next_cursor")}); len(rest) != 2 || rest[0][0] != want[1] {
		t.Errorf("after the first: %q", rest)
	}
	head, rows = s.table(t, call{path: "/tasks?kind=claim_rejected"})
	if len(rows) != 3 || cell(0, "kind") != "claim_rejected" || cell(0, "resource.id") == "" || cell(0, "actions") == "" {
		t.Errorf("tasks %q", rows)
	}
	s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})
	head, rows = s.table(t, call{path: "/eligibility"})
	if len(rows) != 1 || cell(0, "outcome") != "answered" || cell(0, "verdict") == "" || cell(0, "maximum_remaining") == "" {
		t.Errorf("checks %q: %q", head, rows)
	}
	for _, path := range []string{
		"/attachments", "/payer_requests", "/eras", "/patients", "/offices", "/providers", "/batches", "/quarantine", "/enrollments", "/estimates",
		"/attachment_rules", "/fee_schedules", "/webhook_deliveries", "/requests", "/eligibility/batches", "/estimates/accuracy",
	} {
		s.table(t, call{path: path})
	}
	for path, want := range map[string][]string{
		"/payers?search=molar": {"payer_id", "CHTEST"}, "/document_types": {"pwk01", "P6"}, "/sandbox/scenarios?operation=claim": {"ending", "'-PAID-ERA"},
		"/events": {"type", "eligibility.completed"}, "/events?order=asc": {"type", "eligibility.completed"}, "/webhook_endpoints": {"url", ""},
	} {
		head, rows := s.table(t, call{path: path})
		at := slices.Index(head, want[0])
		if at < 0 || slices.ContainsFunc(head, func(name string) bool { return strings.HasPrefix(name, "secret") }) {
			t.Fatalf("%s: the columns are %q", path, head)
		}
		if want[1] != "" && !slices.ContainsFunc(rows, func(row []string) bool { return row[at] == want[1] }) {
			t.Errorf("%s: %q", path, rows)
		}
	}
	if a := s.do(t, call{path: "/claims?state=lost", header: asCSV, bad: true}); a.StatusCode != 422 {
		t.Errorf("an unknown state: %d %s", a.StatusCode, a.body)
	}
}

// TestTableFile makes a file of several pages while it is read, and one that breaks.
func TestTableFile(t *testing.T) {
	t.Parallel()
	type row struct {
		Name   string   `json:"name"`
		Note   string   `json:"note"`
		Amount *string  `json:"amount"`
		Codes  []string `json:"codes"`
		Hidden []struct{}
		Of     *struct {
			N int `json:"n"`
		} `json:"of"`
	}
	broken := errors.New("the database is away")
	for _, fails := range []bool{false, true} {
		f := &tableFile{columns: columnsOf(reflect.TypeFor[row](), "", nil)}
		f.csv = csv.NewWriter(&f.left)
		f.csv.UseCRLF = true
		pages := 0
		f.next = func() (bool, error) {
			if pages++; pages == 3 && fails {
				return false, broken
			}
			f.write(reflect.ValueOf(row{Name: "+1 \"x\"\r\ny", Note: "-5.00", Amount: new("-25.00"), Codes: []string{"D0120", "-D1"}}))
			return pages < 3, nil
		}
		if err := f.begin(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		one := "\"'+1 \"\"x\"\"\r\ny\",'-5.00,-25.00,D0120; -D1,\r\n"
		if want := "name,note,amount,codes,of.n\r\n" + one + one + one + "# 3 rows\r\n"; !fails && (err != nil || string(got) != want) {
			t.Errorf("%v\n%q, want\n%q", err, got, want)
		}
		if fails && (!errors.Is(err, broken) || strings.Contains(string(got), "#")) {
			t.Errorf("%v\n%q", err, got)
		}
	}
}

// TestEveryListIsAFile finds lists of the contract without a file.
func TestEveryListIsAFile(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for path, item := range doc.Paths.Map() {
		if item.Get == nil || item.Get.Responses.Value("200") == nil {
			continue
		}
		content := item.Get.Responses.Value("200").Value.Content
		reply := content["application/json"]
		if reply == nil || reply.Schema == nil || reply.Schema.Value.Properties["next_cursor"] == nil {
			continue
		}
		if lists++; content["text/csv"] == nil {
			t.Errorf("%s has no text/csv", path)
		}
	}
	if lists < 40 {
		t.Errorf("there are %d lists", lists)
	}
}

// TestAmountsOfFiles finds fields with dollars that a file would take for words.
func TestAmountsOfFiles(t *testing.T) {
	t.Parallel()
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	for of, schema := range doc.Components.Schemas {
		for name, field := range schema.Value.Properties {
			all := append(openapi3.SchemaRefs{field}, field.Value.OneOf...)
			money := slices.ContainsFunc(append(all, field.Value.AnyOf...), func(r *openapi3.SchemaRef) bool {
				return strings.HasSuffix(r.Ref, "/Money")
			})
			if money && !(column{name: name}).amount() {
				t.Errorf("%s of %s is no amount", name, of)
			}
		}
	}
}
