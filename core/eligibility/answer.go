package eligibility

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Answer asks the payer of a pending check and completes it, with its event, in
// one commit. It may run any number of times, even at the same time; the first
// commit counts. Until the payer's response arrives, it postpones the job.
// After an error the job runs again. A *jobs.DoneError is the exception: the
// check was completed without an answer, and the error states the reason.
func (s *Service) Answer(ctx context.Context, j jobs.Job) error {
	if j.Kind == jobs.KindBatchEligibility {
		if there, err := s.begins(ctx, j); err != nil || !there { // the payer is asked again by another job
			return err
		}
	}
	r, err := s.with(j).read(ctx, j.Scope, billing.CheckID(j.Subject))
	switch {
	case billing.IsNotFound(err), err == nil && r.check.State == coverage.CheckCompleted:
		return s.drop(ctx, j)
	case err != nil:
		return err
	}
	if err := s.follow(ctx, r.check); err != nil {
		return err
	}
	answer, exchanges, failure := s.ask(ctx, r.check, j.ID.Time(), r.real.Time)
	if later, ok := errors.AsType[*billing.LaterError](failure); ok {
		return s.with(j).rests.Do(ctx, j.Scope, rest{j, later.Until})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_, final := errors.AsType[*network.UnreadableError](failure)
	if err := s.complete(ctx, &ending{j, r, answer, exchanges, final}); err != nil || failure == nil {
		return err
	}
	return &jobs.DoneError{Cause: failure}
}

// follow reads the connections again if this process sees none for the check. The
// process that accepted the check saw one, which may be new.
func (s *Service) follow(ctx context.Context, c *coverage.Check) error {
	if _, err := s.networks.For(c.Scope, c.Payer.ID, network.Eligibility); err == nil {
		return nil
	}
	return s.networks.Follow(ctx)
}

// Fail completes a check whose job cannot be done, as an internal failure.
func (s *Service) Fail(ctx context.Context, j jobs.Job) error {
	r, err := s.with(j).read(ctx, j.Scope, billing.CheckID(j.Subject))
	switch {
	case billing.IsNotFound(err), err == nil && r.check.State == coverage.CheckCompleted:
		return s.drop(ctx, j)
	case err != nil:
		return err
	}
	return s.complete(ctx, &ending{job: j, reading: r, answer: coverage.CheckResponse{Outcome: coverage.OutcomeError}})
}

// ask asks the payer. A failure other than *billing.LaterError comes with an
// answer that reports it. Patience with a payer is real time: it runs from made, the real
// time of the check, and now is the real time at which the check was read.
func (s *Service) ask(
	ctx context.Context, c *coverage.Check, made, now time.Time,
) (coverage.CheckResponse, []coverage.Exchange, error) {
	silent := made.Add(s.times.Silence)
	clock := network.ClockAt(now)
	waited := func() time.Duration { return clock.Now().Sub(made) }
	latency := func() int { return max(0, int(waited().Milliseconds())) }
	via, err := s.networks.For(c.Scope, c.Payer.ID, network.Eligibility)
	if err != nil {
		return coverage.Unanswered(coverage.OutcomeError, coverage.AboutClearinghouse, "", latency()), nil,
			fmt.Errorf("ask the payer: its connection was closed after the check was made: %w", err)
	}
	unanswered := func(o coverage.Outcome, about coverage.About) coverage.CheckResponse {
		return coverage.Unanswered(o, about, via.Name, latency())
	}
	// A payer's silence counts from the first request, however long the job
	// waited.
	asking, cancel := context.WithTimeout(ctx, max(s.times.Silence-waited(), leastPatience))
	defer cancel()

	q := network.Inquiry{
		Scope: c.Scope, CheckID: c.ID, Attempt: network.NewAttempt(), CreatedAt: c.CreatedAt, Asked: made, Clock: clock, Envelope: via.Envelope,
		Options: via.Options, Inquiry: c.Inquiry, Payer: c.Payer,
	}
	q.Payer.PayerID = via.Route.PayerID(c.Payer, network.Eligibility)
	answer, exchanges, err := via.Eligibility.Ask(asking, q)
	if answer.Outcome != "" {
		answer.Network, answer.LatencyMS = via.Name, new(latency())
		return answer, exchanges, err
	}
	later, postponed := errors.AsType[*billing.LaterError](err)
	_, unaskable := errors.AsType[*network.UnaskableError](err)
	_, unreadable := errors.AsType[*network.UnreadableError](err)
	switch {
	case postponed && waited() >= s.times.Silence:
		return unanswered(coverage.OutcomePayerUnavailable, coverage.AboutPayer), exchanges, nil
	case postponed && later.Until.After(silent):
		return coverage.CheckResponse{}, nil, &billing.LaterError{Until: silent}
	case postponed, ctx.Err() != nil:
		return coverage.CheckResponse{}, nil, err
	case unaskable:
		return coverage.CheckResponse{Outcome: coverage.OutcomeError, Network: via.Name}, nil, err
	case unreadable:
		return unanswered(coverage.OutcomeError, coverage.AboutClearinghouse), exchanges, err
	case errors.Is(err, context.DeadlineExceeded):
		return unanswered(coverage.OutcomePayerUnavailable, coverage.AboutPayer), exchanges, nil
	default:
		return unanswered(coverage.OutcomeError, coverage.AboutClearinghouse), exchanges, fmt.Errorf("ask the payer: %w", err)
	}
}

// leastPatience is the minimum time for the payer when a check is old before it
// is first asked.
const leastPatience = 10 * time.Second

// ending is the result of asking about a pending check.
type ending struct {
	job jobs.Job
	*reading

	answer    coverage.CheckResponse
	exchanges []coverage.Exchange
	final     bool // the same question would be answered no better later
}

// person returns the subject of the check, if the inquiry identifies one. A
// check that is given up gets none, because the lookup may be the work that
// failed.
func (e *ending) person() (p directory.Person, ok bool) {
	if e.answer.Rejection == nil && e.answer.Benefits == nil {
		return p, false
	}
	first, last, born := e.check.Inquiry.Person()
	return directory.NewPerson(e.check.Scope, first, last, born, e.real, e.at)
}

// complete commits the answer with its event, and notifies the waiting
// instance.
func (s *Service) complete(ctx context.Context, e *ending) error {
	if err := s.with(e.job).ends.Do(ctx, e.job.Scope, e); err != nil {
		return err
	}
	s.reply(ctx, e.job)
	return nil
}

// completeAlone completes checks of any scopes in one commit. A job that ran twice ends with
// its first answer. That is rare, so checks are locked and looked at only after a commit
// failed because of it.
func (s *Service) completeAlone(ctx context.Context, all []*ending) error {
	slices.SortFunc(all, func(a, b *ending) int { // transactions that lock the same rows lock them in the same order
		return cmp.Or(bytes.Compare(a.check.Scope.Org[:], b.check.Scope.Org[:]), bytes.Compare(a.check.ID[:], b.check.ID[:]))
	})
	scopes := make([]billing.Scope, len(all))
	for i, e := range all {
		scopes[i] = e.check.Scope
	}
	return unlessCompleted(func(some bool) error {
		return s.store.InScopes(ctx, scopes, func(ctx context.Context, tx ports.ScopesTx) error {
			done, err := s.answered(ctx, tx, all, nil, some)
			if err != nil {
				return err
			}
			return done.save(ctx, tx, all)
		})
	})
}

// completeBatched completes checks of batches of one scope, and their items.
func (s *Service) completeBatched(ctx context.Context, all []*ending) error {
	return unlessCompleted(func(some bool) error {
		return s.store.InTx(ctx, all[0].check.Scope, func(ctx context.Context, tx ports.Tx) error {
			items, err := itemsOf(ctx, tx, all)
			if err != nil {
				return err
			}
			own := ports.ScopesTx{
				ClockOf: func(billing.Scope) ports.Clock { return tx.Clock }, Real: tx.Real,
				Checks: tx.Checks, PendingChecks: tx.PendingChecks, Events: tx.Events, Outbox: tx.Outbox,
			}
			done, err := s.answered(ctx, own, all, items, some)
			if err != nil {
				return err
			}
			if err := items.save(ctx, tx, all); err != nil {
				return err
			}
			return done.save(ctx, own, all)
		})
	})
}

// unlessCompleted calls complete. If one of the checks was not pending, it calls it again with some, which leaves that one out.
func unlessCompleted(complete func(some bool) error) error {
	err := complete(false)
	if errors.Is(err, coverage.ErrNotPending) {
		return complete(true)
	}
	return err
}

// completions are checks that their answers complete.
type completions struct {
	checks []coverage.CheckCompletion
	billed map[billing.PatientID]billing.Scope // patients with a claim to another payer: this one may pay what is left
}

// answered completes checks with their answers. With some, it completes only those that are pending.
func (s *Service) answered(ctx context.Context, tx ports.ScopesTx, all []*ending, items items, some bool) (*completions, error) {
	left := map[billing.CheckID]bool{} // to complete
	ids := make([]billing.CheckID, len(all))
	for i, e := range all {
		ids[i], left[e.check.ID] = e.check.ID, true
	}
	if some {
		pending, err := tx.PendingChecks.Lock(ctx, ids)
		if err != nil {
			return nil, err
		}
		clear(left)
		for _, id := range pending {
			left[id] = true
		}
	}
	known, err := s.background(ctx, tx, all, left)
	if err != nil {
		return nil, err
	}
	done := &completions{billed: map[billing.PatientID]billing.Scope{}}
	for i, e := range all {
		now := tx.ClockOf(e.check.Scope).Now()
		if !left[e.check.ID] || items.repeats(s, e, now) {
			continue
		}
		delete(left, e.check.ID)
		c := *e.check
		if err := c.Complete(e.answer, known[i], now); err != nil {
			return nil, err
		}
		items.complete(&c, e, now)
		if known[i].Elsewhere && c.Outcome == coverage.OutcomeAnswered {
			done.billed[c.PatientID] = c.Scope
		}
		done.checks = append(done.checks, coverage.CheckCompletion{Check: &c, Exchanges: e.exchanges})
	}
	return done, nil
}

// save stores the checks, and ends the jobs. The transaction fails with coverage.ErrNotPending unless all are pending.
func (done *completions) save(ctx context.Context, tx ports.ScopesTx, all []*ending) error {
	if err := tx.PendingChecks.Complete(ctx, done.checks); err != nil {
		return err
	}
	for _, d := range done.checks {
		if err := tx.Events.Append(ctx, d.Check.CompletedEvent()); err != nil {
			return err
		}
	}
	for id, scope := range done.billed {
		if err := tx.Outbox.Stage(ctx, jobs.ForSecondPlan(scope, id)); err != nil {
			return err
		}
	}
	for _, e := range all {
		if err := tx.Outbox.Done(ctx, e.job.ID); err != nil {
			return err
		}
	}
	return nil
}

// rest is a job that waits for the payer's response.
type rest struct {
	job   jobs.Job
	until time.Time
}

// postponeAll postpones jobs in one commit.
func (s *Service) postponeAll(ctx context.Context, all []rest) error {
	slices.SortFunc(all, func(a, b rest) int { return bytes.Compare(a.job.ID[:], b.job.ID[:]) })
	scopes := make([]billing.Scope, len(all))
	for i, r := range all {
		scopes[i] = r.job.Scope
	}
	return s.store.InScopes(ctx, scopes, func(ctx context.Context, tx ports.ScopesTx) error {
		for _, r := range all {
			if err := tx.Outbox.Postpone(ctx, r.job.ID, r.until); err != nil {
				return err
			}
		}
		return nil
	})
}

// background finds what is known of the patient of each check that is left; zero when the inquiry
// identifies none. It is one statement, so that a check takes no round trip more.
func (s *Service) background(ctx context.Context, tx ports.ScopesTx, all []*ending, left map[billing.CheckID]bool) ([]coverage.Background, error) {
	known := make([]coverage.Background, len(all))
	var people []directory.Person
	var payers []billing.PayerID
	var places []int
	for i, e := range all {
		if p, ok := e.person(); ok && left[e.check.ID] {
			people, payers, places = append(people, p), append(payers, e.check.Payer.ID), append(places, i)
		}
	}
	if len(people) == 0 {
		return known, nil
	}
	found, err := tx.PendingChecks.Background(ctx, people, payers)
	for i, b := range found {
		known[places[i]] = b
	}
	return known, err
}

// drop ends a job whose effect is committed already, or whose check the
// database lost in a crash; see ADR 35.
func (s *Service) drop(ctx context.Context, j jobs.Job) error {
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
	if err == nil {
		s.reply(ctx, j)
	}
	return err
}

// reply is best effort: a waiting instance also polls.
func (s *Service) reply(ctx context.Context, j jobs.Job) {
	if j.ReplyTo != "" {
		_ = s.queue.Reply(ctx, j.ReplyTo, j.Subject)
	}
}
