package remittances

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Apply brings the remittances of the scope to their end, in the order in which
// they came, and those that come meanwhile. It may run any number of times, and
// at the same time as others: each commit is made under the lock of the
// remittance, and begins where the last one ended. In one process it rests
// while another call is at work for the scope, so that one organization never
// takes all workers.
//
// The job is postponed when a remittance tells of a claim whose file was sent by
// a process that died before it noted that, and when the work fails on a
// remittance that came earlier: that has a job of its own. Any other error
// leaves the job to be done again.
func (s *Service) Apply(ctx context.Context, j jobs.Job) error {
	w := &worker{Service: s, job: j, own: billing.ERAID(j.Subject)}
	if !s.turns.take(j.Scope) {
		return w.postpone(ctx, pause)
	}
	w.holds = true
	defer w.close()
	err := w.run(ctx)
	if err == nil || w.ended || ctx.Err() != nil {
		return err
	}
	if errors.Is(err, errLater) {
		return w.postpone(ctx, pause)
	}
	if !w.at.IsZero() && w.at != w.own {
		return w.postpone(ctx, heldUp)
	}
	return err
}

const (
	// pause is how long a job rests that waits for a batch, or for another job.
	pause = time.Second
	// heldUp is how long a job rests when the work fails on an earlier
	// remittance.
	heldUp = 10 * time.Second
)

// errLater is the error of a claim whose batch is not known to be sent.
var errLater = errors.New("the batch of a claim is not noted as sent")

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

// Retry takes a remittance up once more that is done, or was given up, with
// claims that are not applied although they could be. Claims that matched none
// of ours are not matched again. It reports false when nothing is left to do.
func (s *Service) Retry(ctx context.Context, scope billing.Scope, id billing.ERAID) (again bool, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		again = false
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil || e.Progress != billing.ERADone {
			return err
		}
		kept, _, err := tx.ERAClaims.Count(ctx, id)
		if err != nil {
			return err
		}
		left, err := tx.ERAClaims.List(ctx, id, 0, true, 1)
		switch {
		case err != nil:
			return err
		case kept < e.ClaimCount:
			e.Progress = billing.ERAReading
		case len(left) > 0:
			e.Progress = billing.ERAApplying
		default:
			return nil
		}
		again = true
		if err := tx.ERAs.Save(ctx, e); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, jobs.Job{ID: billing.NewID[billing.JobID](tx.Clock.Now()), Kind: jobs.KindERA, Scope: scope, Subject: id})
	})
	return again, err
}
