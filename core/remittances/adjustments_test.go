package remittances_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

func (b *fixture) adjusted(day int, trace string, adjustments ...remittance.ProviderAdjustment) remittance.Remittance {
	b.t.Helper()
	p := b.payment(paid("LOST", "P-LOST", 0))
	p.Trace.Number, p.Date.Day, p.Adjustments = trace, day, adjustments
	p.Settle()
	return p
}

func adjustment(reason, reference string, amount billing.Money) remittance.ProviderAdjustment {
	return remittance.ProviderAdjustment{Provider: ourNPI, Period: billing.Date{Year: 2026, Month: 12, Day: 31}, Reason: reason, Reference: reference, Amount: amount}
}

// TestTakenBackWithoutAClaim takes payments back outside the claims. Each is linked to the
// claim that it names, by any number that the payer or the practice gave it, and the
// figures of the claims stay.
func TestTakenBackWithoutAClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second, both := b.claim("CONTROL-1"), b.claim("CONTROL-2"), b.claim("CONTROL-3")
	b.remit(paid("CONTROL-1", "PAYER-1", 0))
	b.remit(paid("CONTROL-2", "PAYER-2", 0), paid("CONTROL-3", "PAYER-2", 0))
	b.remit(reversed(paid("CONTROL-1", "PAYER-1", 0)), paid("CONTROL-1", "PAYER-9", 1000)) // the number is another one from now on
	was := []string{b.stands(first), b.stands(second), b.stands(both)}
	r := b.imports(b.adjusted(4, "TAKES",
		adjustment("WO", "PAYER-1", 1000), adjustment("WO", "control-2", 1000), adjustment("WO", "PAYER-2", 1000), adjustment("72", "OVERPAID PAYER-9 2026", 1000),
		adjustment("L6", "", -100), adjustment("WO", "NOBODY", 100), adjustment("FB", "CONTROL-1", 100)))
	want := []billing.ClaimID{first, second, {}, first, {}, {}, {}}
	if !slices.Equal(r.About, want) || !r.Balanced {
		t.Errorf("about %v, want %v; balanced %t", r.About, want, r.Balanced)
	}
	if got := []string{b.stands(first), b.stands(second), b.stands(both)}; !slices.Equal(got, was) {
		t.Errorf("the claims are %q, were %q", got, was)
	}
}

// TestForwardedBalance carries a debt to later payments. What counts are the remittances
// that stand, of the same payer, in the order of their payments.
func TestForwardedBalance(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	if r := b.remit(paid("LOST", "P-LOST", 0)); r.Forwarded != nil {
		t.Errorf("without any: %+v", r.Forwarded)
	}
	last := b.imports(b.adjusted(6, "THIRD", adjustment("FB", "B", 3000), adjustment("WO", "X", 100)))
	p := b.adjusted(4, "FIRST", adjustment("FB", "A", -5000))
	first := b.imports(p)
	again := b.again(p, paid("LOST", "P-LOST", 0))
	again.Date, again.Adjustments = p.Date, []remittance.ProviderAdjustment{adjustment("FB", "A", -4500)}
	again.Settle()
	another := b.adjusted(5, "ELSEWHERE", adjustment("FB", "A", -9900))
	another.Payer = remittance.Party{Name: "ANOTHER PAYER", IDQualifier: "XV", ID: "UNKNOWN"}
	b.imports(another)
	account := func() (s string) {
		f := b.shown(last.ID).Forwarded
		for _, e := range f.Entries {
			s += fmt.Sprintf("%s %s %s %s; ", e.TraceNumber, e.Date, e.Amount, e.Balance)
		}
		return s + f.Balance.String()
	}
	const before = "FIRST 2026-02-04 -50.00 50.00; THIRD 2026-02-06 30.00 20.00; 20.00"
	equal(t, "the account", account(), before)
	b.decided(decision{does: claim.TriggerIgnore, era: first.ID, ordinal: 1})
	correction := b.imports(again)
	equal(t, "a correction waits", account(), before)
	b.judged(b.service.Replace, correction.ID)
	equal(t, "the correction stands", account(), "FIRST 2026-02-04 -45.00 45.00; THIRD 2026-02-06 30.00 15.00; 15.00")
}
