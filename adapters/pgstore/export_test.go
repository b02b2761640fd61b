package pgstore

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// OpenDialing calls Open with the test's sockets.
func OpenDialing(ctx context.Context, o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) (*Store, error) {
	return open(ctx, o, dial)
}

// Await makes transactions wait for a server that is away until the test's own
// deadline, because a slow machine may take long to restart one.
func (s *Store) Await() { s.awayTime = time.Hour }

// AwaitWaiting returns when n transactions wait for their turn.
func (s *Store) AwaitWaiting(ctx context.Context, n int) {
	for s.turns.length() < n && pause(ctx, time.Millisecond) {
	}
}

// Times returns the time of a transaction's clock, and the database's time of
// that transaction.
func (s *Store) Times(ctx context.Context, scope billing.Scope) (clock, database time.Time, err error) {
	err = s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error {
		clock = t.ports(ctx).Clock.Now()
		return t.get(ctx, &database, "SELECT now()")
	})
	return clock, database, err
}

// FirstStatistics checks once for tables without statistics.
func (s *Store) FirstStatistics(ctx context.Context) error { return s.firstStatistics(ctx) }

// ListQueries returns the statements of the lists, for EXPLAIN.
type ListQueries struct{ Scope billing.Scope }

// Checks returns the statement of Checks.List.
func (l ListQueries) Checks(f billing.CheckFilter, p billing.Page) (string, []any) {
	q := checks{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Recent returns the statement of Checks.Recent.
func (l ListQueries) Recent(digest [32]byte, f billing.CheckFilter) (string, []any) {
	q := checks{&tx{scope: l.Scope}}.recent(digest, f.CreatedAfter)
	text := q.text("")
	return text, q.args
}

// Attachments returns the statement of Attachments.List.
func (l ListQueries) Attachments(f billing.AttachmentFilter, p billing.Page) (string, []any) {
	q := attachments{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Documents returns the statement that reads the documents of attachments.
func (l ListQueries) Documents(ids ...billing.AttachmentID) (string, []any) {
	var all []*billing.Attachment
	for _, id := range ids {
		all = append(all, &billing.Attachment{ID: id})
	}
	return documents{&tx{scope: l.Scope}}.of(all)
}

// Received returns the statement of PayerRequests.Received.
func (l ListQueries) Received(payer billing.PayerID, claim billing.ClaimID, reference string) (string, []any) {
	return received, []any{l.Scope.Org, l.Scope.Mode, payer, reference, claim}
}

// PayerRequests returns the statement of PayerRequests.List.
func (l ListQueries) PayerRequests(f billing.PayerRequestFilter, p billing.Page) (string, []any) {
	q := payerRequests{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Events returns the statement of Events.List.
func (l ListQueries) Events(f billing.EventFilter, p billing.Page) (string, []any) {
	q := events{&tx{scope: l.Scope}}.filter(f)
	text := q.page(p)
	return text, q.args
}

// Tail returns the statement of Events.Tail.
func (l ListQueries) Tail(f billing.EventFilter, after billing.EventID, limit int) (string, []any) {
	return events{&tx{scope: l.Scope}}.tail(f, after, limit)
}

// Deliveries returns the statement of Deliveries.List.
func (l ListQueries) Deliveries(id billing.WebhookEndpointID, p billing.Page) (string, []any) {
	q := deliveries{&tx{scope: l.Scope}}.filter(id)
	text := q.page(p)
	return text, q.args
}

// Due returns the statement of Lanes.Due.
func (l ListQueries) Due(id billing.WebhookEndpointID, limit int, inFlight ...billing.DeliveryID) (string, []any) {
	return lanes{&tx{scope: l.Scope}}.due(id, limit, inFlight)
}

// Resent returns the statement that counts what Deliveries.Resend sends.
func (l ListQueries) Resent(f billing.ResendFilter, limit int) (string, []any) {
	return deliveries{&tx{scope: l.Scope}}.count(f, limit)
}

// Record returns the statement of Lanes.Record.
func (l ListQueries) Record(ctx context.Context, tried ...*billing.Delivery) (string, []any, error) {
	return l.queued(func(t *tx) error { return lanes{t}.Record(ctx, tried) })
}

// FanOut returns the statement that queues an event.
func (l ListQueries) FanOut(ctx context.Context, events ...billing.Event) (string, []any, error) {
	return l.queued(func(t *tx) (err error) {
		for _, e := range events {
			err = errors.Join(err, t.fanOut(ctx, l.Scope, e))
		}
		return err
	})
}

// queued returns the statement that fn queues.
func (l ListQueries) queued(fn func(t *tx) error) (string, []any, error) {
	t := &tx{scope: l.Scope}
	if err := fn(t); err != nil {
		return "", nil, err
	}
	return t.queue[0].statement()
}

// TakeDue returns the statement of Jobs.Due.
const TakeDue = takeDue

// CallLanes returns the statement of Jobs.Lanes.
func CallLanes(now time.Time, pause time.Duration, limit int) (string, []any) {
	return callLanes, []any{now, pause.Microseconds(), limit}
}

// OfficesByNPI and OfficesByTaxID return the statements of Offices.Numbered.
func (l ListQueries) OfficesByNPI(npi string) (string, []any) {
	return offices{&tx{scope: l.Scope}}.byNPI(npi)
}

// OfficesByTaxID returns the other one.
func (l ListQueries) OfficesByTaxID(taxID string) (string, []any) {
	return offices{&tx{scope: l.Scope}}.byTaxID(taxID)
}

// Claims returns the statement of Claims.List.
func (l ListQueries) Claims(f billing.ClaimFilter, p billing.Page) (string, []any) {
	return claims{&tx{scope: l.Scope}}.walked(f, p)
}

// FewSent returns the statement of Claims.List when few claims were sent in the
// span.
func (l ListQueries) FewSent(f billing.ClaimFilter, p billing.Page) (string, []any) {
	return claims{&tx{scope: l.Scope}}.sorted(f, p)
}

// CountSent returns the statement that counts claims that were sent in a span.
func (l ListQueries) CountSent(f billing.ClaimFilter) (string, []any) {
	return claims{&tx{scope: l.Scope}}.countSent(f)
}

// Similar returns the statement of Claims.Similar.
func (l ListQueries) Similar(id billing.PatientID, span billing.DateSpan) (string, []any) {
	return claims{&tx{scope: l.Scope}}.similar(id, span)
}

// Match returns the statement of Clearing.Match.
func (l ListQueries) Match(controlNumbers, payerClaimNumbers []string) (string, []any) {
	return clearing{&tx{scope: l.Scope}}.match(controlNumbers, payerClaimNumbers)
}

// Queued returns the statement of Clearing.Queued.
func (l ListQueries) Queued(payers []billing.PayerID, limit int) (string, []any) {
	return clearing{&tx{scope: l.Scope}}.queued(payers, limit)
}

// OfBatch returns the statement of Clearing.OfBatch.
func (l ListQueries) OfBatch(id billing.FileID) (string, []any) {
	return clearing{&tx{scope: l.Scope}}.ofBatch(id)
}

// Batches returns the statement of Batches.List.
func (l ListQueries) Batches(p billing.Page) (string, []any) {
	q := (&tx{scope: l.Scope}).query(batchColumns, "batches")
	text := q.page(p)
	return text, q.args
}

// ERAs returns the statement of ERAs.List.
func (l ListQueries) ERAs(f billing.ERAFilter, p billing.Page) (string, []any) {
	q := eras{&tx{scope: l.Scope}}.filter(f)
	text := q.pageBy("received_at", p)
	return text, q.args
}

// NextERA returns the statement of ERAs.Lock without an ID.
func (l ListQueries) NextERA() (string, []any) { return eras{&tx{scope: l.Scope}}.next() }

// ERAClaims returns the statement of ERAClaims.List.
func (l ListQueries) ERAClaims(id billing.ERAID, after int, unapplied bool, limit int) (string, []any) {
	return eraClaims{&tx{scope: l.Scope}}.after(id, after, unapplied, limit)
}

// SaveClaims returns the statement that Claims.Save queues.
func (l ListQueries) SaveClaims(ctx context.Context, all ...*billing.Claim) (string, []any, error) {
	return l.queued(func(t *tx) (err error) {
		for _, c := range all {
			err = errors.Join(err, claims{t}.Save(ctx, c))
		}
		return err
	})
}

// AppendEvents returns the statement that numbers events.
func (l ListQueries) AppendEvents(ctx context.Context, events ...billing.Event) (string, []any, error) {
	return l.queued(func(t *tx) (err error) {
		for _, e := range events {
			err = errors.Join(err, t.appendTo(ctx, l.Scope, e))
		}
		return err
	})
}

// RoutedByNPI, RoutedByTaxID, RoutedBatch and QueuedPayers are the statements
// of Routes, and TakenMail is that of SandboxMail.Take.
const (
	RoutedByNPI   = payeesByNPI
	RoutedByTaxID = payeesByTaxID
	RoutedBatch   = batchByNumber
	QueuedPayers  = queuedPayers
	TakenMail     = takeMail
)

// The statements of sweeps.
const (
	ForgetKeyUses    = forgetKeyUses
	ForgetUploads    = forgetUploads
	ForgetDeliveries = forgetDeliveries
	ForgetMail       = forgetMail
	ForgetNotes      = forgetNotes
)
