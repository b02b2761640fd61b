package claimstatus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Answer asks the payer of a pending inquiry and completes it, with what the answer does to
// the claim, in one commit. It may run any number of times, even at the same time; the first
// commit counts. Until the payer's response arrives, it postpones the job. After an error the
// job runs again. A *jobs.DoneError is the exception: the inquiry was completed without an
// answer, and the error states the reason.
func (s *Service) Answer(ctx context.Context, j jobs.Job) error {
	r, err := s.read(ctx, j)
	if err != nil {
		return err
	}
	if r == nil {
		return s.drop(ctx, j)
	}
	if err := s.follow(ctx, r.inquiry); err != nil {
		return err
	}
	answer, sent, failure := s.ask(ctx, r, j.ID.Time())
	if later, ok := errors.AsType[*billing.LaterError](failure); ok {
		return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Outbox.Postpone(ctx, j.ID, later.Until)
		})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := s.complete(ctx, j, &answer, sent); err != nil || failure == nil {
		return err
	}
	return &jobs.DoneError{Cause: failure}
}

// Fail completes an inquiry whose job cannot be done, as an error of ours.
func (s *Service) Fail(ctx context.Context, j jobs.Job) error {
	return s.complete(ctx, j, &claimstatus.Answer{Outcome: claimstatus.Failed}, nil)
}

// reading is a pending inquiry with what is asked.
type reading struct {
	inquiry *claimstatus.Inquiry
	claim   *claim.Claim
	office  coverage.InquiringOffice
	real    time.Time // by the database
}

// read returns the inquiry of a job; nil if nothing is left to do.
func (s *Service) read(ctx context.Context, j jobs.Job) (r *reading, err error) {
	err = s.store.View(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		r = nil
		i, err := tx.StatusInquiries.Get(ctx, billing.StatusInquiryID(j.Subject))
		if billing.IsNotFound(err) || err == nil && i.State == claimstatus.Completed {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := tx.Claims.Get(ctx, i.ClaimID)
		if err != nil {
			return err
		}
		o, err := tx.Offices.Get(ctx, c.OfficeID)
		if err != nil {
			return err
		}
		r = &reading{i, c.Claim, coverage.InquiringOffice{Name: o.Name, NPI: o.NPI, TaxID: o.TaxID}, tx.Real.Now().Time}
		return nil
	})
	return r, err
}

// follow reads the connections again if this process sees none for the inquiry. The process
// that accepted it saw one, which may be new.
func (s *Service) follow(ctx context.Context, i *claimstatus.Inquiry) error {
	if _, err := s.networks.For(i.Scope, i.Payer.ID, network.ClaimStatus); err == nil {
		return nil
	}
	return s.networks.Follow(ctx)
}

// ask asks the payer. A failure other than *billing.LaterError comes with an answer that
// reports it. Patience with a payer is real time: it runs from made, the real time of the
// inquiry.
func (s *Service) ask(ctx context.Context, r *reading, made time.Time) (claimstatus.Answer, []coverage.Exchange, error) {
	i, silent, clock := r.inquiry, made.Add(s.times.Silence), network.ClockAt(r.real)
	waited := func() time.Duration { return clock.Now().Sub(made) }
	via, err := s.networks.For(i.Scope, i.Payer.ID, network.ClaimStatus)
	if err != nil {
		return claimstatus.Answer{Outcome: claimstatus.Failed}, nil, fmt.Errorf("ask about a claim: the connection was closed after the inquiry was made: %w", err)
	}
	// A payer's silence counts from the first request, however long the job waited.
	asking, cancel := context.WithTimeout(ctx, max(s.times.Silence-waited(), leastPatience))
	defer cancel()
	q := network.StatusInquiry{
		Scope: i.Scope, ID: i.ID, Attempt: network.NewAttempt(), CreatedAt: i.CreatedAt, Asked: made, Clock: clock, Envelope: via.Envelope,
		Options: via.Options, Claim: r.claim, Office: r.office, Payer: i.Payer,
	}
	q.Payer.PayerID = via.Route.PayerID(i.Payer, network.ClaimStatus)
	answer, sent, err := via.ClaimStatus.AskStatus(asking, q)
	answer.Network = via.Name
	if answer.Outcome != "" {
		return answer, sent, err
	}
	without := func(o claimstatus.Outcome, err error) (claimstatus.Answer, []coverage.Exchange, error) {
		return claimstatus.Answer{Outcome: o, Network: via.Name}, sent, err
	}
	later, postponed := errors.AsType[*billing.LaterError](err)
	_, unaskable := errors.AsType[*network.UnaskableError](err)
	_, unreadable := errors.AsType[*network.UnreadableError](err)
	switch {
	case postponed && waited() >= s.times.Silence:
		return without(claimstatus.Unavailable, nil)
	case postponed && later.Until.After(silent):
		return answer, nil, &billing.LaterError{Until: silent}
	case postponed, ctx.Err() != nil:
		return answer, nil, err
	case unaskable, unreadable:
		return without(claimstatus.Failed, err)
	case errors.Is(err, context.DeadlineExceeded):
		return without(claimstatus.Unavailable, nil)
	default:
		return without(claimstatus.Failed, fmt.Errorf("ask about a claim: %w", err))
	}
}

// leastPatience is the minimum time for the payer when an inquiry is old before it is first
// asked.
const leastPatience = 10 * time.Second

// complete commits an answer with what it does to the claim, and notifies the waiting
// instance. It drops the answer to an inquiry that is complete, or gone with its claim.
func (s *Service) complete(ctx context.Context, j jobs.Job, a *claimstatus.Answer, sent []coverage.Exchange) error {
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		done := func() error { return tx.Outbox.Done(ctx, j.ID) }
		before, err := tx.StatusInquiries.Get(ctx, billing.StatusInquiryID(j.Subject))
		if billing.IsNotFound(err) {
			return done()
		}
		if err != nil {
			return err
		}
		c, err := tx.Claims.Lock(ctx, before.ClaimID)
		if err != nil {
			return err
		}
		i, err := tx.StatusInquiries.Lock(ctx, before.ID)
		if err != nil {
			return err
		}
		last, err := latest(ctx, tx, i.ClaimID)
		if err != nil {
			return err
		}
		ours, err := i.Complete(a, c.Claim, tx.Clock.Now())
		if errors.Is(err, claimstatus.ErrNotPending) {
			return done()
		}
		if err != nil {
			return err
		}
		if !c.ErasedAt.IsZero() { // the messages would name the patient again
			sent = nil
		}
		if err := tx.StatusInquiries.Complete(ctx, i, sent); err != nil {
			return err
		}
		i.Record(c.Claim, last, tx.Clock.Now())
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return err
		}
		if err := s.apply(ctx, tx, c.Claim, i, ours, last); err != nil {
			return err
		}
		return done()
	})
	if err == nil && j.ReplyTo != "" {
		_ = s.queue.Reply(ctx, j.ReplyTo, j.Subject) // best effort: a waiting instance also polls
	}
	return err
}

// latest returns the last inquiry whose payer found the claim; nil if there is none.
func latest(ctx context.Context, tx ports.Tx, id billing.ClaimID) (*claimstatus.Inquiry, error) {
	all, err := tx.StatusInquiries.List(ctx, claimstatus.Filter{ClaimID: id, Outcome: claimstatus.Found}, billing.Page{Limit: 1})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// apply does to a claim what the payer answered: a rejection moves it, a request for
// information is stored once, and another answer than the last one has an event.
func (s *Service) apply(ctx context.Context, tx ports.Tx, c *claim.Claim, i *claimstatus.Inquiry, ours *claimstatus.PayerClaim, last *claimstatus.Inquiry) error {
	now := tx.Clock.Now()
	if r := i.Rejection(ours); r != nil {
		if e, moved := c.Reported(r, claim.Cause{At: now}); moved {
			if err := tx.Claims.Save(ctx, c); err != nil {
				return err
			}
			return tx.Events.Append(ctx, e)
		}
	}
	if r := i.Request(ours); r != nil {
		if err := request(ctx, tx, c, r, now); err != nil {
			return err
		}
	}
	code, said := i.First()
	if ours == nil || !said || last != nil && last.Same(&i.Content) {
		return nil
	}
	return tx.Events.Append(ctx, c.Event(event.ClaimStatusUpdated, claim.Cause{
		Previous: c.State, Status: &clearing.ClaimStatus{Category: code.Category, Code: code.Status}, At: now,
	}))
}

// request stores what the payer asks for, once for each reference, and not while the claim
// has an open request of the payer that came through the network.
func request(ctx context.Context, tx ports.Tx, c *claim.Claim, r *clearing.ClaimReport, now time.Time) error {
	q := attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](tx.Real.Now()), Scope: c.Scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
		Payer: c.Payer, ReferenceNumber: cmp.Or(r.Request.Reference, r.PayerClaimNumber, r.ControlNumber),
		Requested: r.Request.Requested, DueDate: r.Request.Due, CreatedAt: now,
	}
	c.NameIn(&q)
	open, err := tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{ClaimID: c.ID, State: attachment.PayerRequestOpen}, billing.Page{Limit: billing.MaxPageLimit})
	if err != nil {
		return err
	}
	for _, o := range open {
		if o.Source == attachment.SourceNetwork {
			return nil
		}
	}
	if have, err := tx.PayerRequests.Received(ctx, q.Payer.ID, c.ID, q.ReferenceNumber); err != nil || have {
		return err
	}
	if err := tx.PayerRequests.Insert(ctx, &q); err != nil {
		return err
	}
	return tx.Events.Append(ctx, q.ReceivedEvent())
}

// drop ends a job whose effect is committed already.
func (s *Service) drop(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
}
