package deposits

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/deposit"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Match records which remittances a deposit pays, as a person says, beside those that it pays
// already.
//
// Errors: those of the idempotency key; CodeInvalidRequest for parts that do not fit; CodeNotFound
// for the deposit and for a remittance; CodeConflict for a debit, and for a deposit that is matched
// or was returned.
func (s *Service) Match(ctx context.Context, call idempotency.Write[Record], id billing.DepositID, in intake.DepositMatch) (caller.Reply, error) {
	wishes, faults := in.Parsed()
	return s.change(ctx, call, id, faults, wishes, func(tx ports.Tx, d *deposit.Deposit, locked map[billing.ERAID]*remit.ERA) error {
		var absent billing.Absent
		eras := make([]*remit.ERA, len(wishes))
		for i, w := range wishes {
			if eras[i] = locked[w.ERA]; eras[i] == nil {
				absent.Add("remittance", in.Place(i))
			}
		}
		if err := absent.Err(); err != nil {
			return err
		}
		if err := d.Match(wishes, eras, call.Principal.ID, tx.Clock.Now()); err != nil {
			return err
		}
		d.Explain(slices.Collect(maps.Values(locked)))
		return nil
	})
}

// Unmatch takes the whole match of a deposit back. It is never matched by itself again.
//
// Errors: those of the idempotency key; CodeNotFound; CodeConflict for a deposit that pays
// nothing.
func (s *Service) Unmatch(ctx context.Context, call idempotency.Write[Record], id billing.DepositID) (caller.Reply, error) {
	return s.change(ctx, call, id, call.Request.Faults, nil, func(_ ports.Tx, d *deposit.Deposit, locked map[billing.ERAID]*remit.ERA) error {
		eras := []*remit.ERA{}
		for _, e := range d.Remittances() {
			if locked[e] != nil {
				eras = append(eras, locked[e])
			}
		}
		return d.Undo(eras)
	})
}

// change changes a locked deposit, and the remittances that it pays or shall pay.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[Record], id billing.DepositID, faults billing.Faults, wishes []deposit.Wish,
	act func(ports.Tx, *deposit.Deposit, map[billing.ERAID]*remit.ERA) error,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (out Record, err error) {
		if _, err = tx.DepositAccounts.Lock(ctx); err != nil { // from here on nobody else changes what it pays
			return out, err
		}
		d, err := tx.Deposits.Get(ctx, id)
		if err != nil && !billing.IsNotFound(err) {
			return out, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return out, err
		}
		ids := d.Remittances()
		for _, w := range wishes {
			ids = append(ids, w.ERA)
		}
		locked, err := lockAll(ctx, tx, ids)
		if err == nil {
			d, err = tx.Deposits.Lock(ctx, id)
		}
		if err == nil {
			err = act(tx, d, locked)
		}
		if err == nil {
			err = tx.Deposits.Save(ctx, d)
		}
		if err != nil {
			return out, err
		}
		for _, e := range slices.Compact(ids) {
			if locked[e] == nil {
				continue
			}
			if err := save(ctx, tx, locked[e]); err != nil {
				return out, err
			}
			delete(locked, e)
		}
		return record(ctx, tx, d)
	})
}
