package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/additions"
	"github.com/molar-billing/molar/core/appeals"
	"github.com/molar-billing/molar/core/attachmentrules"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/claimstatus"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/estimates"
	"github.com/molar-billing/molar/core/events"
	"github.com/molar-billing/molar/core/faults"
	"github.com/molar-billing/molar/core/fees"
	"github.com/molar-billing/molar/core/notes"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/reports"
	"github.com/molar-billing/molar/core/sandbox"
	"github.com/molar-billing/molar/core/scenarios"
	"github.com/molar-billing/molar/core/schedules"
	"github.com/molar-billing/molar/core/summary"
	"github.com/molar-billing/molar/core/tasks"
	"github.com/molar-billing/molar/core/webhooks"
)

// route is one operation. Everything that depends on the list of operations
// comes from the table: Fiber's routes, 405 and Allow, the limits of bodies,
// the labels of metrics, and the comparison with openapi.yaml.
type route struct {
	method string
	path   string // an OpenAPI template
	need   caller.Need
	body   bodyKind
	handle func(x *exchange) (*reply, error)
}

// bodyKind is the kind of body that an operation accepts. It decides the
// maximum size, how the body is read, and when the client may send it.
type bodyKind byte

const (
	noBody       bodyKind = iota // a body is never read
	jsonBody                     // read into memory; see exchange.document
	optionalBody                 // a jsonBody, or none
	emptyBody                    // an empty object, or none; the path says everything
	tableBody                    // a jsonBody, or a CSV file whose other fields are in the query; see exchange.sendsTable
	batchBody                    // a jsonBody that lists up to 1,000 requests
	uploadBody                   // multipart/form-data, its file in a temporary file; see exchange.form
)

// api has the operations and the use cases that they call.
type api struct {
	access        *access.Service
	attachments   *attachments.Service
	audit         *audit.Service
	batches       *batches.Service
	changes       *changes.Service
	claims        *claims.Service
	claimStatus   *claimstatus.Service
	connections   *connections.Service
	eligibility   *eligibility.Service
	enrollments   *enrollments.Service
	estimates     *estimates.Service
	tasks         *tasks.Service
	notes         *notes.Service
	appeals       *appeals.Service
	deposits      *deposits.Service
	additions     *additions.Service
	events        *events.Service
	faults        *faults.Service
	fees          *fees.Service
	payerRequests *payerrequests.Service
	payers        *directory.PayerDirectory
	remittances   *remittances.Service
	rules         *attachmentrules.Service
	reports       *reports.Service
	sandbox       *sandbox.Service
	scenarios     *scenarios.Service
	schedules     *schedules.Service
	summary       *summary.Service
	webhooks      *webhooks.Service
	cursors       cursors
}

const (
	root         = "/api/v1"
	sessionsPath = root + "/sessions"
	sandboxPath  = root + "/sandbox/"
)

// routes returns every operation of the API.
func (a *api) routes() []route {
	const (
		nothing, by, read, submit = caller.NeedNothing, caller.NeedCaller, caller.NeedRead, caller.NeedSubmit
		manage, resend            = caller.NeedManage, caller.NeedResend
		self, session, owner      = caller.NeedSelf, caller.NeedSession, caller.NeedOwner
		sandboxed                 = caller.NeedSandbox

		ok, created = http.StatusOK, http.StatusCreated

		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	)
	return []route{
		{post, root + "/eligibility", submit, jsonBody, a.createCheck},
		{get, root + "/eligibility", read, noBody, a.listChecks},
		{post, root + "/eligibility/batches", submit, batchBody, making(created, a.eligibility.MakeBatch, checkBatchShape)},
		{get, root + "/eligibility/batches", read, noBody, paging(a, "check_batches", a.eligibility.Batches, batchedShape)},
		{get, root + "/eligibility/batches/{id}", read, noBody, getting(a.eligibility.Batch, batchedShape)},
		{get, root + "/eligibility/batches/{id}/items", read, noBody, a.listCheckItems},
		{post, root + "/eligibility/batches/{id}/items/{item_id}/cancel", submit, emptyBody, a.cancelCheckItem},
		{post, root + "/eligibility/batches/{id}/cancel", submit, emptyBody, acting(a.eligibility.CancelBatch, checkBatchShape)},
		{post, root + "/eligibility/batches/{id}/retry", submit, batchBody, amending(ok, a.eligibility.Retry, checkBatchShape)},
		{get, root + "/eligibility/{id}", read, noBody, withoutQuery(a.getCheck)},
		// Both reply with the check, as it is read.
		{post, root + "/eligibility/{id}/additions", submit, jsonBody, a.addToCheck},
		{del, root + "/eligibility/{id}/additions/{n}", submit, noBody, withoutQuery(a.strikeFromCheck)},
		{get, root + "/eligibility/{id}/exchange", read, noBody, a.getCheckExchange},

		{post, root + "/eligibility/batches/schedule", read, tableBody, a.readSchedule},
		{get, root + "/import_mappings/{kind}", read, noBody, withoutQuery(a.getImportMapping)},
		{put, root + "/import_mappings/{kind}", submit, jsonBody, a.putImportMapping},

		{post, root + "/estimates", submit, jsonBody, a.makeEstimate},
		{get, root + "/estimates", read, noBody, a.listEstimates},
		{get, root + "/estimates/accuracy", read, noBody, wholly(a, "accuracy of estimates", a.claims.AccuracyByPayer, payerAccuracyShape)},
		{get, root + "/estimates/{id}/accuracy", read, noBody, a.getEstimateAccuracy},
		{get, root + "/estimates/{id}", read, noBody, getting(a.estimates.Get, costEstimateShape)},

		{post, root + "/attachments", submit, jsonBody, making(created, a.attachments.Make, attachmentShape)},
		{get, root + "/attachments", read, noBody, a.listAttachments},
		{get, root + "/attachments/{id}", read, noBody, getting(a.attachments.Get, attachmentShape)},
		{patch, root + "/attachments/{id}", submit, jsonBody, amending(ok, a.attachments.Narrate, attachmentShape)},
		{post, root + "/attachments/{id}/close", submit, emptyBody, acting(a.attachments.Close, attachmentShape)},
		{post, root + "/attachments/{id}/documents", submit, uploadBody, a.uploadDocument},
		{del, root + "/attachments/{id}/documents/{doc_id}", submit, noBody, withoutQuery(a.deleteDocument)},
		{get, root + "/attachments/{id}/documents/{doc_id}/content", read, noBody, sendImage(a.attachments.Content, ".jpg")},
		{get, root + "/attachments/{id}/documents/{doc_id}/thumbnail", read, noBody, sendImage(a.attachments.Thumbnail, "-thumbnail.jpg")},
		{get, root + "/document_types", read, noBody, wholly(a, "document types", documentTypes, documentTypeShape)},

		{post, root + "/payer_requests", submit, jsonBody, making(created, a.payerRequests.Record, payerRequestShape)},
		{get, root + "/payer_requests", read, noBody, a.listPayerRequests},
		{get, root + "/payer_requests/{id}", read, noBody, getting(a.payerRequests.Get, payerRequestShape)},
		{post, root + "/payer_requests/{id}/answer", submit, optionalBody, a.answerPayerRequest},

		{post, root + "/claims", submit, jsonBody, making(created, a.claims.Make, claimShape)},
		{get, root + "/claims", read, noBody, a.listClaims},
		{get, root + "/claims/counts", read, noBody, a.countClaims},
		{post, root + "/claims/search", read, jsonBody, a.searchClaims},
		{get, root + "/claims/{id}", read, noBody, getting(a.claims.Get, claimShape)},
		{patch, root + "/claims/{id}", submit, jsonBody, amending(ok, a.claims.Change, claimShape)},
		{post, root + "/claims/{id}/submit", submit, optionalBody, amending(ok, a.claims.Submit, claimShape)},
		{post, root + "/claims/{id}/void", submit, emptyBody, a.voidClaim},
		{post, root + "/claims/{id}/replace", submit, jsonBody, amending(ok, a.claims.Replace, claimShape)},
		{post, root + "/claims/{id}/reconcile", submit, optionalBody, amending(ok, a.claims.Reconcile, claimShape)},
		{post, root + "/claims/{id}/reopen", submit, emptyBody, acting(a.claims.Reopen, claimShape)},
		{post, root + "/claims/{id}/hold", submit, jsonBody, amending(ok, a.claims.HoldBack, claimShape)},
		{post, root + "/claims/{id}/release", submit, emptyBody, acting(a.claims.Release, claimShape)},
		{post, root + "/claims/{id}/convert", submit, jsonBody, amending(created, a.claims.Convert, claimShape)},
		// It replies with the claim to the secondary payer.
		{post, root + "/claims/{id}/bill_secondary", submit, jsonBody, amending(created, a.claims.BillSecondary, claimShape)},

		{post, root + "/claims/{id}/status_inquiries", submit, emptyBody, a.askStatus},
		{get, root + "/claims/{id}/status_inquiries", read, noBody, a.listStatusInquiries},
		{get, root + "/status_inquiries/{id}", read, noBody, getting(a.claimStatus.Get, statusInquiryShape)},
		{get, root + "/status_policies", read, noBody, paging(a, "status_policies", a.claimStatus.Policies, statusPolicyShape)},
		{put, root + "/status_policies/{payer_id}", submit, jsonBody, a.putStatusPolicy},
		{del, root + "/status_policies/{payer_id}", submit, noBody, withoutQuery(a.deleteStatusPolicy)},
		{post, root + "/attachment_rules", submit, jsonBody, making(created, a.rules.Create, attachmentRuleShape)},
		{get, root + "/attachment_rules", read, noBody, a.listAttachmentRules},
		{get, root + "/attachment_rules/{id}", read, noBody, getting(a.rules.Get, attachmentRuleShape)},
		{patch, root + "/attachment_rules/{id}", submit, jsonBody, amending(ok, a.rules.Change, attachmentRuleShape)},
		{del, root + "/attachment_rules/{id}", submit, noBody, deleting(a.rules.Delete)},
		{get, root + "/status_inquiries/{id}/exchange", read, noBody, getting(a.claimStatus.Exchanged, statusExchangeShape)},

		{post, root + "/claims/{id}/appeals", submit, jsonBody, a.makeAppeal},
		{get, root + "/claims/{id}/appeals", read, noBody, a.listAppeals},
		{get, root + "/appeals/{id}", read, noBody, getting(a.appeals.Get, appealShape)},
		{patch, root + "/appeals/{id}", submit, jsonBody, a.updateAppeal},
		{post, root + "/appeals/{id}/sent", submit, jsonBody, a.recordAppealSent},
		{post, root + "/appeals/{id}/decided", submit, jsonBody, a.recordAppealDecided},
		{get, root + "/payer_limits", read, noBody, paging(a, "payer_limits", a.fees.Limits, payerLimitsShape)},
		{put, root + "/payer_limits/{payer_id}", submit, jsonBody, a.putPayerLimits},
		{del, root + "/payer_limits/{payer_id}", submit, noBody, withoutQuery(a.deletePayerLimits)},

		{get, root + "/batches", read, noBody, paging(a, "batches", a.batches.List, batchShape)},
		{get, root + "/batches/{id}", read, noBody, getting(a.batches.Get, batchShape)},
		{get, root + "/batches/{id}/file", read, noBody, withoutQuery(a.getBatchFile)},
		{get, root + "/batches/{id}/acknowledgements/{n}", read, noBody, withoutQuery(a.getBatchAcknowledgement)},

		{get, root + "/eras", read, noBody, a.listERAs},
		{post, root + "/eras/import", submit, uploadBody, a.importERA},
		{get, root + "/eras/{id}", read, noBody, a.getERA},
		{get, root + "/eras/{id}/claims", read, noBody, a.listERAClaims},
		{get, root + "/eras/{id}/file", read, noBody, withoutQuery(a.getERAFile)},
		{post, root + "/eras/{id}/post", submit, optionalBody, a.postERA},
		{post, root + "/eras/{id}/unpost", submit, optionalBody, a.noting(a.remittances.Unpost)},
		{post, root + "/eras/{id}/acknowledge", submit, jsonBody, a.noting(a.remittances.Acknowledge)},
		{post, root + "/eras/{id}/replace", submit, optionalBody, a.noting(a.remittances.Replace)},
		{post, root + "/eras/{id}/keep", submit, optionalBody, a.noting(a.remittances.Keep)},
		{post, root + "/eras/{id}/claims/{ordinal}/match", submit, jsonBody, a.matchERAClaim},
		{post, root + "/eras/{id}/claims/{ordinal}/apply", submit, optionalBody, finishing(a.remittances.ApplyClaim)},
		{post, root + "/eras/{id}/claims/{ordinal}/ignore", submit, optionalBody, finishing(a.remittances.IgnoreClaim)},
		{post, root + "/eras/{id}/claims/{ordinal}/unapply", submit, optionalBody, finishing(a.remittances.UnapplyClaim)},

		{get, root + "/automation", manage, noBody, withoutQuery(a.getAutomation)},
		{put, root + "/automation", manage, jsonBody, a.putAutomation},

		{post, root + "/deposits/import", submit, uploadBody, a.importDeposits},
		{get, root + "/deposits", read, noBody, a.listDeposits},
		{get, root + "/deposits/{id}", read, noBody, getting(a.deposits.Get, wholeDepositShape)},
		{post, root + "/deposits/{id}/match", submit, jsonBody, amending(ok, a.deposits.Match, wholeDepositShape)},
		{post, root + "/deposits/{id}/unmatch", submit, emptyBody, acting(a.deposits.Unmatch, wholeDepositShape)},

		{get, root + "/quarantine", read, noBody, ordering(a, "quarantine", a.remittances.OwnQuarantine, quarantinedShape)},
		{post, root + "/quarantine/{id}/assign", submit, jsonBody, a.assignQuarantined},
		{del, root + "/quarantine/{id}", submit, noBody, deleting(a.remittances.Remove)},

		{get, root + "/tasks", read, noBody, a.listTasks},
		{get, root + "/tasks/{id}", read, noBody, getting(a.tasks.Get, taskShape)},
		{post, root + "/tasks/{id}/snooze", submit, optionalBody, amending(ok, a.tasks.Snooze, taskShape)},
		{post, root + "/tasks/{id}/wake", submit, emptyBody, acting(a.tasks.Wake, taskShape)},
		{post, root + "/tasks/{id}/settle", submit, jsonBody, amending(ok, a.tasks.Settle, taskShape)},
		{post, root + "/tasks/{id}/assign", submit, jsonBody, amending(ok, a.tasks.Assign, taskShape)},

		{post, root + "/claims/{id}/notes", submit, jsonBody, a.addNote(task.OfClaim)},
		{get, root + "/claims/{id}/notes", read, noBody, a.listNotes(task.OfClaim)},
		{post, root + "/eras/{id}/notes", submit, jsonBody, a.addNote(task.OfRemittance)},
		{get, root + "/eras/{id}/notes", read, noBody, a.listNotes(task.OfRemittance)},
		{post, root + "/payer_requests/{id}/notes", submit, jsonBody, a.addNote(task.OfPayerRequest)},
		{get, root + "/payer_requests/{id}/notes", read, noBody, a.listNotes(task.OfPayerRequest)},
		{post, root + "/attachments/{id}/notes", submit, jsonBody, a.addNote(task.OfAttachment)},
		{get, root + "/attachments/{id}/notes", read, noBody, a.listNotes(task.OfAttachment)},
		{post, root + "/enrollments/{id}/notes", submit, jsonBody, a.addNote(task.OfEnrollment)},
		{get, root + "/enrollments/{id}/notes", read, noBody, a.listNotes(task.OfEnrollment)},
		{post, root + "/deposits/{id}/notes", submit, jsonBody, a.addNote(task.OfDeposit)},
		{get, root + "/deposits/{id}/notes", read, noBody, a.listNotes(task.OfDeposit)},
		{post, root + "/eligibility/batches/{id}/items/{item_id}/notes", submit, jsonBody, a.addNote(task.OfCheckItem)},
		{get, root + "/eligibility/batches/{id}/items/{item_id}/notes", read, noBody, a.listNotes(task.OfCheckItem)},
		{post, root + "/quarantine/{id}/notes", submit, jsonBody, a.addNote(task.OfFile)},
		{get, root + "/quarantine/{id}/notes", read, noBody, a.listNotes(task.OfFile)},
		{post, root + "/connections/{id}/notes", submit, jsonBody, a.addNote(task.OfConnection)},
		{get, root + "/connections/{id}/notes", read, noBody, a.listNotes(task.OfConnection)},
		{post, root + "/notes/{id}/strike", submit, jsonBody, a.strikeNote},

		{get, root + "/reports/aging", read, noBody, a.reportAging},
		{get, root + "/reports/collections", read, noBody, a.reportCollections},
		{get, root + "/reports/denials", read, noBody, a.reportDenials},
		{get, root + "/reports/payers", read, noBody, a.reportPayers},

		{get, root + "/summary", read, noBody, withoutQuery(a.getSummary)},

		{get, root + "/payers", read, noBody, a.listPayers},
		{get, root + "/payers/{id}", read, noBody, a.getPayer},
		{post, root + "/offices", manage, jsonBody, making(created, a.access.CreateOffice, officeShape, "retired")},
		{get, root + "/offices", read, noBody, paging(a, "offices", a.access.ListOffices, officeShape)},
		{get, root + "/offices/{id}", read, noBody, getting(a.access.GetOffice, officeShape)},
		{patch, root + "/offices/{id}", manage, jsonBody, amending(ok, a.access.ChangeOffice, officeShape)},
		{post, root + "/offices/{id}/withdraw_change", manage, emptyBody, acting(a.access.WithdrawOfficeChange, officeShape)},
		{post, root + "/providers", manage, jsonBody, making(created, a.access.CreateProvider, providerShape, "retired")},
		{get, root + "/providers", read, noBody, paging(a, "providers", a.access.ListProviders, providerShape)},
		{get, root + "/providers/{id}", read, noBody, getting(a.access.GetProvider, providerShape)},
		{patch, root + "/providers/{id}", manage, jsonBody, amending(ok, a.access.ChangeProvider, providerShape)},
		{put, root + "/enrollments", submit, jsonBody, making(ok, a.enrollments.Put, enrollmentShape)},
		{get, root + "/enrollments", read, noBody, a.listEnrollments},
		{post, root + "/fee_schedules", manage, tableBody, a.createFeeSchedule},
		{get, root + "/fee_schedules", read, noBody, a.listFeeSchedules},
		{get, root + "/fee_schedules/match", read, noBody, a.matchFee},
		{get, root + "/fee_schedules/{id}", read, noBody, a.getFeeSchedule},
		{get, root + "/patients", read, noBody, paging(a, "patients", a.access.ListPatients, patientShape)},
		{post, root + "/patients/search", read, jsonBody, a.searchPatients},
		{get, root + "/patients/{id}", read, noBody, getting(a.access.GetPatient, patientShape)},
		{get, root + "/patients/{id}/overview", read, noBody, a.getPatientOverview},

		{get, root + "/events", read, noBody, a.listEvents},
		{get, root + "/events/{id}", read, noBody, withoutQuery(a.getEvent)},
		{get, root + "/events/{id}/deliveries", read, noBody, a.listEventDeliveries},

		{post, root + "/events/resend", resend, jsonBody, making(ok, a.webhooks.Resend, queuedShape)},
		{post, root + "/events/{id}/resend", resend, optionalBody, a.resendEvent},

		{get, streamPath, read, noBody, withoutQuery(a.followChanges)},

		{get, root + "/requests", read, noBody, a.listRequests},
		{get, root + "/requests/{id}", read, noBody, getting(a.audit.Get, requestShape)},
		{get, root + "/audit_entries", owner, noBody, a.listAuditEntries},

		{post, root + "/webhook_endpoints", manage, jsonBody, a.createEndpoint},
		{get, root + "/webhook_endpoints", read, noBody, wholly(a, "webhook endpoints", a.webhooks.List, endpointShape)},
		{get, root + "/webhook_endpoints/{id}", read, noBody, getting(a.webhooks.Get, endpointShape)},
		{patch, root + "/webhook_endpoints/{id}", manage, jsonBody, a.updateEndpoint},
		{del, root + "/webhook_endpoints/{id}", manage, noBody, deleting(a.webhooks.Delete)},
		{post, root + "/webhook_endpoints/{id}/rotate_secret", manage, emptyBody, acting(a.webhooks.RotateSecret, revealedShape)},
		{post, root + "/webhook_endpoints/{id}/disable", manage, emptyBody, a.disableEndpoint},
		{post, root + "/webhook_endpoints/{id}/enable", manage, emptyBody, a.enableEndpoint},
		{post, root + "/webhook_endpoints/{id}/ping", manage, emptyBody, acting(a.webhooks.Ping, pingShape)},
		{get, root + "/webhook_endpoints/{id}/deliveries", read, noBody, a.listEndpointDeliveries},

		{get, root + "/webhook_deliveries", read, noBody, a.listDeliveries},
		{get, root + "/webhook_deliveries/{id}", read, noBody, getting(a.webhooks.Delivery, deliveryShape)},
		{post, root + "/webhook_deliveries/resend", resend, jsonBody, making(ok, a.webhooks.ResendListed, queuedShape)},

		{get, root + "/me", by, noBody, withoutQuery(a.getMe)},
		{post, sessionsPath, nothing, jsonBody, a.signIn},
		{get, sessionsPath, session, noBody, a.listSessions},
		{del, sessionsPath + "/{id}", self, noBody, withoutQuery(a.endSession)},
		{patch, root + "/organization", owner, jsonBody, a.updateOrganization},
		{get, root + "/users", owner, noBody, paging(a, "users", a.access.ListUsers, userShape)},
		{post, root + "/users", owner, jsonBody, a.inviteUser},
		{patch, root + "/users/{id}", self, jsonBody, a.updateUser},
		{post, root + "/users/{id}/invite", owner, emptyBody, a.inviteAgain},
		{post, root + "/users/{id}/reset", owner, emptyBody, a.resetUser},
		{get, root + "/api_keys", owner, noBody, paging(a, "api_keys", a.access.ListKeys, keyShape)},
		{post, root + "/api_keys", owner, jsonBody, making(created, a.access.CreateKey, issuedShape)},
		{post, root + "/api_keys/{id}/revoke", owner, emptyBody, acting(a.access.RevokeKey, keyShape)},

		{get, sandboxPath + "clock", sandboxed, noBody, withoutQuery(a.getSandboxClock)},
		{patch, sandboxPath + "clock", sandboxed, jsonBody, a.setSandboxClock},
		{post, sandboxPath + "clock/advance", sandboxed, jsonBody, a.advanceSandboxClock},
		{post, sandboxPath + "clock/stop", sandboxed, emptyBody, a.stopSandboxClock},
		{post, sandboxPath + "reset", sandboxed, jsonBody, a.resetSandbox},
		{post, sandboxPath + "organizations", sandboxed, jsonBody, a.makeThrowAway},
		{get, sandboxPath + "organizations", sandboxed, noBody, wholly(a, "sandbox organizations", a.access.ListThrowAways, throwAwayShape)},
		{del, sandboxPath + "organizations/{id}", sandboxed, noBody, deleting(a.access.RemoveThrowAway)},
		{put, sandboxPath + "faults", sandboxed, jsonBody, a.putFaults},
		{get, sandboxPath + "faults", sandboxed, noBody, withoutQuery(a.getFaults)},

		{get, root + "/connections", owner, noBody, a.listConnections},

		{get, sandboxPath + "scenarios", sandboxed, noBody, a.listScenarios},
		{post, sandboxPath + "scenarios", sandboxed, jsonBody, a.addScenario},
		{get, sandboxPath + "scenarios/{ending}", sandboxed, noBody, withoutQuery(a.getScenario)},
		{patch, sandboxPath + "scenarios/{ending}", sandboxed, jsonBody, a.changeScenario},
		{del, sandboxPath + "scenarios/{ending}", sandboxed, noBody, withoutQuery(a.removeScenario)},
		{post, sandboxPath + "eras", sandboxed, jsonBody, a.sendERA},
		{post, sandboxPath + "claims/{id}/simulate", sandboxed, jsonBody, a.simulate},

		{get, root + "/openapi.yaml", nothing, noBody, withoutQuery(getOpenAPI)},
	}
}

// changes reports whether the operation needs an idempotency key. A search has a
// body and changes nothing. Signing in has no key, because its reply is a secret.
func (r *route) changes() bool {
	return r.need != caller.NeedRead && r.path != sessionsPath &&
		(r.method == http.MethodPost || r.method == http.MethodPut || r.method == http.MethodPatch || r.method == http.MethodDelete)
}

// versioned reports whether the operation accepts the version of the resource in its path. A
// note changes none.
func (r *route) versioned() bool {
	path := strings.TrimPrefix(r.path, root)
	return r.changes() && strings.HasPrefix(path, "/claims/{id}") && path != "/claims/{id}/notes" ||
		r.method == http.MethodPatch && slices.Contains([]string{"/attachments/{id}", "/attachment_rules/{id}", "/offices/{id}", "/providers/{id}"}, path)
}

// isCheck reports whether the operation asks a payer, about coverage or about a claim.
func (r *route) isCheck() bool {
	return r.method == http.MethodPost && (r.path == root+"/eligibility" || r.path == root+"/claims/{id}/status_inquiries")
}

// fiberPath returns the template in Fiber's syntax.
func (r *route) fiberPath() string {
	return strings.ReplaceAll(strings.ReplaceAll(r.path, "{", ":"), "}", "")
}

// matches reports whether the path matches the template.
func (r *route) matches(path string) bool {
	want, have := strings.Split(r.path, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, have, func(w, h string) bool {
		return w == h || strings.HasPrefix(w, "{") && h != ""
	})
}

// find returns the route of a request, or nil.
func (s *Server) find(method, path string) *route {
	for i := range s.routes {
		if r := &s.routes[i]; r.method == method && r.matches(path) {
			return r
		}
	}
	return nil
}

// methods returns the methods that a path supports. A path that a template names word by
// word is no value of another template's parameter.
func (s *Server) methods(path string) (allowed []string) {
	fewest := -1
	for i := range s.routes {
		if r := &s.routes[i]; r.matches(path) {
			switch n := strings.Count(r.path, "{"); {
			case fewest >= 0 && n > fewest:
				continue
			case n != fewest:
				allowed, fewest = nil, n
			}
			allowed = append(allowed, r.method)
			if r.method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	slices.Sort(allowed)
	return allowed
}
