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
		return w.postpone(ctx, s.clock.Now().Add(pause))
	}
	w.holds = true
	defer w.close()
	err := w.run(ctx)
	if err == nil || w.ended || ctx.Err() != nil {
		return err
	}
	if later, ok := errors.AsType[*billing.LaterError](err); ok {
		return w.postpone(ctx, later.Until)
	}
	if !w.at.IsZero() && w.at != w.own {
		return w.postpone(ctx, s.clock.Now().Add(heldUp))
	}
	return err
}

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

func (w *worker) postpone(ctx context.Context, until time.Time) error {
	return w.store.InTx(ctx, w.job.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, w.job.ID, until)
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
// one that came first. It is nil when there is none, or when somebody has just
// done the one that was waited for. Own tells that the job's own is done.
func (w *worker) turn(ctx context.Context, tx ports.Tx) (e *billing.ERA, own bool, err error) {
	e, err = tx.ERAs.Lock(ctx, billing.ERAID{})
	if billing.IsNotFound(err) {
		mine, err := tx.ERAs.Lock(ctx, w.own)
		if billing.IsNotFound(err) {
			return nil, true, nil
		}
		return nil, err == nil && mine.Progress == billing.ERADone, err
	}
	if err != nil || e.ID == w.own || w.ended {
		return e, w.ended, err
	}
	mine, err := tx.ERAs.Get(ctx, w.own)
	if billing.IsNotFound(err) { // it is not read yet
		return e, false, nil
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
		all = own
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

// apply applies the next claims of a remittance. A claim that cannot take what
// it could when it was matched is matched no more.
func (w *worker) apply(ctx context.Context, tx ports.Tx, e *billing.ERA) error {
	rows, err := tx.ERAClaims.List(ctx, e.ID, 0, true, w.chunk)
	if err != nil {
		return err
	}
	claims, err := w.locked(ctx, tx, rows)
	if err != nil {
		return err
	}
	cause := billing.ClaimCause{File: &e.File, At: w.clock.Now()}
	var events []billing.Event
	touched := map[billing.ClaimID]*billing.Claim{}
	for _, r := range rows {
		cause.At = cause.At.Add(time.Microsecond) // the events of a commit have an order of their own
		c := claims[r.ClaimID]
		event, ok := put(c, r, e.ID, cause)
		switch {
		case ok:
			r.Applied, touched[c.ID] = true, c
			events = append(events, event)
		case w.waits(e.ID, c, r, cause.At):
			return later(cause.At)
		default:
			r.ClaimID = billing.ClaimID{}
			e.MatchedCount--
		}
	}
	if len(rows) > 0 {
		err = tx.ERAClaims.Save(ctx, e.ID, rows)
	}
	for _, r := range rows { // not in the map's order: the same work writes the same
		if c := touched[r.ClaimID]; c != nil && err == nil {
			delete(touched, c.ID)
			err = tx.Claims.Save(ctx, c)
		}
	}
	for _, event := range events {
		if err == nil {
			err = tx.Events.Append(ctx, event)
		}
	}
	if err != nil {
		return err
	}
	if len(rows) < w.chunk {
		e.Progress = billing.ERADone
		w.waited(e.ID)
	}
	return tx.ERAs.Save(ctx, e)
}

// put applies to a claim what a remittance says of it. It reports false, and
// changes nothing, when the claim does not take it.
func put(c *billing.Claim, r *billing.ERAClaim, era billing.ERAID, cause billing.ClaimCause) (billing.Event, bool) {
	if r.Estimates() {
		return c.Returned(r.Estimate(era), cause)
	}
	return c.Pay(r.Payment(era), cause)
}

// locked gives the claims that the rows are matched to.
func (w *worker) locked(ctx context.Context, tx ports.Tx, rows []*billing.ERAClaim) (map[billing.ClaimID]*billing.Claim, error) {
	found, err := matching(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	claims := make(map[billing.ClaimID]*billing.Claim, len(found))
	for _, c := range found {
		claims[c.ID] = c
	}
	for _, r := range rows {
		if claims[r.ClaimID] != nil {
			continue
		}
		// An earlier piece has changed the payer's number by which it matched.
		c, err := tx.Claims.Lock(ctx, r.ClaimID)
		if err != nil {
			return nil, err
		}
		claims[c.ID] = c
	}
	return claims, nil
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
	w.waited(e.ID)
	return tx.ERAs.Save(ctx, e)
}

// show makes a remittance visible, with its event; one that was seen before,
// and is read once more, has had it.
func (w *worker) show(ctx context.Context, tx ports.Tx, e *billing.ERA, claims, matched int) error {
	if !e.Read(claims, matched, w.clock.Now()) {
		return nil
	}
	return tx.Events.Append(ctx, e.ReceivedEvent())
}

// Retry takes a remittance up once more that is done, or was given up, with
// claims that are not applied although they could be. Claims that matched none
// of ours are not matched again. It reports false when nothing is left to do.
func (s *Service) Retry(ctx context.Context, scope billing.Scope, id billing.ERAID) (again bool, err error) {
	j := jobs.Job{ID: billing.NewID[billing.JobID](s.clock.Now()), Kind: jobs.KindERA, Scope: scope, Subject: id}
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
		return tx.Outbox.Stage(ctx, j)
	})
	return again, err
}

const (
	// patience is how long a worker waits until a batch is noted as sent. The
	// batch's own job does that within seconds, unless the network is away.
	patience = 10 * time.Minute
	// pause is how long a job rests that waits for a batch, or for another job.
	pause = time.Second
	// heldUp is how long a job rests when the work fails on an earlier
	// remittance.
	heldUp = 10 * time.Second
)

func later(now time.Time) error { return &billing.LaterError{Until: now.Add(pause)} }

// waits reports whether what is said of the claim has to wait: it is in a batch
// that is not sent yet, as far as is known, so that either its sender died
// before it noted that, or an earlier file with it is answered.
func (w *worker) waits(era billing.ERAID, c *billing.Claim, r *billing.ERAClaim, now time.Time) bool {
	if c.State != billing.ClaimQueued || c.BatchID.IsZero() || c.Frequency == billing.FrequencyVoid ||
		r.Estimates() != (c.Kind == billing.KindPredetermination) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	since, ok := w.Service.waits[era]
	if !ok {
		since = now
		w.Service.waits[era] = now
	}
	return now.Sub(since) < patience
}

// waited forgets since when a remittance waits.
func (w *worker) waited(era billing.ERAID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.Service.waits, era)
}
