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

// errLater is the error of a claim whose batch is not known to be sent.
var errLater = errors.New("the batch of a claim is not noted as sent")

// worker is a worker at one job.
type worker struct {
	*Service

	job   jobs.Job
	own   billing.ERAID // the remittance that the job is about
	ended bool          // the job is done; what comes is done for the jobs of others
	holds bool          // it has the turn of the scope in this process
	at    billing.ERAID // the remittance at hand; zero for none
	file  *reading      // the file that is being read; nil for none
}

// close puts down what the worker has.
func (w *worker) close() {
	w.putDown()
	if w.holds {
		w.turns.drop(w.job.Scope)
	}
}

// putDown ends the reading of a file.
func (w *worker) putDown() {
	if w.file != nil {
		w.file.close()
	}
	w.file = nil
}

func (w *worker) postpone(ctx context.Context, rest time.Duration) error {
	return w.store.InTx(ctx, w.job.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, w.job.ID, tx.Clock.Now().Add(rest))
	})
}

// run makes one commit after the other until every remittance of the scope is
// done. An error after the end of the job is for the jobs of others to tell.
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

// turn locks the remittance whose turn it is: of those that are not done, the
// one that came first; nil when there is none. Own tells that the job's own
// remittance is done, or is none.
func (w *worker) turn(ctx context.Context, tx ports.Tx) (e *billing.ERA, own bool, err error) {
	e, err = tx.ERAs.Lock(ctx, billing.ERAID{})
	switch {
	case billing.IsNotFound(err):
		e = nil
	case err != nil:
		return nil, false, err
	case w.ended || e.ID == w.own:
		return e, w.ended, nil
	}
	mine, err := tx.ERAs.Lock(ctx, w.own)
	if billing.IsNotFound(err) {
		return e, true, nil
	}
	return e, err == nil && mine.Progress == billing.ERADone, err
}

// step is the work of one commit. It reports whether the job's own remittance
// is done, and whether all are.
func (w *worker) step(ctx context.Context, tx ports.Tx) (own, all bool, err error) {
	e, own, err := w.turn(ctx, tx)
	if err != nil {
		return false, false, err
	}
	switch {
	case e == nil:
		all = own // if it is not, somebody has done the last one just now: look again
	case e.Progress == billing.ERAReading:
		w.at = e.ID
		err = w.read(ctx, tx, e)
	default:
		w.at = e.ID
		err = w.apply(ctx, tx, e)
		own = own || e.ID == w.own && e.Progress == billing.ERADone
	}
	if err == nil && own && !w.ended {
		err = tx.Outbox.Done(ctx, w.job.ID)
	}
	return own, all, err
}
