package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// tx is an open transaction. Each repository wraps it.
//
// tx queues a write whose result is not needed. It sends the queue as one
// statement before the next read and before COMMIT. A use case can therefore write
// row by row at the cost of one round trip.
type tx struct {
	store    *Store
	sql      *transaction
	scope    billing.Scope
	several  bool // it has several scopes
	clock    clock
	queue    []write
	queued   map[any]struct{} // the rows that the queue writes
	staged   []jobs.Job       // jobs to publish after the commit, including calls of lanes
	xid      string           // the transaction's ID, set by its first write
	expected string           // its ID, if a statement before its first write returned it
	evidence evidence         // finds a row if the transaction was committed
	failed   error            // the error of the statement that ended the transaction

	made       map[billing.OrgID]*dataKey // data keys that it made
	unsealable error                      // why a row could not be encrypted; it keeps the transaction from committing

	pending billing.CheckID // the pending check that the transaction creates
	lasting bool            // it changes what both modes have, which a reset of test mode does not hold up

	lastEvent lastEvent
}

// evidence is a query for a row that proves a commit: the transaction writes it, and
// it is not deleted soon. The zero value means that the transaction writes no such
// row.
type evidence struct {
	query string
	args  []any
}

// rowEvidence returns a query for a row that is kept for days at least. A caller may
// delete a document sooner, but must have read it first.
func rowEvidence(table string, id driver.Valuer) evidence {
	return evidence{"SELECT EXISTS (SELECT FROM " + table + " WHERE id = $1)", []any{id}}
}

// write is a queued statement.
type write struct {
	row   any // identifies the written row
	text  string
	args  []any
	set   string // the statement for several rows at once, if any
	rows  []row  // the argument of set
	calls bool   // the write returns org_id, mode and endpoint_id of lanes to call

	with      string // statements that text reads, as items of WITH; their arguments are in args, too
	changes   int    // how many rows text must return, if not zero
	otherwise error  // the transaction fails with it if text returns another number

	of    billing.CheckID // set if the write stores a new check, the use of its key, or its job
	again bool            // after a crash, the same job repeats the write
}

// statement returns the text and arguments to send. For a single row it uses the
// form with one parameter for each column, which takes the server a third less
// time.
func (w write) statement() (string, []any, error) {
	if w.set == "" || w.text != "" && len(w.rows) == 1 {
		return w.text, w.args, nil
	}
	rows, err := encodeRows(w.rows)
	return w.set, []any{string(rows)}, err
}

func (t *tx) ports(ctx context.Context) ports.Tx {
	return ports.Tx{
		Clock: t.clockOf(ctx, t.scope), Real: transactionClock{ctx, t},
		Keys: idempotencyKeys{t}, Checks: checks{t}, PendingChecks: pendingChecks{t}, Exchanges: exchanges{t}, Claims: claims{t}, Clearing: clearings{t}, Totals: totals{t}, Reports: reports{t}, Batches: batches{t}, ERAs: eras{t},
		RemittanceClaims: remittanceClaims{t}, Corrections: corrections{t}, Adjustments: adjustments{t}, Attachments: attachments{t}, Documents: documents{t}, PayerRequests: payerRequests{t},
		Patients: patients{t}, Offices: offices{t}, Providers: providers{t}, Events: events{t}, Endpoints: endpoints{t},
		Deliveries: deliveries{t}, Lanes: lanes{t}, Outbox: outbox{t}, Organization: ownOrganization{t}, ThrowAways: throwAways{t}, Users: users{t}, Sessions: sessions{t}, APIKeys: apiKeys{t}, Requests: requests{t},
		Audit: auditEntries{t}, Records: records{t}, Faults: faults{t},
		Quarantine: ownQuarantine{t}, Acknowledgements: acknowledgements{t}, Connections: ownConnections{t}, Enrollments: enrollments{t}, FeeSchedules: feeSchedules{t}, AttachmentRules: attachmentRules{t}, Contracts: contracts{t}, Estimates: estimates{t}, Tasks: tasks{t}, Notes: notes{t}, Automation: automations{t}, Postings: postings{t}, Deposits: deposits{t}, DepositAccounts: depositAccounts{t}, Additions: additions{t}, StatusInquiries: statusInquiries{t}, StatusPolicies: statusPolicies{t}, Appeals: appeals{t}, PayerLimits: payerLimits{t}, StatusFeed: statusFeed{t}, ImportMappings: importMappings{t}, CheckBatches: checkBatches{t}, CheckItems: checkItems{t}, CheckFeed: checkFeed{t}, SandboxClock: sandboxClock{t}, SandboxMail: ownMail{t},
		Scenarios: scenarios{t}, LiveFiles: restores{t},
	}
}

func (t *tx) scopesPorts(ctx context.Context) ports.ScopesTx {
	return ports.ScopesTx{
		ClockOf: func(of billing.Scope) ports.Clock { return t.clockOf(ctx, of) }, Real: transactionClock{ctx, t},
		Checks: checks{t}, PendingChecks: pendingChecks{t}, Events: events{t}, Outbox: anyOutbox{t},
	}
}

func (t *tx) systemPorts(ctx context.Context) ports.SystemTx {
	return ports.SystemTx{
		Real: transactionClock{ctx, t},
		Jobs: jobTable{t}, Leases: jobTable{t}, Outbox: anyOutbox{t}, Turns: taken{t}, Received: receivedFiles{t}, Contents: contents{t}, KeyFinder: keyFinder{t}, Orgs: organizations{t}, Images: imageNames{t}, Routes: routes{t}, Quarantine: quarantines{t},
		Forget: forgetter{t}, Accounts: accounts{t}, SignedIn: signedIn{t}, Origin: origin{t}, RequestLog: requests{t}, Changes: changes{t},
		AuditLog: auditEntries{t}, Connections: connections{t}, Resets: resets{t}, Restores: restores{t}, Retention: retained{t}, Deletions: deletions{t}, Erasures: erasures{t}, TaskRules: taskRules{t},
	}
}

// transactionClock is the real clock that a use case gets for its transaction.
type transactionClock struct {
	ctx context.Context // of the one function that uses the clock
	*tx
}

// Now returns the time at which the transaction began, in UTC and microseconds.
// Before the first statement it costs a separate round trip. If that fails, the
// transaction fails.
func (c transactionClock) Now() billing.Real {
	if c.clock.now.IsZero() {
		var text string
		_ = c.get(c.ctx, &text, "SELECT 'begin'")
	}
	return billing.RealAt(c.clock.now)
}

// businessClock is the clock of the business that a use case gets for its transaction.
type businessClock struct {
	transactionClock
	scope billing.Scope
}

// Now returns the time at which the transaction began by the clock of the scope.
func (c businessClock) Now() time.Time {
	_ = c.transactionClock.Now()
	return c.clock.of(c.scope)
}

func (t *tx) clockOf(ctx context.Context, scope billing.Scope) businessClock {
	return businessClock{transactionClock{ctx, t}, scope}
}

// of returns the scope of a row: that of the transaction, or the row's own in one of several scopes.
func (t *tx) of(row billing.Scope) billing.Scope {
	if t.several {
		return row
	}
	return t.scope
}

// later queues a write. Parts of one statement do not see each other's effects. A
// second write to the same row therefore sends the queue first.
func (t *tx) later(ctx context.Context, row any, text string, args ...any) error {
	return t.push(ctx, write{row: row, text: text, args: args})
}

// laterOf queues a write that belongs to creating a check.
func (t *tx) laterOf(ctx context.Context, of billing.CheckID, row any, text string, args ...any) error {
	return t.push(ctx, write{of: of, row: row, text: text, args: args})
}

func (t *tx) push(ctx context.Context, w write) error {
	if _, queued := t.queued[w.row]; queued {
		if err := t.flush(ctx); err != nil {
			return err
		}
	}
	if t.queued == nil {
		t.queued = map[any]struct{}{}
	}
	t.queued[w.row] = struct{}{}
	if w.set != "" {
		for i := range t.queue {
			if t.queue[i].set == w.set {
				t.queue[i].rows = append(t.queue[i].rows, w.rows...)
				return nil
			}
		}
	}
	t.queue = append(t.queue, w)
	return nil
}

// flush sends the queue.
func (t *tx) flush(ctx context.Context) error { return t.send(ctx, "") }

// asynchronous is a FROM clause that makes COMMIT return before the server has written
// the transaction to disk.
const asynchronous = "\nFROM set_config('synchronous_commit', 'off', true)"

// unpromised reports whether the transaction may be lost in a server crash: it only
// creates a pending check or postpones jobs. After a crash, the caller creates the
// check again, and the job runs again after its lease. See ADR 35.
func (t *tx) unpromised() bool {
	promised := func(w write) bool { return !w.again && (t.pending.IsZero() || w.of != t.pending) }
	return t.xid == "" && len(t.queue) > 0 && !slices.ContainsFunc(t.queue, promised)
}

// send sends the queue as one statement. It adds the FROM clause if no write calls
// lanes. The text depends only on the kinds of writes, so the server prepares it
// once.
func (t *tx) send(ctx context.Context, from string) error {
	if len(t.queue) == 0 {
		return t.failed
	}
	var text strings.Builder
	var args []any
	var calling, sure []string
	var otherwise error
	for i, w := range t.queue {
		name := "w" + strconv.Itoa(i)
		one, own, err := w.statement()
		if err != nil {
			return err
		}
		text.WriteString(map[bool]string{true: "WITH ", false: ", "}[i == 0])
		if w.with != "" {
			renumber(&text, w.with+", ", len(args))
		}
		text.WriteString(name + " AS (")
		renumber(&text, one, len(args))
		text.WriteString(")")
		args = append(args, own...)
		if w.changes > 0 {
			args = append(args, w.changes)
			sure = append(sure, fmt.Sprintf("(SELECT count(*) FROM %s) = $%d", name, len(args)))
			otherwise = w.otherwise
		}
		if w.calls {
			calling = append(calling, "SELECT DISTINCT org_id, mode, endpoint_id FROM "+name)
		}
	}
	xid := "pg_current_xact_id()::text"
	if len(sure) > 0 { // a division by zero makes the server roll back, with COMMIT behind the statement, too
		xid = "CASE 1 / (" + strings.Join(sure, " AND ") + ")::int WHEN 1 THEN " + xid + " END"
	}
	text.WriteString("\nSELECT " + xid + " AS xid")
	if len(calling) == 0 {
		text.WriteString(from)
	} else {
		text.WriteString(", org_id, coalesce(mode, '') AS mode, endpoint_id\nFROM (SELECT) sent\nLEFT JOIN (" +
			strings.Join(calling, " UNION ALL ") + ") called ON true")
	}
	t.queue = t.queue[:0]
	clear(t.queued)
	var called billing.Scope
	var endpoint billing.WebhookEndpointID
	to := []any{&t.xid, &called.Org, &called.Mode, &endpoint}
	if len(calling) == 0 {
		to = to[:1]
	}
	err := t.scan(ctx, func(row *sql.Rows) error {
		err := row.Scan(to...)
		t.call(called, endpoint)
		return err
	}, text.String(), args...)
	if e, ok := errors.AsType[*serverError](err); ok && e.Code == codeDivisionByZero && otherwise != nil {
		return fmt.Errorf("%w: %w", otherwise, e)
	}
	return err
}

// renumber copies a statement with each parameter $n as $(n+by).
func renumber(to *strings.Builder, text string, by int) {
	for {
		head, tail, found := strings.Cut(text, "$")
		to.WriteString(head)
		if !found {
			return
		}
		digits := len(tail) - len(strings.TrimLeft(tail, "0123456789"))
		n, _ := strconv.Atoi(tail[:digits])
		to.WriteString("$" + strconv.Itoa(n+by))
		text = tail[digits:]
	}
}

func renumbered(text string, by int) string {
	var to strings.Builder
	renumber(&to, text, by)
	return to.String()
}

// exec runs a write at once and returns the number of rows written.
func (t *tx) exec(ctx context.Context, text string, args ...any) (n int, err error) {
	text = "WITH written AS (" + text + " RETURNING 1)\nSELECT count(*) AS rows, pg_current_xact_id()::text AS xid FROM written"
	err = t.row(ctx, []any{&n, &t.xid}, text, args...)
	return n, err
}

// do is exec with an error that says what it does.
func (t *tx) do(ctx context.Context, what, text string, args ...any) (int, error) {
	n, err := t.exec(ctx, text, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return n, nil
}

// fetch is get for a row that always exists, with an error that says what it does.
func (t *tx) fetch(ctx context.Context, what string, dest any, text string, args ...any) error {
	if err := t.get(ctx, dest, text, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// get reads a row with one column. It returns sql.ErrNoRows unchanged.
func (t *tx) get(ctx context.Context, dest any, text string, args ...any) error {
	return t.row(ctx, []any{dest}, text, args...)
}

// row reads one row. It returns sql.ErrNoRows unchanged.
func (t *tx) row(ctx context.Context, to []any, text string, args ...any) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	return t.run(ctx, func(ctx context.Context) error { return t.sql.QueryRowxContext(ctx, text, args...).Scan(to...) })
}

// last is row for the last statement of a transaction. COMMIT goes with it, so the server
// wakes up once for the transaction. A statement that may write reads xid.
func (t *tx) last(ctx context.Context, to []any, text string, args ...any) error {
	return t.row(context.WithValue(ctx, lastKey{}, true), to, text, args...)
}

// scan calls read for each row of a statement.
func (t *tx) scan(ctx context.Context, read func(row *sql.Rows) error, text string, args ...any) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	return t.run(ctx, func(ctx context.Context) error {
		rows, err := t.sql.QueryxContext(ctx, text, args...)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err has the error
		for rows.Next() {
			if err := read(rows.Rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}

// run sends a statement, unless the transaction has failed or its context has ended. The statement gets a context
// that does not end: the connection watches that of the transaction.
func (t *tx) run(ctx context.Context, statement func(context.Context) error) error {
	if t.failed != nil {
		return t.failed
	}
	err := ctx.Err()
	if err == nil {
		err = statement(context.WithoutCancel(ctx))
	}
	err = ofStatement(ctx, err)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.failed = err
	}
	return err
}

// commit sends the queue, and COMMIT in the same message if the transaction's ID is known.
// The ID finds the outcome if the reply is lost. While test mode is being reset, nothing is
// committed.
func (t *tx) commit(ctx context.Context) error {
	if t.unsealable != nil {
		return fmt.Errorf("encrypt a row: %w", t.unsealable)
	}
	from := ""
	if t.unpromised() {
		from = asynchronous
	}
	id := cmp.Or(t.xid, t.expected)
	resetting := t.clock.resetting && !t.lasting
	if id != "" && len(t.queue) > 0 && !resetting && t.failed == nil {
		err := t.send(context.WithValue(ctx, lastKey{}, true), from)
		if _, refused := errors.AsType[*serverError](err); t.failed != nil && !refused {
			t.xid = id
			t.sql.Rollback() // frees the connection
			return &commitUnknownError{err}
		}
		if err != nil {
			return err
		}
	} else if err := t.send(ctx, from); err != nil {
		return err
	}
	if resetting && t.xid != "" {
		return sandbox.ErrResetting()
	}
	err := t.sql.Commit(ctx)
	if _, unknown := errors.AsType[*commitUnknownError](err); unknown || err == nil {
		return err
	}
	return ofStatement(ctx, err)
}

// micro cuts a time to microseconds, PostgreSQL's precision. Otherwise PostgreSQL
// would round it, and the row would differ from the value that was written.
func micro(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// optional returns a time or NULL.
func optional(t time.Time) sql.NullTime { return sql.NullTime{Time: micro(t), Valid: !t.IsZero()} }
