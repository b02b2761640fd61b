package remittances_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/molar-billing/molar/adapters/bankfile"
	"github.com/molar-billing/molar/adapters/edi"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/deposits"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/ports"
)

// counted counts how often the database runs the work of a transaction again.
type counted struct {
	ports.Store

	again *atomic.Int64
}

func (c counted) InTx(ctx context.Context, scope billing.Scope, fn func(context.Context, ports.Tx) error) error {
	runs := 0
	return c.Store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if runs++; runs > 1 {
			c.again.Add(1)
		}
		return fn(ctx, tx)
	})
}

// banks imports the rows of a bank's file, and returns how many deposits were matched and taken back.
func (b *fixture) banks(s *deposits.Service, rows string) (done string, err error) {
	reply, err := s.Import(b.t.Context(), write(b.scope, call(""), func(i *deposits.Imported, _ error) caller.Reply {
		return caller.Reply{Status: 200, Body: fmt.Appendf(nil, "%d matched, %d taken back", i.Matched, i.Undone)}
	}), intake.DepositFile{Account: "6789"}, []byte("Date,Amount,Description\n"+rows))
	return string(reply.Body), err
}

// TestNoDeadlockOfMoney lets a bank take a deposit back while a person makes a correction of its
// remittance stand and the next payment comes, many times. Whatever comes first, the correction ends
// without the money, and no transaction is run again because it met another one.
func TestNoDeadlockOfMoney(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	store := counted{b.store, new(atomic.Int64)}
	service, bank := remittances.New(store, edi.New(), b.payers), deposits.New(store, bankfile.Reader{}.Read)
	for n := range 40 {
		number := fmt.Sprint("M-", n)
		b.claim(number)
		first := b.payment(paid(number, "P-"+number, 0))
		was := b.imports(first)
		row := fmt.Sprintf(",%%sHCCLAIMPMT TRN*1*%s*1999999999\n", first.Trace.Number)
		if done, err := b.banks(bank, fmt.Sprintf("2026-02-03"+row, was.Payment.Total.String()+",")); err != nil || done != "1 matched, 0 taken back" {
			t.Fatal(done, err)
		}
		is := b.imports(b.again(first, paid(number, "P-"+number, 1000)))
		next := b.file(b.payment(paid("NONE", "P-NONE", 0)), b.again(first, paid(number, "P-"+number, 2000)))
		var all sync.WaitGroup
		all.Go(func() {
			done, err := b.banks(bank, fmt.Sprintf("2026-02-04"+row, "-"+was.Payment.Total.String()+",RETURN "))
			if err != nil || done != "0 matched, 1 taken back" {
				t.Errorf("%d: %s, %v", n, done, err)
			}
		})
		all.Go(func() {
			if _, err := b.judge(service.Replace, "", is.ID); err != nil {
				t.Errorf("%d: %v", n, err)
			}
		})
		all.Go(func() { b.takes(service, next) })
		all.Wait()
		for _, j := range b.due() {
			b.work(service, j)
		}
		for _, id := range []billing.ERAID{was.ID, is.ID} {
			if e := b.shown(id); e.Bank != nil && len(e.Bank.Paid) > 0 {
				t.Errorf("%d: %s has the money that the bank took back", n, id)
			}
		}
	}
	if n := store.again.Load(); n != 0 {
		t.Errorf("%d transactions were run again", n)
	}
	var returned int
	b.in(func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Deposits.List(ctx, deposit.Filter{State: deposit.Returned}, billing.Page{Limit: billing.MaxPageLimit})
		returned = len(all)
		return err
	})
	if returned != 40 {
		t.Errorf("%d deposits are returned", returned)
	}
}
