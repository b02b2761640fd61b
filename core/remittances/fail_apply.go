package remittances

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// errHeldUp is the error of giving up a remittance whose turn has not come.
var errHeldUp = errors.New("an earlier remittance holds it up, whose own job will be done or given up")

// FailApply gives up the remittance of a job that cannot be done. It is shown as
// far as it was read, with its claims not applied. One that has not come to its
// turn is not given up: an error leaves the job to be done again.
func (s *Service) FailApply(ctx context.Context, j jobs.Job) error {
	w := &worker{Service: s, job: j, own: billing.ERAID(j.Subject)}
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		e, over, err := w.turn(ctx, tx)
		switch {
		case err != nil:
			return err
		case over:
			return tx.Outbox.Done(ctx, j.ID)
		case e == nil || e.ID != w.own:
			return errHeldUp
		}
		if err := w.giveUp(ctx, tx, e); err != nil {
			return err
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
}

// giveUp ends a remittance on which the work fails. It is shown if it was not
// yet, with the claims that are kept.
func (w *worker) giveUp(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	if e.Progress == billing.ERAReading {
		kept, matched, err := tx.ERAClaims.Count(ctx, e.ID)
		if err == nil {
			err = w.show(ctx, tx, e, max(kept, e.ClaimCount), matched)
		}
		if err != nil {
			return err
		}
	}
	e.Progress = billing.ERADone
	w.waits.forget(e.ID)
	return tx.ERAs.Save(ctx, e)
}

// show makes a remittance visible, with its event; one that was seen before,
// and is read once more, has had it.
func (w *worker) show(ctx context.Context, tx ports.Tx, e *billing.ERA, claims, matched int) error {
	if !e.Read(claims, matched, tx.Clock.Now()) {
		return nil
	}
	return tx.Events.Append(ctx, e.ReceivedEvent())
}
