package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/molar-billing/molar/migrations"
)

// firstStep is the number of the first migration of release 0.1.0, the first release. A
// database that was made before it has steps below.
const firstStep = 100

// ErrMadeBefore is the error of a database that was made before release 0.1.0. No release
// migrates it.
var ErrMadeBefore = errors.New("the database was made before release 0.1.0 and cannot be migrated: " +
	"set MOLAR_DATABASE_URL to an empty database (start molar dev with another folder), then run molar migrate")

// Migrate runs the migrations that the database does not have yet. Processes that
// start together take turns. Migrate does not change a database that is ahead of
// this release, because every release also runs with the next release's schema.
//
// Errors: ErrMadeBefore.
func Migrate(ctx context.Context, url string) error {
	return migrate(ctx, url, migrations.FS)
}

// migrate runs the migrations of a release's files.
func migrate(ctx context.Context, url string, files fs.FS) (err error) {
	db, err := administer(url)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	if _, err := appliedSteps(ctx, db); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	var encoding string
	if err := db.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s, in which names cannot be compared: create it with ENCODING 'UTF8' TEMPLATE template0", encoding)
	}
	turn, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(turn), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	watching, stop := context.WithCancel(ctx)
	blocked := make(chan string, 1)
	go func() { blocked <- blocker(watching, db) }()
	_, err = provider.Up(ctx)
	stop()
	by := <-blocked
	if e, ok := errors.AsType[*pq.Error](err); ok && e.Code == codeLockTimeout && by != "" {
		return fmt.Errorf("migrate: %s holds a lock; end that session or wait for it, then run molar migrate again, which goes on where it stopped: %w", by, err)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// blockerPoll is how often a migration looks for what it waits for.
const blockerPoll = 200 * time.Millisecond

// blocker describes the last session that a migration has waited for, once ctx ends.
func blocker(ctx context.Context, db *sql.DB) (last string) {
	const query = `
SELECT 'process ' || b.pid || concat_ws(', ', ' (' || b.usename, nullif(b.application_name, ''), coalesce(host(b.client_addr), 'local'), b.state)
	|| coalesce(', for ' || extract(epoch FROM now() - b.xact_start)::bigint || ' s', '') || ')'
FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS by(pid) JOIN pg_stat_activity b ON b.pid = by.pid
WHERE w.application_name = '` + migrator + `' AND w.datname = current_database()
ORDER BY b.xact_start LIMIT 1`
	for pause(ctx, blockerPoll) {
		var by string
		if err := db.QueryRowContext(ctx, query).Scan(&by); err == nil {
			last = by
		}
	}
	return last
}

// migrator is the application name of a migration's sessions.
const migrator = "molar migrate"

// administer connects as the owner of the tables.
func administer(url string) (*sql.DB, error) {
	config, err := connConfig(url)
	if err != nil {
		return nil, err
	}
	config.Runtime["statement_timeout"] = "0" // building an index may take long
	config.ApplicationName = migrator
	return sql.OpenDB(plainLogin(config)), nil
}

// plainLogin makes connections without what the store adds to them.
type plainLogin pq.Config

func (o plainLogin) Driver() driver.Driver { return &pq.Driver{} }

func (o plainLogin) Connect(ctx context.Context) (driver.Conn, error) {
	return connect(ctx, pq.Config(o), &dialer{dial: (&net.Dialer{}).DialContext})
}

// Step is a migration of this release.
type Step struct {
	Number  int64
	Name    string // of its file, without the number
	Applied bool
	Stops   bool // releases before it do not work with the schema after it
}

// leastRelease finds in a migration the step that it sets as the oldest whose release
// works with the schema.
var leastRelease = regexp.MustCompile(`schema_fit SET least = (\d+)`)

// Steps lists the migrations of this release in their order, and which the database
// has.
//
// Errors: ErrMadeBefore.
func Steps(ctx context.Context, url string) ([]Step, error) {
	return steps(ctx, url, migrations.FS)
}

// steps lists the migrations of a release's files.
func steps(ctx context.Context, url string, files fs.FS) (all []Step, err error) {
	stops := map[string]bool{}
	names, err := fs.Glob(files, "*.sql")
	for _, name := range names {
		number, rest, _ := strings.Cut(strings.TrimSuffix(name, ".sql"), "_")
		n, bad := strconv.ParseInt(number, 10, 64)
		text, unread := fs.ReadFile(files, name)
		err = errors.Join(err, bad, unread)
		if least := leastRelease.FindSubmatch(text); least != nil {
			stops[string(least[1])] = true
		}
		all = append(all, Step{Number: n, Name: strings.ReplaceAll(rest, "_", " ")})
	}
	if err != nil {
		return nil, fmt.Errorf("the release's migrations: %w", err)
	}
	db, err := administer(url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	has, err := appliedSteps(ctx, db)
	if err != nil {
		return nil, err
	}
	for i := range all {
		s := &all[i]
		s.Applied, s.Stops = slices.Contains(has, s.Number), stops[strconv.FormatInt(s.Number, 10)]
	}
	return all, nil
}

// appliedSteps returns the steps that the database has, in their order; none for an empty
// database.
func appliedSteps(ctx context.Context, db *sql.DB) (has []int64, err error) {
	err = db.QueryRowContext(ctx,
		"SELECT coalesce(array_agg(version_id ORDER BY version_id), '{}') FROM goose_db_version WHERE is_applied AND version_id > 0").Scan(pq.Array(&has))
	if e, ok := errors.AsType[*pq.Error](err); err != nil && (!ok || e.Code != codeNoTable) {
		return nil, fmt.Errorf("read the steps of the database: %w", clean(err))
	}
	if len(has) > 0 && has[0] < firstStep {
		return nil, ErrMadeBefore
	}
	return has, nil
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
