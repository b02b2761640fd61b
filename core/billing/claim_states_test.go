package billing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// The state table as the interface has it: what moves a claim, from which
// states, to which (= stays), the event (that of a void is of the new
// transaction), and which claims take part: c claims, p predeterminations, v void transactions of either.
const claimTable = `
edit                   | - draft needs_attention rejected                                | validated             | claim.validated           | c p
found                  | - draft rejected                                                | needs_attention       | claim.needs_attention     | c p
found                  | needs_attention                                                 | =                     |                           | c p
draft                  | - draft needs_attention rejected                                | draft                 |                           | c p
submit                 | validated                                                       | queued                | claim.queued              | c p v
replace                | accepted_payer paid denied                                      | queued                | claim.queued              | c
send                   | queued                                                          | submitted             | claim.submitted           | c p v
file_rejected          | submitted                                                       | queued                | claim.queued              | c p v
clearinghouse_accepted | submitted                                                       | accepted_clearinghouse | claim.accepted           | c p v
payer_accepted         | submitted accepted_clearinghouse                                | accepted_payer        | claim.accepted            | c p v
payer_accepted         | accepted_payer                                                  | =                     | claim.status_updated      | c p v
rejected               | submitted accepted_clearinghouse                                | rejected              | claim.rejected            | c p v
rejected               | accepted_payer                                                  | rejected              | claim.rejected            | c p
not_found              | submitted accepted_clearinghouse accepted_payer                 | needs_attention       | claim.needs_attention     | c p
not_found              | submitted accepted_clearinghouse                                | rejected              | claim.rejected            | v
status                 | accepted_payer                                                  | =                     | claim.status_updated      | c p v
payment                | submitted accepted_clearinghouse accepted_payer paid denied     | paid                  | claim.paid                | c
payment                | reconciled                                                      | =                     | claim.paid                | c
denial                 | submitted accepted_clearinghouse accepted_payer paid denied     | denied                | claim.denied              | c
denial                 | reconciled                                                      | =                     | claim.denied              | c
reversal               | submitted accepted_clearinghouse accepted_payer paid denied     | accepted_payer        | claim.payment_reversed    | c
reversal               | reconciled                                                      | =                     | claim.payment_reversed    | c
estimate               | submitted accepted_clearinghouse accepted_payer                 | returned              | predetermination.returned | p
reconcile              | paid denied                                                     | reconciled            |                           | c
void                   | accepted_clearinghouse accepted_payer paid denied               | =                     | claim.queued              | c p
voided                 | accepted_clearinghouse accepted_payer paid denied               | voided                | claim.voided              | c p
convert                | accepted_payer returned                                         | =                     |                           | p
`

// claimRow is what the table says of a trigger in a state.
type claimRow struct {
	to    billing.ClaimState
	event billing.EventType
}

// claimRowOf looks the row up; nil is no move. Who is c, p or v.
func claimRowOf(t *testing.T, by billing.ClaimTrigger, from billing.ClaimState, who string) (found *claimRow) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(claimTable)) {
		var cells []string
		for cell := range strings.SplitSeq(line, "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		states := strings.Fields(strings.ReplaceAll(cells[1], "-", ""))
		if strings.HasPrefix(cells[1], "-") {
			states = append(states, "")
		}
		if cells[0] != string(by) || !slices.Contains(states, string(from)) || !strings.Contains(cells[4], who) {
			continue
		}
		if found != nil {
			t.Fatalf("two rows for %s in %q", by, from)
		}
		found = &claimRow{billing.ClaimState(cells[2]), billing.EventType(cells[3])}
		if cells[2] == "=" {
			found.to = from
		}
	}
	return found
}

// fileOf is the file of a batch that carries the claim.
func fileOf(c *billing.Claim) *billing.Batch { return &billing.Batch{ID: c.BatchID} }

func report(side billing.Side, outcome billing.ReportOutcome) *billing.ClaimReport {
	return &billing.ClaimReport{Side: side, Outcome: outcome, Status: billing.ClaimStatus{Category: "A2", Code: "20"}}
}

func asked(e billing.Event, err error) (billing.Event, bool) { return e, err == nil }

// claimTriggers pulls every trigger; each reports whether the claim moved.
func claimTriggers() map[billing.ClaimTrigger]func(c *billing.Claim, at time.Time) (billing.Event, bool) {
	judged := func(findings []billing.Finding, draft bool) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			events, err := c.Judged(findings, draft, at)
			return append(events, billing.Event{})[0], err == nil
		}
	}
	reported := func(side billing.Side, outcome billing.ReportOutcome) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Reported(report(side, outcome), billing.ClaimCause{At: at})
		}
	}
	pay := func(p billing.ClaimPayment) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Pay(p, billing.ClaimCause{At: at})
		}
	}
	return map[billing.ClaimTrigger]func(*billing.Claim, time.Time) (billing.Event, bool){
		billing.TriggerEdit:    judged(nil, false),
		billing.TriggerFound:   judged([]billing.Finding{{Code: "required"}}, false),
		billing.TriggerDraft:   judged([]billing.Finding{{Code: "required"}}, true),
		billing.TriggerSubmit:  func(c *billing.Claim, at time.Time) (billing.Event, bool) { return asked(c.Submit(at)) },
		billing.TriggerReplace: func(c *billing.Claim, at time.Time) (billing.Event, bool) { return asked(c.Replace(claim(), at)) },
		billing.TriggerSend:    func(c *billing.Claim, at time.Time) (billing.Event, bool) { return c.Sent(fileOf(c), at) },
		billing.TriggerFileRejected: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Requeue(fileOf(c), billing.ClaimCause{At: at})
		},
		billing.TriggerClearinghouseAccept: reported(billing.SideClearinghouse, billing.ReportAccepted),
		billing.TriggerPayerAccept:         reported(billing.SidePayer, billing.ReportAccepted),
		billing.TriggerReject:              reported(billing.SidePayer, billing.ReportRejected),
		billing.TriggerNotFound:            reported(billing.SidePayer, billing.ReportNotFound),
		billing.TriggerStatus:              reported(billing.SidePayer, billing.ReportPending),
		billing.TriggerPay:                 pay(billing.ClaimPayment{StatusCode: "1", Paid: 5}),
		billing.TriggerDeny:                pay(billing.ClaimPayment{StatusCode: "4", Denied: true}),
		billing.TriggerReverse:             pay(billing.ClaimPayment{StatusCode: "22", Paid: -80_00}),
		billing.TriggerReturn: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Returned(billing.ClaimEstimate{Pay: 1}, billing.ClaimCause{At: at})
		},
		billing.TriggerReconcile: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return asked(billing.Event{}, c.Reconcile(at))
		},
		billing.TriggerAskVoid: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			v, e, err := c.Void(billing.ClaimID{15: 99}, "VOID", billing.RequestID{15: 9}, at)
			return e, err == nil && e.Resource == v.ID
		},
		billing.TriggerVoided: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Voided(billing.ClaimCause{At: at})
		},
		billing.TriggerConvert: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			_, err := c.Convert(billing.ClaimID{15: 98}, "NEXT", map[int]billing.Date{1: {Year: 2026, Month: 3, Day: 2}}, billing.RequestID{}, at)
			return asked(billing.Event{}, err)
		},
	}
}

func TestEveryTriggerInEveryStateOfEveryClaim(t *testing.T) {
	t.Parallel()
	at := evening.Add(time.Hour)
	for by, pull := range claimTriggers() {
		for _, from := range append(billing.ClaimStates(), "") {
			for _, kind := range []billing.ClaimKind{billing.KindClaim, billing.KindPredetermination} {
				for _, frequency := range []billing.ClaimFrequency{billing.FrequencyOriginal, billing.FrequencyReplacement, billing.FrequencyVoid} {
					who := map[bool]string{true: "p", false: "c"}[kind == billing.KindPredetermination]
					if frequency == billing.FrequencyVoid {
						who = "v"
					}
					t.Run(string(by)+"/"+string(from)+"/"+string(kind)+"/"+string(frequency), func(t *testing.T) {
						t.Parallel()
						c := claim()
						c.State, c.Kind, c.Frequency, c.BatchID, c.UpdatedAt = from, kind, frequency, billing.FileID{15: 4}, evening
						c.Payments = nil
						if by == billing.TriggerReverse {
							c.Payments = []billing.ClaimPayment{{StatusCode: "1", Paid: 80_00}}
						}
						checkMove(t, c, claimRowOf(t, by, from, who), pull, at)
					})
				}
			}
		}
	}
}

// checkMove pulls a trigger of a claim and compares with the row for it.
func checkMove(t *testing.T, c *billing.Claim, want *claimRow, pull func(*billing.Claim, time.Time) (billing.Event, bool), at time.Time) {
	t.Helper()
	from := c.State
	e, moved := pull(c, at)
	if want == nil {
		if moved || c.State != from || len(c.History) > 0 || !c.UpdatedAt.Equal(evening) || e.Type != "" {
			t.Errorf("moved %v to %q, event %q; want nothing", moved, c.State, e.Type)
		}
		return
	}
	if !moved || c.State != want.to || e.Type != want.event || !c.UpdatedAt.Equal(at) {
		t.Errorf("moved %v to %q at %s, event %q; want %+v", moved, c.State, c.UpdatedAt, e.Type, *want)
	}
	if noted := len(c.History) == 1 && c.History[0].State == want.to && c.History[0].At.Equal(at); noted != (want.to != from) {
		t.Errorf("history %+v after %q to %q", c.History, from, want.to)
	}
}

// Every trigger and every state is in the test's table, so that a new one is
// not forgotten there.
func TestTheStateTableIsWhole(t *testing.T) {
	t.Parallel()
	for by := range claimTriggers() {
		if !strings.Contains(claimTable, "\n"+string(by)+" ") {
			t.Errorf("no row for %s", by)
		}
	}
	for _, s := range billing.ClaimStates() {
		if !strings.Contains(claimTable, " "+string(s)+" ") {
			t.Errorf("no row with %s", s)
		}
	}
}

// A claim that comes back from the payer waits for a file of its own again.
func TestAClaimThatIsSubmittedAgainLeavesItsFile(t *testing.T) {
	t.Parallel()
	c := claim()
	c.State, c.BatchID, c.SentAt = billing.ClaimRejected, billing.FileID{15: 4}, evening
	if _, err := c.Judged(nil, false, evening); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Submit(evening); err != nil || !c.BatchID.IsZero() || !c.SentAt.Equal(evening) {
		t.Errorf("%v, batch %s, first sent at %s", err, c.BatchID, c.SentAt)
	}
}
