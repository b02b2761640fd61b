package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/access"
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/audit"
	"github.com/molar-billing/molar/core/batches"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/changes"
	"github.com/molar-billing/molar/core/claims"
	"github.com/molar-billing/molar/core/connections"
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/enrollments"
	"github.com/molar-billing/molar/core/events"
	"github.com/molar-billing/molar/core/payerrequests"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/core/summary"
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
	connections   *connections.Service
	eligibility   *eligibility.Service
	enrollments   *enrollments.Service
	events        *events.Service
	payerRequests *payerrequests.Service
	payers        *directory.PayerDirectory
	remittances   *remittances.Service
	summary       *summary.Service
	webhooks      *webhooks.Service
	cursors       cursors
}

const (
	root         = "/api/v1"
	sessionsPath = root + "/sessions"
)

// routes returns every operation of the API.
func (a *api) routes() []route {
	const (
		nothing, by, read, submit = caller.NeedNothing, caller.NeedCaller, caller.NeedRead, caller.NeedSubmit
		manage, resend            = caller.NeedManage, caller.NeedResend
		self, session, owner      = caller.NeedSelf, caller.NeedSession, caller.NeedOwner
	)
	return []route{
		{http.MethodPost, root + "/eligibility", submit, jsonBody, a.createCheck},
		{http.MethodGet, root + "/eligibility", read, noBody, a.listChecks},
		{http.MethodGet, root + "/eligibility/{id}", read, noBody, a.getCheck},
		{http.MethodGet, root + "/eligibility/{id}/exchange", read, noBody, a.getCheckExchange},

		{http.MethodPost, root + "/attachments", submit, jsonBody, a.createAttachment},
		{http.MethodGet, root + "/attachments", read, noBody, a.listAttachments},
		{http.MethodGet, root + "/attachments/{id}", read, noBody, a.getAttachment},
		{http.MethodPatch, root + "/attachments/{id}", submit, jsonBody, a.updateAttachment},
		{http.MethodPost, root + "/attachments/{id}/close", submit, emptyBody, a.closeAttachment},
		{http.MethodPost, root + "/attachments/{id}/documents", submit, uploadBody, a.uploadDocument},
		{http.MethodDelete, root + "/attachments/{id}/documents/{doc_id}", submit, noBody, a.deleteDocument},
		{http.MethodGet, root + "/attachments/{id}/documents/{doc_id}/content", read, noBody, a.getDocumentContent},
		{http.MethodGet, root + "/attachments/{id}/documents/{doc_id}/thumbnail", read, noBody, a.getDocumentThumbnail},
		{http.MethodGet, root + "/document_types", read, noBody, listDocumentTypes},

		{http.MethodPost, root + "/payer_requests", submit, jsonBody, a.recordPayerRequest},
		{http.MethodGet, root + "/payer_requests", read, noBody, a.listPayerRequests},
		{http.MethodGet, root + "/payer_requests/{id}", read, noBody, a.getPayerRequest},
		{http.MethodPost, root + "/payer_requests/{id}/answer", submit, optionalBody, a.answerPayerRequest},

		{http.MethodPost, root + "/claims", submit, jsonBody, a.createClaim},
		{http.MethodGet, root + "/claims", read, noBody, a.listClaims},
		{http.MethodGet, root + "/claims/counts", read, noBody, a.countClaims},
		{http.MethodPost, root + "/claims/search", read, jsonBody, a.searchClaims},
		{http.MethodGet, root + "/claims/{id}", read, noBody, a.getClaim},
		{http.MethodPatch, root + "/claims/{id}", submit, jsonBody, a.updateClaim},
		{http.MethodPost, root + "/claims/{id}/submit", submit, emptyBody, a.submitClaim},
		{http.MethodPost, root + "/claims/{id}/void", submit, emptyBody, a.voidClaim},
		{http.MethodPost, root + "/claims/{id}/replace", submit, jsonBody, a.replaceClaim},
		{http.MethodPost, root + "/claims/{id}/reconcile", submit, optionalBody, a.reconcileClaim},
		{http.MethodPost, root + "/claims/{id}/reopen", submit, emptyBody, a.reopenClaim},
		{http.MethodPost, root + "/claims/{id}/convert", submit, jsonBody, a.convertClaim},
		{http.MethodPost, root + "/claims/{id}/bill_secondary", submit, jsonBody, a.billSecondary},

		{http.MethodGet, root + "/batches", read, noBody, a.listBatches},
		{http.MethodGet, root + "/batches/{id}", read, noBody, a.getBatch},
		{http.MethodGet, root + "/batches/{id}/file", read, noBody, a.getBatchFile},
		{http.MethodGet, root + "/batches/{id}/acknowledgements/{n}", read, noBody, a.getBatchAcknowledgement},

		{http.MethodGet, root + "/eras", read, noBody, a.listERAs},
		{http.MethodPost, root + "/eras/import", submit, uploadBody, a.importERA},
		{http.MethodGet, root + "/eras/{id}", read, noBody, a.getERA},
		{http.MethodGet, root + "/eras/{id}/claims", read, noBody, a.listERAClaims},
		{http.MethodGet, root + "/eras/{id}/file", read, noBody, a.getERAFile},
		{http.MethodPost, root + "/eras/{id}/post", submit, optionalBody, a.postERA},
		{http.MethodPost, root + "/eras/{id}/unpost", submit, optionalBody, a.unpostERA},
		{http.MethodPost, root + "/eras/{id}/acknowledge", submit, jsonBody, a.acknowledgeERA},
		{http.MethodPost, root + "/eras/{id}/replace", submit, optionalBody, a.replaceERA},
		{http.MethodPost, root + "/eras/{id}/keep", submit, optionalBody, a.keepERA},
		{http.MethodPost, root + "/eras/{id}/claims/{ordinal}/match", submit, jsonBody, a.matchERAClaim},
		{http.MethodPost, root + "/eras/{id}/claims/{ordinal}/apply", submit, optionalBody, a.applyERAClaim},
		{http.MethodPost, root + "/eras/{id}/claims/{ordinal}/ignore", submit, optionalBody, a.ignoreERAClaim},
		{http.MethodPost, root + "/eras/{id}/claims/{ordinal}/unapply", submit, optionalBody, a.unapplyERAClaim},

		{http.MethodGet, root + "/quarantine", read, noBody, a.listQuarantine},
		{http.MethodPost, root + "/quarantine/{id}/assign", submit, jsonBody, a.assignQuarantined},
		{http.MethodDelete, root + "/quarantine/{id}", submit, noBody, a.deleteQuarantined},

		{http.MethodGet, root + "/summary", read, noBody, a.getSummary},

		{http.MethodGet, root + "/payers", read, noBody, a.listPayers},
		{http.MethodGet, root + "/payers/{id}", read, noBody, a.getPayer},
		{http.MethodPost, root + "/offices", manage, jsonBody, a.createOffice},
		{http.MethodGet, root + "/offices", read, noBody, a.listOffices},
		{http.MethodGet, root + "/offices/{id}", read, noBody, a.getOffice},
		{http.MethodPatch, root + "/offices/{id}", manage, jsonBody, a.updateOffice},
		{http.MethodPost, root + "/offices/{id}/withdraw_change", manage, emptyBody, a.withdrawOfficeChange},
		{http.MethodPost, root + "/providers", manage, jsonBody, a.createProvider},
		{http.MethodGet, root + "/providers", read, noBody, a.listProviders},
		{http.MethodGet, root + "/providers/{id}", read, noBody, a.getProvider},
		{http.MethodPatch, root + "/providers/{id}", manage, jsonBody, a.updateProvider},
		{http.MethodPut, root + "/enrollments", submit, jsonBody, a.putEnrollment},
		{http.MethodGet, root + "/enrollments", read, noBody, a.listEnrollments},
		{http.MethodGet, root + "/patients", read, noBody, a.listPatients},
		{http.MethodPost, root + "/patients/search", read, jsonBody, a.searchPatients},
		{http.MethodGet, root + "/patients/{id}", read, noBody, a.getPatient},

		{http.MethodGet, root + "/events", read, noBody, a.listEvents},
		{http.MethodGet, root + "/events/{id}", read, noBody, a.getEvent},
		{http.MethodGet, root + "/events/{id}/deliveries", read, noBody, a.listEventDeliveries},

		{http.MethodPost, root + "/events/resend", resend, jsonBody, a.resendEvents},
		{http.MethodPost, root + "/events/{id}/resend", resend, optionalBody, a.resendEvent},

		{http.MethodGet, streamPath, read, noBody, a.followChanges},

		{http.MethodGet, root + "/requests", read, noBody, a.listRequests},
		{http.MethodGet, root + "/requests/{id}", read, noBody, a.getRequest},
		{http.MethodGet, root + "/audit_entries", owner, noBody, a.listAuditEntries},

		{http.MethodPost, root + "/webhook_endpoints", manage, jsonBody, a.createEndpoint},
		{http.MethodGet, root + "/webhook_endpoints", read, noBody, a.listEndpoints},
		{http.MethodGet, root + "/webhook_endpoints/{id}", read, noBody, a.getEndpoint},
		{http.MethodPatch, root + "/webhook_endpoints/{id}", manage, jsonBody, a.updateEndpoint},
		{http.MethodDelete, root + "/webhook_endpoints/{id}", manage, noBody, a.deleteEndpoint},
		{http.MethodPost, root + "/webhook_endpoints/{id}/rotate_secret", manage, emptyBody, a.rotateSecret},
		{http.MethodPost, root + "/webhook_endpoints/{id}/disable", manage, emptyBody, a.disableEndpoint},
		{http.MethodPost, root + "/webhook_endpoints/{id}/enable", manage, emptyBody, a.enableEndpoint},
		{http.MethodPost, root + "/webhook_endpoints/{id}/ping", manage, emptyBody, a.pingEndpoint},
		{http.MethodGet, root + "/webhook_endpoints/{id}/deliveries", read, noBody, a.listEndpointDeliveries},

		{http.MethodGet, root + "/webhook_deliveries", read, noBody, a.listDeliveries},
		{http.MethodGet, root + "/webhook_deliveries/{id}", read, noBody, a.getDelivery},
		{http.MethodPost, root + "/webhook_deliveries/resend", resend, jsonBody, a.resendDeliveries},

		{http.MethodGet, root + "/me", by, noBody, a.getMe},
		{http.MethodPost, sessionsPath, nothing, jsonBody, a.signIn},
		{http.MethodGet, sessionsPath, session, noBody, a.listSessions},
		{http.MethodDelete, sessionsPath + "/{id}", self, noBody, a.endSession},
		{http.MethodPatch, root + "/organization", owner, jsonBody, a.updateOrganization},
		{http.MethodGet, root + "/users", owner, noBody, a.listUsers},
		{http.MethodPost, root + "/users", owner, jsonBody, a.inviteUser},
		{http.MethodPatch, root + "/users/{id}", self, jsonBody, a.updateUser},
		{http.MethodPost, root + "/users/{id}/invite", owner, emptyBody, a.inviteAgain},
		{http.MethodGet, root + "/api_keys", owner, noBody, a.listKeys},
		{http.MethodPost, root + "/api_keys", owner, jsonBody, a.createKey},
		{http.MethodPost, root + "/api_keys/{id}/revoke", owner, emptyBody, a.revokeKey},

		{http.MethodGet, root + "/connections", owner, noBody, a.listConnections},

		{http.MethodGet, root + "/openapi.yaml", nothing, noBody, getOpenAPI},
	}
}

// changes reports whether the operation needs an idempotency key. A search has a
// body and changes nothing. Signing in has no key, because its reply is a secret.
func (r *route) changes() bool {
	return r.need != caller.NeedRead && r.path != sessionsPath &&
		(r.method == http.MethodPost || r.method == http.MethodPut || r.method == http.MethodPatch || r.method == http.MethodDelete)
}

// versioned reports whether the operation accepts the version of the resource in its path.
func (r *route) versioned() bool {
	path := strings.TrimPrefix(r.path, root)
	return r.changes() && strings.HasPrefix(path, "/claims/{id}") ||
		r.method == http.MethodPatch && slices.Contains([]string{"/attachments/{id}", "/offices/{id}", "/providers/{id}"}, path)
}

// isCheck reports whether the operation asks a payer about coverage.
func (r *route) isCheck() bool { return r.method == http.MethodPost && r.path == root+"/eligibility" }

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
