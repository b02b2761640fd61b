package remittances_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
	"github.com/molar-billing/molar/ports/porttest"
)

// coordinated creates a claim that its payer has paid but for 30.00, and the claim to
// the secondary payer for it.
func (b *fixture) coordinated(n int) (first, second billing.ClaimID) {
	b.t.Helper()
	first = b.claim(fmt.Sprintf("A-%d", n))
	if r := b.remit(paid(fmt.Sprintf("A-%d", n), fmt.Sprintf("P-%d", n), 3000)); counts(r) != "1/1 a done" {
		b.t.Fatal(counts(r))
	}
	return first, b.billSecondary(first, fmt.Sprintf("B-%d", n))
}

// owed returns what both claims say that the patient owes, once if they agree. It
// fails if the stored figures are not those of the ledgers, or the totals not those of
// the claims.
func (b *fixture) owed(first, second billing.ClaimID) (owes string) {
	b.t.Helper()
	porttest.Totals(b.t, b.store, b.scope)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{first, second})
		if err != nil {
			return err
		}
		one, err := tx.Claims.Get(ctx, first)
		if err != nil {
			return err
		}
		two, err := tx.Claims.Get(ctx, second)
		if err != nil {
			return err
		}
		ofFirst, ofSecond := one.Claim.Ledger(entries[first]), two.Claim.Ledger(entries[second])
		owed := func(c *claim.Record, l *claim.Ledger) string {
			got, want := c.Standing, l.Standing()
			if got == nil || want == nil {
				if got != want {
					b.t.Errorf("%s shows %+v, its ledger adds up to %+v", c.PatientControlNumber, got, want)
				}
				return "none"
			}
			if got.PatientResponsibility != want.PatientResponsibility || got.Paid != want.Paid || got.Capped != want.Capped {
				b.t.Errorf("%s shows %+v, its ledger adds up to %+v", c.PatientControlNumber, got, want)
			}
			return got.PatientResponsibility.String()
		}
		of, to := owed(one, ofFirst.Beside(ofSecond)), owed(two, ofSecond.Beside(ofFirst))
		if owes = of; of != to {
			owes = of + " and " + to
		}
		return nil
	})
	return owes
}

// agreeing is a store that calls a function after each commit.
type agreeing struct {
	ports.Store
	agree func()
}

func (s agreeing) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	err := s.Store.InTx(ctx, scope, fn)
	s.agree()
	return err
}

// TestSecondPaymentDiesAnywhere ends the worker at each of its transactions, while it
// applies a remittance of the secondary payer that pays, takes back and pays again.
// Both claims agree after each commit, and in the end everything was applied once.
func TestSecondPaymentDiesAnywhere(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	n := 0
	porttest.EveryEnding(t, 4, func(t *testing.T, f *porttest.Fault) {
		t.Helper()
		n++
		first, second := b.coordinated(n)
		number := fmt.Sprintf("B-%d", n)
		j := b.receive(bySecond(number, 2000))
		again := b.receive(reversed(bySecond(number, 2000)), bySecond(number, 2500))
		commits := 0
		store := agreeing{porttest.Store{Store: b.store, Fault: f}, func() {
			commits++
			if owes := b.owed(first, second); !slices.Contains([]string{"30.00 and none", "10.00", "5.00"}, owes) {
				t.Errorf("after commit %d the patient owes %s", commits, owes)
			}
		}}
		s := remittances.New(store, edi.New(), b.payers).InPieces(1)
		porttest.Dies(func() { _ = s.Apply(t.Context(), j); _ = s.Apply(t.Context(), again) })
		b.settle()
		if owes := b.owed(first, second); owes != "5.00" || len(b.ledger(second)) != 3 || len(b.ledger(first)) != 1 {
			t.Errorf("the patient owes %s, after %d and %d entries and %d commits", owes, len(b.ledger(first)), len(b.ledger(second)), commits)
		}
		if got := b.figures(second); got != "paid 25.00, patient 5.00, written off 50.00, paid" {
			t.Errorf("the second claim: %s", got)
		}
		if one, two := b.events(first), b.events(second); one != "claim.paid" || two != "claim.paid claim.payment_reversed claim.paid" {
			t.Errorf("the events of the claims are %s, and %s", one, two)
		}
	})
}

// crossing is a store whose transactions wait, with the claims of their own remittance
// locked, until both hold theirs. Then each asks for the other's.
type crossing struct {
	ports.Store
	*crossroads
}

type crossroads struct {
	both sync.WaitGroup
	mu   sync.Mutex
	runs int // how often a transaction came here
}

func (s crossing) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	return s.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		tx.RemittanceClaims = crossingClaims{tx.RemittanceClaims, s.crossroads}
		return fn(ctx, tx)
	})
}

type crossingClaims struct {
	ports.RemittanceClaims
	*crossroads
}

func (c crossingClaims) Linked(ctx context.Context, of []billing.ClaimID) ([]*claim.Claim, error) {
	if len(of) > 0 {
		c.mu.Lock()
		c.runs++
		early := c.runs <= 2
		c.mu.Unlock()
		if early {
			c.both.Done()
			c.both.Wait()
		}
	}
	return c.RemittanceClaims.Linked(ctx, of)
}

// TestPeopleDecideAboutBothClaimsAtOnce makes a decision about a remittance of each
// payer at once. Each holds its own claim when it asks for the other one: the database
// ends one of them, and the store repeats it.
func TestPeopleDecideAboutBothClaimsAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second := b.coordinated(1)
	one, two := b.ledger(first)[0].ERA.ID, b.remit(bySecond("LOST", 2000)).ID
	for n, c := range []struct {
		first, second decision
		owes          string
		noted         string // how often the two are in the histories
	}{
		{decision{does: claim.TriggerUnapply, era: one}, decision{does: claim.TriggerMatch, era: two, claim: second}, "none and 10.00", "1 1"},
		{decision{does: claim.TriggerApply, era: one}, decision{does: claim.TriggerUnapply, era: two}, "30.00 and none", "1 1"},
		{decision{does: claim.TriggerUnapply, era: one}, decision{does: claim.TriggerApply, era: two}, "none and 10.00", "2 1"},
	} {
		x := &crossroads{}
		x.both.Add(2)
		var deciding sync.WaitGroup
		for _, d := range []decision{c.first, c.second} {
			d.ordinal = 1
			s := remittances.New(crossing{b.store, x}, edi.New(), b.payers)
			deciding.Go(func() {
				if _, err := b.decide(s, fmt.Sprint(n, d.does), d); err != nil {
					t.Errorf("%s: %v", d.does, err)
				}
			})
		}
		deciding.Wait()
		if x.runs < 3 {
			t.Errorf("%d transactions asked for the other claim: two do, and the one that the database ended does at least once again", x.runs)
		}
		if owes := b.owed(first, second); owes != c.owes {
			t.Errorf("decisions %d: the patient owes %s, want %s", n, owes, c.owes)
		}
		if got := fmt.Sprint(b.entries(first, c.first.does), " ", b.entries(second, c.second.does)); got != c.noted {
			t.Errorf("decisions %d: they are %s times in the histories, want %s", n, got, c.noted)
		}
	}
}

// TestManyPaymentsOfBothPayersAtOnce applies many remittances to both claims in
// several workers.
func TestManyPaymentsOfBothPayersAtOnce(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second := b.coordinated(1)
	var all []jobs.Job
	for n := range 4 {
		pays := bySecond("B-1", billing.Money(500*(n+1)))
		all = append(all, b.receive(pays), b.receive(reversed(paid("A-1", "P-1", 3000)), paid("A-1", "P-1", 3000)))
		if n < 3 {
			all = append(all, b.receive(reversed(pays)))
		}
	}
	slices.Reverse(all)
	var working sync.WaitGroup
	for _, j := range all {
		s := b.process(nil).InPieces(1)
		working.Go(func() { b.work(s, j) })
	}
	working.Wait()
	b.settle()
	if owes := b.owed(first, second); owes != "10.00" || len(b.ledger(first)) != 9 || len(b.ledger(second)) != 7 {
		t.Errorf("the patient owes %s, after %d and %d entries", owes, len(b.ledger(first)), len(b.ledger(second)))
	}
	if got := b.figures(second); got != "paid 20.00, patient 10.00, written off 50.00, paid" {
		t.Errorf("the second claim: %s", got)
	}
}

// TestAnotherSecondClaim voids the claim to the secondary payer and bills another one.
// What comes late for the voided claim does not change the first one.
func TestAnotherSecondClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, voided := b.coordinated(1)
	b.remit(bySecond("B-1", 2000))
	b.change(voided, func(c *claim.Claim) { c.State = claim.Voided })
	second := b.billSecondary(first, "C-1")
	if owes := b.owed(first, second); owes != "30.00 and none" {
		t.Errorf("the patient owes %s, once another claim is billed", owes)
	}
	b.remit(bySecond("C-1", 2500))
	if owes := b.owed(first, second); owes != "5.00" {
		t.Errorf("the patient owes %s", owes)
	}
	b.remit(reversed(bySecond("B-1", 2000)))
	if owes := b.owed(first, second); owes != "5.00" || b.get(voided).Standing != nil {
		t.Errorf("the patient owes %s, once the payment for the voided claim was taken back", owes)
	}
}
