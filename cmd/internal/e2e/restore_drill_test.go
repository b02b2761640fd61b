package e2e_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/testservers"
)

// TestRestoreLosesNothing is the drill of the guide: live traffic, a base backup, more
// traffic with its WAL, more traffic without, the end of the database, and a restore. No
// claim leaves twice, no remittance is applied twice, no number is given out twice, and the
// report names exactly the claims that the database lacked.
func TestRestoreLosesNothing(t *testing.T) {
	t.Parallel()
	s := &system{tb: t, dir: binaries(t), postgres: testservers.StartLocalPostgres(t), queue: testservers.VirtualHost(t)}
	s.begin(s.postgres.URL(), 1, 1, []string{"MOLAR_BATCH_INTERVAL=300ms"})
	s.eras = s.spawn("eraworker", 1)
	d := &drill{system: s, t: t, sim: startSimulator(t)}
	o := &operator{s, t.TempDir(), map[string]string{}}
	page := goingLive(t, "sh")
	o.run(page[0])
	s.key, s.office = o.known["molar"], o.known["off"]
	s.provide()
	d.sim.documents(t, o.dir)
	o.run(page[1])
	o.run(page[2])
	s.awaitConnections()
	all := rounds(t, 10)
	for round := range all {
		d.round(round)
	}
	if d.recovered == 0 || d.known == 0 || d.files == 0 {
		t.Errorf("in %d rounds %d claims were recovered, %d known, and %d files stored", all, d.recovered, d.known, d.files)
	}
	t.Logf("%d restores of %d claims: %d recovered, %d known, %d files stored", all, len(d.made), d.recovered, d.known, d.files)
}

// drill is a system whose database is lost and restored.
type drill struct {
	*system

	t    *testing.T
	sim  simulator
	n    int // claims made
	made []madeClaim

	recovered, known, files int
}

func (d *drill) traffic(of time.Duration) {
	first := d.n
	load := startLoad(d.system, 3, func(ctx context.Context, n int) (madeClaim, bool) { return d.makeLiveClaim(ctx, first+n) })
	pause(of)
	made := load.stop()
	d.n = first + int(load.n.Load())
	d.made = append(d.made, made...)
}

// round loses the database once.
func (d *drill) round(round int) {
	t := d.t
	_, section, _ := strings.Cut(guide(t, "running"), "\n## Back up\n")
	commands := blocks(section, "sh") // WAL, base backup, restore, check, begin, resume
	dir := t.TempDir()
	d.traffic(2 * time.Second)
	archiving := d.shell(dir, commands[0])
	d.archived()
	d.shell(dir, commands[1])
	d.traffic(time.Second)
	kills(d.workers...).kill()
	d.traffic(500 * time.Millisecond) // claims that wait in the backup, and leave after it
	d.archived()
	_ = syscall.Kill(-archiving, syscall.SIGKILL) // the newest WAL is lost with its machine
	for _, p := range d.workers {
		p.start(io.Discard)
	}
	before, backedUp := d.copies("in"), len(d.made)
	d.traffic(2 * time.Second)
	await(t, "files that come after the backup", func() bool { return d.copies("in") > before+3 })
	await(t, "claims that leave and are not in the backup", func() bool {
		sent := d.sent()
		return slices.ContainsFunc(d.made[backedUp:], func(m madeClaim) bool { return slices.Contains(sent, m.control) })
	})
	d.traffic(300 * time.Millisecond)

	kills(d.workers...).kill()
	kills(d.eras...).kill()
	sent := d.sent()
	kills(d.apis...).kill()
	if err := os.CopyFS(dir+"/replica", os.DirFS(strings.TrimPrefix(d.blobs(), "file:"))); err != nil {
		t.Fatal(err)
	}
	d.postgres.Replace(func(data string) {
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		d.env = append(d.env, "DATA="+data)
		readable(t, dir)
		d.shell(dir, commands[2])
		if err := os.Chmod(data, 0o700); err != nil {
			t.Fatal(err)
		}
	})
	d.env = append(d.env, "MOLAR_BLOB_URL=file:"+dir+"/replica")
	for _, p := range slices.Concat(d.apis, d.workers, d.eras) {
		p.env = append(p.env, "MOLAR_BLOB_URL=file:"+dir+"/replica")
		p.start(io.Discard)
	}
	await(t, "the end of the recovery", func() bool {
		var recovering bool
		return d.db.QueryRow("SELECT pg_is_in_recovery()").Scan(&recovering) == nil && !recovering
	})
	lacked := d.lacked(sent)
	for _, p := range slices.Concat(d.apis, d.workers, d.eras) {
		await(t, "a process that says what to do", func() bool {
			r, err := send(t.Context(), http.DefaultClient, http.MethodGet, p.opsURL()+"/readyz", "", "", "", nil)
			return err == nil && r.status == http.StatusServiceUnavailable && strings.Contains(r.text, "molar restore begin")
		})
	}
	if r, err := send(t.Context(), http.DefaultClient, http.MethodGet, d.urls[0]+"/claims", d.key, "", "", nil); err != nil || r.status != http.StatusServiceUnavailable {
		t.Errorf("a request to a database that is behind: %v, %v", r, err)
	}
	checked := d.restore("check")
	if !strings.Contains(checked, "The database is behind") {
		t.Errorf("restore check: %s", checked)
	}
	killed := newProcessOf(t, d.dir, "molar", d.env, "restore", "begin")
	killed.start(io.Discard)
	pause(rand.N(400 * time.Millisecond))
	killed.kill()
	begun := d.restore("begin")
	d.compare(begun, lacked)
	for _, p := range slices.Concat(d.apis, d.workers, d.eras) {
		await(t, "a process that works again", func() bool {
			r, err := send(t.Context(), http.DefaultClient, http.MethodGet, p.opsURL()+"/readyz", "", "", "", nil)
			return err == nil && r.status == http.StatusOK && strings.Contains(r.text, "degraded: restore: live claims and webhooks wait")
		})
	}
	d.enterAgain(lacked)
	d.traffic(time.Second)
	if again := d.restore("begin"); again != begun {
		t.Errorf("the same report is now\n%s", again)
	}
	files := len(regexp.MustCompile(`(?m)^\d+ +out `).FindAllString(checked, -1)) // each batch has an entry
	if n := d.count("SELECT count(*) FROM audit_entries WHERE operation = 'molar restore begin' AND created_at >= (SELECT begun_at FROM restores WHERE resumed_at IS NULL)"); n < files {
		t.Errorf("the audit has %d batches of the restore, want %d", n, files)
	}
	await(t, "the files of the restore", func() bool { return d.count("SELECT count(*) FROM received_files WHERE state = 'received'") == 0 })
	if n := d.count("SELECT count(*) FROM batches WHERE mode = 'live' AND created_at > (SELECT begun_at FROM restores WHERE resumed_at IS NULL)"); n > 0 {
		t.Errorf("%d batches were made before the end of the restore", n)
	}
	d.restore("resume")
	d.verify(round + 1)
}

// archived waits until the WAL so far was fetched.
func (d *drill) archived() {
	d.tb.Helper()
	var at string
	if err := d.db.QueryRow("SELECT pg_current_wal_flush_lsn()").Scan(&at); err != nil {
		d.tb.Fatal(err)
	}
	await(d.tb, "the WAL", func() bool {
		var there bool
		err := d.db.QueryRow("SELECT coalesce(bool_or(flush_lsn >= $1::pg_lsn), false) FROM pg_stat_replication WHERE application_name = 'pg_receivewal'", at).Scan(&there)
		return err == nil && there
	})
}

// copies counts the copies of live files in a direction.
func (d *drill) copies(direction string) int {
	found, _ := filepath.Glob(strings.TrimPrefix(d.blobs(), "file:") + "/files/" + direction + "/*")
	return len(found)
}

func (d *drill) blobs() (url string) {
	for _, v := range d.env {
		if value, is := strings.CutPrefix(v, "MOLAR_BLOB_URL="); is {
			url = value // the last counts
		}
	}
	return url
}

// shell runs commands of the guide, and returns the process group of those that go on.
func (d *drill) shell(dir, commands string) (group int) {
	d.tb.Helper()
	cmd := exec.CommandContext(d.tb.Context(), "bash", "-euc", commands)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), d.env, []string{"FROM=" + d.postgres.URL(), "PATH=" + clientsOfPostgres(d.t) + ":" + os.Getenv("PATH")})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		d.tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err = cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		d.tb.Fatalf("%s: %v\n%s", commands, err, text)
	}
	d.tb.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	return cmd.Process.Pid
}

// restore runs a command. What it printed is logged after what failed.
func (d *drill) restore(command string) string {
	d.tb.Helper()
	out := d.molar("restore", command)
	d.t.Cleanup(func() {
		if d.t.Failed() {
			d.t.Logf("molar restore %s:\n%s", command, out)
		}
	})
	return out
}

// readable lets the user of PostgreSQL read files below a temporary folder.
func readable(tb testing.TB, dir string) {
	tb.Helper()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		tb.Fatal(err)
	}
	if out, err := exec.CommandContext(tb.Context(), "chmod", "-R", "a+rX", dir).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
}

var controlNumber = regexp.MustCompile(`CLM\*(\w+)\*`)

// sent returns the control numbers of the claims in the files that the clearinghouse took,
// or that were about to leave. Each has a copy.
func (d *drill) sent() (numbers []string) {
	d.tb.Helper()
	arrived, dir := d.arrived(), strings.TrimPrefix(d.blobs(), "file:")
	for id, content := range d.batchFiles() {
		sum := sha256.Sum256([]byte(content))
		copies, _ := filepath.Glob(dir + "/files/out/*" + id + "*")
		if arrived[hex.EncodeToString(sum[:])] && len(copies) == 0 {
			d.tb.Errorf("the batch %s left without a copy", id)
		}
		if len(copies) == 0 {
			continue
		}
		for _, m := range controlNumber.FindAllStringSubmatch(content, -1) {
			numbers = append(numbers, m[1])
		}
	}
	return numbers
}

// batchFiles reads the files of all batches, by their IDs.
func (d *drill) batchFiles() map[string]string {
	d.tb.Helper()
	all := map[string]string{}
	for cursor := ""; ; {
		page := d.read("/batches?limit=100" + cursor)
		data, _ := page["data"].([]any)
		for _, b := range data {
			id, _ := b.(map[string]any)["id"].(string)
			status, file := get(d.tb, fmt.Sprintf("%s/batches/%s/file", d.urls[0], id), d.key)
			if status != http.StatusOK {
				d.tb.Fatalf("the file of a batch: %d %s", status, file)
			}
			all[id] = file
		}
		next, more := page["next_cursor"].(string)
		if !more {
			return all
		}
		cursor = "&cursor=" + next
	}
}

var taken = regexp.MustCompile(`"sha256":"(\w+)"`)

// arrived returns the SHA-256 of the files that the clearinghouse took.
func (d *drill) arrived() map[string]bool {
	d.tb.Helper()
	log, err := os.ReadFile(filepath.Join(d.sim.dir, "received.log"))
	if err != nil {
		d.tb.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range taken.FindAllStringSubmatch(string(log), -1) {
		all[m[1]] = true
	}
	return all
}

// lacked returns which of the claims that were sent the restored database does not have.
func (d *drill) lacked(sent []string) (numbers []string) {
	d.tb.Helper()
	for _, number := range sent {
		if d.count("SELECT count(*) FROM claims WHERE patient_control_number = $1", number) == 0 {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// compare compares the report with what the database lacked.
func (d *drill) compare(report string, lacked []string) {
	d.tb.Helper()
	var recovered []string
	for line := range strings.Lines(report) {
		fields := strings.Fields(line)
		switch {
		case strings.HasSuffix(strings.TrimSpace(line), "recovered"):
			recovered = append(recovered, fields[2])
		case strings.HasPrefix(line, "clm_") && strings.HasSuffix(strings.TrimSpace(line), "known"):
			d.known++
		case strings.Contains(line, "stored, to be applied"):
			d.files++
		case strings.Contains(line, "lost"):
			d.tb.Errorf("a claim cannot come back: %s", line)
		}
	}
	d.recovered += len(recovered)
	if slices.Sort(recovered); !slices.Equal(recovered, lacked) {
		d.tb.Errorf("the report names %v, the database lacked %v", recovered, lacked)
	}
}

// enterAgain makes a claim that came back once more: it is a duplicate.
func (d *drill) enterAgain(lacked []string) {
	d.tb.Helper()
	at := slices.IndexFunc(d.made, func(m madeClaim) bool { return slices.Contains(lacked, m.control) && m.state == "paid" })
	if at < 0 {
		return
	}
	n := 0
	c := d.read("/claims/" + d.made[at].id)
	_, _ = fmt.Sscanf(fmt.Sprint(c["subscriber"].(map[string]any)["member_id"]), "%d", &n)
	r, err := post(d.tb.Context(), http.DefaultClient, d.urls[0]+"/claims", d.key, fmt.Sprint("again-", n), "application/json", claimBody(d.office, d.made[at].claimEnding, n))
	if err != nil || !strings.Contains(r.text, "duplicate_service") {
		d.tb.Errorf("a claim that the payer has, once more: %v %s", err, r.text)
	}
}

// verify waits for the end of all claims, and compares everything with what the
// clearinghouse took.
func (d *drill) verify(restores int) {
	t := d.t
	t.Helper()
	await(t, "the end of every claim", func() bool {
		return d.count(`SELECT count(*) FROM claims WHERE state NOT IN ('paid', 'denied', 'reconciled', 'needs_attention')`)+
			d.count(`SELECT count(*) FROM batches WHERE state <> 'acknowledged'`)+d.count(`SELECT count(*) FROM jobs`) == 0
	})
	d.verifyArrivals(d.sim) // each file once, and none that the database does not know
	times := map[string]int{}
	for _, content := range d.batchFiles() {
		for _, m := range controlNumber.FindAllStringSubmatch(content, -1) {
			if times[m[1]]++; times[m[1]] > 1 {
				t.Errorf("the claim %s left %d times", m[1], times[m[1]])
			}
		}
	}
	d.made = slices.DeleteFunc(d.made, func(m madeClaim) bool { return times[m.control] == 0 }) // they never left, and are gone
	d.verifyMoney(d.made)
	d.none(map[string]string{
		"interchange numbers that were given out twice":  `SELECT count(*) - count(DISTINCT interchange_number) FROM batches`,
		"claims that are paid without having been made":  fmt.Sprintf(`SELECT count(*) - %d FROM claims WHERE state <> 'needs_attention'`, len(d.made)),
		"files in quarantine":                            `SELECT count(*) FROM quarantine`,
		"remittances that are not done":                  `SELECT count(*) FROM eras WHERE stage <> 'done'`,
		"payments that were applied twice":               `SELECT count(*) FROM (SELECT claim_id FROM era_claims WHERE status = 'applied' GROUP BY claim_id HAVING count(*) > 1) twice`,
		"events whose numbers have no gap of a thousand": `SELECT count(*) FROM (SELECT sequence - lag(sequence) OVER (PARTITION BY resource_id ORDER BY sequence) AS step FROM events) s WHERE step <> 1 AND step % 1000 <> 1`,
		"restores more or fewer than there were":         fmt.Sprintf(`SELECT count(*) - %d FROM restores`, restores),
	})
	for _, m := range d.made {
		if c := d.read("/claims/" + m.id); c["state"] != m.state {
			t.Errorf("%s is %v, want %s", m.id, c["state"], m.state)
		}
	}
}
