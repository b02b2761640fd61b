package remittances_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/adapters/x12/remittance"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// three creates the claims to three payers for the same services. The first payer leaves
// 30.00, of which the second pays 20.00.
func (b *fixture) three() (first, second, third billing.ClaimID) {
	b.t.Helper()
	first = b.claim("A-1")
	b.remit(paid("A-1", "P-1", leftOver))
	second = b.billSecondary(first, "B-1")
	b.remit(bySecond("B-1", 2000))
	return first, second, b.billSecondary(second, "C-1")
}

// byThird returns the decision of the tertiary payer: it pays the amount of the rest.
func byThird(rest, pays billing.Money) remittance.Claim {
	c := paid("C-1", "T-1", 0)
	c.Status = "3"
	c.Services[0].Adjustments = []remittance.Adjustment{
		{Group: "OA", Reason: "23", Amount: fee - rest}, {Group: "PR", Reason: "2", Amount: rest - pays},
	}
	return c
}

// all returns the figures of claims, and what is open of each.
func (b *fixture) all(ids ...billing.ClaimID) string {
	b.t.Helper()
	var all []string
	for _, id := range ids {
		c, figures := b.get(id), "none"
		if s := c.Standing; s != nil {
			figures = fmt.Sprintf("paid %s, patient %s", s.Paid, s.PatientResponsibility)
		}
		all = append(all, fmt.Sprintf("%s, open %s", figures, c.Open()))
	}
	return strings.Join(all, "; ")
}

// TestTertiaryClaim pays the claims to three payers. Each shows its own payments, and all
// show what the patient owes, whichever of them changes.
func TestTertiaryClaim(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second, third := b.three()
	if c := b.get(third); c.Coverage != billing.SequenceTertiary || c.SecondaryTo != second || b.get(second).SecondaryID != third ||
		inOrder(c.OtherCoverage) != "primary 120.00, secondary 20.00" {
		t.Errorf("the third claim is %s to %s, and states %s", c.Coverage, c.SecondaryTo, inOrder(c.OtherCoverage))
	}
	wants := func(when, want string) {
		t.Helper()
		if got := b.all(first, second, third); got != want {
			t.Errorf("%s: %s\nwant %s", when, got, want)
		}
	}
	wants("billed", "paid 120.00, patient 10.00, open 0.00; paid 20.00, patient 10.00, open 0.00; none, open 0.00")

	r := b.remit(byThird(1000, 400))
	if counts(r) != "1/1 a done" || r.Claims[0].Sequence != billing.SequenceTertiary || len(r.Claims[0].Warnings) > 0 {
		t.Errorf("%s as %s with %v", counts(r), r.Claims[0].Sequence, r.Claims[0].Warnings)
	}
	wants("paid by all", "paid 120.00, patient 6.00, open 0.00; paid 20.00, patient 6.00, open 0.00; paid 4.00, patient 6.00, open 0.00")

	b.remit(reversed(paid("A-1", "P-1", leftOver)), paid("A-1", "P-1", leftOver+2000))
	wants("the first pays less", "paid 100.00, patient 6.00, open 20.00; paid 20.00, patient 6.00, open 20.00; paid 4.00, patient 6.00, open 20.00")

	b.remit(reversed(byThird(1000, 400)))
	wants("the third takes its payment back", "paid 100.00, patient 10.00, open 20.00; paid 20.00, patient 10.00, open 20.00; none, open 20.00")
}

// TestThirdPayerThatSaysPrimary: many payers send CLP02 1 whatever their place.
func TestThirdPayerThatSaysPrimary(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second, third := b.three()
	says := byThird(1000, 400)
	says.Status = "1"
	if r := b.remit(says); r.Claims[0].Sequence != billing.SequenceTertiary {
		t.Errorf("it counts as %s", r.Claims[0].Sequence)
	}
	if got := b.all(first, second, third); got != "paid 120.00, patient 6.00, open 0.00; paid 20.00, patient 6.00, open 0.00; paid 4.00, patient 6.00, open 0.00" {
		t.Error(got)
	}
}

func inOrder(all []claim.OtherCoverage) string {
	var words []string
	for _, o := range all {
		stated := "nothing"
		if o.Adjudication != nil {
			stated = o.Adjudication.Paid.String()
		}
		words = append(words, string(o.Sequence)+" "+stated)
	}
	return strings.Join(words, ", ")
}

// TestTertiaryClaimFollowsBothPayers changes the ledger of either claim before it.
func TestTertiaryClaimFollowsBothPayers(t *testing.T) {
	t.Parallel()
	const changed = "earlier_payer_changed"
	ofFirst := func(b *fixture) {
		b.remit(reversed(paid("A-1", "P-1", leftOver)), paid("A-1", "P-1", leftOver-1000))
	}
	ofSecond := func(b *fixture) { b.remit(reversed(bySecond("B-1", 2000)), bySecond("B-1", 1500)) }
	takesBack := func(b *fixture) { b.remit(reversed(paid("A-1", "P-1", leftOver))) }
	for name, x := range map[string]struct {
		state   claim.State
		changes []func(*fixture)
		want    string
	}{
		"unsent, the first changes":       {claim.Validated, []func(*fixture){ofFirst}, "validated; primary 130.00, secondary 20.00; "},
		"unsent, the second changes":      {claim.Validated, []func(*fixture){ofSecond}, "validated; primary 120.00, secondary 15.00; "},
		"unsent, both change":             {claim.Queued, []func(*fixture){ofSecond, ofFirst}, "queued; primary 130.00, secondary 15.00; "},
		"unsent, the first takes it back": {claim.Validated, []func(*fixture){takesBack}, "needs_attention; primary nothing, secondary 20.00; not_adjudicated at 0"},
		"sent, the first changes":         {claim.Submitted, []func(*fixture){ofFirst}, "submitted; primary 120.00, secondary 20.00; " + changed + " at 0"},
		"sent, both change": {
			claim.Submitted, []func(*fixture){ofFirst, ofSecond}, "submitted; primary 120.00, secondary 20.00; " + changed + " at 0, " + changed + " at 1",
		},
		"sent, both change, and the first pays as before": {
			claim.Submitted, []func(*fixture){ofFirst, ofSecond, func(b *fixture) {
				b.remit(reversed(paid("A-1", "P-1", leftOver-1000)), paid("A-1", "P-1", leftOver))
			}}, "submitted; primary 120.00, secondary 20.00; " + changed + " at 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t)
			_, _, third := b.three()
			b.change(third, func(c *claim.Claim) {
				if c.State = x.state; x.state != claim.Submitted {
					c.SentAt = time.Time{}
				}
			})
			for _, change := range x.changes {
				change(b)
			}
			c := b.get(third)
			var found []string
			for _, f := range c.Findings {
				found = append(found, f.Code+" at "+strings.Split(f.Field, ".")[1])
			}
			if got := fmt.Sprintf("%s; %s; %s", c.State, inOrder(c.OtherCoverage), strings.Join(found, ", ")); got != x.want {
				t.Errorf("%s\nwant %s", got, x.want)
			}
		})
	}
}

// TestTertiaryClaimComesBack takes over both decisions that changed since it was sent.
func TestTertiaryClaimComesBack(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second, third := b.three()
	b.remit(reversed(paid("A-1", "P-1", leftOver)), paid("A-1", "P-1", leftOver-1000))
	b.remit(reversed(bySecond("B-1", 2000)), bySecond("B-1", 1500))
	c := b.get(third)
	c.State = claim.Rejected
	var entries map[billing.ClaimID][]*remit.LedgerEntry
	b.in(func(ctx context.Context, tx ports.Tx) (err error) {
		entries, err = tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{first, second})
		return err
	})
	c.Renew([]*claim.Ledger{b.get(second).Ledger(entries[second]), b.get(first).Ledger(entries[first])}, claim.Cause{At: b.clock.Now()})
	if got := inOrder(c.OtherCoverage); got != "primary 130.00, secondary 15.00" || len(c.Findings) > 0 {
		t.Errorf("it states %s, with %+v", got, c.Findings)
	}
}
