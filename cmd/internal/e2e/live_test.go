package e2e_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGoingLive follows the page "Going live" against the simulator, command by
// command: without a connection live mode waits or returns 503; with one a check is
// answered over CAQH CORE, and a claim is sent over SFTP, paid, posted and reconciled.
// Then the workers are killed while they send and receive. Each batch arrives at the
// clearinghouse exactly once, and each claim where its ending leads.
func TestGoingLive(t *testing.T) {
	t.Parallel()
	s := startGuest(t, 1, 2, "MOLAR_BATCH_INTERVAL=300ms")
	s.eras = s.spawn("eraworker", 1)
	sim := startSimulator(t)
	o := &operator{s, t.TempDir(), map[string]string{}}
	page := goingLive(t, "sh")
	practice, connections, enroll, check, claim, settle, watch := page[0], page[1], page[2], page[3], page[4], page[5], page[6]

	o.run(practice)
	s.key, s.office = o.known["molar"], o.known["off"]
	s.provide()
	if r := s.liveCheck(); r.status != http.StatusServiceUnavailable || r.body["error"] != "ELIGIBILITY_UNAVAILABLE" {
		t.Errorf("a live check without a connection: %d %s", r.status, r.text)
	}
	early, ok := s.insist(t.Context(), "early-claim", "/claims", "application/json", claimBody(s.office, claimFates[1], 0))
	if next, _ := early.body["next_step"].(string); !ok || early.body["state"] != "queued" || !strings.Contains(next, "clearinghouse") {
		t.Errorf("a live claim without a connection: %s", early.text)
	}

	sim.documents(t, o.dir)
	o.run(connections)
	o.run(enroll)
	s.awaitConnections()
	if answer := o.run(check); answer["outcome"] != "answered" {
		t.Errorf("a live check over CORE is %v", answer)
	}
	o.known["claim"], _ = o.run(claim)["id"].(string)
	for _, id := range []string{o.known["claim"], idOf(early)} {
		await(t, "the payment of "+id, func() bool { return s.read("/claims/" + id)["state"] == "paid" })
	}
	o.known["era"] = regexp.MustCompile(`era_\w+`).FindString(fmt.Sprint(s.read("/claims/" + o.known["claim"])))
	if settled := o.run(settle); settled["state"] != "reconciled" {
		t.Errorf("the claim is %v", settled)
	}
	o.run(watch)

	disabled := time.Now()
	s.molar("connections", "disable", "Checks")
	await(t, "the end of live checks", func() bool { return s.liveCheck().status == http.StatusServiceUnavailable })
	t.Logf("no live check %s after the begin of molar connections disable", time.Since(disabled).Round(time.Millisecond))
	s.molar("connections", "enable", "Checks")
	await(t, "live checks again", func() bool { return s.liveCheck().status == http.StatusOK })

	load := startLoad(s, 3, s.makeLiveClaim)
	count, during, uploads := 0, 0, map[string]bool{}
	for round := range rounds(t, 25) {
		for _, victims := range [][]*process{{s.workers[round%2]}, s.workers, {s.workers[1-round%2], s.eras[0]}} {
			if sim.awaitUpload(uploads) {
				during++
			}
			kills(victims...).die(20 * time.Millisecond)
			count += len(victims)
		}
	}
	made := load.stop()
	await(t, "the end of every claim", func() bool {
		return s.count(`SELECT count(*) FROM claims WHERE state NOT IN ('paid', 'denied', 'reconciled')`)+
			s.count(`SELECT count(*) FROM batches WHERE state <> 'acknowledged'`)+s.count(`SELECT count(*) FROM jobs`) == 0
	})
	for _, m := range made {
		s.verifyClaim(m)
	}
	s.verifyMoney(made)
	s.none(map[string]string{
		"claims more or fewer than were made": fmt.Sprintf(`SELECT count(*) - %d FROM claims`, len(made)+2),
		"files in quarantine":                 `SELECT count(*) FROM quarantine`,
		"remittances that are not done":       `SELECT count(*) FROM eras WHERE stage <> 'done'`,
	})
	t.Logf("%d live claims through %d kills, %d times with an upload under way", len(made), count, during)
	s.verifyArrivals(sim)
}

// awaitConnections waits until each process uses the two connections of the page.
func (s *system) awaitConnections() {
	s.tb.Helper()
	for _, p := range slices.Concat(s.apis, s.workers) {
		await(s.tb, "the use of the connections", func() bool {
			r, err := send(s.tb.Context(), http.DefaultClient, http.MethodGet, p.opsURL()+"/metrics", "", "", "", nil)
			return err == nil && strings.Count(r.text, `state="enabled"} 1`) == 2
		})
	}
}

// makeLiveClaim creates a claim that its payer pays or denies.
func (s *system) makeLiveClaim(ctx context.Context, n int) (madeClaim, bool) {
	f := claimFates[1+n%3]
	r, ok := s.insist(ctx, fmt.Sprintf("live-%d", n), "/claims", "application/json", claimBody(s.office, f, n))
	control, _ := r.body["patient_control_number"].(string)
	pause(150 * time.Millisecond)
	return madeClaim{f, idOf(r), control}, ok
}

// liveCheck makes a check of a member of its own.
func (s *system) liveCheck() reply {
	s.tb.Helper()
	n := int(serial.Add(1))
	r, err := check(s.tb.Context(), http.DefaultClient, s.urls[0], s.key, fmt.Sprint("live-check-", n), checkBody(s.office, "-ACTIVE-FULL", n))
	if err != nil {
		s.tb.Fatal(err)
	}
	return r
}

// verifyArrivals compares the batches with the files that the simulator took: each
// came once, and no other.
func (s *system) verifyArrivals(sim simulator) {
	s.tb.Helper()
	arrived := map[string]map[string]bool{} // the simulator's IDs, by SHA-256
	log, err := os.ReadFile(filepath.Join(sim.dir, "received.log"))
	if err != nil {
		s.tb.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		var r struct {
			ID     string `json:"id"`
			SHA256 string `json:"sha256"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			s.tb.Fatalf("%s: %v", line, err)
		}
		if arrived[r.SHA256] == nil {
			arrived[r.SHA256] = map[string]bool{}
		}
		arrived[r.SHA256][r.ID] = true
	}
	sent := 0
	for cursor := ""; ; {
		page := s.read("/batches?limit=100" + cursor)
		data, _ := page["data"].([]any)
		for _, b := range data {
			sent++
			b, _ := b.(map[string]any)
			status, file := get(s.tb, fmt.Sprintf("%s/batches/%s/file", s.urls[0], b["id"]), s.key)
			sum := sha256.Sum256([]byte(file))
			if n := len(arrived[hex.EncodeToString(sum[:])]); status != http.StatusOK || n != 1 {
				s.tb.Errorf("batch %s arrived %d times", b["id"], n)
			}
		}
		next, more := page["next_cursor"].(string)
		if !more {
			break
		}
		cursor = "&cursor=" + next
	}
	if len(arrived) != sent || sent == 0 {
		s.tb.Errorf("%d files arrived of %d batches", len(arrived), sent)
	}
	s.tb.Logf("%d batches, each arrived once", sent)
}

// simulator is a process of molar clearinghouse.
type simulator struct {
	dir     string            // its data folder
	account map[string]string // what it printed
}

func startSimulator(tb testing.TB) simulator {
	tb.Helper()
	sim := simulator{dir: tb.TempDir()}
	args := []string{"clearinghouse", "--json", "--sftp", "127.0.0.1:0", "--core", "127.0.0.1:0", "--data", sim.dir}
	line := readLine(tb, newProcess(tb, "molar", []string{"MOLAR_SANDBOX_ERA_DELAY=1s"}, args...))
	if err := json.Unmarshal([]byte(line), &sim.account); err != nil {
		tb.Fatalf("%s: %v", line, err)
	}
	return sim
}

// awaitUpload waits until another upload is under way, at most some seconds. Killed
// workers leave files behind, so it remembers the names.
func (sim simulator) awaitUpload(known map[string]bool) bool {
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); pause(time.Millisecond) {
		found, _ := filepath.Glob(sim.dir + "/files/inbound/temp_*")
		for _, name := range found {
			if !known[name] {
				known[name] = true
				return true
			}
		}
	}
	return false
}

// document completes a document of a connection with the simulator's account.
func (sim simulator) document(tb testing.TB, text string) map[string]any {
	tb.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	a := sim.account
	for name, is := range map[string]string{
		"addr": a["sftp_addr"], "host_key": a["sftp_host_key"], "key_file": a["sftp_key_file"],
		"url": a["core_soap_url"], "password_file": filepath.Join(sim.dir, "password"), "ca_file": a["ca_file"],
	} {
		if doc[name] != nil {
			doc[name] = is
		}
	}
	doc["allow_private"] = true
	if options, ok := doc["options"].(map[string]any); ok {
		options["poll_interval"] = "1s"
	}
	return doc
}

// documents writes the page's two documents into a folder, for the simulator.
func (sim simulator) documents(tb testing.TB, dir string) {
	tb.Helper()
	for i, name := range []string{"claims.json", "checks.json"} {
		text, err := json.Marshal(sim.document(tb, goingLive(tb, "json")[i]))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// goingLive returns the blocks of a language on the page.
func goingLive(tb testing.TB, language string) []string {
	tb.Helper()
	text, err := os.ReadFile("../../../adapters/docs/guides/85-going-live.md")
	if err != nil {
		tb.Fatal(err)
	}
	return blocks(string(text), language)
}

// operator runs the commands of the page, and keeps what they print.
type operator struct {
	*system

	dir   string
	known map[string]string
}

var (
	aCommand = regexp.MustCompile(`(?m)^(molar|curl) `)
	printed  = regexp.MustCompile(`\b(org|off)_[0-9A-Z]{26}\b|\bmolar_live_\w+`)
)

// run runs the commands of a block one by one, each with the IDs that earlier ones
// printed. It returns the reply of the last one, if that is JSON.
func (o *operator) run(block string) (reply map[string]any) {
	o.tb.Helper()
	starts := aCommand.FindAllStringIndex(block, -1)
	for i, at := range starts {
		end := len(block)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text := strings.NewReplacer("org_...", o.known["org"], "off_...", o.known["off"], "https://molar.example/api/v1", o.urls[0]).Replace(block[at[0]:end])
		cmd := exec.CommandContext(o.tb.Context(), "bash", "-euc", text)
		cmd.Dir = o.dir
		cmd.Env = append(append(os.Environ(), o.env...), "PATH="+binaries(o.tb)+":"+os.Getenv("PATH"),
			"KEY="+o.known["molar"], "OFFICE="+o.known["off"], "CLAIM="+o.known["claim"], "ERA="+o.known["era"])
		out, err := cmd.CombinedOutput()
		if err != nil {
			o.tb.Fatalf("%s: %v\n%s", text, err, out)
		}
		for _, found := range printed.FindAllString(string(out), -1) {
			kind, _, _ := strings.Cut(found, "_")
			o.known[kind] = found
		}
		reply = nil
		_ = json.Unmarshal(out, &reply) // most commands print text
	}
	return reply
}
