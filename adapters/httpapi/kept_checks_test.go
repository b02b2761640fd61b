package httpapi

import (
	"database/sql"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	_ "github.com/lib/pq" // the administrator of the tests

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// TestChecksStayAsShown replays and reads checks of a program and of a person, as this
// release keeps them, and as another release would have, in other words and bytes.
func TestChecksStayAsShown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	ann := s.visits(t, s.org, "ann@example.com", caller.RoleBiller)
	other := strings.NewReplacer("Not charged", "Free", `"detail_level":`, `"detail_level": `, "This Idempotency-Key", "The key")
	const otherRelease = `
UPDATE eligibility_checks
SET shown = replace(replace(shown, 'Not charged', 'Free'), '"detail_level":', '"detail_level": '), shown_failure = replace(shown_failure, 'This Idempotency-Key', 'The key')
WHERE id = $1::uuid`
	for who, by := range map[string]func(call) call{"a program": func(c call) call { return c }, "a person": ann.call} {
		for _, member := range []string{"ACTIVE-FULL", "NOT-FOUND", "PAYER-DOWN", "NETWORK-ERROR"} {
			c := by(call{path: "/eligibility", body: s.question(member, nil), idem: who[2:] + member})
			first := s.do(t, c)
			id := s.wantKept(t, by, c, first.body)
			s.exec(t, otherRelease, id)
			s.wantKept(t, by, c, other.Replace(first.body))
			s.exec(t, "UPDATE eligibility_checks SET shown = NULL, shown_failure = NULL WHERE id = $1::uuid", id)
			before := ofBefore.ReplaceAllString(first.body, `"compared_with":null,"changes":null`)
			if again := s.do(t, c); again.StatusCode != first.StatusCode || again.body != before && (who == "a program" || strings.HasPrefix(first.body, `{"id"`)) {
				t.Errorf("%s %s, of a release that kept neither: %s", who, member, again.body)
			}
		}
	}
}

// TestChecksOfReleasesWithoutVerdicts reads checks that a release completed which knew no verdict:
// by itself each has one, and its replay does not.
func TestChecksOfReleasesWithoutVerdicts(t *testing.T) {
	t.Parallel()
	s := startService(t)
	verdict := regexp.MustCompile(`"verdict":\{[^}]*\},`)
	for _, member := range []string{"ACTIVE-FULL", "INACTIVE", "NOT-FOUND", "PAYER-DOWN", "NETWORK-ERROR"} {
		c := call{path: "/eligibility", body: s.question(member, nil), idem: member}
		first := s.do(t, c)
		kept := verdict.ReplaceAllString(first.body, "")
		id, said := s.wantKept(t, func(c call) call { return c }, c, first.body), verdict.FindString(first.body)
		s.exec(t, "UPDATE eligibility_checks SET shown = regexp_replace(shown, '\"verdict\":\\{[^}]*\\},', '') WHERE id = $1::uuid", id)
		if again := s.do(t, c); again.body != kept || said == "" || kept == first.body {
			t.Errorf("%s replayed: %s", member, again.body)
		}
		read := s.must(t, 200, call{path: "/eligibility/" + regexp.MustCompile(`elg_\w{26}`).FindString(first.body)})
		if !strings.Contains(read.body, said) || strings.Count(read.body, `"verdict":`) != 1 {
			t.Errorf("%s read: %s", member, read.body)
		}
	}
}

// ofBefore is what a check shows of the patient's last answer. A release that kept nothing of what
// it showed did not compare.
var ofBefore = regexp.MustCompile(`"compared_with":("[^"]*"|null),"changes":(\[[^\]]*\]|null)`)

// wantKept replays a request for a check, and reads and lists the check. It returns
// its ID as the database has it.
func (s *service) wantKept(t *testing.T, by func(call) call, c call, want string) (uuid string) {
	t.Helper()
	again := s.do(t, c)
	if again.body != want || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replay %v\n%s, want\n%s", again.Header, again.body, want)
	}
	var failed struct {
		Check json.RawMessage `json:"check"`
	}
	if err := json.Unmarshal([]byte(want), &failed); err != nil {
		t.Fatal(err)
	}
	check := strings.TrimSpace(want)
	if failed.Check != nil {
		check = string(failed.Check)
	}
	id := response{body: check}.text(t, "id")
	if got := s.do(t, by(call{path: "/eligibility/" + id})); strings.TrimSpace(got.body) != check {
		t.Errorf("read\n%s, want\n%s", got.body, check)
	}
	if got := s.do(t, by(call{path: "/eligibility"})); !strings.Contains(got.body, check) {
		t.Errorf("list\n%s, want\n%s", got.body, check)
	}
	parsed, err := billing.ParseID[billing.CheckID](id)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.UUID()
}

// exec changes the database as an administrator.
func (s *service) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("postgres", s.database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}
