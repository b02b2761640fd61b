// Package pgtest provides a Store on a separate, empty database for each test, so that
// tests run in parallel. Each database is a copy of a migrated template, created in
// about ten milliseconds.
package pgtest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"reflect"
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/migrations"
)

// Open returns a Store on an empty, migrated database that no other test uses. Each
// change may modify the options. The store logs in like a service, with a role that
// owns nothing.
//
// The database and the connections may have served another test of the binary, whose
// rows are gone. A test for which that matters opens a store on an URL.
func Open(tb testing.TB, changes ...func(*pgstore.Options)) *pgstore.Store {
	tb.Helper()
	if _, ok := tb.(*testing.B); ok {
		return OpenAt(tb, URL(tb), changes...)
	}
	s := take(tb)
	tb.Cleanup(func() { s.giveBack(tb) })
	o := defaults(s.url)
	for _, change := range changes {
		change(&o)
	}
	if staged := o.Staged; staged != nil {
		s.staged.Store(&staged)
	}
	s.log.Store(o.Log)
	o.Staged, o.Log = nil, nil
	if !reflect.DeepEqual(o, defaults(s.url)) {
		return OpenAt(tb, URL(tb), changes...)
	}
	return s.store
}

// OpenAt opens a new Store on the database of an administrator's address. It closes when the
// test ends.
func OpenAt(tb testing.TB, admin string, changes ...func(*pgstore.Options)) *pgstore.Store {
	tb.Helper()
	s := openAt(tb, defaults(admin), changes...)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	return s
}

func defaults(admin string) pgstore.Options {
	return pgstore.Options{URL: admin, MaxConns: 8, Keys: [][32]byte{{1, 2, 3}}, Begins: true}
}

func openAt(tb testing.TB, o pgstore.Options, changes ...func(*pgstore.Options)) *pgstore.Store {
	tb.Helper()
	for _, change := range changes {
		change(&o)
	}
	admin := o.URL
	o.URL = Service(tb, admin)
	if _, ok := admitted.Load(host(admin)); !ok { // the test has started its own server
		if err := pgstore.Admit(tb.Context(), admin, o.URL); err != nil {
			tb.Fatalf("pgtest: %v", err)
		}
	}
	s, err := pgstore.Open(tb.Context(), o)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return s
}

// URL returns the address of a fresh, migrated database for an administrator.
// The database is dropped when the test ends.
func URL(tb testing.TB) string {
	tb.Helper()
	return testservers.Postgres(tb).Clone(templateOf(tb))
}

// templateOf returns the name of the template on the shared server.
func templateOf(tb testing.TB) string {
	tb.Helper()
	name, err := template(context.WithoutCancel(tb.Context()), testservers.Postgres(tb).URL())
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return name
}

// shared is the template database on the server. A test binary creates it once.
//
//nolint:gochecknoglobals // shared by tests, as the server is
var shared struct {
	once sync.Once
	name string
	err  error
}

func template(ctx context.Context, server string) (string, error) {
	shared.once.Do(func() {
		if shared.name, shared.err = migrated(ctx, server); shared.err == nil {
			admitted.Store(host(server), true)
		}
	})
	return shared.name, shared.err
}

// admitted has the hosts and ports of servers that know the login of services: whoever
// made the template made it.
//
//nolint:gochecknoglobals // shared by tests, as the server is
var admitted sync.Map

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Service returns the address of the same database for a service, whose login
// has the roles molar_app and molar_system, and no other rights.
func Service(tb testing.TB, admin string) string {
	tb.Helper()
	service, err := asService(admin)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return service
}

func asService(admin string) (string, error) {
	u, err := url.Parse(admin)
	if err != nil {
		return "", err
	}
	u.User = url.UserPassword("molar_service", "service")
	return u.String(), nil
}

// migrated returns the name of the template, and creates it when the server has
// none for these migrations. Test binaries that share the server take turns.
func migrated(ctx context.Context, server string) (name string, err error) {
	if name, err = templateName(); err != nil {
		return "", err
	}
	db, err := sql.Open("postgres", server)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	turn, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, turn.Close()) }()
	if _, err = turn.ExecContext(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		return "", err
	}
	defer func() {
		_, e := turn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(hashtextextended($1, 0))", name)
		err = errors.Join(err, e)
	}()
	var there bool
	if err = turn.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil || there {
		return name, err
	}
	return name, build(ctx, turn, server, name)
}

// build migrates a database under a temporary name, so that an unfinished database is
// never used as the template.
func build(ctx context.Context, admin *sql.Conn, server, name string) error {
	half := name + "_half"
	run := func(query string, names ...any) error {
		for i, n := range names {
			names[i] = pq.QuoteIdentifier(n.(string))
		}
		_, err := admin.ExecContext(ctx, fmt.Sprintf(query, names...))
		return err
	}
	if err := errors.Join(run("DROP DATABASE IF EXISTS %s WITH (FORCE)", half), run("CREATE DATABASE %s TEMPLATE template0", half)); err != nil {
		return err
	}
	u, err := url.Parse(server)
	if err != nil {
		return err
	}
	u.Path = "/" + half
	if err := pgstore.Migrate(ctx, u.String()); err != nil {
		return err
	}
	service, err := asService(u.String())
	if err == nil {
		err = pgstore.Admit(ctx, u.String(), service)
	}
	if err != nil {
		return err
	}
	return run("ALTER DATABASE %s RENAME TO %s", half, name)
}

// templateName returns a name that changes with the migrations.
func templateName() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(migrations.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(migrations.FS, name)
		h.Write(b)
		return err
	})
	return "molar_template_" + hex.EncodeToString(h.Sum(nil)[:8]), err
}
