package remittances

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Post records that the user has posted a remittance. Posting it again changes
// nothing.
//
// Errors: those of the idempotency key and of Get, and CodeConflict while claims are
// unfinished, unless the user accepts that.
func (s *Service) Post(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, acceptUnfinished bool,
) (caller.Reply, error) {
	return s.change(ctx, call, id, func(e *remit.ERA, at time.Time) (bool, error) { return e.Post(acceptUnfinished, at) })
}

// Unpost records that a remittance is no longer posted. Nothing changes if it is not.
//
// Errors: those of the idempotency key and of Get, and CodeInvalidRequest for faults of
// the note.
func (s *Service) Unpost(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
) (caller.Reply, error) {
	_, faults := in.Text()
	call.Request.Faults = faults
	return s.change(ctx, call, id, func(e *remit.ERA, _ time.Time) (bool, error) { return e.Unpost(), nil })
}

// change changes a remittance that callers can see, at most once for the call's key,
// and returns it. Decide reports whether it changed anything.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, decide func(e *remit.ERA, at time.Time) (bool, error),
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*remit.Record, error) {
		e, err := lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		changed, err := decide(e, tx.Clock.Now())
		if err != nil {
			return nil, err
		}
		if changed {
			if err := tx.ERAs.Save(ctx, e); err != nil {
				return nil, err
			}
		}
		return record(ctx, tx, e)
	})
}

// lock locks a remittance that callers can see: one whose claims are all read.
func lock(ctx context.Context, tx ports.Tx, id billing.ERAID) (*remit.ERA, error) {
	e, err := tx.ERAs.Lock(ctx, id)
	if err == nil && e.ReceivedAt.IsZero() {
		return nil, billing.NotFound("remittance", "")
	}
	return e, err
}
