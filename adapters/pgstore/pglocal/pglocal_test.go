package pglocal_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
	"github.com/molar-billing/molar/ports/porttest"
)

// envHolder makes the test binary a process that holds a cluster until it is
// killed.
const envHolder = "PGLOCAL_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envHolder); dir != "" {
		if _, err := pglocal.Start(context.Background(), dir, options()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("started")
		select {}
	}
	os.Exit(m.Run())
}

func options() pglocal.Options {
	return pglocal.Options{Settings: map[string]string{"fsync": "off", "shared_buffers": "16MB"}}
}

// folder returns a folder that the server's user can reach, unlike t.TempDir.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pglocal") //nolint:usetesting // t.TempDir is closed to other users
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "db")
}

func start(t *testing.T, dir string, o pglocal.Options) *pglocal.Cluster {
	t.Helper()
	c, err := pglocal.Start(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t *testing.T, c *pglocal.Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Minute)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func query(t *testing.T, address, text string) string {
	t.Helper()
	db, err := sql.Open("postgres", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var out string
	if err := db.QueryRowContext(t.Context(), text).Scan(&out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func TestClusterKeepsItsDataOverARestart(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, dir, options())
	query(t, c.URL(), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7); SELECT n FROM kept")
	for setting, want := range map[string]string{"server_encoding": "UTF8", "lc_collate": "C", "listen_addresses": "", "data_checksums": "on", "fsync": "off"} {
		if got := query(t, c.URL(), "SHOW "+setting); got != want {
			t.Errorf("%s = %s, want %s", setting, got, want)
		}
	}
	if c.TCPURL() != "" {
		t.Errorf("it listens on %s", c.TCPURL())
	}
	for _, name := range []string{"data", "sock"} { // which only the owner enters
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	// Another process, such as a command on a running service, joins it.
	joined, err := pglocal.Start(t.Context(), dir, options())
	if err != nil {
		t.Fatalf("joining: %v", err)
	}
	stop(t, joined)
	if got := query(t, joined.URL(), "SELECT n FROM kept"); got != "7" {
		t.Errorf("after one that joined has left: n = %s", got)
	}
	stop(t, c)
	c = start(t, dir, options())
	if got := query(t, c.URL(), "SELECT n FROM kept"); got != "7" {
		t.Errorf("n = %s", got)
	}
}

func TestServerOfAKilledProcessIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	holder := exec.CommandContext(t.Context(), os.Args[0])
	holder.Env = append(os.Environ(), envHolder+"="+dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	pid := serverPID(t, dir)
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	c := start(t, dir, options())
	if got := serverPID(t, dir); got != pid {
		t.Errorf("server %d runs, want %d", got, pid)
	}
	query(t, c.URL(), "SELECT 1")
	stop(t, c)
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the server still runs: %v", err)
	}
}

func serverPID(t *testing.T, dir string) int {
	t.Helper()
	var b []byte
	porttest.Await(t, "the file of the server's ID", func() (there bool) { // a server that starts again has none for a while
		var err error
		b, err = os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
		return err == nil && len(b) > 0
	})
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestKilledServerStartsAgain(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, dir, options())
	query(t, c.URL(), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7); SELECT n FROM kept")
	if err := syscall.Kill(serverPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	stop(t, c)
	c = start(t, dir, options())
	if got := query(t, c.URL(), "SELECT n FROM kept"); got != "7" {
		t.Errorf("n = %s", got)
	}
}

// TestKeep kills the server of a kept cluster several times, first one that an earlier
// process left. A server that cannot start ends Keep.
func TestKeep(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first, err := pglocal.Start(t.Context(), dir, options())
	if err != nil {
		t.Fatal(err)
	}
	query(t, first.URL(), "CREATE TABLE kept (n int); INSERT INTO kept VALUES (7); SELECT n FROM kept")
	pglocal.Forget(first)
	c := start(t, dir, options())
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Keep(ctx) }()
	killServer := func() {
		t.Helper()
		if err := syscall.Kill(serverPID(t, dir), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		pid := serverPID(t, dir)
		killServer()
		porttest.Await(t, "another server", func() bool {
			b, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
			return err == nil && !strings.HasPrefix(string(b), strconv.Itoa(pid)+"\n") && strings.Contains(string(b), "ready")
		})
		if got := query(t, c.URL(), "SELECT n FROM kept"); got != "7" {
			t.Errorf("n = %s", got)
		}
	}
	end()
	if err := <-ended; err != nil {
		t.Errorf("Keep ended with %v", err)
	}

	go func() { ended <- c.Keep(t.Context()) }()
	pid := serverPID(t, dir)
	if err := os.Rename(filepath.Join(dir, "data", "global"), filepath.Join(dir, "global")); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended for want of its files
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "does not start again") {
		t.Errorf("Keep of a broken cluster ended with %v", err)
	}
}

// TestStalePIDFile leaves a file that names a process which is no server.
func TestStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stop(t, start(t, dir, options()))
	stale := fmt.Sprintf("%d\n%s\n1\n5432\n/nowhere\n\n  1 1\nready   \n", os.Getpid(), dir)
	if err := os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), []byte(stale), 0o600); err != nil {
		t.Fatal(err)
	}
	query(t, start(t, dir, options()).URL(), "SELECT 1")
}

// TestStopUnlocks starts a cluster again while a child of this process that has
// just been forked still has the lock's file.
func TestStopUnlocks(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, dir, options())
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	twin := -1
	for _, name := range open {
		if to, err := os.Readlink(name); err == nil && to == filepath.Join(dir, "lock") {
			fd, _ := strconv.Atoi(filepath.Base(name))
			if twin, err = syscall.Dup(fd); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Close(twin) }()
			break
		}
	}
	stop(t, c)
	query(t, start(t, dir, options()).URL(), "SELECT 1")
	if twin < 0 {
		t.Error("the lock has no file")
	}
}

func TestInterruptedInitIsRepeated(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "data.new", "base"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	query(t, start(t, dir, options()).URL(), "SELECT 1")
}

func TestLongFolderHasAShortSocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), strings.Repeat("long", 20))
	c := start(t, dir, options())
	query(t, c.URL(), "SELECT 1")
	u, err := url.Parse(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	socket := u.Query().Get("host")
	if !strings.HasPrefix(socket, "/tmp/molar-") {
		t.Errorf("socket folder %s", socket)
	}
	stop(t, c)
	if err := os.Remove(socket); err != nil { // the folder is empty again
		t.Error(err)
	}
}

func TestTCPNeedsThePassword(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Port = ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	c := start(t, folder(t), o)
	query(t, c.TCPURL(), "SELECT 1")
	query(t, c.URL(), "SELECT 1")
	db, err := sql.Open("postgres", fmt.Sprintf("postgres://postgres:guess@127.0.0.1:%d/postgres?sslmode=disable", o.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a guessed password was accepted")
	}
}

// TestLogHoldsNoValues makes the server complain about a row.
func TestLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := start(t, dir, options())
	db, err := sql.Open("postgres", c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, text := range []string{
		"CREATE TABLE people (name text UNIQUE)", "INSERT INTO people VALUES ('Sentinelname')", "INSERT INTO people VALUES ('Sentinelname')",
	} {
		_, _ = db.ExecContext(t.Context(), text)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || !strings.Contains(string(log), "duplicate key") || strings.Contains(string(log), "Sentinelname") {
		t.Errorf("the log says %s, %v", log, err)
	}
}

// TestClosedFolderIsNoObstacle starts a cluster below a folder that only the
// caller may enter, as mktemp -d makes them.
func TestClosedFolderIsNoObstacle(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(closed, "db")
	for range 2 {
		c, err := pglocal.Start(t.Context(), dir, options())
		if err != nil {
			t.Fatal(err)
		}
		query(t, c.URL(), "SELECT 1")
		stop(t, c)
	}
	if info, err := os.Stat(closed); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v now, %v", info.Mode(), err)
	}
}

func TestDeadlineEndsTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := pglocal.Start(ctx, folder(t), options()); err == nil {
		stop(t, c)
		t.Error("it started after the deadline")
	}
}
