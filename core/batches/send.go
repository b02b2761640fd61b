package batches

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Send hands a batch to the clearinghouse, and marks the batch and its claims
// as sent in one commit. It may run any number of times. While the network does
// not accept the file the job rests and runs again, without limit; the
// *jobs.DoneError states the reason.
func (s *Service) Send(ctx context.Context, j jobs.Job) error {
	id := billing.FileID(j.Subject)
	var b *billing.Batch
	var content []byte
	err := s.store.View(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) (err error) {
		if b, err = tx.Batches.Get(ctx, id); err == nil && b.State == billing.BatchPending {
			content, err = tx.Batches.Content(ctx, id)
		}
		return err
	})
	if err != nil {
		return err
	}
	if content != nil {
		if err := s.hand(ctx, b, content); err != nil {
			return s.rest(ctx, j, err)
		}
	}
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		if err := sent(ctx, tx, id, tx.Clock.Now()); err != nil {
			return err
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
}

// hand hands a batch to its network.
func (s *Service) hand(ctx context.Context, b *billing.Batch, content []byte) error {
	n, err := s.network(b.Network)
	if err != nil {
		return err
	}
	return n.Claims.Send(ctx, b.Scope, b.File.Name, content)
}

// rest postpones the job and returns a *jobs.DoneError with the cause.
func (s *Service) rest(ctx context.Context, j jobs.Job, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Clock.Now().Add(billing.BatchRetry))
	})
	if err != nil {
		return err
	}
	return &jobs.DoneError{Cause: fmt.Errorf("send batch %s, again in %s: %w", billing.FileID(j.Subject), billing.BatchRetry, cause)}
}

// FailSend postpones a job that cannot be done. The claims stay in the batch,
// and the job runs again until it succeeds.
func (s *Service) FailSend(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Clock.Now().Add(billing.BatchFailedRetry))
	})
}

// sent marks a batch and its claims as sent, unless they are. A file that comes
// back for the batch also proves that it was sent. The process that sent it may
// have died before its commit.
func sent(ctx context.Context, tx ports.Tx, id billing.FileID, now time.Time) error {
	b, err := tx.Batches.Lock(ctx, id)
	if err != nil || !b.Sent(now) {
		return err
	}
	claims, err := tx.Clearing.OfBatch(ctx, id)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if e, moved := c.Sent(b, now); moved {
			if err := keep(ctx, tx, c, e); err != nil {
				return err
			}
		}
	}
	if err := matchAgain(ctx, tx, b.Scope, claims); err != nil {
		return err
	}
	return tx.Batches.Save(ctx, b)
}

// matchAgain queues remittances that came before their claims to be matched again.
func matchAgain(ctx context.Context, tx ports.Tx, scope billing.Scope, claims []*billing.Claim) error {
	numbers := make([]string, len(claims))
	for i, c := range claims {
		numbers[i] = c.PatientControlNumber
	}
	waiting, err := tx.ERAClaims.Unmatched(ctx, numbers, nil)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		if err := tx.Outbox.Stage(ctx, jobs.ForERA(scope, id, tx.Clock.Now())); err != nil {
			return err
		}
	}
	return nil
}

// keep stores a changed claim, with its event.
func keep(ctx context.Context, tx ports.Tx, c *billing.Claim, e billing.Event) error {
	if err := tx.Claims.Save(ctx, c); err != nil {
		return err
	}
	return tx.Events.Append(ctx, e)
}
