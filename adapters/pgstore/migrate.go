package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/molar-billing/molar/migrations"
)

// Migrate runs the migrations that the database does not have yet. Processes that
// start together take turns. Migrate does not change a database that is ahead of
// this release, because every release also runs with the next release's schema.
func Migrate(ctx context.Context, url string) error {
	return migrate(url, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

func migrate(url string, run func(*goose.Provider) error) (err error) {
	db, err := administer(url)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	turn, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS,
		goose.WithSessionLocker(turn), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err = run(provider); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// administer connects as the owner of the tables.
func administer(url string) (*sql.DB, error) {
	config, err := connConfig(url)
	if err != nil {
		return nil, err
	}
	config.Runtime["statement_timeout"] = "0" // building an index may take long
	connector, err := pq.NewConnectorConfig(config)
	if err != nil {
		return nil, err
	}
	connector.Dialer(&dialer{dial: (&net.Dialer{}).DialContext})
	return sql.OpenDB(connector), nil
}

// version returns the newest migration of this release.
func version() (int64, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.New("the release has no migrations")
	}
	number, _, _ := strings.Cut(names[len(names)-1], "_")
	return strconv.ParseInt(number, 10, 64)
}

// Ready reports whether the database responds and has every migration of this
// release. It caches the result for a second.
func (s *Store) Ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) < readyFor {
		return s.ready
	}
	bounded, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	err := s.schema(bounded)
	if ctx.Err() == nil { // do not cache a result if the caller gave up
		s.ready, s.checked = err, time.Now()
	}
	return err
}

func (s *Store) schema(ctx context.Context) error {
	want, err := version()
	if err != nil {
		return err
	}
	var have int64
	err = s.transact(ctx, session{role: roleSystem}, true, func(ctx context.Context, t *tx) error {
		return t.get(ctx, &have, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied")
	})
	if err != nil {
		return fmt.Errorf("the database is not ready: %w", err)
	}
	if have < want {
		return fmt.Errorf("the database is at step %d of %d: run molar migrate", have, want)
	}
	return nil
}
