package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// wantAnswered checks an answer and what it leaves behind: the request, the
// attachment, and one event.
func (s *service) wantAnswered(t *testing.T, request string, a response) (attachment string) {
	t.Helper()
	attachment = a.text(t, "attachment", "id")
	a.shows(t, "object", "payer_request_answer", "payer_request.state", "answered",
		"payer_request.answering_attachment_id", attachment, "payer_request.answered_at", a.get(t, "attachment", "closed_at"),
		"attachment.payer_request_id", a.get(t, "payer_request", "id"), "attachment.kind", "solicited",
		"attachment.payer_reference", a.get(t, "payer_request", "reference_number"),
		"attachment.payer", a.get(t, "payer_request", "payer"))
	number := wantSent(t, a, "attachment")
	if r := s.must(t, 200, call{path: request}); fmt.Sprint(r.get(t)) != fmt.Sprint(a.get(t, "payer_request")) {
		t.Errorf("payer request %s after %s", r.body, a.body)
	}
	if got := s.must(t, 200, call{path: "/attachments/" + attachment}); fmt.Sprint(got.get(t)) != fmt.Sprint(a.get(t, "attachment")) {
		t.Errorf("attachment %s after %s", got.body, a.body)
	}
	e := s.event(t, attachment, "attachment.completed")
	e.shows(t, "data.payer_request_id", a.get(t, "payer_request", "id"), "data.attachment_number", number, "data.kind", "solicited")
	return attachment
}

// An attachment is made for the request, gets its images, and answers it.
func TestSolicitedAnswer(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	recorded := s.must(t, 201, call{path: "/payer_requests", body: letter(with("claim_id", claim, "payer_id", nil, "due_date", "2026-03-01"))})
	id := recorded.text(t, "id")
	request := "/payer_requests/" + id
	recorded.shows(t, "state", "open", "source", "staff", "claim_id", claim, "payer.payer_id", "CHTEST",
		"reference_number", "REF-1", "requested", "The full-mouth series, please.", "due_date", "2026-03-01",
		"answering_attachment_id", nil, "answered_at", nil)
	if r := s.must(t, 200, call{path: request, key: s.read}); r.body != recorded.body {
		t.Errorf("read %s after %s", r.body, recorded.body)
	}
	e := s.event(t, id, "payer_request.received")
	e.shows(t, "data.object", "payer_request", "data.claim_id", claim, "data.payer.payer_id", "CHTEST", "data.reference_number", "REF-1",
		"data.state", "open", "data.source", "staff", "data.due_date", "2026-03-01",
		"data.created_at", recorded.get(t, "created_at"), "data.occurred_at", recorded.get(t, "created_at"))

	solicited := jsonOf(anObject{"kind": "solicited", "payer_request_id": id}, nil)
	made := s.must(t, 201, call{path: "/attachments", body: solicited})
	path := "/attachments/" + made.text(t, "id")
	made.shows(t, "claim_id", claim, "payer_reference", "REF-1", "office_id", s.office.String())
	wantStatus(t, s.do(t, call{path: "/attachments", body: solicited}), 409, billing.CodeConflict)
	wantStatus(t, s.do(t, call{path: path + "/close", body: "{}"}), 409, billing.CodeConflict)
	wantFields(t, s.do(t, call{path: request + "/answer", body: "{}"}), "narrative required")
	s.must(t, 201, upload(path, film(jpegOf(1))))
	s.must(t, 201, upload(path, chart(pngOf(2))))
	wantStatus(t, s.do(t, call{path: path + "/close", body: "{}"}), 409, billing.CodeConflict)

	first := s.must(t, 200, call{path: request + "/answer", body: "{}"})
	if s.wantAnswered(t, request, first) != made.text(t, "id") || len(first.documents(t, "attachment")) != 2 {
		t.Errorf("reply %s", first.body)
	}
	s.wantNothingChanges(t, path, first.documents(t, "attachment")[0]["id"].(string))
	// An answered request returns its answer, whatever the next says.
	for _, body := range []string{"{}", `{"narrative":"late"}`, s.own(with("payer_id", nil)), jsonOf(anObject{"attachment_id": made.text(t, "id")}, nil)} {
		a := s.must(t, 200, call{path: request + "/answer", body: body})
		if a.body != first.body || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("reply %s after %s", a.body, first.body)
		}
	}
	s.event(t, made.text(t, "id"), "attachment.completed")
	wantStatus(t, s.do(t, call{path: "/attachments", body: solicited}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: path + "/close", body: "{}"}).shows(t, "attachment_number", first.text(t, "attachment", "attachment_number"))
	wantFields(t, s.do(t, call{path: request + "/answer", body: `{"attachment_id":"x"}`}), "attachment_id format")
}

func TestAnswersRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	request, id := s.payerRequest(t, with("claim_id", claim, "payer_id", nil))
	_, elsewhere := s.payerRequest(t, with("claim_id", claim, "payer_id", nil))
	mute, _ := s.payerRequest(t, with("payer_id", "BCBSDE"))
	other := s.must(t, 201, call{path: "/attachments", body: jsonOf(anObject{"kind": "solicited", "payer_request_id": elsewhere, "narrative": "x"}, nil)}).text(t, "id")
	closed := s.attachment(t, "x")
	s.must(t, 201, upload(closed, chart(jpegOf(1))))
	s.must(t, 200, call{path: closed + "/close", body: "{}"})
	unknown := "att_" + id[4:]
	t.Run("bodies", func(t *testing.T) {
		s.refuses(t, request+"/answer", map[string]refused{
			"malformed office":            {`{"narrative":"x","office_id":"x"}`, 422, "office_id format"},
			"another office":              {jsonOf(anObject{"narrative": "x", "office_id": "off_" + id[4:]}, nil), 422, "office_id conflict"},
			"unknown attachment":          {jsonOf(anObject{"narrative": "x", "attachment_id": unknown}, nil), 404, "attachment_id not_found"},
			"a closed one":                {jsonOf(anObject{"narrative": "x", "attachment_id": closed[13:]}, nil), 409, ""},
			"another request's":           {jsonOf(anObject{"narrative": "y", "attachment_id": other}, nil), 409, ""},
			"faults come before absences": {jsonOf(anObject{"attachment_id": unknown, "colour": "red"}, nil), 422, "colour unknown"},
		})
	})
	s.must(t, 200, call{path: request}).shows(t, "state", "open")
	if made := s.walk(t, "/attachments?limit=100&payer_request_id="+id); len(made) != 0 {
		t.Errorf("attachments %v", made)
	}
	wantStatus(t, s.do(t, call{path: mute + "/answer", body: s.own(with("payer_id", nil))}), 409, billing.CodeConflict)
	s.must(t, 200, call{path: "/attachments/" + other}).shows(t, "narrative", "x")
}

func TestLettersRefused(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	s.refuses(t, "/payer_requests", map[string]refused{
		"wrong types":   {letter(with("claim_id", 1, "due_date", false)), 422, "claim_id type,due_date type"},
		"another payer": {letter(with("claim_id", claim, "payer_id", "60054")), 422, "payer_id conflict"},
		"unknown payer": {letter(with("payer_id", "absent")), 404, "payer_id not_found"},
		"unknown claim": {letter(with("claim_id", "clm_"+s.office.String()[4:])), 404, "claim_id not_found"},
		"unknown claim and payer": {
			letter(with("claim_id", "clm_"+s.office.String()[4:], "payer_id", "absent")), 404, "claim_id not_found,payer_id not_found",
		},
		"faults come first": {letter(with("payer_id", "absent", "requested", nil)), 422, "requested required"},
	})
	t.Run("taken", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{
			letter(with("payer_id", "BCBSDE", "due_date", nil, "reference_number", strings.Repeat("é", 50), "requested", strings.Repeat("é", 2000))),
			letter(with("claim_id", claim, "due_date", "1999-12-31")),
		} {
			s.must(t, 201, call{path: "/payer_requests", body: body})
		}
	})
}

// Words alone answer: their attachment has a number of its own beside the
// claim's earlier one.
func TestAnswerInWords(t *testing.T) {
	t.Parallel()
	s := startService(t)
	claim := s.claim(t, nil).ID.String()
	path := "/attachments/" + s.must(t, 201, call{path: "/attachments", body: jsonOf(anObject{"claim_id": claim}, nil)}).text(t, "id")
	s.must(t, 201, upload(path, chart(jpegOf(1))))
	number := wantSent(t, s.must(t, 200, call{path: path + "/close", body: "{}"}))
	request, _ := s.payerRequest(t, with("claim_id", claim, "payer_id", nil))
	a := s.must(t, 200, call{path: request + "/answer", body: `{"narrative":"See the chart."}`})
	s.wantAnswered(t, request, a)
	a.shows(t, "attachment.narrative", "See the chart.", "attachment.claim_id", claim, "attachment.request_id", a.Header.Get("X-Request-Id"))
	if a.text(t, "attachment", "attachment_number") == number || len(a.documents(t, "attachment")) != 0 {
		t.Errorf("reply %s", a.body)
	}
}
