package httpapi

import (
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// When the network fails the attachment stays open and nothing is lost: it is
// closed again with a new key. What the first key got is kept.
func TestNetworkFailsClosing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "SANDBOX-NETWORK-ERROR")
	before := s.must(t, 201, upload(path, chart(pngOf(2))))
	shut := call{path: path + "/close", body: "{}", idem: "first"}
	first := s.do(t, shut)
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	if m := first.text(t, "message"); !strings.Contains(m, "This Idempotency-Key returns this reply again; a new attempt needs a new key.") {
		t.Errorf("the message is %q", m)
	}
	if len(first.fields(t)) != 0 || first.text(t, "request_id") != first.Header.Get("X-Request-Id") {
		t.Errorf("reply %s", first.body)
	}
	wantReplay(t, first, s.do(t, shut))
	if a := s.must(t, 200, call{path: path}); a.body != before.body {
		t.Errorf("attachment %s, before %s", a.body, before.body)
	}
	s.must(t, 200, patch(path, "Now it works."))
	closed := s.must(t, 200, call{path: path + "/close", body: "{}"})
	wantSent(t, closed)
	wantReplay(t, first, s.do(t, shut)) // a kept answer, although it is closed by now
	s.event(t, closed.text(t, "id"), "attachment.completed")
}

func TestNetworkFailsAnswering(t *testing.T) {
	t.Parallel()
	s := startService(t)
	request, id := s.payerRequest(t, nil)
	answering := call{path: request + "/answer", body: s.own(with("payer_id", nil, "narrative", "SANDBOX-NETWORK-ERROR")), idem: "first"}
	first := s.do(t, answering)
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	s.must(t, 200, call{path: request}).shows(t, "state", "open", "answering_attachment_id", nil)
	open := s.walk(t, "/attachments?limit=100&payer_request_id="+id)
	a := s.must(t, 200, call{path: request + "/answer", body: `{"narrative":"Now it works."}`})
	if made := s.wantAnswered(t, request, a); len(open) != 1 || made != open[0] {
		t.Errorf("%s answers, and %v were open", made, open)
	}
	wantReplay(t, first, s.do(t, answering))
}
