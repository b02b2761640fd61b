package claimstatus

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// The rests of a policy between two looks, in real time: while claims wait for room at their
// payer, or for the clock that is being advanced; and at most, in test mode, whose clock may be
// moved, and in live mode, where a new claim is due a week later at the earliest.
const (
	feedBusyRest = 250 * time.Millisecond
	feedRest     = time.Second
	feedTestRest = 30 * time.Second
	feedLongRest = 10 * time.Minute
)

// most is how many claims a look takes at most that cannot be asked about.
const most = 50

// Feed asks a payer about the claims that are due by a policy, as many as the payer has room for,
// and rests until there may be more. A policy has one such job, until it is replaced or deleted.
// The inquiry, its job and the claim's next time are one commit: a repeated job finds the claim
// no longer due.
func (s *Service) Feed(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		p, err := tx.StatusFeed.Lock(ctx, billing.StatusPolicyID(j.Subject))
		if billing.IsNotFound(err) || err == nil && p.Feed != j.ID {
			return tx.Outbox.Done(ctx, j.ID)
		}
		if err != nil {
			return err
		}
		now := tx.Clock.Now()
		next, err := tx.StatusFeed.Next(ctx, p)
		if err != nil {
			return err
		}
		if !next.IsZero() && !next.After(now) {
			if err := s.feed(ctx, tx, p, now); err != nil {
				return err
			}
			if next, err = tx.StatusFeed.Next(ctx, p); err != nil {
				return err
			}
		}
		rest, err := resting(ctx, tx, p.Scope, next, now)
		if err != nil {
			return err
		}
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(rest))
	})
}

// FailFeed lets a job that failed repeatedly rest. The claims of its policy are still to be asked
// about.
func (s *Service) FailFeed(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.JobMaxLease))
	})
}

// resting returns how long a policy rests whose next claim is due at the time.
func resting(ctx context.Context, tx ports.Tx, scope billing.Scope, next, now time.Time) (time.Duration, error) {
	if scope.Mode == billing.ModeLive {
		if next.IsZero() {
			return feedLongRest, nil
		}
		return min(max(next.Sub(now), feedRest), feedLongRest), nil
	}
	c, err := tx.SandboxClock.Get(ctx)
	switch {
	case err != nil:
		return 0, err
	case c.Advance != nil:
		return feedBusyRest, nil
	case next.IsZero():
		return feedTestRest, nil
	default:
		return min(max(next.Sub(now), feedRest), feedTestRest), nil
	}
}

// feed asks about the claims that are due. Without a connection to the payer, or an enrollment
// of the office, a claim is looked at again after a day.
func (s *Service) feed(ctx context.Context, tx ports.Tx, p *claimstatus.Policy, now time.Time) error {
	room := most
	_, err := s.networks.For(p.Scope, p.Payer.ID, network.ClaimStatus)
	asks := err == nil
	if asks {
		if room, err = tx.StatusFeed.Room(ctx, p.Payer.ID, claimstatus.Lane); err != nil || room == 0 {
			return err
		}
	}
	due, err := tx.StatusFeed.Due(ctx, p, now, room)
	if err != nil {
		return err
	}
	for _, c := range due {
		if err := s.turn(ctx, tx, p, c.Claim, now, asks); err != nil {
			return err
		}
	}
	return nil
}

// turn asks about a claim, or keeps on it when it is looked at again.
func (s *Service) turn(ctx context.Context, tx ports.Tx, p *claimstatus.Policy, c *claim.Claim, now time.Time, asks bool) error {
	if _, since := claimstatus.Next(c); since.IsZero() { // it was decided since its time was stored
		return tx.Claims.Save(ctx, c)
	}
	err := enrolled(ctx, tx, c)
	refused, isRefusal := errors.AsType[*billing.Error](err)
	if isRefusal = isRefusal && refused.Code == billing.CodeConflict; err != nil && !isRefusal {
		return err
	}
	if !asks || isRefusal || !p.Due(c, now) {
		claimstatus.Skip(c, now)
		return tx.Claims.Save(ctx, c)
	}
	claimstatus.Begin(c, now)
	if err := tx.Claims.Save(ctx, c); err != nil {
		return err
	}
	stamp := tx.Real.Now()
	i := &claimstatus.Inquiry{
		ID: billing.NewID[billing.StatusInquiryID](stamp), Scope: p.Scope, ClaimID: c.ID, Payer: c.Payer, CreatedAt: now, State: claimstatus.Pending,
	}
	if err := tx.StatusInquiries.Insert(ctx, i); err != nil {
		return err
	}
	return tx.Outbox.Stage(ctx, jobs.Job{ID: billing.NewID[billing.JobID](stamp), Kind: jobs.KindClaimStatus, Scope: p.Scope, Subject: i.ID})
}
