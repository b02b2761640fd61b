package eligibility

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Feed asks for the next checks of a batch, as many as their lanes have room for, and rests until
// there may be more. A batch has one such job, until nothing is left to ask.
func (s *Service) Feed(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		b, err := tx.CheckBatches.Lock(ctx, billing.CheckBatchID(j.Subject))
		if billing.IsNotFound(err) || err == nil && b.Feed != j.ID { // a retry has begun another one
			return tx.Outbox.Done(ctx, j.ID)
		}
		if err != nil {
			return err
		}
		t := &turn{Service: s, tx: tx, batch: b, now: tx.Clock.Now()}
		if t.left, err = tx.CheckFeed.Outlook(ctx, b.ID, t.now); err != nil {
			return err
		}
		if t.left.Left == 0 {
			b.Feed = billing.JobID{}
			return errors.Join(tx.CheckBatches.Save(ctx, b), tx.Outbox.Done(ctx, j.ID))
		}
		if err := t.take(ctx); err != nil {
			return err
		}
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(t.rest()))
	})
}

// FailFeed lets a job that failed repeatedly rest. The items of its batch are still to be asked.
func (s *Service) FailFeed(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.JobMaxLease))
	})
}

// turn is one look of the job of a batch.
type turn struct {
	*Service
	tx    ports.Tx
	batch *coverage.Batch
	now   time.Time
	left  ports.Outlook
	taken int // items
}

// The rests of a batch between two looks: while items wait for room in their lanes, and while
// all wait for an answer or for their time, or few lanes had room. A clock of test mode that moves
// ends the rest.
const (
	feedBusyRest = 250 * time.Millisecond
	feedRest     = time.Second
	feedLongRest = 30 * time.Second
)

// rest returns how long the job rests.
func (t *turn) rest() time.Duration {
	switch until := t.left.Next.Sub(t.now); {
	case len(t.left.Lanes) > 4*t.taken: // a look costs more than what it finds
		return feedRest
	case len(t.left.Lanes) > 0, t.left.Over:
		return feedBusyRest
	case t.left.Next.IsZero(), until < feedRest:
		return feedRest
	default:
		return min(until, feedLongRest)
	}
}

// take asks for the next checks.
func (t *turn) take(ctx context.Context) error {
	limits := make([]int, len(t.left.Lanes))
	lanes := make([]coverage.Lane, len(limits))
	for i, l := range t.left.Lanes {
		lanes[i], limits[i] = t.lane(l)
	}
	room := []int{}
	if len(lanes) > 0 {
		var err error
		if room, err = t.tx.CheckFeed.Room(ctx, lanes, limits); err != nil {
			return err
		}
	}
	items, err := t.tx.CheckFeed.Due(ctx, t.batch.ID, t.now, t.left.Lanes, room, most)
	if err != nil {
		return err
	}
	var over []billing.CheckID
	t.taken = len(items)
	for _, i := range items {
		if i.Until.After(t.now) {
			err = t.ask(ctx, i)
		} else if i.Over(t.now) {
			over = append(over, i.CheckID)
			i.Complete(&coverage.Check{Outcome: coverage.OutcomePayerUnavailable}, false, t.now)
		}
		if err != nil {
			return err
		}
	}
	if err := t.giveUp(ctx, t.tx, over, t.now); err != nil {
		return err
	}
	return t.tx.CheckItems.Save(ctx, items)
}

// lane returns the lane of a payer as connections are now, and how many checks it has at once. A
// connection that is paused has none. Without any, items are taken so that they become invalid.
func (t *turn) lane(l coverage.Lane) (coverage.Lane, int) {
	via, err := t.networks.For(t.batch.Scope, l.Payer, network.Eligibility)
	switch {
	case errors.Is(err, network.ErrPaused):
		return l, 0
	case err != nil:
		return l, most
	}
	return coverage.Lane{Network: via.Name, Payer: l.Payer}, via.Options.ChecksAtOnce()
}

// ask asks the payer about an item: a new check, or again the check that it has.
func (t *turn) ask(ctx context.Context, i *coverage.BatchItem) error {
	stamp := t.tx.Real.Now()
	job := jobs.Job{ID: billing.NewID[billing.JobID](stamp), Kind: jobs.KindBatchEligibility, Scope: t.batch.Scope, Subject: i.CheckID}
	if !i.Renews() {
		i.Ask(i.CheckID, job.ID)
		return t.tx.Outbox.Stage(ctx, job)
	}
	in, err := intake.RequestOf(i)
	if err != nil {
		return err
	}
	c, err := t.prepare(ctx, t.tx, t.batch.Scope, in, i)
	switch faults, invalid := faultsOf(err); {
	case errors.Is(err, network.ErrPaused):
		return nil
	case invalid:
		i.Invalid(faults, t.now)
		return nil
	case err != nil:
		return err
	}
	i.Lane.Network = c.Network
	c.ID, c.BatchID, c.RequestID, c.OfPerson = billing.NewID[billing.CheckID](stamp), t.batch.ID, t.batch.RequestID, t.batch.OfPerson
	if !i.ParentID.IsZero() {
		c.ParentID = i.ParentID
	}
	if err := t.answerKnown(ctx, t.tx, c, i.Fresh); err != nil {
		return err
	}
	i.Ask(c.ID, job.ID)
	if err := t.tx.Checks.Insert(ctx, c); err != nil {
		return err
	}
	if c.State == coverage.CheckCompleted {
		b, err := c.Answer()
		if err != nil {
			return err
		}
		i.Complete(c, len(b.Differences) > 0, t.now)
		return t.tx.Events.Append(ctx, c.CompletedEvent())
	}
	job.Subject = c.ID
	return t.tx.Outbox.Stage(ctx, job)
}
