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
	"sync"
	"testing"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/adapters/testservers"
	"github.com/molar-billing/molar/migrations"
)

// Open opens a Store on a fresh, migrated database, which is dropped when the
// test ends. Each change may modify the options. The store logs in like a
// service, with a role that owns nothing.
func Open(tb testing.TB, changes ...func(*pgstore.Options)) *pgstore.Store {
	tb.Helper()
	o := pgstore.Options{URL: URL(tb), MaxConns: 8, Keys: [][32]byte{{1, 2, 3}}, Begins: true}
	for _, change := range changes {
		change(&o)
	}
	admin := o.URL
	o.URL = Service(tb, admin)
	if err := pgstore.Admit(tb.Context(), admin, o.URL); err != nil { // the test may have started its own server
		tb.Fatalf("pgtest: %v", err)
	}
	s, err := pgstore.Open(tb.Context(), o)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	return s
}

// URL returns the address of a fresh, migrated database for an administrator.
// The database is dropped when the test ends.
func URL(tb testing.TB) string {
	tb.Helper()
	server := testservers.Postgres(tb)
	template, err := template(context.WithoutCancel(tb.Context()), server.URL())
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return server.Clone(template)
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
	shared.once.Do(func() { shared.name, shared.err = migrated(ctx, server) })
	return shared.name, shared.err
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
