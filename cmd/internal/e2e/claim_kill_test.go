package e2e_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// claimEnding is what the sandbox does with claims of an ending, and the events
// that follow. Files come in any order when their receivers are killed, and a
// payer's report makes the clearinghouse's too late.
type claimEnding struct {
	payer, kind, ending string

	state string
	story string // a regular expression, of the events from the first sending on
	paid  string // the claim's own figure; empty for none
}

// The claims of a file are queued again when one of them causes its rejection.
var claimFates = []claimEnding{
	{"60054", "claim", "", "accepted_payer", `( accepted){1,2}`, ""},
	{"CHTEST", "claim", "", "paid", `( accepted){0,2} paid`, "100.00"},
	{"60054", "claim", "-PAID-ERA", "paid", `( accepted){0,2} paid`, "64.00"},
	{"CHTEST", "claim", "-DENIED", "denied", `( accepted){0,2} denied`, "0.00"},
	{"60054", "claim", "-REJECTED", "rejected", `( accepted)? rejected`, ""},
	{"60054", "claim", "-INFO-REQUEST", "accepted_payer", `( accepted){1,2}( status_updated)?`, ""},
	{"60054", "claim", "-BATCH-REJECTED", "accepted_payer", `( accepted){1,2}`, ""},
	{"CHTEST", "claim", "-UNBALANCED", "accepted_payer", `( accepted){1,2}`, ""},
	{"60054", "claim", "-REVERSED", "accepted_payer", `( accepted){0,2} paid payment_reversed( status_updated)?`, ""},
	{"60054", "predetermination", "-ESTIMATE", "returned", `( accepted){0,2} predetermination.returned`, ""},
	{"CHTEST", "predetermination", "", "returned", `( accepted){0,2} predetermination.returned`, ""},
}

// TestClaimsThroughKills kills the processes that claims and remittances go
// through, and wipes the broker, while claims of every ending are created. In
// the end each claim is where its ending leads, each of its events came once,
// and its money is that of the remittances.
func TestClaimsThroughKills(t *testing.T) {
	t.Parallel()
	s := startBrokered(t, 2, 2, "MOLAR_BATCH_INTERVAL=500ms", "MOLAR_SANDBOX_ERA_DELAY=1s")
	s.eras = s.spawn("eraworker", 2)
	s.provide()
	load := startLoad(s, 4, s.makeClaimInTime)
	count := 0
	rounds := rounds(t, 6)
	for round := range rounds {
		for _, victims := range [][]*process{{s.apis[round%2]}, s.workers, {s.eras[round%2]}, {s.workers[round%2], s.eras[1-round%2]}} {
			kills(victims...).die(400 * time.Millisecond)
			count += len(victims)
		}
		if round == rounds/2 {
			s.rabbit.Wipe()
		}
	}
	made := load.stop()
	t.Logf("%d claims were made through %d kills and a wiped broker", len(made), count)
	s.verifyClaims(made)
}

// madeClaim is a claim that the API has replied to.
type madeClaim struct {
	claimEnding
	id, control string
}

// makeClaim creates a claim, and then waits a little.
func (s *system) makeClaim(ctx context.Context, n int) (madeClaim, bool) {
	f := claimFates[n%len(claimFates)]
	r, ok := s.insist(ctx, fmt.Sprintf("claim-%d", n), "/claims", "application/json", claimBody(s.office, f, n))
	if ok && r.body["state"] != "queued" {
		s.tb.Errorf("the claim is %v: %v", r.body["state"], r.body["findings"])
	}
	control, _ := r.body["patient_control_number"].(string)
	pause(100 * time.Millisecond)
	return madeClaim{f, idOf(r), control}, ok
}

// makeClaimInTime is makeClaim while little work remains. So the claims never become more
// than a busy machine can end.
func (s *system) makeClaimInTime(ctx context.Context, n int) (madeClaim, bool) {
	if s.count(claimWork) > 150 {
		pause(100 * time.Millisecond)
		return madeClaim{}, false
	}
	return s.makeClaim(ctx, n)
}

// claimBody returns a claim over 100.00 of a patient that differs for each n.
func claimBody(office string, f claimEnding, n int) []byte {
	day := `"service_date":"` + time.Now().AddDate(0, 0, -3).Format(time.DateOnly) + `",`
	if f.kind == "predetermination" {
		day = ""
	}
	name := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprint(n))
	return fmt.Appendf(nil, `{"kind":%q,"office_id":%q,"payer_id":%q,"submit":true,
		"subscriber":{"first_name":"Jane","last_name":"Doe%s","date_of_birth":"1985-04-12","member_id":"%06d%s","gender":"female",
			"address":{"line1":"2 Oak St","city":"Springfield","state":"IL","zip":"62701"}},
		"lines":[{"procedure_code":"D0120",%s"fee":"60.00"},{"procedure_code":"D1110",%s"fee":"40.00"}]}`,
		f.kind, office, f.payer, name, n, f.ending, day, day)
}

// verifyClaims waits until every claim is where it belongs, and then checks how
// it came there.
func (s *system) verifyClaims(made []madeClaim) {
	s.tb.Helper()
	if len(made) < len(claimFates) {
		s.tb.Errorf("%d claims were made", len(made))
	}
	s.awaitClaims(made)
	s.none(map[string]string{
		"claims more or fewer than were made":      fmt.Sprintf(`SELECT count(*) - %d FROM claims`, len(made)),
		"batches without an acknowledgement":       `SELECT count(*) FROM batches WHERE state <> 'acknowledged'`,
		"batches without exactly one event":        `SELECT count(*) FROM batches b WHERE (SELECT count(*) FROM events e WHERE e.resource_id = b.id) <> 1`,
		"remittances that are not done":            `SELECT count(*) FROM eras WHERE stage <> 'done'`,
		"remittances without exactly one event":    `SELECT count(*) FROM eras r WHERE (SELECT count(*) FROM events e WHERE e.resource_id = r.id) <> 1`,
		"events of remittances that are not there": `SELECT count(*) FROM events e WHERE e.type = 'era.received' AND NOT EXISTS (SELECT FROM eras r WHERE r.id = e.resource_id)`,
		"resources whose events do not count up":   `SELECT count(*) FROM (SELECT FROM events GROUP BY resource_id HAVING max(sequence) <> count(*) OR min(sequence) <> 1) gaps`,
		"files in quarantine":                      `SELECT count(*) FROM quarantine`,
		"remittances whose counts are wrong":       wrongProgress,
	})
	asked := 0
	for _, m := range made {
		if m.ending == "-INFO-REQUEST" {
			asked++
		}
		s.verifyClaim(m)
	}
	if n := s.count(`SELECT count(DISTINCT claim_id) FROM payer_requests`); n != asked || s.count(`SELECT count(*) FROM payer_requests`) != asked {
		s.tb.Errorf("%d payer requests about %d claims, want %d", s.count(`SELECT count(*) FROM payer_requests`), n, asked)
	}
	s.verifyMoney(made)
}

// claimWork counts the remaining work for claims, now or later.
const claimWork = `SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM sandbox_mail WHERE removed_at IS NULL)
	+ (SELECT count(*) FROM claims WHERE state IN ('queued', 'submitted', 'accepted_clearinghouse'))`

// awaitClaims waits until no work remains, now or later.
func (s *system) awaitClaims(made []madeClaim) {
	s.tb.Helper()
	defer func() {
		if s.tb.Failed() {
			for _, m := range made {
				if c := s.read("/claims/" + m.id); c["state"] != m.state {
					s.tb.Logf("%s %s is %v, want %s: %s", m.ending, m.id, c["state"], m.state, s.claimStory(m.id))
				}
			}
		}
	}()
	await(s.tb, "the end of all work", func() bool { return s.count(claimWork) == 0 })
}

// claimStory returns the events of a claim, in order.
func (s *system) claimStory(id string) (story string) {
	s.tb.Helper()
	claim, err := billing.ParseID[billing.ClaimID](id)
	if err == nil {
		err = s.db.QueryRow(`SELECT coalesce(string_agg(replace(type, 'claim.', ''), ' ' ORDER BY sequence), '') FROM events WHERE resource_id = $1`,
			claim.UUID()).Scan(&story)
	}
	if err != nil {
		s.tb.Fatal(err)
	}
	return story
}

// verifyClaim compares a claim and its events with its ending.
func (s *system) verifyClaim(m madeClaim) {
	s.tb.Helper()
	c, story := s.read("/claims/"+m.id), s.claimStory(m.id)
	want := "validated( queued submitted)+" + m.story
	if c["state"] != m.state || !regexp.MustCompile("^"+want+"$").MatchString(story) {
		s.tb.Errorf("%s %q is %v, want %s; events was %q, want %s", m.id, m.ending, c["state"], m.state, story, want)
	}
	payment, _ := c["payment"].(map[string]any)
	if got, _ := payment["paid"].(string); got != m.paid {
		s.tb.Errorf("%s %q was paid %q, want %q", m.id, m.ending, got, m.paid)
	}
	if m.ending == "-BATCH-REJECTED" && strings.Count(story, "submitted") < 2 {
		s.tb.Errorf("%s: its file was not rejected: %q", m.id, story)
	}
	history, _ := c["history"].([]any)
	if last, _ := history[len(history)-1].(map[string]any); last["state"] != m.state {
		s.tb.Errorf("%s: the history ends with %v", m.id, last)
	}
}

// verifyMoney adds up the applied amounts of remittances for each claim.
func (s *system) verifyMoney(made []madeClaim) {
	s.tb.Helper()
	applied := map[any]float64{}
	eras := 0
	for cursor := ""; ; {
		page := s.read("/eras?limit=100" + cursor)
		data, _ := page["data"].([]any)
		for _, e := range data {
			e, _ := e.(map[string]any)
			eras++
			list, _ := s.read("/eras/" + e["id"].(string) + "/claims?limit=100")["data"].([]any)
			for _, c := range list {
				c, _ := c.(map[string]any)
				if applies, _ := c["applied"].(bool); applies {
					applied[c["claim_id"]] += cents(s.tb, c["paid"])
				}
			}
		}
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		cursor = "&cursor=" + next
	}
	for _, m := range made {
		payment, _ := s.read("/claims/" + m.id)["payment"].(map[string]any)
		if payment == nil {
			payment = map[string]any{"paid": "0.00"}
		}
		if got := cents(s.tb, payment["paid"]); got != applied[m.id] {
			s.tb.Errorf("%s %q was paid %v, applied was %v", m.id, m.ending, got, applied[m.id])
		}
	}
	s.tb.Logf("%d remittances, %d batches", eras, s.count("SELECT count(*) FROM batches"))
}

// cents reads an amount of money.
func cents(tb testing.TB, money any) float64 {
	tb.Helper()
	var f float64
	if _, err := fmt.Sscanf(fmt.Sprint(money), "%g", &f); err != nil {
		tb.Errorf("%v is no money", money)
	}
	return float64(int(f*100 + 0.5*map[bool]float64{true: 1, false: -1}[f >= 0]))
}
