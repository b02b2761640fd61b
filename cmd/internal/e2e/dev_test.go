package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
)

// ready is the line that molar dev --json prints.
type ready struct {
	BaseURL string            `json:"base_url"`
	OpsURL  string            `json:"ops_url"`
	Keys    map[string]string `json:"keys"`
	Offices map[string]string `json:"offices"`
	Claims  map[string]string `json:"claims"`
	SignIn  string            `json:"dashboard_url"`
}

// startDev starts molar dev on a folder, with a database of the PostgreSQL that the tests
// share. It ends with the test. Readers of events see them once the transactions of all
// tests before have ended: a test that lists events at once needs startWholeDev.
func startDev(tb testing.TB, env []string, dir string, flags ...string) (*process, ready) {
	tb.Helper()
	admin := pgtest.URL(tb)
	database := []string{"MOLAR_MIGRATE_URL=" + admin, "MOLAR_DATABASE_URL=" + pgtest.Service(tb, admin)}
	return startWholeDev(tb, append(database, env...), dir, flags...)
}

// startWholeDev starts molar dev with nothing but what it starts itself: a cluster in its
// folder, which ends with it.
func startWholeDev(tb testing.TB, env []string, dir string, flags ...string) (*process, ready) {
	tb.Helper()
	p := newProcess(tb, "molar", env, append([]string{"dev", "--json", "--addr", "127.0.0.1:0", "--data", dir}, flags...)...)
	r := readReady(tb, p)
	stopDev(tb, p)
	return p, r
}

func readReady(tb testing.TB, p *process) (r ready) {
	tb.Helper()
	line := readLine(tb, p)
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		tb.Fatalf("ready line %q: %v", line, err)
	}
	return r
}

func stopDev(tb testing.TB, p *process) {
	tb.Helper()
	tb.Cleanup(func() {
		if code := p.stop(); code != 0 {
			tb.Errorf("molar dev ended with %d", code)
		}
	})
}

func TestDevKeepsItsDataAndKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, first := startWholeDev(t, nil, dir)
	for _, name := range []string{"test", "test_read", "test_submit", "live", "other_test"} {
		if first.Keys[name] == "" {
			t.Errorf("no key %s", name)
		}
	}
	for _, name := range []string{"test", "test_2", "live", "other_test"} {
		if !strings.HasPrefix(first.Offices[name], "off_") {
			t.Errorf("office %s is %q", name, first.Offices[name])
		}
	}
	r, err := check(t.Context(), http.DefaultClient, first.BaseURL, first.Keys["test"], "k1", checkBody(first.Offices["test"], "-ACTIVE-FULL", 1))
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("check: %v %v", r, err)
	}
	id := idOf(r)
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if status, body := get(t, first.OpsURL+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("molar dev ended with %d after SIGTERM", code)
	}

	again := readReady(t, p)
	if again.Keys["test"] != first.Keys["test"] || again.Offices["test"] != first.Offices["test"] {
		t.Error("another run has other keys or offices")
	}
	if status, body := get(t, again.BaseURL+"/eligibility/"+id, again.Keys["test"]); status != http.StatusOK {
		t.Errorf("the check of the first run: %d %s", status, body)
	}

	// A killed one leaves its database running; the next run takes that over. The payer takes longer
	// than the looks of a busy machine are apart.
	slow := make(chan reply, 1)
	go func() {
		r, _ := check(t.Context(), http.DefaultClient, again.BaseURL, again.Keys["test"], "k2", checkBody(again.Offices["test"], "-SLOW-5", 2))
		slow <- r
	}()
	await(t, "a pending check", func() bool {
		_, body := get(t, again.BaseURL+"/eligibility?limit=1", again.Keys["test"])
		return strings.Contains(body, `"pending"`)
	})
	p.kill()
	<-slow
	third := readReady(t, p)
	await(t, "the check of the run that was killed", func() bool {
		r, err := check(t.Context(), http.DefaultClient, third.BaseURL, third.Keys["test"], "k2", checkBody(third.Offices["test"], "-SLOW-5", 2))
		return err == nil && r.status == http.StatusOK && r.replayed
	})
}

// TestDevKeepsItsDatabaseRunning kills the database of molar dev, which starts it
// again. It ends if the database cannot start.
func TestDevKeepsItsDatabaseRunning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newProcess(t, "molar", nil, "dev", "--json", "--addr", "127.0.0.1:0", "--data", dir)
	r := readReady(t, p)
	data := filepath.Join(dir, "postgres", "data")
	// signal sends a signal to the server that follows one: it may need several attempts to start.
	signal := func(before int, of syscall.Signal) (pid int) {
		t.Helper()
		await(t, "a server of the database", func() bool {
			b, _ := os.ReadFile(filepath.Join(data, "postmaster.pid")) // it may not be there yet
			first, _, _ := strings.Cut(string(b), "\n")
			pid, _ = strconv.Atoi(first)
			return pid > 0 && pid != before && syscall.Kill(pid, of) == nil
		})
		return pid
	}
	first := signal(0, syscall.SIGKILL)
	signal(first, 0) // one that was killed may serve a check until then
	await(t, "a check after the database was killed", func() bool {
		reply, err := check(t.Context(), http.DefaultClient, r.BaseURL, r.Keys["test"], "after", checkBody(r.Offices["test"], "-ACTIVE-FULL", 1))
		return err == nil && reply.status == http.StatusOK
	})
	if err := os.Rename(filepath.Join(data, "global"), filepath.Join(dir, "global")); err != nil {
		t.Fatal(err)
	}
	signal(first, syscall.SIGKILL)
	<-p.done
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.log(), "does not start again") {
		t.Errorf("molar dev without its database ended with %d", code)
	}
}

// The demo claim is complete, like one that a caller creates.
func TestDevBringsAClaim(t *testing.T) {
	t.Parallel()
	_, r := startDev(t, nil, t.TempDir())
	_, body := get(t, r.BaseURL+"/claims/"+r.Claims["test"], r.Keys["test"])
	if !strings.Contains(body, `"state":"validated"`) || !strings.Contains(body, `"findings":[]`) {
		t.Errorf("the claim is %s", body)
	}
	for _, field := range []string{"rendering_provider", "patient_id"} {
		if strings.Contains(body, `"`+field+`":null`) {
			t.Errorf("the claim has no %s", field)
		}
	}
}

func TestDevWipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, first := startWholeDev(t, nil, dir)
	if code := p.stop(); code != 0 {
		t.Fatalf("molar dev ended with %d", code)
	}
	_, second := startWholeDev(t, nil, dir, "--reset")
	if second.Keys["test"] == first.Keys["test"] {
		t.Error("the key survived --reset")
	}
}

func TestSeveralDevAtOnce(t *testing.T) {
	t.Parallel()
	_, a := startWholeDev(t, nil, t.TempDir())
	_, b := startWholeDev(t, nil, t.TempDir())
	if a.BaseURL == b.BaseURL || a.OpsURL == b.OpsURL || a.Keys["test"] == b.Keys["test"] {
		t.Errorf("%+v and %+v share something", a, b)
	}
	if status, _ := get(t, b.BaseURL+"/events", a.Keys["test"]); status != http.StatusUnauthorized {
		t.Errorf("a key of another installation: %d, want 401", status)
	}
}

func TestDevTellsOfAFolderInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	startWholeDev(t, nil, dir)
	out, err := exec.CommandContext(t.Context(), binaries(t)+"/molar", "dev", "--data", dir, "--addr", "127.0.0.1:0").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("--data")) {
		t.Errorf("second molar dev on the folder: %v %s; want an error that says what to do", err, out)
	}
}

func TestBannerCurl(t *testing.T) {
	t.Parallel()
	p := newProcess(t, "molar", nil, "dev", "--addr", "127.0.0.1:0", "--data", t.TempDir())
	var banner lockedBuffer
	p.start(&banner)
	stopDev(t, p)
	await(t, "the banner", func() bool { return strings.Contains(banner.String(), "Ctrl-C") })
	found := regexp.MustCompile(`(?s)(curl -s .*?}}')`).FindString(banner.String())
	out, err := exec.CommandContext(t.Context(), "bash", "-c", found).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"answered"`)) {
		t.Errorf("the banner's curl %q: %v %s", found, err, out)
	}
}

func TestSettingsAreExplained(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), binaries(t)+"/api")
	cmd.Env = []string{"MOLAR_QUEUE_URL=http://x", "MOLAR_WORKERS=none"}
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("api ran without settings for %s", time.Since(start))
	}
	for _, want := range []string{"MOLAR_DATABASE_URL is not set", "MOLAR_QUEUE_URL: want mem: or amqp", "MOLAR_SECRET_KEY is not set", "MOLAR_WORKERS: want a number"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
