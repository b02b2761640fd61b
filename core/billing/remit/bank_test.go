package remit_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/remit"
)

// TestReceivedElsewhere has the decision of a person that money arrived where Molar does not see it.
func TestReceivedElsewhere(t *testing.T) {
	t.Parallel()
	e := remit.ERA{State: remit.Posted, Payment: remit.Payment{Method: "ACH", Total: 80_00, Date: billing.Date{Year: 2026, Month: 3, Day: 9}}}
	e.Bank, e.Posting = &remit.Bank{From: billing.Date{Year: 2026, Month: 1, Day: 2}}, &remit.Posting{Rule: "automatic", Stage: remit.ReconcileAwaitsMoney}
	says := func(what, want string, arrived bool) {
		t.Helper()
		if got := e.Truth(); got != "Balanced, posted, "+want || e.MoneyArrived() != arrived {
			t.Errorf("%s: %q, arrived %t", what, got, e.MoneyArrived())
		}
	}
	says("nothing", "not in the bank.", false)
	e.Decisions = decision.List{{Of: "deposit_missing", As: decision.ReceivedElsewhere, Amount: 80_00}}
	says("decided", "received elsewhere.", true)
	e.Arrived(remit.Paid{Deposit: billing.DepositID{15: 1}, Amount: 30_00})
	says("a part arrived since", "partly in the bank.", false)
	e.Decisions = decision.List{{Of: "deposit_missing", As: decision.ReceivedElsewhere, Amount: 50_00}}
	says("decided about the rest", "partly in the bank, the rest received elsewhere.", true)
	e.Decisions = nil
	says("taken back", "partly in the bank.", false)
}

// TestTruth says of a payment whether it is balanced, and what of it is not.
func TestTruth(t *testing.T) {
	t.Parallel()
	off := remit.LevelBalance{Checked: 3, Failed: 1}
	twice := remit.LevelBalance{Checked: 3, Failed: 2}
	at := func(level string, claim, line int) remit.BalanceFinding {
		return remit.BalanceFinding{Level: level, Claim: claim, Line: line}
	}
	for want, e := range map[string]remit.ERA{
		"Balanced":                              {},
		"Not balanced":                          {Balance: remit.Balance{Payment: off}},
		"Not balanced, acknowledged":            {Balance: remit.Balance{Payment: off, Claims: off}, Later: remit.Later{Acknowledged: &remit.Note{}}},
		"Not balanced: a claim does not add up": {Balance: remit.Balance{Claims: off, Findings: []remit.BalanceFinding{at("claim", 1, 0)}}},
		"Not balanced: a line does not add up":  {Balance: remit.Balance{Lines: off, Findings: []remit.BalanceFinding{at("line", 1, 1)}}},
		"Not balanced: claims do not add up":    {Balance: remit.Balance{Claims: twice, Findings: []remit.BalanceFinding{at("claim", 1, 0), at("claim", 2, 0)}}},
		"Not balanced: lines do not add up":     {Balance: remit.Balance{Lines: twice, Findings: []remit.BalanceFinding{at("line", 1, 1), at("line", 2, 1)}}},
		"Not balanced: a claim and lines do not add up": {Balance: remit.Balance{
			Claims: twice, Lines: twice,
			Findings: []remit.BalanceFinding{at("claim", 1, 0), at("line", 1, 1), at("claim", 1, 0), at("line", 1, 2)}, // two equations of one claim
		}},
	} {
		e.State, e.Payment.Method = remit.NeedsReview, "NON"
		if got := e.Truth(); got != want+", not posted, no deposit expected." {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
