// Package deposits imports what banks say about the money on the accounts of an organization, and
// matches it with remittances.
//
// A file may come any number of times: what is stored of it is left out. What matches for certain
// is matched in the commit of the import, or of the remittance, whichever comes last. Everything
// else is for a person. Each of them, and each decision about a correction, first locks the accounts
// of the scope, and only then remittances and deposits: none misses what another adds, and none waits
// for one that waits for it.
package deposits

import (
	"context"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Reader reads a bank's file. Faults are why nothing of it was read.
type Reader func(content []byte, how deposit.Reading) (deposit.File, billing.Faults)

// Service has the use cases of deposits.
type Service struct {
	store ports.Store
	read  Reader
}

// New creates the use cases.
func New(store ports.Store, read Reader) *Service { return &Service{store, read} }

// Record is a deposit with what it can be matched with.
type Record struct {
	*deposit.Deposit

	Candidates []deposit.Candidate // empty for one that is explained
}

// List reads a page of deposits, the last day first, and the start of the next page: nil after
// the last.
func (s *Service) List(ctx context.Context, scope billing.Scope, f deposit.Filter, p billing.Page) ([]*deposit.Deposit, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*deposit.Deposit, error) {
		return tx.Deposits.List(ctx, f, p)
	})
}

// Get reads a deposit. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.DepositID) (Record, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (Record, error) {
		d, err := tx.Deposits.Get(ctx, id)
		if err != nil {
			return Record{}, err
		}
		return record(ctx, tx, d)
	})
}

// record finds what a deposit can be matched with.
func record(ctx context.Context, tx ports.Tx, d *deposit.Deposit) (Record, error) {
	r := Record{Deposit: d}
	if d.Rest() <= 0 {
		return r, nil
	}
	near, err := remittances(ctx, tx, billing.DateSpan{From: d.Date, To: d.Date})
	if err != nil {
		return r, err
	}
	others := deposit.Filter{State: deposit.Unmatched, From: d.Date.AddDays(-deposit.Spread), To: d.Date.AddDays(deposit.Spread)}
	waiting, err := tx.Deposits.List(ctx, others, billing.Page{Limit: beside})
	r.Candidates = d.Candidates(near, waiting)
	return r, err
}

const (
	nearby = 5000 // remittances that a match looks at
	beside = 500  // deposits with which one may be a part of a payment
)

// remittances reads those that may belong to deposits of the days. A remittance without a day is
// not among them.
func remittances(ctx context.Context, tx ports.Tx, days billing.DateSpan) ([]*remit.ERA, error) {
	found, err := tx.ERAs.List(ctx, remit.Filter{PaidFrom: days.From.AddDays(-deposit.Window), PaidTo: days.To.AddDays(deposit.Window)}, billing.Page{Limit: nearby})
	return found, err
}

// save stores a remittance, and lets the rule go on that waited for its money.
func save(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	if err := tx.ERAs.Save(ctx, e); err != nil || !e.MoneyArrived() {
		return err
	}
	return tx.Outbox.Stage(ctx, jobs.ForPosting(e.Scope, e.ID))
}

// lockAll locks remittances in the order of their IDs, which all that lock several have.
func lockAll(ctx context.Context, tx ports.Tx, ids []billing.ERAID) (map[billing.ERAID]*remit.ERA, error) {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b billing.ERAID) int { return strings.Compare(string(a[:]), string(b[:])) })
	locked := map[billing.ERAID]*remit.ERA{}
	for _, id := range slices.Compact(ids) {
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil && !billing.IsNotFound(err) {
			return nil, err
		}
		if err == nil && !e.ReceivedAt.IsZero() {
			locked[id] = e
		}
	}
	return locked, nil
}
