package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// clockVariable is the error of a process's clock, as in "-5m".
const clockVariable = "MOLAR_TEST_CLOCK"

// shiftedMolar links the molar command with a time.Now that is off by
// clockVariable. Timers, and the clock of PostgreSQL, stay correct, as on a
// machine whose clock was set wrong. Only package time is compiled for it: the
// linker refuses it if another package had to be compiled against it.
func shiftedMolar(t *testing.T) (dir string) {
	t.Helper()
	const (
		read  = "sec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
		reads = "sec, nsec, mono := runtimeNow()\n\tif text, ok := syscall.Getenv(\"" + clockVariable +
			"\"); ok { d, _ := ParseDuration(text); sec += int64(d / Second) }; if mono == 0 {"
		molar  = "github.com/molar-billing/molar/cmd/molar"
		listed = "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"
	)
	run := func(args ...string) string {
		var failure strings.Builder
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Stderr = &failure
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &failure)
		}
		return strings.TrimSpace(string(out))
	}
	name := filepath.Join(run("env", "GOROOT"), "src", "time", "time.go")
	source, err := os.ReadFile(name)
	if err != nil || strings.Count(string(source), read) != 1 {
		t.Fatalf("%s reads the clock in another way than is known here: %v", name, err)
	}
	dir = t.TempDir()
	shifted, overlay, archives := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "importcfg")
	text := strings.NewReplacer(read, reads, "import (\n", "import ( \"syscall\"\n").Replace(string(source)) // no line moves
	replace := fmt.Sprintf(`{"Replace":{%q:%q}}`, name, shifted)
	if err := errors.Join(os.WriteFile(shifted, []byte(text), 0o600), os.WriteFile(overlay, []byte(replace), 0o600)); err != nil {
		t.Fatal(err)
	}
	all := run("list", "-trimpath", "-export", "-deps", "-f", listed, molar)
	right, wrong := run("list", "-trimpath", "-export", "-f", listed, "time"), run("list", "-trimpath", "-export", "-overlay", overlay, "-f", listed, "time")
	if err := os.WriteFile(archives, []byte(strings.Replace(all, right+"\n", wrong+"\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, main, _ := strings.Cut(run("list", "-trimpath", "-export", "-f", listed, molar), "=")
	run("tool", "link", "-s", "-w", "-importcfg", archives, "-o", filepath.Join(dir, "molar"), main)
	return dir
}

// TestClocksApart runs processes whose clocks are 300 s fast and 300 s slow.
// What they store has the database's time, and a failed webhook is posted again
// neither early nor late, by the same process or by the other.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	const off = 300 * time.Second
	dir, r := shiftedMolar(t), startWebhookReceiver(t)
	s := startGuest(t, 0, 0)
	var mu sync.Mutex
	var posts []time.Time // every other one fails
	r.answer["/clocks"] = func() int {
		mu.Lock()
		defer mu.Unlock()
		if posts = append(posts, time.Now()); len(posts)%2 == 1 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	}
	came := func() int { mu.Lock(); defer mu.Unlock(); return len(posts) }
	start := func(off time.Duration) *process {
		flags := append([]string{"dev", "--json", "--addr", freeAddr(t), "--data", t.TempDir()}, r.flags()...)
		p := newProcessOf(t, dir, "molar", append(s.env, "MOLAR_OPS_LISTEN="+freeAddr(t), clockVariable+"="+off.String()), flags...)
		s.urls = []string{readReady(t, p).BaseURL}
		resp, err := http.Get(s.urls[0] + "/openapi.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		shown, err := http.ParseTime(resp.Header.Get("Date"))
		if wrong := time.Until(shown) - off; err != nil || wrong.Abs() > time.Minute {
			t.Fatalf("a process whose clock is to be %s off shows %s", off, shown)
		}
		return p
	}
	// posted makes an event, runs what is to happen between its two posts, and
	// looks at the time between them.
	posted := func(what string, between func()) {
		t.Helper()
		had := came()
		s.make(1, 1, 0)
		await(t, what+": a post", func() bool { return came() > had })
		between()
		await(t, what+": another post", func() bool { return came() > had+1 })
		mu.Lock()
		defer mu.Unlock()
		// The second post is due 4 s after the first began, which reached a busy receiver later.
		if wait := posts[had+1].Sub(posts[had]); wait < 2*time.Second || wait >= off {
			t.Errorf("%s: posted again after %s", what, wait)
		}
	}

	var began time.Time
	if err := s.db.QueryRow("SELECT now()").Scan(&began); err != nil {
		t.Fatal(err)
	}
	const rows = "SELECT count(*) FROM (SELECT created_at FROM events UNION ALL SELECT created_at FROM eligibility_checks UNION ALL SELECT created_at FROM idempotency_keys" +
		" UNION ALL SELECT created_at FROM webhook_endpoints UNION ALL SELECT created_at FROM webhook_deliveries) AS kept WHERE created_at "
	older := s.count(rows+"< $1", began)
	fast := start(off)
	r.register(s.urls[0], s.key, "/clocks")
	posted("a fast process", func() {})
	posted("a fast process, and then a slow one", func() { start(-off); fast.stop() })
	posted("a slow process", func() {})
	if n := s.count(rows+"< $1", began) - older; n != 0 {
		t.Errorf("%d rows have the time of a slow process", n)
	}
	if n := s.count(rows + "> now()"); n != 0 {
		t.Errorf("%d rows have the time of a fast process", n)
	}
}
