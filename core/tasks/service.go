// Package tasks lists what needs a person, and does what people do with the list. The store
// derives tasks from resources: see ports.Tasks.
package tasks

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of tasks.
type Service struct {
	store ports.Store
	asks  Asks
}

// Asks reports whether a payer can be asked where a claim is.
type Asks func(scope billing.Scope, payer billing.PayerID) bool

// New creates the use cases. Asks may be nil where no task is shown.
func New(store ports.Store, asks Asks) *Service { return &Service{store, asks} }

// Listed is a page of tasks, and the counts of all that are open.
type Listed struct {
	Tasks  []Shown
	Next   *billing.Position // nil after the last page
	Counts task.Counts
}

// List reads a page of tasks, those due first, then the largest amounts, and counts all that are
// open for a user; for the zero ID, none are the user's.
func (s *Service) List(ctx context.Context, scope billing.Scope, by billing.UserID, f task.Filter, p billing.Page) (Listed, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (out Listed, err error) {
		if out.Counts, err = tx.Tasks.Count(ctx, by); err != nil || out.Counts.None(f) {
			return out, err
		}
		found, err := s.found(ctx, tx, f, p)
		out.Tasks, out.Next = billing.Cut(found, p.Limit, Shown.Position)
		return out, err
	})
}

// Page reads a page of tasks, as List does, and counts none.
func (s *Service) Page(ctx context.Context, scope billing.Scope, f task.Filter, p billing.Page) ([]Shown, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]Shown, error) { return s.found(ctx, tx, f, p) })
}

// found reads the tasks of a page, and one more if there is one.
func (s *Service) found(ctx context.Context, tx ports.Tx, f task.Filter, p billing.Page) ([]Shown, error) {
	found, err := tx.Tasks.List(ctx, f, p)
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, tx, found...)
}

// Get reads a task. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.TaskID) (Shown, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (out Shown, err error) {
		t, err := tx.Tasks.Get(ctx, id)
		if err != nil {
			return out, err
		}
		return s.one(ctx, tx, t)
	})
}

// change does what a person does with a task.
func (s *Service) change(
	ctx context.Context, call idempotency.Write[Shown], id billing.TaskID, faults billing.Faults, act func(context.Context, ports.Tx, *task.Task) error,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (out Shown, err error) {
		t, err := tx.Tasks.Lock(ctx, id)
		if err != nil && !billing.IsNotFound(err) {
			return out, err
		}
		if err := cmp.Or(faults.Err(), err); err != nil {
			return out, err
		}
		if err := act(ctx, tx, t); err != nil {
			return out, err
		}
		if err := tx.Tasks.Save(ctx, t); err != nil {
			return out, err
		}
		return s.one(ctx, tx, t)
	})
}

// Snooze takes a task from the list until a day begins at its office, or until its resource
// changes. A task without an office is one of an office in the zone of those that name none.
//
// Errors: those of the idempotency key, CodeInvalidRequest for a day that is not to come,
// CodeNotFound, and CodeConflict for a task that is done.
func (s *Service) Snooze(ctx context.Context, call idempotency.Write[Shown], id billing.TaskID, in intake.SnoozeRequest) (caller.Reply, error) {
	day, faults := in.Day()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, t *task.Task) error {
		if day.IsZero() {
			return t.Snooze(time.Time{})
		}
		office, err := lists.Office(ctx, tx, t.OfficeID)
		if err != nil {
			return err
		}
		var f billing.Faults
		intake.ToCome(&f, "until", day, office.Today(tx.Clock.Now()), "to snooze the task until its resource changes")
		if err := f.Err(); err != nil {
			return err
		}
		return t.Snooze(office.Begins(day))
	})
}

// Wake brings a task back to the list: one that is snoozed, and one that a decision settled, which
// it takes back. Its errors are those of Snooze, with CodeConflict only for a task whose cause has
// ended.
func (s *Service) Wake(ctx context.Context, call idempotency.Write[Shown], id billing.TaskID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (out Shown, err error) {
		t, err := tx.Tasks.Get(ctx, id)
		if err := cmp.Or(call.Request.Faults.Err(), err); err != nil {
			return out, err
		}
		if t.EndedAt.IsZero() {
			t, err = tx.Tasks.Lock(ctx, id)
		} else {
			t, err = decide(ctx, tx, t, call.Principal, func(t *task.Task) (decision.Decision, error) { return t.TakeBack(call.Principal.ID, tx.Clock.Now()) })
		}
		if err != nil {
			return out, err
		}
		if err := t.Wake(); err != nil {
			return out, err
		}
		if err := tx.Tasks.Save(ctx, t); err != nil {
			return out, err
		}
		return s.one(ctx, tx, t)
	})
}

// Assign gives a task to a user of the organization, or to nobody.
//
// Errors: those of Snooze, and CodeNotFound for the user.
func (s *Service) Assign(ctx context.Context, call idempotency.Write[Shown], id billing.TaskID, in intake.AssigneeRequest) (caller.Reply, error) {
	to, faults := in.User()
	return s.change(ctx, call, id, faults, func(ctx context.Context, tx ports.Tx, t *task.Task) error {
		if !to.IsZero() {
			users, err := tx.Users.Lock(ctx)
			if err != nil {
				return err
			}
			if !works(users, to) {
				return billing.NotFound("user", "user_id")
			}
		}
		return t.Assign(to)
	})
}

// Settle records what a person decides about a task on its resource, so that the rule finds no
// work any more, until its amount changes.
//
// Errors: those of the idempotency key, CodeInvalidRequest for what the task does not allow,
// CodeNotFound, and CodeConflict for a task that is done.
func (s *Service) Settle(ctx context.Context, call idempotency.Write[Shown], id billing.TaskID, in intake.SettleRequest) (caller.Reply, error) {
	as, note, faults := in.Decision()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (out Shown, err error) {
		t, err := tx.Tasks.Get(ctx, id)
		if err := cmp.Or(faults.Err(), err); err != nil {
			return out, err
		}
		t, err = decide(ctx, tx, t, call.Principal, func(t *task.Task) (decision.Decision, error) {
			return t.Settle(as, note, call.Principal.ID, tx.Clock.Now())
		})
		if err != nil {
			return out, err
		}
		return s.one(ctx, tx, t)
	})
}

// decide keeps on the resource of a task what a person decides, and returns the task as the rules
// then have it.
func decide(ctx context.Context, tx ports.Tx, t *task.Task, by caller.Principal, as func(*task.Task) (decision.Decision, error)) (*task.Task, error) {
	keep, err := decides(ctx, tx, t, by)
	if err != nil {
		return nil, err
	}
	if t, err = tx.Tasks.Lock(ctx, t.ID); err != nil { // after its resource, as every write of one does
		return nil, err
	}
	d, err := as(t)
	if err != nil {
		return nil, err
	}
	if err := keep(d); err != nil {
		return nil, err
	}
	return tx.Tasks.Lock(ctx, t.ID)
}

// decides locks the resource of a task, and returns what keeps a decision on it.
func decides(ctx context.Context, tx ports.Tx, t *task.Task, by caller.Principal) (func(decision.Decision) error, error) {
	switch of := t.Resource; of.Kind { //nolint:exhaustive // the tasks of the others cannot be settled
	case task.OfClaim:
		c, err := tx.Claims.Lock(ctx, of.ID)
		return func(d decision.Decision) error {
			c.Decide(d, by)
			return tx.Claims.Save(ctx, c.Claim)
		}, err
	case task.OfPayerRequest:
		r, err := tx.PayerRequests.Lock(ctx, of.ID)
		return func(d decision.Decision) error {
			r.Decisions = r.Decisions.With(d)
			return tx.PayerRequests.Save(ctx, r)
		}, err
	case task.OfAttachment:
		a, err := tx.Attachments.Lock(ctx, of.ID)
		return func(d decision.Decision) error {
			a.Decisions = a.Decisions.With(d)
			return tx.Attachments.Save(ctx, a)
		}, err
	case task.OfRemittance:
		e, err := tx.ERAs.Lock(ctx, of.ID)
		return func(d decision.Decision) error {
			e.Decisions = e.Decisions.With(d)
			if err := tx.ERAs.Save(ctx, e); err != nil || !e.MoneyArrived() {
				return err
			}
			return tx.Outbox.Stage(ctx, jobs.ForPosting(e.Scope, e.ID)) // the rule that waited for its money goes on
		}, err
	case task.OfDeposit:
		dep, err := tx.Deposits.Lock(ctx, of.ID)
		return func(d decision.Decision) error {
			dep.Decide(d)
			return tx.Deposits.Save(ctx, dep)
		}, err
	case task.OfCheckItem:
		items, err := tx.CheckItems.Lock(ctx, t.Item.Batch, t.Item.Name)
		return func(d decision.Decision) error {
			for _, i := range items {
				i.Decide(d)
			}
			return tx.CheckItems.Save(ctx, items)
		}, err
	default:
		return func(decision.Decision) error { return nil }, nil
	}
}

// works reports whether the user may get tasks.
func works(users []*caller.User, id billing.UserID) bool {
	for _, u := range users {
		if u.ID == id {
			return u.State != caller.UserDisabled
		}
	}
	return false
}

// renewed is how many resources a step renews.
const renewed = 500

// Renew applies the rules to every resource of a scope, in steps that each are a transaction, and
// reports the sum of the steps after each. It can be repeated, also after it was killed.
func (s *Service) Renew(ctx context.Context, scope billing.Scope, progress func(task.Renewed)) (sum task.Renewed, err error) {
	var at task.Rebuild
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		was, err := tx.TaskRules.Of(ctx, scope)
		if err == nil {
			at = task.Rebuild{Scope: scope, Rules: task.Rules, Asked: was.Asked}
		}
		return err
	})
	if err != nil {
		return sum, err
	}
	for !at.Done {
		step, err := s.renew(ctx, &at)
		if err != nil {
			return sum, err
		}
		sum = task.Renewed{Last: at.Last, Resources: sum.Resources + step.Resources, Differed: sum.Differed + step.Differed}
		if !at.Done {
			progress(sum)
		}
	}
	return sum, s.rebuilt(ctx, at)
}

// Follow computes the tasks of a scope again, step by step, after a change of what claims follow. A change while it works
// begins anew.
func (s *Service) Follow(ctx context.Context, j jobs.Job) error {
	for {
		var at *task.Rebuild
		err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
			at, err = tx.TaskRules.Of(ctx, j.Scope)
			return err
		})
		if err != nil {
			return err
		}
		if at.Rules > task.Rules || at.Rules == task.Rules && at.Done { // the processes of a later release go on by themselves
			return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
		}
		if _, err := s.step(ctx, at); err != nil {
			return err
		}
	}
}

// FailFollow lets a job that failed repeatedly rest.
func (s *Service) FailFollow(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.JobMaxLease))
	})
}

// CatchUp takes a step toward tasks that the present rules computed, in a scope whose tasks an
// earlier release computed, or none. It returns how many resources had other tasks, and whether
// there is more to do.
func (s *Service) CatchUp(ctx context.Context) (differed int, more bool, err error) {
	var at *task.Rebuild
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		at, err = tx.TaskRules.Behind(ctx, task.Rules)
		return err
	})
	if err != nil || at == nil {
		return 0, false, err
	}
	differed, err = s.step(ctx, at)
	return differed, err == nil, err
}

// step takes the next step and stores the place. It returns how many resources had other tasks.
func (s *Service) step(ctx context.Context, at *task.Rebuild) (differed int, err error) {
	if at.Rules != task.Rules {
		*at = task.Rebuild{Scope: at.Scope, Rules: task.Rules, Asked: at.Asked}
	}
	step, err := s.renew(ctx, at)
	if err != nil {
		return 0, err
	}
	return step.Differed, s.rebuilt(ctx, *at)
}

// renew applies the rules to the next resources. Claims first follow their contracts.
func (s *Service) renew(ctx context.Context, at *task.Rebuild) (step task.Renewed, err error) {
	err = s.store.InTx(ctx, at.Scope, func(ctx context.Context, tx ports.Tx) error {
		followed := 0
		if at.Last.Kind == "" || at.Last.Kind == task.OfClaim {
			var err error
			if followed, err = followContracts(ctx, tx, at.Last.ID); err != nil {
				return err
			}
		}
		var err error
		step, err = tx.Tasks.Renew(ctx, at.Last, renewed)
		step.Differed += followed
		return err
	})
	if at.Done = step.Resources == 0; !at.Done {
		at.Last = step.Last
	}
	return step, err
}

// FollowChecks looks again which plans the claims of a patient can be billed to, after a check of the patient was answered.
func (s *Service) FollowChecks(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		all, err := tx.Contracts.OfPatient(ctx, billing.PatientID(j.Subject)) // locked, so that a decision under way ends first
		if err != nil {
			return err
		}
		changed, err := lists.SecondPlans(ctx, tx, all...)
		if err != nil {
			return err
		}
		for _, c := range changed {
			if err := tx.Claims.Save(ctx, c); err != nil {
				return err
			}
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
}

// followContracts looks up again what the fee schedules say of the next claims, what payers
// count of them and ask for, and which plans checks show. It returns how many claims differed.
func followContracts(ctx context.Context, tx ports.Tx, after billing.ClaimID) (int, error) {
	all, err := tx.Contracts.Next(ctx, after, renewed)
	if err != nil {
		return 0, err
	}
	changed, err := lists.Terms(ctx, tx, all...)
	if err != nil {
		return 0, err
	}
	var decided []billing.ClaimID
	for _, c := range all {
		if !c.SettledAt.IsZero() {
			decided = append(decided, c.ID)
		}
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, decided)
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		if c.Recount(c.Ledger(entries[c.ID])) && !slices.Contains(changed, c) {
			changed = append(changed, c)
		}
	}
	planned, err := lists.SecondPlans(ctx, tx, all...)
	if err != nil {
		return 0, err
	}
	for _, c := range planned {
		if !slices.Contains(changed, c) {
			changed = append(changed, c)
		}
	}
	for _, c := range changed {
		if err := tx.Claims.Save(ctx, c); err != nil {
			return 0, err
		}
	}
	return len(changed), nil
}

func (s *Service) rebuilt(ctx context.Context, to task.Rebuild) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return tx.TaskRules.Rebuilt(ctx, to) })
}
