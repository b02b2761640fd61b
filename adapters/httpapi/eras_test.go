package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// A claim goes to the payer and is paid, and the remittance is read, posted and
// reconciled; another is denied, and voided.
func TestClaimsArePaid(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	made := s.must(t, 201, call{path: "/claims", body: s.crown("1", with("submit", true))})
	denied := s.must(t, 201, call{path: "/claims", body: s.crown("X-DENIED", with("submit", true))})
	made.shows(t, "state", "queued", "batch_id", "")
	claim, lost := "/claims/"+made.text(t, "id"), "/claims/"+denied.text(t, "id")
	paid := s.until(t, claim, "paid")
	if paid.text(t, "payment", "paid") != "1250.00" || paid.text(t, "payment", "outcome") != "paid" || paid.get(t, "payment", "reconciled_at") != nil ||
		paid.text(t, "payer_claim_number") == "" || len(paid.get(t, "history").([]any)) != 6 {
		t.Errorf("paid %s", paid.body)
	}
	s.wantBatch(t, paid.text(t, "batch_id"), made.text(t, "patient_control_number"))
	s.wantERA(t, paid.text(t, "payment", "era_id"), made.text(t, "id"))

	reconciled := s.must(t, 200, call{method: "POST", path: claim + "/reconcile"})
	reconciled.shows(t, "state", "reconciled", "payment.reconciled_at", some{}, "payment.outcome", "paid")
	since := "sent_from=" + strings.Replace(paid.text(t, "created_at"), "+", "%2B", 1) + "&sent_to=2999-01-01T00:00:00Z"
	if got := s.walk(t, "/claims?state=reconciled&"+since); fmt.Sprint(got) != fmt.Sprint([]string{made.text(t, "id")}) {
		t.Errorf("reconciled are %v", got)
	}

	s.until(t, lost, "denied")
	c := call{method: "POST", path: lost + "/void", idem: "void"}
	void := s.must(t, 201, c)
	if void.text(t, "frequency") != "void" || void.text(t, "parent_id") != denied.text(t, "id") || void.text(t, "state") != "queued" ||
		void.text(t, "id") == denied.text(t, "id") || void.text(t, "patient_control_number") == denied.text(t, "patient_control_number") {
		t.Errorf("void %s", void.body)
	}
	if again := s.must(t, 201, c); again.body != void.body {
		t.Errorf("void again %s", again.body)
	}
	wantStatus(t, s.do(t, call{method: "POST", path: lost + "/void"}), 409, billing.CodeConflict)
	s.until(t, lost, "voided").shows(t, "payment", nil)
}

// wantBatch reads a batch and its file.
func (s *service) wantBatch(t *testing.T, id, number string) {
	t.Helper()
	b := s.must(t, 200, call{path: "/batches/" + id})
	name := b.text(t, "name")
	b.shows(t, "state", "acknowledged", "result", "accepted", "acknowledgement.name", some{}, "sent_at", some{}, "acknowledged_at", some{})
	f := s.must(t, 200, call{path: "/batches/" + id + "/file", key: s.read})
	if !strings.HasPrefix(f.body, "ISA*") || !strings.Contains(f.body, number) || f.Header.Get("Content-Type") != "application/edi-x12" ||
		f.Header.Get("Content-Disposition") != `attachment; filename="`+name+`"` {
		t.Errorf("file %v %s", f.Header, f.body)
	}
	if head := s.do(t, call{method: "HEAD", path: "/batches/" + id + "/file"}); head.StatusCode != 200 || head.ContentLength != int64(len(f.body)) {
		t.Errorf("head %v", head.Header)
	}
	acknowledgements := b.get(t, "acknowledgements").([]any)
	var kinds []string
	for i, a := range acknowledgements {
		shown := a.(anObject)
		kinds = append(kinds, shown["kind"].(string))
		f := s.must(t, 200, call{path: fmt.Sprintf("/batches/%s/acknowledgements/%d", id, i+1), key: s.read})
		if fmt.Sprint(shown["n"]) != fmt.Sprint(i+1) || !strings.HasPrefix(f.body, "ISA*") || f.Header.Get("Content-Type") != "application/edi-x12" ||
			!strings.Contains(f.body, "ST*"+shown["kind"].(string)[:3]+"*") || f.Header.Get("Content-Disposition") != `attachment; filename="`+shown["name"].(string)+`"` {
			t.Errorf("acknowledgement %v: %v %s", shown, f.Header, f.body)
		}
	}
	if len(kinds) < 2 || !slices.Contains(kinds, "277CA") || !slices.Contains(kinds, "997") && !slices.Contains(kinds, "999") {
		t.Errorf("acknowledgements %v", kinds)
	}
	for _, n := range []string{"0", "01", "-1", "x", "99", "99999999999"} {
		wantStatus(t, s.do(t, call{path: "/batches/" + id + "/acknowledgements/" + n}), 404, billing.CodeNotFound)
	}
	if all := s.walk(t, "/batches?limit=1"); !slices.Contains(all, id) {
		t.Errorf("batches %v", all)
	}
}

// wantERA reads a remittance, its claims and its file, and posts it.
func (s *service) wantERA(t *testing.T, id, claim string) {
	t.Helper()
	path := "/eras/" + id
	era := s.must(t, 200, call{path: path})
	rows := era.get(t, "claims", "data").([]any)
	if era.text(t, "state") != "needs_review" || len(rows) == 0 || !strings.Contains(era.body, claim) || era.get(t, "balanced") != true ||
		era.text(t, "payer", "payer_id") != "CHTEST" || era.text(t, "office_id") != s.office.String() {
		t.Errorf("era %s", era.body)
	}
	f := s.must(t, 200, call{path: path + "/file"})
	if !strings.HasPrefix(f.body, "ISA*") || f.Header.Get("Content-Type") != "application/edi-x12" {
		t.Errorf("file %v %s", f.Header, f.body)
	}
	at := strings.Replace(era.text(t, "received_at"), "+", "%2B", 1)
	for query, want := range map[string]bool{
		"state=needs_review": true, "state=posted": false, "payer_id=" + era.text(t, "payer", "id"): true,
		"payer_id=" + billing.NewID[billing.PayerID](billing.RealAt(time.Now())).String(): false,
		"paid_from=" + era.text(t, "payment", "date"):                                     true, "paid_to=" + era.text(t, "payment", "date"): true,
		"office_id=" + s.office.String(): true,
		"office_id=" + billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String(): false,
		"balanced=true": true, "balanced=false": false, "claim_id=" + claim: true,
		"claim_id=" + billing.NewID[billing.ClaimID](billing.RealAt(time.Now())).String(): false,
		"trace_number=" + url.QueryEscape(era.text(t, "payment", "trace_number")):         true, "trace_number=x": false,
		"paid_from=9999-01-01": false, "received_from=" + at: true, "received_to=" + at: false,
	} {
		if got := slices.Contains(s.walk(t, "/eras?limit=100&"+query), id); got != want {
			t.Errorf("%s: found %t", query, got)
		}
	}
	posted := s.must(t, 200, call{method: "POST", path: path + "/post"})
	posted.shows(t, "state", "posted", "posted_at", some{}, "claims", era.get(t, "claims"))
	if again := s.must(t, 200, call{path: path + "/post", body: "{}"}); again.body != posted.body {
		t.Errorf("posted again %s", again.body)
	}
}

// The pages of a remittance's claims follow each other without a gap, from the
// remittance itself too.
func TestClaimsOfERAArePaged(t *testing.T) {
	t.Parallel()
	s := startService(t)
	const claims = 60
	id := s.remittance(t, claims)
	path := "/eras/" + id
	era := s.must(t, 200, call{path: path})
	era.shows(t, "payer", nil, "payer_name", "SOMEBODY", "counts", "map[claims:60 matched:0 unmatched:60]")
	ordinals := func(a response, path ...string) (out []int) {
		rows, _ := a.get(t, append(path, "data")...).([]any)
		for _, row := range rows {
			var n int
			if _, err := fmt.Sscan(fmt.Sprint(row.(anObject)["ordinal"]), &n); err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
		return out
	}
	got, next := ordinals(era, "claims"), era.text(t, "claims", "next_cursor")
	if len(got) != 25 {
		t.Errorf("the first page has %v", got)
	}
	for next != "" {
		a := s.must(t, 200, call{path: path + "/claims?limit=10&cursor=" + next})
		got, next = append(got, ordinals(a)...), a.text(t, "next_cursor")
	}
	if len(got) != claims || !slices.IsSorted(got) || got[0] != 1 || got[claims-1] != claims {
		t.Errorf("claims %v", got)
	}
	f := s.must(t, 200, call{path: path + "/file"})
	if f.body != strangers(claims) || f.Header.Get("Content-Disposition") != `attachment; filename="a__file___.835"` {
		t.Errorf("file %v", f.Header)
	}
}

// A predetermination is estimated, and becomes a claim.
func TestPredeterminationsAreConverted(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	made := s.must(t, 201, call{path: "/claims", body: s.crown("X-ESTIMATE", func(o anObject) {
		o["lines"] = append(o["lines"].([]anObject), anObject{"procedure_code": "D2740", "fee": "1000.00", "tooth": "15"})
		asked(o)
		o["submit"] = true
	})})
	path := "/claims/" + made.text(t, "id")
	back := s.until(t, path, "returned")
	lines, _ := back.get(t, "estimate", "lines").([]any)
	if back.get(t, "payment") != nil || len(lines) != 2 || back.text(t, "estimate", "pay") != "1440.00" {
		t.Errorf("returned %s", back.body)
	}
	days := jsonOf(anObject{"lines": []anObject{{"line_number": 2, "service_date": lately(1)}}}, nil)
	claim := s.must(t, 201, call{path: path + "/convert", body: days})
	claim.shows(t, "kind", "claim", "converted_from", made.text(t, "id"), "totals.charge", "1000.00", "state", "validated",
		"estimate", nil)
	s.must(t, 200, call{path: path}).shows(t, "converted_to", claim.text(t, "id"))
	wantStatus(t, s.do(t, call{path: path + "/convert", body: days}), 409, billing.CodeConflict)
	s.must(t, 200, call{method: "POST", path: "/claims/" + claim.text(t, "id") + "/submit"}).shows(t, "state", "queued")
}

// A claim that the payer has is sent anew under the same ID.
func TestClaimsAreReplaced(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	body := s.crown("X-DENIED", with("submit", true))
	made := s.must(t, 201, call{path: "/claims", body: body})
	path := "/claims/" + made.text(t, "id")
	s.until(t, path, "denied")
	other := strings.Replace(body, `"tooth":"14"`, `"tooth":"15"`, 1)
	found := s.do(t, call{path: path + "/replace", body: strings.Replace(body, `"tooth":"14"`, `"tooth":"99"`, 1)})
	if found.StatusCode != 422 || fmt.Sprint(found.fields(t)) != "[lines.0.tooth not_allowed]" {
		t.Errorf("with a finding %d %s", found.StatusCode, found.body)
	}
	next := s.must(t, 200, call{path: path + "/replace", body: other})
	if next.text(t, "id") != made.text(t, "id") || next.text(t, "frequency") != "replacement" || next.text(t, "state") != "queued" || next.get(t, "payment") != nil ||
		next.text(t, "patient_control_number") != made.text(t, "patient_control_number") || !strings.Contains(next.body, `"tooth":"15"`) {
		t.Errorf("replaced %s", next.body)
	}
	again := s.until(t, path, "denied")
	f := s.must(t, 200, call{path: "/batches/" + again.text(t, "batch_id") + "/file"})
	if !strings.Contains(f.body, ":7*") {
		t.Errorf("the file has no replacement: %s", f.body)
	}
}
