package e2e_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

var update = flag.Bool("update", false, "write the golden files")

// clock calls an operation of the sandbox clock, with a key of its own, until it has its
// last reply.
func (s *system) clock(method, path, body string) map[string]any {
	s.tb.Helper()
	key := unique("clock")
	client := &http.Client{Timeout: 40 * time.Second}
	defer client.CloseIdleConnections()
	var last reply
	await(s.tb, method+" "+path+" "+body, func() bool {
		r, err := send(s.tb.Context(), client, method, s.urls[rand.IntN(len(s.urls))]+"/sandbox/clock"+path, s.key, key, "application/json", []byte(body))
		if err == nil && r.status/100 == 4 && r.body["error"] != "IDEMPOTENCY_KEY_IN_USE" {
			s.tb.Fatalf("%s %s %s: %d %s", method, path, body, r.status, r.text)
		}
		last = r
		return err == nil && r.status == http.StatusOK
	})
	return last.body
}

// stand lets the clock of the organization stand at an instant.
func (s *system) stand(at time.Time) {
	s.tb.Helper()
	if _, err := s.db.Exec(`
INSERT INTO sandbox_clocks (org_id, stands_at) SELECT org_id, $2 FROM offices WHERE id = $1
ON CONFLICT (org_id) DO UPDATE SET ahead = '0', stands_at = excluded.stands_at`, s.officeID(), at); err != nil {
		s.tb.Fatal(err)
	}
}

// organizationID returns the ID of the organization of the office.
func (s *system) organizationID() string {
	s.tb.Helper()
	var id string
	if err := s.db.QueryRow("SELECT org_id FROM offices WHERE id = $1", s.officeID()).Scan(&id); err != nil {
		s.tb.Fatal(err)
	}
	var raw [16]byte
	if _, err := hex.Decode(raw[:], []byte(strings.ReplaceAll(id, "-", ""))); err != nil {
		s.tb.Fatal(err)
	}
	return billing.OrgID(raw).String()
}

// deaf makes an endpoint that no webhook reaches. A molar dev registers it, because an
// endpoint has an address then.
func (s *system) deaf() (endpoint string) {
	s.tb.Helper()
	urls := s.urls
	d := startDevelopers(s, startWebhookReceiver(s.tb), 1)
	endpoint = d.receiver.register(d.urls[0], s.key, "/")
	d.procs[0].kill()
	s.urls = urls
	if _, err := s.db.Exec("UPDATE webhook_endpoints SET url = 'https://receiver.invalid/'"); err != nil {
		s.tb.Fatal(err)
	}
	return endpoint
}

// officeID returns the ID of the office as the database has it.
func (s *system) officeID() string {
	s.tb.Helper()
	id, err := billing.ParseID[billing.OfficeID](s.office)
	if err != nil {
		s.tb.Fatal(err)
	}
	return id.UUID()
}

// sandboxEnding is an ending of the sandbox for claims of a payer.
type sandboxEnding struct{ payer, kind, ending string }

func sandboxEndings() (all []sandboxEnding) {
	for _, ending := range []string{
		"", "-PAID-ERA", "-DENIED", "-REVERSED", "-REJECTED", "-INFO-REQUEST", "-BATCH-REJECTED", "-UNBALANCED", "-CROSSOVER", "-FORWARDED", "-SHUFFLED",
		"-SPLIT", "-SPLIT-REVERSED", "-LINE-REVERSED", "-RECONSIDERED", "-CORRECTED", "-PAID-TWICE", "-CUT-NUMBER", "-WRONG-PATIENT", "-REJECTED-PAID",
		"-BAD-COUNTS", "-TAKE-BACK",
	} {
		all = append(all, sandboxEnding{"60054", "claim", ending})
	}
	return append(all, sandboxEnding{"CHTEST", "claim", ""}, sandboxEnding{"CHTEST", "claim", "-DENIED"},
		sandboxEnding{"CHTEST", "predetermination", ""}, sandboxEnding{"60054", "predetermination", "-ESTIMATE"})
}

// TestEndingsByTheClock submits a claim of each ending of the sandbox while the clock
// stands, each 60 days after the last, and advances the clock until nothing waits. The
// golden file has the events of each, with the time since the claim was submitted.
func TestEndingsByTheClock(t *testing.T) {
	t.Parallel()
	s := startGuest(t, 1, 1, "MOLAR_BATCH_INTERVAL=10s", "MOLAR_SANDBOX_ERA_DELAY=336h")
	s.eras = s.spawn("eraworker", 1)
	s.provide()
	begin := time.Date(2027, 3, 1, 15, 0, 3, 500_000_000, time.UTC)
	s.stand(begin)
	var golden strings.Builder
	for n, e := range sandboxEndings() {
		at := begin.AddDate(0, 0, 60*n)
		s.clock(http.MethodPost, "/advance", fmt.Sprintf(`{"to":%q}`, at.Format(time.RFC3339Nano)))
		s.claimAt(at, n, e)
		c := s.clock(http.MethodPost, "/advance", `{"until":"idle"}`)
		if c["pending"] != 0.0 || c["next"] != nil || c["state"] != "ready" || c["running"] != false {
			t.Errorf("%s: the clock is %v", e.ending, c)
		}
		fmt.Fprintf(&golden, "%s %s%s\n", e.payer, e.kind, e.ending)
		for _, line := range s.eventsFrom(at) {
			golden.WriteString("  " + line + "\n")
		}
	}
	const file = "testdata/endings_by_the_clock.txt"
	if *update {
		if err := os.WriteFile(file, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != golden.String() {
		t.Errorf("%s differs (%v); with -update it is written anew. Got:\n%s", file, err, golden.String())
	}
}

// claimAt submits a claim for services three days before an instant.
func (s *system) claimAt(at time.Time, n int, e sandboxEnding) string {
	s.tb.Helper()
	body := string(claimBody(s.office, claimEnding{payer: e.payer, kind: e.kind, ending: e.ending}, n))
	body = strings.ReplaceAll(body, time.Now().AddDate(0, 0, -3).Format(time.DateOnly), at.AddDate(0, 0, -3).Format(time.DateOnly))
	r, ok := s.insist(s.tb.Context(), unique("claim"), "/claims", "application/json", []byte(body))
	if !ok || r.body["state"] != "queued" {
		s.tb.Fatalf("the claim is %v: %v", r.body["state"], r.body["findings"])
	}
	return idOf(r)
}

// eventsFrom lists the events of the organization from an instant on, with their distance
// from it. Those of several resources at one instant have no order.
func (s *system) eventsFrom(at time.Time) (all []string) {
	s.tb.Helper()
	rows, err := s.db.Query(`
SELECT v.type, (extract(epoch FROM v.created_at - $2) * 1000000)::bigint
FROM events v
JOIN offices o ON o.id = $1 AND o.org_id = v.org_id
WHERE v.mode = 'test' AND v.created_at >= $2
ORDER BY v.created_at, split_part(v.type, '.', 1), v.sequence, v.id`, s.officeID(), at)
	if err != nil {
		s.tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var kind string
		var after int64
		if err := rows.Scan(&kind, &after); err != nil {
			s.tb.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s %s", time.Duration(after)*time.Microsecond, kind))
	}
	if err := rows.Err(); err != nil {
		s.tb.Fatal(err)
	}
	return all
}

// TestAdvanceThroughKills advances the clock of an organization through claims of every
// ending, and through the retries of webhooks that no receiver takes, while each process
// is killed. Each advance ends at its target, nothing is lost, and nothing happens twice. An
// organization beside it, and live mode, keep real time.
func TestAdvanceThroughKills(t *testing.T) {
	t.Parallel()
	s := startGuest(t, 2, 2, "MOLAR_BATCH_INTERVAL=1s", "MOLAR_SANDBOX_ERA_DELAY=336h")
	s.eras = s.spawn("eraworker", 2)
	hooks := s.spawn("webhookworker", 2)
	s.provide()
	beside := *s
	other := s.tenant("Beside Dental", "1679576722")
	beside.office, beside.key = other.office, other.key
	beside.provide()
	live := strings.Fields(s.molar("keys", "create", "--org", s.organizationID(), "--name", "live", "--mode", "live"))[1]
	endpoint := s.deaf()
	begin := time.Date(2027, 3, 1, 15, 0, 3, 500_000_000, time.UTC)
	s.stand(begin)
	var made []madeClaim
	killed, at := 0, begin
	for round := range rounds(t, 10) {
		for _, victims := range [][]*process{{s.apis[round%2]}, {s.workers[round%2]}, s.workers, {s.eras[round%2]}, {hooks[round%2]}} {
			for range claimFates {
				n := len(made)
				f := claimFates[n%len(claimFates)]
				id := s.claimAt(at, n, sandboxEnding{f.payer, f.kind, f.ending})
				made = append(made, madeClaim{claimEnding: f, id: id})
			}
			over := make(chan map[string]any)
			at = at.AddDate(0, 0, 60)
			go func() {
				over <- s.clock(http.MethodPost, "/advance", fmt.Sprintf(`{"to":%q}`, at.Format(time.RFC3339Nano)))
			}()
			kills(victims...).die(time.Second)
			killed += len(victims)
			if _, ok := beside.makeClaim(t.Context(), killed); !ok {
				t.Error("the claim of the other organization was not made")
			}
			if c := <-over; c["state"] != "ready" || c["next"] != nil || c["pending"] != 0.0 || !instant(t, c["now"]).Equal(at) {
				t.Fatalf("the advance to %v ended with %v", at, c)
			}
			if r, err := post(t.Context(), http.DefaultClient, s.urls[1-round%2]+"/webhook_endpoints/"+endpoint+"/enable", s.key, unique("enable"), "application/json", nil); err != nil || r.status != http.StatusOK {
				t.Fatalf("enable the endpoint: %v, %v", r, err)
			}
		}
	}
	if r, err := post(t.Context(), http.DefaultClient, s.urls[0]+"/offices", live, "live", "application/json",
		[]byte(`{"name":"Live","npi":"1234567893","tax_id":"123456789","phone":"5185550100","address":{"line1":"1 Main Street","city":"Albany","state":"NY","zip":"122070001"}}`)); err != nil || r.status != http.StatusCreated {
		t.Errorf("an office of live mode: %v, %v", r, err)
	}
	t.Logf("%d claims were made through %d kills", len(made), killed)
	await(t, "the batches of the other organization", func() bool {
		return s.count("SELECT count(*) FROM claims c JOIN organizations o ON o.id = c.org_id WHERE o.name = 'Beside Dental' AND state IN ('queued', 'submitted', 'accepted_clearinghouse')") == 0
	})
	for _, m := range made {
		s.verifyClaim(m)
	}
	const mine = " JOIN organizations o ON o.id = v.org_id AND o.name = 'Test Dental' "
	const others = " JOIN organizations o ON o.id = v.org_id AND (o.name <> 'Test Dental' OR v.mode = 'live') "
	s.none(map[string]string{
		"claims more or fewer than were made":        fmt.Sprintf(`SELECT count(*) - %d FROM claims v`+mine, len(made)),
		"batches without an acknowledgement":         `SELECT count(*) FROM batches v` + mine + `WHERE state <> 'acknowledged'`,
		"batches without exactly one event":          `SELECT count(*) FROM batches v` + mine + `WHERE (SELECT count(*) FROM events e WHERE e.resource_id = v.id) <> 1`,
		"remittances that are not done":              `SELECT count(*) FROM eras v` + mine + `WHERE stage <> 'done'`,
		"remittances without exactly one event":      `SELECT count(*) FROM eras v` + mine + `WHERE (SELECT count(*) FROM events e WHERE e.resource_id = v.id) <> 1`,
		"resources whose events do not count up":     `SELECT count(*) FROM (SELECT FROM events GROUP BY resource_id HAVING max(sequence) <> count(*) OR min(sequence) <> 1) gaps`,
		"events whose times are not in their order":  `SELECT count(*) FROM events a JOIN events b ON a.resource_id = b.resource_id AND a.sequence < b.sequence AND a.created_at > b.created_at`,
		"attempts that were recorded twice":          `SELECT count(*) FROM (SELECT FROM webhook_deliveries d, unnest(attempts) a GROUP BY d.id, a->>'at' HAVING count(*) > 1) twice`,
		"attempts that do not have the clock's time": fmt.Sprintf(`SELECT count(*) FROM webhook_deliveries v`+mine+`, unnest(attempts) a WHERE (a->>'at')::timestamptz < '%s'`, begin.Format(time.RFC3339Nano)),
		"claims beside that do not have real time":   `SELECT count(*) FROM claims v` + others + `WHERE v.created_at > now()`,
		"events beside that do not have real time":   `SELECT count(*) FROM events v` + others + `WHERE v.created_at > now()`,
		"offices beside that do not have real time":  `SELECT count(*) FROM offices v` + others + `WHERE v.created_at > now()`,
		"batches beside that do not have real time":  `SELECT count(*) FROM batches v` + others + `WHERE v.created_at > now()`,
	})
}

// instant reads a time of the API.
func instant(tb testing.TB, text any) time.Time {
	tb.Helper()
	at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(text))
	if err != nil {
		tb.Error(err)
	}
	return at
}
