package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// testDeposits stores deposits and accounts, pages through them, filters them, and saves a match.
func testDeposits(b *scoped) {
	t := b.t
	account := &deposit.Account{Number: "6789", From: billing.Date{Year: 2026, Month: 3, Day: 1}, To: billing.Date{Year: 2026, Month: 3, Day: 5}, Names: []string{"Sunny"}}
	var all []*deposit.Deposit
	var identities [][sha256.Size]byte
	for i := range 5 {
		e := deposit.Entry{
			Account: "6789", Date: account.From.AddDays(i / 2), Amount: billing.Money(100 * (i + 1)), Method: deposit.ACH, Company: "DELTA", Text: fmt.Sprint("Doe ", i),
			Trace: fmt.Sprint("T", i), Reference: fmt.Sprint("R", i), Claims: i%2 == 0,
		}
		if i == 0 {
			e.Amount = -e.Amount
		}
		identity := sha256.Sum256([]byte{byte(i)})
		all = append(all, deposit.New(b.scope, e, identity, account, billing.RealAt(b.now.Add(time.Duration(i)*time.Second)), b.now))
		identities = append(identities, identity)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, d := range all {
			if err := tx.Deposits.Insert(ctx, d); err != nil {
				return err
			}
		}
		return tx.DepositAccounts.Save(ctx, account)
	})
	known := func(b *scoped) map[[sha256.Size]byte]deposit.Stored {
		return read(b, func(ctx context.Context, tx ports.Tx) (map[[sha256.Size]byte]deposit.Stored, error) {
			return tx.Deposits.Known(ctx, append(identities, sha256.Sum256([]byte("another"))))
		})
	}
	equal(t, "known", len(known(b)), 5)
	equal(t, "one of them", known(b)[identities[1]], deposit.Stored{ID: all[1].ID, Whole: true})
	list := func(b *scoped, f deposit.Filter, p billing.Page) ([]*deposit.Deposit, *billing.Position) {
		rows := read(b, func(ctx context.Context, tx ports.Tx) ([]*deposit.Deposit, error) { return tx.Deposits.List(ctx, f, p) })
		return billing.Cut(rows, p.Limit, (*deposit.Deposit).Position)
	}
	var walked []*deposit.Deposit
	for p := (billing.Page{Limit: 2}); ; {
		rows, next := list(b, deposit.Filter{}, p)
		walked = append(walked, rows...)
		if p.After = next; next == nil {
			break
		}
	}
	slices.Reverse(walked)
	equal(t, "deposits", walked, all)

	era := id[billing.ERAID]()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		d, err := tx.Deposits.Lock(ctx, all[2].ID)
		if err != nil {
			return err
		}
		equal(t, "locked", d, all[2])
		d.State, d.ByHand, d.ReturnedBy = deposit.Matched, true, all[4].ID
		d.Parts = []deposit.Part{{ERA: era, Amount: 300, Fee: 3, How: deposit.ByPerson, By: "usr_1", At: b.now}}
		d.Decisions = decision.List{{Of: "deposit_unmatched", As: decision.NotInsurance, Amount: 300, By: "usr_1", At: b.now}}
		all[2] = d
		return tx.Deposits.Save(ctx, d)
	})
	equal(t, "saved", read(b, func(ctx context.Context, tx ports.Tx) (*deposit.Deposit, error) {
		return tx.Deposits.Get(ctx, all[2].ID)
	}), all[2])
	for name, c := range map[string]struct {
		f    deposit.Filter
		want []*deposit.Deposit
	}{
		"state":      {deposit.Filter{State: deposit.Matched}, all[2:3]},
		"remittance": {deposit.Filter{ERA: era}, all[2:3]},
		"amount":     {deposit.Filter{Amount: 400, Account: "6789", Method: deposit.ACH}, all[3:4]},
		"trace":      {deposit.Filter{Trace: "T1"}, all[1:2]},
		"reference":  {deposit.Filter{Reference: "R0"}, all[:1]},
		"days":       {deposit.Filter{From: account.From.AddDays(2), To: account.From.AddDays(2)}, all[4:]},
		"debits":     {deposit.Filter{Debits: true}, all[:1]},
		"account":    {deposit.Filter{Account: "0000"}, []*deposit.Deposit{}},
	} {
		got, _ := list(b, c.f, billing.Page{Limit: 10})
		equal(t, name, got, c.want)
	}
	open := read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{Kinds: []task.Kind{task.DepositUnmatched}}, billing.Page{Limit: 10})
	})
	for _, o := range open {
		if o.Resource.ID == all[2].ID || o.Resource.ID == all[1].ID {
			t.Errorf("a task of %s", o.Resource)
		}
	}
	locked := read(b, func(ctx context.Context, tx ports.Tx) ([]*deposit.Account, error) {
		return tx.DepositAccounts.List(ctx)
	})
	equal(t, "accounts", locked, []*deposit.Account{account})

	other := b.other()
	if rows, _ := list(other, deposit.Filter{}, billing.Page{Limit: 10}); len(rows) != 0 || len(known(other)) != 0 {
		t.Errorf("another scope has %d deposits", len(rows))
	}
	if err := other.try(other.scope, func(ctx context.Context, tx ports.Tx) error {
		_, err := tx.Deposits.Lock(ctx, all[0].ID)
		return err
	}); !billing.IsNotFound(err) {
		t.Errorf("another scope locks a deposit: %v", err)
	}
}
