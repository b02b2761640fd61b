package testservers

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/lib/pq"
)

// PostgresServer is a PostgreSQL server. Its URL is that of a superuser in the
// database postgres.
type PostgresServer struct{ server }

// Postgres returns the test binary's shared PostgreSQL server. For tests, the
// server never waits for the disk. For benchmarks it does, as in production.
func Postgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	if _, ok := tb.(*testing.B); ok {
		return &PostgresServer{postgres("").share(tb, &shared.postgres)}
	}
	return &PostgresServer{postgres(memory(), hasty...).share(tb, &shared.postgres)}
}

// StartPostgres starts a private PostgreSQL server, which the test may kill.
// The server ends with the test. Its durability settings are the defaults.
func StartPostgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	return &PostgresServer{postgres("").start(tb)}
}

// hasty turns off the settings that protect data when the machine fails. It cut
// making and dropping a database from 2 s to 0.25 s, while seven other programs
// used the disk.
//
//nolint:gochecknoglobals // a constant in all but name
var hasty = []string{
	"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0",
	"-c", "max_wal_size=256MB", "-c", "autovacuum=off", "-c", "max_connections=500",
}

// memory returns a folder in memory. It returns "" if no such folder has room
// for the databases of several test binaries.
//
// The tests of core/remittances took 27 s in memory and 65 s on ext4. A
// database is 300 files, and ext4 searches long for an inode where many files
// were just deleted.
func memory() string {
	const folder, room = "/dev/shm", 4 << 30
	var free syscall.Statfs_t
	if err := syscall.Statfs(folder, &free); err != nil || uint64(free.Bavail)*uint64(free.Bsize) < room { //nolint:gosec,unconvert // G115: sizes are positive, of other types on other systems
		return ""
	}
	return folder
}

// Database creates an empty database on the shared server and returns its URL.
// The database is dropped when the test ends.
func Database(tb testing.TB) string {
	tb.Helper()
	return Postgres(tb).Clone("template0")
}

// Clone copies a database of the shared server and returns the copy's URL. The
// template is a database name, not a URL, and must have no connections. The
// copy is dropped when the test ends.
func Clone(tb testing.TB, template string) string {
	tb.Helper()
	return Postgres(tb).Clone(template)
}

// Clone copies a database of this server. It works like the function Clone.
func (s *PostgresServer) Clone(template string) string {
	s.tb.Helper()
	name := "t_" + strings.ToLower(rand.Text())
	s.exec("CREATE DATABASE " + pq.QuoteIdentifier(name) + " TEMPLATE " + pq.QuoteIdentifier(template) + " STRATEGY file_copy")
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

// postgres returns a brand that keeps its data below base, or below the
// temporary folder if base is empty. The settings are added to the defaults.
func postgres(base string, settings ...string) brand {
	settings = append([]string{"-c", "shared_buffers=128MB", "-c", "max_connections=200"}, settings...)
	return brand{
		env: envPostgres,
		container: func() machine {
			return &container{
				image:  "postgres:17.10-alpine",
				port:   "5432/tcp",
				cmd:    append([]string{"postgres"}, settings...),
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
			if resolved, err := filepath.EvalSymlinks(initdb); err == nil {
				initdb = resolved
			}
			return postgresProgram(base, filepath.Dir(initdb), settings), nil
		},
	}
}

func postgresProgram(base, bin string, settings []string) *program {
	return &program{
		base:   base,
		name:   "postgres",
		as:     lesser("postgres", "nobody"),
		scheme: "postgres://postgres@%s/postgres?sslmode=disable",
		quit:   syscall.SIGQUIT,
		prepare: func(ctx context.Context, p *program) error {
			return p.output(exec.CommandContext(ctx, filepath.Join(bin, "initdb"),
				"-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"))
		},
		command: func(p *program) *exec.Cmd {
			args := []string{
				"-D", p.data(), "-p", strconv.Itoa(p.ports[0]),
				"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			}
			return exec.Command(filepath.Join(bin, "postgres"), append(args, settings...)...)
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

// StartLocalPostgres is StartPostgres from the programs of the machine, never a container,
// so that Replace works.
func StartLocalPostgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	m, err := postgres("").program()
	if err != nil {
		tb.Fatalf("testservers: %v", err)
	}
	s := &PostgresServer{server{tb: tb, m: m}}
	tb.Cleanup(m.close)
	s.do("start", m.start)
	return s
}

// Replace kills a local server, lets change replace or change the folder with its data, and
// starts it again on the same port.
func (s *PostgresServer) Replace(change func(data string)) {
	s.tb.Helper()
	p, ok := s.m.(*program)
	if !ok {
		s.tb.Fatal("testservers: only a local server has a folder to replace")
	}
	s.do("kill", p.kill)
	change(p.data())
	err := filepath.WalkDir(p.data(), func(name string, _ fs.DirEntry, err error) error { return errors.Join(err, p.give(name)) })
	if err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
	s.do("start", p.start)
}
