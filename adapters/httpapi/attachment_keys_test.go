package httpapi

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// keyed is an operation that changes something, tried under one key.
type keyed struct {
	send    call
	again   string // the body, spelled differently
	other   string // another body that is good too; empty when there is none
	status  int
	effects func(t *testing.T) int // how often it took effect; nil when nothing counts it
}

// keyedOperations are the operations of attachments, payer requests, offices and
// providers, each on resources of its own.
func (s *service) keyedOperations(t *testing.T) map[string]keyed {
	t.Helper()
	count := func(path string, before int) func(t *testing.T) int {
		return func(t *testing.T) int { t.Helper(); return len(s.walk(t, path)) - before }
	}
	documents := func(path string) func(t *testing.T) int {
		return func(t *testing.T) int { t.Helper(); return len(s.must(t, 200, call{path: path}).documents(t)) }
	}
	claim := s.claim(t, nil).ID.String()
	about := s.claim(t, nil).ID.String()
	narrated, closing, jpeg, png, emptied := s.attachment(t, "x"), s.attachment(t, "x"), s.attachment(t, ""), s.attachment(t, ""), s.attachment(t, "x")
	s.must(t, 201, upload(closing, chart(jpegOf(1))))
	document := s.must(t, 201, upload(emptied, chart(jpegOf(1)))).documents(t)[0]["id"].(string)
	request, id := s.payerRequest(t, nil)
	answer := s.own(with("payer_id", nil))
	turned := func(parts []string) (same string) { // another boundary and another order
		return strings.ReplaceAll(formOf(append(parts[1:], parts[0])...), boundary, "another")
	}
	return map[string]keyed{
		"make": {
			send:  call{path: "/attachments", body: fmt.Sprintf(`{"claim_id":%q,"narrative":"x"}`, claim)},
			again: fmt.Sprintf(` { "narrative" : "\u0078", "claim_id":%q}`, claim), other: fmt.Sprintf(`{"claim_id":%q}`, claim),
			status: 201, effects: count("/attachments?limit=100&claim_id="+claim, 0),
		},
		"narrate": {send: patch(narrated, "y"), again: ` {"narrative": "y"} `, other: `{"narrative":"z"}`, status: 200},
		"close": {
			send: call{path: closing + "/close", body: "{}"}, again: " {\n} ", status: 200,
			effects: count("/events?limit=100&resource_id="+strings.TrimPrefix(closing, "/attachments/"), 0),
		},
		"upload a JPEG": {
			send: upload(jpeg, film(jpegOf(1))), again: turned(film(jpegOf(1))), other: formOf(film(jpegOf(2))...), status: 201, effects: documents(jpeg),
		},
		"upload a PNG": {
			send: upload(png, chart(pngOf(1))), again: turned(chart(pngOf(1))), other: formOf(chart(pngOf(2))...), status: 201, effects: documents(png),
		},
		"take off": {send: remove(emptied, document), status: 204, effects: func(t *testing.T) int { t.Helper(); return 1 - documents(emptied)(t) }},
		"record": {
			send:  call{path: "/payer_requests", body: letter(with("claim_id", about))},
			again: strings.Replace(letter(with("claim_id", about)), "{", "{\n ", 1), other: letter(with("claim_id", about, "reference_number", "REF-2")),
			status: 201, effects: count("/payer_requests?limit=100&claim_id="+about, 0),
		},
		"office": {
			send: call{path: "/offices", body: `{"name":"Keyed","npi":"1234567893"}`}, again: ` {"npi" : "1234567893", "name":"K\u0065yed"}`,
			other: `{"name":"Other","npi":"1234567893"}`, status: 201, effects: count("/offices?limit=100", 1),
		},
		"provider": {
			send:  call{path: "/providers", body: `{"first_name":"Keyed","last_name":"Lee","npi":"1234567893"}`},
			again: ` {"npi" : "1234567893", "last_name":"Lee","first_name":"K\u0065yed"}`,
			other: `{"first_name":"Other","last_name":"Lee","npi":"1234567893"}`, status: 201, effects: count("/providers?limit=100", 1),
		},
		"answer": {
			send: call{path: request + "/answer", body: answer}, again: strings.Replace(answer, "{", "{ ", 1), other: `{"narrative":"other"}`,
			status: 200, effects: count("/attachments?limit=100&payer_request_id="+id, 0),
		},
	}
}

func TestKeysOfAttachments(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.tryKeys(t, s.keyedOperations(t), s.newKeys(t))
}

// newKeys makes ten keys of one organization and mode.
func (s *service) newKeys(t *testing.T) (secrets []string) {
	t.Helper()
	for range 10 {
		secrets = append(secrets, s.newKey(t))
	}
	return secrets
}

// tryKeys tries the rules of idempotency keys with each operation, one after
// another: there are six places for uploads, and each operation needs them.
func (s *service) tryKeys(t *testing.T, operations map[string]keyed, secrets []string) {
	t.Helper()
	for name, k := range operations {
		t.Run(name, func(t *testing.T) {
			c := k.send
			c.header = map[string]string{idempotencyKey: ""}
			if k.send.header != nil {
				c.header["Content-Type"] = k.send.header["Content-Type"]
			}
			wantStatus(t, s.do(t, c), 400, billing.CodeIdempotencyKeyRequired)
			c = k.send
			c.idem, c.bad = strings.Repeat("k", 256), true
			wantFields(t, s.do(t, c), "Idempotency-Key format")

			c = k.send
			c.idem = "key-of-" + strings.ReplaceAll(name, " ", "-")
			first := s.atOnce(t, c, k.status, secrets)
			if k.effects != nil && k.effects(t) != 1 {
				t.Errorf("%d effects", k.effects(t))
			}
			s.wantReplays(t, k, c, first)
			if k.effects != nil && k.effects(t) != 1 {
				t.Errorf("%d effects after replays", k.effects(t))
			}
		})
	}
}

// atOnce sends the call from ten keys of one organization at once. One takes
// effect; the others repeat its reply, or report that it still runs.
func (s *service) atOnce(t *testing.T, c call, status int, secrets []string) (first response) {
	t.Helper()
	var group sync.WaitGroup
	var mu sync.Mutex
	var fresh, replayed []response
	for _, secret := range secrets {
		one := c
		one.key = secret
		group.Go(func() {
			a := s.do(t, one)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case a.StatusCode == 409 && a.code() == "IDEMPOTENCY_KEY_IN_USE" && a.Header.Get("Retry-After") != "":
			case a.StatusCode == 429: // there are six places for uploads
			case a.StatusCode != status:
				t.Errorf("status %d %s", a.StatusCode, a.body)
			case a.Header.Get("Idempotent-Replayed") == "":
				fresh = append(fresh, a)
			default:
				replayed = append(replayed, a)
			}
		})
	}
	group.Wait()
	if len(fresh) != 1 {
		t.Fatalf("%d answers that are no replay, %d that are", len(fresh), len(replayed))
	}
	for _, a := range replayed {
		wantReplay(t, fresh[0], a)
	}
	return fresh[0]
}

// wantReplays repeats the call, and then uses its key for others.
func (s *service) wantReplays(t *testing.T, k keyed, c call, first response) {
	t.Helper()
	wantReplay(t, first, s.do(t, c))
	if k.again != "" {
		again := c
		if again.body = k.again; strings.HasPrefix(k.again, "--another") {
			again.header = map[string]string{"Content-Type": "multipart/form-data; charset=utf-8; boundary=\"another\""}
		}
		again.bad = true // to the contract a form has no charset
		wantReplay(t, first, s.do(t, again))
	}
	broken := c
	if broken.bad = true; c.body != "" {
		broken.body = strings.TrimSpace(c.body) + "x{"
		if c.header != nil {
			broken.body = strings.Replace(c.body, "form-data", "form-date", 1)
		}
		wantStatus(t, s.do(t, broken), 422, billing.CodeIdempotencyKeyReused)
	}
	if k.other != "" {
		other := c
		other.body = k.other
		wantStatus(t, s.do(t, other), 422, billing.CodeIdempotencyKeyReused)
	}
	elsewhere := call{path: "/payer_requests", body: letter(with("reference_number", "REF-3")), idem: c.idem}
	wantStatus(t, s.do(t, elsewhere), 422, billing.CodeIdempotencyKeyReused)
	elsewhere.key = s.other // whose keys are their own
	s.must(t, 201, elsewhere)
}

// A request that was refused has not used its key.
func TestRefusalsKeepNoKey(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := s.attachment(t, "x")
	unknown := path[len("/attachments/att_"):]
	request, _ := s.payerRequest(t, nil)
	solicited := anObject{"kind": "solicited", "payer_request_id": request[len("/payer_requests/"):]}
	s.must(t, 201, call{path: "/attachments", body: s.own(with("kind", "solicited", "payer_request_id", solicited["payer_request_id"], "payer_id", nil))})
	key := func(c call) call {
		c.idem, c.bad = "the-same", true
		return c
	}
	for i, c := range []struct {
		call
		status int
	}{
		{call{path: "/attachments", body: jsonOf(anObject{"claim_id": "clm_" + unknown}, nil)}, 404},
		{call{path: "/attachments", body: s.own(with("kind", "solicited", "payer_request_id", solicited["payer_request_id"], "payer_id", nil))}, 409},
		{call{path: path + "/close", body: "{}"}, 409},
		{patch(path, strings.Repeat("x", 2001)), 422},
		{upload(path, chart([]byte("%PDF-1.7"))), 422},
		{upload(path, chart(nil)), 422},
		{upload(path, chart(jpegOf(1)[:300])), 422},
		{upload(path, chart(pngOf(1)[:60])), 422},
		{upload(path, chart(append(pngOf(1)[:40], pngOf(2)[41:]...))), 422}, // which the worker may be the first to see
		{call{path: "/payer_requests", body: letter(with("payer_id", "absent"))}, 404},
		{call{path: request + "/answer", body: jsonOf(anObject{"attachment_id": "att_" + unknown}, nil)}, 409},
		{upload(path, chart(pngOf(1))), 201}, // and now it does
	} {
		a := s.do(t, key(c.call))
		if a.StatusCode != c.status || a.code() == "IDEMPOTENCY_KEY_REUSED" {
			t.Errorf("request %d: status %d %s, want %d", i, a.StatusCode, a.body, c.status)
		}
	}
	wantStatus(t, s.do(t, key(call{path: "/payer_requests", body: letter(nil)})), 422, billing.CodeIdempotencyKeyReused)
}
