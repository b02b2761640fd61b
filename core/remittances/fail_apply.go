package remittances

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// errHeldUp is the error of giving up a remittance that is not the next one.
var errHeldUp = errors.New("an earlier remittance comes first; its own job will finish it or give it up")

// FailApply gives up the remittance of a job that cannot be done. Callers see
// the claims that were read. Claims that are not applied yet stay so. A
// remittance that is not the next one is not given up: after the error the job
// runs again.
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

// giveUp ends a remittance on which the work fails. It shows it with the claims
// that are stored, unless it was shown before.
func (w *worker) giveUp(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	if e.Stage == remit.Reading {
		kept, err := tx.RemittanceClaims.Count(ctx, e.ID)
		if err == nil {
			err = w.show(ctx, tx, e, max(kept, e.ClaimCount))
		}
		if err != nil {
			return err
		}
	}
	e.Stage = remit.Done
	w.waits.forget(e.ID)
	return keep(ctx, tx, e)
}

// show makes a remittance visible, with its event. A remittance that was
// visible before gets no second event.
func (w *worker) show(ctx context.Context, tx ports.Tx, e *remit.ERA, claims int) error {
	if !e.Read(claims, tx.Clock.Now()) {
		return nil
	}
	if err := arrives(ctx, tx, e); err != nil {
		return err
	}
	return tx.Events.Append(ctx, e.ReceivedEvent())
}
