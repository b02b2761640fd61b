package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// moneyFirst waits until no other transaction of the scope changes what deposits pay: imports of
// banks' files, matches, new payments, the work on remittances, and decisions about corrections. Each
// of them does so before it locks a remittance, so none waits for one that waits for it.
func moneyFirst(ctx context.Context, tx ports.Tx) error {
	_, err := tx.DepositAccounts.Lock(ctx)
	return err
}

// arrives matches a remittance that callers see from now on with deposits that came before it.
func arrives(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	accounts, err := tx.DepositAccounts.List(ctx)
	if err != nil || len(accounts) == 0 {
		return err
	}
	e.Known(deposit.KnownFrom(accounts, e.Payment.Account))
	if e.Awaited() == 0 {
		return nil
	}
	waiting, err := waitingFor(ctx, tx, e)
	if err != nil || len(waiting) == 0 {
		return err
	}
	days := billing.DateSpan{From: e.Due(), To: e.Due()}
	for _, d := range waiting {
		days = days.Including(d.Date)
	}
	others, err := tx.ERAs.List(ctx, remit.Filter{PaidFrom: days.From.AddDays(-deposit.Window), PaidTo: days.To.AddDays(deposit.Window)}, billing.Page{Limit: nearby})
	if err != nil {
		return err
	}
	for _, m := range deposit.Matches(waiting, append(others, e)) {
		if err := join(ctx, tx, m, e); err != nil {
			return err
		}
	}
	return nil
}

// nearby is how many other remittances a match looks at.
const nearby = 5000

// waitingFor reads the deposits that may be the money of the remittance.
func waitingFor(ctx context.Context, tx ports.Tx, e *remit.ERA) (all []*deposit.Deposit, err error) {
	from, to := e.Due().AddDays(-deposit.Window), e.Due().AddDays(deposit.Window)
	seen := map[billing.DepositID]bool{}
	for _, f := range []deposit.Filter{{Trace: e.Payment.TraceNumber, From: from, To: to}, {Amount: e.Awaited(), From: from, To: to}} {
		if f.Trace == "" && f.Amount == 0 {
			continue
		}
		found, err := tx.Deposits.List(ctx, f, billing.Page{Limit: nearby})
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			if d.Waits() && !seen[d.ID] {
				seen[d.ID], all = true, append(all, d)
			}
		}
	}
	return all, nil
}

// join stores a match that has the remittance. Its caller stores the remittance itself.
func join(ctx context.Context, tx ports.Tx, m deposit.Match, own *remit.ERA) error {
	has := false
	for i, e := range m.ERAs {
		if e.ID == own.ID {
			has, m.ERAs[i] = true, own
		}
	}
	if !has { // it is not new
		return nil
	}
	for i, e := range m.ERAs {
		if e != own {
			locked, err := tx.ERAs.Lock(ctx, e.ID)
			if err != nil {
				return err
			}
			m.ERAs[i] = locked
		}
	}
	d, err := tx.Deposits.Lock(ctx, m.Deposit.ID)
	if err != nil {
		return err
	}
	m.Deposit = d
	m.Join(tx.Clock.Now())
	if err := tx.Deposits.Save(ctx, d); err != nil {
		return err
	}
	for _, e := range m.ERAs {
		if e != own {
			if err := tx.ERAs.Save(ctx, e); err != nil {
				return err
			}
			if e.MoneyArrived() {
				if err := tx.Outbox.Stage(ctx, jobs.ForPosting(e.Scope, e.ID)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// inherits moves the deposits of remittances to the one that stands in their place.
func inherits(ctx context.Context, tx ports.Tx, e *remit.ERA, rivals []*remit.ERA) error {
	for _, was := range rivals {
		if was.Bank == nil {
			continue
		}
		e.Follows(was)
		moved := map[billing.DepositID]bool{}
		for _, p := range was.Bank.Paid {
			if moved[p.Deposit] {
				continue
			}
			moved[p.Deposit] = true
			d, err := tx.Deposits.Lock(ctx, p.Deposit)
			if err != nil {
				return err
			}
			d.Moves(was, e)
			if err := tx.Deposits.Save(ctx, d); err != nil {
				return err
			}
		}
		if err := tx.ERAs.Save(ctx, was); err != nil {
			return err
		}
	}
	return nil
}
