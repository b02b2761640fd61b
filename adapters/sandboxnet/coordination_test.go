package sandboxnet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/claims"
	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/ports"
)

// other returns another payer of a rank, before it decides.
func other(rank string) claims.OtherPayer {
	return claims.OtherPayer{
		Coverage: rank, Relationship: claims.RelationSelf, GroupNumber: "G-" + rank,
		Subscriber: claims.OtherSubscriber{FirstName: "Jane", LastName: "Roe", MemberID: "OTHER-" + rank, Address: claims.Address{Line1: "5 Elm St", City: "Tulsa", State: "OK", ZIP: "74103"}},
		Payer:      claims.Payer{PayerID: "0000" + rank, Name: "Other Payer " + rank}, PayerClaimNumber: "OP-" + rank,
	}
}

// discount and share are the adjustments of a payer that allows 80 percent and pays
// 80 percent of that.
func discount(fee billing.Money) claims.Adjustment {
	return claims.Adjustment{Group: "CO", Reason: "45", Amount: fee * 20 / 100}
}

func share(fee billing.Money) claims.Adjustment {
	return claims.Adjustment{Group: "PR", Reason: "2", Amount: fee * 16 / 100}
}

// secondTo makes a claim that a primary payer has decided on each line: it is for the
// secondary payer.
func secondTo(c *claims.Claim) {
	first, sum := other(claims.CoveragePrimary), billing.Money(0)
	c.Lines = slices.Clone(c.Lines)
	for i := range c.Lines {
		l := &c.Lines[i]
		a := claims.Adjudication{PayerID: first.Payer.PayerID, Adjustments: []claims.Adjustment{discount(l.Fee), share(l.Fee)}, PaymentDate: on(3, 10)}
		a.Paid = l.Fee - a.Adjustments[0].Amount - a.Adjustments[1].Amount
		l.Adjudications, sum = []claims.Adjudication{a}, sum+a.Paid
	}
	first.Paid = &sum
	c.Coverage, c.OtherPayers = claims.CoverageSecondary, []claims.OtherPayer{first}
}

// secondToWhole makes the same claim, but the primary payer has adjusted the claim and
// no line.
func secondToWhole(c *claims.Claim) {
	first, charge := other(claims.CoveragePrimary), c.Charge()
	first.Adjustments, first.PaymentDate = []claims.Adjustment{discount(charge), share(charge)}, on(3, 10)
	paid := charge - first.Adjustments[0].Amount - first.Adjustments[1].Amount
	first.Paid = &paid
	c.Coverage, c.OtherPayers = claims.CoverageSecondary, []claims.OtherPayer{first}
}

// thirdTo makes a claim for the tertiary payer: the secondary payer left 1.00 of each
// line to the patient.
func thirdTo(c *claims.Claim) {
	secondTo(c)
	second, sum := other(claims.CoverageSecondary), billing.Money(0)
	for i := range c.Lines {
		l := &c.Lines[i]
		before := l.Fee - share(l.Fee).Amount
		a := claims.Adjudication{PayerID: second.Payer.PayerID, Paid: l.Fee - before - 1_00, PaymentDate: on(3, 12), Adjustments: []claims.Adjustment{
			{Group: "OA", Reason: "23", Amount: before}, {Group: "PR", Reason: "3", Amount: 1_00},
		}}
		l.Adjudications, sum = append(l.Adjudications, a), sum+a.Paid
	}
	second.Paid = &sum
	c.Coverage, c.OtherPayers = claims.CoverageTertiary, append(c.OtherPayers, second)
}

// undecided makes a claim for the secondary payer before the primary payer decides.
func undecided(c *claims.Claim) {
	c.Coverage, c.OtherPayers = claims.CoverageSecondary, []claims.OtherPayer{other(claims.CoveragePrimary)}
}

// toNamed makes a primary claim that names its secondary payer.
func toNamed(c *claims.Claim) {
	c.OtherPayers = []claims.OtherPayer{other(claims.CoverageSecondary)}
}

// coordinated returns claims of patients with several payers.
func coordinated() []claims.Claim {
	return []claims.Claim{
		changed(newClaim("S-PAID", "-PAID-ERA", aetna()), secondTo),
		changed(newClaim("S-WHOLE", "-PAID-ERA", aetna()), secondToWhole),
		changed(newClaim("S-DENIED", "-DENIED", aetna()), secondTo),
		changed(newClaim("S-EARLY", "-PAID-ERA", aetna()), undecided),
		changed(newClaim("T-PAID", "-PAID-ERA", aetna()), thirdTo),
		changed(newClaim("S-PLAIN", "-123", aetna()), secondTo),
		changed(newClaim("P-CROSSED", "-CROSSOVER", aetna()), toNamed),
	}
}

// TestCoordinationGoldens compares each message about the claims of patients with
// several payers with a golden file.
func TestCoordinationGoldens(t *testing.T) {
	t.Parallel()
	sameMessages(t, "coordinated", coordinated(), map[string]time.Duration{
		".997": 300 * time.Millisecond, "-clearinghouse-1.277": 600 * time.Millisecond, "-payer-1.277": time.Second,
		"-payment-1.835": 121 * time.Second, "-crossover-1.835": 241 * time.Second,
	})
}

// TestCoordination lists what a payer that is not the first states about a line of
// 100.00, of which the primary payer paid 64.00 and left 16.00 to the patient.
func TestCoordination(t *testing.T) {
	t.Parallel()
	toTest := func(c *claims.Claim) { c.Payer = molarTest() }
	estimate := func(c *claims.Claim) { c.Predetermination = true }
	for _, c := range []struct {
		ending string
		of     []func(*claims.Claim)
		want   string
	}{
		{"-PAID-ERA", []func(*claims.Claim){secondTo}, "2 16.00 OA-23 84.00"},
		{"-PAID-ERA", []func(*claims.Claim){secondToWhole}, "2 16.00 OA-23 84.00"},
		{"-PAID-ERA", []func(*claims.Claim){thirdTo}, "3 1.00 OA-23 99.00"},
		{"-PAID-ERA", []func(*claims.Claim){undecided}, "4 0.00 OA-22 100.00"},
		{"-123", []func(*claims.Claim){secondTo, toTest}, "2 16.00 OA-23 84.00"},
		{"-123", []func(*claims.Claim){undecided, toTest}, "4 0.00 OA-22 100.00"},
		{"-123", []func(*claims.Claim){secondTo, toTest, estimate}, "25 0.00 OA-23 84.00 OA-101 16.00"},
		{"-DENIED", []func(*claims.Claim){secondTo}, "4 0.00 OA-23 84.00 CO-96 16.00"},
		{"-REVERSED", []func(*claims.Claim){secondTo}, "2 16.00 OA-23 84.00, 22 -16.00 OA-23 -84.00"},
		{"-CROSSOVER", []func(*claims.Claim){secondTo}, "2 16.00 OA-23 84.00"},
		{"-FORWARDED", []func(*claims.Claim){secondTo}, "23 0.00 OA-109 100.00"},
		{"-RECONSIDERED", []func(*claims.Claim){secondTo}, "4 0.00 OA-23 84.00 PR-96 16.00, 2 16.00 OA-23 84.00"},
		{"-RECONSIDERED", []func(*claims.Claim){undecided}, "4 0.00 OA-22 100.00, 4 0.00 OA-22 100.00"},
		{"-CORRECTED", []func(*claims.Claim){secondTo}, "2 16.00 OA-23 84.00, 2 16.00 OA-23 84.00, 22 -16.00 OA-23 -84.00"},
		{"-CROSSOVER", []func(*claims.Claim){toNamed}, "19 64.00 CO-45 20.00 PR-2 16.00, 2 12.00 OA-23 84.00 PR-2 4.00"},
	} {
		one := charging("C-1", c.ending, 100_00)
		one.Payer = aetna()
		for _, change := range c.of {
			change(&one)
		}
		var got []string
		for _, f := range newHistory().send(t, one) {
			for _, p := range paid(t, f.Content).Claims {
				words := p.Status + " " + p.Paid.String()
				for _, a := range p.Services[0].Adjustments {
					words += fmt.Sprintf(" %s-%s %s", a.Group, a.Reason, a.Amount)
				}
				got = append(got, words)
			}
		}
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%s of %s %d payers: %s, want %s", c.ending, one.Coverage, len(one.OtherPayers), all, c.want)
		}
	}
}

// TestACrossoverGoesToTheNamedPayer checks the payer of the second remittance, and the
// NM1*TT of the first.
func TestACrossoverGoesToTheNamedPayer(t *testing.T) {
	t.Parallel()
	for id, change := range map[string]func(*claims.Claim){"0000S": toNamed, "84105": func(*claims.Claim) {}} {
		files := newHistory().send(t, changed(newClaim("C-1", "-CROSSOVER", aetna()), change))
		if len(files) != 2 {
			t.Fatalf("%d remittances", len(files))
		}
		first, second := paid(t, files[0].Content), paid(t, files[1].Content)
		next := slices.ContainsFunc(first.Claims[0].Names, func(n remittance.Name) bool { return n.Entity == "TT" && n.ID == id })
		if !next || first.Payer.ID != "60054" || second.Payer.ID != id {
			t.Errorf("the payers are %s and %s, named %v, want %s", first.Payer.ID, second.Payer.ID, first.Claims[0].Names, id)
		}
	}
}

// billsSecondary makes a queued claim to the secondary payer for the services of a
// claim.
func (p *practice) billsSecondary(id billing.ClaimID, ending string) billing.ClaimID {
	p.t.Helper()
	now := p.now.Now()
	second := billing.NewID[billing.ClaimID](billing.RealAt(now))
	p.in(func(ctx context.Context, tx ports.Tx) error {
		first, err := tx.Claims.Lock(ctx, id)
		if err != nil {
			return err
		}
		entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{id})
		if err != nil {
			return err
		}
		first.Ledger = first.Claim.Ledger(entries[id])
		plan := claim.SecondPlan{Payer: first.Payer, Subscriber: first.Subscriber, Relationship: coverage.RelationSelf}
		plan.Subscriber.MemberID = "SECOND" + ending
		c, err := first.BillSecondary(second, "PCN-2", plan, false, billing.RequestID{}, now)
		if err != nil {
			return err
		}
		c.State = claim.Queued
		if err := tx.Claims.Insert(ctx, c); err != nil {
			return err
		}
		if err := tx.Claims.Save(ctx, first.Claim); err != nil {
			return err
		}
		return tx.Events.Append(ctx, c.Event(event.ClaimQueued, claim.Cause{At: now}))
	})
	return second
}

// TestASecondaryClaim bills a secondary payer after the primary has decided a claim of
// 175.00, and compares the figures of both claims. Paid in part is 112.00: the patient
// owes 28.00, and 35.00 are written off.
func TestASecondaryClaim(t *testing.T) {
	t.Parallel()
	for endings, want := range map[[2]string][2]string{ // of the first claim and of the second
		{"-PAID-ERA", "-PAID-ERA"}:     {"paid 112.00 0.00 35.00", "paid 28.00 0.00 35.00"},
		{"-PAID-ERA", ""}:              {"paid 112.00 0.00 35.00", "paid 28.00 0.00 35.00"},
		{"-PAID-ERA", "-DENIED"}:       {"paid 112.00 28.00 35.00", "denied 0.00 28.00 35.00"},
		{"-PAID-ERA", "-REVERSED"}:     {"paid 112.00 28.00 35.00", "accepted_payer"},
		{"-PAID-ERA", "-RECONSIDERED"}: {"paid 112.00 0.00 35.00", "paid 28.00 0.00 35.00"},
		{"", ""}:                       {"paid 175.00 0.00 0.00", "denied 0.00 0.00 0.00"},
		{"-SPLIT", "-SHUFFLED"}:        {"paid 112.00 0.00 35.00", "paid 28.00 0.00 35.00"},
	} {
		t.Run(strings.Join(endings[:], "/"), func(t *testing.T) {
			t.Parallel()
			p := newPractice(t)
			first := p.makes(endings[0], 100_00, 50_00, 25_00)
			p.sends()
			p.passes(3 * eraDelay)
			second := p.billsSecondary(first, endings[1])
			p.sends()
			p.passes(2 * time.Second)
			p.passes(eraDelay)
			p.passes(eraDelay)
			if got := [2]string{p.figures(first), p.figures(second)}; got != want {
				t.Errorf("%q of %s, want %q", got, p.books(), want)
			}
		})
	}
}

// TestPredeterminationsHaveNoServiceDate checks the date that the guide asks for if
// CLP02 is 25 (005010X221A1, DTM of 2110). Other statuses have none.
func TestPredeterminationsHaveNoServiceDate(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]string{"-PAID-ERA": "25 [{472 1900-01-01}]", "-DENIED": "25 [{472 1900-01-01}]", "-FORWARDED": "23 []"} {
		files := newHistory().send(t, changed(newClaim("C-1", ending, aetna()), predetermined))
		if len(files) != 1 {
			t.Fatalf("%s: %d remittances", ending, len(files))
		}
		c := paid(t, files[0].Content).Claims[0]
		if got := fmt.Sprint(c.Status, " ", c.Services[0].Dates); got != want {
			t.Errorf("%s: %s, want %s", ending, got, want)
		}
	}
}
