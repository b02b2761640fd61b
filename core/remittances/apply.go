package remittances

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Apply finishes the remittances of the scope in the order in which they came,
// including those that come meanwhile. It may run any number of times, even at
// the same time: each commit holds the lock of the remittance and continues
// where the last one ended. In one process it rests while another call works
// for the scope, so that one organization never occupies all workers.
//
// Apply postpones the job when a remittance names a claim whose batch was sent
// by a process that died before it recorded that. It also does so when the work
// fails on an earlier remittance, which has a job of its own. After any other
// error the job runs again.
func (s *Service) Apply(ctx context.Context, j jobs.Job) error {
	w := &worker{Service: s, job: j, own: billing.ERAID(j.Subject)}
	if !s.turns.take(j.Scope) {
		return w.postpone(ctx, billing.ERARetry)
	}
	w.holds = true
	defer w.close()
	err := w.run(ctx)
	if err == nil || w.ended || ctx.Err() != nil {
		return err
	}
	if errors.Is(err, errLater) {
		return w.postpone(ctx, billing.ERARetry)
	}
	if !w.at.IsZero() && w.at != w.own {
		return w.postpone(ctx, billing.ERAHeldUp)
	}
	return err
}

// errLater is the error of a claim whose batch is not recorded as sent.
var errLater = errors.New("the batch of a claim is not recorded as sent")

// worker works on one job.
type worker struct {
	*Service

	job   jobs.Job
	own   billing.ERAID // the remittance of the job
	ended bool          // the job is done; the rest is work of the others' jobs
	holds bool          // it has the turn of the scope in this process
	at    billing.ERAID // the current remittance; zero for none
	file  *reading      // the file that is being read; nil for none
}

// close releases the worker's turn and its open file.
func (w *worker) close() {
	w.putDown()
	if w.holds {
		w.turns.drop(w.job.Scope)
	}
}

// putDown stops reading a file.
func (w *worker) putDown() {
	if w.file != nil {
		w.file.close()
	}
	w.file = nil
}

func (w *worker) postpone(ctx context.Context, rest time.Duration) error {
	return w.store.InTx(ctx, w.job.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, w.job.ID, tx.Real.Now().Add(rest))
	})
}

// run makes one commit after the other until every remittance of the scope is
// done. Once its own job is done, run drops errors; the other remittances' jobs
// report them.
func (w *worker) run(ctx context.Context) error {
	for {
		var own, all bool
		w.at = billing.ERAID{}
		err := w.store.InTx(ctx, w.job.Scope, func(ctx context.Context, tx ports.Tx) (err error) {
			own, all, err = w.step(ctx, tx)
			return err
		})
		if err != nil {
			if w.ended {
				return nil
			}
			return err
		}
		w.ended = w.ended || own
		if all && w.turns.leave(w.job.Scope) {
			w.holds = false
			return nil
		}
	}
}

// turn locks the next remittance: of those that are not done, the one that came
// first; nil when there is none. Own reports that the job's own remittance is done
// or absent.
func (w *worker) turn(ctx context.Context, tx ports.Tx) (e *remit.ERA, own bool, err error) {
	if err := moneyFirst(ctx, tx); err != nil {
		return nil, false, err
	}
	e, err = tx.ERAs.Lock(ctx, billing.ERAID{})
	switch {
	case billing.IsNotFound(err):
		e = nil
	case err != nil:
		return nil, false, err
	}
	if w.ended || e != nil && e.ID == w.own {
		return e, w.ended, nil
	}
	mine, err := tx.ERAs.Lock(ctx, w.own)
	if billing.IsNotFound(err) {
		return e, true, nil
	}
	return e, err == nil && mine.Stage == remit.Done, err
}

// again sets the unmatched claims of the job's own remittance to be matched again, if
// the remittance is done. It returns the remittance; nil when there are none. A job for
// a remittance that is done asks for that.
func (w *worker) again(ctx context.Context, tx ports.Tx) (*remit.ERA, error) {
	e, err := tx.ERAs.Lock(ctx, w.own)
	if billing.IsNotFound(err) {
		return nil, nil // there is no such remittance, and so nothing to do
	}
	if err != nil || e.Stage != remit.Done {
		return nil, err
	}
	again, err := takeAgain(ctx, tx, e)
	if err != nil || !again {
		return nil, err
	}
	e.Stage = remit.Applying
	return e, nil
}

// step does the work of one commit. It reports whether the job's own remittance
// is done, and whether all are.
func (w *worker) step(ctx context.Context, tx ports.Tx) (own, all bool, err error) {
	e, own, err := w.turn(ctx, tx)
	if err == nil && own && !w.ended {
		var mine *remit.ERA
		if mine, err = w.again(ctx, tx); mine != nil {
			e, own = mine, false
		}
	}
	if err != nil {
		return false, false, err
	}
	switch {
	case e == nil:
		all = own // if not, another worker has just finished the last one: look again
	case e.Stage == remit.Reading:
		w.at = e.ID
		err = w.read(ctx, tx, e)
	default:
		w.at = e.ID
		err = w.apply(ctx, tx, e)
		own = own || e.ID == w.own && e.Stage == remit.Done
	}
	if err == nil && own && !w.ended {
		err = tx.Outbox.Done(ctx, w.job.ID)
	}
	return own, all, err
}
