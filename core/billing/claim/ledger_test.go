package claim_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
)

// books is a claim with the remittance claims that are applied to it, each of
// its own remittance.
type books struct {
	*claim.Claim

	entries []*remit.LedgerEntry
	waiting []*remit.LedgerEntry // reversals without a payment
}

func (b *books) entry(r remit.Claim) *remit.LedgerEntry {
	r.Ordinal, r.Balanced = 1, true
	n := byte(len(b.entries) + len(b.waiting) + 1)
	return &remit.LedgerEntry{Claim: &r, ERA: remit.Source{ID: billing.ERAID{15: n}, PayerName: "Delta", TraceNumber: string('A' + rune(n)), Arrival: int64(n)}}
}

// post applies a remittance claim, and then the reversals that waited for it.
func (b *books) post(r remit.Claim, cause claim.Cause) (event.Event, bool) {
	e := b.entry(r)
	ev, ok := b.apply(e, cause)
	if !ok {
		if r.Reverses() {
			b.waiting = append(b.waiting, e)
		}
		return ev, ok
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w *remit.LedgerEntry) bool {
		_, applied := b.apply(w, cause)
		return applied
	})
	return ev, ok
}

func (b *books) apply(e *remit.LedgerEntry, cause claim.Cause) (event.Event, bool) {
	l := b.Ledger(append(slices.Clone(b.entries), e))
	if e.Reverses() && !l.Cancels(e) {
		return event.Event{}, false
	}
	ev, ok := b.Settle(l, e, cause)
	if ok {
		b.entries = append(b.entries, e)
	}
	return ev, ok
}

// history returns entries that the bytes stand for, four each: several
// payers, whole claims, parts and reversals.
func history(c *claim.Claim, script []byte) (all []*remit.LedgerEntry) {
	for n := 0; len(script) >= 4; n, script = n+1, script[4:] {
		payer := []string{"Delta", "Cigna", "Aetna"}[script[0]%3]
		r := remit.Claim{
			Ordinal: n + 1, StatusCode: []string{"1", "2", "3", "4", "22", "19"}[script[1]%6], PayerClaimNumber: []string{"", "A", "B"}[script[1]/8%3],
			Balanced: true, Date: billing.Date{Year: 2026, Month: 3, Day: 1 + int(script[2])%3},
		}
		sign := billing.Money(1)
		if r.Reverses() {
			sign = -1
		}
		for i, l := range c.Lines {
			if script[3]>>i&1 == 0 {
				continue
			}
			paid, share := billing.Money(script[2]%4)*10_00, billing.Money(script[0]/4%4)*5_00
			line := remit.Line{
				ControlNumber: []string{"1", "2"}[i], Charge: sign * l.Fee, Paid: sign * paid,
				Adjustments: []remit.Adjustment{cas("PR", "2", sign*share), cas("CO", "45", sign*(l.Fee-paid-share))},
			}
			r.Lines, r.Charge, r.Paid = append(r.Lines, line), r.Charge+line.Charge, r.Paid+line.Paid
		}
		all = append(all, &remit.LedgerEntry{Claim: &r, ERA: remit.Source{
			ID: billing.ERAID{15: script[3] / 16}, PayerName: payer, TraceNumber: "T", Arrival: int64(script[3] / 16),
		}})
	}
	return all
}

// checkHistory checks what holds for any entries: their order changes nothing,
// payments add up, and the patient never owes more than remains of the charge.
func checkHistory(t *testing.T, script []byte) {
	t.Helper()
	c := newClaim()
	c.Kind = claim.KindClaim
	entries := history(c, script[:min(len(script), 48)])
	s := c.Ledger(entries).Standing()
	shuffled := slices.Clone(entries)
	random := rand.New(rand.NewPCG(uint64(len(script)), 835))
	for range 3 {
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := c.Ledger(shuffled).Standing(); !reflect.DeepEqual(again, s) {
			t.Fatalf("in another order %+v stands, was %+v", again, s)
		}
	}
	if s == nil {
		return
	}
	var paid billing.Money
	for _, e := range entries {
		paid += e.Paid
	}
	rest := c.Charge() - s.Paid - s.Contractual
	if s.Paid != paid || s.Exceeds != (rest < 0) || s.PatientResponsibility > max(rest, 0) {
		t.Fatalf("%s were paid, %+v stands", paid, s)
	}
}

func TestLedgerOfAnyHistory(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 835))
	for range 3000 {
		script := make([]byte, 4*random.IntN(12))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		checkHistory(t, script)
	}
}

func FuzzClaimLedger(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x13\x00\x04\x01\x23"))                 // paid, reversed
	f.Add([]byte("\x00\x00\x01\x13\x00\x04\x01\x23\x00\x00\x02\x23")) // and corrected
	f.Add([]byte("\x00\x05\x01\x13\x01\x01\x02\x23"))                 // two payers
	f.Fuzz(checkHistory)
}

// TestReversals takes back the payment under the payer's number for it, rather
// than the latest that happens to have the amount.
func TestReversals(t *testing.T) {
	t.Parallel()
	paid := func(number string, amount billing.Money) remit.Claim {
		return remit.Claim{StatusCode: "1", Charge: 112_50, Paid: amount, PayerClaimNumber: number}
	}
	for name, c := range map[string]struct {
		have             []remit.Claim
		number, original string
		cancels          int // index of what it takes back; -1 for none
	}{
		"the same number":          {[]remit.Claim{paid("A", 80_00), paid("B", 80_00), paid("", 80_00)}, "A", "", 0},
		"the original's number":    {[]remit.Claim{paid("A", 80_00), paid("B", 80_00)}, "Z", "A", 0},
		"the latest of the number": {[]remit.Claim{paid("A", 80_00), paid("A", 80_00), paid("B", 80_00)}, "A", "", 1},
		"no number":                {[]remit.Claim{paid("A", 80_00), paid("B", 80_00)}, "", "", 1},
		"another number":           {[]remit.Claim{paid("A", 80_00), paid("B", 80_00)}, "Z", "", 1},
		"another amount":           {[]remit.Claim{paid("A", 79_99)}, "A", "", -1},
		"nothing":                  {nil, "A", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := books{Claim: newClaim()}
			for _, r := range c.have {
				b.entries = append(b.entries, b.entry(r))
			}
			r := b.entry(remit.Claim{StatusCode: "22", Charge: -112_50, Paid: -80_00, PayerClaimNumber: c.number, Original: c.original})
			l := b.Ledger(append(b.entries, r))
			if l.Cancels(r) != (c.cancels >= 0) {
				t.Errorf("takes something back: %v", l.Cancels(r))
			}
			for i, a := range l.Adjudications()[:len(c.have)] {
				if (a.CancelledBy != nil) != (i == c.cancels) {
					t.Errorf("payment %d is taken back by %v", i, a.CancelledBy)
				}
			}
		})
	}
}
