package porttest

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/ports"
)

// Totals fails unless the totals of the scope's claims are those of its claims, counted
// one by one. No transaction may run meanwhile. It returns the totals.
func Totals(tb testing.TB, store ports.Store, scope billing.Scope) (got claim.Totals) {
	tb.Helper()
	var all []*claim.Claim
	var today billing.Date
	err := store.View(context.WithoutCancel(tb.Context()), scope, func(ctx context.Context, tx ports.Tx) (err error) {
		all = all[:0]
		for _, kind := range []claim.Kind{claim.KindClaim, claim.KindPredetermination} {
			p := billing.Page{Limit: billing.MaxPageLimit}
			for {
				page, err := tx.Claims.List(ctx, claim.Filter{Kind: kind}, p)
				if err != nil {
					return err
				}
				for _, r := range page[:min(len(page), p.Limit)] {
					all = append(all, r.Claim)
				}
				if len(page) <= p.Limit {
					break
				}
				last := page[p.Limit-1]
				p.After = &billing.Position{Time: last.CreatedAt, ID: last.ID}
			}
		}
		today = billing.DateOf(tx.Clock.Now())
		got, err = tx.Totals.Claims(ctx, today)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	want := counted(all, today)
	for _, states := range got.States { // a state that claims have left may be there
		for state, n := range states {
			if n == 0 {
				delete(states, state)
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("the totals are\n%+v, but %d claims are\n%+v", got, len(all), want)
	}
	return got
}

// counted returns the totals of the claims.
func counted(all []*claim.Claim, today billing.Date) claim.Totals {
	totals := claim.Totals{States: map[claim.Kind]map[claim.State]int{claim.KindClaim: {}, claim.KindPredetermination: {}}}
	for _, age := range claim.Ages() {
		totals.Ages = append(totals.Ages, claim.AgeTotal{Age: age})
	}
	for n := range claim.ActivityDays {
		totals.Sent = append(totals.Sent, claim.DayCount{Day: today.AddDays(n - claim.ActivityDays + 1)})
	}
	byID := map[billing.ClaimID]*claim.Claim{}
	for _, c := range all {
		byID[c.ID] = c
	}
	for _, c := range all {
		totals.States[c.Kind][c.State]++
		if c.SentAt.IsZero() || c.Kind != claim.KindClaim || c.Frequency == claim.FrequencyVoid {
			continue
		}
		for i := range totals.Sent {
			if totals.Sent[i].Day == billing.DateOf(c.SentAt) {
				totals.Sent[i].Count.Count++
			}
		}
	}
	for _, c := range all {
		first := byID[c.SecondaryTo]
		if first != nil && first.Linked(c) {
			continue // with the first one
		}
		chain := []*claim.Claim{c}
		for next := byID[c.SecondaryID]; next != nil && chain[len(chain)-1].Linked(next); next = byID[next.SecondaryID] {
			chain = append(chain, next)
		}
		addMoney(&totals, today, chain...)
	}
	return totals
}

// addMoney adds the money of services to the totals. The claims bill them, each to the
// next payer.
func addMoney(totals *claim.Totals, today billing.Date, claims ...*claim.Claim) {
	var m claim.ClaimMoney
	var sent time.Time
	var writtenOff, accepted, billed billing.Money
	var elsewhere [3]billing.Money
	open, decided, counted := false, false, [3]bool{}
	for i, c := range claims {
		if c.SentAt.IsZero() || c.State == claim.Voided || c.Kind != claim.KindClaim || c.Frequency == claim.FrequencyVoid {
			continue
		}
		if sent.IsZero() || c.SentAt.Before(sent) {
			sent = c.SentAt
		}
		open = open || c.State != claim.Reconciled || c.Unposted()
		accepted += c.AcceptedSum()
		for i := range c.Accepted {
			if c.Accepted[i].As == claim.AcceptBillPatient {
				billed += c.Accepted[i].Sum()
			}
		}
		m.Charged = max(m.Charged, c.Charge())
		if s := c.Standing; s != nil {
			m.Paid += s.Paid
			m.PatientResponsibility = max(m.PatientResponsibility, s.PatientResponsibility)
			writtenOff = max(writtenOff, s.Contractual)
		}
		decided = decided || i == 0 && c.Standing != nil
		for _, o := range c.OtherCoverage {
			if o.Adjudication != nil && c.Turn() != billing.SequencePrimary {
				elsewhere[i] += o.Adjudication.Paid
			}
		}
		counted[i] = true
	}
	stated := elsewhere[2] // of the third claim, while it is alone
	if counted[0] || counted[1] {
		stated = max(elsewhere[0], elsewhere[1])
	}
	if decided {
		stated = elsewhere[0]
	}
	if sent.IsZero() {
		return
	}
	rest := m.Charged - m.Paid - m.PatientResponsibility - writtenOff - stated
	m.PaidElsewhere, m.BilledToPatient, m.Overpaid = stated, max(0, min(rest, billed)), max(0, -rest)
	if open {
		m.Outstanding = max(0, rest-accepted)
	}
	days := int(today.Time().Sub(billing.DateOf(sent.UTC()).Time()) / (24 * time.Hour))
	for i := range totals.Ages {
		if age := &totals.Ages[i]; days <= age.To || age.To == 0 {
			age.ClaimMoney = age.Add(m)
			return
		}
	}
}
