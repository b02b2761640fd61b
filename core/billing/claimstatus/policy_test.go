package claimstatus_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
)

var sentAt = time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)

func sentClaim(state claim.State) *claim.Claim {
	c := &claim.Claim{Kind: claim.KindClaim, Frequency: claim.FrequencyOriginal}
	c.State, c.SentAt = state, sentAt
	c.History = []claim.Move{{State: claim.Submitted, Cause: claim.TriggerSend, At: sentAt}}
	return c
}

// found answers an inquiry with a category for the claim.
func found(c *claim.Claim, last *claimstatus.Inquiry, category string, at time.Time) *claimstatus.Inquiry {
	i := &claimstatus.Inquiry{State: claimstatus.Completed, Outcome: claimstatus.Found}
	i.Statuses = []claimstatus.Status{{Codes: []claimstatus.Code{{Category: category}}}}
	i.Record(c, last, at)
	return i
}

// TestPolicy asks about a claim by a policy until it is decided, and waits between.
func TestPolicy(t *testing.T) {
	t.Parallel()
	p := &claimstatus.Policy{After: 14, Every: 7}
	c := sentClaim(claim.AcceptedPayer)
	now := sentAt
	// next moves the time until the claim is due, and returns the days.
	next := func() int {
		for days := 0; days < 1000; days++ {
			if p.Due(c, now.AddDate(0, 0, days)) {
				now = now.AddDate(0, 0, days)
				return days
			}
		}
		return -1
	}
	if got := next(); got != 14 {
		t.Errorf("first after %d days", got)
	}
	if claimstatus.Begin(c, now); p.Due(c, now) {
		t.Error("a claim that is being asked about is due again")
	}
	var last *claimstatus.Inquiry
	for n, want := range []int{7, 7, 7, 14, 28, 28} { // the first answer is new, and the next ones repeat it
		last = found(c, last, "P1", now)
		if a := c.Asked; !a.LastSaid().Equal(now) || !a.SaidAt.Equal(sentAt.AddDate(0, 0, 14)) {
			t.Errorf("answer %d came at %s, the first of these at %s", n+1, a.LastSaid(), a.SaidAt)
		}
		if got := next(); got != want {
			t.Errorf("after answer %d it waits %d days, want %d", n+1, got, want)
		}
	}
	last = found(c, last, "P2", now)
	if got := next(); got != 7 {
		t.Errorf("after another answer it waits %d days", got)
	}
	(&claimstatus.Inquiry{State: claimstatus.Completed, Outcome: claimstatus.Unavailable}).Record(c, last, now)
	if a := c.Asked; a.Category != "P2" || !a.Missed {
		t.Errorf("a payer that is down took its answer back: %+v", a)
	}
	if got := next(); got != 1 {
		t.Errorf("after no response it waits %d days", got)
	}
	claimstatus.Skip(c, now)
	if got := next(); got != 1 {
		t.Errorf("a claim that cannot be asked about now waits %d days", got)
	}
	for range 100 {
		if last = found(c, last, "P2", now); next() < 0 {
			break
		}
	}
	if months := now.Sub(sentAt).Hours() / 24 / 30; months < 17 || months > 18 {
		t.Errorf("it was asked about for %v months", months)
	}

	// A claim that is sent again begins anew.
	c.History = append(c.History, claim.Move{State: claim.Submitted, Cause: claim.TriggerSend, At: now.Add(time.Hour)})
	if turn, since := claimstatus.Next(c); turn != claimstatus.First || !since.Equal(now.Add(time.Hour)) {
		t.Errorf("sent again: %v since %v", turn, since)
	}
}

// TestNext leaves out what is not asked about without a person.
func TestNext(t *testing.T) {
	t.Parallel()
	change := func(state claim.State, change func(*claim.Claim)) *claim.Claim {
		c := sentClaim(state)
		change(c)
		return c
	}
	for name, x := range map[string]struct {
		c    *claim.Claim
		asks bool
	}{
		"submitted":        {sentClaim(claim.Submitted), true},
		"by clearinghouse": {sentClaim(claim.AcceptedClearinghouse), true},
		"by payer":         {sentClaim(claim.AcceptedPayer), true},
		"queued":           {sentClaim(claim.Queued), false},
		"rejected":         {sentClaim(claim.Rejected), false},
		"paid":             {sentClaim(claim.Paid), false},
		"denied":           {sentClaim(claim.Denied), false},
		"void":             {change(claim.Submitted, func(c *claim.Claim) { c.Frequency = claim.FrequencyVoid }), false},
		"predetermination": {change(claim.Submitted, func(c *claim.Claim) { c.Kind = claim.KindPredetermination }), false},
		"erased":           {change(claim.Submitted, func(c *claim.Claim) { c.ErasedAt = sentAt }), false},
		"said decided":     {change(claim.AcceptedPayer, func(c *claim.Claim) { found(c, nil, "F1", sentAt.AddDate(0, 0, 9)) }), false},
		"said pending":     {change(claim.AcceptedPayer, func(c *claim.Claim) { found(c, nil, "P1", sentAt.AddDate(0, 0, 9)) }), true},
	} {
		if _, since := claimstatus.Next(x.c); since.IsZero() == x.asks {
			t.Errorf("%s: since %v", name, since)
		}
	}
	p := &claimstatus.Policy{Payer: sentClaim(claim.Submitted).Payer, After: 7, Every: 7}
	c := sentClaim(claim.Submitted)
	if c.Payer.ID = (billing.PayerID{1}); p.Due(c, sentAt.AddDate(1, 0, 0)) {
		t.Error("the policy of another payer asks")
	}
}
