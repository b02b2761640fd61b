package batches

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Send hands a batch to the clearinghouse, and marks the batch and its claims
// as sent in one commit. It may run any number of times. While the network does
// not accept the file the job rests and runs again, without limit; the
// *jobs.DoneError states the reason. When nothing shows whether the network has
// the file, the batch waits for an acknowledgement or for the operator. A live batch also
// rests while a restore is not resumed, with a *jobs.DoneError. One that was replayed then counts as sent, and
// Send ends what its mark began: the file may not have left.
func (s *Service) Send(ctx context.Context, j jobs.Job) error {
	id := billing.FileID(j.Subject)
	var b *clearing.Batch
	var content []byte
	var now time.Time
	var held bool
	err := s.store.View(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) (err error) {
		now = tx.Clock.Now()
		if b, err = tx.Batches.Get(ctx, id); err != nil || b.State != clearing.BatchPending && (b.State != clearing.BatchSent || b.SendToken == "") {
			return err
		}
		if j.Scope.Mode == billing.ModeLive {
			if held, err = tx.LiveFiles.Held(ctx); err != nil || held {
				return err
			}
		}
		content, err = tx.Batches.Content(ctx, id)
		return err
	})
	if err != nil {
		return err
	}
	if held {
		return s.await(ctx, j)
	}
	if !b.UnknownSince.IsZero() {
		return s.done(ctx, j)
	}
	if content != nil {
		err = s.hand(ctx, b, content, now)
	}
	if errors.Is(err, network.ErrOutcomeUnknown) && b.State == clearing.BatchSent {
		err = nil
	}
	if errors.Is(err, network.ErrOutcomeUnknown) {
		return s.hold(ctx, j, b.File.Name, err)
	}
	if err != nil {
		return s.rest(ctx, j, err)
	}
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		if err := sent(ctx, tx, id, tx.Clock.Now()); err != nil {
			return err
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
}

// errRestoring is what a live batch rests for until a restore is resumed. Each process logs it once, when it sees the restore.
var errRestoring = errors.New("the batch waits for molar restore resume")

// await postpones the job of a live batch until a restore is resumed. It returns a *jobs.DoneError.
func (s *Service) await(ctx context.Context, j jobs.Job) error {
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.BatchRetry))
	})
	if err != nil {
		return err
	}
	return &jobs.DoneError{Cause: &network.ObservedError{Err: errRestoring}}
}

// hand hands a batch to its network. A copy of a live file is stored between the mark and
// the step that may deliver it: a mark that is stored says that a copy may be, and a copy
// says that the mark is. A process may have ended in between.
func (s *Service) hand(ctx context.Context, b *clearing.Batch, content []byte, now time.Time) error {
	n, err := s.network(b.Network)
	if err != nil {
		return err
	}
	f := clearing.OutgoingFile{Scope: b.Scope, Name: b.File.Name, Content: content, At: now, Token: b.SendToken}
	stored := f.Token
	if live(n) && stored != "" && b.State == clearing.BatchPending {
		if err := s.mark(ctx, n, b, content, stored, stored); err != nil {
			return err
		}
	}
	return n.Claims.Send(ctx, f, func(ctx context.Context, token string) error {
		err := s.mark(ctx, n, b, content, stored, token)
		if err == nil {
			stored = token
		}
		return err
	})
}

// errOvertaken is the error for a sender when another one has sent the batch, or is
// about to.
var errOvertaken = errors.New("another worker sends the batch")

// mark replaces the token of the step that may deliver the batch, and keeps a copy of a live
// file. Without the copy it takes a new token back.
func (s *Service) mark(ctx context.Context, n *ports.Network, read *clearing.Batch, content []byte, stored, token string) error {
	var leaves *restore.SentFile
	err := s.store.InTx(ctx, read.Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err := tx.Batches.Lock(ctx, read.ID)
		if err != nil {
			return err
		}
		if !b.Delivering(stored, token) {
			return errOvertaken
		}
		if live(n) && token != "" {
			if leaves, err = leaving(ctx, tx, b, content); err != nil {
				return err
			}
		}
		return tx.Batches.Save(ctx, b)
	})
	if err != nil || leaves == nil {
		return err
	}
	if err = s.keepCopy(ctx, leaves.Name(), leaves); err != nil && token != stored {
		err = errors.Join(err, s.mark(context.WithoutCancel(ctx), n, read, content, token, ""))
	}
	return err
}

// leaving returns the copy of a live file that is about to leave.
func leaving(ctx context.Context, tx ports.Tx, b *clearing.Batch, content []byte) (f *restore.SentFile, err error) {
	f = &restore.SentFile{At: tx.Real.Now().Time, Batch: *b, Content: content}
	if f.Claims, err = tx.Clearing.OfBatch(ctx, b.ID); err != nil {
		return nil, err
	}
	f.Numbers, err = tx.LiveFiles.Next(ctx) // last, because other files wait for it
	return f, err
}

// done removes a job that has nothing left to do.
func (s *Service) done(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
}

// hold records that the outcome of a batch is unknown, and ends its job. It returns a
// *jobs.DoneError with the cause.
func (s *Service) hold(ctx context.Context, j jobs.Job, name string, cause error) error {
	id, held := billing.FileID(j.Subject), false
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err := tx.Batches.Lock(ctx, id)
		if err != nil {
			return err
		}
		if held = b.Unknown(tx.Clock.Now()); held {
			if err := tx.Batches.Save(ctx, b); err != nil {
				return err
			}
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
	if err != nil || !held {
		return err
	}
	return &jobs.DoneError{Cause: fmt.Errorf("send batch %s: %w\n"+
		"It is not sent again. Wait for its acknowledgement; or ask the clearinghouse for %s, then run molar batches sent %s or molar batches resend %s",
		id, cause, name, id, id)}
}

// rest postpones the job and returns a *jobs.DoneError with the cause.
func (s *Service) rest(ctx context.Context, j jobs.Job, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := s.postpone(ctx, j, network.ReasonOf(cause), billing.BatchRetry); err != nil {
		return err
	}
	return &jobs.DoneError{Cause: fmt.Errorf("send batch %s, again in %s: %w", billing.FileID(j.Subject), billing.BatchRetry, cause)}
}

// FailSend postpones a job that cannot be done. The claims stay in the batch,
// and the job runs again until it succeeds.
func (s *Service) FailSend(ctx context.Context, j jobs.Job) error {
	return s.postpone(ctx, j, "", billing.BatchFailedRetry)
}

// postpone lets the job of a batch rest that was not sent for a reason.
func (s *Service) postpone(ctx context.Context, j jobs.Job, why network.Reason, rest time.Duration) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err := tx.Batches.Lock(ctx, billing.FileID(j.Subject))
		if err != nil {
			return err
		}
		now := tx.Clock.Now()
		if b.Delay(why.Passes(), now) {
			if err := tx.Batches.Save(ctx, b); err != nil {
				return err
			}
		}
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(rest))
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
func matchAgain(ctx context.Context, tx ports.Tx, scope billing.Scope, claims []*claim.Claim) error {
	var numbers []string
	for _, c := range claims {
		numbers = append(numbers, c.Numbers()...)
	}
	waiting, err := tx.RemittanceClaims.Unmatched(ctx, numbers, nil)
	if err != nil {
		return err
	}
	for _, id := range waiting {
		if err := tx.Outbox.Stage(ctx, jobs.ForERA(scope, id)); err != nil {
			return err
		}
	}
	return nil
}

// keep stores a changed claim, with its event. A claim that has come back takes over what
// the payers before have decided meanwhile.
func keep(ctx context.Context, tx ports.Tx, c *claim.Claim, e event.Event) error {
	events := []event.Event{e}
	if c.Outdated() {
		earlier, err := earlierLedgers(ctx, tx, c)
		if err != nil {
			return err
		}
		events = append(events, c.Renew(earlier, claim.Cause{At: c.UpdatedAt})...)
	}
	if err := tx.Claims.Save(ctx, c); err != nil {
		return err
	}
	for _, e := range events {
		if err := tx.Events.Append(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// earlierLedgers reads the ledgers of the claims to the payers before for the same services.
func earlierLedgers(ctx context.Context, tx ports.Tx, c *claim.Claim) (all []*claim.Ledger, err error) {
	for id := c.SecondaryTo; !id.IsZero(); {
		before, err := tx.Claims.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		entries, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{id})
		if err != nil {
			return nil, err
		}
		all, id = append(all, before.Claim.Ledger(entries[id])), before.SecondaryTo
	}
	return all, nil
}
