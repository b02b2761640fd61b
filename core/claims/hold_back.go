package claims

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// HoldBack keeps a claim out of batches until a person releases it. A person is asked when the day
// begins at its office. It has no event.
//
// Errors: those of the idempotency key; CodeInvalidRequest for a day that is not to come;
// CodeNotFound; CodeConflict for a claim that is neither validated, nor queued and in no batch.
func (s *Service) HoldBack(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.HoldRequest,
) (caller.Reply, error) {
	reason, until, faults := in.Parsed()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		now := tx.Clock.Now()
		faults := slices.Clone(faults) // the transaction may run again
		var opens time.Time
		if !until.IsZero() {
			office, err := tx.Offices.Get(ctx, c.OfficeID)
			if err != nil {
				return nil, err
			}
			intake.ToCome(&faults, "until", until, office.Today(now), "to be asked at once")
			opens = office.Begins(until)
		}
		if err := faults.Err(); err != nil {
			return nil, err
		}
		return nil, c.HoldBack(reason, until, opens, call.Principal, now)
	})
}

// Release lets a claim that is held go out with the next batch. It has no event.
//
// Errors: those of the idempotency key, CodeNotFound, and CodeConflict for a claim that is not
// held.
func (s *Service) Release(ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID) (caller.Reply, error) {
	return s.change(ctx, call, id, nil, func(_ context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		return nil, c.Release(call.Principal, tx.Clock.Now())
	})
}
