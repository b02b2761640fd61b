package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/remittances"
)

const (
	ourNPI     = "1234567893" // of the first organization's office
	foreignNPI = "1999999992" // of no office
)

// payingTo is an 835 with a payment for each pair of a trace number and the payee's NPI.
func payingTo(pairs ...string) string {
	var file strings.Builder
	file.WriteString("ISA*00*          *00*          *ZZ*CHTEST         *ZZ*MOLAR          *260304*0506*^*00501*000000908*0*T*:~" +
		"GS*HP*CHTEST*MOLAR*20260304*050607*908*X*005010X221A1~")
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&file, "ST*835*%04d~BPR*I*1*C*ACH************20260306~TRN*1*%s*1512345678~DTM*405*20260304~", i/2+1, pairs[i])
		file.WriteString("N1*PR*EXAMPLE DENTAL PLAN*XV*EXMPL~N3*1 MAIN ST~N4*TULSA*OK*741010001~PER*BL*HELP*TE*8005550100~N1*PE*MAIN STREET*XX*" + pairs[i+1] + "~LX*1~")
		file.WriteString("CLP*UNKNOWN*1*1*1**12*N1*11*1~NM1*QC*1*DOE*KIM****MI*W1~DTM*232*20260220~SVC*AD:D0120*1*1**1~DTM*472*20260220~")
		fmt.Fprintf(&file, "SE*16*%04d~", i/2+1)
	}
	fmt.Fprintf(&file, "GE*%d*908~IEA*1*000000908~", len(pairs)/2)
	return file.String()
}

// correctedPayment is payingTo once more, with half of the payment.
func correctedPayment(trace string) string {
	return strings.NewReplacer("BPR*I*1*", "BPR*I*0.50*", "CLP*UNKNOWN*1*1*1*", "CLP*UNKNOWN*1*1*0.50*", "SVC*AD:D0120*1*1*", "SVC*AD:D0120*1*0.50*",
		"DTM*472*20260220~", "DTM*472*20260220~CAS*CO*45*0.50~", "SE*16*", "SE*17*").Replace(payingTo(trace, ourNPI))
}

// importing is the call that imports the file.
func importing(file string) call {
	return call{
		method: http.MethodPost, path: "/eras/import", header: map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary},
		body: formOf("Content-Disposition: form-data; name=\"file\"; filename=\"C:\\\\june.835\"\r\n\r\n" + file),
	}
}

// payments lists what became of the payments of an import.
func (a response) payments(t *testing.T) (statuses string, all []anObject) {
	t.Helper()
	for _, p := range a.get(t, "payments").([]any) {
		all = append(all, p.(anObject))
		statuses += p.(anObject)["status"].(string) + " "
	}
	return strings.TrimSpace(statuses), all
}

// A file with a payment to the organization and one to another payee becomes a
// remittance and a quarantined file. The file is assigned, and a later one deleted.
func TestImport(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := importing(payingTo("EFT-1", ourNPI, "EFT-2", foreignNPI))
	c.idem = "import"
	first := s.must(t, 201, c)
	first.shows(t, "object", "era_import", "file_name", "june.835")
	got, all := first.payments(t)
	if got != "imported quarantined" || all[0]["quarantine_id"] != nil || all[0]["reason"] != nil || all[1]["era_id"] != nil ||
		all[1]["reason"] != "The payment EFT-2 of EXAMPLE DENTAL PLAN is to NPI "+foreignNPI+", which no office of the organization has." {
		t.Fatalf("imported %s", first.body)
	}
	if again := s.must(t, 201, c); again.body != first.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %v %s", again.Header, again.body)
	}
	other := importing(payingTo("EFT-3", ourNPI))
	other.idem = "import"
	wantStatus(t, s.do(t, other), 422, billing.CodeIdempotencyKeyReused)
	era, held := "/eras/"+all[0]["era_id"].(string), "/quarantine/"+all[1]["quarantine_id"].(string)
	s.until(t, era, "needs_review").shows(t, "source", "import", "file_name", "june.835", "office_id", s.office.String(), "payment.trace_number", "EFT-1")

	c.idem = ""
	got, all = s.must(t, 201, c).payments(t)
	if got != "duplicate quarantined" || "/eras/"+all[0]["era_id"].(string) != era || "/quarantine/"+all[1]["quarantine_id"].(string) != held {
		t.Errorf("with another key: %s", got)
	}
	list := s.must(t, 200, call{path: "/quarantine", key: s.read})
	if n := len(list.get(t, "data").([]any)); n != 1 {
		t.Fatalf("quarantine %s", list.body)
	}
	list.shows(t, "data.0.object", "quarantined_file", "data.0.source", "import", "data.0.file_name", "june.835", "data.0.payee.npi", foreignNPI, "data.0.payee.name", "MAIN STREET",
		"data.0.payee.tax_id", nil, "data.0.payment.trace_number", "EFT-2", "data.0.payment.total", "1.00", "data.0.claim_count", "1",
		"data.0.interchange_control_number", "000000908", "data.0.transaction_control_number", "0002")
	if strings.Contains(list.body, "DOE") || strings.Contains(list.body, "UNKNOWN") {
		t.Errorf("the list names patients: %s", list.body)
	}

	assign := call{path: held + "/assign", body: jsonOf(anObject{"office_id": s.office.String()}, nil), idem: "assign"}
	done := s.must(t, 201, assign)
	got, all = done.payments(t)
	if got != "imported" {
		t.Errorf("assigned: %s", done.body)
	}
	s.until(t, "/eras/"+all[0]["era_id"].(string), "needs_review").shows(t, "source", "import", "office_id", s.office.String(), "payment.trace_number", "EFT-2")
	if again := s.must(t, 201, assign); again.body != done.body {
		t.Errorf("assigned again: %s", again.body)
	}
	assign.idem = ""
	wantStatus(t, s.do(t, assign), 404, billing.CodeNotFound)
	if got, _ := s.must(t, 201, c).payments(t); got != "duplicate duplicate" {
		t.Errorf("after it was assigned: %s", got)
	}

	_, all = s.must(t, 201, importing(payingTo("EFT-4", foreignNPI))).payments(t)
	_, later := s.must(t, 201, importing(payingTo("EFT-5", foreignNPI))).payments(t)
	if ids := s.walk(t, "/quarantine?order=asc&limit=1"); !slices.Equal(ids, []string{all[0]["quarantine_id"].(string), later[0]["quarantine_id"].(string)}) {
		t.Errorf("the oldest first: %v", ids)
	}
	s.must(t, 204, call{method: http.MethodDelete, path: "/quarantine/" + later[0]["quarantine_id"].(string)})
	remove := call{method: http.MethodDelete, path: "/quarantine/" + all[0]["quarantine_id"].(string), idem: "remove"}
	s.must(t, 204, remove)
	s.must(t, 204, remove)
	remove.idem = ""
	wantStatus(t, s.do(t, remove), 404, billing.CodeNotFound)
	if ids := s.walk(t, "/quarantine"); len(ids) != 0 {
		t.Errorf("quarantine %v", ids)
	}
	if n := len(s.walk(t, "/eras")); n != 2 {
		t.Errorf("%d remittances", n)
	}
}

// An import never changes another organization, or the other mode, nor do they see it,
// even if the payee is theirs.
func TestImportStaysInItsScope(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, key := range []string{s.other, s.live} {
		s.must(t, 201, call{path: "/offices", key: key, body: `{"name":"Theirs","npi":"` + foreignNPI + `"}`})
	}
	got, all := s.must(t, 201, importing(payingTo("EFT-1", foreignNPI, "EFT-2", ourNPI))).payments(t)
	if got != "quarantined imported" {
		t.Fatalf("imported: %s", got)
	}
	s.until(t, "/eras/"+all[1]["era_id"].(string), "needs_review")
	held := all[0]["quarantine_id"].(string)
	for _, key := range []string{s.other, s.live} {
		for _, list := range []string{"/eras", "/quarantine", "/events?type=era.received"} {
			if a := s.must(t, 200, call{path: list, key: key}); len(a.get(t, "data").([]any)) != 0 {
				t.Errorf("%s: %s", list, a.body)
			}
		}
		theirs := s.must(t, 200, call{path: "/offices", key: key}).get(t, "data").([]any)[0].(anObject)["id"].(string)
		wantStatus(t, s.do(t, call{path: "/quarantine/" + held + "/assign", body: jsonOf(anObject{"office_id": theirs}, nil), key: key}), 404, billing.CodeNotFound)
		wantStatus(t, s.do(t, call{method: "DELETE", path: "/quarantine/" + held, key: key}), 404, billing.CodeNotFound)
		a := s.do(t, call{path: "/quarantine/" + held + "/assign", body: jsonOf(anObject{"office_id": theirs}, nil)})
		if wantStatus(t, a, 404, billing.CodeNotFound); !strings.Contains(a.body, "office_id") {
			t.Errorf("to an office of theirs: %s", a.body)
		}
	}
	for _, key := range []string{s.other, s.live} { // the same file is new to them
		c := importing(payingTo("EFT-1", foreignNPI, "EFT-2", ourNPI))
		c.key = key
		if got, _ := s.must(t, 201, c).payments(t); got != "imported quarantined" {
			t.Errorf("by another: %s", got)
		}
	}
	if ids := s.walk(t, "/quarantine"); len(ids) != 1 || ids[0] != held {
		t.Errorf("quarantine %v", ids)
	}
}

// What is no whole 835 is refused, and nothing of it is stored.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	good := payingTo("EFT-1", ourNPI, "EFT-2", foreignNPI)
	var many []string
	for i := range remittances.MaxOwnPayments + 1 {
		many = append(many, fmt.Sprint("T", i), ourNPI)
	}
	for name, c := range map[string]struct{ file, code string }{
		"nothing":           {"", "format"},
		"a page":            {"<html><body>Jane Doe</body></html>", "format"},
		"a PDF":             {"%PDF-1.7\n1 0 obj", "format"},
		"a 271":             {strings.NewReplacer("ST*835", "ST*271", "*HP*", "*HB*").Replace(good), "format"},
		"half":              {good[:len(good)/2], "format"},
		"half of a payment": {good[:strings.LastIndex(good, "SE*")], "format"},
		"a broken amount":   {strings.Replace(good, "BPR*I*1*", "BPR*I*Doe*", 1), "format"},
		"too many payments": {payingTo(many...), "too_many"},
	} {
		call := importing(c.file)
		call.idem = "the-same"
		a := s.do(t, call)
		wantStatus(t, a, 422, billing.CodeInvalidRequest)
		if fields := fmt.Sprint(a.fields(t)); fields != "[file "+c.code+"]" || strings.Contains(a.body, "Doe") || !strings.Contains(a.body, "Nothing was imported.") {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	for _, parts := range [][]string{{}, {fileOf(good), textOf("office_id", "x")}} {
		c := importing("")
		c.body, c.bad = formOf(parts...), true
		wantStatus(t, s.do(t, c), 422, billing.CodeInvalidRequest)
	}
	wantStatus(t, s.do(t, importing(strings.Repeat(" ", 16<<20))), 413, billing.CodePayloadTooLarge)
	if n := len(s.walk(t, "/eras")) + len(s.walk(t, "/quarantine")); n != 0 {
		t.Errorf("%d remittances, or files in quarantine", n)
	}
	c := importing(payingTo(many[2:]...))
	c.idem = "the-same" // a refusal keeps no key
	if got, _ := s.must(t, 201, c).payments(t); strings.Count(got, "imported") != remittances.MaxOwnPayments {
		t.Errorf("as many as allowed: %s", got)
	}
}

// A quarantined file that is not an 835 can only be deleted.
func TestAssignRefuses(t *testing.T) {
	t.Parallel()
	s := startService(t)
	if _, err := s.remittances.Receive(t.Context(), &network.Route{Mode: s.test.Mode}, clearing.IncomingFile{Scope: s.test, Name: "page.835", Content: []byte("<html>Doe</html>")}); err != nil {
		t.Fatal(err)
	}
	list := s.must(t, 200, call{path: "/quarantine"})
	list.shows(t, "data.0.source", "network", "data.0.payment", nil, "data.0.payee", nil, "data.0.claim_count", nil, "data.0.payer_name", nil)
	held := "/quarantine/" + s.walk(t, "/quarantine")[0]
	a := s.do(t, call{path: held + "/assign", body: jsonOf(anObject{"office_id": s.office.String()}, nil)})
	if wantStatus(t, a, 409, billing.CodeConflict); strings.Contains(a.body, "Doe") {
		t.Errorf("assigned: %s", a.body)
	}
	for _, body := range []string{`{}`, `{"office_id":""}`, `{"office_id":"x"}`, `{"office_id":null}`} {
		wantStatus(t, s.do(t, call{path: held + "/assign", body: body, bad: true}), 422, billing.CodeInvalidRequest)
	}
	s.must(t, 204, call{method: "DELETE", path: held})
}

// A biller imports, assigns and deletes; a viewer reads.
func TestPeopleImport(t *testing.T) {
	t.Parallel()
	s := startService(t)
	biller, viewer := s.visits(t, s.org, "biller@example.com", caller.RoleBiller), s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	c := importing(payingTo("EFT-1", foreignNPI, "EFT-2", foreignNPI))
	wantStatus(t, s.do(t, viewer.call(c)), 403, billing.CodePermissionDenied)
	_, all := s.must(t, 201, biller.call(c)).payments(t)
	one, two := "/quarantine/"+all[0]["quarantine_id"].(string), "/quarantine/"+all[1]["quarantine_id"].(string)
	assign := call{path: one + "/assign", body: jsonOf(anObject{"office_id": s.office.String()}, nil)}
	wantStatus(t, s.do(t, viewer.call(assign)), 403, billing.CodePermissionDenied)
	s.must(t, 201, biller.call(assign))
	wantStatus(t, s.do(t, viewer.call(call{method: "DELETE", path: two})), 403, billing.CodePermissionDenied)
	s.must(t, 200, viewer.call(call{path: "/quarantine"})).shows(t, "data.0.payment.trace_number", "EFT-2")
	s.must(t, 204, biller.call(call{method: "DELETE", path: two}))
}

// quarantined returns the ID of a new file in the organization's quarantine.
func (s *service) quarantined(t *testing.T) string {
	t.Helper()
	_, all := s.must(t, 201, importing(payingTo("EFT-909", foreignNPI))).payments(t)
	return all[0]["quarantine_id"].(string)
}
