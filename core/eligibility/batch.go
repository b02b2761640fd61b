package eligibility

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// MakeBatch accepts a batch of checks. Items with faults, and those that nothing carries to their
// payers, are invalid and do not keep the others from being asked.
//
// Errors: those of the idempotency key, and CodeInvalidRequest with the faults of the batch, or
// those of its items if all are invalid.
func (s *Service) MakeBatch(ctx context.Context, call idempotency.Write[*coverage.Batch], in intake.CheckBatchRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*coverage.Batch, error) {
		now, stamp := tx.Clock.Now(), tx.Real.Now()
		b, items, faults := in.Batch(now)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		b.ID, b.Scope, b.RequestID, b.OfPerson = billing.NewID[billing.CheckBatchID](stamp), call.Scope, call.Request.ID, call.Request.OfPerson
		made := make([]*coverage.BatchItem, len(items))
		var first billing.Faults // of items
		for i, item := range items {
			made[i] = item.BatchItem
			item.ID, item.Scope, item.BatchID, item.CreatedAt = b.ItemAt(i), b.Scope, b.ID, now
			if err := s.admit(ctx, tx, b, item, now); err != nil {
				return nil, err
			}
			for _, f := range made[i].Faults {
				first.Add("items."+strconv.Itoa(i)+"."+f.Field, f.Code, f.Message)
			}
		}
		b.Counts = coverage.Count(made)
		if b.Counts.Pending == 0 {
			return nil, first.Err()
		}
		b.Feed = billing.NewID[billing.JobID](stamp)
		if err := tx.CheckBatches.Insert(ctx, b, made); err != nil {
			return nil, err
		}
		return b, tx.Outbox.Stage(ctx, jobs.Job{ID: b.Feed, Kind: jobs.KindCheckBatch, Scope: b.Scope, Subject: b.ID})
	})
}

// admit makes an item due, or invalid if its check has faults.
func (s *Service) admit(ctx context.Context, tx ports.Tx, b *coverage.Batch, item intake.AskedItem, now time.Time) error {
	c, err := s.prepare(ctx, tx, b.Scope, item.Check, item.BatchItem)
	switch faults, invalid := faultsOf(err); {
	case errors.Is(err, network.ErrPaused):
		if payer, ok := s.payers.Find(item.Check.PayerID); ok { // its lane is found once the connection is back
			item.Lane = coverage.Lane{Payer: payer.ID}
		}
	case invalid:
		item.Invalid(faults, now)
		return nil
	case err != nil:
		return err
	default:
		item.Lane = coverage.Lane{Network: c.Network, Payer: c.Payer.ID}
	}
	item.Begin(b, now)
	return nil
}

// faultsOf returns what is wrong with a request that an error refuses.
func faultsOf(err error) (billing.Faults, bool) {
	e, ok := errors.AsType[*billing.Error](err)
	switch {
	case !ok || billing.CodeOf(err) == billing.CodeInternal:
		return nil, false
	case len(e.Faults) > 0:
		return e.Faults, true
	default:
		return billing.Faults{{Field: "payer_id", Code: billing.FaultNotAllowed, Message: e.Message}}, true
	}
}

// Batch reads a batch. It returns CodeNotFound if there is none.
func (s *Service) Batch(ctx context.Context, scope billing.Scope, id billing.CheckBatchID) (*Batched, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*Batched, error) {
		b, err := tx.CheckBatches.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		return &Batched{b, tx.Clock.Now()}, nil
	})
}

// Batched is a batch as it was at a time.
type Batched struct {
	*coverage.Batch
	Now time.Time
}

// Batches reads a page of batches, newest first, and the start of the next page: nil after the
// last.
func (s *Service) Batches(ctx context.Context, scope billing.Scope, p billing.Page) ([]*Batched, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*Batched, error) {
		all, err := tx.CheckBatches.List(ctx, p)
		out := make([]*Batched, len(all))
		for i, b := range all {
			out[i] = &Batched{b, tx.Clock.Now()}
		}
		return out, err
	})
}

// Item is an item of a batch with its check, which is nil before the payer is first asked.
type Item struct {
	*coverage.BatchItem
	Check *coverage.Check
}

// Items reads a page of the items of a batch in the order of the request, and the start of the
// next page: nil after the last. It returns CodeNotFound if there is no such batch.
func (s *Service) Items(ctx context.Context, scope billing.Scope, f coverage.ItemFilter, p billing.Page) ([]*Item, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*Item, error) {
		if _, err := tx.CheckBatches.Get(ctx, f.BatchID); err != nil {
			return nil, err
		}
		found, err := tx.CheckItems.List(ctx, f, p)
		if err != nil {
			return nil, err
		}
		var asked []billing.CheckID
		for _, i := range found {
			if !i.CheckID.IsZero() {
				asked = append(asked, i.CheckID)
			}
		}
		checks, err := tx.Checks.Find(ctx, asked)
		out := make([]*Item, len(found))
		for i, item := range found {
			out[i] = &Item{item, checks[item.CheckID]}
		}
		return out, err
	})
}

// change locks a batch and some of its items, lets do change them, and stores them. Without names
// the items are all that are left to ask. It returns CodeNotFound if there is no such batch.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[*coverage.Batch], faults billing.Faults, id billing.CheckBatchID, names []string,
	do func(ctx context.Context, tx ports.Tx, b *coverage.Batch, items []*coverage.BatchItem, now time.Time) error,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*coverage.Batch, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		b, err := tx.CheckBatches.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		items, err := tx.CheckItems.Lock(ctx, id, names...)
		if err != nil {
			return nil, err
		}
		if err := do(ctx, tx, b, items, tx.Clock.Now()); err != nil {
			return nil, err
		}
		if err := errors.Join(tx.CheckItems.Save(ctx, items), tx.CheckBatches.Save(ctx, b)); err != nil {
			return nil, err
		}
		return tx.CheckBatches.Get(ctx, id)
	})
}

// CancelBatch asks for nothing more of a batch. Answers that are under way still count. A batch of which nothing
// is left to ask stays as it is.
func (s *Service) CancelBatch(ctx context.Context, call idempotency.Write[*coverage.Batch], id billing.CheckBatchID) (caller.Reply, error) {
	return s.change(ctx, call, nil, id, nil, func(ctx context.Context, tx ports.Tx, b *coverage.Batch, items []*coverage.BatchItem, now time.Time) error {
		if len(items) > 0 && b.CanceledAt.IsZero() {
			b.CanceledAt = now
		}
		return s.cancel(ctx, tx, items, now)
	})
}

// CancelItem asks for nothing more of an item. It returns CodeNotFound if the batch has no such
// item.
func (s *Service) CancelItem(ctx context.Context, call idempotency.Write[*coverage.Batch], id billing.CheckBatchID, name string) (caller.Reply, error) {
	return s.change(ctx, call, nil, id, []string{name}, func(ctx context.Context, tx ports.Tx, _ *coverage.Batch, items []*coverage.BatchItem, now time.Time) error {
		if len(items) == 0 {
			return billing.NotFound("item", "")
		}
		return s.cancel(ctx, tx, items, now)
	})
}

func (s *Service) cancel(ctx context.Context, tx ports.Tx, items []*coverage.BatchItem, now time.Time) error {
	var open []billing.CheckID
	for _, i := range items {
		if (i.Outcome == "" || !i.NextAt.IsZero()) && i.Cancel(now) {
			open = append(open, i.CheckID)
		}
	}
	return s.giveUp(ctx, tx, open, now)
}

// giveUp completes checks that no attempt was able to answer, with their events.
func (s *Service) giveUp(ctx context.Context, tx ports.Tx, open []billing.CheckID, now time.Time) error {
	if len(open) == 0 {
		return nil
	}
	checks, err := tx.Checks.Find(ctx, open)
	if err != nil {
		return err
	}
	var done []coverage.CheckCompletion
	for _, c := range checks {
		if err := c.Complete(coverage.Unanswered(coverage.OutcomePayerUnavailable, coverage.AboutPayer, c.Network, 0), coverage.Background{}, now); err != nil {
			return err
		}
		done = append(done, coverage.CheckCompletion{Check: c})
	}
	if err := tx.PendingChecks.Complete(ctx, done); err != nil {
		return err
	}
	for _, d := range done {
		if err := tx.Events.Append(ctx, d.Check.CompletedEvent()); err != nil {
			return err
		}
	}
	return nil
}

// Retry asks again for items of a batch that are completed, some of them with corrections.
//
// Errors: those of the idempotency key, CodeNotFound for a batch, and CodeInvalidRequest with
// every fault, also for an item that is not completed.
func (s *Service) Retry(
	ctx context.Context, call idempotency.Write[*coverage.Batch], id billing.CheckBatchID, in intake.CheckRetryRequest,
) (caller.Reply, error) {
	named, corrected, faults := in.Retry()
	names := make([]string, len(named))
	for n, i := range named {
		names[n] = i.ItemID
	}
	return s.change(ctx, call, faults, id, names, func(ctx context.Context, tx ports.Tx, b *coverage.Batch, items []*coverage.BatchItem, now time.Time) error {
		if !b.CanceledAt.IsZero() {
			return &billing.Error{Code: billing.CodeConflict, Message: "The batch was canceled. Send its items as a new batch."}
		}
		var faults billing.Faults
		known := map[string]*coverage.BatchItem{}
		for _, i := range items {
			known[i.ItemID] = i
		}
		for _, n := range named {
			switch i := known[n.ItemID]; {
			case i == nil:
				faults.Add(n.Field, billing.FaultNotFound, "The batch has no item "+strconv.Quote(n.ItemID)+".")
			case i.Outcome == "":
				faults.Add(n.Field, billing.FaultConflict, "The payer is still asked about the item "+strconv.Quote(n.ItemID)+". Wait until it is completed.")
			}
		}
		if err := faults.Err(); err != nil {
			return err
		}
		if !b.NotAfter.After(now) {
			b.NotAfter = now.Add(coverage.BatchPatience)
		}
		for _, i := range items {
			if err := s.again(ctx, tx, b, i, corrected[i.ItemID], now); err != nil {
				return err
			}
		}
		b.Feed = billing.NewID[billing.JobID](tx.Real.Now())
		return tx.Outbox.Stage(ctx, jobs.Job{ID: b.Feed, Kind: jobs.KindCheckBatch, Scope: b.Scope, Subject: b.ID})
	})
}

// again makes an item due once more, as it is or with corrections.
func (s *Service) again(ctx context.Context, tx ports.Tx, b *coverage.Batch, i *coverage.BatchItem, corrected intake.AskedItem, now time.Time) error {
	asked := intake.AskedItem{BatchItem: i}
	if corrected.BatchItem == nil {
		var err error
		if asked.Check, err = intake.RequestOf(i); err != nil {
			return err
		}
	} else {
		asked.Check, i.Request, i.PersonKey, i.PersonBorn = corrected.Check, corrected.Request, corrected.PersonKey, corrected.PersonBorn
		if !corrected.AppointmentAt.IsZero() {
			i.AppointmentAt = corrected.AppointmentAt
		}
		if corrected.AppointmentID != nil {
			i.AppointmentID = corrected.AppointmentID
		}
	}
	i.Again(b, now)
	return s.admit(ctx, tx, b, asked, now)
}

// keptMonths is how long a batch is kept. Its checks stay for longer.
const keptMonths = 12

// ForgetBatches removes old batches, a limited number a call, and returns how many.
func (s *Service) ForgetBatches(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.CheckBatches(ctx, tx.Real.Now().AddDate(0, -keptMonths, 0))
	})
}
