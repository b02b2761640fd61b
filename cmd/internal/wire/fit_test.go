package wire

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	_ "github.com/lib/pq" // the administrator of the tests

	"github.com/molar-billing/molar/adapters/cli"
	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/ports/porttest"
)

// service is a process of some roles on a database.
type service struct {
	api, ops string
	first    string // what the first line of the log says of the build
	ended    chan error
}

// startService starts the service in this process, and waits until it listens.
func startService(t *testing.T, database string, key byte, roles ...Role) *service {
	t.Helper()
	return startUntil(t, "listening", database, key, roles...)
}

// startUntil starts the service in this process, and waits for a line of its log.
func startUntil(t *testing.T, msg, database string, key byte, roles ...Role) *service {
	t.Helper()
	settings, err := LoadSettings(func(name string) string {
		return map[string]string{
			"MOLAR_DATABASE_URL": database, "MOLAR_QUEUE_URL": "mem:", "MOLAR_BLOB_URL": "file:" + t.TempDir(),
			"MOLAR_SECRET_KEY": secret(key), "MOLAR_LISTEN": "127.0.0.1:0", "MOLAR_OPS_LISTEN": "127.0.0.1:0",
		}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	settings.waits = true
	s, done := &service{ended: make(chan error, 1)}, make(chan struct{})
	lines, log := io.Pipe()
	listening, all := make(chan struct{}), bufio.NewScanner(lines)
	go func() {
		for all.Scan() {
			var line struct {
				Msg string `json:"msg"`
				API string `json:"api"`
				Ops string `json:"ops"`
				cli.Build
			}
			err := json.Unmarshal(all.Bytes(), &line) //nolint:musttag // those of Build are in the log as they are
			if s.first == "" {
				s.first = line.String()
			}
			if err == nil && line.Msg == msg {
				s.api, s.ops = "http://"+line.API, "http://"+line.Ops
				close(listening)
			}
		}
	}()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(done)
		s.ended <- runService(ctx, settings, slog.New(slog.NewJSONHandler(log, nil)), roles)
		_ = log.Close()
	}()
	t.Cleanup(func() { stop(); <-done })
	<-listening
	return s
}

func secret(key byte) string {
	return base64.StdEncoding.EncodeToString(append(make([]byte, 31), key))
}

// status returns the status and the text of a page.
func status(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+caller.NewKeySecret(billing.ModeTest))
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Body.Close() }()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// TestSchemaThatDoesNotFit starts processes before the database has a schema, takes the
// schema beyond them, and back. They work only while it fits, and report why not.
func TestSchemaThatDoesNotFit(t *testing.T) {
	t.Parallel()
	database := testservers.Database(t)
	s := startService(t, database, 1, RoleAPI, RolePayerWorker)
	wrong := startService(t, database, 2, RoleERAWorker)
	replies := func(want int, reason string) {
		t.Helper()
		porttest.Await(t, reason, func() bool {
			ready, why := status(t, s.ops+"/readyz")
			return (ready == http.StatusOK) == (want == http.StatusUnauthorized) && strings.Contains(why, reason)
		})
		porttest.Await(t, "the API with status "+strconv.Itoa(want), func() bool {
			code, _ := status(t, s.api+"/api/v1/claims")
			return code == want
		})
		if code, text := status(t, s.ops+"/livez"); code != http.StatusOK {
			t.Errorf("livez: %d %s", code, text)
		}
	}
	replies(http.StatusServiceUnavailable, "run molar migrate")
	if err := pgstore.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	replies(http.StatusServiceUnavailable, "no encryption key")
	begin(t, database, 1)
	replies(http.StatusUnauthorized, "ok")
	if err := <-wrong.ended; !errors.Is(err, errOtherKey) {
		t.Errorf("a process that waited with another key ended with %v", err)
	}

	db, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, change := range []struct {
		does, reason string
		status       int
	}{
		{"UPDATE schema_fit SET least = 9999", "install the newer release", http.StatusServiceUnavailable},
		{"UPDATE schema_fit SET least = 1", "ok", http.StatusUnauthorized},
	} {
		if _, err := db.ExecContext(t.Context(), change.does); err != nil {
			t.Fatal(err)
		}
		replies(change.status, change.reason)
	}
}

// TestDatabaseMadeBefore starts a process with a database from before the first release,
// and one whose empty database becomes such a database. Both end.
func TestDatabaseMadeBefore(t *testing.T) {
	t.Parallel()
	database := testservers.Database(t)
	waiting := startService(t, database, 1, RoleAPI)
	if err := pgstore.Migrate(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(t.Context(), "UPDATE goose_db_version SET version_id = 58 WHERE version_id > 0"); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*service{"waiting": waiting, "late": startUntil(t, "starting", database, 1, RoleAPI)} {
		if err := <-s.ended; !errors.Is(err, pgstore.ErrMadeBefore) {
			t.Errorf("the %s process ended with %v", name, err)
		}
	}
}

// TestOpsPortBeforeTheServers starts a process whose database takes connections and never
// replies. Its ops port answers and says why the process is not ready.
func TestOpsPortBeforeTheServers(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	s := startUntil(t, "starting", "postgres://molar@"+silent.Addr().String()+"/molar?sslmode=disable&connect_timeout=86400", 1, RoleAPI)
	porttest.Await(t, "the database", func() bool {
		code, why := status(t, s.ops+"/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(why, "starting: waiting for its database")
	})
	for _, path := range []string{"/livez", "/metrics"} {
		if code, text := status(t, s.ops+path); code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// begin sets the key of a database.
func begin(t *testing.T, database string, key byte) {
	t.Helper()
	settings, err := LoadSettings(func(name string) string {
		return map[string]string{"MOLAR_DATABASE_URL": database, "MOLAR_SECRET_KEY": secret(key)}[name]
	})
	settings.begins = true
	g := &graph{settings: settings, log: slog.New(slog.DiscardHandler)}
	if err == nil {
		err = g.openStore(t.Context(), nil)
	}
	if err := errors.Join(err, g.close(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// TestReadiness has each role without its servers: what a role does not need is only
// named.
func TestReadiness(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for _, c := range []struct {
		role   Role
		needed string
	}{
		{RoleAPI, "database"},
		{RolePayerWorker, "database queue"},
		{RoleERAWorker, "database queue"},
		{RolePNGWorker, "database queue images"},
		{RoleWebhookWorker, "database queue"},
	} {
		for _, server := range []string{"database", "queue", "images"} {
			_, err := readiness([]Role{c.role}, map[string]error{server: away})
			if needed := strings.Contains(c.needed, server); needed != (err != nil) {
				t.Errorf("role %d without the %s: %v", c.role, server, err)
			}
		}
	}
	text, err := readiness([]Role{RoleAPI}, map[string]error{"queue": away, "images": away})
	if err != nil || text != "ok\ndegraded: queue: away\ndegraded: images: away" {
		t.Errorf("the API without a broker and images: %q, %v", text, err)
	}
}
