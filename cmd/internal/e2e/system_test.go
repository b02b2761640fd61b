// Package e2e_test runs the built binaries against real servers, as an
// operator would, and kills them.
package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // the checker looks into the database itself

	"github.com/molar-billing/molar/adapters/pgstore/pgtest"
	"github.com/molar-billing/molar/adapters/testservers"
)

// TestMain runs twice as many tests at a time as there are processors, because
// they mostly wait: for servers that start, leases and retries. The flag
// -parallel still decides.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	code := testservers.Main(m).Run()
	_ = os.RemoveAll(built())
	os.Exit(code)
}

// built is the folder for the commands of this test binary.
func built() string { return filepath.Join(os.TempDir(), fmt.Sprintf("molar-e2e-%d", os.Getpid())) }

// binaries builds the commands once for the test binary and returns their
// folder.
func binaries(tb testing.TB) string {
	tb.Helper()
	dir, err := build()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

var build = sync.OnceValues(func() (string, error) {
	dir := built()
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir+"/", "github.com/molar-billing/molar/cmd/...").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return dir, nil
})

// system is the service as it runs in production: separate binaries on real
// servers.
type system struct {
	tb       testing.TB
	dir      string                      // of the commands
	postgres *testservers.PostgresServer // nil for a guest
	rabbit   *testservers.RabbitServer   // nil for a guest of the shared broker
	queue    string                      // its URL
	apis     []*process
	workers  []*process
	pngs     []*process // png workers, if the test spawns any
	eras     []*process // era workers
	urls     []string   // base URLs of the APIs
	env      []string
	key      string
	office   string
	db       *sql.DB
}

// startSystem starts private servers, which may be killed, and the given
// numbers of processes.
func startSystem(tb testing.TB, apis, workers int, settings ...string) *system {
	tb.Helper()
	return startSystemOf(tb, binaries(tb), apis, workers, settings...)
}

// startSystemOf is startSystem with the commands of a folder.
func startSystemOf(tb testing.TB, dir string, apis, workers int, settings ...string) *system {
	tb.Helper()
	s := &system{tb: tb, dir: dir}
	var servers sync.WaitGroup
	servers.Go(func() { s.postgres = testservers.StartPostgres(tb) })
	servers.Go(func() { s.rabbit = testservers.StartRabbit(tb) })
	servers.Wait()
	if tb.Failed() {
		tb.FailNow()
	}
	s.queue = s.rabbit.URL()
	return s.begin(s.postgres.URL(), apis, workers, settings)
}

// startGuest is startSystem with a database and a virtual host of the servers that the
// tests share, for tests that kill neither.
func startGuest(tb testing.TB, apis, workers int, settings ...string) *system {
	tb.Helper()
	s := &system{tb: tb, dir: binaries(tb), queue: testservers.VirtualHost(tb)}
	return s.begin(pgtest.URL(tb), apis, workers, settings)
}

// startClustered is startSystem with a virtual host of the broker that the tests share, for
// tests that kill, or copy, only PostgreSQL.
func startClustered(tb testing.TB, apis, workers int, settings ...string) *system {
	tb.Helper()
	s := &system{tb: tb, dir: binaries(tb), postgres: testservers.StartPostgres(tb), queue: testservers.VirtualHost(tb)}
	return s.begin(s.postgres.URL(), apis, workers, settings)
}

// startBrokered is startSystem with a database of the PostgreSQL that the tests share, for
// tests that kill only the broker.
func startBrokered(tb testing.TB, apis, workers int, settings ...string) *system {
	tb.Helper()
	s := &system{tb: tb, dir: binaries(tb), rabbit: testservers.StartRabbit(tb)}
	s.queue = s.rabbit.URL()
	return s.begin(pgtest.URL(tb), apis, workers, settings)
}

// begin starts the processes on a database, whose address is an administrator's.
func (s *system) begin(admin string, apis, workers int, settings []string) *system {
	s.tb.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	services := admin // of earlier releases
	if s.dir == binaries(s.tb) {
		services = pgtest.Service(s.tb, admin)
	}
	s.env = append([]string{
		"MOLAR_MIGRATE_URL=" + admin, "MOLAR_DATABASE_URL=" + services, "MOLAR_QUEUE_URL=" + s.queue,
		"MOLAR_SECRET_KEY=" + base64.StdEncoding.EncodeToString(secret), "MOLAR_BLOB_URL=file:" + s.tb.TempDir(),
		"MOLAR_RATE_REQUESTS=0", "MOLAR_RATE_CHECKS=0", // one key stands for many
	}, settings...) // of two values for a variable the last counts
	s.env = slices.Clip(s.env) // appended to for each process
	s.molar("migrate")
	s.join()
	var err error
	if s.db, err = sql.Open("postgres", admin); err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { _ = s.db.Close() })
	for range apis {
		addr := freeAddr(s.tb)
		p := newProcessOf(s.tb, s.dir, "api", append(s.env, "MOLAR_LISTEN="+addr, "MOLAR_OPS_LISTEN="+freeAddr(s.tb)))
		p.start(io.Discard)
		s.apis, s.urls = append(s.apis, p), append(s.urls, "http://"+addr+"/api/v1")
	}
	s.workers = s.spawn("payerworker", workers)
	for _, u := range s.urls {
		awaitURL(s.tb, u+"/openapi.yaml")
	}
	return s
}

// join creates an organization with an office, to which requests belong from
// now on.
func (s *system) join() {
	s.tb.Helper()
	t := s.tenant("Test Dental", "1234567893")
	s.office, s.key = t.office, t.key
}

// tenant is an organization with an office and a key.
type tenant struct{ office, key string }

func (s *system) tenant(name, npi string) tenant {
	s.tb.Helper()
	org := s.molar("orgs", "create", name)
	return tenant{
		office: s.molar("offices", "create", "--org", org, "--name", "Main", "--npi", npi, "--tax-id", "123456789", "--phone", "5185550100",
			"--line1", "1 Main Street", "--city", "Albany", "--state", "NY", "--zip", "122070001"),
		key: strings.Fields(s.molar("keys", "create", "--org", org, "--name", "test"))[1],
	}
}

// spawn starts n processes of a command, with settings of their own.
func (s *system) spawn(command string, n int, settings ...string) (all []*process) {
	s.tb.Helper()
	for range n {
		p := newProcessOf(s.tb, s.dir, command, slices.Concat(s.env, []string{"MOLAR_OPS_LISTEN=" + freeAddr(s.tb)}, settings))
		p.start(io.Discard)
		all = append(all, p)
	}
	return all
}

// provide creates the dentist who renders services. Without one, claims need
// attention.
func (s *system) provide() {
	s.tb.Helper()
	r, err := post(s.tb.Context(), http.DefaultClient, s.urls[0]+"/providers", s.key, "provider", "application/json",
		[]byte(`{"first_name":"Ann","last_name":"Rivers","npi":"1679576722","taxonomy":"1223G0001X"}`))
	if err != nil || r.status != http.StatusCreated {
		s.tb.Fatalf("make a provider: %v, %v", r, err)
	}
}

// molar runs the molar command and returns what it prints. A warning of its log is no part
// of that.
func (s *system) molar(args ...string) string {
	s.tb.Helper()
	cmd := exec.Command(filepath.Join(s.dir, "molar"), args...)
	cmd.Env = append(os.Environ(), s.env...)
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		s.tb.Fatalf("molar %v: %v\n%s%s", args, err, out, log.String())
	}
	return strings.TrimSpace(string(out))
}

// count reads one number from the database.
func (s *system) count(query string, args ...any) (n int) {
	s.tb.Helper()
	if err := s.db.QueryRow(query, args...).Scan(&n); err != nil {
		s.tb.Fatalf("%s: %v", query, err)
	}
	return n
}

// rounds returns the rounds of kills of a test: all of them, or with -short
// one, in which every victim is killed once.
func rounds(t *testing.T, all int) int {
	t.Helper()
	if !testing.Short() {
		return all
	}
	t.Logf("-short: 1 round of kills of %d", all)
	return 1
}

// freeAddr returns an address that no other program chooses by itself, so that a process
// can be started there again and again.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	port, err := testservers.FreePort()
	if err != nil {
		tb.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// patience limits every wait for something that must happen.
const patience = 5 * time.Minute

// await polls until ok. It rests longer than it looks, since looking keeps a busy machine
// from what is waited for.
func await(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	awaitFor(tb, patience, what, ok)
}

// awaitFor is await with a limit of its own.
func awaitFor(tb testing.TB, limit time.Duration, what string, ok func() bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), limit)
	defer cancel()
	for began := time.Now(); !ok(); began = time.Now() {
		select {
		case <-ctx.Done():
			tb.Fatalf("%s did not come to pass", what)
		case <-time.After(max(20*time.Millisecond, min(3*time.Since(began), time.Second))):
		}
	}
}

func awaitURL(tb testing.TB, url string) {
	tb.Helper()
	await(tb, url, func() bool {
		r, err := send(tb.Context(), http.DefaultClient, http.MethodGet, url, "", "", "", nil)
		return err == nil && r.status == http.StatusOK
	})
}

// reply is a reply of the API.
type reply struct {
	status   int
	replayed bool
	text     string
	body     map[string]any // of JSON
}

// check requests an eligibility check; an error is one of the connection.
func check(ctx context.Context, client *http.Client, base, key, idempotencyKey, body string) (reply, error) {
	return post(ctx, client, base+"/eligibility", key, idempotencyKey, "application/json", []byte(body))
}

func post(ctx context.Context, client *http.Client, url, key, idempotencyKey, contentType string, body []byte) (reply, error) {
	return send(ctx, client, http.MethodPost, url, key, idempotencyKey, contentType, body)
}

// send sends a request without the headers that are empty.
func send(ctx context.Context, client *http.Client, method, url, key, idempotencyKey, contentType string, body []byte) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range map[string]string{"Idempotency-Key": idempotencyKey, "Content-Type": contentType} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	r := reply{status: resp.StatusCode, replayed: resp.Header.Get("idempotent-replayed") == "true", text: string(text)}
	if err == nil && resp.Header.Get("Content-Type") == "application/json" {
		err = json.Unmarshal(text, &r.body)
	}
	return r, err
}

// get reads a URL.
func get(tb testing.TB, url, key string) (int, string) {
	tb.Helper()
	r, err := send(tb.Context(), http.DefaultClient, http.MethodGet, url, key, "", "", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r.status, r.text
}

// read reads a resource.
func (s *system) read(path string) map[string]any {
	s.tb.Helper()
	r, err := send(s.tb.Context(), http.DefaultClient, http.MethodGet, s.urls[0]+path, s.key, "", "", nil)
	if err != nil || r.status != http.StatusOK {
		s.tb.Fatalf("%s: status %d, %v, %v", path, r.status, r.body, err)
	}
	return r.body
}

// idOf returns the ID of the resource in a reply.
func idOf(r reply) string {
	body := r.body
	if c, ok := body["check"].(map[string]any); ok {
		body = c
	}
	id, _ := body["id"].(string)
	return id
}

func checkBody(office, member string, n int) string {
	return fmt.Sprintf(`{"office_id":%q,"payer_id":"CHTEST","subscriber":{"first_name":"Jane","last_name":"Doe","date_of_birth":"1985-04-12","member_id":"%d%s"}}`,
		office, n, member)
}
