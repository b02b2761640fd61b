package pgstore

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/billing/webhook"
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
	t := &tx{scope: in, clock: clock{now: time.Unix(0, 0), business: time.Unix(0, 0)}}
	if err := fn(t); err != nil {
		tb.Fatal(err)
	}
	text, args, err := t.queue[0].statement()
	if err != nil {
		tb.Fatal(err)
	}
	return Statement{text, args}
}

// ClaimWrites returns what is written of a claim that was saved beside the claim itself.
func ClaimWrites(tb testing.TB, in billing.Scope, c *claim.Claim) (all []Statement) {
	tb.Helper()
	t := &tx{scope: in, clock: clock{now: time.Unix(0, 0), business: time.Unix(0, 0)}}
	if err := (claims{t}).Save(tb.Context(), c); err != nil {
		tb.Fatal(err)
	}
	for _, w := range t.queue {
		if w.with == "" {
			continue
		}
		text, args, err := w.statement()
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, Statement{"WITH " + w.with + ", written AS (" + text + ") SELECT", args})
	}
	return all
}

// TaskPage returns the statement of the page of a list of tasks after another task.
func TaskPage(in billing.Scope, f task.Filter, last *task.Task) Statement {
	after := last.Position()
	return made(tasks{&tx{scope: in}}.list(time.Unix(0, 0), f, billing.Page{Limit: 25, After: &after}))
}

// TaskCounts returns the statement that counts open tasks.
func TaskCounts(in billing.Scope) Statement {
	return made(countTasks, tasks{&tx{scope: in}}.count(time.Unix(0, 0)))
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
		"checks by day":  made(totals{t}.checks(billing.DateOf(at))),
		"due requests":   made(totals{t}.payerRequests()),
		"tail":           made(events{t}.tail(event.Filter{}, billing.EventID{}, 100)),
		"tail on":        made(events{t}.tail(event.Filter{}, Number(13, 5), 100)),
		"tail, since":    made(events{t}.tail(event.Filter{CreatedAfter: at}, billing.EventID{}, 100)),
		"event resource": paged(events{t}.filter(event.Filter{Resource: Number(3, 6)}), first),
		"documents":      made(documents{t}.of([]*attachment.Attachment{{ID: Number(13, 1)}, {ID: Number(23, 1)}})),
		"received":       made(received, []any{in.Org, in.Mode, billing.PayerID(Number(2, 3)), "77", billing.ClaimID(Number(3, 7))}),
	}
	for name, p := range map[string]billing.Page{"": first, ", next page": next} {
		for filter, f := range map[string]coverage.CheckFilter{
			"all": {}, "office": {OfficeID: Number(2, 2)}, "payer": {PayerID: Number(2, 3)}, "outcome": {Outcome: coverage.OutcomeRejected},
			"request": {RequestID: Number(3, 4)}, "patient": {PatientID: Number(7, 5)}, "tenant reference": {TenantReference: "ref-7"}, "span": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		} {
			statements["checks, "+filter+name] = paged(checks{t}.filter(f), p)
		}
		for filter, f := range map[string]attachment.Filter{
			"all": {}, "claim": {ClaimID: Number(3, 7)}, "payer request": {PayerRequestID: Number(3, 8)}, "request": {RequestID: Number(3, 4)},
			"state": {State: attachment.Open}, "patient": {PatientID: Number(7, 5)}, "office": {OfficeID: Number(2, 2)}, "span": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		} {
			statements["attachments, "+filter+name] = paged(attachments{t}.filter(f), p)
		}
		for filter, f := range map[string]attachment.PayerRequestFilter{
			"all": {}, "state": {State: attachment.PayerRequestOpen}, "claim": {ClaimID: Number(3, 7)}, "patient": {PatientID: Number(7, 5)}, "payer": {PayerID: Number(2, 3)},
			"due": {DueBy: billing.Date{Year: 2026, Month: 2, Day: 7}},
		} {
			statements["payer requests, "+filter+name] = paged(payerRequests{t}.filter(f), p)
		}
		for list, q := range map[string]*query{
			"users": t.ofOrganization(userColumns, "users"), "API keys": t.ofOrganization(keyColumns, "api_keys"),
			"sessions": sessions{t}.alive(billing.UserID{}, at), "sessions, user": sessions{t}.alive(Number(13, 12), at),
		} {
			statements[list+name] = paged(q, p)
		}
		for filter, f := range map[string]caller.RequestFilter{
			"all": {}, "key": {KeyID: Number(3, 11)}, "operation": {Operation: "GET /claims"}, "status": {Status: 422},
			"error": {Error: billing.CodeInvalidRequest}, "resource": {Resource: "elg_7"}, "span": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		} {
			statements["requests, "+filter+name] = paged(requests{t}.filter(f), p)
		}
		for filter, f := range map[string]caller.AuditFilter{
			"all": {}, "user": {User: Number(3, 14)}, "key": {Key: Number(3, 14)}, "resource": {Resource: "clm_7"},
			"span":              {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
			"user and resource": {User: Number(3, 14), Resource: "pat_7"}, "people": {Actor: caller.ActorUser}, "changes": {Changes: true},
			"operators of one organization": {Actor: caller.ActorOperator}, "foreground": {Background: new(false)},
		} {
			statements["audit, "+filter+name] = made(auditEntries{t}.page(f, nil, p))
		}
		seen := caller.AuditFilter{Patient: Number(7, 5)}
		statements["audit, operators"+name] = paged(auditEntries{t}.operators(billing.OrgID{}, caller.AuditFilter{}), p)
		statements["audit, operators of"+name] = paged(auditEntries{t}.operators(in.Org, caller.AuditFilter{Changes: true}), p)
		statements["audit, patient"+name] = made(auditEntries{t}.page(seen, []string{"pat_7", "clm_7", "era_7"}, p))
		seen.Resource = "clm_7"
		statements["audit, patient and claim"+name] = made(auditEntries{t}.page(seen, []string{"pat_7", "clm_7", "era_7"}, p))
		statements["event types"+name] = paged(events{t}.merged(event.Filter{Types: event.Types()[:3]}, p), p)
		for filter, f := range map[string]event.Filter{"all": {}, "type": {Types: []event.Type{event.ClaimPaid}}, "span": {CreatedAfter: at}} {
			statements["events, "+filter+name] = paged(events{t}.filter(f), p)
		}
	}
	return statements
}

// ClaimStatements returns the statements on claims and their files. Names that
// begin with "every scope" run across scopes.
func ClaimStatements(tb testing.TB, in billing.Scope, saved ...*claim.Claim) map[string]Statement {
	tb.Helper()
	t, live := &tx{scope: in}, &tx{scope: billing.Scope{Org: in.Org, Mode: billing.ModeLive}}
	at, day := time.Date(2007, 3, 1, 0, 0, 0, 0, time.UTC), billing.Date{Year: 2007, Month: 3, Day: 1}
	rejected := []claim.State{claim.Rejected}
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
		"totals":                     made(totals{t}.claims(day)),
		"attachments of a patient":   {bornAlike, []any{billing.PatientID(Number(7, 5))}},
		"what holds a patient":       made(auditEntries{t}.holders(Number(7, 5), in.Mode)),
		"waiting":                    made(totals{t}.waiting()),
		"claims to send":             made(totals{t}.toSend()),
		"since":                      made(claims{t}.since("M7", Number(7, 5), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))),
		"similar":                    made(claims{t}.similar(Number(7, 5), billing.DateSpan{From: billing.Date{Year: 2026, Month: 5, Day: 1}, To: billing.Date{Year: 2026, Month: 5, Day: 9}})),
		"match":                      made(clearings{t}.match(control, payer)),
		"linked":                     made(remittanceClaims{t}.linked([]billing.ClaimID{{1}})),
		"queued":                     made(clearings{t}.queued([]billing.PayerID{Number(2, 3), Number(5, 3)}, time.Time{}, 5000)),
		"queued before":              made(clearings{t}.queued([]billing.PayerID{Number(2, 3), Number(5, 3)}, at, 5000)),
		"queued, live":               made(clearings{live}.queued([]billing.PayerID{Number(2, 3), Number(5, 3)}, at, 5000)),
		"awaiting":                   made(clearings{t}.awaiting("a", Number(2, 2), Number(2, 3), billing.ClaimID{}, 300)),
		"active plans of patients":   made(checks{t}.active([]billing.PatientID{Number(7, 5), Number(8, 5)})),
		"claims of a patient, sent":  made(contracts{t}.ofPatient(Number(7, 5))),
		"next to follow contracts":   made(contracts{t}.next(Number(7, 1), 500)),
		"of a batch":                 made(clearings{t}.ofBatch(Number(7, 8))),
		"count sent":                 made(claims{t}.countIn(bySent, claim.Filter{Kind: claim.KindClaim, SentFrom: at, SentTo: at.AddDate(0, 0, 1)})),
		"found claims":               made(claims{t}.search(billing.ParseSearch("m77"), ids[:2], []billing.PatientID{Number(7, 5), Number(8, 5)}, billing.Page{Limit: 25})),
		"found claims, next page":    made(claims{t}.search(billing.ParseSearch("m77"), ids[:2], []billing.PatientID{Number(7, 5)}, billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: Number(7, 1)}})),
		"started numbers":            made(claims{t}.started(billing.ParseSearch("m77"))),
		"typed words":                made(patients{t}.typed(billing.ParseSearch("ada byr").Words)),
		"found patients, number":     made(patients{t}.search(billing.ParseSearch("m7"), nil)),
		"found patients, words":      made(patients{t}.search(billing.ParseSearch("ada-77"), []searchWord{{Word: "ada"}, {Word: "byr"}})),
		"found patients, born":       made(patients{t}.search(billing.ParseSearch("1984-02-29"), nil)),
		"found patients, all":        made(patients{t}.search(billing.ParseSearch("byr, ada 2/3/84"), []searchWord{{Word: "byr", Of: billing.LastName}, {Word: "ada", Of: billing.FirstName}})),
		"patients alike":             paged(patients{t}.alike(&directory.Patient{ID: Number(7, 5), DateOfBirth: billing.Date{Year: 1984, Month: 2, Day: 29}}), billing.Page{Limit: 10}),
		"what a patient owes":        made(claims{t}.owed(Number(7, 5))),
		"read patients":              paged(patients{t}.these([]billing.PatientID{Number(7, 5), Number(8, 5)}), billing.Page{Limit: 25}),
		"patients":                   paged(t.query(patientColumns, "patients"), billing.Page{Limit: 25}),
		"count served":               made(claims{t}.countIn(byService, claim.Filter{Kind: claim.KindClaim, ServiceFrom: day, ServiceTo: day})),
		"count states":               made(claims{t}.countEach(claim.Filter{Kind: claim.KindClaim, States: claim.States()})),
		"count open":                 made(claims{t}.countEach(claim.Filter{Kind: claim.KindClaim, States: claim.States(), Open: true})),
		"count an office":            made(claims{t}.countTogether(claim.Filter{Kind: claim.KindClaim, OfficeID: Number(2, 2)})),
		"report by age":              made(reports{t}.aging(report.Filter{By: report.BySubmission, Group: report.ByPayer}, day)),
		"report collections":         made(reports{t}.collections(report.Filter{By: report.ByDecision, Group: report.ByOffice, Span: billing.DateSpan{From: day, To: day}})),
		"report payments":            made(reports{t}.paid(remit.Filter{PaidFrom: day, PaidTo: day})),
		"report what is ignored":     made(reports{t}.unappliedIn(remit.Filter{PaidFrom: day, PaidTo: day}, remit.WithIgnored)),
		"report what is not done":    made(reports{t}.unappliedIn(remit.Filter{PaidFrom: day, PaidTo: day}, remit.WithUnfinished)),
		"unapplied of a remittance":  made(reports{t}.unappliedOf(Number(7, 1))),
		"report denials":             made(reports{t}.denials(report.Filter{By: report.ByService, Span: billing.DateSpan{From: day, To: day}})),
		"report payers":              made(reports{t}.payers(report.Filter{By: report.BySubmission, Group: report.ByPayer, Span: billing.DateSpan{From: day, To: day}})),
		"claims of a report":         made(claims{t}.ofReports(claim.Filter{Kind: claim.KindClaim, Open: true, Last: true, PayerID: Number(2, 3)}, billing.Page{Limit: 25})),
		"count claims of a report":   made(claims{t}.countOfReports(claim.Filter{Kind: claim.KindClaim, DecidedFrom: day, Figure: string(report.Paid)})),
		"acknowledgements":           made(acknowledgements{t}.of([]*clearing.Batch{{ID: Number(3, 8)}, {ID: Number(13, 8)}})),
		"kept acknowledgements":      made(acknowledgements{t}.after(Number(3, 8), 10)),
		"next remittance":            made(eras{t}.next()),
		"remittance claims":          made(remittanceClaims{t}.after(Number(3, 7), 100, 300)),
		"count remittance claims":    made(remittanceClaims{t}.count(Number(3, 7))),
		"remittance claims to apply": made(remittanceClaims{t}.pending(Number(3, 7), 300)),
		"same payment":               made(corrections{t}.ofPayment("77", day)),
		"claims that count":          made(corrections{t}.left(Number(3, 7), 100, 300)),
		"claims set aside":           made(corrections{t}.aside(Number(3, 7), nil, 300)),
		"set aside, control number":  made(corrections{t}.aside(Number(3, 7), control, 300)),
		"ledgers":                    made(remittanceClaims{t}.ledger(ids)),
		"unmatched":                  made(remittanceClaims{t}.unmatched(control, payer)),
		"claim":                      made(claims{t}.single(Number(7, 1), forUpdate)),
		"save claims":                queued(tb, in, saves),
		"number events":              queued(tb, in, numbers),
		"offices, NPI":               made(offices{t}.byNPI("1234567893")),
		"offices, tax ID":            made(offices{t}.byTaxID("123456789")),
		"every scope, queued":        {queuedPayers, []any{"test"}},
		"every scope, unsent":        {oldestUnsent, []any{"live"}},
		"every scope, NPI":           {payeesByNPI, []any{"test", "123456789", "1234567893"}},
		"every scope, tax ID":        {payeesByTaxID, []any{"test", "123456789"}},
		"every scope, batch":         {batchByNumber, []any{"test", pq.StringArray{"7", "8"}, "sandbox"}},
		"every scope, undecided":     {undecidedBatches, []any{maxUndecided}},
		"every scope, unsettled":     {unsettledSince + unsettledInOrder, []any{"con_1", at}},
		"late":                       made(acknowledgements{t}.late([]billing.FileID{Number(3, 8), Number(13, 8)})),
		"unsettled":                  made(acknowledgements{t}.awaiting([]billing.FileID{Number(3, 8), Number(13, 8)})),
		"work of the sandbox clock":  {workOf(true), []any{in.Org, in.Mode, pq.StringArray{"sandbox"}, pq.StringArray{"era"}}},
		"every scope, mail":          {takeMail, []any{at, 10, "sandbox", 1000000}},
		"every scope, any mail":      {anyMail, []any{at, 1, "sandbox"}},
	}
	first, next := billing.Page{Limit: 25}, billing.Page{Limit: 25, After: &billing.Position{Time: at, ID: Number(7, 1)}}
	for name, p := range map[string]billing.Page{"": first, ", next page": next} {
		for filter, f := range map[string]claim.Filter{
			"kind": {}, "state": {States: rejected}, "office": {OfficeID: Number(2, 2)}, "payer": {PayerID: Number(2, 3)},
			"created": {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)}, "sent": {SentFrom: at, SentTo: at.AddDate(0, 0, 1)},
			"sent since": {SentFrom: at}, "sent before": {SentTo: at}, "office and state": {OfficeID: Number(2, 2), States: rejected},
			"office and states": {OfficeID: Number(2, 2), States: claim.States()}, "served": {ServiceFrom: day, ServiceTo: day},
			"patient": {PatientID: Number(7, 5)},
		} {
			f.Kind = claim.KindClaim
			statements["claims, "+filter+name] = made(claims{t}.walked(f, p))
			for _, s := range spansOf(f) {
				statements["claims, few "+filter+name] = made(claims{t}.sorted(s, f, p))
			}
		}
		for by, o := range claimOrders {
			f := claim.Filter{Kind: claim.KindClaim, Open: by == claim.SortOpen}
			statements["claims, by "+string(by)+name] = made(claims{t}.inOrder(o, f, p, false))
			statements["claims, few figured by "+string(by)+name] = made(claims{t}.inOrder(o, claim.Filter{Kind: claim.KindClaim, Last: true}, p, true))
			f.States = rejected
			statements["claims, few by "+string(by)+name] = made(claims{t}.inOrder(o, f, p, true))
		}
		for by, o := range remittanceOrders {
			q := eras{t}.filter(remit.Filter{})
			text := o.page(q, p)
			statements["remittances by "+string(by)+name] = Statement{text, q.args}
		}
		statements["claims, few of a batch"+name] = made(claims{t}.sorted(byBatch, claim.Filter{BatchID: Number(7, 8)}, p))
		oldest := p
		oldest.Oldest = true
		statements["claims, oldest first"+name] = made(claims{t}.walked(claim.Filter{Kind: claim.KindClaim, States: rejected}, oldest))
		statements["claims, few changed, oldest first"+name] = made(claims{t}.merged(claim.Filter{Kind: claim.KindClaim, Changed: true}, oldest))
		statements["claims, few of each state"+name] = made(claims{t}.merged(claim.Filter{Kind: claim.KindClaim, States: claim.States()}, p))
		for filter, f := range map[string]claim.Filter{
			"open": {Open: true}, "overpaid": {Overpaid: true}, "open, state": {Open: true, States: rejected},
			"open, office": {Open: true, OfficeID: Number(2, 2)}, "open, sent": {Open: true, SentFrom: at}, "changed": {Changed: true},
		} {
			f.Kind = claim.KindClaim
			statements["claims, few "+filter+name] = made(claims{t}.merged(f, p))
		}
		statements["claims, request"+name] = made(claims{t}.walked(claim.Filter{RequestID: Number(3, 6)}, p))
		statements["claims, control number"+name] = made(claims{t}.walked(claim.Filter{ControlNumber: "pcn-7"}, p))
		for filter, f := range map[string]remit.Filter{
			"all": {}, "state": {State: remit.Posted}, "attention": {NeedsAttention: new(true)}, "no attention": {NeedsAttention: new(false)},
			"ignored": {With: remit.WithIgnored}, "unfinished": {With: remit.WithUnfinished},
			"balanced": {Balanced: new(true)}, "unbalanced": {Balanced: new(false)}, "office": {OfficeID: Number(2, 2)}, "trace number": {TraceNumber: "77"}, "payer": {PayerID: Number(2, 3)}, "received": {ReceivedFrom: at, ReceivedTo: at.AddDate(0, 0, 1)},
			"paid": {PaidFrom: billing.Date{Year: 2026, Month: 1, Day: 2}, PaidTo: billing.Date{Year: 2026, Month: 1, Day: 3}},
		} {
			statements["remittances, "+filter+name] = pagedBy(eras{t}.filter(f), "received_at", p)
		}
		statements["patient's remittances"+name] = pagedBy(eras{t}.filter(remit.Filter{PatientID: Number(7, 5)}), "received_at", p)
		statements["claim's remittances"+name] = pagedBy(eras{t}.filter(remit.Filter{ClaimID: Number(7, 1)}), "received_at", p)
		statements["quarantine"+name] = made(ownQuarantine{t}.page(p))
		statements["quarantine, oldest first"+name] = made(ownQuarantine{t}.page(billing.Page{Limit: p.Limit, After: p.After, Oldest: true}))
		statements["batches"+name] = paged(t.query(batchColumns, "batches"), p)
	}
	return statements
}

func happened(resource byte) event.Event {
	return event.Event{
		ID: Number(resource, 5), Type: event.EligibilityCompleted, Resource: Number(resource, 6), CreatedAt: time.Now(), Data: []byte("{}"),
	}
}

// WebhookStatements returns the statements on deliveries. None may cost more
// because an endpoint has many.
func WebhookStatements(tb testing.TB, in billing.Scope) map[string]Statement {
	tb.Helper()
	t := &tx{scope: in}
	result := func(n byte) *webhook.Delivery {
		return &webhook.Delivery{ID: Number(n, 12), State: webhook.DeliveryDelivered, Attempts: make([]webhook.Attempt, 1)}
	}
	records := func(t *tx) error {
		return lanes{t}.Record(tb.Context(), []*webhook.Delivery{result(1), result(3), result(5)})
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
	out := map[string]Statement{
		"due":                     made(lanes{t}.due(Number(3, 11), 16, nil)),
		"due, some in flight":     made(lanes{t}.due(Number(3, 11), 16, []billing.DeliveryID{Number(1, 12), Number(3, 12)})),
		"resend an event":         made(deliveries{t}.count(webhook.ResendFilter{EventID: Number(4, 5)}, 1000)),
		"resend a span":           made(deliveries{t}.count(webhook.ResendFilter{CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)}, 1000)),
		"resend to one":           made(deliveries{t}.count(webhook.ResendFilter{CreatedAfter: at, EndpointID: Number(3, 11)}, 1000)),
		"resend types to one":     made(deliveries{t}.count(webhook.ResendFilter{CreatedAfter: at, EndpointID: Number(3, 11), EventTypes: []event.Type{"claim.paid"}}, 1000)),
		"record":                  queued(tb, in, records),
		"fan out":                 queued(tb, in, fansOut(3)),
		"fan out several":         queued(tb, in, fansOut(3, 5)),
		"call lanes, due":         made(callDue, []any{in.Org, in.Mode, at}),
		"call lanes, every scope": made(callLanes, []any{at, time.Second.Microseconds(), 64}),
	}
	for name, f := range map[string]webhook.DeliveryFilter{
		"":                                  {},
		" of a type":                        {EventType: "claim.paid"},
		" that failed":                      {State: webhook.DeliveryFailed},
		" delivered":                        {State: webhook.DeliveryDelivered},
		" of a span":                        {CreatedAfter: at, CreatedBefore: at.AddDate(0, 0, 1)},
		" of an endpoint":                   {EndpointID: Number(3, 11)},
		" of an endpoint of a type":         {EndpointID: Number(3, 11), EventType: "claim.paid"},
		" of an endpoint that failed":       {EndpointID: Number(3, 11), State: webhook.DeliveryFailed, CreatedAfter: at},
		" of an endpoint of a type, failed": {EndpointID: Number(3, 11), EventType: "claim.paid", State: webhook.DeliveryFailed},
		" of an event":                      {EventID: Number(4, 5)},
		" of an event to an endpoint":       {EventID: Number(4, 5), EndpointID: Number(3, 11)},
	} {
		out["deliveries"+name] = made(deliveries{t}.listed(f, billing.Page{Limit: 25}))
		out["deliveries"+name+", next page"] = made(deliveries{t}.listed(f, next))
		if f.EventType != "" || f.State == webhook.DeliveryDelivered {
			continue
		}
		out["resend deliveries"+name] = made(deliveries{t}.countListed(f, 1000))
		again := &query{}
		again.resentListed("SELECT v.id FROM", in, f)
		out["resend deliveries"+name+", events"] = Statement{again.built.String(), again.args}
	}
	return out
}

// FeeStatements returns the statements on fee schedules. None may cost more because other
// organizations have many, or because a schedule has many rows.
func FeeStatements(in billing.Scope) map[string]Statement {
	r := feeSchedules{&tx{scope: in}}
	q := fee.Question{OfficeID: Number(2, 2), PayerID: Number(2, 3), Network: fee.In}
	day := billing.Date{Year: 2026, Month: 5, Day: 1}
	lines := make([]fee.Line, 20)
	for i := range lines {
		lines[i] = fee.Line{ProcedureCode: "D" + strconv.Itoa(1000+i*7), On: day}
	}
	next := billing.Page{Limit: 25, After: &billing.Position{Time: time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC), ID: Number(7, 1)}}
	return map[string]Statement{
		"beside":            made(r.beside(&fee.Schedule{Kind: fee.Allowed, OfficeID: q.OfficeID, Payer: directory.PayerSummary{ID: q.PayerID}, EffectiveFrom: day, Replaces: Number(7, 1)})),
		"prices":            made(r.pricing(q, lines)),
		"considered":        made(r.considered(q, lines[0], 201)),
		"all":               made(r.page(fee.Filter{}, next)),
		"office, payer":     made(r.page(fee.Filter{OfficeID: q.OfficeID, PayerID: q.PayerID}, next)),
		"current of a kind": made(r.page(fee.Filter{Kind: fee.Allowed, Current: new(true), Day: day}, next)),
	}
}
