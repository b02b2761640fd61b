package deposit_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
)

func day(d int) billing.Date { return billing.Date{Year: 2026, Month: time.March, Day: d} }

// era is a remittance of a payer. Monday is the 9th.
func era(n byte, payer, trace string, total billing.Money, on int) *remit.ERA {
	return &remit.ERA{
		ID: billing.ERAID{15: n}, State: remit.NeedsReview, PayerName: payer, ReceivedAt: day(on).Time(),
		Payment: remit.Payment{Method: "ACH", TraceNumber: trace, Total: total, Date: day(on)},
	}
}

func came(n byte, text, trace string, amount billing.Money, on int) *deposit.Deposit {
	return &deposit.Deposit{ID: billing.DepositID{15: n}, State: deposit.Unmatched, Entry: deposit.Entry{
		Account: "6789", Date: day(on), Amount: amount, Text: text, Trace: trace, Claims: true, Method: deposit.ACH,
	}}
}

// TestMatches has what matches by itself, and what just does not.
func TestMatches(t *testing.T) {
	t.Parallel()
	const delta = "Delta Dental of California"
	for name, c := range map[string]struct {
		deposits []*deposit.Deposit
		eras     []*remit.ERA
		want     int
		how      deposit.How
	}{
		"a trace number":              {[]*deposit.Deposit{came(1, "", "eft 7", 500, 20)}, []*remit.ERA{era(1, "", "EFT7", 500, 9)}, 1, deposit.ByTrace},
		"zeros before a trace number": {[]*deposit.Deposit{came(1, "", "007", 500, 9)}, []*remit.ERA{era(1, "", "7", 500, 9)}, 1, deposit.ByTrace},
		"another amount":              {[]*deposit.Deposit{came(1, "", "7", 499, 9)}, []*remit.ERA{era(1, "", "7", 500, 9)}, 0, ""},
		"parts of a payment":          {[]*deposit.Deposit{came(1, "", "7", 900, 9)}, []*remit.ERA{era(1, "", "7", 500, 9), era(2, "", "7", 400, 9)}, 1, deposit.ByTrace},
		"one of two with the number":  {[]*deposit.Deposit{came(1, "", "7", 400, 9)}, []*remit.ERA{era(1, "", "7", 500, 9), era(2, "", "7", 400, 9)}, 1, deposit.ByTrace},
		"two like it":                 {[]*deposit.Deposit{came(1, "", "7", 500, 9)}, []*remit.ERA{era(1, "", "7", 500, 9), era(2, "", "7", 500, 9)}, 0, ""},
		"the figures":                 {[]*deposit.Deposit{came(1, "DELTA DENTAL CA HCCLAIMPMT", "", 500, 12)}, []*remit.ERA{era(1, delta, "7", 500, 9)}, 1, deposit.ByFigure},
		"a day too late":              {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "", 500, 13)}, []*remit.ERA{era(1, delta, "7", 500, 9)}, 0, ""},
		"over a weekend":              {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "", 500, 11)}, []*remit.ERA{era(1, delta, "7", 500, 6)}, 1, deposit.ByFigure},
		"another payer":               {[]*deposit.Deposit{came(1, "CIGNA DENTAL", "", 500, 9)}, []*remit.ERA{era(1, delta, "7", 500, 9)}, 0, ""},
		"another trace number":        {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "8", 500, 9)}, []*remit.ERA{era(1, delta, "7", 500, 9)}, 0, ""},
		"two remittances fit":         {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "", 500, 9)}, []*remit.ERA{era(1, delta, "7", 500, 9), era(2, delta, "8", 500, 10)}, 0, ""},
		"two deposits fit":            {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "", 500, 9), came(2, "DELTA DENTAL CA", "", 500, 9)}, []*remit.ERA{era(1, delta, "7", 500, 9)}, 0, ""},
		"nothing to pay":              {[]*deposit.Deposit{came(1, "DELTA DENTAL CA", "7", 500, 9)}, []*remit.ERA{era(1, delta, "7", 0, 9)}, 0, ""},
	} {
		got := deposit.Matches(c.deposits, c.eras)
		if len(got) != c.want || len(got) > 0 && got[0].How != c.how {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for _, m := range got {
			if m.Join(time.Now()); m.Deposit.State != deposit.Matched || m.ERAs[0].BankStatus() != remit.DepositReceived {
				t.Errorf("%s: %s, %s", name, m.Deposit.State, m.ERAs[0].BankStatus())
			}
		}
	}
}

// TestNumber gives overlapping files the same identities.
func TestNumber(t *testing.T) {
	t.Parallel()
	one := deposit.Entry{Account: "6789", Date: day(9), Amount: 500, Text: "RENT"}
	traced := one
	traced.Reference = "1"
	a, b := deposit.Number([]deposit.Entry{one, one, traced}), deposit.Number([]deposit.Entry{traced, one})
	if a[0] == a[1] || a[0] != b[1] || a[2] != b[0] || a[2] == a[0] {
		t.Errorf("%x\n%x", a, b)
	}
}

// TestReturns takes back what is certain.
func TestReturns(t *testing.T) {
	t.Parallel()
	paid, e := came(1, "DELTA DENTAL", "7", 500, 9), era(1, "Delta Dental", "7", 500, 9)
	paid.Reference = "R1"
	deposit.Matches([]*deposit.Deposit{paid}, []*remit.ERA{e})[0].Join(time.Now())
	back := came(2, "SOMETHING", "", -500, 10)
	for _, c := range []struct {
		name, returns, trace, text string
		on                         int
		want                       bool
	}{
		{"nothing in common", "", "", "FEE", 10, false},
		{"the reference", "R1", "", "", 10, true},
		{"another reference", "R2", "7", "", 10, false},
		{"the trace number", "", "7", "", 10, true},
		{"a reversal", "", "", "REVERSAL", 10, true},
		{"an earlier day", "", "7", "", 6, false},
	} {
		back.Returns, back.Trace, back.Text, back.Date = c.returns, c.trace, c.text, day(c.on)
		if got := back.TakesBack([]*deposit.Deposit{paid}); (got != nil) != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if paid.TakenBack(back, []*remit.ERA{e}); paid.State != deposit.Returned || e.Awaited() != 500 || paid.Rest() != 0 {
		t.Errorf("%s, %s awaited", paid.State, e.Awaited())
	}
}

// TestByHand is not done again by itself.
func TestByHand(t *testing.T) {
	t.Parallel()
	d, e := came(1, "", "7", 500, 9), era(1, "", "7", 500, 9)
	if err := d.Match([]deposit.Wish{{ERA: e.ID}}, []*remit.ERA{e}, "usr_1", time.Now()); err != nil || d.State != deposit.Matched {
		t.Fatal(err, d.State)
	}
	if err := d.Undo([]*remit.ERA{e}); err != nil || d.Waits() || e.Awaited() != 500 {
		t.Errorf("%v, waits %t, %s", err, d.Waits(), e.Awaited())
	}
	d.Decide(decision.Decision{Of: "deposit_unmatched", As: decision.NotInsurance})
	if d.State != deposit.Unrelated || d.Rest() != 0 {
		t.Errorf("%s, %s", d.State, d.Rest())
	}
	d.Decide(decision.Decision{Of: "deposit_unmatched"})
	if d.State != deposit.Unmatched || d.Rest() != 500 || d.Waits() || len(d.Decisions) != 0 {
		t.Errorf("taken back: %s, %s, waits %t, %v", d.State, d.Rest(), d.Waits(), d.Decisions)
	}
}
