package pgstore

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
)

// Number returns an ID as the rows of the tests of plans have them.
func Number(n, kind byte) (id [16]byte) {
	id[3], id[15] = kind, n
	return id
}

// Statement is a statement with its arguments, for EXPLAIN.
type Statement struct {
	Text string
	Args []any
}

func made(text string, args []any) Statement { return Statement{text, args} }

func paged(q *query, p billing.Page) Statement { return pagedBy(q, "created_at", p) }

func pagedBy(q *query, order string, p billing.Page) Statement {
	text := q.pageBy(order, p)
	return Statement{text, q.args}
}

// queued returns the statement that fn queues.
func queued(tb testing.TB, in billing.Scope, fn func(t *tx) error) Statement {
	tb.Helper()
	t := &tx{scope: in}
	if err := fn(t); err != nil {
		tb.Fatal(err)
	}
	text, args, err := t.queue[0].statement()
	if err != nil {
		tb.Fatal(err)
	}
	return Statement{text, args}
}

// ListStatements returns every list with every filter.
func ListStatements(in billing.Scope) map[string]Statement {
	t := &tx{scope: in}
	at := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	first, next := billing.Page{Limit: 25}, billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: Number(7, 1)}}
	recent := checks{t}.recent([32]byte{1}, at)
	text := recent.text("")
	statements := map[string]Statement{
		"recent check":   made(text, recent.args),
		"tail":           made(events{t}.tail(billing.EventFilter{}, billing.EventID{}, 100)),
		"tail on":        made(events{t}.tail(billing.EventFilter{}, Number(13, 5), 100)),
		"tail, since":    made(events{t}.tail(billing.EventFilter{CreatedAfter: at}, billing.EventID{}, 100)),
		"event resource": paged(events{t}.filter(billing.EventFilter{Resource: Number(3, 6)}), first),
		"documents":      made(documents{t}.of([]*billing.Attachment{{ID: Number(13, 1)}, {ID: Number(23, 1)}})),
		"received":       made(received, []any{in.Org, in.Mode, billing.PayerID(Number(2, 3)), "77", billing.ClaimID(Number(3, 7))}),
	}
	for name, p := range map[string]billing.Page{"": first, ", next page": next} {
		for filter, f := range map[string]billing.CheckFilter{
			"all": {}, "office": {OfficeID: Number(2, 2)}, "payer": {PayerID: Number(2, 3)}, "outcome": {Outcome: billing.OutcomeRejected},
			"request": {RequestID: Number(3, 4)}, "tenant reference": {TenantReference: "ref-7"}, "span": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		} {
			statements["checks, "+filter+name] = paged(checks{t}.filter(f), p)
		}
		for filter, f := range map[string]billing.AttachmentFilter{
			"all": {}, "claim": {ClaimID: Number(3, 7)}, "payer request": {PayerRequestID: Number(3, 8)}, "request": {RequestID: Number(3, 4)},
			"state": {State: billing.AttachmentOpen}, "office": {OfficeID: Number(2, 2)}, "span": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		} {
			statements["attachments, "+filter+name] = paged(attachments{t}.filter(f), p)
		}
		for filter, f := range map[string]billing.PayerRequestFilter{
			"all": {}, "state": {State: billing.PayerRequestOpen}, "claim": {ClaimID: Number(3, 7)}, "payer": {PayerID: Number(2, 3)},
			"due": {DueBy: billing.Date{Year: 2026, Month: 2, Day: 7}},
		} {
			statements["payer requests, "+filter+name] = paged(payerRequests{t}.filter(f), p)
		}
		for filter, f := range map[string]billing.EventFilter{"all": {}, "type": {Type: billing.EventClaimPaid}, "span": {CreatedAfter: at}} {
			statements["events, "+filter+name] = paged(events{t}.filter(f), p)
		}
	}
	return statements
}

// ClaimStatements returns the statements on claims and their files. Names that
// begin with "every scope" run across scopes.
func ClaimStatements(tb testing.TB, in billing.Scope, saved ...*billing.Claim) map[string]Statement {
	tb.Helper()
	t := &tx{scope: in}
	at := time.Date(2007, 3, 1, 0, 0, 0, 0, time.UTC)
	var control, payer []string
	var ids []billing.ClaimID
	for n := range 300 {
		ids = append(ids, Number(byte(n), 1))
		control, payer = append(control, "pcn-"+strconv.Itoa(n*7)), append(payer, "PAYER"+strconv.Itoa(n*11))
	}
	saves := func(t *tx) (err error) {
		for _, c := range saved {
			err = errors.Join(err, claims{t}.Save(tb.Context(), c))
		}
		return err
	}
	numbers := func(t *tx) error {
		return errors.Join(t.appendTo(tb.Context(), in, happened(3)), t.appendTo(tb.Context(), in, happened(5)))
	}
	statements := map[string]Statement{
		"similar":                    made(claims{t}.similar(Number(7, 5), billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 1}, To: billing.Date{Year: 2026, Month: 5, Day: 9}})),
		"match":                      made(clearing{t}.match(control, payer)),
		"queued":                     made(clearing{t}.queued([]billing.PayerID{Number(2, 3), Number(5, 3)}, 5000)),
		"of a batch":                 made(clearing{t}.ofBatch(Number(7, 8))),
		"count sent":                 made(claims{t}.countSent(billing.ClaimFilter{Kind: billing.KindClaim, SentFrom: at, SentTo: at.AddDate(0, 0, 1)})),
		"next remittance":            made(eras{t}.next()),
		"remittance claims":          made(eraClaims{t}.after(Number(3, 7), 100, 300)),
		"remittance claims to apply": made(eraClaims{t}.pending(Number(3, 7), 300)),
		"ledgers":                    made(eraClaims{t}.ledger(ids)),
		"unmatched":                  made(eraClaims{t}.unmatched(control, payer)),
		"claim":                      made(claims{t}.single(Number(7, 1), forUpdate)),
		"save claims":                queued(tb, in, saves),
		"number events":              queued(tb, in, numbers),
		"offices, NPI":               made(offices{t}.byNPI("1234567893")),
		"offices, tax ID":            made(offices{t}.byTaxID("123456789")),
		"every scope, queued":        {queuedPayers, []any{"test"}},
		"every scope, NPI":           {payeesByNPI, []any{"test", "123456789", "1234567893"}},
		"every scope, tax ID":        {payeesByTaxID, []any{"test", "123456789"}},
		"every scope, batch":         {batchByNumber, []any{"test", pq.StringArray{"7", "8"}, "sandbox"}},
		"every scope, mail":          {takeMail, []any{at, 1000000, 10}},
	}
	first, next := billing.Page{Limit: 25}, billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: Number(7, 1)}}
	for name, p := range map[string]billing.Page{"": first, ", next page": next} {
		for filter, f := range map[string]billing.ClaimFilter{
			"kind": {}, "state": {State: billing.ClaimRejected}, "office": {OfficeID: Number(2, 2)}, "payer": {PayerID: Number(2, 3)},
			"created": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)}, "sent": {SentFrom: at, SentTo: at.AddDate(0, 0, 1)},
			"sent since": {SentFrom: at}, "sent before": {SentTo: at}, "office and state": {OfficeID: Number(2, 2), State: billing.ClaimRejected},
		} {
			f.Kind = billing.KindClaim
			statements["claims, "+filter+name] = made(claims{t}.walked(f, p))
			if strings.HasPrefix(filter, "sent") {
				statements["claims, few "+filter+name] = made(claims{t}.sorted(f, p))
			}
		}
		statements["claims, request"+name] = made(claims{t}.walked(billing.ClaimFilter{RequestID: Number(3, 6)}, p))
		statements["claims, control number"+name] = made(claims{t}.walked(billing.ClaimFilter{ControlNumber: "pcn-7"}, p))
		for filter, f := range map[string]billing.ERAFilter{
			"all": {}, "state": {State: billing.ERAPosted}, "attention": {NeedsAttention: true}, "payer": {PayerID: Number(2, 3)}, "received": {ReceivedFrom: at, ReceivedTo: at.AddDate(0, 0, 1)},
			"paid": {PaidFrom: billing.Date{Year: 2026, Month: 1, Day: 2}, PaidTo: billing.Date{Year: 2026, Month: 1, Day: 3}},
		} {
			statements["remittances, "+filter+name] = pagedBy(eras{t}.filter(f), "received_at", p)
		}
		statements["batches"+name] = paged(t.query(batchColumns, "batches"), p)
	}
	return statements
}

func happened(resource byte) billing.Event {
	return billing.Event{
		ID: Number(resource, 5), Type: billing.EventEligibilityCompleted, Resource: Number(resource, 6), CreatedAt: time.Now(), Data: []byte("{}"),
	}
}

// WebhookStatements returns the statements on deliveries. None may cost more
// because an endpoint has many.
func WebhookStatements(tb testing.TB, in billing.Scope) map[string]Statement {
	tb.Helper()
	t := &tx{scope: in}
	result := func(n byte) *billing.Delivery {
		return &billing.Delivery{ID: Number(n, 12), State: billing.DeliveryDelivered, Attempts: make([]billing.Attempt, 1)}
	}
	records := func(t *tx) error {
		return lanes{t}.Record(tb.Context(), []*billing.Delivery{result(1), result(3), result(5)})
	}
	fansOut := func(resources ...byte) func(t *tx) error {
		return func(t *tx) (err error) {
			for _, n := range resources {
				err = errors.Join(err, t.fanOut(tb.Context(), in, happened(n)))
			}
			return err
		}
	}
	at := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	next := billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: Number(7, 1)}}
	return map[string]Statement{
		"deliveries":              paged(deliveries{t}.filter(Number(3, 11)), billing.Page{Limit: 25}),
		"deliveries, next page":   paged(deliveries{t}.filter(Number(3, 11)), next),
		"due":                     made(lanes{t}.due(Number(3, 11), 16, nil)),
		"due, some in flight":     made(lanes{t}.due(Number(3, 11), 16, []billing.DeliveryID{Number(1, 12), Number(3, 12)})),
		"resend an event":         made(deliveries{t}.count(billing.ResendFilter{EventID: Number(4, 5)}, 1000)),
		"resend a span":           made(deliveries{t}.count(billing.ResendFilter{CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)}, 1000)),
		"resend to one":           made(deliveries{t}.count(billing.ResendFilter{CreatedAfter: at, EndpointID: Number(3, 11)}, 1000)),
		"resend types to one":     made(deliveries{t}.count(billing.ResendFilter{CreatedAfter: at, EndpointID: Number(3, 11), EventTypes: []billing.EventType{"claim.paid"}}, 1000)),
		"record":                  queued(tb, in, records),
		"fan out":                 queued(tb, in, fansOut(3)),
		"fan out several":         queued(tb, in, fansOut(3, 5)),
		"call lanes, every scope": made(callLanes, []any{at, time.Second.Microseconds(), 64}),
	}
}
