package batches

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// ApplyReceived applies the received file of a job, after those of its connection that
// came before, and then those that came since. One process at a time applies the files of
// a connection. It may run any number of times: what a file says is stored once. A file on
// which the work fails is left to its own job. One that is not whole waits for a later
// version, and then goes to the quarantine.
func (s *Service) ApplyReceived(ctx context.Context, j jobs.Job) (all Received, err error) {
	w := &applying{Service: s, job: j, own: billing.FileID(j.Subject), all: &all}
	f, err := w.open(ctx)
	switch {
	case err != nil || f == nil:
		return all, err
	case f.Waits():
		return all, w.settle(ctx, f)
	}
	w.network = f.Network
	had, err := s.inTurn(ctx, "apply "+f.Network, w.run)
	if err == nil && !had {
		err = w.postpone(ctx)
	}
	return all, err
}

// applying is the work on a job.
type applying struct {
	*Service

	job     jobs.Job
	own     billing.FileID // the file of the job
	over    bool           // the job is done; the rest is work of others' jobs
	network string
	all     *Received
}

// open reads the file of the job. It ends the job, and returns nil, when there is nothing
// to do, and lets it rest while a file that is not whole rests.
func (w *applying) open(ctx context.Context) (f *clearing.ReceivedFile, err error) {
	err = w.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		f, err = tx.Received.Lock(ctx, w.own)
		if err != nil && !billing.IsNotFound(err) {
			return err
		}
		if f != nil && f.Waits() {
			until, rested := f.Rested(tx.Real.Now().Time)
			if rested {
				return nil
			}
			f = nil
			return tx.Outbox.Postpone(ctx, w.job.ID, until)
		}
		if f != nil && f.State == clearing.FileReceived {
			return nil
		}
		f = nil
		return tx.Outbox.Done(ctx, w.job.ID)
	})
	return f, err
}

func (w *applying) postpone(ctx context.Context) error {
	return w.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Outbox.Postpone(ctx, w.job.ID, tx.Real.Now().Add(billing.FilesHeldUp))
	})
}

// run applies the files that wait. Once its own job is done, it drops errors: the other
// files' jobs report them.
func (w *applying) run(ctx context.Context, _ billing.JobID) error {
	for {
		f, err := w.begin(ctx)
		if err == nil && f == nil {
			return nil
		}
		if err == nil && f.State == clearing.FileReceived {
			err = w.apply(ctx, f)
		}
		switch {
		case err == nil:
		case w.over:
			return nil
		case f == nil || f.ID == w.own || ctx.Err() != nil:
			return err
		default:
			return w.postpone(ctx)
		}
	}
}

// begin counts a try to apply the next file, before it is applied. It returns nil when
// none is left for this job, and a file that it has just set aside.
func (w *applying) begin(ctx context.Context) (f *clearing.ReceivedFile, err error) {
	err = w.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		now := tx.Real.Now().Time
		f, err = tx.Received.Next(ctx, w.network)
		switch {
		case billing.IsNotFound(err) && w.over:
			return nil
		case billing.IsNotFound(err):
			return tx.Outbox.Done(ctx, w.job.ID)
		case err != nil:
			return err
		case f.ID != w.own && !f.New():
			if f = nil; w.over {
				return nil
			}
			return tx.Outbox.Postpone(ctx, w.job.ID, now.Add(billing.FilesHeldUp))
		}
		f.Apply(now)
		return tx.Received.Put(ctx, f)
	})
	if err == nil && f != nil {
		w.all.problem(f)
	}
	return f, err
}

// apply applies a file.
func (w *applying) apply(ctx context.Context, f *clearing.ReceivedFile) error {
	content, err := w.content(ctx, f)
	if err != nil {
		return err
	}
	if why := w.edi.Whole(content); why != nil {
		return w.end(ctx, f, func(f *clearing.ReceivedFile, now time.Time) { f.Partial(why, now) })
	}
	if err := w.read(ctx, f, content); err != nil {
		return err
	}
	return w.end(ctx, f, (*clearing.ReceivedFile).Applied)
}

// read applies what a file says.
func (w *applying) read(ctx context.Context, f *clearing.ReceivedFile, content []byte) error {
	n, err := w.networkOf(ctx, f)
	if err != nil {
		return err
	}
	err = w.take(ctx, n, f.Incoming(content), w.all)
	if err == nil {
		w.all.Files++
	}
	return err
}

func (w *applying) content(ctx context.Context, f *clearing.ReceivedFile) (content []byte, err error) {
	err = w.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		content, err = tx.Contents.Read(ctx, f)
		return err
	})
	return content, err
}

// end stores what became of a file, and ends its job if it is this one. The job of a file
// that is not whole goes on once that has rested.
func (w *applying) end(ctx context.Context, f *clearing.ReceivedFile, become func(f *clearing.ReceivedFile, now time.Time)) error {
	err := w.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		if f, err = tx.Received.Lock(ctx, f.ID); err != nil {
			return err
		}
		now := tx.Real.Now().Time
		become(f, now)
		if err := tx.Received.Put(ctx, f); err != nil || f.ID != w.own {
			return err
		}
		if f.Waits() {
			until, _ := f.Rested(now)
			return tx.Outbox.Postpone(ctx, w.job.ID, until)
		}
		return tx.Outbox.Done(ctx, w.job.ID)
	})
	if err != nil {
		return err
	}
	w.over = w.over || f.ID == w.own
	w.all.problem(f)
	return nil
}

// settle takes a file that rests and will not be whole any more: what can be read of it is
// applied, and the rest goes to the quarantine. The clearinghouse's copy stays. Nothing of
// a file that changed while it was read is applied.
func (w *applying) settle(ctx context.Context, f *clearing.ReceivedFile) error {
	content, err := w.content(ctx, f)
	if err != nil {
		return err
	}
	if f.State == clearing.FileChanged {
		err = w.quarantine(ctx, f.Scope.Mode, f.Incoming(content), quarantine.Unreadable, f.Reason, w.all)
	} else {
		err = w.read(ctx, f, content)
	}
	if err != nil {
		return err
	}
	return w.end(ctx, f, (*clearing.ReceivedFile).NotWhole)
}

// networkOf returns the network of a file as its connection describes it, even if that is
// not open now.
func (s *Service) networkOf(ctx context.Context, f *clearing.ReceivedFile) (*ports.Network, error) {
	if n, err := s.network(f.Network); err == nil {
		return n, nil
	}
	n := &ports.Network{Name: f.Network, Route: network.Route{Mode: f.Scope.Mode, Org: f.Scope.Org}}
	return n, s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		all, err := tx.Connections.List(ctx)
		for _, c := range all {
			if c.Network() == f.Network {
				n.Route, n.Options = c.Route(), c.Settings.Options
			}
		}
		return err
	})
}

// ReceivedRetention is how long a copy of a received file is kept.
const ReceivedRetention = 90 * 24 * time.Hour

// ForgetReceived removes copies of received files that are older than ReceivedRetention, a
// limited number a call, and returns how many.
func (s *Service) ForgetReceived(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Contents.Expire(ctx, tx.Real.Now().Add(-ReceivedRetention))
	})
}

// FailReceived gives up the file of a job that cannot be done: it is set aside. One that
// was never tried, because those before it failed, runs again.
func (s *Service) FailReceived(ctx context.Context, j jobs.Job) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		f, err := tx.Received.Lock(ctx, billing.FileID(j.Subject))
		if billing.IsNotFound(err) {
			return tx.Outbox.Done(ctx, j.ID)
		}
		now := tx.Real.Now().Time
		if err != nil || !f.SetAside(now) {
			return errors.Join(err, tx.Outbox.Postpone(ctx, j.ID, now.Add(billing.FilesHeldUp)))
		}
		if err := tx.Received.Put(ctx, f); err != nil {
			return err
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
}
