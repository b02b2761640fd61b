package billing_test

import (
	"math/rand/v2"
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

// ledger is a claim's payments as a bookkeeper has them: what stands, the
// latest last, and what came in all.
type ledger struct {
	stands []billing.ClaimPayment
	sum    billing.Money
}

// takes books a payment, or strikes out what a reversal cancels: the latest of
// the amount, rather one under the payer's same number. It reports false, and
// books nothing, when there is nothing to cancel.
func (l *ledger) takes(p billing.ClaimPayment) bool {
	if p.StatusCode != "22" {
		l.stands, l.sum = append(l.stands, p), l.sum+p.Paid
		return true
	}
	struck := -1
	for i, have := range l.stands {
		sure := have.PayerClaimNumber != "" && (have.PayerClaimNumber == p.PayerClaimNumber || have.PayerClaimNumber == p.Original)
		best := struck >= 0 && l.stands[struck].PayerClaimNumber != "" &&
			(l.stands[struck].PayerClaimNumber == p.PayerClaimNumber || l.stands[struck].PayerClaimNumber == p.Original)
		if have.Paid == -p.Paid && (sure || !best) {
			struck = i
		}
	}
	if struck < 0 {
		return false
	}
	l.stands = append(l.stands[:struck:struck], l.stands[struck+1:]...)
	l.sum += p.Paid
	return true
}

// agrees compares a claim with the books.
func (l *ledger) agrees(t *testing.T, c *billing.Claim) {
	t.Helper()
	s := c.Standing()
	var applied billing.Money
	for _, p := range c.Payments {
		applied += p.Paid
	}
	if applied != l.sum || l.sum < 0 {
		t.Fatalf("payments add up to %s, the books to %s", applied, l.sum)
	}
	if len(l.stands) == 0 {
		if s != nil || l.sum != 0 {
			t.Fatalf("%+v stands, nothing does in the books, which add up to %s", s, l.sum)
		}
		return
	}
	var paid, patient, allowed billing.Money
	told, silent := 0, 0 // how many tell what is allowed, and how many payments do not; of denials nobody expects it
	for _, p := range l.stands {
		paid, patient = paid+p.Paid, patient+p.PatientResponsibility
		switch {
		case p.Allowed != nil:
			allowed += *p.Allowed
			told++
		case !p.Denied:
			silent++
		}
	}
	known := told > 0 && silent == 0
	last := l.stands[len(l.stands)-1]
	outcome := map[bool]billing.PaymentOutcome{true: billing.OutcomeDenied, false: billing.OutcomePaid}[last.Denied]
	if s == nil || s.Paid != paid || paid != l.sum || s.PatientResponsibility != patient || s.Outcome != outcome ||
		s.ERAID != last.ERAID || s.PaymentDate != last.Date || (s.Allowed != nil) != known || known && *s.Allowed != allowed {
		t.Fatalf("%+v stands, in the books %d payments of %s with %s for the patient, the last %+v", s, len(l.stands), paid, patient, last)
	}
}

// keepsBooks applies what the bytes stand for, a payment each four, to a claim
// and to the books, and compares after each.
func keepsBooks(t *testing.T, script []byte) {
	t.Helper()
	c := claim()
	c.Kind, c.Frequency, c.State = billing.KindClaim, billing.FrequencyOriginal, billing.ClaimAcceptedPayer
	var books ledger
	for n := 0; len(script) >= 4; n, script = n+1, script[4:] {
		p := billing.ClaimPayment{
			ERAID: billing.ERAID{15: byte(n)}, Ordinal: n, Date: billing.Date{Year: 2026, Month: 3, Day: 1 + n%28},
			PayerClaimNumber: []string{"", "A", "B"}[script[2]%3], Original: []string{"", "A", "C"}[script[2]/3%3],
		}
		amount := billing.Money(script[1] % 4)
		switch script[0] % 5 {
		case 0, 1:
			p.StatusCode, p.Paid, p.PatientResponsibility = "1", amount, billing.Money(script[3])
		case 2:
			p.StatusCode, p.Denied, p.PatientResponsibility = "4", true, billing.Money(script[3])
		default: // with the patient's part as payers happen to send it
			p.StatusCode, p.Paid, p.PatientResponsibility = "22", -amount, billing.Money(int8(script[3]))
		}
		if script[3]%2 == 0 && p.StatusCode != "22" {
			p.Allowed = new(p.Paid + 1)
		}
		before := c.State
		if script[0]%97 == 0 && record(c).Reconcile(evening) == nil {
			before = billing.ClaimReconciled
		}
		_, applied := c.Pay(p, billing.ClaimCause{At: evening})
		if want := books.takes(p); applied != want {
			t.Fatalf("payment %d, %+v: applied %v, want %v", n, p, applied, want)
		}
		books.agrees(t, c)
		want := billing.ClaimAcceptedPayer
		switch s := c.Standing(); {
		case before == billing.ClaimReconciled || !applied:
			want = before
		case s != nil && s.Outcome == billing.OutcomePaid:
			want = billing.ClaimPaid
		case s != nil:
			want = billing.ClaimDenied
		}
		if c.State != want {
			t.Fatalf("payment %d, %+v: %s, want %s", n, p, c.State, want)
		}
	}
}

func TestFiguresAreTheSumOfWhatWasApplied(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 835))
	for range 3000 {
		script := make([]byte, 4*random.IntN(30))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		keepsBooks(t, script)
	}
}

func FuzzClaimLedger(f *testing.F) {
	f.Add([]byte("\x00\x01\x01\x00\x03\x01\x01\x00"))                     // paid, reversed
	f.Add([]byte("\x00\x01\x00\x00\x03\x01\x01\x00\x00\x02\x01\x00"))     // and corrected
	f.Add([]byte("\x03\x01\x01\x00\x00\x01\x01\x00\x02\x00\x00\x00"))     // reversed first, then denied
	f.Add([]byte("\x02\x00\x02\x08\x03\x00\x02\x08\x61\x01\x02\x09"))     // a denial reversed
	f.Add([]byte("\x00\x01\x01\x02\x00\x01\x00\x02\x03\x01\x01\x02abcd")) // two of an amount
	f.Fuzz(keepsBooks)
}

// A reversal cancels the payment under the payer's number for it, not the
// latest that happens to have the amount and no number.
func TestWhatAReversalCancels(t *testing.T) {
	t.Parallel()
	paid := func(number string) billing.ClaimPayment {
		return billing.ClaimPayment{StatusCode: "1", Paid: 80_00, PayerClaimNumber: number}
	}
	for name, c := range map[string]struct {
		have             []billing.ClaimPayment
		number, original string
		cancels          int // ordinal of what it cancels; -1 for none
	}{
		"the same number":           {[]billing.ClaimPayment{paid("A"), paid("B"), paid("")}, "A", "", 0},
		"the original's number":     {[]billing.ClaimPayment{paid("A"), paid("B")}, "Z", "A", 0},
		"the latest of the number":  {[]billing.ClaimPayment{paid("A"), paid("A"), paid("B")}, "A", "", 1},
		"no number":                 {[]billing.ClaimPayment{paid("A"), paid("B")}, "", "", 1},
		"another number":            {[]billing.ClaimPayment{paid("A"), paid("B")}, "Z", "", 1},
		"another amount":            {[]billing.ClaimPayment{{StatusCode: "1", Paid: 79_99, PayerClaimNumber: "A"}}, "A", "", -1},
		"nothing":                   {nil, "A", "", -1},
		"what is cancelled already": {[]billing.ClaimPayment{{StatusCode: "1", Paid: 80_00, PayerClaimNumber: "A", Cancelled: true}}, "A", "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := claim()
			before := append(make([]billing.ClaimPayment, 0, 8), c.have...) // with room, that a copy of the claim shares
			of.Kind, of.State, of.Payments = billing.KindClaim, billing.ClaimPaid, before
			row := billing.ERAClaim{StatusCode: "22", Paid: -80_00, PayerClaimNumber: c.number, Original: c.original}
			if of.CanApply(&row) != (c.cancels >= 0) {
				t.Errorf("takes it: %v", of.CanApply(&row))
			}
			_, applied := of.Pay(row.Payment(billing.ERAID{}), billing.ClaimCause{At: evening})
			if applied != (c.cancels >= 0) {
				t.Fatalf("applied %v", applied)
			}
			for i := range c.have {
				if of.Payments[i].Cancelled != (i == c.cancels || c.have[i].Cancelled) {
					t.Errorf("payment %d is cancelled: %v", i, of.Payments[i].Cancelled)
				}
			}
			if applied && before[c.cancels].Cancelled {
				t.Error("the payments of another copy of the claim were changed")
			}
		})
	}
}
