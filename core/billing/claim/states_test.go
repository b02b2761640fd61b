package claim_test

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// claimDecision is where the state table of claims is drawn and written out.
const claimDecision = "../../adr/0019-claim-states.md"

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
	to    claim.State
	event event.Type
}

// claimRowOf looks a row up; nil is no move. Who is c, p or v.
func claimRowOf(t *testing.T, rows [][]string, by claim.Trigger, from claim.State, who string) (found *claimRow) {
	t.Helper()
	for _, cells := range rows {
		state := cmp.Or(string(from), "-")
		if cells[0] != string(by) || !slices.Contains(strings.Fields(cells[1]), state) || !strings.Contains(cells[4], who) {
			continue
		}
		if found != nil {
			t.Fatalf("two rows for %s in %q", by, from)
		}
		e, _, _ := strings.Cut(cells[3], ",")
		found = &claimRow{claim.State(cells[2]), event.Type(e)}
		if cells[2] == "=" {
			found.to = from
		}
	}
	return found
}

// fileOf is the file of a batch that carries the claim.
func fileOf(c *claim.Claim) *clearing.Batch { return &clearing.Batch{ID: c.BatchID} }

func report(side clearing.Side, outcome clearing.ReportOutcome) *clearing.ClaimReport {
	return &clearing.ClaimReport{Side: side, Outcome: outcome, Status: clearing.ClaimStatus{Category: "A2", Code: "20"}}
}

func asked(e event.Event, err error) (event.Event, bool) { return e, err == nil }

// claimTriggers pulls every trigger; each reports whether the claim moved.
func claimTriggers() map[claim.Trigger]func(c *claim.Claim, at time.Time) (event.Event, bool) {
	judged := func(findings []claim.Finding, draft bool) func(*claim.Claim, time.Time) (event.Event, bool) {
		return func(c *claim.Claim, at time.Time) (event.Event, bool) {
			events, err := record(c).Judged(findings, draft, at)
			return append(events, event.Event{})[0], err == nil
		}
	}
	rechecked := func(by claim.Trigger) func(*claim.Claim, time.Time) (event.Event, bool) {
		return func(c *claim.Claim, at time.Time) (event.Event, bool) {
			events := c.Rechecked(by, nil, claim.Cause{At: at})
			return append(events, event.Event{})[0], len(events) > 0
		}
	}
	reported := func(side clearing.Side, outcome clearing.ReportOutcome) func(*claim.Claim, time.Time) (event.Event, bool) {
		return func(c *claim.Claim, at time.Time) (event.Event, bool) {
			return c.Reported(report(side, outcome), claim.Cause{At: at})
		}
	}
	pay := func(r remit.Claim) func(*claim.Claim, time.Time) (event.Event, bool) {
		return func(c *claim.Claim, at time.Time) (event.Event, bool) {
			books := books{Claim: c}
			if r.Reverses() {
				books.entries = append(books.entries, books.entry(remit.Claim{StatusCode: "1", Charge: 80_00, Paid: 80_00}))
			}
			return books.post(r, claim.Cause{At: at})
		}
	}
	return map[claim.Trigger]func(*claim.Claim, time.Time) (event.Event, bool){
		claim.TriggerValidate:       judged(nil, false),
		claim.TriggerFindings:       judged([]claim.Finding{{Code: "required"}}, false),
		claim.TriggerDraft:          judged([]claim.Finding{{Code: "required"}}, true),
		claim.TriggerEnrolled:       rechecked(claim.TriggerEnrolled),
		claim.TriggerEarlierDecided: rechecked(claim.TriggerEarlierDecided),
		claim.TriggerEarlierChanged: earlierTakenBack,
		claim.TriggerVoidUnsent: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			c.SentAt, c.BatchID = time.Time{}, billing.FileID{}
			return record(c).VoidUnsent(at)
		},
		claim.TriggerSubmit: func(c *claim.Claim, at time.Time) (event.Event, bool) { return asked(record(c).Submit(at)) },
		claim.TriggerReplace: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			return asked(record(c).Replace(newClaim().Content, at))
		},
		claim.TriggerSend: func(c *claim.Claim, at time.Time) (event.Event, bool) { return c.Sent(fileOf(c), at) },
		claim.TriggerFileRejected: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			return c.FileRejected(fileOf(c), nil, claim.Cause{At: at})
		},
		claim.TriggerFileRejectedAgain: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			c.Scope.Mode, c.History = billing.ModeLive, []claim.Move{{Cause: claim.TriggerFileRejected}}
			e, moved := c.FileRejected(fileOf(c), nil, claim.Cause{At: at})
			c.History = c.History[1:]
			return e, moved
		},
		claim.TriggerClearinghouseAccept: reported(clearing.SideClearinghouse, clearing.ReportAccepted),
		claim.TriggerPayerAccept:         reported(clearing.SidePayer, clearing.ReportAccepted),
		claim.TriggerReject:              reported(clearing.SidePayer, clearing.ReportRejected),
		claim.TriggerNotFound:            reported(clearing.SidePayer, clearing.ReportNotFound),
		claim.TriggerStatus:              reported(clearing.SidePayer, clearing.ReportPending),
		claim.TriggerPay:                 pay(remit.Claim{StatusCode: "1", Paid: 5}),
		claim.TriggerDeny:                pay(remit.Claim{StatusCode: "4"}),
		claim.TriggerReverse:             pay(remit.Claim{StatusCode: "22", Charge: -80_00, Paid: -80_00}),
		claim.TriggerReturn: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			return c.Returned(remit.ClaimEstimate{Pay: 1}, claim.Cause{At: at})
		},
		claim.TriggerReconcile: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			c.Elsewhere = c.Charge() // nothing is open
			return asked(event.Event{}, record(c).Reconcile(nil, "usr_1", at))
		},
		claim.TriggerReopen: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			c.Standing = &claim.Standing{Outcome: remit.OutcomePaid}
			return asked(event.Event{}, record(c).Reopen("usr_1", at))
		},
		claim.TriggerAskVoid: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			v, e, err := record(c).Void(billing.ClaimID{15: 99}, "VOID", billing.RequestID{15: 9}, at)
			return e, err == nil && e.Resource == v.ID
		},
		claim.TriggerVoided: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			return c.Voided(claim.Cause{At: at})
		},
		claim.TriggerErase: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			e, voided, err := record(c).Erase(caller.Principal{}, at)
			if !voided {
				e = event.Event{}
			}
			if err == nil && !voided && c.State != claim.Reconciled { // it says so, although the state stays
				c.History = c.History[:len(c.History)-1]
			}
			return e, err == nil
		},
		claim.TriggerConvert: func(c *claim.Claim, at time.Time) (event.Event, bool) {
			_, err := record(c).Convert(billing.ClaimID{15: 98}, "NEXT", map[int]billing.Date{1: {Year: 2026, Month: 3, Day: 2}}, billing.RequestID{}, at)
			return asked(event.Event{}, err)
		},
	}
}

// earlierTakenBack takes the primary payer's decision back from a claim to the secondary payer
// that is in no file.
func earlierTakenBack(c *claim.Claim, at time.Time) (event.Event, bool) {
	first, before := newClaim(), c.UpdatedAt
	first.ID = billing.ClaimID{15: 97}
	books := books{Claim: first}
	was := first.Ledger([]*remit.LedgerEntry{books.entry(remit.Claim{StatusCode: "1", Charge: 80_00, Paid: 80_00})})
	c.SecondaryTo, c.Coverage, c.BatchID = first.ID, billing.SequenceSecondary, billing.FileID{}
	c.OtherCoverage = []claim.OtherCoverage{{Sequence: billing.SequencePrimary, Adjudication: was.Adjudication()}}
	events, _ := c.Follow(was, first.Ledger(nil), claim.Cause{At: at})
	if len(events) == 0 {
		c.UpdatedAt, c.History = before, nil // the content of one that does not move has changed, or its history says that it is another one
	}
	return append(events, event.Event{})[0], len(events) > 0
}

func TestEveryTriggerInEveryStateOfEveryClaim(t *testing.T) {
	t.Parallel()
	at := evening.Add(time.Hour)
	rows := claimTable(t)
	for by, pull := range claimTriggers() {
		for _, from := range append(claim.States(), "") {
			for _, kind := range []claim.Kind{claim.KindClaim, claim.KindPredetermination} {
				for _, frequency := range []claim.Frequency{claim.FrequencyOriginal, claim.FrequencyReplacement, claim.FrequencyVoid} {
					who := map[bool]string{true: "p", false: "c"}[kind == claim.KindPredetermination]
					if frequency == claim.FrequencyVoid {
						who = "v"
					}
					t.Run(string(by)+"/"+string(from)+"/"+string(kind)+"/"+string(frequency), func(t *testing.T) {
						t.Parallel()
						c := newClaim()
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
func checkMove(t *testing.T, c *claim.Claim, want *claimRow, pull func(*claim.Claim, time.Time) (event.Event, bool), at time.Time) {
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
	if noted := len(c.History) == 1 && c.History[0].State == want.to && c.History[0].At.Equal(at); noted != (want.to != from || from == claim.Reconciled) {
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
		if triggers[claim.Trigger(row[0])] == nil {
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
		from := claim.State(strings.TrimPrefix(a[1], "[*]"))
		claims, asks := claimRowOf(t, rows, claim.Trigger(a[3]), from, "c"), claimRowOf(t, rows, claim.Trigger(a[3]), from, "p")
		if r := cmp.Or(claims, asks); r == nil || string(r.to) != a[2] {
			t.Errorf("the arrow %q is not in the table", a[0])
		}
		drawn = append(drawn, a[1], a[2])
	}
	for _, s := range claim.States() {
		if !slices.Contains(states, string(s)) || !slices.Contains(drawn, string(s)) {
			t.Errorf("%s is not in the table and the diagram", s)
		}
	}
}

// A claim that comes back from the payer waits for a file of its own again.
func TestAClaimThatIsSubmittedAgainLeavesItsFile(t *testing.T) {
	t.Parallel()
	c := newClaim()
	c.State, c.BatchID, c.SentAt = claim.Rejected, billing.FileID{15: 4}, evening
	if _, err := record(c).Judged(nil, false, evening); err != nil {
		t.Fatal(err)
	}
	if _, err := record(c).Submit(evening); err != nil || !c.BatchID.IsZero() || !c.SentAt.Equal(evening) {
		t.Errorf("%v, batch %s, first sent at %s", err, c.BatchID, c.SentAt)
	}
}
