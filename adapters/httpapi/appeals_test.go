package httpapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
)

// denied stores a claim that its payer denied some days ago, for a reason that can be appealed.
func (s *service) denied(t *testing.T, daysAgo int) string {
	t.Helper()
	return s.claim(t, func(c *claim.Claim) {
		at := time.Now().AddDate(0, 0, -daysAgo)
		c.State, c.SentAt, c.SettledAt = claim.Denied, at.AddDate(0, 0, -9), at
		c.Standing = &claim.Standing{Outcome: remit.OutcomeDenied, ERAID: billing.ERAID{15: 1}, PaymentDate: billing.DateOf(at), NotPaid: 1250_00, OpenReason: claim.OpenRefused, Act: remit.ActAppeal}
	}).ID.String()
}

const appealBody = `{"reason":"The X-ray shows decay."}`

// TestAppeals makes an appeal of a claim that the sandbox denies and then pays, changes it, and
// records that it was sent and decided. Its task follows.
func TestAppeals(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-FIFTY", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","deny":{"reason":"CO-50"}}`)})
	id := s.must(t, 201, call{path: "/claims", body: s.crown("FIFTY", with("submit", true))}).text(t, "id")
	wantStatus(t, s.do(t, call{path: "/claims/" + id + "/appeals", body: appealBody}), 409, billing.CodeConflict)
	path := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: `{"claim_id":"` + id + `"}`}).text(t, "id")
	image := s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	s.clear(t)
	s.until(t, "/claims/"+id, "denied").shows(t, "appeal_id", nil, "deadlines.appeal.source", "unknown", "deadlines.appeal.on", nil, "deadlines.filing.source", "unknown")

	first := call{path: "/claims/" + id + "/appeals", body: jsonOf(anObject{"reason": "The X-ray shows decay.", "documents": []string{strings.TrimPrefix(path, "/attachments/"), image, image}}, nil), idem: "first"}
	a := s.must(t, 201, first)
	a.shows(t, "object", "appeal", "claim_id", id, "state", "draft", "level", "first", "reason", "The X-ray shows decay.", "deadline.source", "proposed", "deadline.days", 180.0,
		"due_on", dated(-180), "deadline.on", dated(-180), "sent", nil, "decided", nil, "payments", []any{})
	if docs := a.get(t, "documents").([]any); len(docs) != 2 || docs[1] != image {
		t.Errorf("documents %v", docs)
	}
	for _, want := range []string{"Sam Example", "SANDBOX-FIFTY", "D2740 on tooth", "reason CO-50 (", "The X-ray shows decay.", "Enclosed: 2 documents"} {
		if !strings.Contains(a.text(t, "letter"), want) {
			t.Errorf("the letter lacks %q: %s", want, a.text(t, "letter"))
		}
	}
	if again := s.must(t, 201, first); again.body != a.body {
		t.Errorf("the request again: %s", again.body)
	}
	wantStatus(t, s.do(t, call{path: "/claims/" + id + "/appeals", body: appealBody}), 409, billing.CodeConflict)
	appeal := a.text(t, "id")
	s.must(t, 200, call{path: "/claims/" + id}).shows(t, "appeal_id", appeal)
	work := s.tasks(t, "?resource_id="+id)
	if w := work["appeal_due"]; w == nil || w["due_on"] != dated(-180) || w["due_from"] != "practice" || work["denied"] != nil {
		t.Fatalf("tasks %v", work)
	}

	change := func(body string) call { return call{method: "PATCH", path: "/appeals/" + appeal, body: body} }
	s.must(t, 200, change(`{"letter":"Dear reviewer","level":"second","documents":[],"deadline_on":"`+lately(-90)+`"}`)).shows(t, "letter", "Dear reviewer", "level", "second",
		"reason", "The X-ray shows decay.", "documents", []any{}, "deadline.source", "person", "deadline.days", nil, "due_on", lately(-90))
	if w := s.tasks(t, "?resource_id="+id)["appeal_due"]; w["due_on"] != lately(-90) || w["due_from"] != "person" {
		t.Errorf("the task of a confirmed day: %v", w)
	}
	wantStatus(t, s.do(t, call{path: "/appeals/" + appeal + "/decided", body: `{"on":"` + lately(0) + `","outcome":"upheld"}`}), 409, billing.CodeConflict)

	s.must(t, 200, call{path: "/appeals/" + appeal + "/sent", body: `{"on":"` + lately(1) + `","by":"mail","reference":"9400 1000"}`}).
		shows(t, "state", "sent", "sent.on", lately(1), "sent.by", "mail", "sent.reference", "9400 1000", "due_on", lately(-59))
	wantStatus(t, s.do(t, change(`{"letter":"Later"}`)), 409, billing.CodeConflict)
	s.must(t, 201, simulating(id, `{"reverse":{}}`))
	s.until(t, "/claims/"+id, "accepted_payer")
	s.must(t, 201, simulating(id, `{"pay":{"percent":100,"patient_percent":0}}`))
	s.until(t, "/claims/"+id, "paid")
	paid := s.must(t, 200, call{path: "/appeals/" + appeal})
	paid.shows(t, "payments.0.paid", "1250.00")
	if era := paid.get(t, "payments").([]any)[0].(anObject)["era_id"].(string); s.must(t, 200, call{path: "/eras/" + era}).text(t, "id") != era {
		t.Error("the remittance of the payment is not there")
	}
	if w := s.tasks(t, "?resource_id="+id)["appeal_due"]; w == nil || !strings.Contains(w["reason"].(string), "A remittance came after") {
		t.Errorf("the task once the payer paid: %v", w)
	}
	s.must(t, 200, call{path: "/appeals/" + appeal + "/decided", body: `{"on":"` + lately(0) + `","outcome":"overturned"}`}).
		shows(t, "state", "decided", "decided.outcome", "overturned", "due_on", nil)
	s.must(t, 200, call{path: "/claims/" + id}).shows(t, "appeal_id", nil)
	if w := s.tasks(t, "?resource_id="+id)["appeal_due"]; w != nil {
		t.Errorf("a decided appeal has the task %v", w)
	}
	if n := s.catchUp(t); n != 0 {
		t.Errorf("%d resources are not as the rules say", n)
	}
	second := s.must(t, 201, call{path: "/claims/" + id + "/appeals", body: `{"reason":"Again.","letter":"My own letter"}`})
	second.shows(t, "letter", "My own letter")
	s.must(t, 200, call{path: "/claims/" + id + "/appeals"}).shows(t, "data.0.id", second.text(t, "id"), "data.1.id", appeal, "next_cursor", nil)
}

// TestAppealFaults names what is wrong with requests about appeals.
func TestAppealFaults(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id, other := s.denied(t, 10), s.denied(t, 3)
	attached := s.must(t, 201, call{path: "/attachments", body: `{"claim_id":"` + other + `"}`}).text(t, "id")
	post := func(path, body string) response { return s.do(t, call{path: path, body: body, bad: true}) }
	for body, want := range map[string]string{
		`{}`: "reason required", `{"reason":" "}`: "reason required", `{"reason":"x","level":"third"}`: "level not_allowed", `{"reason":"x","letter":""}`: "letter required",
		`{"reason":"x","documents":["img_1"]}`: "documents.0 format", `{"reason":"x","documents":["` + attached + `"]}`: "documents.0 not_found",
		`{"reason":"x","deadline_on":"2026-02-30"}`: "deadline_on format", `{"reason":"x","due":1}`: "due unknown",
		`{"reason":"` + strings.Repeat("x", 4001) + `"}`: "reason too_long",
	} {
		wantFields(t, post("/claims/"+id+"/appeals", body), want)
	}
	seen := call{path: "/claims/" + id + "/appeals", body: appealBody, header: map[string]string{"If-Match": `"9"`}}
	wantStatus(t, s.do(t, seen), 412, billing.CodeChangedMeanwhile)
	appeal := "/appeals/" + s.must(t, 201, call{path: "/claims/" + id + "/appeals", body: appealBody}).text(t, "id")
	for body, want := range map[string]string{
		`{"on":"today","by":"mail"}`: "on format", `{"on":"` + lately(-1) + `","by":"mail"}`: "on range", `{"on":"` + lately(1) + `","by":"owl"}`: "by not_allowed",
	} {
		wantFields(t, post(appeal+"/sent", body), want)
	}
	wantFields(t, s.do(t, call{method: "PATCH", path: appeal, body: `{"documents":["` + attached + `"]}`}), "documents.0 not_found")
	wantFields(t, post(appeal+"/decided", `{"on":"`+lately(0)+`","outcome":"lost"}`), "outcome not_allowed")
	s.must(t, 200, call{path: appeal + "/decided", body: `{"on":"` + lately(0) + `","outcome":"withdrawn"}`}).shows(t, "state", "decided", "sent", nil)
	if w := s.tasks(t, "?resource_id="+id); w["appeal_due"] != nil || w["denied"] == nil || w["denied"]["actions"].([]any)[0] != "createAppeal" {
		t.Errorf("after an appeal was withdrawn: %v", w)
	}
	viewer := s.visits(t, s.org, "viewer@example.com", caller.RoleViewer)
	if a := s.do(t, viewer.call(call{path: "/claims/" + other + "/appeals", body: appealBody})); a.StatusCode != 403 {
		t.Errorf("a viewer makes an appeal: %d", a.StatusCode)
	}
	for _, x := range []call{{path: "/appeals/apl_01JGFJJZ00FC1R3ZY5N7Q8Z4VK"}, {path: "/claims/clm_1/appeals"}} {
		wantStatus(t, s.do(t, x), 404, billing.CodeNotFound)
	}
}

// TestPayerLimits records until when a payer accepts claims, and lets a contract come first. The
// tasks of claims that are stored follow.
func TestPayerLimits(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := "/claims/" + s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)}).text(t, "id")
	s.must(t, 201, call{path: "/sandbox/scenarios", body: stepsOf("-FIFTY", `{"after":"PT1S","accept":{}}`, `{"after":"PT1S","deny":{"reason":"CO-50"}}`)})
	denied := s.must(t, 201, call{path: "/claims", body: s.crown("FIFTY", with("submit", true, "lines", []anObject{{"procedure_code": "D1110", "service_date": lately(20), "fee": "120.00"}}))}).text(t, "id")
	s.clear(t)
	s.until(t, "/claims/"+denied, "denied").shows(t, "act", "appeal")
	first := s.must(t, 200, call{path: path}).text(t, "lines", "0", "service_date")
	service, err := billing.ParseDate(first)
	if err != nil {
		t.Fatal(err)
	}
	days := int(time.Since(service.Time()).Hours()/24) + 5
	put := func(body anObject) response {
		return s.do(t, call{method: "PUT", path: "/payer_limits/CHTEST", body: jsonOf(body, nil)})
	}
	stored := put(anObject{"filing_days": days, "filing_source": "Provider manual, page 12", "appeal_days": 30})
	stored.shows(t, "object", "payer_limits", "payer.payer_id", "CHTEST", "filing_days", float64(days), "filing_source", "Provider manual, page 12", "secondary_filing_days", nil,
		"appeal_days", 30.0, "appeal_source", nil)
	if n := s.catchUp(t); n < 2 {
		t.Errorf("%d claims follow the limits, want 2", n)
	}
	s.must(t, 200, call{path: path}).shows(t, "deadlines.filing.source", "payer", "deadlines.filing.days", float64(days), "deadlines.filing.on", service.AddDays(days).String(),
		"deadlines.filing.stated", "Provider manual, page 12", "deadlines.appeal.on", nil, "deadlines.appeal.days", 30.0)
	s.must(t, 200, call{path: "/claims/" + denied}).shows(t, "deadlines.appeal.on", dated(-30), "deadlines.appeal.source", "payer")
	if w := s.tasks(t, "")["filing_limit"]; w == nil || w["due_on"] != service.AddDays(days).String() || w["due_from"] != "payer" {
		t.Errorf("the task of a claim that is not sent: %v", w)
	}
	if w := s.tasks(t, "?kind=denied")["denied"]; w == nil || w["due_on"] != dated(-30) || w["actions"].([]any)[0] != "createAppeal" {
		t.Errorf("the task of a denial: %v", w)
	}
	s.must(t, 201, call{path: "/claims/" + denied + "/appeals", body: appealBody}).shows(t, "deadline.source", "payer", "deadline.days", 30.0, "deadline.on", dated(-30))
	if a := s.must(t, 200, call{path: "/claims/" + denied + "/appeals"}); !strings.Contains(a.body, "D1110 of ") || !strings.Contains(a.body, "reason CO-50 (") {
		t.Errorf("the letter does not say what the payer refuses: %s", a.body)
	}

	// The contract of the service date comes first, one limit at a time.
	fees := s.must(t, 201, call{path: "/fee_schedules", body: contractBody("100.00", "filing_days", days+100, "filing_source", "Contract, section 4")})
	fees.shows(t, "filing_days", float64(days+100), "appeal_days", nil)
	s.catchUp(t)
	s.must(t, 200, call{path: path}).shows(t, "deadlines.filing.source", "contract", "deadlines.filing.days", float64(days+100), "deadlines.filing.stated", "Contract, section 4",
		"deadlines.appeal.source", "payer")
	if w := s.tasks(t, "")["filing_limit"]; w != nil {
		t.Errorf("the contract gives 100 days more, and there is the task %v", w)
	}
	s.must(t, 200, call{path: "/payer_limits"}).shows(t, "data.0.payer.payer_id", "CHTEST", "next_cursor", nil)
	gone := call{method: "DELETE", path: "/payer_limits/CHTEST"}
	s.must(t, 204, gone)
	wantStatus(t, s.do(t, gone), 404, billing.CodeNotFound)
	s.catchUp(t)
	s.must(t, 200, call{path: path}).shows(t, "deadlines.filing.source", "contract", "deadlines.appeal.source", "unknown")
	if n := s.catchUp(t); n != 0 {
		t.Errorf("in the end, %d resources are not as the rules say", n)
	}

	for body, want := range map[string]string{
		`{}`: "filing_days required", `{"filing_days":0}`: "filing_days range", `{"appeal_days":1096}`: "appeal_days range", `{"filing_source":"page 1"}`: "filing_source not_allowed",
		`{"secondary_filing_days":-1}`: "secondary_filing_days range",
	} {
		wantFields(t, s.do(t, call{method: "PUT", path: "/payer_limits/CHTEST", body: body, bad: true}), want)
	}
	wantStatus(t, s.do(t, call{method: "PUT", path: "/payer_limits/nobody", body: `{"filing_days":9}`}), 404, billing.CodeNotFound)
	wantFields(t, s.do(t, call{path: "/fee_schedules", body: feesBody("filing_days", 30)}), "kind not_allowed")
	file := feeFile("name=Contract&kind=allowed&payer_id=CHTEST&effective_from=2021-01-01&appeal_days=60&appeal_source=Page+3", "code,fee\nD2740,100.00\n")
	s.must(t, 201, file).shows(t, "appeal_days", 60.0, "appeal_source", "Page 3")
	live := s.must(t, 200, call{path: "/payer_limits", key: s.live}).get(t, "data").([]any)
	if !slices.Equal(live, []any{}) {
		t.Errorf("live mode has %v", live)
	}
}

// TestAppealsAreEncrypted looks at the stored bytes of a letter.
func TestAppealsAreEncrypted(t *testing.T) {
	t.Parallel()
	s := startService(t)
	id := s.denied(t, 10)
	s.must(t, 201, call{path: "/claims/" + id + "/appeals", body: appealBody})
	if n := s.count(t, "SELECT count(*) FROM appeals WHERE position('decay'::bytea in content) = 0 AND length(content) > 100"); n != 1 {
		t.Errorf("%d appeals are encrypted, want 1", n)
	}
	if n := s.count(t, "SELECT count(*) FROM claims WHERE appealing::text LIKE '%decay%'"); n != 0 {
		t.Error("the claim keeps words of the appeal")
	}
}
