package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// testAutomation stores settings twice, and reads them in another mode.
func testAutomation(b *scoped) {
	get := func(scope billing.Scope) *automation.Settings {
		s, err := try(b, scope, func(ctx context.Context, tx ports.Tx) (*automation.Settings, error) { return tx.Automation.Get(ctx) })
		if err != nil {
			b.t.Fatal(err)
		}
		return s
	}
	none := &automation.Settings{Level: automation.Review}
	equal(b.t, "settings that nobody stored", get(b.scope), none)
	first := &automation.Settings{
		Level: automation.Exceptions, Payers: []automation.PayerLevel{{Payer: b.payer(), Level: automation.Automatic}}, UpdatedAt: b.now, UpdatedBy: "usr_1",
	}
	for _, s := range []*automation.Settings{first, {Level: automation.Automatic, UpdatedAt: b.now.Add(time.Hour), UpdatedBy: "key_1"}} {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Automation.Put(ctx, s) })
		got := get(b.scope)
		if len(got.Payers) == 0 {
			got.Payers = nil
		}
		equal(b.t, "settings", got, s)
	}
	equal(b.t, "settings of another organization", get(newScope()), none)
}

// testPostings finds the claims of a remittance in the order of their IDs, those that its posting
// reconciled, and those that a payer asks about.
func testPostings(b *scoped) {
	t := b.t
	e, other := b.era(0), b.era(1)
	b.insertERAs(e, other)
	var all []*claim.Claim
	for n := range 6 {
		c := b.claim(n)
		if n < 2 {
			c.ReconciledWith = e.ID
		}
		if n == 2 {
			c.ReconciledWith = other.ID
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y *claim.Claim) int { return strings.Compare(string(x.ID[:]), string(y.ID[:])) })
	b.insertClaims(all...)
	says := func(ordinal int, of *claim.Claim, status remit.Status) *remit.Claim {
		return &remit.Claim{Ordinal: ordinal, ControlNumber: "A", ClaimProgress: remit.ClaimProgress{Status: status, ClaimID: of.ID, AppliedAt: b.now}}
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		err := tx.RemittanceClaims.Insert(ctx, e.ID, []*remit.Claim{
			says(1, all[3], remit.StatusApplied), says(2, all[0], remit.StatusApplied), says(3, all[0], remit.StatusApplied),
			says(4, all[1], remit.StatusNeedsReview), says(5, all[2], remit.StatusIgnored), says(6, all[4], remit.StatusApplied),
		})
		if err != nil {
			return err
		}
		return tx.RemittanceClaims.Insert(ctx, other.ID, []*remit.Claim{says(1, all[5], remit.StatusApplied)})
	})
	ids := func(found []*claim.Record, err error) []billing.ClaimID {
		if err != nil {
			t.Fatal(err)
		}
		out := []billing.ClaimID{}
		for _, c := range found {
			out = append(out, c.ID)
		}
		return out
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		equal(t, "the first claims", ids(tx.Postings.Paid(ctx, e.ID, billing.ClaimID{}, 3)), []billing.ClaimID{all[0].ID, all[1].ID, all[3].ID})
		equal(t, "the next claims", ids(tx.Postings.Paid(ctx, e.ID, all[3].ID, 3)), []billing.ClaimID{all[4].ID})
		equal(t, "claims of another remittance", ids(tx.Postings.Paid(ctx, other.ID, billing.ClaimID{}, 3)), []billing.ClaimID{all[5].ID})
		reconciled := []billing.ClaimID{}
		for _, c := range all {
			if c.ReconciledWith == e.ID {
				reconciled = append(reconciled, c.ID)
			}
		}
		equal(t, "reconciled claims", ids(tx.Postings.Reconciled(ctx, e.ID, billing.ClaimID{}, 5)), reconciled)
		equal(t, "the next reconciled claim", ids(tx.Postings.Reconciled(ctx, e.ID, reconciled[0], 5)), reconciled[1:])
		found, err := tx.Postings.Paid(ctx, e.ID, billing.ClaimID{}, 3)
		if err == nil && (found[0].ReviewERA != billing.ERAID{} || found[1].ReviewERA != e.ID) {
			t.Errorf("to review are %s and %s", found[0].ReviewERA, found[1].ReviewERA)
		}
		return err
	})
	open, answered := b.payerRequest(0), answeredRequest(b.payerRequest(1))
	open.ClaimID, answered.ClaimID = all[0].ID, all[1].ID
	unanswered := b.payerRequest(2)
	unanswered.ClaimID, unanswered.Decisions = all[2].ID, decision.List{{Of: string(task.RequestDue), As: decision.WillNotSend, Note: `"As": "accepted"`, At: b.now}}
	b.insertRequests(open, answered, unanswered)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		got, err := tx.Postings.Requested(ctx, []billing.ClaimID{all[0].ID, all[1].ID, all[2].ID})
		equal(t, "requested claims", got, map[billing.ClaimID]bool{all[0].ID: true})
		return err
	})
}
