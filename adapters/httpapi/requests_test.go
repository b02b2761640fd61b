package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

func requestShapes() map[string]shown {
	e := caller.LoggedRequest{
		ID: idOf[billing.RequestID](1), Scope: billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeTest}, KeyID: idOf[billing.KeyID](3),
		Operation: "POST /eligibility", Resource: idOf[billing.CheckID](4).String(), Status: 422, Error: billing.CodePayerRejected,
		Duration: 1234567 * time.Microsecond, CreatedAt: shapeTime,
	}
	listing, unknown := e, e
	listing.Operation, listing.Resource, listing.Status, listing.Error = "GET /eligibility", "", 200, ""
	unknown.Status, unknown.Error, unknown.Duration = 0, "", 0
	return map[string]shown{
		"request":         {"LoggedRequest", requestShape(&e)},
		"request_list":    {"LoggedRequest", requestShape(&listing)},
		"request_unknown": {"LoggedRequest", requestShape(&unknown)},
	}
}

// logged waits until the request is in the log, and returns its entry.
func (s *service) logged(t *testing.T, id string) (entry response) {
	t.Helper()
	porttest.Await(t, "the entry of "+id, func() bool {
		entry = s.do(t, call{path: "/requests/" + id})
		return entry.StatusCode == http.StatusOK
	})
	return entry
}

// TestRequestLog finds requests of several kinds by their IDs.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ask := call{path: "/eligibility", body: s.question("ACTIVE-FULL", nil), idem: "once"}
	check := s.must(t, 200, ask)
	id := check.text(t, "id")
	rejected := s.must(t, 422, call{path: "/eligibility", body: s.question("NOT-FOUND", nil)})
	claim := s.must(t, 201, call{path: "/claims", body: s.crown("1", nil)})
	for name, test := range map[string]struct {
		response
		operation, resource string
		code                billing.Code
	}{
		"a check":            {check, "POST /eligibility", id, ""},
		"its replay":         {s.must(t, 200, ask), "POST /eligibility", id, ""},
		"a rejected check":   {rejected, "POST /eligibility", rejected.text(t, "check", "id"), billing.CodePayerRejected},
		"a claim":            {claim, "POST /claims", claim.text(t, "id"), ""},
		"a read":             {s.must(t, 200, call{path: "/eligibility/" + id[:4] + strings.ToLower(id[4:])}), "GET /eligibility/{id}", id, ""},
		"a list":             {s.must(t, 200, call{path: "/eligibility?tenant_reference=Sentinel"}), "GET /eligibility", "", ""},
		"a name in the path": {s.do(t, call{path: "/patients/Sentinel"}), "GET /patients/{id}", "", billing.CodeNotFound},
		"a refusal":          {s.do(t, call{path: "/claims", body: `{"note":"Sentinel"}`, bad: true}), "POST /claims", "", billing.CodeInvalidRequest},
		"a wrong permission": {s.do(t, call{path: "/claims", body: `{}`, key: s.read, bad: true}), "POST /claims", "", billing.CodePermissionDenied},
	} {
		e := s.logged(t, test.Header.Get("X-Request-Id"))
		got := fmt.Sprint(e.get(t, "status"), e.text(t, "operation"), e.text(t, "resource_id"), e.text(t, "error"))
		want := fmt.Sprint(test.StatusCode, test.operation, test.resource, string(test.code))
		if got != want || strings.Contains(e.body, "Sentinel") {
			t.Errorf("%s: %s, want %s", name, e.body, want)
		}
	}
	made := check.Header.Get("X-Request-Id")
	if ids := s.walk(t, "/requests?operation=POST%20/eligibility&status=200&resource_id="+id[:4]+strings.ToLower(id[4:])); len(ids) != 2 || ids[1] != made {
		t.Errorf("the requests of the check are %v, want two from %s on", ids, made)
	}
	if ids := s.walk(t, "/requests?error=PAYER_REJECTED"); len(ids) != 1 || ids[0] != rejected.Header.Get("X-Request-Id") {
		t.Errorf("the rejected requests are %v", ids)
	}
}

// TestRequestsWithoutKey leaves requests without a valid key out of the log.
func TestRequestsWithoutKey(t *testing.T) {
	t.Parallel()
	s := startService(t)
	stranger := s.do(t, call{path: "/claims", key: "absent"})
	known := s.must(t, 200, call{path: "/claims"})
	s.logged(t, known.Header.Get("X-Request-Id")) // later than the other
	if e := s.do(t, call{path: "/requests/" + stranger.Header.Get("X-Request-Id")}); e.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", e.StatusCode, e.body)
	}
}
