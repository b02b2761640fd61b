package billing_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// claimDecision is where the state table of claims is drawn and written out.
const claimDecision = "../adr/0019-claim-states.md"

// claimTable reads the table: rows of what moves a claim, from which states (-
// for none), to which (= stays), the event (that of a void is of the new
// transaction), and who takes part: c claims, p predeterminations, v void
// transactions of either.
func claimTable(t *testing.T) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(claimDecision)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "|---|---|---|---|---|\n")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|\n "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) != 5 {
			t.Fatalf("a row with %d cells: %q", len(cells), line)
		}
		rows = append(rows, cells)
	}
	return rows
}

// claimRow is what the table says of a trigger in a state.
type claimRow struct {
	to    billing.ClaimState
	event billing.EventType
}

// claimRowOf looks a row up; nil is no move. Who is c, p or v.
func claimRowOf(t *testing.T, rows [][]string, by billing.ClaimTrigger, from billing.ClaimState, who string) (found *claimRow) {
	t.Helper()
	for _, cells := range rows {
		state := cmp.Or(string(from), "-")
		if cells[0] != string(by) || !slices.Contains(strings.Fields(cells[1]), state) || !strings.Contains(cells[4], who) {
			continue
		}
		if found != nil {
			t.Fatalf("two rows for %s in %q", by, from)
		}
		event, _, _ := strings.Cut(cells[3], ",")
		found = &claimRow{billing.ClaimState(cells[2]), billing.EventType(event)}
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
			events, err := record(c).Judged(findings, draft, at)
			return append(events, billing.Event{})[0], err == nil
		}
	}
	rechecked := func(by billing.ClaimTrigger) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			events := c.Rechecked(by, nil, billing.ClaimCause{At: at})
			return append(events, billing.Event{})[0], len(events) > 0
		}
	}
	reported := func(side billing.Side, outcome billing.ReportOutcome) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Reported(report(side, outcome), billing.ClaimCause{At: at})
		}
	}
	pay := func(r billing.RemittanceClaim) func(*billing.Claim, time.Time) (billing.Event, bool) {
		return func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			books := books{Claim: c}
			if r.Reverses() {
				books.entries = append(books.entries, books.entry(billing.RemittanceClaim{StatusCode: "1", Charge: 80_00, Paid: 80_00}))
			}
			return books.post(r, billing.ClaimCause{At: at})
		}
	}
	return map[billing.ClaimTrigger]func(*billing.Claim, time.Time) (billing.Event, bool){
		billing.TriggerValidate:       judged(nil, false),
		billing.TriggerFindings:       judged([]billing.Finding{{Code: "required"}}, false),
		billing.TriggerDraft:          judged([]billing.Finding{{Code: "required"}}, true),
		billing.TriggerEnrolled:       rechecked(billing.TriggerEnrolled),
		billing.TriggerEarlierDecided: rechecked(billing.TriggerEarlierDecided),
		billing.TriggerEarlierChanged: earlierTakenBack,
		billing.TriggerVoidUnsent: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			c.SentAt, c.BatchID = time.Time{}, billing.FileID{}
			return record(c).VoidUnsent(at)
		},
		billing.TriggerSubmit: func(c *billing.Claim, at time.Time) (billing.Event, bool) { return asked(record(c).Submit(at)) },
		billing.TriggerReplace: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return asked(record(c).Replace(claim().ClaimContent, at))
		},
		billing.TriggerSend: func(c *billing.Claim, at time.Time) (billing.Event, bool) { return c.Sent(fileOf(c), at) },
		billing.TriggerFileRejected: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.FileRejected(fileOf(c), nil, billing.ClaimCause{At: at})
		},
		billing.TriggerFileRejectedAgain: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			c.Scope.Mode, c.History = billing.ModeLive, []billing.ClaimMove{{Cause: billing.TriggerFileRejected}}
			e, moved := c.FileRejected(fileOf(c), nil, billing.ClaimCause{At: at})
			c.History = c.History[1:]
			return e, moved
		},
		billing.TriggerClearinghouseAccept: reported(billing.SideClearinghouse, billing.ReportAccepted),
		billing.TriggerPayerAccept:         reported(billing.SidePayer, billing.ReportAccepted),
		billing.TriggerReject:              reported(billing.SidePayer, billing.ReportRejected),
		billing.TriggerNotFound:            reported(billing.SidePayer, billing.ReportNotFound),
		billing.TriggerStatus:              reported(billing.SidePayer, billing.ReportPending),
		billing.TriggerPay:                 pay(billing.RemittanceClaim{StatusCode: "1", Paid: 5}),
		billing.TriggerDeny:                pay(billing.RemittanceClaim{StatusCode: "4"}),
		billing.TriggerReverse:             pay(billing.RemittanceClaim{StatusCode: "22", Charge: -80_00, Paid: -80_00}),
		billing.TriggerReturn: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Returned(billing.ClaimEstimate{Pay: 1}, billing.ClaimCause{At: at})
		},
		billing.TriggerReconcile: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			c.Elsewhere = c.Charge() // nothing is open
			return asked(billing.Event{}, record(c).Reconcile(nil, "usr_1", at))
		},
		billing.TriggerReopen: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			c.Standing = &billing.ClaimStanding{Outcome: billing.OutcomePaid}
			return asked(billing.Event{}, record(c).Reopen("usr_1", at))
		},
		billing.TriggerAskVoid: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			v, e, err := record(c).Void(billing.ClaimID{15: 99}, "VOID", billing.RequestID{15: 9}, at)
			return e, err == nil && e.Resource == v.ID
		},
		billing.TriggerVoided: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			return c.Voided(billing.ClaimCause{At: at})
		},
		billing.TriggerConvert: func(c *billing.Claim, at time.Time) (billing.Event, bool) {
			_, err := record(c).Convert(billing.ClaimID{15: 98}, "NEXT", map[int]billing.Date{1: {Year: 2026, Month: 3, Day: 2}}, billing.RequestID{}, at)
			return asked(billing.Event{}, err)
		},
	}
}

// earlierTakenBack takes the primary payer's decision back from a claim to the secondary payer
// that is in no file.
func earlierTakenBack(c *billing.Claim, at time.Time) (billing.Event, bool) {
	first, before := claim(), c.UpdatedAt
	first.ID = billing.ClaimID{15: 97}
	books := books{Claim: first}
	was := first.Ledger([]*billing.LedgerEntry{books.entry(billing.RemittanceClaim{StatusCode: "1", Charge: 80_00, Paid: 80_00})})
	c.SecondaryTo, c.Coverage, c.BatchID = first.ID, billing.SequenceSecondary, billing.FileID{}
	c.OtherCoverage = []billing.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: was.Adjudication()}}
	events, _ := c.Follow(was, first.Ledger(nil), billing.ClaimCause{At: at})
	if len(events) == 0 {
		c.UpdatedAt = before // the content of one that does not move has changed
	}
	return append(events, billing.Event{})[0], len(events) > 0
}

func TestEveryTriggerInEveryStateOfEveryClaim(t *testing.T) {
	t.Parallel()
	at := evening.Add(time.Hour)
	rows := claimTable(t)
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
						if from != "" {
							c.SentAt = evening
						}
						checkMove(t, c, claimRowOf(t, rows, by, from, who), pull, at)
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
	if noted := len(c.History) == 1 && c.History[0].State == want.to && c.History[0].At.Equal(at); noted != (want.to != from || from == billing.ClaimReconciled) {
		t.Errorf("history %+v after %q to %q", c.History, from, want.to)
	}
}

// Every trigger and every state has a row, and every arrow of the diagram is
// true.
func TestTheStateTableIsWhole(t *testing.T) {
	t.Parallel()
	rows := claimTable(t)
	triggers := claimTriggers()
	var states []string
	for _, row := range rows {
		if triggers[billing.ClaimTrigger(row[0])] == nil {
			t.Errorf("a row for %s, which is no trigger", row[0])
		}
		states = append(append(states, strings.Fields(row[1])...), row[2])
	}
	for by := range triggers {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == string(by) }) {
			t.Errorf("no row for %s", by)
		}
	}
	text, err := os.ReadFile(claimDecision)
	if err != nil {
		t.Fatal(err)
	}
	arrows := regexp.MustCompile(`(?m)^ +(\S+) --> (\w+): (\w+)$`).FindAllStringSubmatch(string(text), -1)
	var drawn []string
	for _, a := range arrows {
		from := billing.ClaimState(strings.TrimPrefix(a[1], "[*]"))
		claims, asks := claimRowOf(t, rows, billing.ClaimTrigger(a[3]), from, "c"), claimRowOf(t, rows, billing.ClaimTrigger(a[3]), from, "p")
		if r := cmp.Or(claims, asks); r == nil || string(r.to) != a[2] {
			t.Errorf("the arrow %q is not in the table", a[0])
		}
		drawn = append(drawn, a[1], a[2])
	}
	for _, s := range billing.ClaimStates() {
		if !slices.Contains(states, string(s)) || !slices.Contains(drawn, string(s)) {
			t.Errorf("%s is not in the table and the diagram", s)
		}
	}
}

// A claim that comes back from the payer waits for a file of its own again.
func TestAClaimThatIsSubmittedAgainLeavesItsFile(t *testing.T) {
	t.Parallel()
	c := claim()
	c.State, c.BatchID, c.SentAt = billing.ClaimRejected, billing.FileID{15: 4}, evening
	if _, err := record(c).Judged(nil, false, evening); err != nil {
		t.Fatal(err)
	}
	if _, err := record(c).Submit(evening); err != nil || !c.BatchID.IsZero() || !c.SentAt.Equal(evening) {
		t.Errorf("%v, batch %s, first sent at %s", err, c.BatchID, c.SentAt)
	}
}
