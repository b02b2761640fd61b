package httpapi

import (
	"fmt"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/eligibility"
)

// When the network fails the attachment stays open and nothing is lost: it is
// closed again with a new key. What the first key got is kept.
func TestNetworkFailsClosing(t *testing.T) {
	t.Parallel()
	s := startService(t, eligibility.DefaultTimes())
	path := s.attachment(t, "SANDBOX-NETWORK-ERROR")
	s.must(t, 201, upload(path, film(jpegOf(1))))
	before := s.must(t, 201, upload(path, chart(pngOf(2))))
	shut := call{path: path + "/close", body: "{}", idem: "first"}
	first := s.do(t, shut)
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	if len(first.fields(t)) != 0 || first.text(t, "request_id") != first.Header.Get("X-Request-Id") {
		t.Errorf("answer %s", first.body)
	}
	wantReplay(t, first, s.do(t, shut))
	if a := s.must(t, 200, call{path: path}); a.body != before.body {
		t.Errorf("attachment %s, before %s", a.body, before.body)
	}
	again := s.do(t, call{path: path + "/close", body: "{}"}) // it fails again, under the same number
	wantStatus(t, again, 502, billing.CodeAttachmentsNetworkError)
	s.must(t, 200, patch(path, "Now it works."))
	s.must(t, 201, upload(path, chart(jpegOf(3))))
	closed := s.must(t, 200, call{path: path + "/close", body: "{}", idem: "third"})
	wantSent(t, closed)
	if len(closed.documents(t)) != 3 {
		t.Errorf("attachment %s", closed.body)
	}
	wantReplay(t, first, s.do(t, shut)) // a kept answer, although it is closed by now
	s.wantStored(t, path, closed.documents(t))
	s.event(t, closed.text(t, "id"), "attachment.completed")
}

func TestNetworkFailsAnswering(t *testing.T) {
	t.Parallel()
	s := startService(t, eligibility.DefaultTimes())
	request, id := s.payerRequest(t, nil)
	body := s.own(with("payer_id", nil, "narrative", "SANDBOX-NETWORK-ERROR"))
	first := s.do(t, call{path: request + "/answer", body: body, idem: "first"})
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	wantReplay(t, first, s.do(t, call{path: request + "/answer", body: body, idem: "first"}))
	if r := s.must(t, 200, call{path: request}); r.text(t, "state") != "open" || r.get(t, "answering_attachment_id") != nil {
		t.Errorf("payer request %s", r.body)
	}
	all := s.walk(t, "/attachments?limit=100&payer_request_id="+id)
	if len(all) != 1 {
		t.Fatalf("attachments %v", all)
	}
	open := s.must(t, 200, call{path: "/attachments/" + all[0]})
	if open.text(t, "state") != "open" || open.get(t, "attachment_number") != nil || open.text(t, "narrative") != "SANDBOX-NETWORK-ERROR" {
		t.Errorf("attachment %s", open.body)
	}
	s.must(t, 201, upload("/attachments/"+all[0], chart(jpegOf(1))))
	a := s.must(t, 200, call{path: request + "/answer", body: `{"narrative":"Now it works."}`})
	if s.wantAnswered(t, request, a) != all[0] || len(a.documents(t, "attachment")) != 1 {
		t.Errorf("answer %s", a.body)
	}
	wantReplay(t, first, s.do(t, call{path: request + "/answer", body: body, idem: "first"}))
}

// While an attachment is being sent, nothing changes it; then it is closed.
func TestNothingChangesWhileSending(t *testing.T) {
	t.Parallel()
	s := startService(t, eligibility.DefaultTimes())
	const slow = "SANDBOX-SLOW-4"
	t.Run("close", func(t *testing.T) {
		t.Parallel()
		path := s.attachment(t, slow)
		a := s.sendSlowly(t, path, slow, call{path: path + "/close", body: "{}", idem: "close"})
		wantSent(t, a)
	})
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		request, id := s.payerRequest(t, nil)
		made := s.must(t, 201, call{path: "/attachments", body: s.own(with("kind", "solicited", "payer_request_id", id, "payer_id", nil, "narrative", slow))})
		a := s.sendSlowly(t, "/attachments/"+made.text(t, "id"), slow, call{path: request + "/answer", body: "{}", idem: "answer"})
		s.wantAnswered(t, request, a)
	})
}

// sendSlowly sends the attachment, tries to change it meanwhile, and gives the
// answer.
func (s *service) sendSlowly(t *testing.T, path, narrative string, send call) (sent answer) {
	t.Helper()
	key := s.newKey(t)
	up := func(file []byte) call {
		c := upload(path, chart(file))
		c.key = key
		return c
	}
	document := s.must(t, 201, up(jpegOf(1))).documents(t)[0]["id"].(string)
	var group sync.WaitGroup
	group.Go(func() { sent = s.do(t, send) })
	eventually(t, func() error { // until it has begun
		if a := s.do(t, patch(path, narrative)); a.StatusCode != 409 {
			return fmt.Errorf("a change: %d %s", a.StatusCode, a.body)
		}
		return nil
	})
	again := s.do(t, send)
	if wantStatus(t, again, 409, billing.CodeIdempotencyKeyInUse); again.Header.Get("Retry-After") == "" {
		t.Errorf("answer %v", again.Header)
	}
	other := send
	other.idem = ""
	for _, change := range []call{other, patch(path, "other"), remove(path, document), up(jpegOf(2)), up(pngOf(2)), up(jpegOf(1))} {
		a := s.do(t, change)
		if wantStatus(t, a, 409, billing.CodeConflict); a.Header.Get("Retry-After") != "" {
			t.Errorf("answer %v", a.Header)
		}
	}
	a := s.must(t, 200, call{path: path})
	if a.text(t, "state") != "open" || a.get(t, "attachment_number") != nil || a.documents(t)[0]["sent_to_network"] != false {
		t.Errorf("attachment %s", a.body)
	}
	group.Wait()
	wantReplay(t, sent, s.do(t, send))
	return sent
}
