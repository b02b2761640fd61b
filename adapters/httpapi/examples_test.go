package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/task"
)

// story calls every operation of the contract once, with the request that the
// contract has as its example, and keeps the replies.
type story struct {
	*service
	doc     *openapi3.T
	newest  map[string]string // the last ID of each prefix
	replies map[string]string // by operationId
}

// TestContractShowsReplies compares the reply to each operation with its example
// in openapi.yaml. With -update it writes the examples that differ.
func TestContractShowsReplies(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.clear(t)
	doc, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	x := &story{s, doc, map[string]string{}, map[string]string{}}
	x.see("off_", s.office.String())
	x.see("prv_", s.dentist.String())
	x.directory(t)
	x.webhooks(t, x.eligibility(t))
	x.tasks(t)
	x.claims(t)
	x.remittances(t)
	x.attachments(t)
	x.users(t)
	x.changes(t)
	x.clock(t)
	x.tasksFollowRules(t)
	x.show(t, "createSandboxERA", call{}) // at the end, because it becomes the newest remittance
	made := x.show(t, "createSandboxOrganization", call{}).text(t, "id")
	x.show(t, "listSandboxOrganizations", call{})
	x.show(t, "deleteSandboxOrganization", call{}, made)
	x.see("org_", x.org.String())
	x.show(t, "resetSandbox", call{})
	x.compare(t)
}

func (x *story) see(prefix, id string) { x.newest[prefix] = id }

var (
	idInText  = regexp.MustCompile(`\b[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}\b`)
	anyKey    = regexp.MustCompile(`(molar_(test|live)_)\w{38}`)
	dayInText = regexp.MustCompile(`"202[5-7]-\d\d-\d\d"`)
	base      = billing.Date{Year: 2026, Month: 2, Day: 5} // today, in the examples of requests
)

// show calls an operation, with a path for each name in its own. The example of
// its request is sent with the newest ID of each kind and with days of the last
// weeks. Fields of the call replace it.
func (x *story) show(t *testing.T, operation string, c call, path ...string) response {
	t.Helper()
	id, example, _ := strings.Cut(operation, "/")
	for template, item := range x.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.OperationID != id {
				continue
			}
			for _, p := range path {
				from, to := strings.Index(template, "{"), strings.Index(template, "}")
				template = template[:from] + p + template[to+1:]
			}
			c.method, c.path, c.idem = method, template+c.path, cmp.Or(c.idem, id)
			if op.RequestBody != nil && c.body == "" {
				c.body = x.example(t, op.RequestBody.Value.Content.Get("application/json"), example)
			}
			a := x.do(t, c)
			if a.StatusCode/100 != 2 {
				t.Fatalf("%s: %d %s", operation, a.StatusCode, a.body)
			}
			x.replies[id] = a.body
			if a.StatusCode == http.StatusOK {
				x.replies[id+"200"] = a.body // beside the one of a 201
			}
			for _, seen := range idInText.FindAllString(a.body, 1) { // its own
				x.see(seen[:4], seen)
			}
			return a
		}
	}
	t.Fatalf("no operation is %s", id)
	return response{}
}

// example returns the example of a request as it can be sent.
func (x *story) example(t *testing.T, media *openapi3.MediaType, name string) string {
	t.Helper()
	value := media.Example
	if name != "" {
		value = media.Examples[name].Value.Value
	}
	body, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	text := idInText.ReplaceAllStringFunc(string(body), func(id string) string { return x.newest[id[:4]] })
	return dayInText.ReplaceAllStringFunc(text, func(day string) string {
		d, err := billing.ParseDate(strings.Trim(day, `"`))
		if err != nil {
			t.Fatal(err)
		}
		return `"` + lately(int(base.Time().Sub(d.Time()).Hours()/24)) + `"`
	})
}

func (x *story) tasks(t *testing.T) {
	t.Helper()
	x.enroll(t, call{}, "60054", "claims", "needed")
	x.notes(t, "Connection", x.pausedConnection(t).ID.String())
	x.notes(t, "Enrollment", x.must(t, 200, call{path: "/enrollments?limit=1"}).text(t, "data", "0", "id"))
	first := x.show(t, "listTasks", call{path: "?limit=1"}).text(t, "data", "0", "id")
	x.see("usr_", x.visits(t, x.org, "biller@example.com", caller.RoleBiller).user.String())
	x.show(t, "assignTask", call{}, first)
	x.show(t, "snoozeTask/day", call{body: `{"until":"` + lately(-5) + `"}`}, first)
	x.show(t, "wakeTask", call{}, first)
	x.show(t, "getTask", call{}, first)
	asked := x.must(t, 201, call{path: "/payer_requests", body: `{"payer_id":"60054","reference_number":"R 77","requested":"Send the chart."}`}).text(t, "id")
	unsent := x.must(t, 200, call{path: "/tasks?resource_id=" + asked}).text(t, "data", "0", "id")
	x.show(t, "settleTask", call{body: `{"as":"will_not_send","note":"The patient left the practice."}`}, unsent)
	x.must(t, 200, call{path: "/tasks?state=done&resource_id=" + asked}).shows(t, "data.0.settled.as", "will_not_send", "data.0.state", "done")
}

// notes adds a note to a resource, and lists it.
func (x *story) notes(t *testing.T, to string, path ...string) (note string) {
	t.Helper()
	note = x.show(t, "add"+to+"Note", call{}, path...).text(t, "id")
	x.show(t, "list"+to+"Notes", call{path: "?limit=1"}, path...)
	return note
}

// tasksFollowRules computes the tasks of all that the story made from scratch: none differs
// from those that its writes left.
func (x *story) tasksFollowRules(t *testing.T) {
	t.Helper()
	sum, err := x.options.Tasks.Renew(t.Context(), x.test, func(task.Renewed) {})
	if err != nil || sum.Resources < 20 || sum.Differed > 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func (x *story) directory(t *testing.T) {
	t.Helper()
	office := x.show(t, "createOffice", call{}).text(t, "id")
	x.show(t, "listOffices", call{path: "?limit=1"})
	x.show(t, "getOffice", call{}, office)
	x.show(t, "updateOffice", call{}, office)
	live := x.must(t, 201, call{method: "POST", path: "/offices", key: x.live, body: `{"name":"Main Street","npi":"1234567893"}`}).text(t, "id")
	if id, err := billing.ParseID[billing.OfficeID](live); err != nil {
		t.Fatal(err)
	} else if _, err := x.access.VerifyOffice(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	x.must(t, 200, call{method: "PATCH", path: "/offices/" + live, key: x.live, body: `{"name":"Main Street Dental"}`})
	x.show(t, "withdrawOfficeChange", call{key: x.live}, live)
	x.see("off_", office)
	x.show(t, "putEnrollment", call{})
	x.show(t, "listEnrollments", call{path: "?limit=1"})
	schedule := x.show(t, "createFeeSchedule/office", call{}).text(t, "id")
	x.show(t, "createFeeSchedule/allowed", call{idem: "allowed"})
	x.show(t, "listFeeSchedules", call{path: "?limit=1"})
	x.show(t, "getFeeSchedule", call{}, schedule)
	x.show(t, "matchFeeSchedules", call{path: "?procedure_code=D0120&date=" + lately(3) + "&payer_id=CHTEST&network=in"})
	x.show(t, "getImportMapping", call{}, "schedule")
	x.show(t, "putImportMapping", call{}, "schedule")
	media := x.doc.Paths.Find("/eligibility/batches/schedule").Post.RequestBody.Value.Content.Get("application/json")
	x.show(t, "readSchedule", call{body: strings.ReplaceAll(x.example(t, media, ""), "2026-12-01", lately(0))})
	provider := x.show(t, "createProvider", call{}).text(t, "id")
	x.show(t, "listProviders", call{path: "?limit=1"})
	x.show(t, "getProvider", call{}, provider)
	x.show(t, "updateProvider", call{}, provider)
	payer := x.show(t, "listPayers", call{path: "?limit=1"}).text(t, "data", "0", "id")
	x.show(t, "getPayer", call{}, payer)
	x.show(t, "listDocumentTypes", call{})
	x.show(t, "listSandboxScenarios", call{path: "?operation=attachment"})
	x.show(t, "createSandboxScenario/x12", call{})
	x.show(t, "createSandboxScenario/plan", call{idem: "plan"})
	x.show(t, "getSandboxScenario", call{}, "-PREMIER")
	x.show(t, "updateSandboxScenario", call{}, "-DELTA")
	x.show(t, "deleteSandboxScenario", call{}, "-DELTA")
}

// eligibility returns the check of the story.
func (x *story) eligibility(t *testing.T) (check string) {
	t.Helper()
	first := x.show(t, "createEligibilityCheck/subscriber", call{})
	check = first.text(t, "id")
	x.show(t, "listEligibilityChecks", call{path: "?limit=1"})
	x.show(t, "getEligibilityCheck", call{}, check)
	x.show(t, "getEligibilityExchange", call{}, check)
	x.show(t, "addToEligibilityCheck/call", call{}, check)
	x.show(t, "strikeEligibilityAddition", call{}, check, "1")
	x.see("elg_", check)
	batch := x.show(t, "createEligibilityBatch/tomorrow", call{}).text(t, "id")
	x.settledBatch(t, batch)
	x.show(t, "listEligibilityBatches", call{path: "?limit=1"})
	x.show(t, "getEligibilityBatch", call{}, batch)
	x.show(t, "listEligibilityBatchItems", call{path: "?limit=1"}, batch)
	x.show(t, "retryEligibilityBatch/again", call{}, batch)
	x.settledBatch(t, batch)
	x.notes(t, "EligibilityBatchItem", batch, "4712")
	x.show(t, "cancelEligibilityBatchItem", call{}, batch, "4712")
	x.show(t, "cancelEligibilityBatch", call{}, batch)
	estimate := x.show(t, "createEstimate/crown", call{}).text(t, "id")
	x.show(t, "listEstimates", call{path: "?limit=1"})
	x.show(t, "getEstimate", call{}, estimate)
	request := first.text(t, "request_id")
	x.logged(t, request)
	x.show(t, "getRequest", call{}, request)
	x.show(t, "listRequests", call{path: "?resource_id=" + check + "&operation=POST%20/eligibility"})
	return check
}

func (x *story) webhooks(t *testing.T, check string) {
	t.Helper()
	endpoint := x.show(t, "createWebhookEndpoint/some", call{}).text(t, "id")
	x.show(t, "listWebhookEndpoints", call{})
	x.show(t, "pingWebhookEndpoint", call{}, endpoint)
	x.show(t, "getWebhookEndpoint", call{}, endpoint)
	x.show(t, "rotateWebhookSecret", call{}, endpoint)
	event := x.show(t, "listEvents", call{path: "?resource_id=" + check}).text(t, "data", "0", "id")
	x.show(t, "getEvent", call{}, event)
	x.show(t, "resendEvent/one", call{}, event)
	delivery := x.settled(t, "/webhook_endpoints/"+endpoint, 1)[0]["id"].(string)
	x.show(t, "listEventDeliveries", call{}, event)
	x.show(t, "listWebhookDeliveries", call{}, endpoint)
	x.show(t, "findWebhookDeliveries", call{path: "?endpoint_id=" + endpoint})
	x.show(t, "getWebhookDelivery", call{}, delivery)
	x.show(t, "resendEvents/narrow", call{})
	x.show(t, "resendWebhookDeliveries/failed", call{})
	x.show(t, "disableWebhookEndpoint", call{}, endpoint)
	x.show(t, "enableWebhookEndpoint", call{}, endpoint)
	x.show(t, "updateWebhookEndpoint/types", call{}, endpoint)
	x.show(t, "deleteWebhookEndpoint", call{}, endpoint)
}

// claims follows claims to their payments.
func (x *story) claims(t *testing.T) {
	t.Helper()
	crown := func(patient string, change func(o anObject)) string {
		return x.must(t, 201, call{path: "/claims", body: x.crown("PAID-ERA", func(o anObject) {
			o["subscriber"].(anObject)["last_name"] = patient
			change(o)
		})}).text(t, "id")
	}
	claim := x.show(t, "createClaim/crown", call{}).text(t, "id")
	paid := x.until(t, "/claims/"+claim, "paid")
	x.show(t, "listClaims", call{path: "?state=paid"})
	x.show(t, "countClaims", call{})
	x.show(t, "getSummary", call{})
	x.show(t, "getAgingReport", call{})
	x.show(t, "getCollectionsReport", call{path: "?group_by=office"})
	x.show(t, "getPayersReport", call{})
	x.show(t, "searchClaims", call{body: `{"query":"example, sam","limit":10}`})
	x.show(t, "getClaim", call{}, claim)
	x.show(t, "createStatusInquiry", call{}, claim)
	x.show(t, "listStatusInquiries", call{}, claim)
	x.show(t, "getStatusInquiry", call{}, x.newest["inq_"])
	x.show(t, "getStatusExchange", call{}, x.newest["inq_"])
	x.show(t, "putStatusPolicy", call{}, "CHTEST")
	x.show(t, "listStatusPolicies", call{path: "?limit=1"})
	x.show(t, "deleteStatusPolicy", call{}, "CHTEST")
	x.show(t, "putPayerLimits", call{}, "CHTEST")
	x.show(t, "listPayerLimits", call{path: "?limit=1"})
	x.show(t, "deletePayerLimits", call{}, "CHTEST")
	x.show(t, "createAppeal", call{}, claim)
	x.show(t, "updateAppeal", call{}, x.newest["apl_"])
	x.show(t, "recordAppealSent", call{body: `{"on":"` + lately(1) + `","by":"mail","reference":"9400 1000 0000 0000"}`}, x.newest["apl_"])
	x.show(t, "recordAppealDecided", call{body: `{"on":"` + lately(0) + `","outcome":"partly"}`}, x.newest["apl_"])
	x.show(t, "getAppeal", call{}, x.newest["apl_"])
	x.show(t, "listAppeals", call{}, claim)
	rule := x.show(t, "createAttachmentRule", call{}).text(t, "id")
	x.show(t, "listAttachmentRules", call{path: "?limit=1"})
	x.show(t, "getAttachmentRule", call{}, rule)
	x.show(t, "updateAttachmentRule", call{}, rule)
	x.show(t, "deleteAttachmentRule", call{}, rule)
	x.show(t, "reconcileClaim", call{}, claim)
	x.show(t, "reopenClaim", call{}, claim)
	x.show(t, "strikeNote", call{}, x.notes(t, "Claim", claim))
	waits := x.must(t, 201, call{path: "/claims", body: x.crown("1", func(o anObject) { o["submit"] = false })}).text(t, "id")
	x.show(t, "holdClaim", call{body: `{"reason":"The dentist still writes the narrative.","until":"` + lately(-5) + `"}`}, waits)
	x.show(t, "releaseClaim", call{}, waits)
	x.show(t, "listPatients", call{})
	x.show(t, "searchPatients", call{body: `{"query":"sam example 1984-02-29"}`})
	x.show(t, "getPatient", call{}, paid.text(t, "patient_id"))
	x.show(t, "getPatientOverview", call{}, paid.text(t, "patient_id"))
	told := crown("Example", func(o anObject) {
		o["submit"], o["estimate_id"], o["lines"].([]anObject)[0]["tooth"] = true, x.newest["est_"], "15"
	})
	x.until(t, "/claims/"+told, "paid")
	x.show(t, "getEstimateAccuracy", call{}, x.newest["est_"])
	x.show(t, "listEstimateAccuracy", call{})
	x.see("clm_", claim)
	x.show(t, "listBatches", call{})
	batch := paid.text(t, "batch_id")
	x.show(t, "getBatch", call{}, batch)
	x.show(t, "getBatchFile", call{}, batch)
	x.show(t, "getBatchAcknowledgement", call{}, batch, "1")
	era := paid.text(t, "payment", "era_id")
	x.show(t, "listERAs", call{path: "?claim_id=" + claim})
	x.show(t, "getERA", call{}, era)
	x.show(t, "listERAClaims", call{}, era)
	x.show(t, "getERAFile", call{}, era)
	x.notes(t, "ERA", era)
	x.show(t, "getAutomation", call{})
	x.show(t, "putAutomation", call{})
	x.must(t, 200, call{method: "PUT", path: "/automation", body: `{"level":"review"}`})
	x.show(t, "postERA", call{}, era)
	x.show(t, "unpostERA", call{}, era)
	x.show(t, "billSecondary", call{}, claim)

	odd := crown("Lee", func(o anObject) { o["lines"].([]anObject)[0]["tooth"] = "99" })
	x.show(t, "updateClaim", call{}, odd)
	x.until(t, "/claims/"+odd, "paid")
	x.show(t, "replaceClaim", call{}, odd)
	valid := crown("Moss", with())
	x.show(t, "submitClaim", call{}, valid)
	x.until(t, "/claims/"+valid, "paid")
	x.show(t, "voidClaim", call{idem: "unsent"}, crown("Ash", with()))
	x.show(t, "voidClaim", call{}, valid)
	estimate := crown("Reed", func(o anObject) { asked(o); o["submit"] = true })
	x.until(t, "/claims/"+estimate, "returned")
	x.show(t, "convertClaim", call{}, estimate)
	refused := x.must(t, 201, call{path: "/claims", body: x.crown("DENIED", with("submit", true))}).text(t, "id")
	x.until(t, "/claims/"+refused, "denied")
	x.show(t, "getDenialsReport", call{})
	x.see("clm_", valid)
}

// clock advances the clock of the sandbox over a claim.
func (x *story) clock(t *testing.T) {
	t.Helper()
	x.show(t, "updateSandboxClock", call{})
	claim := x.must(t, 201, call{path: "/claims", body: x.crown("REVERSED", func(o anObject) {
		o["submit"], o["subscriber"].(anObject)["last_name"] = true, "Later"
	})}).text(t, "id")
	x.show(t, "getSandboxClock", call{})
	x.show(t, "advanceSandboxClock/next", call{})
	x.show(t, "stopSandboxClock", call{})
	for x.must(t, 200, call{path: "/claims/" + claim}).text(t, "state") != "accepted_payer" {
		x.advances(t, call{body: `{"until":"next"}`})
	}
	x.show(t, "simulateClaim", call{}, claim)
}

// remittances finishes the claims of a remittance.
func (x *story) remittances(t *testing.T) {
	t.Helper()
	paid, off := x.sent(t), x.sent(t)
	era := strings.TrimPrefix(x.remitted(t, x.key, x.test, paying("EFT-4711", 2400, crownPaid("UNKNOWN-1"),
		strings.Replace(crownPaid(off.PatientControlNumber), "CAS*CO*45*250~", "", 1), crownPaid("UNKNOWN-2"))), "/eras/")
	x.see("clm_", paid.ID.String())
	x.show(t, "matchERAClaim/claim", call{}, era, "1")
	x.show(t, "applyERAClaim", call{}, era, "2")
	x.show(t, "unapplyERAClaim", call{}, era, "2")
	x.show(t, "ignoreERAClaim", call{}, era, "3")
	x.see("clm_", paid.ID.String())

	form := func(file string) call {
		c := importing(file)
		return call{body: c.body, header: c.header}
	}
	_, all := x.show(t, "importERA", form(payingTo("EFT-4712", ourNPI, "EFT-4713", foreignNPI))).payments(t)
	x.deposits(t, all[0]["era_id"].(string))
	x.corrections(t, all[0]["era_id"].(string))
	x.show(t, "listQuarantine", call{})
	x.notes(t, "QuarantinedFile", all[1]["quarantine_id"].(string))
	x.see("off_", x.office.String())
	x.show(t, "assignQuarantinedFile", call{}, all[1]["quarantine_id"].(string))
	x.show(t, "deleteQuarantinedFile", call{}, x.quarantined(t))
}

// deposits imports the bank's file of a remittance, whose match is made by a person again.
func (x *story) deposits(t *testing.T, era string) {
	t.Helper()
	x.until(t, "/eras/"+era, "needs_review")
	file := bankDay("2026-03-05,-12.00,MONTHLY FEE", "2026-03-09,1.00,EXAMPLE DENTAL HCCLAIMPMT TRN*1*EFT-4712*1512345678")
	x.show(t, "importDeposits", call{body: file.body, header: file.header})
	x.show(t, "listDeposits", call{path: "?limit=1"})
	id := x.must(t, 200, call{path: "/deposits?era_id=" + era}).text(t, "data", "0", "id")
	x.show(t, "unmatchDeposit", call{}, id)
	x.show(t, "getDeposit", call{}, id)
	x.see("era_", era)
	x.show(t, "matchDeposit", call{}, id)
	x.notes(t, "Deposit", id)
}

// corrections imports the payment of a remittance again, with other figures.
func (x *story) corrections(t *testing.T, era string) {
	t.Helper()
	x.until(t, "/eras/"+era, "needs_review")
	x.must(t, 200, call{method: "POST", path: "/eras/" + era + "/claims/1/ignore"})
	second := x.must(t, 201, importing(correctedPayment("EFT-4712"))).text(t, "payments", "0", "era_id")
	x.until(t, "/eras/"+second, "needs_review")
	x.show(t, "keepERA", call{}, second)
	x.show(t, "replaceERA", call{}, second)
	off := x.remitted(t, x.key, x.test, paying("EFT-4714", 5, crownPaid("UNKNOWN-3")))
	x.show(t, "acknowledgeERA", call{}, strings.TrimPrefix(off, "/eras/"))
}

func (x *story) attachments(t *testing.T) {
	t.Helper()
	request := x.show(t, "createPayerRequest/claim", call{}).text(t, "id")
	x.show(t, "listPayerRequests", call{path: "?limit=1"})
	x.show(t, "getPayerRequest", call{}, request)
	x.notes(t, "PayerRequest", request)
	attachment := x.show(t, "createAttachment/claim", call{}).text(t, "id")
	form := func(file []byte) call {
		c := upload("", film(file))
		return call{body: c.body, header: c.header}
	}
	document := x.show(t, "uploadDocument/film", form(jpegOf(1)), attachment).documents(t)[0]["id"].(string)
	x.show(t, "getAttachment", call{}, attachment)
	x.notes(t, "Attachment", attachment)
	x.show(t, "listAttachments", call{path: "?limit=1"})
	x.show(t, "updateAttachment", call{}, attachment)
	x.show(t, "getDocumentContent", call{}, attachment, document)
	x.show(t, "getDocumentThumbnail", call{}, attachment, document)
	x.must(t, 201, upload("/attachments/"+attachment, film(jpegOf(2))))
	x.show(t, "deleteDocument", call{}, attachment, document)
	x.show(t, "closeAttachment", call{}, attachment)
	x.show(t, "answerPayerRequest/words", call{}, request)
}

func (x *story) users(t *testing.T) {
	t.Helper()
	_, token := x.invited(t, x.org, "ann@example.com", caller.RoleOwner)
	ann := x.enters(t, billing.UserID{}, fmt.Sprintf(`{"token":%q}`, token))
	me := ann.call(call{})
	id := x.show(t, "getMe", me).text(t, "user", "id")
	x.must(t, 200, ann.call(call{method: "PATCH", path: "/users/" + id, body: `{"password":"` + password + `"}`}))
	session := x.show(t, "signIn", call{header: browserHeaders()})
	ann = visitor{headers: browserHeaders()}
	ann.headers["Cookie"] = cookieOf(session)
	x.show(t, "listSessions", ann.call(call{}))
	ben := x.show(t, "inviteUser", ann.call(call{})).text(t, "id")
	x.show(t, "listUsers", ann.call(call{path: "?limit=1"}))
	x.show(t, "inviteUserAgain", ann.call(call{}), ben)
	x.show(t, "resetUser", ann.call(call{}), ben)
	x.must(t, 200, ann.call(call{path: "/patients?limit=1"}))
	x.show(t, "listAuditEntries", ann.call(call{path: "?limit=1"}))
	x.show(t, "updateUser", ann.call(call{}), ben)
	key := x.show(t, "createAPIKey", ann.call(call{})).text(t, "id")
	x.show(t, "listAPIKeys", ann.call(call{path: "?limit=1"}))
	x.connection(t)
	x.show(t, "listConnections", ann.with("Molar-Mode", "live").call(call{}))
	x.show(t, "revokeAPIKey", ann.call(call{}), key)
	careful := x.visits(t, x.org, "cleo@example.com", caller.RoleOwner)
	x.show(t, "updateOrganization", x.secured(t, careful).call(call{}))
	x.show(t, "endSession", ann.call(call{}), session.text(t, "id"))
	x.show(t, "putSandboxFaults", call{})
	x.show(t, "getSandboxFaults", call{})
	x.must(t, 200, call{method: "PUT", path: "/sandbox/faults", idem: "no-faults", body: `{"rules": []}`})
	x.show(t, "getOpenAPI", call{})
}

// changes follows the making of a claim.
func (x *story) changes(t *testing.T) {
	t.Helper()
	f := x.follow(t, keyHeader(x.key))
	x.see("off_", x.office.String())
	x.see("prv_", x.dentist.String())
	create := x.doc.Paths.Find("/claims").Post
	claim := x.must(t, 201, call{path: "/claims", body: x.example(t, create.RequestBody.Value.Content.Get("application/json"), "crown")}).text(t, "id")
	f.shows(claim, x.walk(t, "/events?resource_id="+claim)[0])
	x.replies["followChanges"] = f.text
}

// compare compares every reply with its example.
func (x *story) compare(t *testing.T) {
	t.Helper()
	file := contractFile{lines: strings.SplitAfter(string(contract), "\n")}
	for _, item := range x.doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status, reply := range op.Responses.Map() {
				for mime, media := range reply.Value.Content {
					if status[0] != '2' || mime == "image/jpeg" || mime == "application/yaml" || mime == "text/csv" { // of JSON as a file
						continue
					}
					name := op.OperationID
					if _, also := x.replies[name+status]; also && op.Responses.Value("201") != nil {
						name += status
					}
					got, called := x.replies[name]
					var want string
					if e := media.Examples["reply"]; e != nil {
						want = exampleText(e.Value.Value)
					}
					got = anyKey.ReplaceAllString(strings.ReplaceAll(got, "http://"+x.addr, "https://molar.example.com"), "${1}"+strings.Repeat("0", 38))
					switch {
					case !called:
						t.Errorf("%s: the story does not call it", op.OperationID)
					case settle(got) == settle(want):
					case *update:
						file.write(t, op.OperationID, name, status, mime, got)
					default:
						t.Errorf("%s: the reply differs from its example, from here: %s; run this test with -update", op.OperationID, difference(settle(got), settle(want)))
					}
				}
			}
		}
	}
	if *update {
		if err := os.WriteFile("openapi.yaml", []byte(strings.Join(file.lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// changing are the parts of a reply that every run has otherwise: IDs, times,
// secrets, hashes, and numbers that count up.
var changing = regexp.MustCompile(`_[0-9A-HJKMNP-TV-Z]{26}\b|"(next_cursor|secret|last_four|md5|sha256|user_agent)":"[^"]*"|\bid: [0-9a-f]{32}|"(duration|latency)_ms":[\d.]+|\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT|[A-Z][a-z]+ \d{1,2}, \d{4}\b|sign-in#[^"]+|[0-9A-Z]{16,}|\d{4}-\d\d-\d\d(T[\d:.]+\+00:00)?|\d{5,}(\.\d+)?|\*\d{4}\b`)

// settle returns JSON or X12 without what changes, its fields in the order of
// their names.
func settle(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		text = exampleText(v)
	}
	return changing.ReplaceAllString(text, "*")
}

// difference shows where two texts part.
func difference(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	part := func(s string) string { return s[max(0, at-40):min(len(s), at+80)] }
	return fmt.Sprintf("%q, want %q", part(got), part(want))
}

// exampleText is an example as a reply has it.
func exampleText(v any) string {
	if text, isText := v.(string); isText {
		return text
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// contractFile is openapi.yaml. Its last part is the examples of replies.
type contractFile struct{ lines []string }

// write writes the example of an operation's reply, and the reference to it.
func (f *contractFile) write(t *testing.T, operation, name, status, mime, reply string) {
	t.Helper()
	f.refer(t, operation, name, status, mime)
	at := f.find(t, 0, "  examples:")
	for at++; at < len(f.lines) && strings.TrimSpace(f.lines[at]) < name+":"; {
		at = f.end(at, 4)
	}
	end := at
	if at < len(f.lines) && strings.TrimSpace(f.lines[at]) == name+":" {
		end = f.end(at, 4)
	}
	f.replace(at, end, "    "+name+":\n      value:"+yamlOf(t, reply))
}

// refer names the example where the reply is, unless it is there.
func (f *contractFile) refer(t *testing.T, operation, name, status, mime string) {
	t.Helper()
	at := f.find(t, f.find(t, f.find(t, 0, "      operationId: "+operation), `        "`+status+`":`), "            "+mime+":")
	end := f.end(at, 12)
	reference := `              examples: {reply: {$ref: "#/components/examples/` + name + `"}}` + "\n"
	if f.lines[end-1] != reference {
		f.lines[at] = "            " + mime + ":\n"
		from := end
		if strings.HasPrefix(f.lines[end-1], "              examples: {reply:") {
			from-- // it names another one
		}
		f.replace(from, end, reference)
	}
}

// find returns the next line that starts so.
func (f *contractFile) find(t *testing.T, from int, start string) int {
	t.Helper()
	for i := from; i < len(f.lines); i++ {
		if line := strings.TrimSuffix(f.lines[i], "\n"); line == start || strings.HasPrefix(line, start+" ") {
			return i
		}
	}
	t.Fatalf("openapi.yaml has no line %q", start)
	return 0
}

// end returns the line after the block that begins at a line with the indent.
func (f *contractFile) end(at, indent int) int {
	for at++; at < len(f.lines) && strings.HasPrefix(f.lines[at], strings.Repeat(" ", indent+1)); at++ {
	}
	return at
}

func (f *contractFile) replace(from, to int, text string) {
	f.lines = append(f.lines[:from:from], append(strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"), f.lines[to:]...)...)
	f.lines[from+strings.Count(text, "\n")-1] += "\n"
}

// yamlOf returns a reply as YAML that follows a colon: short values on one line.
func yamlOf(t *testing.T, reply string) string {
	t.Helper()
	var n yaml.Node
	if !json.Valid([]byte(reply)) {
		return fmt.Sprintf(" %q\n", reply)
	}
	if err := yaml.Unmarshal([]byte(reply), &n); err != nil {
		t.Fatal(err)
	}
	format(&n)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&n); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString("\n")
	for line := range strings.Lines(b.String()) {
		out.WriteString("        " + line)
	}
	return out.String()
}

// format makes the objects and lists flow that fit on one line. It quotes texts that YAML
// 1.1, which many parsers read, takes for true or false.
func format(n *yaml.Node) (width int) {
	width = len(n.Value) + 2
	for _, c := range n.Content {
		width += format(c) + 2
	}
	if n.Style = 0; n.Kind != yaml.ScalarNode && width < 90 {
		n.Style = yaml.FlowStyle
	}
	if n.Tag == "!!str" && slices.Contains([]string{"on", "off", "yes", "no", "y", "n"}, strings.ToLower(n.Value)) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return width
}
