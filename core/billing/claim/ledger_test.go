package billing_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// books is a claim with the remittance claims that are applied to it, each of
// its own remittance.
type books struct {
	*billing.Claim

	entries []*billing.LedgerEntry
	waiting []*billing.LedgerEntry // reversals without a payment
}

func (b *books) entry(r billing.RemittanceClaim) *billing.LedgerEntry {
	r.Ordinal, r.Balanced = 1, true
	n := byte(len(b.entries) + len(b.waiting) + 1)
	return &billing.LedgerEntry{RemittanceClaim: &r, ERA: billing.ERASource{ID: billing.ERAID{15: n}, PayerName: "Delta", TraceNumber: string('A' + rune(n)), Arrival: int64(n)}}
}

// post applies a remittance claim, and then the reversals that waited for it.
func (b *books) post(r billing.RemittanceClaim, cause billing.ClaimCause) (billing.Event, bool) {
	e := b.entry(r)
	event, ok := b.apply(e, cause)
	if !ok {
		if r.Reverses() {
			b.waiting = append(b.waiting, e)
		}
		return event, ok
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w *billing.LedgerEntry) bool {
		_, applied := b.apply(w, cause)
		return applied
	})
	return event, ok
}

func (b *books) apply(e *billing.LedgerEntry, cause billing.ClaimCause) (billing.Event, bool) {
	l := b.Ledger(append(slices.Clone(b.entries), e))
	if e.Reverses() && !l.Cancels(e) {
		return billing.Event{}, false
	}
	event, ok := b.Settle(l, e, cause)
	if ok {
		b.entries = append(b.entries, e)
	}
	return event, ok
}

// history returns entries that the bytes stand for, four each: several
// payers, whole claims, parts and reversals.
func history(c *billing.Claim, script []byte) (all []*billing.LedgerEntry) {
	for n := 0; len(script) >= 4; n, script = n+1, script[4:] {
		payer := []string{"Delta", "Cigna", "Aetna"}[script[0]%3]
		r := billing.RemittanceClaim{
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
			line := billing.ERALine{
				ControlNumber: []string{"1", "2"}[i], Charge: sign * l.Fee, Paid: sign * paid,
				Adjustments: []billing.Adjustment{cas("PR", "2", sign*share), cas("CO", "45", sign*(l.Fee-paid-share))},
			}
			r.Lines, r.Charge, r.Paid = append(r.Lines, line), r.Charge+line.Charge, r.Paid+line.Paid
		}
		all = append(all, &billing.LedgerEntry{RemittanceClaim: &r, ERA: billing.ERASource{
			ID: billing.ERAID{15: script[3] / 16}, PayerName: payer, TraceNumber: "T", Arrival: int64(script[3] / 16),
		}})
	}
	return all
}

// checkHistory checks what holds for any entries: their order changes nothing,
// payments add up, and the patient never owes more than remains of the charge.
func checkHistory(t *testing.T, script []byte) {
	t.Helper()
	c := claim()
	c.Kind = billing.KindClaim
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
	paid := func(number string, amount billing.Money) billing.RemittanceClaim {
		return billing.RemittanceClaim{StatusCode: "1", Charge: 112_50, Paid: amount, PayerClaimNumber: number}
	}
	for name, c := range map[string]struct {
		have             []billing.RemittanceClaim
		number, original string
		cancels          int // index of what it takes back; -1 for none
	}{
		"the same number":          {[]billing.RemittanceClaim{paid("A", 80_00), paid("B", 80_00), paid("", 80_00)}, "A", "", 0},
		"the original's number":    {[]billing.RemittanceClaim{paid("A", 80_00), paid("B", 80_00)}, "Z", "A", 0},
		"the latest of the number": {[]billing.RemittanceClaim{paid("A", 80_00), paid("A", 80_00), paid("B", 80_00)}, "A", "", 1},
		"no number":                {[]billing.RemittanceClaim{paid("A", 80_00), paid("B", 80_00)}, "", "", 1},
		"another number":           {[]billing.RemittanceClaim{paid("A", 80_00), paid("B", 80_00)}, "Z", "", 1},
		"another amount":           {[]billing.RemittanceClaim{paid("A", 79_99)}, "A", "", -1},
		"nothing":                  {nil, "A", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := books{Claim: claim()}
			for _, r := range c.have {
				b.entries = append(b.entries, b.entry(r))
			}
			r := b.entry(billing.RemittanceClaim{StatusCode: "22", Charge: -112_50, Paid: -80_00, PayerClaimNumber: c.number, Original: c.original})
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
