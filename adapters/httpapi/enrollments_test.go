package httpapi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// enroll records an enrollment of the office with the defaults of the call, whose body
// may name another one.
func (s *service) enroll(t *testing.T, c call, payer, transaction, state string) {
	t.Helper()
	office := c.body
	if office == "" {
		office = s.office.String()
	}
	c.method, c.path = "PUT", "/enrollments"
	c.body = jsonOf(anObject{"office_id": office, "payer_id": payer, "transaction": transaction, "state": state}, nil)
	s.must(t, 200, c)
}

func TestEnrollments(t *testing.T) {
	t.Parallel()
	s := startService(t)
	body := func(change func(anObject)) string {
		return jsonOf(anObject{
			"office_id": s.office.String(), "payer_id": "CHTEST", "transaction": "claims", "state": "submitted", "date": "2026-02-02",
			"note": "By mail.", "network_message": "In process.\n10 days.",
		}, change)
	}
	put := call{method: "PUT", path: "/enrollments", body: body(nil), idem: "first"}
	first := s.must(t, 200, put)
	first.shows(t, "object", "enrollment", "office_id", s.office, "payer.payer_id", "CHTEST", "transaction", "claims", "state", "submitted",
		"date", "2026-02-02", "note", "By mail.", "network_message", "In process.\n10 days.", "id", some{})
	if again := s.must(t, 200, put); again.body != first.body || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("again %s", again.body)
	}
	put.body = body(with("state", "active"))
	wantStatus(t, s.do(t, put), 422, billing.CodeIdempotencyKeyReused)
	if put.idem = ""; s.do(t, call{method: "PUT", path: "/enrollments", body: put.body, header: map[string]string{idempotencyKey: ""}, bad: true}).StatusCode != 400 {
		t.Error("a PUT needs no key")
	}

	put.body = jsonOf(anObject{"office_id": s.office.String(), "payer_id": payerOf(t, "CHTEST").ID.String(), "transaction": "claims", "state": "active"}, nil)
	active := s.must(t, 200, put)
	active.shows(t, "id", first.text(t, "id"), "created_at", first.text(t, "created_at"), "state", "active", "note", nil, "network_message", nil, "date", some{})
	s.enroll(t, call{}, "CHTEST", "eligibility", "not_needed")
	s.enroll(t, call{}, "60054", "claims", "needed")
	for query, want := range map[string]int{
		"": 3, "?office_id=" + s.office.String(): 3, "?payer_id=" + payerOf(t, "60054").ID.String(): 1, "?payer_id=60054": 1, "?transaction=claims": 2, "?state=needed": 1,
		"?state=rejected": 0, "?state=active&transaction=eligibility": 0,
	} {
		if got := s.walk(t, "/enrollments"+query); len(got) != want {
			t.Errorf("%s lists %v", query, got)
		}
	}

	absent := billing.NewID[billing.OfficeID](billing.RealAt(time.Now())).String()
	for fields, change := range map[string]func(anObject){
		"office_id required,transaction required,state required,payer_id required": with("office_id", nil, "payer_id", nil, "transaction", nil, "state", nil),
		"office_id format,transaction not_allowed,state not_allowed,date format":   with("office_id", "x", "transaction", "attachments", "state", "live", "date", "2026-02-30"),
		"color unknown":                          with("color", "red"),
		"note too_long,network_message too_long": with("note", strings.Repeat("x", 401), "network_message", strings.Repeat("x", 2001)),
	} {
		a := s.do(t, call{method: "PUT", path: "/enrollments", body: body(change), bad: true})
		got := strings.Join(a.fields(t), ",")
		if a.StatusCode != 422 || len(got) != len(fields) {
			t.Errorf("%d %s, want %s", a.StatusCode, got, fields)
		}
	}
	a := s.do(t, call{method: "PUT", path: "/enrollments", body: body(with("office_id", absent, "payer_id", "UNKNOWN"))})
	if got := strings.Join(a.fields(t), ","); a.StatusCode != 404 || got != "office_id not_found,payer_id not_found" {
		t.Errorf("%d %s", a.StatusCode, got)
	}
	wantStatus(t, s.do(t, call{method: "PUT", path: "/enrollments", body: body(nil), key: s.live}), 404, billing.CodeNotFound)
}

// away is a network that accepts files of claims, returns none, and does not reach
// payers for checks.
type away struct{ ports.Clearinghouse }

func (away) Send(context.Context, clearing.OutgoingFile, func(context.Context, string) error) error {
	return nil
}

func (away) Receive(context.Context, int) ([]clearing.IncomingFile, error) { return nil, nil }

func (away) Ask(context.Context, network.Inquiry) (coverage.CheckResponse, []coverage.Exchange, error) {
	return coverage.CheckResponse{}, nil, errors.New("away")
}

// connected starts the service with a live network to CHTEST, and returns a live office,
// which is not verified.
func connected(t *testing.T) (*service, string) {
	t.Helper()
	both := []network.Transaction{network.Claims, network.Eligibility}
	s := startService(t, func(o *setup) {
		o.open = append(o.open, &ports.Network{
			Name: "live", Route: network.Route{Mode: billing.ModeLive, Payers: map[billing.PayerID][]network.Transaction{testPayer(t): both}},
			Envelope: network.Envelope{Sender: network.End{Qualifier: "ZZ", ID: "MOLAR"}, Receiver: network.End{Qualifier: "ZZ", ID: "LIVE"}},
			Claims:   away{}, Eligibility: away{},
		})
	})
	office := s.must(t, 201, call{path: "/offices", key: s.live, body: `{"name":"Live","npi":"1234567893","tax_id":"123456789","phone":"5185550100",
		"address":{"line1":"1 Main St","city":"Albany","state":"NY","zip":"122070001"}}`}).text(t, "id")
	s.must(t, 201, call{path: "/providers", key: s.live, body: `{"first_name":"Ann","last_name":"Lee","npi":"1245319599"}`})
	return s, office
}

func (s *service) verify(t *testing.T, office string) {
	t.Helper()
	id, err := billing.ParseID[billing.OfficeID](office)
	if err == nil {
		_, err = s.access.VerifyOffice(t.Context(), id)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestLiveClaimWaits sends a live claim as soon as its network, its office and its
// enrollment are there.
func TestLiveClaimWaits(t *testing.T) {
	t.Parallel()
	s, office := connected(t)
	cut := func(want int) {
		t.Helper()
		if n, err := s.batches.Cut(t.Context()); err != nil || n != want {
			t.Fatalf("%d batches, want %d; %v", n, want, err)
		}
	}
	claim := func(payer string) call {
		return call{path: "/claims", key: s.live, body: s.crown("1", with("office_id", office, "payer_id", payer, "submit", true))}
	}
	nowhere := s.must(t, 201, claim("60054")) // no network, so no finding
	nowhere.shows(t, "state", "queued", "next_step", "The claim goes out with the next batch once a clearinghouse is configured for this payer.")

	s.enroll(t, call{key: s.live, body: office}, "CHTEST", "claims", "submitted")
	made := s.must(t, 201, claim("CHTEST"))
	made.shows(t, "state", "needs_attention", "findings.0.code", "office_not_verified", "findings.0.field", "office_id",
		"findings.1.code", "enrollment_not_active", "findings.1.field", "payer_id")
	path := "/claims/" + made.text(t, "id")
	s.verify(t, office)
	s.must(t, 200, call{method: "PATCH", path: path, key: s.live, body: `{"draft":false}`}).shows(t, "state", "needs_attention", "submit_when_ready", false,
		"history.1.cause", "submit_withdrawn", "history.1.state", "needs_attention")
	refused := s.must(t, 409, call{method: "POST", path: path + "/submit", key: s.live})
	const bySelf = "No action is needed on the claim: Molar submits it by itself once the enrollment of its office with the payer is recorded as active."
	if message := refused.text(t, "message"); !strings.HasSuffix(message, bySelf) {
		t.Errorf("submitted: %q", message)
	}
	s.must(t, 200, call{path: path, key: s.live}).shows(t, "submit_when_ready", true, "next_step", bySelf)
	s.enroll(t, call{key: s.live, body: office}, "CHTEST", "claims", "active")
	for s.do(t, call{path: path, key: s.live}).text(t, "state") != "queued" {
	}
	s.must(t, 200, call{path: path, key: s.live}).shows(t, "submit_when_ready", false, "findings", []any{}, "history.2.cause", "enrollment",
		"history.3.cause", "submit", "next_step", "No action is needed: the claim goes out with the next batch.")

	s.must(t, 200, call{method: "PATCH", path: "/offices/" + office, key: s.live, body: `{"tax_id":"987654321"}`}).shows(t, "verified_at", nil)
	cut(0)
	s.must(t, 200, call{path: path, key: s.live}).shows(t, "state", "queued",
		"next_step", "The claim waits for its office: ask the operator of the service to verify the office.")
	s.verify(t, office)
	s.enroll(t, call{key: s.live, body: office}, "CHTEST", "claims", "rejected")
	cut(0)
	waits := s.must(t, 200, call{path: "/claims?state=queued&payer_id=" + testPayer(t).String(), key: s.live})
	waits.shows(t, "data.0.next_step", "The claim waits for the enrollment of its office with the payer: record it as active once the network confirms it.")
	s.enroll(t, call{key: s.live, body: office}, "CHTEST", "claims", "active")
	cut(1)
	for s.do(t, call{path: path, key: s.live}).text(t, "state") != "submitted" {
	}
	s.must(t, 200, call{path: "/claims/" + nowhere.text(t, "id"), key: s.live}).shows(t, "state", "queued")
}

// TestLiveCheckNeedsEnrollment asks a payer that must enroll the office first.
func TestLiveCheckNeedsEnrollment(t *testing.T) {
	t.Parallel()
	s, office := connected(t)
	check := call{path: "/eligibility", key: s.live, body: s.question("1", func(q, _ anObject) { q["office_id"] = office })}
	for state, words := range map[string]string{"needed": "none was requested", "submitted": "not confirmed it yet", "rejected": "rejected it"} {
		s.enroll(t, call{key: s.live, body: office}, "CHTEST", "eligibility", state)
		a := s.do(t, check)
		if wantFields(t, a, "payer_id not_allowed"); !strings.Contains(a.body, words) {
			t.Errorf("%s: %s", state, a.body)
		}
		one := s.item(t, "one", "1", "office_id", office)
		batch := s.do(t, call{path: "/eligibility/batches", key: s.live, body: checksBody([]anObject{one})})
		if wantFields(t, batch, "items.0.payer_id not_allowed"); !strings.Contains(batch.body, words) {
			t.Errorf("%s, in a batch: %s", state, batch.body)
		}
	}
	s.enroll(t, call{key: s.live, body: office}, "CHTEST", "claims", "rejected") // of another transaction
	for _, state := range []string{"not_needed", "active"} {
		s.enroll(t, call{key: s.live, body: office}, "CHTEST", "eligibility", state)
		wantStatus(t, s.do(t, check), 502, billing.CodeNetworkError)
	}
	check.body = s.question("1", func(q, _ anObject) { q["office_id"], q["payer_id"] = office, "60054" })
	wantStatus(t, s.do(t, check), 503, billing.CodeEligibilityUnavailable)
}

// TestAnsweredElsewhere marks payer requests as answered that no attachment can answer.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	s := startService(t)
	prq := s.liveRequest(t).String()
	path := "/payer_requests/" + prq + "/answer"
	mailed := `{"answered_elsewhere":true,"note":"Mailed on January 5."}`
	for body, fields := range map[string]string{
		`{"answered_elsewhere":true}`:                                                                    "note required",
		`{"answered_elsewhere":true,"note":" "}`:                                                         "note required",
		`{"answered_elsewhere":true,"note":"` + strings.Repeat("x", 2001) + `"}`:                         "note too_long",
		`{"answered_elsewhere":true,"note":"x","narrative":"y","office_id":"` + s.office.String() + `"}`: "office_id not_allowed,narrative not_allowed",
		`{"answered_elsewhere":"yes","note":"x"}`:                                                        "",
	} {
		a := s.do(t, call{path: path, key: s.live, body: body, bad: true})
		if fields == "" { // not true, so it is for an attachment
			wantStatus(t, a, 503, billing.CodeAttachmentsUnavailable)
			continue
		}
		wantFields(t, a, fields)
	}
	wantStatus(t, s.do(t, call{path: "/payer_requests/prq_00000000000000000000000001/answer", key: s.live, body: mailed}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: path, key: s.key, body: mailed}), 404, billing.CodeNotFound)
	sent := call{path: path, key: s.live, body: mailed, idem: "mailed"}
	done := s.must(t, 200, sent)
	done.shows(t, "object", "payer_request_answer", "attachment", nil, "payer_request.state", "answered", "payer_request.answer_note", "Mailed on January 5.",
		"payer_request.answering_attachment_id", nil, "payer_request.answered_at", some{})
	if again := s.must(t, 200, sent); again.body != done.body {
		t.Errorf("again %s", again.body)
	}
	s.must(t, 200, call{path: path, key: s.live, body: `{"answered_elsewhere":true,"note":"Another way."}`}).shows(t, "payer_request.answer_note", "Mailed on January 5.")
	s.must(t, 200, call{path: "/payer_requests/" + prq, key: s.live}).shows(t, "state", "answered", "answer_note", "Mailed on January 5.")
	if open := s.must(t, 200, call{path: "/payer_requests?state=open", key: s.live}); len(open.get(t, "data").([]any)) != 0 {
		t.Errorf("open %s", open.body)
	}

	// In test mode attachments reach the test payer, but not one that accepts none.
	request, _ := s.payerRequest(t, nil)
	wantStatus(t, s.do(t, call{path: request + "/answer", body: mailed}), 409, billing.CodeConflict)
	wantFields(t, s.do(t, call{path: request + "/answer", body: `{"attachment_id":null,"note":"x"}`}), "note not_allowed,office_id required,patient required,subscriber required,service_dates required")
	mute, _ := s.payerRequest(t, with("payer_id", "BCBSDE"))
	s.must(t, 200, call{path: mute + "/answer", body: mailed}).shows(t, "payer_request.state", "answered")
	s.must(t, 200, call{path: mute + "/answer", body: `{"narrative":"x"}`}).shows(t, "attachment", nil, "payer_request.answer_note", "Mailed on January 5.")
}

// TestEnrollmentsOfPeople records an enrollment as each role.
func TestEnrollmentsOfPeople(t *testing.T) {
	t.Parallel()
	s := startService(t)
	body := `{"office_id":"` + s.office.String() + `","payer_id":"CHTEST","transaction":"claims","state":"submitted"}`
	for role, status := range map[caller.Role]int{caller.RoleOwner: 200, caller.RoleBiller: 200, caller.RoleViewer: 403} {
		v := s.visits(t, s.org, string(role)+"@example.com", role)
		if a := s.do(t, v.call(call{method: "PUT", path: "/enrollments", body: body})); a.StatusCode != status {
			t.Errorf("%s: %d %s, want %d", role, a.StatusCode, a.body, status)
		}
	}
}
