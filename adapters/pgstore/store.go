package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Options says how to reach the database and what to do with its data.
type Options struct {
	// URL is postgres://user:password@host:port/database?sslmode=...; for a
	// Unix socket, postgres:///database?host=/folder&port=5432. The user can
	// become molar_app and molar_system, and needs nothing else: see Admit.
	URL string
	// MaxConns bounds the connections; 0 stands for 16. A quarter of them, at
	// least one and at most four, are for System alone, so that keys are looked
	// up and leases are renewed whatever waits for the others.
	MaxConns int
	// EncryptionKey encrypts the messages exchanged with payers, and the
	// secrets of webhook endpoints. It is the one that the database was begun
	// with. The zero key stands for none: for processes that touch nothing of the
	// kind.
	EncryptionKey [32]byte
	// Begins makes the key that of a database without one. Without Begins such
	// a database is ErrNoKey. It is for the process that an operator has make the
	// database.
	Begins bool
	// Staged is given the jobs that a committed transaction staged, and those
	// that call the lanes that it gave something to do, and must not block.
	// They are this process's to publish for billing.JobLease; jobs that rest become
	// due by themselves. Nil leaves them all to fall due.
	Staged func([]jobs.Job)
	// Log tells of retries and lost connections. Nil stands for silence.
	Log *slog.Logger
}

// Store is a PostgreSQL database.
type Store struct {
	scoped    *sqlx.DB // for transactions of a scope, which take turns
	turns     turns
	system    *sqlx.DB // for all others
	connector *connector
	sealer    *sealer
	running   running
	proof     proof
	staged    func([]jobs.Job)
	log       *slog.Logger
	awayTime  time.Duration // how long a transaction waits for a server that is not there

	stop   context.CancelFunc // ends the upkeep
	upkeep sync.WaitGroup

	mu      sync.Mutex // guards the answer of Ready
	checked time.Time
	ready   error
}

var _ ports.Store = (*Store)(nil)

// The limits that the server keeps for every transaction. A use case takes
// milliseconds; these end what hangs, and let the locks of a client that died
// in the middle go.
const (
	statementTimeout = "15s"
	lockTimeout      = "5s"
	idleTimeout      = "15s"
)

// The retries of a transaction; the wait for a COMMIT whose answer was lost,
// which is longer than the server takes to notice that its client is gone; and
// how long an answer of Ready holds and may take.
const (
	attempts       = 6
	retryDelay     = 5 * time.Millisecond
	awayTime       = 3 * time.Second // a server that was killed is back by then
	resolveTimeout = 20 * time.Second
	resolveDelay   = 50 * time.Millisecond
	readyFor       = time.Second
	readyTimeout   = 2 * time.Second
)

// ErrUnknownOutcome is the error of a transaction that may or may not have
// been committed: the answer was lost and the server could not be asked.
var ErrUnknownOutcome = errors.New("postgres: it is unknown whether the transaction was committed")

// Open connects to a migrated database. A key that is not the database's is
// ErrOtherKey, here or, of a database that was not migrated yet, later. That the
// database has no key, or no schema, is an error only when it is used.
func Open(ctx context.Context, o Options) (*Store, error) {
	var d net.Dialer
	return open(ctx, o, d.DialContext)
}

func open(ctx context.Context, o Options, dial func(context.Context, string, string) (net.Conn, error)) (*Store, error) {
	config, err := connConfig(o.URL)
	if err != nil {
		return nil, err
	}
	seal, err := newSealer(o.EncryptionKey)
	if err != nil {
		return nil, err
	}
	c := &connector{config: config, dial: dial}
	maxConns := o.MaxConns
	if maxConns == 0 {
		maxConns = 16
	}
	reserved := min(max(maxConns/4, 1), 4)
	rest := max(maxConns-reserved, 1)
	s := &Store{
		scoped: pool(c, rest), turns: turns{free: rest}, system: pool(c, reserved),
		connector: c, sealer: seal, staged: o.Staged, log: o.Log, awayTime: awayTime,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.system.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), s.disconnect())
	}
	s.proof.keyed, s.proof.begins = o.EncryptionKey != [32]byte{}, o.Begins
	if err := s.prove(ctx); err != nil && (o.Begins || !errors.Is(err, ErrNoKey)) {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), s.disconnect())
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.upkeep.Go(func() { s.keepStatistics(life) })
	return s, nil
}

// pool holds up to n connections.
func pool(c *connector, n int) *sqlx.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n) // a connection is worth its prepared statements
	db.SetConnMaxIdleTime(10 * time.Minute)
	db.SetConnMaxLifetime(time.Hour)
	return sqlx.NewDb(db, "postgres")
}

// connConfig reads the URL and sets what the store relies on.
func connConfig(url string) (pq.Config, error) {
	config, err := pq.NewConfig(url)
	if err != nil {
		return pq.Config{}, errors.New("read the database URL: it has the form postgres://user:password@host:port/database")
	}
	if config.Runtime == nil {
		config.Runtime = map[string]string{}
	}
	for name, value := range map[string]string{
		"statement_timeout": statementTimeout, "lock_timeout": lockTimeout,
		"idle_in_transaction_session_timeout": idleTimeout, "TimeZone": "UTC",
		// Every statement is prepared and meant for an index. A plan made once
		// serves it: planning again for each new value took as long as running.
		// One made while a table is empty must not read all of it later, nor
		// read and sort what an index has in order.
		"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off", "jit": "off",
	} {
		if _, chosen := config.Runtime[name]; !chosen {
			config.Runtime[name] = value
		}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	if config.ApplicationName == "" {
		config.ApplicationName = "molar"
	}
	return config, nil
}

// Close ends the connections; transactions under way finish first.
func (s *Store) Close() error {
	s.stop()
	s.upkeep.Wait()
	return s.disconnect()
}

func (s *Store) disconnect() error { return errors.Join(s.scoped.Close(), s.system.Close()) }

// InTx runs fn in a transaction that sees and writes only rows of scope.
func (s *Store) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.transact(ctx, session{role: roleApp, scope: scope}, false, func(ctx context.Context, t *tx) error { return fn(ctx, t.ports(ctx)) })
}

// View runs fn in a read-only transaction that sees only rows of scope.
func (s *Store) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error { return fn(ctx, t.ports(ctx)) })
}

// System runs fn in a transaction across scopes.
func (s *Store) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error { return fn(ctx, t.systemPorts(ctx)) })
}

// transact repeats fn, with the database's key.
func (s *Store) transact(ctx context.Context, in session, readOnly bool, fn func(context.Context, *tx) error) error {
	if err := s.prove(ctx); err != nil {
		return err
	}
	return s.repeat(ctx, in, readOnly, fn)
}

// repeat runs fn in transactions until one of them commits or fails for a
// reason that does not pass.
func (s *Store) repeat(ctx context.Context, in session, readOnly bool, fn func(context.Context, *tx) error) error {
	start := time.Now()
	for n := 1; ; n++ {
		t := &tx{store: s, scope: in.scope}
		err := s.attempt(ctx, t, in, readOnly, fn)
		if err == nil {
			if s.staged != nil && len(t.staged) > 0 {
				s.staged(t.staged)
			}
			return nil
		}
		if ctx.Err() != nil || !passing(err) && !passing(t.failed) {
			return err
		}
		if waiting := away(err) || away(t.failed); !waiting && n >= attempts || waiting && time.Since(start) > s.awayTime {
			return err
		}
		s.log.DebugContext(ctx, "transaction runs again", slog.Int("attempt", n), slog.Any("error", err))
		if !pause(ctx, time.Duration(rand.Int64N(int64(retryDelay)<<min(n, attempts)))) { //nolint:gosec // G404: jitter needs no secrecy
			return err
		}
	}
}

// attempt runs fn in one transaction. A nil error means that it is committed
// for certain.
func (s *Store) attempt(ctx context.Context, t *tx, in session, readOnly bool, fn func(context.Context, *tx) error) (err error) {
	t.clock.running = &s.running
	in.clock = &t.clock
	db, leave := s.system, func() {}
	if in.role == roleApp {
		if err := s.turns.take(ctx, in.scope); err != nil {
			return err
		}
		db, leave = s.scoped, sync.OnceFunc(s.turns.leave)
	}
	defer leave()
	begun, err := db.BeginTxx(context.WithValue(ctx, sessionKey{}, in), &sql.TxOptions{ReadOnly: readOnly})
	if err != nil {
		return ofBegin(ctx, err)
	}
	t.sql = begun
	defer func() { _ = begun.Rollback() }() // does nothing after a commit; runs when fn panics
	if err = fn(ctx, t); err != nil {
		return err
	}
	err = t.commit(ctx)
	leave() // the connection is free, also while the outcome is asked for
	if unknown, ok := errors.AsType[*commitUnknownError](err); ok && t.xid != "" {
		return s.resolve(ctx, in, t, unknown)
	} else if ok {
		return nil // nothing was written, so nothing was lost
	}
	return err
}

// Clock shows the database's time where there is no transaction, going on from
// the beginning of the last one. It is for the simulated payers, which go by the
// times that the store keeps. Until the first transaction it is this process's.
func (s *Store) Clock() ports.Clock { return &s.running }

// running is how far the database's clock is ahead of this process's.
type running struct{ ahead atomic.Int64 }

func (r *running) set(database, received time.Time) { r.ahead.Store(int64(database.Sub(received))) }

// Now is the database's time.
func (r *running) Now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }

// ofBegin is the error of a transaction that did not begin.
func ofBegin(ctx context.Context, err error) error {
	err = ofStatement(ctx, err)
	if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeInvalidParameter {
		return fmt.Errorf("the database is not migrated: %w", err)
	}
	return err
}

// resolve asks what became of a transaction whose COMMIT got no answer. One
// that was rolled back is reported as a lost connection, so that it runs
// again. The caller's deadline does not count: what it wants to know is
// whether the thing was done.
func (s *Store) resolve(ctx context.Context, in session, lost *tx, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolveTimeout)
	defer cancel()
	for {
		over, committed, err := s.status(ctx, in, lost)
		switch {
		case err == nil && committed:
			s.log.InfoContext(ctx, "commit confirmed after its answer was lost")
			return nil
		case err == nil && over:
			return &connectionError{cause}
		}
		if !pause(ctx, resolveDelay) {
			return fmt.Errorf("%w: %w", ErrUnknownOutcome, cause)
		}
	}
}

// status reports whether a transaction is over, and whether it was committed.
//
// A server that crashed may give the number of a transaction that it lost to
// another one, so a number that was committed proves nothing by itself: the
// row that the transaction made, or the use of a key that it recorded, has to be
// there too. Transactions that write neither only move leases, remove jobs,
// give up uploads and note what came of deliveries, and those do no harm when
// they are lost: the job runs again and finds its effect, and a receiver gets
// what it has had again.
func (s *Store) status(ctx context.Context, in session, lost *tx) (over, committed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout/4)
	defer cancel()
	err = s.attempt(ctx, &tx{store: s, scope: in.scope}, in, true, func(ctx context.Context, t *tx) error {
		var status string
		err := t.get(ctx, &status, "SELECT coalesce(pg_xact_status($1::xid8), 'unknown')", lost.xid)
		if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeInvalidParameter {
			over = true // the number has not been given out: a crash took the transaction
			return nil
		}
		over, committed = status == "aborted" || status == "committed", status == "committed"
		if err != nil || !committed || lost.made.query == "" {
			return err
		}
		return t.get(ctx, &committed, lost.made.query, lost.made.args...)
	})
	if over && !committed {
		err = nil // also of a read-only transaction that could not be ended after the number was refused
	}
	return over, committed, err
}

// pause waits; it reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
