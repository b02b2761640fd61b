package httpapi

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// When the network fails the attachment stays open and nothing is lost: it is
// closed again with a new key. What the first key got is kept.
func TestNetworkFailsClosing(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "SANDBOX-NETWORK-ERROR")
	s.must(t, 201, upload(path, film(jpegOf(1))))
	before := s.must(t, 201, upload(path, chart(pngOf(2))))
	shut := call{path: path + "/close", body: "{}", idem: "first"}
	first := s.do(t, shut)
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	if m := first.text(t, "message"); !strings.Contains(m, "This Idempotency-Key returns this reply again; a new attempt needs a new key.") {
		t.Errorf("the message is %q", m)
	}
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
	s := startService(t)
	request, id := s.payerRequest(t, nil)
	body := s.own(with("payer_id", nil, "narrative", "SANDBOX-NETWORK-ERROR"))
	first := s.do(t, call{path: request + "/answer", body: body, idem: "first"})
	wantStatus(t, first, 502, billing.CodeAttachmentsNetworkError)
	wantReplay(t, first, s.do(t, call{path: request + "/answer", body: body, idem: "first"}))
	s.must(t, 200, call{path: request}).shows(t, "state", "open", "answering_attachment_id", nil)
	all := s.walk(t, "/attachments?limit=100&payer_request_id="+id)
	if len(all) != 1 {
		t.Fatalf("attachments %v", all)
	}
	open := s.must(t, 200, call{path: "/attachments/" + all[0]})
	open.shows(t, "state", "open", "attachment_number", nil, "narrative", "SANDBOX-NETWORK-ERROR")
	s.must(t, 201, upload("/attachments/"+all[0], chart(jpegOf(1))))
	a := s.must(t, 200, call{path: request + "/answer", body: `{"narrative":"Now it works."}`})
	if s.wantAnswered(t, request, a) != all[0] || len(a.documents(t, "attachment")) != 1 {
		t.Errorf("answer %s", a.body)
	}
	wantReplay(t, first, s.do(t, call{path: request + "/answer", body: body, idem: "first"}))
}

// gate is a network that takes nothing before it is opened.
type gate struct {
	ports.AttachmentNetwork
	opened chan struct{}
}

func (g *gate) Open(ctx context.Context, tr billing.Transmission) error {
	select {
	case <-g.opened:
		return g.AttachmentNetwork.Open(ctx, tr)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// While an attachment is being sent, nothing changes it; then it is closed.
func TestNothingChangesWhileSending(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (s *service, opened chan struct{}) {
		t.Helper()
		opened = make(chan struct{})
		return startService(t, func(o *setup) {
			o.network = func(n ports.AttachmentNetwork) ports.AttachmentNetwork { return &gate{n, opened} }
		}), opened
	}
	t.Run("close", func(t *testing.T) {
		t.Parallel()
		s, opened := start(t)
		path := s.attachment(t, "x")
		wantSent(t, s.sendSlowly(t, path, call{path: path + "/close", body: "{}", idem: "k"}, opened))
	})
	t.Run("answer", func(t *testing.T) {
		t.Parallel()
		s, opened := start(t)
		request, id := s.payerRequest(t, nil)
		made := s.must(t, 201, call{path: "/attachments", body: s.own(with("kind", "solicited", "payer_request_id", id, "payer_id", nil, "narrative", "x"))})
		a := s.sendSlowly(t, "/attachments/"+made.text(t, "id"), call{path: request + "/answer", body: "{}", idem: "k"}, opened)
		s.wantAnswered(t, request, a)
	})
}

// sendSlowly sends the attachment, which has the narrative x, tries to change
// it meanwhile, opens the network and gives the answer.
func (s *service) sendSlowly(t *testing.T, path string, send call, opened chan struct{}) (sent answer) {
	t.Helper()
	document := s.must(t, 201, upload(path, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	var group sync.WaitGroup
	group.Go(func() { sent = s.do(t, send) })
	eventually(t, func() error { // until it has begun
		if a := s.do(t, patch(path, "x")); a.StatusCode != 409 {
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
	for _, change := range []call{
		other, patch(path, "other"), remove(path, document), upload(path, chart(jpegOf(2))), upload(path, chart(pngOf(2))),
		upload(path, chart(jpegOf(1))),
	} {
		a := s.do(t, change)
		if wantStatus(t, a, 409, billing.CodeConflict); a.Header.Get("Retry-After") != "" {
			t.Errorf("answer %v", a.Header)
		}
	}
	a := s.must(t, 200, call{path: path})
	if a.text(t, "state") != "open" || a.get(t, "attachment_number") != nil || a.documents(t)[0]["sent_to_network"] != false {
		t.Errorf("attachment %s", a.body)
	}
	close(opened)
	group.Wait()
	wantReplay(t, sent, s.do(t, send))
	return sent
}

// A slow network is waited for.
func TestSlowNetwork(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "SANDBOX-SLOW-2")
	s.must(t, 201, upload(path, chart(jpegOf(1))))
	wantSent(t, s.must(t, 200, call{path: path + "/close", body: "{}"}))
}
