package storetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/decision"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/task"
	"github.com/molar-billing/molar/ports"
)

// listTasks returns the resources of a page of tasks, and the place after it.
func (b *scoped) listTasks(f task.Filter, p billing.Page) (ids [][16]byte, next *billing.Position) {
	b.t.Helper()
	all := read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) { return tx.Tasks.List(ctx, f, p) })
	all, next = billing.Cut(all, p.Limit, (*task.Task).Position)
	for _, t := range all {
		ids = append(ids, t.Resource.ID)
	}
	return ids, next
}

func (b *scoped) taskOf(resource [16]byte) *task.Task {
	b.t.Helper()
	all := read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{Resource: resource}, billing.Page{Limit: 1})
	})
	if len(all) != 1 {
		b.t.Fatalf("%d tasks of %x", len(all), resource)
	}
	return all[0]
}

// testTaskOfVoided knows of the task of a claim whether a void of it is on its way.
func testTaskOfVoided(b *scoped) {
	c, v := b.claim(-5), b.claim(-4)
	c.State, c.SentAt, c.Frequency = claim.Rejected, b.now, claim.FrequencyReplacement
	c.History = []claim.Move{{At: b.now, State: claim.Rejected, Cause: "rejected"}}
	v.State, v.Frequency, v.ParentID = claim.Queued, claim.FrequencyVoid, c.ID
	b.insertClaims(c)
	if of := b.taskOf(c.ID); of.Voiding || !of.Allows("voidClaim") {
		b.t.Errorf("no void: %+v", of)
	}
	b.insertClaims(v)
	if of := b.taskOf(c.ID); !of.Voiding || of.Allows("voidClaim") || !of.Allows("updateClaim") {
		b.t.Errorf("a void on its way: %+v", of)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.Claims.Lock(ctx, v.ID)
		if err != nil {
			return err
		}
		locked.State = claim.Rejected
		return tx.Claims.Save(ctx, locked.Claim)
	})
	if of := b.taskOf(c.ID); of.Voiding {
		b.t.Errorf("a rejected void: %+v", of)
	}
}

// testTasks follows tasks through the writes of their resources, and the list through its order.
func testTasks(b *scoped) {
	t := b.t
	soon, late, undated := b.payerRequest(-3), b.payerRequest(-2), b.payerRequest(-1)
	soon.DueDate, undated.DueDate = billing.Date{Year: 2026, Month: 5, Day: 1}, billing.Date{}
	b.insertRequests(undated, late, soon, answeredRequest(b.payerRequest(-4)))
	large, future := b.claim(-5), b.claim(-6)
	large.State, future.State = claim.Rejected, claim.Draft
	large.Lines, future.UpdatedAt = []claim.Line{{Fee: 900_00, Quantity: 1}}, b.now
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if err := tx.Claims.Insert(ctx, large); err != nil {
			return err
		}
		return tx.Claims.Insert(ctx, future)
	})
	order := [][16]byte{soon.ID, late.ID, large.ID, undated.ID}
	var walked [][16]byte
	for p := (billing.Page{Limit: 1}); ; {
		ids, next := b.listTasks(task.Filter{}, p)
		walked = append(walked, ids...)
		if p.After = next; next == nil {
			break
		}
	}
	if !slices.Equal(walked, order) {
		t.Errorf("the list is %x, want %x", walked, order)
	}
	if others, _ := b.other().listTasks(task.Filter{}, billing.Page{Limit: 100}); len(others) != 0 {
		t.Errorf("another scope has %x", others)
	}

	mine := b.taskOf(soon.ID)
	b.organization()
	ann := b.user(b.scope, "ann@example.com", caller.RoleBiller, 1)
	b.addUser(b.scope, ann)
	count := func(by billing.UserID) task.Counts {
		return read(b, func(ctx context.Context, tx ports.Tx) (task.Counts, error) { return tx.Tasks.Count(ctx, by) })
	}
	mine.Assignee = ann.ID
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Tasks.Save(ctx, mine) })
	if got := count(ann.ID); got.Mine != 1 || got.Nobody != 3 {
		t.Errorf("counts of hers %+v", got)
	}
	mine.SnoozedUntil = b.now.Add(time.Hour)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.Tasks.Lock(ctx, mine.ID)
		if err != nil {
			return err
		}
		equal(t, "locked", locked.Work, mine.Work)
		return tx.Tasks.Save(ctx, mine)
	})
	equal(t, "saved", read(b, func(ctx context.Context, tx ports.Tx) (*task.Task, error) { return tx.Tasks.Get(ctx, mine.ID) }), mine)
	for _, x := range []struct {
		f    task.Filter
		want [][16]byte
	}{
		{task.Filter{}, order[1:]},
		{task.Filter{State: task.Snoozed}, order[:1]},
		{task.Filter{State: task.Snoozed, Assignee: mine.Assignee}, order[:1]},
		{task.Filter{Nobody: true, Kinds: []task.Kind{task.RequestDue}}, [][16]byte{late.ID, undated.ID}},
		{task.Filter{Kinds: []task.Kind{task.ClaimRejected, task.Denied}}, [][16]byte{large.ID}},
		{task.Filter{OfficeID: large.OfficeID}, [][16]byte{large.ID}},
		{task.Filter{OfficeID: late.OfficeID}, [][16]byte{late.ID}},
		{task.Filter{PayerID: late.Payer.ID, DueBefore: late.DueDate}, [][16]byte{late.ID}},
		{task.Filter{AmountFrom: 900_00}, [][16]byte{large.ID}},
		{task.Filter{State: task.Done}, nil},
	} {
		if got, _ := b.listTasks(x.f, billing.Page{Limit: 100}); !slices.Equal(got, x.want) {
			t.Errorf("%+v: %x, want %x", x.f, got, x.want)
		}
	}
	counts := count(ann.ID)
	equal(t, "by office", counts.Offices, tally(large.OfficeID, late.OfficeID, undated.OfficeID))
	equal(t, "by payer", counts.Payers, tally(large.Payer.ID, late.Payer.ID, undated.Payer.ID))
	if counts.Kinds[task.RequestDue] != 2 || counts.Kinds[task.ClaimRejected] != 1 || counts.Nobody != 3 || counts.Mine != 0 || counts.Kinds[task.DraftOld] != 0 {
		t.Errorf("counts %+v", counts)
	}
	b.testTasksOfNew()
	b.testTasksEnd(soon, mine)
	b.testTasksThatNeverBegan()
}

// tally counts each ID, without those that are zero.
func tally[ID interface {
	comparable
	IsZero() bool
}](ids ...ID) map[ID]int {
	of := map[ID]int{}
	for _, id := range ids {
		if !id.IsZero() {
			of[id]++
		}
	}
	return of
}

// testTasksThatNeverBegan ends the causes of two claims without a decision, one of which waited for long enough to be
// a task. A decision of a person keeps a task among those that are done, also before it began.
func (b *scoped) testTasksThatNeverBegan() {
	due, soon, decided := b.claim(-60), b.claim(-61), b.claim(-62)
	all := []*claim.Claim{due, soon, decided}
	for _, c := range all {
		c.State, c.CreatedAt, c.History = claim.AcceptedPayer, b.now, nil
	}
	due.CreatedAt = b.now.AddDate(0, 0, -40)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, c := range all {
			if err := tx.Claims.Insert(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if open, _ := b.listTasks(task.Filter{Kinds: []task.Kind{task.NoDecision}}, billing.Page{Limit: 10}); !slices.Equal(open, [][16]byte{due.ID}) {
		b.t.Errorf("open are %x, want %x", open, due.ID)
	}
	b.testTaskOfWhatIsSaidAgain(due)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		for _, c := range all {
			if c.State = claim.Paid; c == decided {
				c.Decisions = decision.List{{Of: string(task.NoDecision), As: decision.Accepted, At: b.now}}
			}
			if err := tx.Claims.Save(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	done, _ := b.listTasks(task.Filter{State: task.Done, Kinds: []task.Kind{task.NoDecision}}, billing.Page{Limit: 10})
	if want := [][16]byte{due.ID, decided.ID}; !slices.Equal(done, want) {
		b.t.Errorf("done are %x, want %x", done, want)
	}
}

// testTaskOfWhatIsSaidAgain snoozes a task until its claim changes: that the payer says the same again
// changes the day in its words, and nothing else.
func (b *scoped) testTaskOfWhatIsSaidAgain(c *claim.Claim) {
	id := b.taskOf(c.ID).ID
	says := func(category string, days int) *task.Task {
		c.Asked = &claim.Asked{At: b.now, SaidAt: b.now, LastAt: b.now.AddDate(0, 0, days), Outcome: "found", Category: category, Status: "20"}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Claims.Save(ctx, c) })
		return b.taskGet(id)
	}
	first := says("P1", 0)
	first.UntilChange = true
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Tasks.Save(ctx, first) })
	if again := says("P1", 7); !again.UntilChange || again.Reason == first.Reason {
		b.t.Errorf("said again: %+v", again)
	}
	if other := says("P2", 0); other.UntilChange {
		b.t.Errorf("said otherwise: %+v", other)
	}
}

// testTasksOfNew stores a correction and posts it in one transaction: its task begins and ends.
func (b *scoped) testTasksOfNew() {
	e := b.era(1)
	e.Stage = remit.Done // a correction that waits for a person
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.ERAs.Insert(ctx, e, digest(e.ID.String()), nil); err != nil {
			return err
		}
		e.State, e.PostedAt = remit.Posted, b.now
		return tx.ERAs.Save(ctx, e)
	})
	var done []task.Kind
	for _, t := range read(b, func(ctx context.Context, tx ports.Tx) ([]*task.Task, error) {
		return tx.Tasks.List(ctx, task.Filter{State: task.Done, Resource: e.ID}, billing.Page{Limit: 10})
	}) {
		done = append(done, t.Kind)
	}
	if !slices.Equal(done, []task.Kind{task.RemittanceCorrection}) {
		b.t.Errorf("a remittance that was stored and posted has the ended tasks %v", done)
	}
}

// testTasksOfADisabledUser takes the open tasks from a user who is disabled, and gives none that
// comes again.
func (b *scoped) testTasksOfADisabledUser(of *attachment.PayerRequest, mine *task.Task) {
	t := b.t
	save := func(state caller.UserState) {
		b.in(func(ctx context.Context, tx ports.Tx) error {
			return tx.Users.Save(ctx, &caller.User{ID: mine.Assignee, Org: b.scope.Org, Role: caller.RoleBiller, State: state})
		})
	}
	answer := func() {
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Save(ctx, answeredRequest(of)) })
	}
	ask := func() {
		of.State, of.AnsweringAttachment, of.AnsweredAt = attachment.PayerRequestOpen, billing.AttachmentID{}, time.Time{}
		b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Save(ctx, of) })
	}
	answer()
	save(caller.UserDisabled)
	if done := b.taskGet(mine.ID); done.Assignee != mine.Assignee {
		t.Errorf("a task that ended before lost its assignee: %+v", done)
	}
	ask()
	if again := b.taskGet(mine.ID); !again.Assignee.IsZero() {
		t.Errorf("a task came again to a disabled user: %+v", again)
	}
	save(caller.UserActive)
	again := b.taskGet(mine.ID)
	again.Assignee = mine.Assignee
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.Tasks.Save(ctx, again) })
	save(caller.UserDisabled)
	if left := b.taskGet(mine.ID); !left.Assignee.IsZero() {
		t.Errorf("an open task stays with a disabled user: %+v", left)
	}
}

func (b *scoped) taskGet(id billing.TaskID) *task.Task {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*task.Task, error) { return tx.Tasks.Get(ctx, id) })
}

// testTasksEnd ends the cause of a task and brings it back. Nothing differs from the rules then.
func (b *scoped) testTasksEnd(of *attachment.PayerRequest, mine *task.Task) {
	t := b.t
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Save(ctx, answeredRequest(of)) })
	get := func() *task.Task { return b.taskGet(mine.ID) }
	if done := get(); done.EndedAt.IsZero() || done.Assignee != mine.Assignee {
		t.Errorf("answered: %+v", done)
	}
	of.State, of.AnsweringAttachment, of.AnsweredAt = attachment.PayerRequestOpen, billing.AttachmentID{}, time.Time{}
	b.in(func(ctx context.Context, tx ports.Tx) error { return tx.PayerRequests.Save(ctx, of) })
	if again := get(); !again.EndedAt.IsZero() || !again.SnoozedUntil.IsZero() || again.Assignee != mine.Assignee {
		t.Errorf("open again: %+v", again)
	}
	b.testTasksOfADisabledUser(of, mine)
	if renewed := b.renewed(); renewed != 7 {
		t.Errorf("%d resources were renewed, want 7", renewed)
	}
}

// testContracts reads claims in steps for a scope whose fee schedules changed, and keeps what they
// say.
func testContracts(b *scoped) {
	t := b.t
	first, second := b.claim(-2), b.claim(-1)
	second.Contract = contract.Contract{
		Terms:   []contract.Term{{}, {Each: 890_00, ScheduleID: id[billing.FeeScheduleID](), ScheduleName: "Delta 2026"}},
		Counted: []contract.Counted{{Number: 2, Allowed: 800_00, Apart: contract.Maximum}},
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Claims.Insert(ctx, first), tx.Claims.Insert(ctx, second))
	})
	var walked []billing.ClaimID
	next := func(b *scoped) (found []*claim.Claim) {
		b.in(func(ctx context.Context, tx ports.Tx) (err error) {
			at := billing.ClaimID{}
			if len(walked) > 0 {
				at = walked[len(walked)-1]
			}
			found, err = tx.Contracts.Next(ctx, at, 1)
			return err
		})
		return found
	}
	for found := next(b); len(found) > 0; found = next(b) {
		walked = append(walked, found[0].ID)
		if found[0].ID == second.ID {
			equal(t, "the contract", found[0].Contract, second.Contract)
		}
	}
	if len(walked) != 2 {
		t.Errorf("walked over %d claims, want 2", len(walked))
	}
	walked = nil
	if found := next(b.other()); len(found) != 0 {
		t.Errorf("another scope has %d claims", len(found))
	}
	b.testContractsChanged()
}

// testContractsChanged asks for the tasks of the scope while they are computed.
func (b *scoped) testContractsChanged() {
	t := b.t
	of := func() (at *task.Rebuild) {
		b.system(func(ctx context.Context, tx ports.SystemTx) (err error) {
			at, err = tx.TaskRules.Of(ctx, b.scope)
			return err
		})
		return at
	}
	done := func(at *task.Rebuild) {
		to := task.Rebuild{Scope: b.scope, Rules: 7, Done: true, Asked: at.Asked}
		b.system(func(ctx context.Context, tx ports.SystemTx) error { return tx.TaskRules.Rebuilt(ctx, to) })
	}
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Orgs.Insert(ctx, &caller.Organization{ID: b.scope.Org, Name: "Practice", CreatedAt: b.now})
	})
	was := of()
	done(was)
	if at := of(); at.Rules != 7 || at.Asked != was.Asked {
		t.Errorf("done: %+v", at)
	}
	b.in(func(ctx context.Context, tx ports.Tx) error {
		return errors.Join(tx.Contracts.Changed(ctx), tx.Contracts.Changed(ctx))
	})
	if at := of(); at.Asked != was.Asked+2 {
		t.Errorf("asked: %+v", at)
	}
	done(&task.Rebuild{Asked: was.Asked, Rules: 9})
	b.system(func(ctx context.Context, tx ports.SystemTx) error {
		at, err := tx.TaskRules.Behind(ctx, 7)
		if err == nil && at == nil {
			t.Error("what was computed before the change counts")
		}
		return err
	})
}
