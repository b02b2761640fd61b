package storetest

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/ports"
)

// testAppeals stores an appeal, changes it, and lists those of a claim. A claim has one that is not
// decided at a time.
func testAppeals(b *scoped) {
	t := b.t
	c, other := b.claim(0), b.claim(1)
	b.insertClaims(c, other)
	made := func(of billing.ClaimID, days int) *appeal.Appeal {
		return &appeal.Appeal{
			ID: id[billing.AppealID](), Scope: b.scope, ClaimID: of, State: appeal.Draft, Level: appeal.First,
			Words: appeal.Words{Reason: "It was needed.", Letter: "Dear reviewer"}, Documents: []string{"att_1", "doc_2"},
			SendBy: limit.Deadline{On: billing.DateOf(b.now).AddDays(90), Days: 90, Source: limit.Payer, Stated: "page 12"}, MadeBy: "key_1",
			CreatedAt: b.now.AddDate(0, 0, days), UpdatedAt: b.now,
		}
	}
	first, second, foreign := made(c.ID, 0), made(c.ID, 1), made(other.ID, 2)
	insert := func(a *appeal.Appeal) error {
		_, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (struct{}, error) { return struct{}{}, tx.Appeals.Insert(ctx, a) })
		return err
	}
	for _, a := range []*appeal.Appeal{first, foreign} {
		if err := insert(a); err != nil {
			t.Fatal(err)
		}
	}
	get := func(of billing.AppealID) *appeal.Appeal {
		return read(b, func(ctx context.Context, tx ports.Tx) (*appeal.Appeal, error) { return tx.Appeals.Get(ctx, of) })
	}
	equal(t, "a stored appeal", get(first.ID), first)
	if err := insert(second); err == nil {
		t.Error("the claim has two appeals that are not decided")
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Appeals.Lock(ctx, first.ID)
		if err != nil {
			return err
		}
		a.State, a.SentOn, a.SentBy, a.SentAt, a.Words.Reference = appeal.Decided, billing.DateOf(b.now), appeal.Fax, b.now, "77"
		a.DecidedOn, a.Outcome, a.DecidedAt, a.RecordedBy, a.UpdatedAt = billing.DateOf(b.now).AddDays(3), appeal.Partly, b.now.Add(time.Hour), "usr_2", b.now.Add(time.Hour)
		a.Level, a.Documents, a.SendBy = appeal.Second, nil, limit.Deadline{On: billing.DateOf(b.now).AddDays(9), Source: limit.Person}
		first = a
		return tx.Appeals.Save(ctx, a)
	})
	equal(t, "a decided appeal", get(first.ID), first)
	if err := insert(second); err != nil {
		t.Fatal(err)
	}
	list := func(f appeal.Filter, p billing.Page) []*appeal.Appeal {
		return read(b, func(ctx context.Context, tx ports.Tx) ([]*appeal.Appeal, error) { return tx.Appeals.List(ctx, f, p) })
	}
	equal(t, "the appeals of a claim", list(appeal.Filter{ClaimID: c.ID}, billing.Page{Limit: 10}), []*appeal.Appeal{second, first})
	equal(t, "the second page", list(appeal.Filter{}, billing.Page{Limit: 1, After: new(second.Position())}), []*appeal.Appeal{first})
	if _, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*appeal.Appeal, error) {
		return tx.Appeals.Get(ctx, id[billing.AppealID]())
	}); !billing.IsNotFound(err) {
		t.Errorf("an appeal that is not there: %v", err)
	}
}

// testPayerLimits stores the limits of a payer twice, and finds them by payer.
func testPayerLimits(b *scoped) {
	t := b.t
	first := &limit.OfPayer{
		ID: id[billing.JobID](), Scope: b.scope, Payer: b.payer(), CreatedAt: b.now, UpdatedAt: b.now,
		Terms: limit.Terms{Filing: limit.Term{Days: 365, Stated: "page 12"}, Appeal: limit.Term{Days: 180}},
	}
	put := func(l *limit.OfPayer) *limit.OfPayer {
		stored, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (*limit.OfPayer, error) { return tx.PayerLimits.Put(ctx, l) })
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	equal(t, "stored limits", put(first), first)
	second := *first
	second.ID, second.CreatedAt, second.UpdatedAt = id[billing.JobID](), b.now.Add(time.Hour), b.now.Add(time.Hour)
	second.Terms = limit.Terms{Secondary: limit.Term{Days: 60}}
	want := second
	want.ID, want.CreatedAt = first.ID, first.CreatedAt
	equal(t, "replaced limits", put(&second), &want)
	of := func(payers ...billing.PayerID) map[billing.PayerID]limit.Terms {
		return read(b, func(ctx context.Context, tx ports.Tx) (map[billing.PayerID]limit.Terms, error) {
			return tx.PayerLimits.Of(ctx, payers)
		})
	}
	equal(t, "the limits of payers", of(id[billing.PayerID](), first.Payer.ID), map[billing.PayerID]limit.Terms{first.Payer.ID: second.Terms})
	equal(t, "the limits of none", of(), map[billing.PayerID]limit.Terms{})
	equal(t, "all limits", read(b, func(ctx context.Context, tx ports.Tx) ([]*limit.OfPayer, error) {
		return tx.PayerLimits.List(ctx, billing.Page{Limit: 10})
	}), []*limit.OfPayer{&want})
	remove := func() error {
		_, err := try(b, b.scope, func(ctx context.Context, tx ports.Tx) (struct{}, error) {
			return struct{}{}, tx.PayerLimits.Delete(ctx, first.Payer.ID)
		})
		return err
	}
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	if err := remove(); !billing.IsNotFound(err) {
		t.Errorf("deleted twice: %v", err)
	}
}
