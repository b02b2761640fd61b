package pgstore

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/lib/pq"
)

const (
	maxStatements = 256              // prepared statements kept per connection
	cancelGrace   = time.Second      // for the server to reply to a canceled statement
	commitTimeout = 20 * time.Second // for the reply to COMMIT or ROLLBACK
)

// conn is a lib/pq connection that begins transactions with a session. It prepares
// each statement once. It never returns to the pool in an unknown state.
type conn struct {
	driver.Conn
	socket     net.Conn
	pipeline   *pipeline // nil over TLS
	dialer     *dialer
	life       context.Context // of the transaction; nil outside
	clock      *clock          // set by the reply to begin
	opening    []opening       // the statements that begin the transaction
	opened     map[string]bool // by name, the openings that the server has certainly prepared
	connector  *connector
	generation int64
	broken     bool
	role       role                           // of the transaction
	statements map[statementKey]*list.Element // of *statement
	recent     *list.List                     // most recently used first
}

// statementKey names a prepared statement. The server makes a new plan when the role is another one than before,
// because row-level security is part of the plan.
type statementKey struct {
	role role
	text string
}

type statement struct {
	key  statementKey
	stmt driver.Stmt
}

// begin sends BEGIN, the role and the scope together with the transaction's first
// statement. The reply includes the time. Over TLS, the pipeline cannot read messages,
// so begin sends them separately.
//
// When the transaction's context ends, the server is asked to cancel. If the
// network is down and that gets no reply, the socket's deadline ends the wait.
func (c *conn) begin(ctx context.Context, s session, readOnly bool) (*driverTx, error) {
	opening, err := s.begin(readOnly)
	if err != nil {
		return nil, err
	}
	t := &driverTx{conn: c, readOnly: readOnly, unguard: context.AfterFunc(ctx, func() { c.giveUp(ctx) })}
	c.role, c.life = s.role, ctx
	if c.pipeline != nil {
		c.pipeline.ride(c.open(opening))
		c.clock, c.opening = s.clock, opening
		return t, nil
	}
	if err = c.beginAlone(ctx, opening, s.clock); err != nil {
		t.unguard()
		if err = c.judge(ctx, err); ctx.Err() == nil && away(ofStatement(ctx, err)) {
			err = driver.ErrBadConn // nothing was sent yet: the store takes another connection
		}
		c.broken, c.life = true, nil
		return nil, err
	}
	return t, nil
}

// giveUp ends the statement that runs. Over TLS lib/pq asks the server to cancel it: see watched.
func (c *conn) giveUp(ctx context.Context) {
	_ = c.socket.SetDeadline(time.Now().Add(cancelGrace))
	if c.pipeline != nil {
		c.dialer.cancel(context.WithoutCancel(ctx), c.pipeline.key.Load())
	}
}

// watched returns the context of a statement for lib/pq, which starts a goroutine that waits for the end of a context.
// Over TLS nothing else can ask the server to cancel, because lib/pq keeps the key to do so for itself.
func (c *conn) watched(ctx context.Context) context.Context {
	if c.pipeline != nil || c.life == nil {
		return ctx
	}
	return c.life
}

// open returns the message that begins a transaction. It prepares an opening each
// time, until a transaction has begun with it.
func (c *conn) open(all []opening) *batch {
	m := &batch{}
	for _, o := range all {
		if !c.opened[o.name] {
			m.prepare(o.name, o.text)
		}
		m.execute(o.name, o.args...)
	}
	return m
}

// beginAlone sends the openings as one simple query and waits for the reply.
func (c *conn) beginAlone(ctx context.Context, all []opening, at *clock) error {
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = o.literally()
	}
	sent := time.Now()
	rows, err := c.Conn.(driver.QueryerContext).QueryContext(ctx, strings.Join(texts, "; "), nil)
	if err != nil {
		return err
	}
	row := make([]driver.Value, len(rows.Columns()))
	if err := errors.Join(rows.Next(row), rows.Close()); err != nil {
		return err
	}
	business := ""
	if len(row) > businessColumn {
		business, _ = row[businessColumn].(string) // NULL is none
	}
	return at.set(row[0].(string), business, sent, time.Now())
}

// begun reads the time from the reply to begin, which precedes the reply to the
// first statement.
func (c *conn) begun() error {
	if c.clock == nil || c.pipeline.riding() {
		return nil
	}
	at := c.clock
	c.clock = nil
	for _, o := range c.opening {
		c.opened[o.name] = true
	}
	return at.set(c.pipeline.now, c.pipeline.business, c.pipeline.sent, c.pipeline.received)
}

// Begin always fails: the store begins transactions on a connection that it has for itself.
func (c *conn) Begin() (driver.Tx, error) {
	return nil, errors.New("begin: only the store begins transactions")
}

// lastKey marks the context of a transaction's last statement, which is a query. COMMIT
// goes with it.
type lastKey struct{}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if ctx.Value(lastKey{}) != nil && c.pipeline != nil {
		c.pipeline.end(simpleQuery("COMMIT"))
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(c.watched(ctx), args)
	if err == nil {
		err = c.begun()
	}
	return rows, c.judge(ctx, err)
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.(driver.StmtExecContext).ExecContext(c.watched(ctx), args)
	if err == nil {
		err = c.begun()
	}
	return result, c.judge(ctx, err)
}

// prepared returns the prepared statement for a text. It uses the cache if possible.
func (c *conn) prepared(ctx context.Context, text string) (driver.Stmt, error) {
	key := statementKey{c.role, text}
	if e, ok := c.statements[key]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*statement).stmt, nil
	}
	if c.recent.Len() >= maxStatements {
		oldest := c.recent.Remove(c.recent.Back()).(*statement)
		delete(c.statements, oldest.key)
		if err := c.judge(ctx, oldest.stmt.Close()); err != nil {
			return nil, err
		}
	}
	s, err := c.Conn.(driver.ConnPrepareContext).PrepareContext(c.watched(ctx), text)
	if err != nil {
		return nil, c.judge(ctx, err)
	}
	c.statements[key] = c.recent.PushFront(&statement{key, s})
	return s, nil
}

// judge decides, after an error, whether the connection can be reused, and whether those that were opened with it can.
// A server that goes away takes them all along. A transaction after its restart must not find them lost one by one.
func (c *conn) judge(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	pqErr, answered := errors.AsType[*pq.Error](err)
	ended := ctx.Err() != nil || c.life != nil && c.life.Err() != nil
	c.broken = c.broken || !answered || ended
	if !ended && (away(ofStatement(ctx, err)) || answered && pqErr.Code == codeNoStatement) {
		c.connector.generation.CompareAndSwap(c.generation, c.generation+1)
	}
	return err
}

// CheckNamedValue lets lib/pq convert arguments.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	return c.Conn.(driver.NamedValueChecker).CheckNamedValue(v)
}

// Ping checks that the server responds.
func (c *conn) Ping(ctx context.Context) error {
	return c.judge(ctx, c.Conn.(driver.Pinger).Ping(ctx))
}

// IsValid reports whether the connection may go back to the pool.
func (c *conn) IsValid() bool {
	return !c.broken && c.generation == c.connector.generation.Load() && c.Conn.(driver.Validator).IsValid()
}

// ResetSession rejects a connection that became unusable while it was in the pool.
func (c *conn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

// driverTx ends transactions in bounded time. It distinguishes a COMMIT that
// failed from one whose outcome is unknown.
type driverTx struct {
	conn     *conn
	readOnly bool
	unguard  func() bool
}

// commitUnknownError is the error of a COMMIT that was sent and got no reply.
type commitUnknownError struct{ cause error }

func (e *commitUnknownError) Error() string { return "commit: no reply: " + e.cause.Error() }
func (e *commitUnknownError) Unwrap() error { return e.cause }

// Commit commits the transaction. If nothing was sent, it does not contact the server.
// If the transaction only read, it does not wait for the reply, unless COMMIT went with its
// last statement: then the reply is there.
func (t *driverTx) Commit() error {
	if p := t.conn.pipeline; p != nil && !p.ended && (t.readOnly || p.riding()) {
		return t.leave(p)
	}
	err := t.end(driver.Tx.Commit)
	if t.readOnly && t.conn.pipeline != nil {
		return nil // it went with the last statement, whose rows are read; a broken connection does not return to the pool
	}
	if _, refused := errors.AsType[*pq.Error](err); err == nil || refused || errors.Is(err, pq.ErrInFailedTransaction) || t.readOnly {
		return err
	}
	return &commitUnknownError{err}
}

func (t *driverTx) Rollback() error {
	if p := t.conn.pipeline; p != nil && p.riding() {
		return t.leave(p)
	}
	return t.end(driver.Tx.Rollback)
}

// leave ends a transaction that changed nothing.
func (t *driverTx) leave(p *pipeline) error {
	t.conn.clock, t.conn.life = nil, nil
	if p.riding() {
		p.stay()
	} else if p.post(simpleQuery("COMMIT")) != nil {
		t.conn.broken = true
	}
	if !t.unguard() {
		t.conn.broken = true // a late cancel request may still arrive
	}
	return nil
}

func (t *driverTx) end(how func(driver.Tx) error) error {
	_ = t.conn.socket.SetDeadline(time.Now().Add(commitTimeout))
	err := how(t.conn.Conn.(driver.Tx))
	_ = t.conn.socket.SetDeadline(time.Time{})
	t.conn.life = nil
	if !t.unguard() || err != nil {
		t.conn.broken = true // a late cancel request may still arrive
	}
	return err
}
