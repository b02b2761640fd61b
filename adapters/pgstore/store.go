package pgstore

import (
	"cmp"
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

// Options configures the connection to the database and the handling of its
// data.
type Options struct {
	// URL is postgres://user:password@host:port/database?sslmode=..., or for a
	// Unix socket postgres:///database?host=/folder&port=5432. The user needs
	// the roles molar_app and molar_system, and nothing else: see Admit.
	URL string
	// MaxConns bounds the connections; 0 means 16. A quarter of them, at least
	// one and at most four, are reserved for System. Key lookups and lease
	// renewals therefore never wait for other transactions.
	MaxConns int
	// Keys are those of the deployment, newest first. They wrap the data keys, which encrypt
	// the messages exchanged with payers, and the secrets of webhook endpoints. One of them
	// must be the database's. A process that uses neither needs none.
	Keys [][32]byte
	// Process is the name under which the process announces the keys that it holds; empty for
	// a command.
	Process string
	// Begins makes the first of Keys the key of a database that has none.
	// Otherwise such a database causes ErrNoKey. Set it in the process that
	// creates the database.
	Begins bool
	// Waits makes Open succeed while the server cannot be reached. Fit then returns
	// an error, and transactions fail.
	Waits bool
	// Staged receives the jobs that a committed transaction staged, and the jobs
	// that call its lanes. It must not block. This process publishes them within
	// billing.JobLease. Staged does not receive jobs with a later time. If Staged
	// is nil, all jobs wait until they are due.
	Staged func([]jobs.Job)
	// Log receives retries and lost connections. Nil means no log.
	Log *slog.Logger
}

// Store is a PostgreSQL database.
type Store struct {
	scoped    *sqlx.DB // for transactions of one scope; scopes take turns
	turns     turns
	system    *sqlx.DB // for all other transactions
	connector *connector
	keys      *keyring
	announcer announcer
	running   running
	proof     proof
	staged    func([]jobs.Job)
	log       *slog.Logger
	awayTime  time.Duration // how long a transaction waits for a server that is down
	heldBack  atomic.Int64  // how long a transaction of the cluster may run, in nanoseconds

	stop   context.CancelFunc // ends the upkeep
	upkeep sync.WaitGroup

	seen     atomic.Pointer[sight] // the result of the last look at the schema
	expected atomic.Int64          // the least number of live files that the database must have given out

	looked    atomic.Pointer[chan struct{}] // closed at the next look
	uncounted chan struct{}                 // receives when changes of totals were seen

	checking   sync.Mutex // guards statistics
	statistics *jobs.Duty

	mu      sync.Mutex // guards the cached result of Ready
	checked time.Time
	ready   error
}

var _ ports.CheckStore = (*Store)(nil)

// The server's time limits for every transaction. A use case takes milliseconds. The
// limits end a transaction that hangs, and release the locks of a client that
// crashed.
const (
	statementTimeout = "15s"
	lockTimeout      = "5s"
	idleTimeout      = "15s"
)

// The limits for retries of a transaction, for resolving a COMMIT whose reply was
// lost, and for Ready. The limit for resolving exceeds the time that the server needs
// to notice a lost client.
const (
	attempts       = 6
	retryDelay     = 5 * time.Millisecond
	awayTime       = 3 * time.Second // longer than the restart of a killed server
	resolveTimeout = 20 * time.Second
	resolveDelay   = 50 * time.Millisecond
	readyFor       = time.Second
	readyTimeout   = 2 * time.Second
)

// Open connects to a database. It returns ErrOtherKey if the key is not the
// database's, and ErrMadeBefore if no release can read the database. A database without a key, or with a schema that the release does not
// fit, is no error yet: see Fit. Transactions fail until that has changed.
func Open(ctx context.Context, o Options) (*Store, error) {
	var d net.Dialer
	return open(ctx, o, d.DialContext)
}

func open(ctx context.Context, o Options, dial func(context.Context, string, string) (net.Conn, error)) (*Store, error) {
	config, err := connConfig(o.URL)
	if err != nil {
		return nil, err
	}
	keys, err := newKeyring(o.Keys)
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
		connector: c, keys: keys, announcer: newAnnouncer(o.Process), staged: o.Staged, log: o.Log, awayTime: awayTime,
		uncounted: make(chan struct{}, 1), statistics: jobs.NewRareDuty("statistics", statisticsLease, statisticsRenewal),
	}
	next := make(chan struct{})
	s.looked.Store(&next)
	s.heldBack.Store(int64(heldBack))
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.proof.keyed, s.proof.begins = len(o.Keys) > 0, o.Begins
	if err := s.first(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), s.disconnect())
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.upkeep.Go(func() {
		s.keepFit(life)
		s.leave(context.WithoutCancel(life))
	})
	s.upkeep.Go(func() {
		s.keepStatistics(life)
		s.leaveStatistics(context.WithoutCancel(life))
	})
	s.upkeep.Go(func() { s.keepTotals(life) })
	return s, nil
}

// first looks at the database when the store opens.
func (s *Store) first(ctx context.Context, o Options) error {
	if err := s.system.PingContext(ctx); err != nil {
		if o.Waits && ctx.Err() == nil {
			s.log.WarnContext(ctx, "the database is away; waiting for it", "error", err)
			return nil
		}
		return err
	}
	err := s.look(ctx)
	if Stops(err) || errors.Is(err, ErrNoKey) && !o.Begins {
		return nil // transactions return it
	}
	if o.Waits && ctx.Err() == nil && (errors.Is(err, billing.ErrStoreAway) || passing(err)) {
		s.log.WarnContext(ctx, "the database is away; waiting for it", "error", err)
		return nil
	}
	return err
}

// pool returns a pool of up to n connections.
func pool(c *connector, n int) *sqlx.DB {
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n) // keep connections for their prepared statements
	db.SetConnMaxIdleTime(10 * time.Minute)
	db.SetConnMaxLifetime(time.Hour)
	return sqlx.NewDb(db, "postgres")
}

// connConfig reads the URL and adds the settings that the store relies on. A setting
// of the URL wins.
func connConfig(url string) (pq.Config, error) {
	config, err := pq.NewConfig(url)
	if err != nil {
		return pq.Config{}, errors.New("read the database URL: it must have the form postgres://user:password@host:port/database")
	}
	if config.Runtime == nil {
		config.Runtime = map[string]string{}
	}
	for name, value := range map[string]string{
		"statement_timeout": statementTimeout, "lock_timeout": lockTimeout,
		"idle_in_transaction_session_timeout": idleTimeout, "TimeZone": "UTC",
		// Every statement is prepared and uses an index, so one plan fits all
		// values. Planning for each value took as long as running the statement.
		// A plan made while a table is empty must not later read the whole table,
		// or sort rows that an index returns in order.
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

// Close waits for open transactions, then closes the connections.
func (s *Store) Close() error {
	s.stop()
	s.upkeep.Wait()
	return s.disconnect()
}

func (s *Store) disconnect() error { return errors.Join(s.scoped.Close(), s.system.Close()) }

// InTx runs fn in a transaction that sees and writes only rows of scope.
func (s *Store) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.transact(ctx, sessionOf(scope), false, func(ctx context.Context, t *tx) error { return fn(ctx, t.ports(ctx)) })
}

// View runs fn in a read-only transaction that sees only rows of scope.
func (s *Store) View(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.transact(ctx, sessionOf(scope), true, func(ctx context.Context, t *tx) error { return fn(ctx, t.ports(ctx)) })
}

// InScopes runs fn in a transaction that sees and writes only rows of the scopes.
func (s *Store) InScopes(ctx context.Context, scopes []billing.Scope, fn func(context.Context, ports.ScopesTx) error) error {
	return s.transact(ctx, sessionOf(scopes...), false, func(ctx context.Context, t *tx) error { return fn(ctx, t.scopesPorts(ctx)) })
}

// ViewScopes runs fn in a read-only transaction that sees only rows of the scopes.
func (s *Store) ViewScopes(ctx context.Context, scopes []billing.Scope, fn func(context.Context, ports.ScopesTx) error) error {
	return s.transact(ctx, sessionOf(scopes...), true, func(ctx context.Context, t *tx) error { return fn(ctx, t.scopesPorts(ctx)) })
}

// System runs fn in a transaction across scopes.
func (s *Store) System(ctx context.Context, fn func(context.Context, ports.SystemTx) error) error {
	return s.transact(ctx, session{role: roleSystem}, false, func(ctx context.Context, t *tx) error { return fn(ctx, t.systemPorts(ctx)) })
}

// transact checks the database's schema and key, then runs fn like repeat.
func (s *Store) transact(ctx context.Context, in session, readOnly bool, fn func(context.Context, *tx) error) error {
	if err := s.unfit(); err != nil {
		return err
	}
	if err := s.prove(ctx); err != nil {
		return err
	}
	return s.repeat(ctx, in, readOnly, fn)
}

func (s *Store) newTx(in session) *tx {
	return &tx{store: s, scope: in.scope, several: in.role == roleScopes}
}

// repeat runs fn in a transaction. It tries again as long as the cause of the failure
// is temporary.
func (s *Store) repeat(ctx context.Context, in session, readOnly bool, fn func(context.Context, *tx) error) error {
	start := time.Now()
	for n := 1; ; n++ {
		t := s.newTx(in)
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
		waiting := away(err) || away(t.failed)
		switch {
		case waiting && time.Since(start) > s.awayTime:
			return fmt.Errorf("%w: %w", billing.ErrStoreAway, err)
		case !waiting && n >= attempts:
			return err
		}
		s.log.DebugContext(ctx, "transaction runs again", slog.Int("attempt", n), slog.Any("error", err))
		if !pause(ctx, time.Duration(rand.Int64N(int64(retryDelay)<<min(n, attempts)))) {
			return err
		}
	}
}

// attempt runs fn in one transaction. A nil error means that the commit is certain.
func (s *Store) attempt(ctx context.Context, t *tx, in session, readOnly bool, fn func(context.Context, *tx) error) (err error) {
	t.clock.running = &s.running
	in.clock = &t.clock
	db, release := s.system, func() {}
	if in.role != roleSystem {
		if err := s.turns.acquire(ctx, in.scope); err != nil {
			return err
		}
		db, release = s.scoped, sync.OnceFunc(s.turns.release)
	}
	defer release()
	t.sql, err = begin(ctx, db, in, readOnly)
	if err != nil {
		return ofBegin(ctx, err)
	}
	defer t.sql.Rollback() // does nothing after a commit; runs when fn panics
	if err = fn(ctx, t); err != nil {
		return cmp.Or(t.unsealable, err)
	}
	err = t.commit(ctx)
	release() // free the connection before resolving an unknown outcome
	if unknown, ok := errors.AsType[*commitUnknownError](err); ok && t.xid != "" {
		return s.resolve(ctx, in, t, unknown)
	} else if ok {
		return nil // nothing was written
	}
	return err
}

// Clock returns a clock with the database's time for use outside transactions. It
// continues from the start of the last transaction. The simulated payers use it,
// because they compare it with stored times. Before the first transaction it has
// this process's time.
func (s *Store) Clock() ports.Clock { return &s.running }

// running is the difference between the database's clock and this process's.
type running struct{ ahead atomic.Int64 }

// set learns that the database had a time between two times of this process. The statement in between may have waited
// for a lock, so what was known stays, as far as it fits.
func (r *running) set(database, sent, received time.Time) {
	least, most := int64(database.Sub(received)), int64(database.Sub(sent))
	r.ahead.Store(min(max(r.ahead.Load(), least), most))
}

// Now returns the database's time.
func (r *running) Now() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) }

// ofBegin returns the error of a transaction that did not begin.
func ofBegin(ctx context.Context, err error) error {
	err = ofStatement(ctx, err)
	if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeInvalidParameter {
		return fmt.Errorf("the database is not migrated: %w", err)
	}
	return err
}

// resolve asks the server for the outcome of a transaction whose COMMIT got no reply.
// If the transaction was rolled back, resolve returns a lost connection, so that
// the transaction runs again. It ignores the caller's deadline, because the caller
// needs the outcome.
func (s *Store) resolve(ctx context.Context, in session, inDoubt *tx, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resolveTimeout)
	defer cancel()
	for {
		over, committed, err := s.status(ctx, in, inDoubt)
		switch {
		case err == nil && committed:
			s.log.InfoContext(ctx, "commit confirmed after its reply was lost")
			return nil
		case err == nil && over:
			return &connectionError{cause}
		}
		if !pause(ctx, resolveDelay) {
			return fmt.Errorf("%w: %w", billing.ErrCommitUnknown, cause)
		}
	}
}

// status reports whether a transaction has ended, and whether it was committed.
//
// After a crash, the server may reuse the ID of a lost transaction. A committed ID
// alone is therefore no proof: the transaction's evidence must exist too.
// Transactions without evidence only move leases, remove jobs, discard uploads and
// record delivery results. Losing them is harmless: the job runs again and finds
// its effect, or a receiver gets a duplicate.
func (s *Store) status(ctx context.Context, in session, inDoubt *tx) (over, committed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout/4)
	defer cancel()
	err = s.attempt(ctx, s.newTx(in), in, true, func(ctx context.Context, t *tx) error {
		var status string
		err := t.get(ctx, &status, "SELECT coalesce(pg_xact_status($1::xid8), 'unknown')", inDoubt.xid)
		if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeInvalidParameter {
			over = true // the ID is not in use: the transaction was lost in a crash
			return nil
		}
		over, committed = status == "aborted" || status == "committed", status == "committed"
		if err != nil || !committed || inDoubt.evidence.query == "" {
			return err
		}
		return t.get(ctx, &committed, inDoubt.evidence.query, inDoubt.evidence.args...)
	})
	if over && !committed {
		err = nil // also ignores a failure to end the read-only transaction after the ID was rejected
	}
	return over, committed, err
}

// pause waits. It returns false when ctx ends first.
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
