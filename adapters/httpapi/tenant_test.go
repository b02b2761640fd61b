package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports/porttest"
)

// foreign is a call with a key that may not see what it names.
type foreign struct {
	call
	status int
	code   billing.Code // empty for an empty list
}

// made is what the first organization has.
type made struct {
	check, event                  string // IDs
	claim, attachment, document   string
	request, answered, answeredBy string
	endpoint, secret, delivery    string
	sent, number, patient         string // a claim of the API, as its ID, its control number and its patient
	queued, paid, question        string // claims
	batch, era, quarantined       string
	inquiry                       string // about the paid claim
	fees, estimate, checks, task  string
	rule                          string // about what goes with claims
	enrollment, note, deposit     string
	connection                    string
	refused, appeal               string // a denied claim, and its appeal
	logged, key                   string // an entry of the request log, and its API key
}

func (s *service) make(t *testing.T) (m made) {
	t.Helper()
	m.check = s.must(t, 200, call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)}).text(t, "id")
	m.event = s.walk(t, "/events?resource_id="+m.check)[0]
	m.claim = s.claim(t, nil).ID.String()
	s.enroll(t, call{}, "CHTEST", "eligibility", "needed")
	path := s.attachment(t, "")
	m.attachment = strings.TrimPrefix(path, "/attachments/")
	m.document = s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	_, m.request = s.payerRequest(t, nil)
	var answering string
	answering, m.answered = s.payerRequest(t, nil)
	a := s.must(t, 200, call{path: answering + "/answer", body: s.own(with("payer_id", nil))})
	m.answeredBy = a.text(t, "attachment", "id")
	s.makeClaims(t, &m)
	m.checks = s.must(t, 201, call{path: "/eligibility/batches", body: s.checks(t)}).text(t, "id")
	s.settledBatch(t, m.checks)
	m.endpoint, m.secret = s.endpoint(t, "/tenant", nil)
	m.endpoint = lastOf(m.endpoint)
	resent := s.must(t, 200, call{path: "/events/" + m.event + "/resend", body: "{}"})
	m.logged = resent.Header.Get("X-Request-Id")
	m.key = s.logged(t, m.logged).text(t, "key_id")
	m.delivery = s.walk(t, "/webhook_deliveries?endpoint_id="+m.endpoint)[0]
	s.must(t, 201, call{path: "/sandbox/scenarios", body: delta("-DELTA", nil)})
	m.estimate = s.must(t, 201, call{path: "/estimates", body: estimateBody(m.check)}).text(t, "id")
	s.must(t, 201, call{path: "/eligibility/" + m.check + "/additions", body: additionBody("status", "inactive")})
	m.task = s.must(t, 200, call{path: "/tasks?resource_id=" + m.request}).text(t, "data", "0", "id")
	m.fees = s.must(t, 201, call{path: "/fee_schedules", body: feesBody()}).text(t, "id")
	m.rule = s.must(t, 201, call{path: "/attachment_rules", body: ruleBody()}).text(t, "id")
	s.enroll(t, call{}, "60054", "claims", "needed")
	m.enrollment = s.must(t, 200, call{path: "/enrollments?limit=1"}).text(t, "data", "0", "id")
	s.must(t, 200, bankDay("2026-03-09,77.77,EXAMPLE DENTAL HCCLAIMPMT"))
	m.deposit = s.must(t, 200, call{path: "/deposits?amount=77.77"}).text(t, "data", "0", "id")
	m.connection = s.pausedConnection(t).ID.String()
	m.note = s.must(t, 201, call{path: "/claims/" + m.claim + "/notes", body: noteBody}).text(t, "id")
	for _, path := range m.noted()[1:] {
		s.must(t, 201, call{path: path + "/notes", body: noteBody})
	}
	return m
}

const noteBody = `{"text":"Call the payer again."}`

// noted are the paths of a resource of each kind that has notes.
func (m made) noted() []string {
	return []string{
		"/claims/" + m.claim, "/eras/" + m.era, "/payer_requests/" + m.request, "/attachments/" + m.attachment, "/enrollments/" + m.enrollment, "/deposits/" + m.deposit,
		"/connections/" + m.connection, "/quarantine/" + m.quarantined, "/eligibility/batches/" + m.checks + "/items/one",
	}
}

// makeClaims makes claims in states in which each of the operations is allowed,
// a batch and a remittance.
func (s *service) makeClaims(t *testing.T, m *made) {
	t.Helper()
	a := s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	m.sent, m.number, m.patient = a.text(t, "id"), a.text(t, "patient_control_number"), a.text(t, "patient_id")
	in := func(kind claim.Kind, state claim.State) string {
		return s.claim(t, func(c *claim.Claim) { c.Kind, c.State = kind, state }).ID.String()
	}
	m.queued, m.paid = in(claim.KindClaim, claim.NeedsAttention), in(claim.KindClaim, claim.Paid)
	m.inquiry = s.must(t, 201, askOf(m.paid)).text(t, "id")
	s.must(t, 200, call{method: "PUT", path: "/status_policies/CHTEST", body: "{}"})
	s.must(t, 200, call{method: "PUT", path: "/payer_limits/CHTEST", body: `{"filing_days":400}`})
	m.refused = s.denied(t, 1)
	m.appeal = s.must(t, 201, call{path: "/claims/" + m.refused + "/appeals", body: appealBody}).text(t, "id")
	m.question = in(claim.KindPredetermination, claim.Returned)
	m.batch = s.batch(t, 7, "ISA").ID.String()
	m.era = s.remittance(t, 1)
	m.quarantined = s.quarantined(t)
}

// TestForeignKeysSeeNothing tries every route with a key of another
// organization and with one of the other mode, on what the first made. A route
// without a row here fails, so that none is forgotten.
func TestForeignKeysSeeNothing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	m := s.make(t)
	rows := s.readsByStrangers(t, m)
	for name, row := range s.writesByStrangers(t, m) {
		rows[name] = row
	}
	const empty = `{"data":[],"next_cursor":null` // and more, in a search
	for _, r := range (&api{}).routes() {
		if r.need != caller.NeedRead && r.need != caller.NeedSubmit && r.need != caller.NeedResend && r.need != caller.NeedManage && r.need != caller.NeedSandbox { // TestPrincipals has the others
			continue
		}
		name := r.method + " " + strings.TrimPrefix(r.path, root)
		row, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row", name)
			continue
		}
		for _, key := range []string{s.other, s.live} {
			for _, f := range row {
				f.key = key
				switch {
				case key == s.live && r.need == caller.NeedSandbox:
					f.status, f.code = 403, billing.CodeTestModeOnly
				case key == s.live && f.code == billing.CodeNotFound:
					f.status, f.code = s.whenLive(&r, f)
				}
				a := s.do(t, f.call)
				if f.code != "" {
					wantStatus(t, a, f.status, f.code)
				} else if a.StatusCode != http.StatusOK || f.status == 0 && !strings.HasPrefix(a.body, empty) {
					t.Errorf("%s: %d %s, want an empty list", f.path, a.StatusCode, a.body)
				}
			}
		}
	}
	s.untouched(t, m)
}

// whenLive is how a write ends in live mode, which comes before what it names.
func (s *service) whenLive(r *route, f foreign) (int, billing.Code) {
	switch {
	case !r.changes():
		return f.status, f.code
	case strings.HasPrefix(f.path, "/webhook_"), strings.HasPrefix(f.path, "/events"), strings.HasPrefix(f.path, "/claims"),
		strings.HasPrefix(f.path, "/attachment_rules"), strings.HasPrefix(f.path, "/eras"), strings.HasPrefix(f.path, "/deposits"), strings.HasPrefix(f.path, "/quarantine"), strings.HasPrefix(f.path, "/offices"), strings.HasPrefix(f.path, "/fee_schedules"), strings.HasPrefix(f.path, "/import_mappings"), strings.HasPrefix(f.path, "/status_policies"), strings.HasPrefix(f.path, "/payer_limits"), strings.HasPrefix(f.path, "/appeals"), strings.HasPrefix(f.path, "/estimates"), strings.HasPrefix(f.path, "/tasks"), strings.HasPrefix(f.path, "/enrollments"), strings.HasPrefix(f.path, "/providers"):
		return f.status, f.code // they work in live mode too
	case strings.HasPrefix(f.path, "/eligibility/"), strings.HasPrefix(f.path, "/notes/"), strings.HasSuffix(f.path, "/notes"):
		return f.status, f.code // what there is was allowed when it was made
	case strings.HasPrefix(f.path, "/eligibility"):
		return 503, billing.CodeEligibilityUnavailable
	}
	return 503, billing.CodeAttachmentsUnavailable
}

func (s *service) readsByStrangers(t *testing.T, m made) map[string][]foreign {
	t.Helper()
	absent := func(path string) foreign { return foreign{call{path: path}, 404, billing.CodeNotFound} }
	nothing := func(path string) foreign { return foreign{call: call{path: path}} }
	return map[string][]foreign{
		"GET /eligibility":               {nothing("/eligibility"), nothing("/eligibility?office_id=" + s.office.String())},
		"GET /eligibility/{id}":          {absent("/eligibility/" + m.check)},
		"GET /eligibility/{id}/exchange": {absent("/eligibility/" + m.check + "/exchange")},
		"GET /attachments": {
			nothing("/attachments"), nothing("/attachments?state=open"), nothing("/attachments?office_id=" + s.office.String()),
			nothing("/attachments?payer_request_id=" + m.answered), nothing("/attachments?claim_id=" + m.claim),
		},
		"GET /attachments/{id}": {absent("/attachments/" + m.attachment), absent("/attachments/" + m.answeredBy)},
		"GET /attachments/{id}/documents/{doc_id}/content": {
			absent("/attachments/" + m.attachment + "/documents/" + m.document + "/content"),
		},
		"GET /attachments/{id}/documents/{doc_id}/thumbnail": {
			absent("/attachments/" + m.attachment + "/documents/" + m.document + "/thumbnail"),
		},
		"GET /stream":                     {{call{path: "/stream", method: "HEAD"}, 200, ""}},      // TestFollow has what is on it
		"GET /document_types":             {{call: call{path: "/document_types"}, status: 200}},    // they are everybody's
		"GET /sandbox/scenarios":          {{call: call{path: "/sandbox/scenarios"}, status: 200}}, // the sandbox's own
		"GET /sandbox/scenarios/{ending}": {absent("/sandbox/scenarios/-DELTA")},
		"GET /payer_requests": {
			nothing("/payer_requests"), nothing("/payer_requests?state=answered"), nothing("/payer_requests?claim_id=" + m.claim),
		},
		"GET /payer_requests/{id}": {absent("/payer_requests/" + m.request), absent("/payer_requests/" + m.answered)},
		"GET /events":              {nothing("/events?resource_id=" + m.check), nothing("/events?resource_id=" + m.answeredBy), absent("/events?order=asc&after=" + m.event)},
		"GET /events/{id}":         {absent("/events/" + m.event)},

		"GET /claims": {
			nothing("/claims"), nothing("/claims?kind=predetermination"), nothing("/claims?patient_control_number=" + m.number),
			nothing("/claims?office_id=" + s.office.String()), nothing("/claims?state=paid"),
		},
		"GET /claims/counts":                     {{call: call{path: "/claims/counts"}, status: 200}},       // of their own
		"GET /reports/aging":                     {{call: call{path: "/reports/aging"}, status: 200}},       // of their own
		"GET /reports/collections":               {{call: call{path: "/reports/collections"}, status: 200}}, // of their own
		"GET /reports/denials":                   {{call: call{path: "/reports/denials"}, status: 200}},     // of their own
		"GET /reports/payers":                    {{call: call{path: "/reports/payers"}, status: 200}},      // of their own
		"GET /summary":                           {{call: call{path: "/summary"}, status: 200}},
		"GET /patients":                          {nothing("/patients")},
		"GET /claims/{id}":                       {absent("/claims/" + m.sent), absent("/claims/" + m.claim), absent("/claims/" + m.question)},
		"GET /claims/{id}/status_inquiries":      {absent("/claims/" + m.sent + "/status_inquiries")},
		"GET /status_inquiries/{id}":             {absent("/status_inquiries/" + m.inquiry)},
		"GET /status_inquiries/{id}/exchange":    {absent("/status_inquiries/" + m.inquiry + "/exchange")},
		"GET /status_policies":                   {nothing("/status_policies")},
		"GET /payer_limits":                      {nothing("/payer_limits")},
		"GET /claims/{id}/appeals":               {absent("/claims/" + m.refused + "/appeals")},
		"GET /appeals/{id}":                      {absent("/appeals/" + m.appeal)},
		"GET /batches":                           {nothing("/batches")},
		"GET /batches/{id}":                      {absent("/batches/" + m.batch)},
		"GET /batches/{id}/file":                 {absent("/batches/" + m.batch + "/file")},
		"GET /batches/{id}/acknowledgements/{n}": {absent("/batches/" + m.batch + "/acknowledgements/1")},
		"GET /quarantine":                        {nothing("/quarantine")},
		"GET /eras":                              {nothing("/eras"), nothing("/eras?state=needs_review"), nothing("/eras?needs_attention=true")},
		"GET /eras/{id}":                         {absent("/eras/" + m.era)},
		"GET /eras/{id}/claims":                  {absent("/eras/" + m.era + "/claims")},
		"GET /eras/{id}/file":                    {absent("/eras/" + m.era + "/file")},
		"GET /payers":                            {{call: call{path: "/payers"}, status: 200}}, // they are everybody's
		"GET /payers/{id}":                       {{call: call{path: "/payers/" + testPayer(t).String()}, status: 200}},
		"GET /offices":                           {nothing("/offices")},
		"GET /offices/{id}":                      {absent("/offices/" + s.office.String())},
		"GET /providers":                         {nothing("/providers")},
		"GET /providers/{id}":                    {absent("/providers/" + s.dentist.String())},
		"GET /patients/{id}":                     {absent("/patients/" + m.patient)},
		"GET /patients/{id}/overview":            {absent("/patients/" + m.patient + "/overview")},
		"GET /enrollments":                       {nothing("/enrollments"), nothing("/enrollments?office_id=" + s.office.String())},

		"GET /estimates":                                      {nothing("/estimates"), nothing("/estimates?patient_id=" + m.patient), nothing("/estimates?eligibility_id=" + m.check)},
		"GET /estimates/{id}":                                 {absent("/estimates/" + m.estimate)},
		"GET /tasks":                                          {nothing("/tasks"), nothing("/tasks?resource_id=" + m.request)},
		"GET /claims/{id}/notes":                              {absent("/claims/" + m.claim + "/notes")},
		"GET /eras/{id}/notes":                                {absent("/eras/" + m.era + "/notes")},
		"GET /payer_requests/{id}/notes":                      {absent("/payer_requests/" + m.request + "/notes")},
		"GET /attachments/{id}/notes":                         {absent("/attachments/" + m.attachment + "/notes")},
		"GET /enrollments/{id}/notes":                         {absent("/enrollments/" + m.enrollment + "/notes")},
		"GET /deposits/{id}/notes":                            {absent("/deposits/" + m.deposit + "/notes")},
		"GET /eligibility/batches/{id}/items/{item_id}/notes": {absent("/eligibility/batches/" + m.checks + "/items/one/notes")},
		"GET /deposits":                                       {nothing("/deposits"), nothing("/deposits?account=6789")},
		"GET /deposits/{id}":                                  {absent("/deposits/" + m.deposit)},
		"GET /tasks/{id}":                                     {absent("/tasks/" + m.task)},
		"GET /estimates/{id}/accuracy":                        {absent("/estimates/" + m.estimate + "/accuracy")},
		"GET /estimates/accuracy":                             {nothing("/estimates/accuracy")},
		"GET /attachment_rules":                               {nothing("/attachment_rules"), nothing("/attachment_rules?payer_id=CHTEST")},
		"GET /attachment_rules/{id}":                          {absent("/attachment_rules/" + m.rule)},
		"GET /fee_schedules":                                  {nothing("/fee_schedules"), nothing("/fee_schedules?kind=office_fees")},
		"GET /fee_schedules/{id}":                             {absent("/fee_schedules/" + m.fees)},
		"GET /fee_schedules/match":                            {{call: call{path: "/fee_schedules/match?procedure_code=D0120&date=2026-05-01"}, status: 200}}, // TestFeeSchedules has whose they are
		"GET /eligibility/batches":                            {nothing("/eligibility/batches")},
		"GET /eligibility/batches/{id}":                       {absent("/eligibility/batches/" + m.checks)},
		"GET /eligibility/batches/{id}/items":                 {absent("/eligibility/batches/" + m.checks + "/items")},
		"GET /connections/{id}/notes":                         {absent("/connections/" + m.connection + "/notes")},
		"GET /quarantine/{id}/notes":                          {absent("/quarantine/" + m.quarantined + "/notes")},

		"POST /eligibility/batches/schedule": {{call{path: "/eligibility/batches/schedule", body: scheduleBody(s.office.String())}, 404, billing.CodeNotFound}},
		"GET /automation":                    {{call: call{path: "/automation"}, status: 200}},               // TestAutomation has whose it is
		"GET /import_mappings/{kind}":        {{call: call{path: "/import_mappings/schedule"}, status: 200}}, // TestImportMappings has whose they are

		"GET /sandbox/clock":         {{call: call{path: "/sandbox/clock"}, status: 200}},         // of their own
		"GET /sandbox/organizations": {{call: call{path: "/sandbox/organizations"}, status: 200}}, // of their own
		"GET /sandbox/faults":        {{call: call{path: "/sandbox/faults"}, status: 200}},        // TestFaultsOfOneOrganization has whose they are

		"GET /requests":      {nothing("/requests?key_id=" + m.key)},
		"GET /requests/{id}": {absent("/requests/" + m.logged)},

		"GET /webhook_endpoints":                 {nothing("/webhook_endpoints")},
		"GET /webhook_endpoints/{id}":            {absent("/webhook_endpoints/" + m.endpoint)},
		"GET /webhook_endpoints/{id}/deliveries": {absent("/webhook_endpoints/" + m.endpoint + "/deliveries")},
		"GET /webhook_deliveries": {
			nothing("/webhook_deliveries"), nothing("/webhook_deliveries?endpoint_id=" + m.endpoint), nothing("/webhook_deliveries?event_id=" + m.event),
		},
		"GET /webhook_deliveries/{id}": {absent("/webhook_deliveries/" + m.delivery)},
		"GET /events/{id}/deliveries":  {absent("/events/" + m.event + "/deliveries")},
	}
}

func (s *service) writesByStrangers(t *testing.T, m made) map[string][]foreign {
	t.Helper()
	attachment, request, endpoint := "/attachments/"+m.attachment, "/payer_requests/"+m.request, "/webhook_endpoints/"+m.endpoint
	absent := func(c call) foreign { return foreign{c, 404, billing.CodeNotFound} }
	post := func(path string, fields ...any) foreign {
		return absent(call{path: path, body: jsonOf(anObject{}, with(fields...))})
	}
	return map[string][]foreign{
		"POST /claims/search":   {{call: call{path: "/claims/search", body: `{"query":"example"}`}}},
		"POST /patients/search": {{call: call{path: "/patients/search", body: `{"query":"example"}`}}},
		"POST /eligibility":     {absent(call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil)})},
		"POST /attachments": {
			absent(call{path: "/attachments", body: s.own(nil)}), // its office
			post("/attachments", "claim_id", m.claim),
			post("/attachments", "kind", "solicited", "payer_request_id", m.request),
		},
		"PATCH /attachments/{id}":                     {absent(patch(attachment, "mine"))},
		"POST /attachments/{id}/close":                {post(attachment + "/close")},
		"POST /attachments/{id}/documents":            {absent(upload(attachment, chart(jpegOf(2)))), absent(upload(attachment, chart(pngOf(2))))},
		"DELETE /attachments/{id}/documents/{doc_id}": {absent(remove(attachment, m.document))},
		"POST /payer_requests": {
			post("/payer_requests", "claim_id", m.claim, "reference_number", "R", "requested", "All."),
		},
		"POST /payer_requests/{id}/answer": {
			post(request+"/answer", "narrative", "mine"),
			post(request+"/answer", "attachment_id", m.answeredBy),
			post("/payer_requests/"+m.answered+"/answer", "narrative", "mine"),
		},
		"POST /claims":                       {absent(call{path: "/claims", body: s.crown("1", nil)})}, // its office
		"PATCH /claims/{id}":                 {absent(call{method: "PATCH", path: "/claims/" + m.queued, body: `{"note":"mine"}`})},
		"POST /claims/{id}/submit":           {post("/claims/" + m.sent + "/submit")},
		"POST /claims/{id}/void":             {post("/claims/" + m.paid + "/void")},
		"POST /claims/{id}/replace":          {absent(call{path: "/claims/" + m.paid + "/replace", body: s.crown("1", nil)})},
		"POST /claims/{id}/reconcile":        {post("/claims/" + m.paid + "/reconcile")},
		"POST /claims/{id}/reopen":           {post("/claims/" + m.paid + "/reopen")},
		"POST /claims/{id}/hold":             {post("/claims/"+m.queued+"/hold", "reason", "mine")},
		"POST /claims/{id}/appeals":          {post("/claims/"+m.refused+"/appeals", "reason", "mine")},
		"PATCH /appeals/{id}":                {absent(call{method: "PATCH", path: "/appeals/" + m.appeal, body: `{"letter":"mine"}`})},
		"POST /appeals/{id}/sent":            {post("/appeals/"+m.appeal+"/sent", "on", lately(1), "by", "mail")},
		"POST /appeals/{id}/decided":         {post("/appeals/"+m.appeal+"/decided", "on", lately(1), "outcome", "withdrawn")},
		"PUT /payer_limits/{payer_id}":       {{call{method: "PUT", path: "/payer_limits/nobody", body: `{"filing_days":9}`}, 404, billing.CodeNotFound}}, // it names nothing; TestPayerLimits has whose they are
		"DELETE /payer_limits/{payer_id}":    {absent(call{method: "DELETE", path: "/payer_limits/CHTEST"})},
		"POST /claims/{id}/status_inquiries": {post("/claims/" + m.sent + "/status_inquiries")},
		"POST /claims/{id}/release":          {post("/claims/" + m.queued + "/release")},
		"POST /claims/{id}/convert": {
			post("/claims/"+m.question+"/convert", "lines", []anObject{{"line_number": 1, "service_date": lately(1)}}),
		},
		"POST /claims/{id}/bill_secondary": {
			post("/claims/"+m.paid+"/bill_secondary", "payer_id", "84105", "relationship", "self", "subscriber", anObject{
				"first_name": "A", "last_name": "B", "date_of_birth": "1980-01-01", "member_id": "M1",
			}),
		},
		"POST /eras/import":                        {{importing("mine"), 422, billing.CodeInvalidRequest}}, // it names nothing; TestImportStaysInItsScope imports
		"POST /quarantine/{id}/assign":             {post("/quarantine/"+m.quarantined+"/assign", "office_id", s.office.String())},
		"DELETE /quarantine/{id}":                  {absent(call{method: "DELETE", path: "/quarantine/" + m.quarantined})},
		"POST /eras/{id}/post":                     {post("/eras/"+m.era+"/post", "accept_unfinished", true)},
		"POST /eras/{id}/unpost":                   {post("/eras/"+m.era+"/unpost", "note", "mine")},
		"POST /eras/{id}/acknowledge":              {post("/eras/"+m.era+"/acknowledge", "note", "mine")},
		"POST /eras/{id}/replace":                  {post("/eras/"+m.era+"/replace", "note", "mine")},
		"POST /eras/{id}/keep":                     {post("/eras/"+m.era+"/keep", "note", "mine")},
		"POST /eras/{id}/claims/{ordinal}/match":   {post("/eras/"+m.era+"/claims/1/match", "claim_id", m.sent)},
		"POST /eras/{id}/claims/{ordinal}/apply":   {post("/eras/"+m.era+"/claims/1/apply", "note", "mine")},
		"POST /eras/{id}/claims/{ordinal}/ignore":  {post("/eras/"+m.era+"/claims/1/ignore", "note", "mine")},
		"POST /eras/{id}/claims/{ordinal}/unapply": {post("/eras/"+m.era+"/claims/1/unapply", "note", "mine")},
		"PATCH /offices/{id}":                      {absent(call{method: "PATCH", path: "/offices/" + s.office.String(), body: `{"name":"mine"}`})},
		"POST /offices/{id}/withdraw_change":       {post("/offices/" + s.office.String() + "/withdraw_change")},
		"PATCH /providers/{id}":                    {absent(call{method: "PATCH", path: "/providers/" + s.dentist.String(), body: `{"last_name":"mine"}`})},
		"PUT /enrollments": {absent(call{method: "PUT", path: "/enrollments", body: jsonOf(anObject{
			"office_id": s.office.String(), "payer_id": "CHTEST", "transaction": "claims", "state": "active",
		}, nil)})},
		"PATCH /sandbox/clock":                                  {}, // these name nothing
		"POST /sandbox/clock/advance":                           {},
		"POST /sandbox/clock/stop":                              {},
		"POST /sandbox/organizations":                           {}, // it names nothing; TestThrowAways makes some
		"DELETE /sandbox/organizations/{id}":                    {absent(call{method: "DELETE", path: "/sandbox/organizations/" + s.org.String()})},
		"POST /sandbox/reset":                                   {{call{path: "/sandbox/reset", body: `{"confirm":"` + s.org.String() + `"}`, bad: true}, 422, billing.CodeInvalidRequest}},
		"PUT /sandbox/faults":                                   {},
		"POST /sandbox/claims/{id}/simulate":                    {post("/sandbox/claims/"+m.sent+"/simulate", "accept", anObject{})},
		"POST /sandbox/eras":                                    {}, // it names nothing; TestSandboxERA sends some
		"POST /sandbox/scenarios":                               {}, // it names nothing; TestOwnScenarios makes some
		"PATCH /sandbox/scenarios/{ending}":                     {absent(call{method: "PATCH", path: "/sandbox/scenarios/-DELTA", body: `{"summary":"mine"}`})},
		"DELETE /sandbox/scenarios/{ending}":                    {absent(call{method: "DELETE", path: "/sandbox/scenarios/-DELTA"})},
		"POST /eligibility/batches":                             {}, // it names an office and parents, as POST /eligibility does; TestCheckBatches makes some
		"POST /tasks/{id}/snooze":                               {post("/tasks/" + m.task + "/snooze")},
		"POST /claims/{id}/notes":                               {absent(call{path: "/claims/" + m.claim + "/notes", body: noteBody})},
		"POST /eras/{id}/notes":                                 {absent(call{path: "/eras/" + m.era + "/notes", body: noteBody})},
		"POST /payer_requests/{id}/notes":                       {absent(call{path: "/payer_requests/" + m.request + "/notes", body: noteBody})},
		"POST /attachments/{id}/notes":                          {absent(call{path: "/attachments/" + m.attachment + "/notes", body: noteBody})},
		"POST /enrollments/{id}/notes":                          {absent(call{path: "/enrollments/" + m.enrollment + "/notes", body: noteBody})},
		"POST /deposits/{id}/notes":                             {absent(call{path: "/deposits/" + m.deposit + "/notes", body: noteBody})},
		"POST /eligibility/batches/{id}/items/{item_id}/notes":  {absent(call{path: "/eligibility/batches/" + m.checks + "/items/one/notes", body: noteBody})},
		"POST /connections/{id}/notes":                          {absent(call{path: "/connections/" + m.connection + "/notes", body: noteBody})},
		"POST /quarantine/{id}/notes":                           {absent(call{path: "/quarantine/" + m.quarantined + "/notes", body: noteBody})},
		"POST /deposits/import":                                 {{banking("mine"), 422, billing.CodeInvalidRequest}}, // it names nothing; TestDepositsStayInTheirScope imports
		"POST /deposits/{id}/match":                             {post("/deposits/"+m.deposit+"/match", "parts", []anObject{{"era_id": m.era}})},
		"POST /deposits/{id}/unmatch":                           {post("/deposits/" + m.deposit + "/unmatch")},
		"POST /notes/{id}/strike":                               {absent(call{path: "/notes/" + m.note + "/strike", body: `{"reason":"mine"}`})},
		"POST /tasks/{id}/wake":                                 {post("/tasks/" + m.task + "/wake")},
		"POST /tasks/{id}/settle":                               {post("/tasks/"+m.task+"/settle", "as", "will_not_send")},
		"POST /tasks/{id}/assign":                               {{call{path: "/tasks/" + m.task + "/assign", body: `{"user_id":null}`}, 404, billing.CodeNotFound}},
		"POST /eligibility/batches/{id}/retry":                  {post("/eligibility/batches/"+m.checks+"/retry", "item_ids", []string{"one"})},
		"POST /eligibility/batches/{id}/cancel":                 {post("/eligibility/batches/" + m.checks + "/cancel")},
		"POST /eligibility/batches/{id}/items/{item_id}/cancel": {post("/eligibility/batches/" + m.checks + "/items/one/cancel")},
		"POST /eligibility/{id}/additions":                      {absent(call{path: "/eligibility/" + m.check + "/additions", body: additionBody("status", "inactive")})},
		"DELETE /eligibility/{id}/additions/{n}":                {absent(call{method: "DELETE", path: "/eligibility/" + m.check + "/additions/1"})},
		"POST /estimates": {
			absent(call{path: "/estimates", body: estimateBody(m.check)}), absent(call{path: "/estimates", body: estimateBody(m.check, "preview", true)}),
		},
		"PUT /status_policies/{payer_id}":    {{call{method: "PUT", path: "/status_policies/nobody", body: "{}"}, 404, billing.CodeNotFound}}, // TestStatusPolicies has whose they are
		"DELETE /status_policies/{payer_id}": {absent(call{method: "DELETE", path: "/status_policies/CHTEST"})},
		"PUT /automation":                    {}, // it names nothing; TestAutomation has whose it is
		"PUT /import_mappings/{kind}":        {}, // it names nothing; TestImportMappings has whose they are
		"POST /attachment_rules":             {}, // it names nothing of an organization; TestAttachmentRules has whose they are
		"PATCH /attachment_rules/{id}":       {absent(call{method: "PATCH", path: "/attachment_rules/" + m.rule, body: `{"needs":[]}`})},
		"DELETE /attachment_rules/{id}":      {absent(call{method: "DELETE", path: "/attachment_rules/" + m.rule})},
		"POST /fee_schedules": {
			absent(call{path: "/fee_schedules", body: feesBody("office_id", s.office.String())}),
			absent(call{path: "/fee_schedules", body: feesBody("replaces", m.fees)}),
		},
		"POST /offices":                              {}, // they name nothing; untouchedClaims makes some
		"POST /providers":                            {},
		"POST /webhook_endpoints":                    {}, // it names nothing; untouchedEndpoint makes some
		"PATCH /webhook_endpoints/{id}":              {absent(call{method: "PATCH", path: endpoint, body: `{"description":"mine"}`})},
		"DELETE /webhook_endpoints/{id}":             {absent(call{method: "DELETE", path: endpoint})},
		"POST /webhook_endpoints/{id}/rotate_secret": {post(endpoint + "/rotate_secret")},
		"POST /webhook_endpoints/{id}/disable":       {post(endpoint + "/disable")},
		"POST /webhook_endpoints/{id}/enable":        {post(endpoint + "/enable")},
		"POST /webhook_endpoints/{id}/ping":          {post(endpoint + "/ping")},
		"POST /events/{id}/resend":                   {post("/events/" + m.event + "/resend"), post("/events/"+m.event+"/resend", "endpoint_id", m.endpoint)},
		"POST /webhook_deliveries/resend": {
			post("/webhook_deliveries/resend", "endpoint_id", m.endpoint, "created_after", "2000-01-01T00:00:00Z"),
			post("/webhook_deliveries/resend", "event_id", m.event, "created_after", "2000-01-01T00:00:00Z"),
		},
		"POST /events/resend": {
			post("/events/resend", "endpoint_id", m.endpoint, "created_after", "2000-01-01T00:00:00Z", "created_before", "2100-01-01T00:00:00Z"),
		},
	}
}

// untouched checks that what was made is as it was, and that a request of one's
// own cannot be answered with another's attachment.
func (s *service) untouched(t *testing.T, m made) {
	t.Helper()
	a := s.must(t, 200, call{path: "/attachments/" + m.attachment})
	if a.text(t, "state") != "open" || a.text(t, "narrative") != "" || len(a.documents(t)) != 1 {
		t.Errorf("attachment %s", a.body)
	}
	s.must(t, 200, call{path: "/payer_requests/" + m.request}).shows(t, "state", "open")
	s.untouchedEndpoint(t, m)
	s.untouchedClaims(t, m)
	theirs := s.must(t, 201, call{path: "/payer_requests", body: letter(nil), key: s.other}).text(t, "id")
	wantStatus(t, s.do(t, call{
		path: "/payer_requests/" + theirs + "/answer", body: jsonOf(anObject{"attachment_id": m.answeredBy}, nil), key: s.other,
	}), 404, billing.CodeNotFound)
}

// untouchedEndpoint checks that what strangers do to endpoints, or make, is no
// matter of the first organization's.
func (s *service) untouchedEndpoint(t *testing.T, m made) {
	t.Helper()
	for _, key := range []string{s.other, s.live} {
		s.must(t, 200, call{path: "/webhook_endpoints", body: hook("/stranger", nil), key: key})
	}
	if ids := s.walk(t, "/webhook_endpoints"); len(ids) != 1 || ids[0] != m.endpoint {
		t.Errorf("endpoints %v", ids)
	}
	e := s.must(t, 200, call{path: "/webhook_endpoints/" + m.endpoint})
	e.shows(t, "status", "enabled", "description", "")
	posts := s.receiver.wait(t, "/tenant", 1)
	if len(posts) != 1 || !posts[0].verifies(m.secret) || len(s.walk(t, "/webhook_endpoints/"+m.endpoint+"/deliveries")) != 1 {
		t.Errorf("posts %v", posts)
	}
}

// untouchedClaims checks the same of claims, and of what they name.
func (s *service) untouchedClaims(t *testing.T, m made) {
	t.Helper()
	for id, state := range map[string]string{m.sent: "validated", m.queued: "needs_attention", m.paid: "paid", m.question: "returned"} {
		s.must(t, 200, call{path: "/claims/" + id}).shows(t, "state", state, "note", nil, "converted_to", nil)
	}
	s.must(t, 200, call{path: "/eras/" + m.era}).shows(t, "state", "needs_review", "claims.data.0.status", "unmatched", "claims.data.0.claim_id", nil)
	for _, key := range []string{s.other, s.live} {
		office := s.must(t, 201, call{path: "/offices", body: `{"name":"Mine","npi":"1234567893"}`, key: key}).text(t, "id")
		provider := s.must(t, 201, call{path: "/providers", body: `{"first_name":"Ann","last_name":"Lee","npi":"1234567893"}`, key: key}).text(t, "id")
		for _, foreign := range []string{s.crown("1", with("office_id", office)), s.crown("1", with("rendering_provider_id", provider))} {
			wantStatus(t, s.do(t, call{path: "/claims", body: foreign}), 404, billing.CodeNotFound)
		}
		theirs := s.crown("1", with("office_id", office, "patient_control_number", m.number, "rendering_provider_id", s.dentist.String()))
		wantStatus(t, s.do(t, call{path: "/claims", body: theirs, key: key}), 404, billing.CodeNotFound)
	}
	if all := s.walk(t, "/offices"); len(all) != 1 || all[0] != s.office.String() {
		t.Errorf("offices %v", all)
	}
	if all := s.walk(t, "/providers"); len(all) != 1 || all[0] != s.dentist.String() {
		t.Errorf("providers %v", all)
	}
}

func testPayer(t *testing.T) billing.PayerID {
	t.Helper()
	p, _ := porttest.Payers(t).Find("CHTEST")
	return p.ID
}
