package appeal_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/billing/remit"
)

var (
	now   = time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)
	today = billing.DateOf(now)
)

func draft() *appeal.Appeal {
	return &appeal.Appeal{State: appeal.Draft, Level: appeal.First, SendBy: limit.Deadline{On: today.AddDays(180), Source: limit.Proposed}, CreatedAt: now}
}

// TestStates tries every act in every state.
func TestStates(t *testing.T) {
	t.Parallel()
	send := func(a *appeal.Appeal) error {
		return a.Send(appeal.Sending{On: today, By: appeal.Mail}, "ann", today, now)
	}
	decide := func(o appeal.Outcome) func(*appeal.Appeal) error {
		return func(a *appeal.Appeal) error { return a.Decide(today, o, "ann", today, now) }
	}
	acts := map[string]func(*appeal.Appeal) error{
		"change": func(a *appeal.Appeal) error { return a.Change(appeal.Change{Reason: new("Because.")}, now) },
		"send":   send, "uphold": decide(appeal.Upheld), "withdraw": decide(appeal.Withdrawn),
	}
	for state, allowed := range map[appeal.State][]string{
		appeal.Draft: {"change", "send", "withdraw"}, appeal.Sent: {"uphold", "withdraw"}, appeal.Decided: nil,
	} {
		for name, act := range acts {
			a := draft()
			if state != appeal.Draft && send(a) != nil || state == appeal.Decided && decide(appeal.Partly)(a) != nil || a.State != state {
				t.Fatal("the appeal does not come into its state")
			}
			err := act(a)
			if slices.Contains(allowed, name) != (err == nil) || err != nil && billing.CodeOf(err) != billing.CodeConflict {
				t.Errorf("%s a %s appeal: %v", name, state, err)
			}
			if (a.OnClaim() == nil) != (a.State == appeal.Decided) || a.DueOn().IsZero() != (a.State == appeal.Decided) {
				t.Errorf("%s a %s appeal: the claim keeps %+v, due on %s", name, state, a.OnClaim(), a.DueOn())
			}
		}
	}
}

// TestDays refuses days to come, and decisions before the sending.
func TestDays(t *testing.T) {
	t.Parallel()
	a := draft()
	if err := a.Send(appeal.Sending{On: today.AddDays(1), By: appeal.Fax}, "ann", today, now); billing.CodeOf(err) != billing.CodeInvalidRequest || a.State != appeal.Draft {
		t.Errorf("sent tomorrow: %v", err)
	}
	if err := a.Send(appeal.Sending{On: today.AddDays(-3), By: appeal.Fax, Reference: "77"}, "ann", today, now); err != nil || a.DueOn() != today.AddDays(57) || a.Words.Reference != "77" {
		t.Errorf("sent: %v, due on %s", err, a.DueOn())
	}
	for _, day := range []billing.Date{today.AddDays(-4), today.AddDays(1)} {
		if err := a.Decide(day, appeal.Upheld, "ann", today, now); billing.CodeOf(err) != billing.CodeInvalidRequest {
			t.Errorf("decided on %s: %v", day, err)
		}
	}
	paid := func(days int, m billing.Money) *remit.LedgerEntry {
		return &remit.LedgerEntry{Claim: &remit.Claim{Date: today.AddDays(days), Paid: m}}
	}
	applied := func(e *remit.LedgerEntry, at time.Time) *remit.LedgerEntry {
		e.AppliedAt = at
		return e
	}
	a.SetPaid([]*remit.LedgerEntry{
		paid(-9, 5_00), paid(-3, 6_00), paid(-2, 7_00), paid(-1, 0), paid(0, -7_00),
		applied(paid(-1, 8_00), now.AddDate(0, 0, -3)), // the payment that the appeal is about has a later day, as payers write it
		applied(paid(-1, 9_00), now.AddDate(0, 0, -1)), // it came before somebody recorded that the appeal was sent
	}, "")
	var sums []billing.Money
	for _, e := range a.Paid {
		sums = append(sums, e.Paid)
	}
	if !slices.Equal(sums, []billing.Money{7_00, -7_00, 9_00}) {
		t.Errorf("paid after it was sent: %v", sums)
	}
	b := draft()
	if err := b.Change(appeal.Change{SendBy: today.AddDays(30), Level: new(appeal.Second), Documents: &[]string{"att_1"}}, now); err != nil ||
		b.SendBy != (limit.Deadline{On: today.AddDays(30), Source: limit.Person}) || b.Level != appeal.Second || len(b.Documents) != 1 {
		t.Errorf("a confirmed day: %+v, %v", b, err)
	}
}

// TestLetter fills a letter from a claim and a denial of one of its lines.
func TestLetter(t *testing.T) {
	t.Parallel()
	c := &claim.Claim{Kind: claim.KindClaim, PatientControlNumber: "ABC123"}
	c.Payer.Name = "Example Dental"
	c.Subscriber = claim.Subscriber{FirstName: "Sam", LastName: "Example", MemberID: "M1", GroupNumber: "G7"}
	c.Patient = &claim.Patient{FirstName: "Kim", LastName: "Example", DateOfBirth: billing.Date{Year: 2012, Month: 5, Day: 6}}
	c.Lines = []claim.Line{
		{ProcedureCode: "D2740", Tooth: "30", ServiceDate: billing.Date{Year: 2026, Month: 2, Day: 2}, Fee: 1200_00, Quantity: 1},
		{ProcedureCode: "D0120", ServiceDate: billing.Date{Year: 2026, Month: 2, Day: 3}, Fee: 60_00, Quantity: 1},
	}
	c.PayerClaimNumber, c.Standing = "P99", &claim.Standing{PaymentDate: billing.Date{Year: 2026, Month: 2, Day: 20}}
	decided := &remit.LedgerEntry{Claim: &remit.Claim{Lines: []remit.Line{
		{ProcedureCode: "D2740", Adjustments: []remit.Adjustment{{Group: "CO", Reason: "50", Amount: 1200_00}}, Remarks: []string{"N130"}},
		{ProcedureCode: "D0120", Paid: 60_00},
	}}}
	taken := &remit.LedgerEntry{Claim: &remit.Claim{Lines: []remit.Line{{ProcedureCode: "D0120", Adjustments: []remit.Adjustment{{Group: "CO", Reason: "29", Amount: 60_00}}}}}}
	letter := appeal.Letter(appeal.Facts{
		Claim:  &claim.Record{Claim: c},
		Office: &directory.Office{Name: "Main Street Dental", NPI: "1234567893", Phone: "5185550100", Address: directory.Address{Line1: "1 Main St", City: "Albany", State: "NY", ZIP: "122070001"}},
		Decided: []claim.Adjudication{
			{LedgerEntry: decided, Numbers: []int{1, 2}},
			{LedgerEntry: taken, Numbers: []int{2}, CancelledBy: decided},
		},
		On: today, Level: appeal.Second, Reason: "The X-ray shows decay.", Papers: 2,
	})
	for _, want := range []string{
		"Main Street Dental\n1 Main St\nAlbany, NY 12207-0001\nTelephone 518-555-0100\n\nMarch 10, 2026\n\nExample Dental\nAppeals\n\nRe: Second-level appeal",
		"Patient: Kim Example, born May 6, 2012\nSubscriber: Sam Example, member ID M1\nGroup: G7\nYour claim number: P99\nOur claim number: ABC123\n",
		"Dates of service: February 2, 2026 to February 3, 2026\nCharge: $1,260.00",
		"your decision of February 20, 2026. You do not pay:\n\n- D2740 on tooth 30 of February 2, 2026, charged $1,200.00: $1,200.00, reason CO-50 (", ", remark N130 (",
		"\n\nThe X-ray shows decay.\n\nThe treatment was necessary",
		"Enclosed: 2 documents from the records of Kim Example.",
		"Sincerely,\n\n\nMain Street Dental\nNPI 1234567893\n",
	} {
		if !strings.Contains(letter, want) {
			t.Errorf("the letter lacks %q:\n%s", want, letter)
		}
	}
	for _, not := range []string{"sent in time", "CO-29", "D0120 of"} {
		if strings.Contains(letter, not) {
			t.Errorf("the letter has %q, of what was taken back or paid:\n%s", not, letter)
		}
	}
	bare := appeal.Letter(appeal.Facts{Claim: &claim.Record{Claim: &claim.Claim{}}, Office: &directory.Office{}, On: today})
	if strings.Contains(bare, "Enclosed") || !strings.Contains(bare, "review the decision with the records") || strings.Contains(bare, "\n\n\n\n\n") {
		t.Errorf("a letter with little:\n%s", bare)
	}
}
