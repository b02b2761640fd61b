package httpapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// wantVersion checks the version of a reply and its ETag.
func wantVersion(t *testing.T, a response, version string) {
	t.Helper()
	if got := a.Header.Get("ETag"); got != `"`+version+`"` || !strings.Contains(a.body, `"version":`+version+`,`) {
		t.Errorf("ETag %s, want version %s in %.200s", got, version, a.body)
	}
}

// changed returns the changes in a refusal, without their times, which are there.
func (a response) changed(t *testing.T) (all []string) {
	t.Helper()
	for _, c := range a.get(t, "changed").([]any) {
		o := c.(anObject)
		if at, _ := o["at"].(string); at == "" {
			t.Errorf("no time in %v", o)
		}
		all = append(all, o["field"].(string)+" by "+o["by"].(string)[:4])
	}
	return all
}

// Two programs change one claim that both have read. The later one learns what the other
// changed, and changes nothing.
func TestAClaimThatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := startService(t)
	made := s.must(t, 201, call{path: "/claims", body: jsonOf(s.richClaim(), with("draft", true))})
	wantVersion(t, made, "1")
	path := "/claims/" + made.text(t, "id")
	change := func(idem, version, body string) call {
		return call{method: "PATCH", path: path, idem: idem, body: body, header: map[string]string{ifMatch: version}}
	}
	first := change("first", `"1"`, `{"draft":true,"note":"Theirs.","subscriber":`+jsonOf(s.richClaim()["subscriber"].(anObject), with("member_id", "W-2"))+`}`)
	wantVersion(t, s.must(t, 200, first), "2")

	late := s.do(t, change("late", `"1"`, `{"draft":true,"note":"Mine."}`))
	wantStatus(t, late, 412, billing.CodeChangedMeanwhile)
	if got := late.changed(t); !slices.Equal(got, []string{"note by key_", "subscriber.member_id by key_"}) {
		t.Errorf("changed %v", got)
	}
	s.must(t, 200, call{path: path}).shows(t, "note", "Theirs.", "version", 2)

	// The key of a refusal can be used again, and a repetition replays whatever its version.
	wantVersion(t, s.must(t, 200, change("late", `"2"`, `{"draft":true,"note":"Mine."}`)), "3")
	for _, version := range []string{`"1"`, `"2"`, `"3"`} {
		first.header = map[string]string{ifMatch: version}
		again := s.must(t, 200, first)
		if wantVersion(t, again, "2"); again.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("not a repetition")
		}
	}

	// The same content and a mere change of state are no new version; the history says who.
	for _, body := range []string{`{"draft":true,"note":"Mine."}`, `{"draft":true}`} {
		wantVersion(t, s.must(t, 200, change("", `"3"`, body)), "3")
	}
	edited := s.must(t, 200, change("", `*`, `{"draft":true,"note":"Mine again."}`))
	wantVersion(t, edited, "4")
	wantVersion(t, s.must(t, 200, change("", `"4"`, `{"draft":true,"note":null}`)), "5")
	history := s.must(t, 200, call{path: path}).get(t, "history").([]any)
	last := history[len(history)-1].(anObject)
	if by, _ := last["by"].(string); last["cause"] != "edit" || !strings.HasPrefix(by, "key_") || len(history) != 2 {
		t.Errorf("history %v", history)
	}

	wantVersion(t, s.must(t, 200, change("", `"5"`, `{}`)), "5")

	// Faults that the request has for any claim come first, a conflict of states after it.
	ill := change("", `"1"`, `{"color":1}`)
	ill.bad = true
	wantStatus(t, s.do(t, ill), 422, billing.CodeInvalidRequest)
	for _, operation := range []string{"submit", "void", "reopen"} {
		c := call{path: path + "/" + operation, body: `{}`, header: map[string]string{ifMatch: `"2"`}}
		if a := s.do(t, c); a.code() != string(billing.CodeChangedMeanwhile) || len(a.changed(t)) == 0 {
			t.Errorf("%s: %s", operation, a.body)
		}
	}
	future := s.do(t, change("", `"9"`, `{"note":"x"}`))
	if wantStatus(t, future, 412, billing.CodeChangedMeanwhile); len(future.changed(t)) != 0 {
		t.Errorf("a version to come: %s", future.body)
	}
	s.must(t, 200, call{path: path}).shows(t, "version", 5)
}

// What is no version changes nothing, and says what to send.
func TestIllVersions(t *testing.T) {
	t.Parallel()
	s := startService(t)
	path := "/claims/" + s.must(t, 201, call{path: "/claims", body: jsonOf(s.richClaim(), nil)}).text(t, "id")
	for _, lines := range [][]string{
		{""}, {"1"}, {`"0"`}, {`"01"`}, {`"-1"`}, {`"x"`}, {`W/"1"`}, {`"1", "2"`}, {`"1`}, {`"99999999999999999999"`}, {`*, "1"`}, {`"1"`, `"1"`},
	} {
		if seen, err := readVersion(lines); billing.CodeOf(err) != billing.CodeInvalidRequest {
			t.Errorf("%q: %d, %v", lines, seen, err)
		}
	}
	a := s.do(t, call{method: "PATCH", path: path, body: `{"note":"x"}`, header: map[string]string{ifMatch: `W/"1"`}, bad: true})
	wantStatus(t, a, 422, billing.CodeInvalidRequest)
	a.shows(t, "errors.0.field", "If-Match", "errors.0.code", "format")
	s.must(t, 200, call{path: path}).shows(t, "version", 1)
	s.must(t, 201, call{path: "/claims", body: jsonOf(s.richClaim(), with("patient_control_number", "NEXT")), header: map[string]string{ifMatch: "x"}})
}

// Offices, providers, attachments and enrollments have versions, too.
func TestVersionsOfTheDirectory(t *testing.T) {
	t.Parallel()
	s := startService(t)
	attachment := s.attachment(t, "One.")
	for _, x := range []struct{ path, change, field string }{
		{"/offices/" + s.office.String(), `{"phone":"5185550199"}`, "phone"},
		{"/offices/" + s.office.String(), `{"address":{"line1":"9 Elm St","city":"Albany","state":"NY","zip":"122070001"}}`, "address.line1"},
		{"/providers/" + s.dentist.String(), `{"last_name":"Leigh"}`, "last_name"},
		{attachment, `{"narrative":"Another one."}`, "narrative"},
	} {
		before := s.must(t, 200, call{path: x.path}).Header.Get("ETag")
		c := call{method: "PATCH", path: x.path, body: x.change, header: map[string]string{ifMatch: before}}
		after := s.must(t, 200, c).Header.Get("ETag")
		late := s.do(t, c)
		wantStatus(t, late, 412, billing.CodeChangedMeanwhile)
		if !slices.Contains(late.changed(t), x.field+" by key_") {
			t.Errorf("%s: %s", x.path, late.body)
		}
		c.header = map[string]string{ifMatch: after}
		if again := s.must(t, 200, c).Header.Get("ETag"); again != after {
			t.Errorf("%s: the same again is %s after %s", x.path, again, after)
		}
	}
	enrollment := func(note string) call {
		return call{method: "PUT", path: "/enrollments", body: jsonOf(anObject{
			"office_id": s.office.String(), "payer_id": "CHTEST", "transaction": "claims", "state": "active", "note": note,
		}, nil)}
	}
	for _, x := range [][2]string{{"a", "1"}, {"a", "1"}, {"b", "2"}} {
		wantVersion(t, s.must(t, 200, enrollment(x[0])), x[1])
	}
}
