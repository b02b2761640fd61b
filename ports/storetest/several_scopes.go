package storetest

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// testSeveralScopes answers checks of several scopes in one transaction. One that the transaction does not name is
// out of its reach.
func testSeveralScopes(b *scoped) {
	t := b.t
	scopes := []billing.Scope{b.scope, newScope(), {Org: b.scope.Org, Mode: billing.ModeLive}}
	outside := newScope()
	all := map[billing.Scope]*coverage.Check{}
	staged := map[billing.Scope]jobs.Job{}
	for n, of := range append(scopes, outside) {
		c := b.check(n)
		c.Scope = of
		all[of], staged[of] = c, jobs.Job{ID: id[billing.JobID](), Kind: jobs.KindEligibility, Scope: of, Subject: c.ID}
		if err := b.try(of, func(ctx context.Context, tx ports.Tx) error {
			return errors.Join(tx.Checks.Insert(ctx, c), tx.Outbox.Stage(ctx, staged[of]))
		}); err != nil {
			t.Fatal(err)
		}
	}
	ids := make([]billing.CheckID, 0, len(all))
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	if err := b.Store.ViewScopes(t.Context(), scopes, func(ctx context.Context, tx ports.ScopesTx) error {
		found, err := tx.Checks.Find(ctx, ids)
		if err == nil && len(found) != len(scopes) {
			t.Errorf("found %d checks, want %d", len(found), len(scopes))
		}
		for _, of := range scopes {
			equal(t, "check", found[all[of].ID], all[of])
			if now := tx.ClockOf(of).Now(); !now.Equal(tx.Real.Now().Time) {
				t.Errorf("the clock of %v shows %v", of, now)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	person := b.person() // the same in each scope
	answers := func(of ...billing.Scope) error {
		return b.Store.InScopes(t.Context(), scopes, func(ctx context.Context, tx ports.ScopesTx) error {
			var people []directory.Person
			var payers []billing.PayerID
			for _, of := range of {
				mine := person
				mine.ID, mine.Scope = id[billing.PatientID](), of
				people, payers = append(people, directory.Person{Key: "zoe|obrien", Patient: mine}), append(payers, all[of].Payer.ID)
			}
			known, err := tx.PendingChecks.Background(ctx, people, payers)
			if err != nil {
				return err
			}
			var done []coverage.CheckCompletion
			for i, of := range of {
				c := *all[of]
				answer(&c)
				c.PatientID = known[i].Patient
				done = append(done, coverage.CheckCompletion{Check: &c, Exchanges: []coverage.Exchange{{MediaType: coverage.MediaX12, Request: []byte(of.Org.UUID())}}})
			}
			if err := tx.PendingChecks.Complete(ctx, done); err != nil {
				return err
			}
			for _, d := range done {
				happened := b.event(d.Check.ID, event.EligibilityCompleted, 0)
				happened.Scope = d.Check.Scope
				if err := errors.Join(
					tx.Events.Append(ctx, happened), tx.Outbox.Done(ctx, staged[d.Check.Scope].ID),
					tx.Outbox.Stage(ctx, jobs.ForSecondPlan(d.Check.Scope, d.Check.PatientID)),
				); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := answers(append(scopes, outside)...); err == nil {
		t.Error("a scope was answered in a transaction that does not name it")
	}
	if err := answers(scopes[1], outside); err == nil {
		t.Error("a scope was answered in a transaction that does not name it")
	}
	if err := answers(scopes...); err != nil {
		t.Fatal(err)
	}
	if err := answers(scopes[0], scopes[1]); !errors.Is(err, coverage.ErrNotPending) {
		t.Errorf("answered twice: %v", err)
	}
	patients := map[billing.PatientID]bool{}
	for _, of := range append(scopes, outside) {
		named := of != outside
		b.scope = of
		c := b.getCheck(all[of].ID)
		patients[c.PatientID] = true
		pending := read(b, func(ctx context.Context, tx ports.Tx) (bool, error) { return tx.Outbox.Pending(ctx, staged[of].ID) })
		events := read(b, func(ctx context.Context, tx ports.Tx) ([]*event.Event, error) {
			return tx.Events.List(ctx, event.Filter{}, billing.Page{Limit: 9})
		})
		if (c.State == coverage.CheckCompleted) != named || pending == named || (len(events) == 1) != named {
			t.Errorf("%v: the check is %s, its job pending %t, events %v", of, c.State, pending, events)
		}
		if named {
			messages := read(b, func(ctx context.Context, tx ports.Tx) (coverage.CheckExchange, error) {
				return tx.Exchanges.Get(ctx, c.ID)
			})
			if len(messages.Messages) != 1 || string(messages.Messages[0].Request) != of.Org.UUID() {
				t.Errorf("%v: messages %v", of, messages)
			}
		}
	}
	if len(patients) != len(scopes)+1 { // one has none
		t.Errorf("patients %v: want one in each scope", patients)
	}
}
