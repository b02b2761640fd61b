package remittances

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// atOnce is how many chunks of claims the commit of a decision moves. Workers move more
// than that after it, chunk by chunk.
const atOnce = 10

// Replace makes a correction stand in the place of the remittances that it corrects: what
// was applied of them is taken back, and its own claims are applied, in one commit. Nothing
// changes if that was decided before. A remittance that was discarded or replaced can
// stand again in the same way.
//
// Errors: those of the idempotency key and of Get; CodeInvalidRequest for faults of the
// note; CodeConflict when it corrects none, while one of them is posted, and while the
// work on one has not ended.
func (s *Service) Replace(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
) (caller.Reply, error) {
	return s.correct(ctx, call, id, in, func(ctx context.Context, tx ports.Tx, e *remit.ERA, note remit.Note) error {
		if changes, err := e.CanReplace(); err != nil || !changes {
			return err
		}
		rivals, siblings, err := s.rivals(ctx, tx, e)
		if err != nil {
			return err
		}
		if err := replace(ctx, tx, e, rivals, siblings, note); err != nil {
			return err
		}
		return s.takeOverNow(ctx, tx, e, rivals)
	})
}

// correct decides about a locked correction, at most once for the call's key, and returns
// its record.
func (s *Service) correct(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
	decide func(ctx context.Context, tx ports.Tx, e *remit.ERA, note remit.Note) error,
) (caller.Reply, error) {
	note, faults := in.Text()
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*remit.Record, error) {
		if err := moneyFirst(ctx, tx); err != nil {
			return nil, err
		}
		e, err := lock(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		if err := decide(ctx, tx, e, remit.Note{At: tx.Clock.Now(), By: call.Principal.ID, Note: note}); err != nil {
			return nil, err
		}
		return record(ctx, tx, e)
	})
}

// takeOverNow moves the claims to the remittance in this commit, or stages the job that
// does when there are too many.
func (s *Service) takeOverNow(ctx context.Context, tx ports.Tx, e *remit.ERA, rivals []*remit.ERA) error {
	claims := e.ClaimCount
	for _, o := range rivals {
		claims += o.ClaimCount
	}
	if claims > atOnce*s.chunk {
		return stage(ctx, tx, e.Scope, e.ID)
	}
	w := &worker{Service: s, job: jobs.Job{Scope: e.Scope}, own: e.ID}
	for e.Stage != remit.Done {
		err := w.apply(ctx, tx, e)
		if errors.Is(err, errLater) {
			return &billing.Error{Code: billing.CodeConflict, Message: "A claim of it is being sent. Try again in a minute."}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Keep discards a correction: what it corrects stays as it is. Nothing changes if it is
// discarded already.
//
// Errors: those of the idempotency key and of Get; CodeInvalidRequest for faults of the
// note; CodeConflict when it is no correction that waits for a decision.
func (s *Service) Keep(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
) (caller.Reply, error) {
	return s.correct(ctx, call, id, in, func(ctx context.Context, tx ports.Tx, e *remit.ERA, note remit.Note) error {
		if changed, err := e.Discard(note); err != nil || !changed {
			return err
		}
		return s.drop(ctx, tx, e)
	})
}

// drop finishes the claims of a discarded correction, and stores it.
func (s *Service) drop(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	_, siblings, err := s.rivals(ctx, tx, e)
	if err == nil {
		err = arrange(ctx, tx, e, siblings)
	}
	if err == nil {
		err = discard(ctx, tx, e)
	}
	if err == nil {
		err = keep(ctx, tx, e)
	}
	return err
}

// Acknowledge records that a person knows that a payment does not add up, which then needs
// no attention. Nothing changes if that was recorded before.
//
// Errors: those of the idempotency key and of Get; CodeInvalidRequest for faults of the
// note, which is required; CodeConflict when the payment adds up.
func (s *Service) Acknowledge(
	ctx context.Context, call idempotency.Write[*remit.Record], id billing.ERAID, in intake.NoteRequest,
) (caller.Reply, error) {
	note, faults := in.Required("Say what the payer answered, or why the difference is right.")
	call.Request.Faults = faults
	return s.change(ctx, call, id, func(_ context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
		return e.Acknowledge(remit.Note{At: tx.Clock.Now(), By: call.Principal.ID, Note: note})
	})
}
