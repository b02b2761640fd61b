package claim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// settledClaim is the claim of four services with what the remittances of the files
// leave of it, reconciled never.
func settledClaim(t *testing.T, files ...eraFile) *claim.Record {
	t.Helper()
	c := crownClaim()
	c.State, c.SentAt = claim.AcceptedPayer, noon
	l, left, last := postFiles(c, files)
	if last == nil || len(left) > 0 {
		t.Fatalf("left for a person: %v", left)
	}
	if _, ok := c.Settle(l, last, claim.Cause{At: noon}); !ok {
		t.Fatal("the remittances do not move the claim")
	}
	return &claim.Record{Claim: c, Ledger: l}
}

// openCases are claims with an open amount, by what their next step says.
func openCases(t *testing.T) map[string]*claim.Record {
	t.Helper()
	first := remitted("1", "A1", primaryLines())
	half := remitted("1", "A1", primaryLines()[:2])
	refused := primaryLines()
	refused[0] = paying("D2740", 650_00, cas("CO", "16", 300_00))
	unbalanced := remitted("1", "A1", primaryLines())
	unbalanced.Lines = slices.Clone(unbalanced.Lines)
	unbalanced.Lines[0].Adjustments, unbalanced.Adjustments = nil, nil
	discount := remitted("2", "B1", []remit.Line{paying("D2740", 100_00, cas("OA", "23", 800_00), cas("CO", "45", 50_00))})
	return map[string]*claim.Record{
		"The payer took back a payment and $1,010.50 is open: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{first}},
			eraFile{2, "Delta", []remit.Claim{takenBack(remitted("1", "A1", primaryLines()[:2]))}}),
		"No payment stands and $1,260.50 is open: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{first}}, eraFile{2, "Delta", []remit.Claim{takenBack(first)}}),
		"A service is not decided yet and $250.00 is open: ": settledClaim(t, eraFile{1, "Delta", []remit.Claim{half}}),
		"The payer refuses a part and $300.00 is open: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", refused)}}),
		"The payer refuses a part and $1,260.50 is open: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{remitted("4", "A1", nil, cas("CO", "29", 1260_50))}}),
		"The remittances do not add up and $300.00 is open: ": settledClaim(t, eraFile{1, "Delta", []remit.Claim{unbalanced}}),
		"A later payer's discount leaves $50.00 open: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{first}}, eraFile{2, "Cigna", []remit.Claim{discount}}),
		"The claim is overpaid by $760.50, refund due: ": settledClaim(t,
			eraFile{1, "Delta", []remit.Claim{first}},
			eraFile{2, "Cigna", []remit.Claim{remitted("2", "B1", []remit.Line{paying("D2740", 960_50)})}}),
	}
}

// The next step names what is open and why, and never says that the claim can be
// reconciled.
func TestNextStepsNameWhatIsOpen(t *testing.T) {
	t.Parallel()
	for begins, r := range openCases(t) {
		for _, state := range []claim.State{r.State, claim.Reconciled} {
			if r.State = state; r.Standing == nil && state == claim.Reconciled {
				begins = "The payer took back a payment and $1,260.50 is open: "
			}
			if step := r.NextStep(); !strings.HasPrefix(step, begins) || strings.Contains(step, "reconcile") || len(step) > 150 {
				t.Errorf("%s: %q, want %q...", state, step, begins)
			}
		}
	}
}

// What is open of services that a later payer decided, too, is worked on its claim, which has the task.
func TestTheLaterClaimHasWhatIsOpen(t *testing.T) {
	t.Parallel()
	for begins, r := range openCases(t) {
		if r.Standing == nil || r.Open() < 0 {
			continue
		}
		later := billing.ClaimID{15: 2}
		r.Standing.LaterDecided, r.SecondaryID = true, later
		if step, want := r.NextStep(), "The next payer decided, too, and "+r.Open().Dollars()+" is open: act on its claim "+later.String()+"."; step != want {
			t.Errorf("%q, want %q", step, want)
		}
		r.SecondaryID = billing.ClaimID{} // it forwarded the claim: there is no other one
		if step := r.NextStep(); !strings.HasPrefix(step, begins) {
			t.Errorf("on one claim: %q, want %q...", step, begins)
		}
	}
}

// The claim that gives nothing back names the other one, and what happens there.
func TestARefundOfAnotherClaimIsNamed(t *testing.T) {
	t.Parallel()
	r := openCases(t)["The claim is overpaid by $760.50, refund due: "]
	other := billing.ClaimID{15: 2}
	r.SecondaryID, r.Standing.PaidLater = other, r.Standing.Paid
	want := "The claim is overpaid by $760.50, refund due: act on claim " + other.String() + ", whose payer gets it back."
	if step := r.NextStep(); r.Refund() != 0 || step != want {
		t.Errorf("%q with %s to return, want %q", step, r.Refund(), want)
	}
}

// What is open must be accepted to the cent, line by line, and a reopened claim is as
// before.
func TestReconcilingWhatIsOpen(t *testing.T) {
	t.Parallel()
	for begins, r := range openCases(t) {
		if r.Standing == nil {
			continue // a claim that is paid nothing is not reconciled
		}
		open, was := r.Open(), r.NextStep()
		accepting := func(amounts ...billing.Money) *claim.AcceptedOpen {
			a := &claim.AcceptedOpen{As: claim.AcceptOther, Note: "Agreed."}
			for i, m := range amounts {
				a.Lines = append(a.Lines, claim.LineAmount{Number: i, Amount: m})
			}
			return a
		}
		for name, a := range map[string]*claim.AcceptedOpen{"nothing": nil, "less": accepting(open - 1), "a line that is not there": accepting(open, 0, 0, 0, 0, 0)} {
			c := *r.Claim
			err := (&claim.Record{Claim: &c, Ledger: r.Ledger}).Reconcile(a, "usr_1", evening)
			if err == nil || name != "a line that is not there" && !strings.Contains(messages(err), open.Dollars()) {
				t.Errorf("%s accepted of %s: %v", name, begins, err)
			}
		}
		if err := r.Reconcile(accepting(open-5, 5), "usr_1", evening); err != nil || r.Open() != 0 || r.Overpaid() != 0 || len(r.Accepted) != 1 || r.State != claim.Reconciled {
			t.Fatalf("%s: %v, open %s, accepted %v", begins, err, r.Open(), r.Accepted)
		}
		if last := r.History[len(r.History)-1]; last.Cause != claim.TriggerReconcile || last.By != "usr_1" || last.Note != "Agreed." {
			t.Errorf("%s: the history ends with %+v", begins, last)
		}
		if err := r.Reopen("usr_2", evening); err != nil || r.Open() != open || len(r.Accepted) != 0 || r.NextStep() != was {
			t.Errorf("%s: %v, open %s again, accepted %v, %s", begins, err, r.Open(), r.Accepted, r.NextStep())
		}
	}
	r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", primaryLines())}})
	if err := r.Reconcile(&claim.AcceptedOpen{As: claim.AcceptOther}, "usr_1", evening); billing.CodeOf(err) != billing.CodeInvalidRequest {
		t.Errorf("nothing is open, but accepted: %v", err)
	}
}

// messages returns all that an error says.
func messages(err error) string {
	var b strings.Builder
	b.WriteString(err.Error())
	if e, ok := errors.AsType[*billing.Error](err); ok {
		for _, f := range e.Faults {
			b.WriteString(" " + f.Message)
		}
	}
	return b.String()
}

// A reversal of a reconciled claim is in its history. The claim is reconciled again, and
// what was accepted before counts.
func TestAReconciledClaimIsReconciledAgain(t *testing.T) {
	t.Parallel()
	first := remitted("1", "A1", primaryLines())
	r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{first}})
	if err := r.Reconcile(nil, "usr_1", noon); err != nil {
		t.Fatal(err)
	}
	steps := len(r.History)
	back := takenBack(first)
	e := &remit.LedgerEntry{Claim: &back, ERA: remit.Source{ID: billing.ERAID{15: 99}, PayerName: "Delta", Arrival: 99}}
	back.Date = billing.Date{Year: 2026, Month: 3, Day: 9}
	r.Ledger = r.Ledger.With(e)
	if _, ok := r.Settle(r.Ledger, e, claim.Cause{At: evening}); !ok || r.Open() != 1260_50 {
		t.Fatalf("applied %v, open %s", ok, r.Open())
	}
	if h := r.History[steps:]; len(h) != 1 || h[0].Cause != claim.TriggerReverse || h[0].State != claim.Reconciled {
		t.Errorf("the reversal is in the history as %+v", h)
	}
	again := evening.AddDate(0, 0, 1)
	written := &claim.AcceptedOpen{As: claim.AcceptWriteOff, Lines: []claim.LineAmount{{Number: 1, Amount: 950_00}, {Number: 2, Amount: 310_50}}}
	if err := r.Reconcile(written, "usr_1", again); err != nil || r.Unposted() {
		t.Fatalf("%v, changed since %v", err, r.Unposted())
	}
	if h := r.History[steps+1:]; len(h) != 1 || h[0].Cause != claim.TriggerReconcile || !h[0].At.Equal(again) {
		t.Errorf("reconciled again, the history goes on with %+v", h)
	}
	paid := &remit.LedgerEntry{Claim: &first, ERA: remit.Source{ID: billing.ERAID{15: 98}, PayerName: "Delta", Arrival: 100}}
	first.Date = billing.Date{Year: 2026, Month: 3, Day: 10}
	r.Ledger = r.Ledger.With(paid)
	r.Settle(r.Ledger, paid, claim.Cause{At: again.AddDate(0, 0, 1)})
	if step := r.NextStep(); r.Open() != -1260_50 || r.Overpaid() != 0 || !strings.HasPrefix(step, "Accepted amounts exceed what is open by $1,260.50: ") {
		t.Errorf("paid after the write-off: open %s, overpaid by %s, %s", r.Open(), r.Overpaid(), step)
	}
}

// Both claims for the same services have the same amount open, by line too, and what is
// accepted on one of them is settled on the other.
func TestBothClaimsHaveTheSameOpenAmount(t *testing.T) {
	t.Parallel()
	refused := primaryLines()
	refused[0] = paying("D2740", 650_00, cas("PR", "2", 200_00), cas("CO", "16", 100_00))
	r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", refused)}})
	second, err := r.BillSecondary(billing.ClaimID{15: 2}, "PCN-2", claim.SecondPlan{Payer: directory.PayerSummary{Name: "Cigna"}, Relationship: coverage.RelationSelf}, false, billing.RequestID{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	second.SetElsewhere(second.Ledger(nil))
	if second.Open() != 100_00 || r.Open() != 100_00 {
		t.Errorf("open are %s and %s", r.Open(), second.Open())
	}
	if err := r.Reconcile(&claim.AcceptedOpen{As: claim.AcceptWriteOff, Lines: []claim.LineAmount{{Number: 1, Amount: 100_00}}}, "usr_1", evening); err != nil {
		t.Fatal(err)
	}
	l := second.Ledger(nil).Beside(r.Ledger)
	if lines := l.OpenLines(); l.Open() != 0 || !slices.Equal(lines, []billing.Money{0, 0, 0, 0}) {
		t.Errorf("after the write-off on the first claim, open on the second are %s, %v", l.Open(), lines)
	}
}

// While the clock of the sandbox stands, a claim is reconciled, its payment changes and it is
// reconciled again at one instant. The order of the three counts.
func TestReconciledAtOneInstant(t *testing.T) {
	t.Parallel()
	first := remitted("1", "A1", primaryLines())
	r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{first}})
	at := r.SettledAt
	if err := r.Reconcile(nil, "usr_1", at); err != nil || r.Unposted() {
		t.Fatalf("%v, changed since %t", err, r.Unposted())
	}
	back := takenBack(first)
	back.Date = billing.Date{Year: 2026, Month: 3, Day: 9}
	e := &remit.LedgerEntry{Claim: &back, ERA: remit.Source{ID: billing.ERAID{15: 99}, PayerName: "Delta", Arrival: 99}}
	r.Ledger = r.Ledger.With(e)
	if _, ok := r.Settle(r.Ledger, e, claim.Cause{At: at}); !ok || !r.Unposted() {
		t.Fatalf("taken back %t, changed since %t", ok, r.Unposted())
	}
	accepted := &claim.AcceptedOpen{As: claim.AcceptWriteOff, Lines: []claim.LineAmount{{Number: 1, Amount: 950_00}, {Number: 2, Amount: 310_50}}}
	if err := r.Reconcile(accepted, "usr_1", at); err != nil || r.Unposted() {
		t.Errorf("%v, changed since %t", err, r.Unposted())
	}
}

// What is refused because a filing limit was missed is written off, and never the patient's. Other
// refusals can be, if a person says so, and so can the credit of an overpayment.
func TestAMissedLimitIsNeverThePatients(t *testing.T) {
	t.Parallel()
	line := func(n int, paid billing.Money, adjustments ...remit.Adjustment) []remit.Line {
		all := primaryLines()
		all[n] = paying(all[n].ProcedureCode, paid, adjustments...)
		return all
	}
	delta := func(r remit.Claim) eraFile { return eraFile{1, "Delta", []remit.Claim{r}} }
	both := line(0, 650_00, cas("CO", "29", 300_00))
	both[1] = paying("D0120", 0, cas("CO", "96", 60_50))
	for name, x := range map[string]struct {
		files []eraFile
		says  string // empty if the amount can be billed to the patient
	}{
		"the claim":      {[]eraFile{delta(remitted("4", "A1", nil, cas("CO", "29", 1260_50)))}, "refuses the claim because"},
		"a line":         {[]eraFile{delta(remitted("1", "A1", line(2, 0, cas("CO", "29", 150_00))))}, "refuses line 3 because"},
		"another group":  {[]eraFile{delta(remitted("1", "A1", line(0, 650_00, cas("PI", "29", 300_00))))}, "refuses line 1 because"},
		"among others":   {[]eraFile{delta(remitted("1", "A1", both))}, "refuses line 1 because"},
		"another reason": {[]eraFile{delta(remitted("1", "A1", line(0, 650_00, cas("CO", "96", 300_00))))}, ""},
		"paid by the next payer": {[]eraFile{
			delta(remitted("1", "A1", both)), {2, "Cigna", []remit.Claim{remitted("2", "B1", []remit.Line{paying("D2740", 300_00, cas("OA", "23", 650_00))})}},
		}, ""},
		"overpaid": {[]eraFile{
			delta(remitted("4", "A1", nil, cas("CO", "29", 1260_50))), {2, "Cigna", []remit.Claim{remitted("2", "B1", []remit.Line{paying("D2740", 1300_50)})}},
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accept := func(as claim.AcceptAs) error {
				r := settledClaim(t, x.files...)
				if r.Open() == 0 {
					t.Fatal("nothing is open")
				}
				return r.Reconcile(&claim.AcceptedOpen{As: as, Lines: []claim.LineAmount{{Number: 4, Amount: r.Open()}}}, "usr_1", evening)
			}
			err := accept(claim.AcceptBillPatient)
			if (err != nil) != (x.says != "") || err != nil && (billing.CodeOf(err) != billing.CodeInvalidRequest || !strings.Contains(messages(err), x.says)) {
				t.Errorf("billed to the patient: %v, want %q", err, x.says)
			}
			if err := accept(claim.AcceptWriteOff); err != nil {
				t.Errorf("written off: %v", err)
			}
		})
	}
}

// A payer can pay more than the charge. Where it says why, as a write-off below zero (CO-45), its contract
// allows more than was billed, and nothing is to be refunded: open is the charge less the payments and
// the write-off, and below 0 an overpayment. The cases are added up by hand.
func TestPaidAboveTheCharge(t *testing.T) {
	t.Parallel()
	line := func(paid billing.Money, adjustments ...remit.Adjustment) []remit.Line {
		all := primaryLines()
		all[0] = paying("D2740", paid, adjustments...)
		return all
	}
	delta := func(lines []remit.Line) eraFile {
		return eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", lines)}}
	}
	for name, x := range map[string]struct {
		files         []eraFile
		open, patient billing.Money
		overpaid      billing.Money
	}{
		// The first service costs 950.00. The others: 210.50 paid, 50.00 the patient's, 50.00 written off.
		"an increase, all of it paid":        {[]eraFile{delta(line(1000_00, cas("CO", "45", -50_00)))}, 0, 50_00, 0},
		"an increase, shared by the patient": {[]eraFile{delta(line(800_00, cas("CO", "45", -50_00), cas("PR", "2", 200_00)))}, 0, 250_00, 0},
		"processed in excess of the charge":  {[]eraFile{delta(line(1050_00, cas("CO", "94", -100_00)))}, 0, 50_00, 0},
		"more than the increase":             {[]eraFile{delta(line(1100_00, cas("CO", "45", -50_00)))}, -50_00, 0, 50_00},
		"without a reason":                   {[]eraFile{delta(line(1050_00))}, -50_00, 0, 50_00},
		"a reason that is no contract":       {[]eraFile{delta(line(1050_00, cas("OA", "225", -100_00)))}, -50_00, 0, 50_00},
		"the next payer's increase": {[]eraFile{
			delta(line(950_00)), {2, "Cigna", []remit.Claim{remitted("2", "B1", line(100_00, cas("OA", "23", 950_00), cas("CO", "45", -100_00))[:1])}},
		}, -50_00, 0, 50_00},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settledClaim(t, x.files...)
			if r.Open() != x.open || r.Standing.PatientResponsibility != x.patient || r.Overpaid() != x.overpaid {
				t.Errorf("open %s, the patient's %s, overpaid %s; want %s, %s, %s; write-off %s", r.Open(), r.Standing.PatientResponsibility, r.Overpaid(), x.open, x.patient, x.overpaid, r.Standing.Contractual)
			}
		})
	}
}

// A payer that says that a claim came too late leaves it to nobody: PR-29 is never the patient's.
func TestALateClaimIsNotThePatients(t *testing.T) {
	t.Parallel()
	r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("4", "A1", nil, cas("PR", "29", 1260_50))}})
	if step := r.NextStep(); r.State != claim.Denied || !strings.Contains(step, "appeal") || strings.Contains(step, "bill the patient") {
		t.Errorf("%s: %q", r.State, step)
	}
	if s := r.Standing; r.Open() != 0 || !s.Late || s.LateAmount != 1260_50 || s.Act != remit.ActAppeal || len(s.Refused) != 1 || s.Refused[0].Group != "PR" || r.DeniedAmount() != 1260_50 {
		t.Errorf("%s open, %s at stake: %+v", r.Open(), r.DeniedAmount(), s)
	}
	part := paying("D2740", 650_00, cas("PR", "29", 300_00))
	r = settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("1", "A1", []remit.Line{part})}})
	if step := r.NextStep(); r.State != claim.Paid || r.Open() == 0 && !strings.Contains(step, "$300.00 came too late") || r.DeniedAmount() != r.Open()+300_00 {
		t.Errorf("a part, %s: %q, %s at stake", r.State, step, r.DeniedAmount())
	}
	r = settledClaim(t, eraFile{1, "Delta", []remit.Claim{remitted("4", "A1", nil, cas("PR", "204", 1260_50))}})
	if step := r.NextStep(); r.State != claim.Denied || !strings.Contains(step, "bill the patient") {
		t.Errorf("another reason, %s: %q", r.State, step)
	}
}

// One overpayment of services with two claims is returned once: by the last payer up to what it paid, and the
// rest by the payer before. Both claims have the same amount open, and each names the other one for its part.
func TestAnOverpaymentIsReturnedOnce(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		first, second remit.Claim
		back, back2   billing.Money // with the first claim, and with the second
	}{
		"the secondary payer pays too much":       {remitted("1", "A1", primaryLines()), remitted("2", "B1", []remit.Line{paying("D2740", 960_50)}), 0, 760_50},
		"the secondary payer paid less than that": {remitted("1", "A1", []remit.Line{paying("D2740", 1300_50)}), remitted("2", "B1", []remit.Line{paying("D2740", 20_00)}), 40_00, 20_00},
		"the primary payer does":                  {remitted("1", "A1", []remit.Line{paying("D2740", 1300_50)}), remitted("2", "B1", []remit.Line{paying("D2740", 0, cas("OA", "23", 950_00))}), 40_00, 0},
		"nobody pays, and more is written off": {
			remitted("1", "A1", []remit.Line{paying("D2740", 0, cas("CO", "45", 1300_50))}), remitted("2", "B1", []remit.Line{paying("D2740", 0, cas("OA", "23", 950_00))}), 40_00, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := settledClaim(t, eraFile{1, "Delta", []remit.Claim{x.first}})
			second, err := r.BillSecondary(billing.ClaimID{15: 2}, "PCN-2", claim.SecondPlan{Payer: directory.PayerSummary{Name: "Cigna"}, Relationship: coverage.RelationSelf}, false, billing.RequestID{}, noon)
			if err != nil {
				t.Fatal(err)
			}
			second.State, second.SentAt = claim.AcceptedPayer, noon
			x.second.Date = billing.Date{Year: 2026, Month: 3, Day: 9}
			e := &remit.LedgerEntry{Claim: &x.second, ERA: remit.Source{ID: billing.ERAID{15: 99}, PayerName: "Cigna", Arrival: 99}}
			l := second.Ledger([]*remit.LedgerEntry{e}, r.Ledger)
			second.Settle(l, e, claim.Cause{At: noon})
			beside := r.Ledger.Beside(second.Ledger([]*remit.LedgerEntry{e}))
			r.Share(beside, noon)
			if r.Open() != -x.back-x.back2 || r.Open() != second.Open() || r.Refund() != x.back || second.Refund() != x.back2 {
				t.Errorf("open %s and %s; returned with the first %s, with the second %s; want %s and %s", r.Open(), second.Open(), r.Refund(), second.Refund(), x.back, x.back2)
			}
			asks := "ask the payer how to return "
			for _, c := range []struct {
				one, other *claim.Claim
				back       billing.Money
			}{{r.Claim, second, x.back}, {second, r.Claim, x.back2}} {
				c.one.State = claim.Paid
				if step := c.one.NextStep(); strings.Contains(step, asks) != (c.back > 0) || strings.Contains(step, c.other.ID.String()) != (c.back != c.one.Overpaid()) {
					t.Errorf("%s of %s is returned: %q", c.back, c.one.Overpaid(), step)
				}
			}
			before := r.SettledAt // of a claim that knows nothing of later payments yet
			r.Standing.PaidLater = 0
			if r.Share(beside, evening); r.Refund() != x.back || r.SettledAt != before {
				t.Errorf("shared again, %s is returned with the first, and its figures are of %s, not of %s", r.Refund(), r.SettledAt, before)
			}
		})
	}
}
