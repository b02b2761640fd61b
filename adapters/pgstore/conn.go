package pgstore

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

// role is what a transaction may do.
type role string

const (
	roleApp    role = "molar_app"    // the rows of one scope
	roleSystem role = "molar_system" // the few things that are done across scopes
)

// session is what a transaction begins with. It travels in the context,
// because database/sql hands the driver nothing else.
type session struct {
	role  role
	scope billing.Scope // for roleApp
	clock *clock        // set by the reply to begin
}

type sessionKey struct{}

// clock shows the database's time at which a transaction began.
type clock struct{ now time.Time }

// Now returns the same time, in UTC and microseconds, all through the
// transaction.
func (c *clock) Now() time.Time { return c.now }

// begin is the message that starts the transaction and asks for its time. Its
// values are a UUID and one of two words, so there is nothing to quote.
func (s session) begin(readOnly bool) (string, error) {
	text := "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
	if readOnly {
		text = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"
	}
	text += "; SELECT now()"
	// As a setting the role needs no statement of its own.
	text += ", set_config('role', '" + string(s.role) + "', true)"
	if s.role == roleSystem {
		return text, nil
	}
	if s.scope.Org.IsZero() || s.scope.Mode != billing.ModeTest && s.scope.Mode != billing.ModeLive {
		return "", errors.New("begin: a transaction needs an organization and a mode")
	}
	return text + ", set_config('molar.org', '" + s.scope.Org.UUID() + "', true), set_config('molar.mode', '" +
		string(s.scope.Mode) + "', true)", nil
}

const (
	maxStatements = 256              // prepared statements kept for a connection
	cancelGrace   = time.Second      // for the server to answer a cancelled statement
	commitTimeout = 20 * time.Second // for the answer to COMMIT or ROLLBACK
)

// connector makes connections whose transactions begin with a session.
type connector struct {
	config pq.Config
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// generation grows when prepared statements have become useless because
	// the schema changed; connections of an older one are not used again.
	generation atomic.Int64
}

func (c *connector) Driver() driver.Driver { return &pq.Driver{} }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	base, err := pq.NewConnectorConfig(c.config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	d := &dialer{dial: c.dial}
	base.Dialer(d)
	generation := c.generation.Load()
	inner, err := base.Connect(ctx)
	if err != nil {
		if told, ok := errors.AsType[*pq.Error](err); ok {
			return nil, fmt.Errorf("connect: %s: %w", told.Message, clean(told)) // no row has been read yet
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	d.connected = true
	return &conn{
		Conn: inner, wire: d.last, connector: c, generation: generation,
		statements: map[string]*list.Element{}, recent: list.New(),
	}, nil
}

// dialer remembers the socket of the connection that it is used for, so that a
// deadline can be set on it.
type dialer struct {
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	last      net.Conn
	connected bool // what is dialled from now on carries cancel requests
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialTimeout(network, address, cancelGrace)
}

func (d *dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout) //nolint:forbidigo // lib/pq's interface has no context here
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if !d.connected {
		c, err := d.dial(ctx, network, address)
		d.last = c
		return c, err
	}
	// A request to cancel is waited for, and gets no answer from a network
	// that is dead.
	ctx, cancel := context.WithTimeout(ctx, cancelGrace)
	defer cancel()
	c, err := d.dial(ctx, network, address)
	if err == nil {
		err = c.SetDeadline(time.Now().Add(cancelGrace))
	}
	return c, err
}

// conn is a connection of lib/pq's that begins transactions with a session,
// prepares each statement once, and never returns to the pool in doubt.
type conn struct {
	driver.Conn
	wire       net.Conn
	connector  *connector
	generation int64
	broken     bool
	statements map[string]*list.Element // of *statement
	recent     *list.List               // most recently used first
}

type statement struct {
	text string
	stmt driver.Stmt
}

// BeginTx sends BEGIN, the role and the scope as one message, whose reply has
// the transaction's time. The session comes with the context. When the context of the transaction ends, lib/pq
// asks the server to cancel; should the network be dead, so that no answer
// comes to that either, the socket's deadline ends the wait.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	s, ok := ctx.Value(sessionKey{}).(session)
	if !ok || sql.IsolationLevel(opts.Isolation) != sql.LevelDefault {
		return nil, errors.New("begin: only the store begins transactions")
	}
	text, err := s.begin(opts.ReadOnly)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.wire.SetDeadline(time.Now().Add(cancelGrace)) })
	if s.clock.now, err = c.began(ctx, text); err != nil {
		stop()
		c.broken = true
		if _, told := errors.AsType[*pq.Error](err); !told && ctx.Err() == nil {
			return nil, driver.ErrBadConn // nothing has happened yet: database/sql tries another connection
		}
		return nil, err
	}
	return &driverTx{conn: c, readOnly: opts.ReadOnly, unguard: stop}, nil
}

// began sends the message of begin and returns the transaction's time.
func (c *conn) began(ctx context.Context, text string) (now time.Time, err error) {
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, text, nil)
	if err != nil {
		return now, err
	}
	row := make([]driver.Value, 1) // the settings that follow are known
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return now, err
	}
	return row[0].(time.Time).UTC(), nil
}

// Begin is what database/sql calls without a context; nobody does.
func (c *conn) Begin() (driver.Tx, error) {
	return nil, errors.New("begin: only the store begins transactions")
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	return rows, c.judge(ctx, err)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	return result, c.judge(ctx, err)
}

// prepared is the statement for a text, from the cache when it is there.
func (c *conn) prepared(ctx context.Context, text string) (driver.Stmt, error) {
	if e, ok := c.statements[text]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*statement).stmt, nil
	}
	if c.recent.Len() >= maxStatements {
		oldest := c.recent.Remove(c.recent.Back()).(*statement)
		delete(c.statements, oldest.text)
		if err := c.judge(ctx, oldest.stmt.Close()); err != nil {
			return nil, err
		}
	}
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
	if err != nil {
		return nil, c.judge(ctx, err)
	}
	c.statements[text] = c.recent.PushFront(&statement{text, s})
	return s, nil
}

// judge decides after an error whether the connection may be used again.
func (c *conn) judge(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	told, ok := errors.AsType[*pq.Error](err)
	switch {
	case !ok || ctx.Err() != nil:
		c.broken = true
	case told.Code == codeStalePlan || told.Code == codeNoStatement:
		c.connector.generation.Add(1)
	}
	return err
}

// CheckNamedValue lets lib/pq convert arguments.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

// Ping asks the server for a sign of life.
func (c *conn) Ping(ctx context.Context) error {
	return c.judge(ctx, c.Conn.(driver.Pinger).Ping(ctx))
}

// IsValid reports whether the connection may go back to the pool.
func (c *conn) IsValid() bool {
	return !c.broken && c.generation == c.connector.generation.Load() && c.Conn.(driver.Validator).IsValid()
}

// ResetSession refuses a connection that waited in the pool and is not good
// any more.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

// driverTx ends transactions in bounded time and tells a COMMIT that failed
// from one whose outcome is unknown.
type driverTx struct {
	conn     *conn
	readOnly bool
	unguard  func() bool
}

// commitUnknownError is the error of a COMMIT that was sent and whose answer did
// not come.
type commitUnknownError struct{ cause error }

func (e *commitUnknownError) Error() string { return "commit: no answer: " + e.cause.Error() }
func (e *commitUnknownError) Unwrap() error { return e.cause }

func (t *driverTx) Commit() error {
	err := t.end(driver.Tx.Commit)
	if _, told := errors.AsType[*pq.Error](err); err == nil || told || errors.Is(err, pq.ErrInFailedTransaction) || t.readOnly {
		return err
	}
	return &commitUnknownError{err}
}

func (t *driverTx) Rollback() error { return t.end(driver.Tx.Rollback) }

func (t *driverTx) end(how func(driver.Tx) error) error {
	_ = t.conn.wire.SetDeadline(time.Now().Add(commitTimeout))
	err := how(t.conn.Conn.(driver.Tx))
	_ = t.conn.wire.SetDeadline(time.Time{})
	if !t.unguard() || err != nil {
		t.conn.broken = true // a late cancel request may still be on its way
	}
	return err
}
