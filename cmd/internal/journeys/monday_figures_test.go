package journeys_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"

	"github.com/molar-billing/molar/core/billing"
)

// sums are amounts of a practice in cents, added up from its claims and remittances.
type sums struct {
	charged, paid, writtenOff, owed, outstanding, overpaid int
	ages                                                   [5]int // what is open, by 30 days since the claim was sent
	refused                                                int
}

// amount reads an amount in cents.
func amount(tb testing.TB, v any) int {
	tb.Helper()
	text, is := v.(string)
	if !is {
		return 0
	}
	m, err := billing.ParseMoney(strings.TrimPrefix(text, "-"))
	if err != nil {
		tb.Fatal(v, err)
	}
	if strings.HasPrefix(text, "-") {
		return -int(m)
	}
	return int(m)
}

// byHand adds up what was charged, from the claims, and what was paid, from what the remittances
// say of them. What is left of each claim follows from both, and from the decisions of people.
func (m *monday) byHand() (s sums) {
	m.t.Helper()
	paid := map[string]int{} // by claim
	for _, e := range m.list("/eras") {
		for _, c := range m.list("/eras/" + e["id"].(string) + "/claims") {
			if id, matched := c["claim_id"].(string); matched && c["status"] == "applied" {
				paid[id] += amount(m.t, c["paid"])
			}
		}
	}
	now, err := time.Parse(time.RFC3339, m.get("/sandbox/clock")["now"].(string))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, row := range m.list("/claims") {
		c := m.get("/claims/" + row["id"].(string))
		sent, was := c["sent_at"].(string)
		if !was || c["state"] == "voided" || c["secondary_to"] != nil {
			continue
		}
		charge, got, off, patient := amount(m.t, c["totals"].(map[string]any)["charge"]), paid[c["id"].(string)], amount(m.t, c["contractual"]), 0
		if second, billed := c["secondary_claim_id"].(string); billed {
			got += paid[second]
		}
		if p, decided := c["payment"].(map[string]any); decided {
			patient = amount(m.t, p["patient_responsibility"])
		}
		accepted := 0
		for _, a := range c["accepted"].([]any) {
			for _, l := range a.(map[string]any)["lines"].([]any) {
				accepted += amount(m.t, l.(map[string]any)["amount"])
			}
		}
		open := charge - got - off - patient - accepted
		over := max(0, -open-accepted) // also what was accepted stays beyond the charge
		off += accepted
		if accepted < 0 {
			off += over
		}
		if have := amount(m.t, c["open"]); have != open {
			m.t.Errorf("of %v %d is open, by hand %d", c["id"], have, open)
		}
		at, err := time.Parse(time.RFC3339, sent)
		if err != nil {
			m.t.Fatal(err)
		}
		age := int(now.UTC().Truncate(24*time.Hour).Sub(at.UTC().Truncate(24*time.Hour)).Hours() / 24)
		s.ages[max(0, min(4, (age-1)/30))] += open
		s.charged, s.paid, s.writtenOff, s.owed = s.charged+charge, s.paid+got, s.writtenOff+off, s.owed+patient
		s.outstanding += max(0, open)
		s.overpaid += over
		if state := c["state"]; state == "paid" || state == "denied" || state == "reconciled" { // a replaced claim waits for another decision
			s.refused += amount(m.t, c["not_paid"])
		}
	}
	return s
}

// agree compares the figures of Today and of the reports with sums that are added up by hand.
func (w *walk) agree(when string) {
	w.t.Helper()
	s := w.m.byHand()
	w.t.Logf("%s: charged %d, paid %d, written off %d, patients owe %d, outstanding %d by age %v, overpaid %d, refused %d",
		when, s.charged, s.paid, s.writtenOff, s.owed, s.outstanding, s.ages, s.overpaid, s.refused)
	shown := w.today()
	for name, want := range map[string]int{
		"Charged": s.charged, "Paid by payers": s.paid, "Write-off": s.writtenOff, "Patients owe": s.owed, "Outstanding": s.outstanding, "Overpaid": -s.overpaid,
	} {
		if shown[name] != want {
			w.t.Errorf("%s, Today has %d for %s, by hand it is %d", when, shown[name], name, want)
		}
	}
	aging := w.m.get("/reports/aging")["total"].(map[string]any)["insurance"].(map[string]any)
	for i, column := range []string{"days_0_30", "days_31_60", "days_61_90", "days_91_120", "over_120"} {
		if have := amount(w.t, aging[column].(map[string]any)["amount"]); have != s.ages[i] {
			w.t.Errorf("%s, the aging has %d in %s, by hand it is %d", when, have, column, s.ages[i])
		}
	}
	collected := w.m.get("/reports/collections?by=submission")["total"].(map[string]any)
	if have := amount(w.t, collected["paid"].(map[string]any)["amount"]); have != s.paid {
		w.t.Errorf("%s, collections have %d as paid, by hand it is %d", when, have, s.paid)
	}
	refused := w.m.get("/reports/denials?by=submission")["total"].(map[string]any)
	if have := amount(w.t, refused["refused"]); have != s.refused {
		w.t.Errorf("%s, denials add up to %d, by hand it is %d", when, have, s.refused)
	}
	w.open("/test/reports")
	w.until("the sums of the aging", func(r *rod.Page) error {
		text, err := w.shown(r)
		if want := dollarsOf(s.ages[0]); err == nil && !strings.Contains(text, want) {
			err = fmt.Errorf("%s is missing in: %s", want, text)
		}
		return err
	})
}

// dollarsOf is an amount as a screen shows it.
func dollarsOf(cents int) string { return billing.Money(cents).Dollars() }

// TestMondayWith60Claims is a Monday of a practice that has sent 60 claims in a hundred days, of
// every ending that the sandbox has. A biller walks from Today with all their tasks to Today with none,
// by keyboard alone: each task by the keys of its kind. What only others can end is put off. In the
// beginning and at the end, the figures of Today and of the reports are what the claims and the
// remittances add up to.
func TestMondayWith60Claims(t *testing.T) {
	t.Parallel()
	m := newMonday(t)
	if n := len(m.list("/claims")); n != 60 {
		t.Errorf("there are %d claims", n)
	}
	page := m.signsIn("biller")
	w := &walk{page: page, m: m, t: t, spent: map[string]*effort{}, now: &effort{}}
	begin := m.get("/tasks?limit=100")["counts"].(map[string]any)
	open := int(begin["open"].(map[string]any)["count"].(float64))
	t.Logf("%d tasks on the Monday", open)
	w.agree("in the morning")
	page.open("/test")
	page.sees(fmt.Sprint("Everyone’s ", open))
	page.screen("monday")

	w.press("J")
	for times := 0; len(m.list("/tasks")) > 0; times++ {
		if times > 10 {
			t.Fatal("Today does not become empty")
		}
		w.press("Enter") // on the task that has the focus
		w.until("a task", func(*rod.Page) error { return w.on("_") })
		w.all()
	}
	page.sees("Nothing needs you now")
	page.screen("monday-none")
	w.agree("in the evening")
	if left := m.list("/tasks"); len(left) > 0 {
		t.Errorf("%d tasks are left", len(left))
	}
	w.report(open)
}

// report logs what each kind of task cost, and requires that the biller met every kind that the
// sandbox can make.
func (w *walk) report(open int) {
	w.t.Helper()
	var table strings.Builder
	var all effort
	for _, kind := range mondayKinds() {
		e := w.spent[kind]
		if e == nil {
			w.t.Errorf("no task was %s", kind)
			continue
		}
		fmt.Fprintf(&table, "%-24s %3d tasks %4d keys (the first %2d) %4d typed %4d clicks\n", kind, e.tasks, e.keys, e.first, e.typed, e.clicks)
		all.tasks, all.keys, all.typed, all.clicks = all.tasks+e.tasks, all.keys+e.keys, all.typed+e.typed, all.clicks+e.clicks
	}
	w.t.Logf("%d tasks in the morning, and what each kind cost:\n%s%-24s %3d tasks %4d keys %15s %4d typed %4d clicks; %d are put off",
		open, table.String(), "all", all.tasks, all.keys, "", all.typed, all.clicks, len(w.m.list("/tasks?state=snoozed")))
	if all.keys > 8*all.tasks {
		w.t.Errorf("%d keys for %d tasks, want at most 8 for each", all.keys, all.tasks)
	}
}

// mondayKinds are the kinds of tasks that the sandbox can make. No network of it refuses a sign-in, and what
// it sends is for certain.
func mondayKinds() []string {
	return []string{
		"filing_limit", "claim_rejected", "claim_held", "draft_old", "unacknowledged", "no_decision", "denied", "appeal_due", "underpaid", "overpaid",
		"changed_after_reconcile", "secondary_to_bill", "secondary_outdated", "request_due", "remittance_unbalanced", "remittance_unmatched",
		"remittance_correction", "remittance_to_post", "deposit_missing", "deposit_unmatched", "images_unsent", "enrollment_waiting",
	}
}
