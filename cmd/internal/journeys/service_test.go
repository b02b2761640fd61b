package journeys_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore/pglocal"
)

// TestMain runs twice as many journeys at a time as there are processors,
// because they mostly wait. The flag -parallel still decides.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	if err := os.MkdirAll(folder(), 0o755); err != nil {
		panic(err)
	}
	code := m.Run()
	if code != 0 {
		log, _ := os.ReadFile(serviceLog())
		fmt.Printf("the end of the service's log:\n%s\n", log[max(0, len(log)-4000):])
	}
	programs.end()
	_ = os.RemoveAll(folder())
	os.Exit(code)
}

// folder is for all that the programs of this test binary write.
func folder() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("molar-journeys-%d", os.Getpid()))
}

func serviceLog() string { return filepath.Join(folder(), "molar.log") }

// children are programs that run until the tests end, or are killed.
type children struct {
	mu  sync.Mutex
	all []*exec.Cmd
}

var programs children

func (c *children) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, cmd)
	return cmd.Start()
}

// end ends the programs, the last one first.
func (c *children) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cmd := range slices.Backward(c.all) {
		if cmd.Process != nil && cmd.Process.Signal(syscall.SIGTERM) == nil {
			_ = cmd.Wait()
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // Debian's chromium-headless-shell is a script, which ends before its browser
		}
	}
}

// service is a running molar dev.
type service struct {
	origin string
	link   string // signs in the demo owner
	data   string // its folder
	cmd    *exec.Cmd
}

// startService starts the service of all journeys.
var startService = sync.OnceValues(func() (*service, error) {
	flags, err := receiver.start()
	if err != nil {
		return nil, err
	}
	return start(filepath.Join(folder(), "data"), "127.0.0.1:0", flags...)
})

var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(folder(), "molar"), "github.com/molar-billing/molar/cmd/molar").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
})

// start starts a service with its data in a folder.
func start(data, addr string, flags ...string) (*service, error) {
	if err := build(); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(serviceLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(folder(), "molar"), append([]string{"dev", "--json", "--addr", addr, "--data", data}, flags...)...)
	cmd.Env = append(os.Environ(), "MOLAR_SANDBOX_ERA_DELAY=1s", "MOLAR_BATCH_INTERVAL=1s", "MOLAR_OPS_LISTEN=127.0.0.1:0")
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = programs.start(cmd)
	}
	if err != nil {
		return nil, err
	}
	var ready struct {
		BaseURL string `json:"base_url"`
		Link    string `json:"dashboard_url"`
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		text, _ := os.ReadFile(serviceLog())
		return nil, fmt.Errorf("start molar dev: %w\n%s", err, text)
	}
	return &service{strings.TrimSuffix(ready.BaseURL, "/api/v1"), ready.Link, data, cmd}, nil
}

func theService(tb testing.TB) *service {
	tb.Helper()
	s, err := startService()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// molar runs the molar command and returns its output.
func (s *service) molar(tb testing.TB, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), filepath.Join(folder(), "molar"), args...)
	cmd.Env = append(os.Environ(), "MOLAR_DATABASE_URL=local:"+filepath.Join(s.data, "postgres"))
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("molar %v: %v\n%s", args, err, failure.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// sql changes rows of the service's database, for what only time or many years would do.
func (s *service) sql(tb testing.TB, statement string, args ...any) {
	tb.Helper()
	cluster, err := pglocal.Start(tb.Context(), filepath.Join(s.data, "postgres"), pglocal.Options{}) // joins the service's
	if err != nil {
		tb.Fatal(err)
	}
	db, err := sql.Open("postgres", cluster.URL())
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(tb.Context(), statement, args...); err != nil {
		tb.Fatal(err)
	}
}

// practice is the organization of a journey, with an office and a dentist.
type practice struct {
	t      testing.TB
	s      *service
	org    string
	office string // "Main Street"
	key    string // reads and submits in test mode

	mu    sync.Mutex
	calls int
}

func newPractice(tb testing.TB) *practice {
	tb.Helper()
	p := newOrganization(tb)
	p.office = p.post("/offices", map[string]any{ // each command would cost the start of a process
		"name": "Main Street", "npi": "1234567893", "tax_id": "123456789", "phone": "5185550100",
		"address": map[string]string{"line1": "1 Main Street", "city": "Albany", "state": "NY", "zip": "122070001"},
	})["id"].(string)
	p.post("/providers", map[string]any{"first_name": "Ann", "last_name": "Rivers", "npi": "1679576722"})
	return p
}

// newOrganization returns a practice that has no office, no dentist and no request yet.
func newOrganization(tb testing.TB) *practice {
	tb.Helper()
	p := &practice{t: tb, s: theService(tb)}
	p.org = p.s.molar(tb, "orgs", "create", "Cedar Dental")
	p.key = strings.Fields(p.s.molar(tb, "keys", "create", "--org", p.org, "--name", "Journey"))[1]
	return p
}

// email is the address of the practice's user with a role.
func (p *practice) email(role string) string {
	return role + "@" + strings.ToLower(strings.ReplaceAll(p.org, "_", "-")) + ".example"
}

// invites creates the user with a role, and returns the link that signs in.
func (p *practice) invites(role string) (link string) {
	p.t.Helper()
	out := p.s.molar(p.t, "users", "invite", p.email(role), "--org", p.org, "--role", role)
	return linkIn(p.t, out)
}

// links returns another sign-in link for the user with a role.
func (p *practice) links(role string) (link string) {
	p.t.Helper()
	return linkIn(p.t, p.s.molar(p.t, "users", "link", p.email(role), "--org", p.org))
}

func linkIn(tb testing.TB, output string) string {
	tb.Helper()
	for word := range strings.FieldsSeq(output) {
		if strings.Contains(word, "/sign-in#") {
			return word
		}
	}
	tb.Fatalf("no link in %q", output)
	return ""
}

// post sends a write with the practice's key and returns the resource.
func (p *practice) post(path string, body any) map[string]any {
	return p.call(http.MethodPost, path, body)
}

// advances advances the clock of the sandbox, however long that takes.
func (p *practice) advances(how map[string]any) {
	p.t.Helper()
	p.post("/sandbox/clock/advance", how)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); p.get("/sandbox/clock")["state"] != "ready"; <-tick.C {
		if time.Now().After(end) {
			p.t.Fatal("the clock is still advancing: ", how)
		}
	}
}

// get reads a resource with the practice's key.
func (p *practice) get(path string) map[string]any { return p.call(http.MethodGet, path, nil) }

func (p *practice) call(method, path string, body any) (resource map[string]any) {
	p.t.Helper()
	headers := map[string]string{"Authorization": "Bearer " + p.key}
	if method != http.MethodGet {
		p.mu.Lock()
		p.calls++
		headers["Idempotency-Key"] = fmt.Sprint("journey-", p.calls)
		p.mu.Unlock()
	}
	got, text := p.s.send(p.t, method, path, headers, body)
	if got.status >= http.StatusBadRequest {
		p.t.Fatalf("%s %s: %d %s", method, path, got.status, text)
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &resource); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return resource
}

// reply is the head of a reply.
type reply struct {
	status  int
	id      string // of the request
	cookies []*http.Cookie
}

// send sends a request to the API.
func (s *service) send(tb testing.TB, method, path string, headers map[string]string, body any) (_ reply, text []byte) {
	tb.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	if body == nil {
		content = nil
	}
	r, err := http.NewRequestWithContext(tb.Context(), method, s.origin+"/api/v1"+path, bytes.NewReader(content))
	if err != nil {
		tb.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	if text, err = io.ReadAll(got.Body); err != nil {
		tb.Fatal(err)
	}
	return reply{got.StatusCode, got.Header.Get("X-Request-Id"), got.Cookies()}, text
}

// session invites the user with a role, who signs in and chooses a password.
func (p *practice) session(role string) []*http.Cookie {
	p.t.Helper()
	return p.s.setPassword(p.t, p.invites(role), firstPassword)
}

// firstPassword is what those who are invited choose, unless the journey is about it.
const firstPassword = "correct horse battery 9"

// follow signs in by a link.
func (s *service) follow(tb testing.TB, link string) []*http.Cookie {
	tb.Helper()
	_, token, _ := strings.Cut(link, "#")
	got, text := s.send(tb, http.MethodPost, "/sessions", map[string]string{"Origin": s.origin}, map[string]string{"token": token})
	if got.status != http.StatusCreated {
		tb.Fatalf("sign in: %d %s", got.status, text)
	}
	return got.cookies
}

// signsIn invites the user with a role, and returns a page of a browser in which
// that user has signed in: Today, in test mode.
func (p *practice) signsIn(role string) *page {
	p.t.Helper()
	b := newBrowser(p.t, p.s.origin)
	b.keep(p.session(role))
	page := b.tab()
	page.open("/test")
	page.seesA("navigation", "Screens")
	return page
}

// password invites the user with a role, who sets a password.
func (p *practice) password(role, password string) {
	p.t.Helper()
	p.s.setPassword(p.t, p.invites(role), password)
}

// setPassword signs in by an invitation and sets the password of the user.
func (s *service) setPassword(tb testing.TB, link, password string) []*http.Cookie {
	tb.Helper()
	var cookies []string
	session := s.follow(tb, link)
	for _, c := range session {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	headers := map[string]string{
		"Origin": s.origin, "Molar-Mode": "test", "Idempotency-Key": "password-" + link[len(link)-20:], "Cookie": strings.Join(cookies, "; "),
	}
	var me struct {
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	_, text := s.send(tb, http.MethodGet, "/me", headers, nil)
	if err := json.Unmarshal(text, &me); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	got, text := s.send(tb, http.MethodPatch, "/users/"+me.User.ID, headers, map[string]string{"password": password})
	if got.status != http.StatusOK {
		tb.Fatalf("set a password: %d %s", got.status, text)
	}
	return session
}

// visits opens a path, or a link, in a browser in which no user has signed in.
func visits(tb testing.TB, target string) *page {
	tb.Helper()
	page := newBrowser(tb, theService(tb).origin).tab()
	if strings.HasPrefix(target, "/") {
		page.open(target)
	} else {
		page.load(target)
	}
	return page
}

// signsOut ends the session of the user with a role.
func (p *practice) signsOut(page *page, role string) {
	p.t.Helper()
	page.click("Account: Cedar Dental " + p.email(role))
	page.click("Sign out")
	page.seesA("heading", "Sign in to Molar")
}
