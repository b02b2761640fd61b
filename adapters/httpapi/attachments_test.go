package httpapi

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// event reads the one event about the resource, and checks that it is the
// first of its history.
func (s *service) event(t *testing.T, resource, kind string) response {
	t.Helper()
	found := s.walk(t, "/events?resource_id="+resource)
	if len(found) != 1 {
		t.Fatalf("events of %s: %v", resource, found)
	}
	a := s.must(t, 200, call{path: "/events/" + found[0]})
	a.shows(t, "type", kind, "sequence", "1", "data.id", resource)
	return a
}

// wantStored checks that the content of each document is what its size and MD5
// say, and that only those who may read it can.
func (s *service) wantStored(t *testing.T, att string, documents []anObject) {
	t.Helper()
	for _, d := range documents {
		path := att + "/documents/" + d["id"].(string) + "/content"
		a := s.must(t, 200, call{path: path, key: s.read})
		sum := md5.Sum([]byte(a.body))
		if hex.EncodeToString(sum[:]) != d["md5"] || fmt.Sprint(d["size"]) != fmt.Sprint(len(a.body)) ||
			!strings.HasPrefix(a.body, "\xff\xd8\xff") || a.Header.Get("Content-Type") != "image/jpeg" {
			t.Errorf("content of %v: %d bytes, MD5 %x, %v", d, len(a.body), sum, a.Header)
		}
		wantStatus(t, s.do(t, call{path: path, key: s.other}), 404, billing.CodeNotFound)
	}
}

// wantSent checks what closing makes of an attachment.
func wantSent(t *testing.T, a response, path ...string) (number string) {
	t.Helper()
	at := func(names ...string) []string { return append(append([]string{}, path...), names...) }
	number = a.text(t, at("attachment_number")...)
	note := strings.TrimSpace(number + " " + a.text(t, at("narrative")...))
	if a.text(t, at("state")...) != "closed" || len(number) < 2 || a.text(t, at("claim_file", "pwk")...) != number ||
		a.text(t, at("claim_file", "nte")...) != note || a.text(t, at("closed_at")...) != a.text(t, at("updated_at")...) {
		t.Errorf("closed attachment %s", a.body)
	}
	for _, d := range a.documents(t, path...) {
		if d["sent_to_network"] != true {
			t.Errorf("not sent: %v", d)
		}
	}
	return number
}

func TestAttachmentWithAClaim(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.claim(t, nil)
	made := s.must(t, 201, call{path: "/attachments", body: jsonOf(anObject{
		"claim_id": c.ID.String(), "narrative": "Tooth 14 is fractured.",
	}, nil)})
	id := made.text(t, "id")
	path := "/attachments/" + id
	made.shows(t, "state", "open", "kind", "unsolicited", "claim_id", c.ID, "office_id", s.office, "payer.payer_id", "CHTEST",
		"documents", "[]", "attachment_number", nil, "claim_file", nil, "closed_at", nil, "payer_request_id", nil,
		"request_id", made.Header.Get("X-Request-Id"))
	s.must(t, 201, upload(path, film(jpegOf(1))))
	full := s.must(t, 201, upload(path, chart(pngOf(2))))
	documents := full.documents(t)
	full.shows(t, "documents.0.medium", "film", "documents.0.image_date", "2026-01-02", "documents.0.orientation", "left",
		"documents.0.converted_from", nil, "documents.0.file_name", "x-ray.jpg", "documents.0.sent_to_network", false,
		"documents.1.medium", "paper", "documents.1.image_date", nil, "documents.1.orientation", nil,
		"documents.1.converted_from", "png", "documents.1.document_type", "7")
	if len(documents) != 2 {
		t.Fatalf("documents %v", documents)
	}
	if a := s.must(t, 200, call{path: path}); a.body != full.body {
		t.Errorf("read %s after %s", a.body, full.body)
	}
	s.wantStored(t, path, documents)

	closed := s.must(t, 200, call{path: path + "/close", body: "{}"})
	number := wantSent(t, closed)
	s.wantStored(t, path, closed.documents(t))
	again := s.must(t, 200, call{method: "POST", path: path + "/close", header: map[string]string{"Content-Type": ""}})
	if again.body != closed.body || again.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("closed again: %s after %s", again.body, closed.body)
	}
	e := s.event(t, id, "attachment.completed")
	e.shows(t, "data.object", "attachment", "data.office_id", s.office, "data.claim_id", c.ID, "data.payer.payer_id", "CHTEST",
		"data.kind", "unsolicited", "data.state", "closed", "data.attachment_number", number, "data.payer_request_id", nil,
		"data.document_count", 2, "data.request_id", closed.get(t, "request_id"), "data.created_at", closed.get(t, "created_at"),
		"data.closed_at", closed.get(t, "closed_at"), "data.occurred_at", closed.get(t, "closed_at"))
	s.wantNothingChanges(t, path, documents[0]["id"].(string))
}

// wantNothingChanges tries whatever would change a closed attachment.
func (s *service) wantNothingChanges(t *testing.T, path, document string) {
	t.Helper()
	before := s.must(t, 200, call{path: path}).body
	for _, c := range []call{
		patch(path, "other"), remove(path, document), upload(path, chart(jpegOf(7))), upload(path, chart(pngOf(7))), upload(path, film(jpegOf(1))),
	} {
		wantStatus(t, s.do(t, c), 409, billing.CodeConflict)
	}
	if after := s.must(t, 200, call{path: path}).body; after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestAttachmentOnItsOwn(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, payer := range []string{"CHTEST", "MOLARTEST"} { // an alias
		made := s.must(t, 201, call{path: "/attachments", body: s.own(with("payer_id", payer, "claim_id", nil, "kind", "unsolicited"))})
		made.shows(t, "claim_id", nil, "payer.payer_id", "CHTEST", "narrative", "The chart of the last visit.")
		path := "/attachments/" + made.text(t, "id")
		wantStatus(t, s.do(t, call{path: path + "/close", body: "{}"}), 409, billing.CodeConflict)
		s.must(t, 201, upload(path, chart(pngOf(1))))
		wantSent(t, s.must(t, 200, call{path: path + "/close", body: "{}"}))
	}
	byID := s.must(t, 200, call{path: "/attachments?limit=1"})
	rows := byID.get(t, "data").([]any)
	pyr := rows[0].(anObject)["payer"].(anObject)["id"].(string)
	s.must(t, 201, call{path: "/attachments", body: s.own(with("payer_id", pyr, "narrative", nil))})
}

func TestAttachmentRequestsRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	cl := s.claim(t, nil).ID.String()
	other := s.claim(t, nil).ID.String()
	mute := s.claim(t, func(c *claim.Claim) { c.Payer = payerOf(t, "53287") }).ID.String()
	_, prq := s.payerRequest(t, nil)
	_, aboutClaim := s.payerRequest(t, with("claim_id", cl, "payer_id", nil))
	unknown := func(kind string) string { return kind + "_" + prq[4:] }
	bare := func(fields ...any) string { return jsonOf(anObject{}, with(fields...)) }
	s.refuses(t, "/attachments", map[string]refused{
		"nothing":                 {"{}", 422, "office_id required,payer_id required,patient required,subscriber required,service_dates required"},
		"wrong types":             {s.own(with("office_id", 1, "patient", "Kim")), 422, "office_id type,patient type"},
		"unknown within":          {s.own(with("patient", anObject{"age": 3, "first_name": "K", "last_name": "E", "date_of_birth": "2015-06-01"})), 422, "patient.age unknown"},
		"a payer that takes none": {s.own(with("payer_id", "BCBSDE")), 422, "payer_id not_allowed"},
		"a claim's that does":     {bare("claim_id", mute), 422, "payer_id not_allowed"},
		"nul":                     {strings.Replace(s.own(nil), "The chart", `The\u0000chart`, 1), 422, "narrative format"},

		"another office than the claim's":      {bare("claim_id", cl, "office_id", unknown("off")), 422, "office_id conflict"},
		"another payer than the claim's":       {bare("claim_id", cl, "payer_id", "60054"), 422, "payer_id conflict"},
		"another payer than the request's":     {s.own(with("kind", "solicited", "payer_request_id", prq, "payer_id", "60054")), 422, "payer_id conflict"},
		"another claim than the request's":     {bare("kind", "solicited", "payer_request_id", aboutClaim, "claim_id", other), 422, "claim_id conflict"},
		"a claim where the request has none":   {bare("kind", "solicited", "payer_request_id", prq, "claim_id", cl), 422, "claim_id conflict"},
		"faults come before what is not there": {s.own(with("office_id", unknown("off"), "kind", "x")), 422, "kind not_allowed"},

		"unknown office":  {s.own(with("office_id", unknown("off"))), 404, "office_id not_found"},
		"unknown payer":   {s.own(with("payer_id", unknown("pyr"))), 404, "payer_id not_found"},
		"unknown claim":   {bare("claim_id", unknown("clm")), 404, "claim_id not_found"},
		"unknown request": {bare("kind", "solicited", "payer_request_id", "prq_"+cl[4:]), 404, "payer_request_id not_found"},
		"all unknown": {
			bare("kind", "solicited", "payer_request_id", "prq_"+cl[4:], "claim_id", unknown("clm"), "office_id", unknown("off"), "payer_id", unknown("pyr")),
			404, "payer_request_id not_found,claim_id not_found,office_id not_found,payer_id not_found",
		},
	})
}

func payerOf(t *testing.T, ref string) directory.PayerSummary {
	t.Helper()
	p, ok := porttest.Payers(t).Find(ref)
	if !ok {
		t.Fatalf("no payer %s", ref)
	}
	return p.PayerSummary
}

// A claim's own office and payer may be said again, and the longest narrative
// is kept as it is.
func TestAttachmentRequestsTaken(t *testing.T) {
	t.Parallel()
	s := startService(t)
	c := s.claim(t, nil).ID.String()
	long := strings.Repeat("👩", 2000)
	a := s.must(t, 201, call{path: "/attachments", body: jsonOf(anObject{
		"claim_id": c, "office_id": s.office.String(), "payer_id": "CHTEST", "narrative": long, "kind": nil, "patient": nil,
	}, nil)})
	a.shows(t, "narrative", long)
	path := "/attachments/" + a.text(t, "id")
	s.must(t, 201, upload(path, chart(jpegOf(1))))
	closed := s.must(t, 200, call{path: path + "/close", body: "{}"})
	if note := closed.text(t, "claim_file", "nte"); note != closed.text(t, "attachment_number")+" "+strings.Repeat("👩", 67) {
		t.Errorf("the note %q is not the word's beginning", note)
	}
	closed.shows(t, "claim_file.nte_partial", true)
	words := strings.TrimSpace(strings.Repeat("molar ", 300))
	path = s.attachment(t, words)
	s.must(t, 201, upload(path, chart(jpegOf(1))))
	closed = s.must(t, 200, call{path: path + "/close", body: "{}"})
	if note := closed.text(t, "claim_file", "nte"); len(note) > 80 || len(note) < 75 || !strings.HasSuffix(note, " molar") {
		t.Errorf("note %q", note)
	}
}

func TestNarrative(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "first")
	for _, narrative := range []string{"second", "", strings.Repeat("é", 2000), "a\nb \"c\" \\ \u2028 👩"} {
		a := s.must(t, 200, patch(path, narrative))
		if got := s.must(t, 200, call{path: path}); a.text(t, "narrative") != narrative || got.body != a.body || a.text(t, "updated_at") <= a.text(t, "created_at") {
			t.Errorf("attachment %s, then %s", a.body, got.body)
		}
	}
	for body, fields := range map[string]string{
		"{}":                 "narrative required",
		`{"narrative":null}`: "narrative required",
		`{"narrative":1}`:    "narrative type",
		jsonOf(anObject{"narrative": strings.Repeat("é", 2001)}, nil): "narrative too_long",
	} {
		wantFields(t, s.do(t, call{method: "PATCH", path: path, body: body, bad: true}), fields)
	}
}

// liveRequest keeps a payer request of live mode, as its clearinghouse may bring one.
func (s *service) liveRequest(t *testing.T) billing.PayerRequestID {
	t.Helper()
	now := time.Now()
	r := &attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](billing.RealAt(now)), Scope: billing.Scope{Org: s.test.Org, Mode: billing.ModeLive},
		State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork, Payer: payerOf(t, "60054"),
		ReferenceNumber: "R", Requested: "All.", CreatedAt: now,
	}
	porttest.In(t, s.store, r.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Insert(ctx, r) })
	return r.ID
}

// In live mode there is nothing to write yet, and reading works.
func TestAttachmentsInLiveMode(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := "/attachments/" + billing.NewID[billing.AttachmentID](billing.RealAt(time.Now())).String()
	document := billing.NewID[billing.DocumentID](billing.RealAt(time.Now())).String()
	prq := s.liveRequest(t).String()
	for _, c := range []call{
		{path: "/attachments", body: s.own(nil)},
		{path: "/attachments", body: "{}"},
		{path: "/payer_requests", body: letter(nil)},
		{path: "/payer_requests", body: "{}"},
		patch(path, "x"),
		{path: path + "/close", body: "{}"},
		upload(path, chart(jpegOf(1))),
		upload(path, nil),
		remove(path, document),
		{path: "/payer_requests/" + prq + "/answer", body: `{"narrative":"x"}`},
		{path: "/payer_requests/" + prq + "/answer", body: `{"colour":"red"}`},
		patch("/attachments/x", "x"),
		upload("/attachments/x", nil),
		remove(path, "x"),
		{path: "/payer_requests/x/answer", body: "{}"},
	} {
		c.key, c.bad, c.idem = s.live, true, "the-same" // it is not kept
		wantStatus(t, s.do(t, c), 503, billing.CodeAttachmentsUnavailable)
	}
	for path, status := range map[string]int{
		"/attachments": 200, path: 404, path + "/documents/" + document + "/content": 404, "/document_types": 200,
		"/payer_requests": 200, "/payer_requests/" + prq: 200,
	} {
		s.must(t, status, call{path: path, key: s.live})
	}
}
