package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Post records that a remittance was posted in the practice's books. With reconcile, it also
// reconciles the settled claims: the first of them at once, and the others by a job. Posting it
// again changes nothing, unless its claims are to be reconciled now.
//
// Errors: those of the idempotency key and of Get, and CodeConflict while claims are
// unfinished, unless the user accepts that, and while the claims of an earlier posting are reopened.
func (s *Service) Post(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.PostRequest,
) (caller.Reply, error) {
	call.Request.Faults = in.Faults
	return s.change(ctx, call, id, func(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
		changed, err := e.Post(in.AcceptUnfinished, tx.Clock.Now())
		if changed {
			e.PostedBy = call.Principal.ID
		}
		if err != nil || !in.Reconcile || !e.Reconcile(call.Principal.ID) {
			return changed, err
		}
		return true, s.goOn(ctx, tx, e)
	})
}

// Unpost records that a remittance is no longer posted, and reopens the claims that its posting
// reconciled: the first of them at once, and the others by a job. Claims that a person changed
// since then stay as they are. Nothing changes if the remittance is not posted.
//
// Errors: those of the idempotency key and of Get, and CodeInvalidRequest for faults of
// the note.
func (s *Service) Unpost(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
) (caller.Reply, error) {
	_, faults := in.Text()
	call.Request.Faults = faults
	return s.change(ctx, call, id, func(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
		if !e.Unpost(call.Principal.ID) {
			return false, nil
		}
		return true, s.goOn(ctx, tx, e)
	})
}

// change changes a remittance that callers can see, at most once for the call's key,
// and returns it. Decide reports whether it changed anything.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID,
	decide func(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error),
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*remit.Record, error) {
		e, err := lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		changed, err := decide(ctx, tx, e)
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
