package testservers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lib/pq"
)

// PostgresServer is a PostgreSQL server. Its URL is a superuser's, of the
// database postgres. Its durability settings are the defaults.
type PostgresServer struct{ server }

// Postgres is the test binary's shared PostgreSQL.
func Postgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	return &PostgresServer{postgres.share(tb, &shared.postgres)}
}

// StartPostgres starts a PostgreSQL of the test's own, which it may kill. It
// ends with the test.
func StartPostgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	return &PostgresServer{postgres.start(tb)}
}

// Database makes an empty database on the shared server, drops it when the
// test ends, and answers its URL.
func Database(tb testing.TB) string {
	tb.Helper()
	return Postgres(tb).Clone("template0")
}

// Clone makes a copy of a database of the shared server (named by its name,
// not its URL), drops it when the test ends, and answers the copy's URL.
// Nobody may be connected to the template.
func Clone(tb testing.TB, template string) string {
	tb.Helper()
	return Postgres(tb).Clone(template)
}

// Clone makes a copy of a database of this server, as the function Clone does.
func (s *PostgresServer) Clone(template string) string {
	s.tb.Helper()
	name := "t_" + strings.ToLower(rand.Text())
	s.exec("CREATE DATABASE " + pq.QuoteIdentifier(name) + " TEMPLATE " + pq.QuoteIdentifier(template))
	s.tb.Cleanup(func() { s.exec("DROP DATABASE IF EXISTS " + pq.QuoteIdentifier(name) + " WITH (FORCE)") })
	u, err := url.Parse(s.URL())
	if err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

func (s *PostgresServer) exec(query string) {
	s.tb.Helper()
	ctx, cancel := lasting(s.tb)
	defer cancel()
	db, err := sql.Open("postgres", s.URL())
	if err == nil {
		defer func() { _ = db.Close() }()
		_, err = db.ExecContext(ctx, query)
	}
	if err != nil {
		s.tb.Fatalf("testservers: %s: %v", query, err)
	}
}

//nolint:gochecknoglobals // a constant in all but name
var postgres = brand{
	env: envPostgres,
	container: func() machine {
		return &container{
			image:  "postgres:17-alpine",
			port:   "5432/tcp",
			cmd:    append([]string{"postgres"}, postgresSettings()...),
			env:    map[string]string{"POSTGRES_PASSWORD": "test"},
			scheme: "postgres://postgres:test@%s/postgres?sslmode=disable",
			ready:  pingPostgres,
		}
	},
	program: func() (machine, error) {
		initdb, ok := find("initdb", "/usr/lib/postgresql/*/bin/initdb")
		if !ok {
			return nil, errors.New("no PostgreSQL here: install it (Debian: apt-get install postgresql)")
		}
		if initdb, err := filepath.EvalSymlinks(initdb); err == nil {
			return postgresProgram(filepath.Dir(initdb)), nil
		}
		return postgresProgram(filepath.Dir(initdb)), nil
	},
}

func postgresSettings() []string {
	return []string{"-c", "shared_buffers=128MB", "-c", "max_connections=200"}
}

func postgresProgram(bin string) *program {
	return &program{
		name:   "postgres",
		as:     lesser("postgres", "nobody"),
		scheme: "postgres://postgres@%s/postgres?sslmode=disable",
		quit:   syscall.SIGQUIT,
		prepare: func(ctx context.Context, p *program) error {
			return p.output(exec.CommandContext(ctx, filepath.Join(bin, "initdb"), //nolint:gosec // G204: the machine's own initdb
				"-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"))
		},
		command: func(p *program) *exec.Cmd {
			args := []string{
				"-D", p.data(), "-p", strconv.Itoa(p.ports[0]),
				"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			}
			return exec.Command(filepath.Join(bin, "postgres"), append(args, postgresSettings()...)...) //nolint:gosec,noctx // G204: the machine's own; it outlives the test that starts it
		},
		ready: pingPostgres,
	}
}

func pingPostgres(ctx context.Context, address string) error {
	db, err := sql.Open("postgres", address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.PingContext(ctx)
}
