package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/intake"
)

// path is the path of an operation, on what was made.
func (m made) path(r *route) string {
	path := strings.TrimPrefix(r.path, root)
	id := map[string]string{
		"eligibility": m.check, "attachments": m.attachment, "payer_requests": m.request, "claims": m.claim, "batches": m.batch, "eras": m.era, "quarantine": m.quarantined,
		"patients": m.patient, "organizations": "org_x", "payers": "pyr_x", "offices": "off_x", "fee_schedules": "fee_x", "attachment_rules": "rul_x", "estimates": m.estimate, "tasks": m.task, "status_inquiries": m.inquiry, "appeals": m.appeal, "notes": m.note, "deposits": m.deposit, "connections": m.connection, "enrollments": m.enrollment, "providers": "prv_x", "users": "usr_x", "api_keys": m.key, "sessions": "ses_x", "events": m.event, "requests": m.logged, "webhook_endpoints": m.endpoint, "webhook_deliveries": m.delivery,
	}[strings.Split(strings.TrimPrefix(path, "/sandbox"), "/")[1]]
	if strings.HasPrefix(path, "/eligibility/batches") {
		id = m.checks
	}
	return strings.NewReplacer("{id}", id, "{item_id}", "one", "{doc_id}", m.document, "{ordinal}", "1", "{n}", "1", "{ending}", "-DELTA", "{kind}", "schedule", "{payer_id}", "CHTEST").Replace(path)
}

// TestEveryOperationRefuses tries with every operation what none of them takes.
// A refusal keeps no key, so one key is enough.
func TestEveryOperationRefuses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	m := s.make(t)
	s.newOffice(t, intake.OfficeRequest{Name: "Second", NPI: "1234567893"})
	o := operations{service: s, cursors: map[string]string{}}
	for _, list := range []string{"/payers", "/offices"} {
		o.cursors[list] = s.must(t, 200, call{path: list + "?limit=1"}).text(t, "next_cursor")
	}
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	rows := s.writesByStrangers(t, m)
	for _, r := range (&api{}).routes() {
		if r.need != caller.NeedRead && r.need != caller.NeedSubmit && r.need != caller.NeedResend && r.need != caller.NeedManage && r.need != caller.NeedSandbox {
			continue
		}
		name := strings.TrimPrefix(r.path, root)
		good := call{method: r.method, path: m.path(&r)}
		if row := rows[r.method+" "+name]; len(row) > 0 {
			good.body, good.header = row[0].body, row[0].header
		}
		o.wrongKey(t, &r, good)
		o.nothingThere(t, &r, good)
		o.unknownNames(t, &r, good)
		o.wrongParameters(t, good, doc.Paths.Find(name).GetOperation(r.method).Parameters)
	}
	s.must(t, 201, call{path: "/providers", body: `{"first_name":"Ann","last_name":"Lee","npi":"1245319599"}`, idem: "the-same"})
}

// operations is a service whose operations are tried, with cursors by their
// lists.
type operations struct {
	*service
	cursors map[string]string
}

// refuses sends a request that is refused with the fault among others, if any
// is named.
func (o operations) refuses(t *testing.T, c call, status int, code billing.Code, fault string) {
	t.Helper()
	c.idem, c.bad = "the-same", true
	a := o.do(t, c)
	if a.StatusCode != status || a.code() != string(code) || fault != "" && !slices.Contains(a.fields(t), fault) {
		t.Errorf("%s %s %.50s: %d %s, want %d %s %s", c.method, c.path, c.body, a.StatusCode, a.body, status, code, fault)
	}
}

func (o operations) wrongKey(t *testing.T, r *route, good call) {
	t.Helper()
	good.key = "absent"
	o.refuses(t, good, 401, billing.CodeUnauthorized, "")
	if good.key = o.read; r.need != caller.NeedRead {
		o.refuses(t, good, 403, billing.CodePermissionDenied, "")
	}
}

// nothingThere asks for IDs of no resource. What is wrong with the body comes
// before them.
func (o operations) nothingThere(t *testing.T, r *route, good call) {
	t.Helper()
	parts := strings.Split(strings.TrimPrefix(r.path, root), "/")
	at := slices.Index(parts, "{doc_id}")
	if at < 0 {
		at = slices.Index(parts, "{id}")
	}
	if at < 0 {
		return
	}
	parts = strings.Split(good.path, "/")
	prefix := parts[at][:4]
	another := o.office.String() // of another kind
	if prefix == "off_" {
		another = o.dentist.String()
	}
	for _, id := range []string{"x", prefix, prefix + strings.Repeat("0", 26), prefix + o.dentist.String()[4:25] + "0", another} {
		parts[at] = id
		good.path = strings.Join(parts, "/")
		o.refuses(t, good, 404, billing.CodeNotFound, "")
	}
	if r.body != noBody && r.body != uploadBody {
		good.body = `{"wonder":1}`
		o.refuses(t, good, 422, billing.CodeInvalidRequest, "wonder unknown")
	}
}

// unknownNames sends parameters and fields that no operation knows, and bodies
// that are no objects.
func (o operations) unknownNames(t *testing.T, r *route, c call) {
	t.Helper()
	bodies := map[string]string{c.body: "surprise unknown"}
	switch r.body {
	case noBody:
	case uploadBody:
		bodies[formOf(textOf("wonder", "x"))] = "wonder unknown"
	case jsonBody, tableBody, batchBody:
		bodies[""] = "body required"
		fallthrough
	case optionalBody, emptyBody:
		bodies[`{"wonder":1}`], bodies["[]"], bodies["{"] = "wonder unknown", "body type", "body format"
	}
	c.path += "?surprise=1"
	for body, fault := range bodies {
		c.body = body
		o.refuses(t, c, 422, billing.CodeInvalidRequest, fault)
		o.refuses(t, c, 422, billing.CodeInvalidRequest, "surprise unknown")
	}
}

// wrongParameters gives each parameter that the contract has values that are
// none of its own.
func (o operations) wrongParameters(t *testing.T, c call, parameters openapi3.Parameters) {
	t.Helper()
	if c.method != http.MethodGet {
		return
	}
	path := c.path
	for _, p := range parameters {
		if p.Value.In != "query" {
			continue
		}
		name, schema := p.Value.Name, p.Value.Schema.Value
		wrong := map[string]string{"": "required", "x&" + name + "=x": "too_many", "\x00": "format"}
		switch {
		case name == "limit":
			wrong = map[string]string{"0": "range", "101": "range", "x": "type"}
		case name == "cursor":
			wrong["x"] = "format"
			for list, cursor := range o.cursors {
				if list != path {
					wrong[cursor] = "format"
				}
			}
		case name == "after":
			wrong["x"], wrong["x&order=asc"] = "not_allowed", "format"
		case schema.Type.Is("array"):
			delete(wrong, "x&"+name+"=x")
			one := schema.Items.Value.Enum[0].(string)
			wrong["odd"], wrong[one+"&"+name+"="+one] = "not_allowed", "too_many"
		case len(schema.Enum) > 0, schema.Type.Is("boolean"):
			wrong["odd"] = "not_allowed"
		case schema.Format != "":
			wrong["2026-02-30"] = "format"
		case schema.Pattern != "":
			wrong["x"] = "format"
		}
		for value, code := range wrong {
			c.path = path + "?" + name + "=" + strings.ReplaceAll(value, "\x00", "%00")
			o.refuses(t, c, 422, billing.CodeInvalidRequest, name+" "+code)
		}
	}
}
