package sandboxnet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/sandboxnet"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// books returns the remittances in the order in which they came: their warnings, and
// status, payment and fate of each claim with the numbers of its lines.
func (p *practice) books() string {
	p.t.Helper()
	var all []string
	p.in(func(ctx context.Context, tx ports.Tx) error {
		eras, err := tx.ERAs.List(ctx, remit.Filter{}, billing.Page{Limit: 100})
		if err != nil {
			return err
		}
		slices.SortFunc(eras, func(a, b *remit.ERA) int { return int(a.Arrival - b.Arrival) })
		for _, e := range eras {
			claims, err := tx.RemittanceClaims.List(ctx, e.ID, 0, 100)
			if err != nil {
				return err
			}
			var words []string
			for _, w := range e.Warnings {
				words = append(words, string(w))
			}
			if !e.Balanced {
				words = append(words, "off")
			}
			for _, c := range claims {
				said := fmt.Sprintf("%s %s %s %v", c.StatusCode, c.Paid, c.Status, c.LineNumbers)
				if c.Review != "" {
					said = fmt.Sprintf("%s %s %s", c.StatusCode, c.Paid, c.Review)
				}
				words = append(words, said)
			}
			all = append(all, strings.Join(words, ", "))
		}
		return nil
	})
	return strings.Join(all, "; ")
}

// figures returns the state of a claim: paid, the patient's part and the write-off.
func (p *practice) figures(id billing.ClaimID) string {
	p.t.Helper()
	c := porttest.Claim(p.t, p.store, p.scope, id)
	if c.Standing == nil {
		return string(c.State)
	}
	return fmt.Sprintf("%s %s %s %s", c.State, c.Standing.Paid, c.Standing.PatientResponsibility, c.Standing.Contractual)
}

// TestOddities submits a claim of 175.00 with each ending whose remittances need more
// than one look, and compares what a biller sees after the first remittance and at
// the end. Paid in part is 112.00: 64.00, 32.00 and 16.00. The patient owes 28.00,
// and 35.00 are written off.
func TestOddities(t *testing.T) {
	t.Parallel()
	const whole = "1 112.00 applied [1 2 3]"
	rows := map[string]struct{ first, last, books string }{
		"-CROSSOVER":      {"paid 112.00 28.00 35.00", "paid 133.00 7.00 35.00", "19 112.00 applied [1 2 3]; 2 21.00 applied [1 2 3]"},
		"-FORWARDED":      {"accepted_payer", "accepted_payer", "23 0.00 forwarded []"},
		"-SHUFFLED":       {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", "1 112.00 applied [3 2 1]"},
		"-SPLIT":          {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", "1 64.00 applied [1], 1 48.00 applied [2 3]"},
		"-SPLIT-REVERSED": {"paid 112.00 28.00 35.00", "accepted_payer", "1 64.00 applied [1], 1 48.00 applied [2 3]; 22 -112.00 applied [1 2 3]"},
		"-LINE-REVERSED":  {"paid 112.00 28.00 35.00", "paid 96.00 24.00 30.00", whole + "; 22 -16.00 applied [3]"},
		"-RECONSIDERED":   {"denied 0.00 175.00 0.00", "paid 175.00 0.00 0.00", "4 0.00 applied [1 2 3]; 1 175.00 applied [1 2 3]"},
		"-CORRECTED":      {"paid 112.00 28.00 35.00", "paid 112.00 14.00 49.00", whole + "; 1 112.00 applied [1 2 3], 22 -112.00 applied [1 2 3]"},
		"-PAID-TWICE":     {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", whole + "; 1 112.00 payment_repeated"},
		"-CUT-NUMBER":     {"accepted_payer", "accepted_payer", "1 112.00 no_claim"},
		"-WRONG-PATIENT":  {"accepted_payer", "accepted_payer", "1 128.00 patient_and_charge_differ"},
		"-REJECTED-PAID":  {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", whole},
		"-BAD-COUNTS":     {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", "envelope_counts, " + whole},
		"-TAKE-BACK":      {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", whole},
		"-REVERSED":       {"paid 112.00 28.00 35.00", "accepted_payer", whole + "; 22 -112.00 applied [1 2 3]"},
		"-UNBALANCED":     {"accepted_payer", "accepted_payer", "off, 1 113.00 unbalanced"},
		"-PAID-ERA":       {"paid 112.00 28.00 35.00", "paid 112.00 28.00 35.00", whole},
		// Only inquiries about them differ.
		"-STATUS-NOT-FOUND": {"paid 175.00 0.00 0.00", "paid 175.00 0.00 0.00", "1 175.00 applied [1 2 3]"},
		"-STATUS-REQUESTED": {"paid 175.00 0.00 0.00", "paid 175.00 0.00 0.00", "1 175.00 applied [1 2 3]"},
		"-STATUS-DOWN":      {"paid 175.00 0.00 0.00", "paid 175.00 0.00 0.00", "1 175.00 applied [1 2 3]"},

		"-DENIED": {"denied 0.00 0.00 0.00", "denied 0.00 0.00 0.00", "4 0.00 applied [1 2 3]"},
	}
	for _, ending := range sandboxnet.ClaimEndings() {
		want, paid := rows[ending]
		if unpaid := []string{"-BATCH-REJECTED", "-REJECTED", "-INFO-REQUEST", "-ESTIMATE"}; !paid && !slices.Contains(unpaid, ending) {
			t.Errorf("%s is not in the table", ending)
		}
		if !paid {
			continue
		}
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			p := newPractice(t)
			id := p.makes(ending, 100_00, 50_00, 25_00)
			p.sends()
			p.passes(2 * time.Second)
			p.passes(eraDelay)
			first := p.figures(id)
			p.passes(eraDelay)
			if last, books := p.figures(id), p.books(); first != want.first || last != want.last || books != want.books {
				t.Errorf("%s, then %s, of %s;\nwant %s, then %s, of %s", first, last, books, want.first, want.last, want.books)
			}
		})
	}
}

// TestTakeBack voids a paid claim: the payer takes the payment back, though the claim
// is voided by then. With other endings it does not.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string][2]string{
		"-TAKE-BACK": {"voided", "1 64.00 applied [1]; 22 -64.00 applied [1]"},
		"-PAID-ERA":  {"voided 64.00 16.00 20.00", "1 64.00 applied [1]"},
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			p := newPractice(t)
			id := p.makes(ending, 100_00)
			p.sends()
			p.passes(2 * eraDelay)
			p.voids(id)
			p.sends()
			p.passes(2 * time.Second)
			if got := p.figures(id); got != "voided 64.00 16.00 20.00" {
				t.Errorf("after the void: %s", got)
			}
			p.passes(eraDelay)
			if got := p.figures(id); got != want[0] || p.books() != want[1] {
				t.Errorf("%s of %s, want %s", got, p.books(), want)
			}
		})
	}
}

// voids makes a queued transaction that voids the claim.
func (p *practice) voids(id billing.ClaimID) {
	p.t.Helper()
	now := p.now.Now()
	p.in(func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		v, e, err := c.Void(billing.NewID[billing.ClaimID](billing.RealAt(now)), "PCN-2", billing.RequestID{}, now)
		if err != nil {
			return err
		}
		if err := tx.Claims.Insert(ctx, v.Claim); err != nil {
			return err
		}
		return tx.Events.Append(ctx, e)
	})
}
