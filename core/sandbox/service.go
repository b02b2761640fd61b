// Package sandbox reads, sets and advances the clock of an organization in test mode, and
// resets test mode. A job drives an advance, and a reset, so that it goes on in another
// process when one dies.
package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of the sandbox.
type Service struct {
	store  ports.Store
	queue  ports.Queue
	blobs  ports.Blobs
	houses Clearinghouses
	log    *slog.Logger
}

// Clearinghouses is what package batches does with the sandbox's clearinghouses.
type Clearinghouses struct {
	Names  func(billing.Scope) []string
	Leaves func(scope billing.Scope, payer billing.PayerID, queued time.Time) (network string, at time.Time)
	Settle func(ctx context.Context, scope billing.Scope, payers []billing.PayerID) error
}

// New creates the use cases.
func New(store ports.Store, queue ports.Queue, blobs ports.Blobs, houses Clearinghouses, log *slog.Logger) *Service {
	return &Service{store, queue, blobs, houses, log}
}

// Clock reads the clock, and what waits for it.
func (s *Service) Clock(ctx context.Context, scope billing.Scope) (status *sandbox.Status, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.SandboxClock.Get(ctx)
		if err != nil {
			return err
		}
		status, err = s.status(ctx, tx, scope, c)
		return err
	})
	return status, err
}

// Time reads the clock alone, and the real time. In live mode the clock is zero.
func (s *Service) Time(ctx context.Context, scope billing.Scope) (c *sandbox.Clock, wall time.Time, err error) {
	if scope.Mode != billing.ModeTest {
		return &sandbox.Clock{}, time.Time{}, nil
	}
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		wall = tx.Real.Now().Time
		c, err = tx.SandboxClock.Get(ctx)
		return err
	})
	return c, wall, err
}

// Set lets the clock run on, or stops it.
//
// Errors: those of the idempotency key, CodeInvalidRequest, and CodeClockAdvancing.
func (s *Service) Set(ctx context.Context, call idempotency.Write[*sandbox.Status], running bool) (caller.Reply, error) {
	return s.change(ctx, call, func(_ context.Context, tx ports.Tx, c *sandbox.Clock) error {
		return c.Set(running, tx.Real.Now().Time)
	})
}

// Stop ends an advance where the clock is. Without one it changes nothing.
func (s *Service) Stop(ctx context.Context, call idempotency.Write[*sandbox.Status]) (caller.Reply, error) {
	return s.change(ctx, call, func(ctx context.Context, tx ports.Tx, c *sandbox.Clock) error {
		return s.end(ctx, tx, call.Scope, c)
	})
}

func (s *Service) change(
	ctx context.Context, call idempotency.Write[*sandbox.Status], change func(context.Context, ports.Tx, *sandbox.Clock) error,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*sandbox.Status, error) {
		c, err := tx.SandboxClock.Lock(ctx)
		if err != nil {
			return nil, err
		}
		if err := change(ctx, tx, c); err != nil {
			return nil, err
		}
		if err := tx.SandboxClock.Put(ctx, c); err != nil {
			return nil, err
		}
		return s.status(ctx, tx, call.Scope, c)
	})
}

// Advance begins an advance, and waits for its end for a while. The reply shows the clock,
// which still advances if the wait was too short.
//
// Errors: those of the idempotency key, CodeInvalidRequest, and CodeClockAdvancing.
func (s *Service) Advance(ctx context.Context, call idempotency.Write[*sandbox.Status], in intake.AdvanceRequest) (caller.Reply, error) {
	waiting, cancel := context.WithTimeout(ctx, billing.AdvanceWait)
	defer cancel()
	box := s.queue.Await(call.Scope.Org)
	defer box.Close()
	var job jobs.Job
	reply, err := s.begin(ctx, call, in, box.Address, &job)
	if err != nil || job.ID.IsZero() {
		return reply, err
	}
	err = jobs.Wait(waiting, box.C, func(ctx context.Context) bool {
		over := false
		err := s.store.View(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
			c, err := tx.SandboxClock.Get(ctx)
			over = err == nil && (c.Advance == nil || c.Advance.Job != job.ID)
			return err
		})
		return err == nil && over // a failed read proves nothing
	})
	if err != nil && ctx.Err() != nil {
		return reply, err
	}
	var discarded jobs.Job
	reply, err = s.begin(ctx, call, in, "", &discarded) // by now the key has a reply, or its work goes on
	reply.Replayed = false
	return reply, err
}

// begin returns the reply to an earlier request with the key. If there is none, it begins
// the advance, and returns the job that drives it, or the reply if there is nothing to do.
func (s *Service) begin(
	ctx context.Context, call idempotency.Write[*sandbox.Status], in intake.AdvanceRequest, replyTo string, job *jobs.Job,
) (reply caller.Reply, err error) {
	err = s.store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		*job = jobs.Job{}
		kept, work, err := idempotency.Reserve(ctx, tx, call.Request)
		if err != nil {
			return err
		}
		if kept != nil {
			reply = *kept
			return nil
		}
		request, faults := in.Advance()
		if err := errors.Join(call.Request.Faults.Err(), faults.Err()); err != nil {
			return err
		}
		c, err := tx.SandboxClock.Lock(ctx)
		if err != nil {
			return err
		}
		w, err := s.work(ctx, tx, call.Scope, true)
		if err != nil {
			return err
		}
		if !work.IsZero() {
			reply = call.Render(status(c, &w, tx), nil)
			return nil
		}
		now := tx.Real.Now()
		j := jobs.Job{
			ID: billing.NewID[billing.JobID](now), Kind: jobs.KindAdvance, Scope: call.Scope, Subject: call.Scope.Org, ReplyTo: replyTo,
		}
		begun, err := c.Begin(request, j.ID, call.Request.Key, w.Idle(request.Until), now.Time)
		if err != nil {
			return err
		}
		if !begun {
			reply, err = call.Keep(ctx, tx, status(c, &w, tx), nil)
			return err
		}
		*job = j
		if err := tx.SandboxClock.Put(ctx, c); err != nil {
			return err
		}
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		return tx.Keys.Record(ctx, call.Request.Waiting(j.ID, now.Time))
	})
	return reply, err
}

// end ends an advance where the clock is, with the reply to the request that began it. The
// job that drives it finds that it is over.
func (s *Service) end(ctx context.Context, tx ports.Tx, scope billing.Scope, c *sandbox.Clock) error {
	a := c.Advance
	if a == nil {
		return nil
	}
	c.Stop(tx.Real.Now().Time)
	status, err := s.status(ctx, tx, scope, c)
	if err != nil {
		return err
	}
	if err := tx.Keys.Answer(ctx, a.Key, a.Job, caller.Reply{Status: okay, Body: append(status.Data(), '\n')}); err != nil {
		return err
	}
	return tx.Outbox.Done(ctx, a.Job)
}

// okay is the status of the reply to a request whose advance has ended.
const okay = 200

// status returns the clock with what waits for it.
func (s *Service) status(ctx context.Context, tx ports.Tx, scope billing.Scope, c *sandbox.Clock) (*sandbox.Status, error) {
	w, err := s.work(ctx, tx, scope, true)
	if err != nil {
		return nil, err
	}
	return status(c, &w, tx), nil
}

func status(c *sandbox.Clock, w *sandbox.Work, tx ports.Tx) *sandbox.Status {
	now := tx.Real.Now().Time
	if c.Reset != nil { // all that waits is being removed
		return &sandbox.Status{Clock: *c, Real: now}
	}
	return &sandbox.Status{Clock: *c, Real: now, Next: w.Next(), Pending: w.Pending(), Blocked: c.BlockedBy(w, now)}
}

// work returns the work of the organization. It leaves out claims that no network of the
// sandbox carries.
func (s *Service) work(ctx context.Context, tx ports.Tx, scope billing.Scope, counted bool) (w sandbox.Work, err error) {
	all, err := tx.SandboxClock.Work(ctx, s.houses.Names(scope), counted)
	w = all
	w.Waiting = nil
	for _, d := range all.Waiting {
		if d.Kind == sandbox.DueBatch {
			if d.Network, d.At = s.houses.Leaves(scope, d.Payer, d.At); d.Network == "" {
				continue
			}
		}
		w.Waiting = append(w.Waiting, d)
	}
	return w, err
}
