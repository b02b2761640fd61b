package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// note adds a note and returns it.
func (s *service) note(t *testing.T, to, text string) response {
	t.Helper()
	return s.must(t, 201, call{path: to + "/notes", body: jsonOf(anObject{"text": text}, nil)})
}

// TestNotes writes notes on each kind of resource that can have tasks, lists and strikes them.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := startService(t)
	m := s.make(t)
	for _, to := range m.noted() {
		kind := map[string]string{"claims": "claim", "eras": "era", "payer_requests": "payer_request", "attachments": "attachment", "enrollments": "enrollment", "deposits": "deposit", "eligibility": "eligibility_batch_item", "connections": "connection", "quarantine": "quarantined_file"}[strings.Split(to, "/")[1]]
		second := s.note(t, to, "The second.\nIn two lines.")
		second.shows(t, "object", "note", "resource.object", kind, "text", "The second.\nIn two lines.", "struck", nil)
		if of := second.text(t, "resource", "id"); of != to[strings.LastIndex(to, "/")+1:] && !strings.HasPrefix(of, "eli_") {
			t.Errorf("a note on %s is on %s", to, of)
		}
		list := s.must(t, 200, call{path: to + "/notes?limit=1"})
		list.shows(t, "data.0.text", "Call the payer again.")
		s.must(t, 200, call{path: to + "/notes?limit=1&cursor=" + list.text(t, "next_cursor")}).shows(t, "data.0.text", "The second.\nIn two lines.", "next_cursor", nil)
		if a := s.do(t, call{path: m.noted()[0] + "x/notes"}); a.StatusCode != 404 {
			t.Errorf("no resource: %d", a.StatusCode)
		}
	}
	wantStatus(t, s.do(t, call{path: "/eras/" + m.claim + "/notes"}), 404, billing.CodeNotFound)
	wantStatus(t, s.do(t, call{path: "/claims/" + m.era + "/notes", body: noteBody}), 404, billing.CodeNotFound)
	claim := "/claims/" + m.claim
	other := s.must(t, 200, call{path: "/attachments/" + m.attachment + "/notes?limit=1"}).text(t, "next_cursor")
	if a := s.do(t, call{path: claim + "/notes?cursor=" + other}); a.StatusCode != 422 {
		t.Errorf("the cursor of another resource: %d", a.StatusCode)
	}

	version := s.must(t, 200, call{path: claim}).get(t, "version")
	add := call{path: claim + "/notes", body: `{"text":"  Again.  "}`, idem: "again"}
	added := s.must(t, 201, add)
	added.shows(t, "text", "Again.")
	if again := s.must(t, 201, add); again.body != added.body {
		t.Errorf("the request again: %s", again.body)
	}
	s.must(t, 200, call{path: claim}).shows(t, "version", version)

	strike := call{path: "/notes/" + added.text(t, "id") + "/strike", body: `{"reason":"It is about another patient."}`, idem: "strike"}
	struck := s.must(t, 200, strike)
	struck.shows(t, "text", "Again.", "struck.reason", "It is about another patient.")
	if by := struck.text(t, "struck", "by"); !strings.HasPrefix(by, "key_") || by != struck.text(t, "by") {
		t.Error(struck.body)
	}
	if again := s.must(t, 200, strike); again.body != struck.body {
		t.Errorf("the request again: %s", again.body)
	}
	strike.idem = "twice"
	wantStatus(t, s.do(t, strike), 409, billing.CodeConflict)
	s.must(t, 200, call{path: claim + "/notes"}).shows(t, "data.2.text", "Again.", "data.2.struck.reason", "It is about another patient.", "data.1.struck", nil)
	if n := s.count(t, "SELECT count(*) FROM notes WHERE position('payer'::bytea IN content) > 0 OR position('patient'::bytea IN struck_reason) > 0"); n != 0 {
		t.Errorf("%d notes are stored as they were written", n)
	}
}

// TestNotesRefuse has what no note can say, with the field that is wrong.
func TestNotesRefuse(t *testing.T) {
	t.Parallel()
	s := startService(t)
	_, request := s.payerRequest(t, nil)
	path := "/payer_requests/" + request + "/notes"
	made := s.note(t, strings.TrimSuffix(path, "/notes"), strings.Repeat("é", 2000)).text(t, "id")
	for body, want := range map[string]string{
		`{}`: "text required", `{"text":"  \n "}`: "text required", `{"text":"a\u0007"}`: "text format", `{"text":"a","by":"me"}`: "by unknown",
		`{"text":"` + strings.Repeat("é", 2001) + `"}`: "text too_long", `{"text":7}`: "text type",
	} {
		wantFields(t, s.do(t, call{path: path, body: body, bad: true}), want)
	}
	for body, want := range map[string]string{
		`{}`: "reason required", `{"reason":""}`: "reason required", `{"reason":"a\u0001"}`: "reason format", `{"reason":"` + strings.Repeat("x", 401) + `"}`: "reason too_long",
	} {
		wantFields(t, s.do(t, call{path: "/notes/" + made + "/strike", body: body, bad: true}), want)
	}
	s.must(t, 200, call{path: path}).shows(t, "data.0.struck", nil, "next_cursor", nil)
}

// TestTasksShowNotes has the newest notes of each resource on its tasks, without those that are
// struck.
func TestTasksShowNotes(t *testing.T) {
	t.Parallel()
	s := startService(t)
	first, firstID := s.payerRequest(t, nil)
	second, secondID := s.payerRequest(t, nil)
	_, third := s.payerRequest(t, nil)
	for n := range 4 {
		s.note(t, first, fmt.Sprint("first ", n))
	}
	s.note(t, second, "second 0")
	wrong := s.note(t, first, "of another patient").text(t, "id")
	s.must(t, 200, call{path: "/notes/" + wrong + "/strike", body: `{"reason":"It is about another patient."}`})
	for id, want := range map[string][]any{
		firstID:  {"data.0.notes.0.text", "first 3", "data.0.notes.2.text", "first 1", "data.0.notes_count", 4.0},
		secondID: {"data.0.notes.0.text", "second 0", "data.0.notes.0.resource.id", secondID, "data.0.notes_count", 1.0},
		third:    {"data.0.notes", []any{}, "data.0.notes_count", 0.0},
	} {
		s.must(t, 200, call{path: "/tasks?resource_id=" + id}).shows(t, want...)
	}
	for _, row := range s.must(t, 200, call{path: "/tasks?kind=request_due"}).get(t, "data").([]any) {
		if n := len(row.(anObject)["notes"].([]any)); n != map[string]int{firstID: 3, secondID: 1}[row.(anObject)["resource"].(anObject)["id"].(string)] {
			t.Errorf("%d notes: %v", n, row)
		}
	}
}

// TestNotesInTheAudit finds who wrote, read and struck a note, by its resource.
func TestNotesInTheAudit(t *testing.T) {
	t.Parallel()
	s := startService(t)
	owner := s.visits(t, s.org, "owner@example.com", caller.RoleOwner)
	path, request := s.payerRequest(t, nil)
	made := s.must(t, 201, owner.call(call{path: path + "/notes", body: noteBody}))
	made.shows(t, "by", owner.user.String())
	note := made.text(t, "id")
	s.must(t, 200, owner.call(call{path: path + "/notes"}))
	s.must(t, 200, owner.call(call{path: "/notes/" + note + "/strike", body: `{"reason":"It is about another patient."}`}))
	operations := func(filter string) (all []string) {
		for _, row := range s.must(t, 200, owner.call(call{path: "/audit_entries?limit=100&actor=user&resource_id=" + filter})).get(t, "data").([]any) {
			all = append(all, row.(anObject)["operation"].(string))
		}
		return all
	}
	if got, want := operations(request), []string{"POST /notes/{id}/strike", "GET /payer_requests/{id}/notes", "POST /payer_requests/{id}/notes"}; !slices.Equal(got, want) {
		t.Errorf("of the request: %q, want %q", got, want)
	}
}
