// Package testservers starts real servers for tests: PostgreSQL, RabbitMQ and
// S3. They are private to the test binary, on free ports and in a temporary
// folder.
//
// For each server, it uses the one that the environment names. Otherwise it
// starts a container if a Docker engine responds. Otherwise it runs programs of
// the machine. If none of these is available, the test fails and reports what
// to install.
//
// A test binary has one shared server of each kind, which the first test that
// needs it starts. A test that kills its server starts a private one. All
// servers end with the binary, even when the binary is killed.
package testservers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// These variables name servers that already run. Such servers are shared, and
// never killed.
const (
	envPostgres = "MOLAR_TEST_POSTGRES_URL"
	envAMQP     = "MOLAR_TEST_AMQP_URL"
	envS3       = "MOLAR_TEST_S3_URL"
)

// envContainers set to "off" keeps tests from using a Docker engine.
const envContainers = "MOLAR_TEST_CONTAINERS"

// patience limits the start of a server. On two cores that also run other
// tests, RabbitMQ needs most of a minute.
const patience = 10 * time.Minute

// machine is one running server: a container, a program or an external server.
type machine interface { //nolint:interfacebloat // all that tests do to a server
	// start starts the server with its existing data and returns once it
	// responds.
	start(ctx context.Context) error
	// kill kills the server with SIGKILL and returns once it is gone.
	kill(ctx context.Context) error
	// pause suspends the server without ending it, or resumes it.
	pause(ctx context.Context, paused bool) error
	// wipe deletes the data of a server that is not running.
	wipe(ctx context.Context) error
	// run runs one of the server's own commands.
	run(ctx context.Context, command ...string) error
	// url returns the server's URL, which stays the same over a restart.
	url() string
	// close ends the server and deletes everything it wrote.
	close()
}

// server is one test's access to a server.
type server struct {
	tb     testing.TB
	m      machine
	shared bool
}

// URL returns the server's URL, which stays the same over a restart.
func (s *server) URL() string { return s.m.url() }

// Kill kills a private server with SIGKILL and returns once it is gone.
func (s *server) Kill() {
	s.tb.Helper()
	s.do("kill", s.m.kill)
}

// Restart starts a killed private server on the same port and data, and returns
// once it responds. It first kills a server that still runs.
func (s *server) Restart() {
	s.tb.Helper()
	s.do("kill", s.m.kill)
	s.do("start", s.m.start)
}

// Pause makes a private server hang until Resume: it accepts connections but
// never replies.
func (s *server) Pause() {
	s.tb.Helper()
	s.do("pause", func(ctx context.Context) error { return s.m.pause(ctx, true) })
}

// Resume resumes a paused server.
func (s *server) Resume() {
	s.tb.Helper()
	s.do("resume", func(ctx context.Context) error { return s.m.pause(ctx, false) })
}

// Wipe kills a private server, deletes all its data, and starts it again on
// the same port.
func (s *server) Wipe() {
	s.tb.Helper()
	s.do("kill", s.m.kill)
	s.do("wipe", s.m.wipe)
	s.do("start", s.m.start)
}

func (s *server) do(what string, f func(context.Context) error) {
	s.tb.Helper()
	if s.shared {
		s.tb.Fatalf("testservers: %s: other tests use this server, start a private one", what)
	}
	ctx, cancel := lasting(s.tb)
	defer cancel()
	if err := f(ctx); err != nil {
		s.tb.Fatalf("testservers: %s: %v", what, err)
	}
}

// lasting returns a context that does not end with the test.
func lasting(tb testing.TB) (context.Context, context.CancelFunc) {
	tb.Helper()
	return context.WithTimeout(context.WithoutCancel(tb.Context()), patience)
}

// brand is a kind of server, with each way to run it.
type brand struct {
	env       string
	container func() machine
	program   func() (machine, error) // the error states what to install
}

// open starts a server in the best available way.
func (b brand) open(ctx context.Context, private bool) (machine, error) {
	if url := os.Getenv(b.env); url != "" && !private { //nolint:forbidigo // the variable configures the tests, not the program
		return external(url), nil
	}
	var inContainer error
	if os.Getenv(envContainers) != "off" && dockerResponds(ctx) { //nolint:forbidigo // it configures the tests, not the program
		m := b.container()
		if inContainer = m.start(ctx); inContainer == nil {
			return m, nil
		}
		m.close() // probably the image is not available; the programs may work
	}
	m, err := b.program()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w; or run a Docker engine; or name a running server in %s", err, b.env), inContainer)
	}
	if err := m.start(ctx); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// share returns this binary's shared server, and starts it if necessary.
func (b brand) share(tb testing.TB, of *lazy) server {
	tb.Helper()
	of.once.Do(func() {
		ctx, cancel := lasting(tb)
		defer cancel()
		of.m, of.err = b.open(ctx, false)
	})
	if of.err != nil {
		tb.Fatalf("testservers: %v", of.err)
	}
	return server{tb: tb, m: of.m, shared: true}
}

// start starts a private server that ends with the test.
func (b brand) start(tb testing.TB) server {
	tb.Helper()
	ctx, cancel := lasting(tb)
	defer cancel()
	m, err := b.open(ctx, true)
	if err != nil {
		tb.Fatalf("testservers: %v", err)
	}
	tb.Cleanup(m.close)
	return server{tb: tb, m: m}
}

// lazy is a shared server that starts on first use.
type lazy struct {
	once sync.Once
	m    machine
	err  error
}

func (l *lazy) close() {
	l.once.Do(func() {}) // prevents a later start
	if l.m != nil {
		l.m.close()
	}
}

// shared holds the servers of this test binary. Tests can share a value only
// through a global.
//
//nolint:gochecknoglobals // see above
var shared struct {
	postgres   lazyPostgres
	rabbit, s3 lazy
	mu         sync.Mutex
	ending     []func()
}

// AtEnd registers what ends, after the tests of this binary and before its shared servers.
func AtEnd(end func()) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.ending = append(shared.ending, end)
}

// Main wraps the M of a TestMain. The shared servers then end with the tests,
// before goleak counts goroutines. Without it, the servers end with the
// process. Use it as os.Exit(testservers.Main(m).Run()) or
// goleak.VerifyTestMain(testservers.Main(m)).
func Main(m *testing.M) Suite { return Suite{m} }

// Suite is the tests of a package, followed by the end of their servers.
type Suite struct{ m *testing.M }

// Run runs the tests, ends the shared servers, and returns the exit code.
func (s Suite) Run() int {
	defer shared.postgres.close()
	defer shared.rabbit.close()
	defer shared.s3.close()
	code := s.m.Run()
	for _, end := range shared.ending {
		end()
	}
	return code
}

// external is a server that the environment names.
type external string

var errExternal = errors.New("the server belongs to the environment")

func (e external) start(context.Context) error          { return nil }
func (e external) kill(context.Context) error           { return errExternal }
func (e external) pause(context.Context, bool) error    { return errExternal }
func (e external) wipe(context.Context) error           { return errExternal }
func (e external) run(context.Context, ...string) error { return errExternal }
func (e external) url() string                          { return string(e) }
func (e external) close()                               {}
