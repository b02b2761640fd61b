package batches

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// inTurn runs work unless another process has its turn, and reports whether it did. It
// renews the lease meanwhile. The context of work ends when another process has taken
// the turn: this one must have paused for longer than the lease.
func (s *Service) inTurn(ctx context.Context, name string, work func(ctx context.Context, holder billing.JobID) error) (had bool, err error) {
	holder := billing.NewID[billing.JobID](billing.RealAt(time.Now()))
	if had, err = s.takeTurn(ctx, name, holder); err != nil || !had {
		return had, err
	}
	working, lost := context.WithCancel(ctx)
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		for s.renewTurn(working, name, holder) {
		}
		lost()
	}()
	defer func() {
		lost()
		<-renewed
		// A turn that cannot be left ends with its lease.
		_ = s.store.System(context.WithoutCancel(ctx), func(ctx context.Context, tx ports.SystemTx) error {
			return tx.Turns.Leave(ctx, name, holder)
		})
	}()
	return true, work(working, holder)
}

func (s *Service) takeTurn(ctx context.Context, name string, holder billing.JobID) (had bool, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		others, err := tx.Turns.Take(ctx, name, holder, billing.FilesLease)
		had = others == 0
		return err
	})
	return had, err
}

// renewTurn waits, and renews the lease. It returns false when the work has ended, or
// another process has the turn. A renewal that has begun ends by itself: to cancel it
// would cost the connection.
func (s *Service) renewTurn(ctx context.Context, name string, holder billing.JobID) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(billing.FilesLease / 3):
	}
	had, err := s.takeTurn(context.WithoutCancel(ctx), name, holder)
	return had || err != nil
}

// AwaitDuty waits until this process has the duty to receive the files of the network. Each
// fetch from a connection has a turn instead, because they are far apart.
func (s *Service) AwaitDuty(ctx context.Context, d *jobs.Duty, network string) error {
	for {
		if n, err := s.network(network); err != nil || n.Inbox != nil {
			return err
		}
		seen := s.store.Seen()
		d.See(seen.Turns)
		others, known := d.Known()
		if !known {
			if err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
				others, err = d.Take(ctx, tx.Turns.Take)
				return err
			}); err != nil {
				return err
			}
		}
		if others == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-seen.Next:
		case <-d.Ends():
		}
	}
}

// EndDuty lets another process take the duty at once.
func (s *Service) EndDuty(ctx context.Context, d *jobs.Duty) {
	if d.Mine() { // one that cannot be left ends with its lease
		_ = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.Turns.Leave(ctx, d.Name, d.Holder) })
	}
}
