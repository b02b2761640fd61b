package testservers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/lib/pq"
)

// PostgresServer is a PostgreSQL server. Its URL is that of a superuser in the
// database postgres.
type PostgresServer struct {
	server
	admin *sql.DB // of the shared server; nil for a private one
}

// Postgres returns the test binary's shared PostgreSQL server. For tests, the
// server never waits for the disk. For benchmarks it does, as in production.
func Postgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	b := postgres(memory(), hasty...)
	if _, ok := tb.(*testing.B); ok {
		b = postgres("")
	}
	s := &PostgresServer{server: b.share(tb, &shared.postgres.lazy)}
	shared.postgres.open.Do(func() { shared.postgres.admin, shared.postgres.err = sql.Open("postgres", s.URL()) })
	if s.admin = shared.postgres.admin; shared.postgres.err != nil {
		tb.Fatalf("testservers: %v", shared.postgres.err)
	}
	return s
}

// lazyPostgres is the shared server with connections that make and drop databases.
// They stay open: on a machine where a new process is slow, a connection costs as
// much as a copy of a database.
type lazyPostgres struct {
	lazy
	open  sync.Once
	admin *sql.DB
	err   error
}

func (l *lazyPostgres) close() {
	l.open.Do(func() {})
	if l.admin != nil {
		_ = l.admin.Close()
	}
	l.lazy.close()
}

// StartPostgres starts a private PostgreSQL server, which the test may kill.
// The server ends with the test. Its durability settings are the defaults.
func StartPostgres(tb testing.TB) *PostgresServer {
	tb.Helper()
	return &PostgresServer{server: postgres("").start(tb)}
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
	copied := s.Copy(template)
	s.tb.Cleanup(func() { s.Drop(copied) })
	return copied
}

// Copy is Clone without the end of the copy: it stays until Drop, or until the server ends.
func (s *PostgresServer) Copy(template string) string {
	s.tb.Helper()
	name := "t_" + strings.ToLower(rand.Text())
	s.exec("CREATE DATABASE " + pq.QuoteIdentifier(name) + " TEMPLATE " + pq.QuoteIdentifier(template) + " STRATEGY file_copy")
	u, err := url.Parse(s.URL())
	if err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
	u.Path = "/" + name
	return u.String()
}

// Drop drops a copy, and ends its connections.
func (s *PostgresServer) Drop(copied string) {
	s.tb.Helper()
	u, err := url.Parse(copied)
	if err != nil {
		s.tb.Fatalf("testservers: %v", err)
	}
	s.exec("DROP DATABASE IF EXISTS " + pq.QuoteIdentifier(strings.TrimPrefix(u.Path, "/")) + " WITH (FORCE)")
}

func (s *PostgresServer) exec(query string) {
	s.tb.Helper()
	ctx, cancel := lasting(s.tb)
	defer cancel()
	db, err := s.admin, error(nil)
	if db == nil {
		if db, err = sql.Open("postgres", s.URL()); err == nil {
			defer func() { _ = db.Close() }()
		}
	}
	if err == nil {
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
		base:    base,
		name:    "postgres",
		as:      lesser("postgres", "nobody"),
		scheme:  "postgres://postgres@%s/postgres?sslmode=disable",
		quit:    syscall.SIGQUIT,
		prepare: func(ctx context.Context, p *program) error { return initialize(ctx, p, filepath.Join(bin, "initdb")) },
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

// initialize makes the data folder of a server. The first one on the machine is kept, and
// the others are copies of it: initdb takes twelve times as long.
func initialize(ctx context.Context, p *program, initdb string) error {
	kept, err := keptCluster(p, initdb)
	if err == nil && exec.CommandContext(ctx, "cp", "-Rp", kept, p.data()).Run() == nil { // not as the server's user, who cannot read it
		return nil
	}
	if err := os.RemoveAll(p.data()); err != nil { // of a copy that failed
		return err
	}
	made := p.output(exec.CommandContext(ctx, initdb,
		"-D", p.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"))
	if made != nil || err != nil {
		return made
	}
	half := kept + "-" + rand.Text()
	if exec.CommandContext(ctx, "cp", "-Rp", p.data(), half).Run() != nil || os.Rename(half, kept) != nil {
		_ = os.RemoveAll(half) // another test binary was first, or there is no room: the next server tries again
	}
	return nil
}

// keptCluster returns where the cluster of an initdb is kept for a user of servers, below
// the cache folder of the user who runs the tests, so that nobody else can write to it.
func keptCluster(p *program, initdb string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	program, err := os.Stat(initdb)
	if err != nil {
		return "", err
	}
	owner := os.Getuid()
	if p.as != nil {
		owner = int(p.as.Uid)
	}
	folder := filepath.Join(cache, "molar-tests")
	name := sha256.Sum256(fmt.Append(nil, initdb, program.Size(), program.ModTime().UnixNano(), owner))
	return filepath.Join(folder, fmt.Sprintf("cluster-%x", name[:8])), os.MkdirAll(folder, 0o700)
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
	s := &PostgresServer{server: server{tb: tb, m: m}}
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
