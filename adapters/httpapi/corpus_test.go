package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/httpapi/httpserver/rawtest"
)

// Each text is JSON or it is not, and its name says which.
func TestCorpusOfJSON(t *testing.T) {
	t.Parallel()
	for _, file := range rawtest.Corpus(t, "json/JSONTestSuite/test_parsing/*.json") {
		// The suite's texts are of every kind; as a field they are in an object.
		data, name := rawtest.ReadFile(t, file), filepath.Base(file)
		wrapped := append(append([]byte(`{"a":`), data...), '}')
		tree, faults := readTree(t, string(wrapped))
		switch {
		case name[0] == 'y' && strings.Contains(name, "duplicated_key"),
			name[0] == 'y' && strings.Contains(string(data), `\u0000`):
			if len(faults) == 0 {
				t.Errorf("%s: no fault", name)
			}
		case name[0] == 'y' && len(faults) > 0:
			t.Errorf("%s: %v", name, faults)
		case name[0] == 'n' && tree != nil && len(faults) == 0 && !json.Valid(wrapped):
			t.Errorf("%s: no fault", name)
		}
		if tree, _ := readTree(t, string(data)); name[0] == 'n' && tree != nil {
			t.Errorf("%s: was read", name)
		}
	}
}

// Whatever a body is, the answer is 422, or what was sent comes back equal.
func TestCorpusOfBodies(t *testing.T) {
	t.Parallel()
	files := append(rawtest.Corpus(t, "json/JSONTestSuite/test_parsing/*.json"), rawtest.Corpus(t, "json/JSONTestSuite/test_transform/*.json")...)
	if len(files) == 0 {
		return
	}
	s := startService(t)
	good := s.question("ACTIVE-BASIC", nil)
	for _, file := range files {
		data := string(rawtest.ReadFile(t, file))
		if data != "" {
			a := s.do(t, call{path: "/eligibility", body: data, bad: true})
			if a.StatusCode != 422 {
				t.Errorf("%s: status %d %s", file, a.StatusCode, a.body)
			}
		}
		s.keeps(t, "/eligibility", good, "tenant_reference", data)
		s.keeps(t, "/claims", s.crown("1", nil), "tenant_reference", data)
		s.keeps(t, "/claims", s.crown("1", with("lines", nil)), "lines", data)
	}
}

// keeps makes a resource with the JSON as one more field of the body. It is
// refused, or reads back as it was sent.
func (s *service) keeps(t *testing.T, path, body, field, value string) {
	t.Helper()
	a := s.do(t, call{path: path, body: `{"` + field + `":` + value + `,` + body[1:], bad: true})
	if a.StatusCode == 422 {
		return
	}
	var sent anObject
	if err := json.Unmarshal([]byte(`{"v":`+value+`}`), &sent); err != nil || a.StatusCode >= 300 {
		t.Errorf("%s with %s %.60q: status %d %s, %v", path, field, value, a.StatusCode, a.body, err)
		return
	}
	for _, have := range []response{a, s.do(t, call{path: path + "/" + a.text(t, "id")})} {
		if got := have.get(t, field); fmt.Sprint(got) != fmt.Sprint(sent["v"]) {
			t.Errorf("%s with %s: sent %v, kept %v", path, field, sent["v"], got)
		}
	}
}

// Texts that break programs are kept as they are, or refused.
func TestNaughtyStrings(t *testing.T) {
	t.Parallel()
	s := startService(t)
	for _, text := range []string{
		"", " ", "null", "undefined", "'; DROP TABLE checks; --", `" OR 1=1`, `\`, `\\x00`, "%s%n", "${jndi:ldap://x}", "<script>alert(1)</script>",
		"é", "e\u0301", "\u202etxet", "\u200b", "\ufeff", "\ufffd", "\uffff", "\U0010ffff", "👩‍👩‍👧‍👦", "Ω≈ç√", "田中さん", "مرحبا", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴",
		"\u0001", "\u001f", "\u007f", "\u0085", "\u2028", "a\nb\tc\rd", "~*:^|", "ISA*00*", strings.Repeat("é", 255), strings.Repeat("👩", 255), "\x00", "a\x00b",
	} {
		for _, quote := range []func(string) string{
			func(s string) string { b, _ := json.Marshal(s); return string(b) },
			func(s string) string { // every character escaped
				var b strings.Builder
				for _, r := range s {
					if r > 0xffff {
						r -= 0x10000
						fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
						continue
					}
					fmt.Fprintf(&b, `\u%04x`, r)
				}
				return `"` + b.String() + `"`
			},
		} {
			s.keeps(t, "/eligibility", s.question("ACTIVE-BASIC", nil), "tenant_reference", quote(text))
		}
		s.naughtyClaim(t, text)
		first := s.question("ACTIVE-BASIC", func(_, sub anObject) { sub["first_name"] = text })
		a := s.do(t, call{path: "/eligibility", body: first, bad: true})
		if a.StatusCode != 422 && (a.StatusCode != 200 || a.text(t, "request", "subscriber", "first_name") != text) {
			t.Errorf("%q as a name: status %d %s", text, a.StatusCode, a.body)
		}
	}
}

// naughtyClaim makes claims with the text in every field that takes many, and
// in all those that take few at once.
func (s *service) naughtyClaim(t *testing.T, text string) {
	t.Helper()
	for _, path := range []string{
		"tenant_reference", "note", "prior_authorization", "patient_control_number", "subscriber first_name", "subscriber member_id",
		"subscriber address line1", "patient last_name", "lines tooth",
	} {
		a := s.claimWith(t, text, path)
		if a.StatusCode == 422 {
			continue
		}
		got := a.text(t, strings.Fields(strings.Replace(path, "lines", "lines 0", 1))...)
		if a.StatusCode != 201 || strings.TrimSpace(text) != "" && got != text && got != strings.ToUpper(text) {
			t.Errorf("%q as %s: status %d %s", text, path, a.StatusCode, a.body)
		}
	}
	a := s.claimWith(t, text, "kind", "payer_id", "office_id", "rendering_provider_id", "place_of_service", "subscriber gender", "subscriber address zip",
		"patient relationship", "accident state", "lines fee", "lines procedure_code")
	if a.StatusCode != 422 || len(a.fields(t)) == 0 {
		t.Errorf("%q in all fields: status %d %s", text, a.StatusCode, a.body)
	}
}

// claimWith makes a claim with the text in the fields.
func (s *service) claimWith(t *testing.T, text string, paths ...string) response {
	t.Helper()
	return s.do(t, call{path: "/claims", bad: true, body: s.crown("1", func(claim anObject) {
		claim["patient"] = anObject{"first_name": "Kim", "last_name": "Example", "date_of_birth": "2015-06-01", "relationship": "child"}
		claim["accident"] = anObject{"type": "other", "date": lately(20)}
		for _, path := range paths {
			o, names := claim, strings.Fields(path)
			for _, name := range names[:len(names)-1] {
				if next, ok := o[name].(anObject); ok {
					o = next
				} else {
					o = o[name].([]anObject)[0]
				}
			}
			o[names[len(names)-1]] = text
		}
	})})
}

// Bytes that are no request, or a strange one, never bring a 500, and never
// more answers than requests.
func TestCorpusOfRawRequests(t *testing.T) {
	t.Parallel()
	raw := map[string][]byte{}
	for _, file := range rawtest.Corpus(t, "raw/llhttp/*.raw") {
		raw[filepath.Base(file)] = rawtest.ReadFile(t, file)
	}
	maps.Copy(raw, rawtest.CorpusSeeds(t, "raw/*.jsonl"))
	p := startProbe(t, Options{Limits: Limits{Stall: 2 * time.Second}})
	for name, b := range raw {
		w := dial(t, p.addr)
		if _, err := w.Write(b); err != nil {
			continue // refused before it was sent whole
		}
		_ = w.CloseWrite()
		for {
			a, err := w.tryReply()
			if err != nil {
				break
			}
			if a.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s: status %d %s", name, a.StatusCode, a.body)
			}
		}
		_, _ = io.Copy(io.Discard, w.Reader)
		_ = w.Close()
	}
	if p.echoed.Load()+p.smuggled.Load() != 0 {
		t.Error("an operation ran")
	}
}
