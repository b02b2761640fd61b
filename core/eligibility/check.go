package eligibility

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Check creates an eligibility check and waits for its end. A nil error means
// that the check is completed, with any outcome; its Failure reports a failed
// one. Replayed reports that an earlier request with the key created it.
//
// Errors: CodeIdempotencyKeyReused and CodeIdempotencyKeyInUse,
// CodeEligibilityUnavailable, CodeInvalidRequest with every fault, CodeNotFound
// for an office, payer or parent, and CodeTimeout when the payer took too long.
// After a timeout the check continues, and the same request finds it later.
func (s *Service) Check(
	ctx context.Context, call caller.Call, in intake.EligibilityRequest,
) (c *coverage.Check, replayed bool, err error) {
	id := billing.NewID[billing.CheckID](billing.RealAt(time.Now()))
	box := s.queue.Await(id)
	defer box.Close()
	waiting, cancel := context.WithTimeout(ctx, s.times.Wait) // the wait includes waiting for the store
	defer cancel()
	for {
		c, replayed, err = s.start(ctx, call, in, id, box.Address)
		if err != nil || c.State == coverage.CheckCompleted {
			return c, replayed, timeout(err)
		}
		c, err = s.wait(waiting, call.Scope, id, box)
		if !errors.Is(err, errLost) {
			return c, false, timeout(err)
		}
	}
}

// errLost is the error of a pending check that a crash of the database lost.
// The caller's request is still open, so the check is created again; see ADR
// 35.
var errLost = errors.New("the database lost the pending check")

// start finds the check of an earlier request with the key, or creates one with
// the ID.
func (s *Service) start(
	ctx context.Context, call caller.Call, in intake.EligibilityRequest, id billing.CheckID, replyTo string,
) (c *coverage.Check, replayed bool, err error) {
	err = s.store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		c, replayed, err = s.replay(ctx, tx, call.Request)
		if err != nil || replayed {
			return err
		}
		if err := s.networks.Available(call.Scope, network.Eligibility); err != nil {
			return err
		}
		c, err = s.prepare(ctx, tx, call.Scope, in, nil)
		if err != nil {
			return err
		}
		c.ID, c.RequestID, c.OfPerson, c.IdempotencyKey = id, call.Request.ID, call.Request.OfPerson, call.Request.Key
		return s.begin(ctx, tx, c, call.Request, in.NoCache, replyTo)
	})
	return c, replayed, err
}

// replay finds the check of an earlier request with the key.
func (s *Service) replay(ctx context.Context, tx ports.Tx, req caller.Request) (*coverage.Check, bool, error) {
	use, err := tx.Keys.Reserve(ctx, req.Key)
	if err != nil || use == nil {
		return nil, false, err
	}
	if use.CheckID.IsZero() { // another operation used it, or the check was erased with its patient
		_, err := use.Replay(req)
		return nil, false, err
	}
	c, err := tx.Checks.Get(ctx, use.CheckID)
	switch {
	case err != nil:
		return nil, false, err
	case c.Forgotten() && use.Held:
		return nil, false, nil
	case c.Forgotten():
		return nil, false, caller.ErrKeyInUse()
	}
	if err := use.Match(req); err != nil {
		return nil, false, err
	}
	if c.State == coverage.CheckPending {
		return nil, false, caller.ErrKeyInUse()
	}
	return c, true, nil
}

// prepare validates the request and finds the resources that it names. An item that the check is
// for, unless nil, learns those that there are, also of a request with faults.
func (s *Service) prepare(
	ctx context.Context, tx ports.Tx, scope billing.Scope, in intake.EligibilityRequest, item *coverage.BatchItem,
) (*coverage.Check, error) {
	// The faults of dates depend on the office's day, so the office is read
	// first. An absent one is reported after the faults.
	var absent billing.Absent
	office, err := s.office(ctx, tx, scope, in.OfficeID)
	if err := absent.Note(err, "office", "office_id"); err != nil {
		return nil, err
	}
	payer, ok := s.payers.Find(in.PayerID)
	if item != nil {
		item.Concerns(office, summary(payer))
	}
	now := tx.Clock.Now()
	q, officeID, parentID, faults := in.Inquiry(office.Today(now))
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if !ok {
		absent.Add("payer", "payer_id")
	} else if !payer.Capabilities.Eligibility {
		faults.Add("payer_id", billing.FaultNotAllowed, "The payer does not support eligibility checks.")
	}
	if !parentID.IsZero() {
		parent, err := tx.Checks.Get(ctx, parentID)
		if err == nil && parent.Outcome != coverage.OutcomeRejected {
			faults.Add("parent_id", billing.FaultNotAllowed, "The payer did not reject this check, so there is nothing to correct. Leave out parent_id.")
		}
		if err := absent.Note(err, "eligibility check", "parent_id"); err != nil {
			return nil, err
		}
	}
	if err := absent.Err(); err != nil {
		return nil, err
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	via, err := s.networks.For(scope, payer.ID, network.Eligibility)
	if err != nil {
		return nil, err
	}
	if err := enrolled(ctx, tx, scope, officeID, payer.ID); err != nil {
		return nil, err
	}
	q.Office = coverage.InquiringOffice{Name: office.Name, NPI: office.NPI, TaxID: office.TaxID, TimeZone: office.TimeZone}
	return &coverage.Check{
		Scope: scope, OfficeID: officeID, Payer: payer.PayerSummary, State: coverage.CheckPending, ParentID: parentID,
		TenantReference: in.TenantReference, CreatedAt: now, Inquiry: q, Network: via.Name,
	}, nil
}

// summary returns a payer as lists show it; nil is none.
func summary(p *directory.Payer) (s directory.PayerSummary) {
	if p != nil {
		s = p.PayerSummary
	}
	return s
}

// begin stores the check: completed when a recent one has the answer, otherwise
// pending, with the job that asks the payer.
func (s *Service) begin(
	ctx context.Context, tx ports.Tx, c *coverage.Check, req caller.Request, noCache bool, replyTo string,
) error {
	if err := s.answerKnown(ctx, tx, c, noCache); err != nil {
		return err
	}
	if err := tx.Checks.Insert(ctx, c); err != nil {
		return err
	}
	stamp := tx.Real.Now()
	if err := tx.Keys.Record(ctx, req.Asking(c.ID, stamp.Time)); err != nil {
		return err
	}
	if c.State == coverage.CheckCompleted {
		return tx.Events.Append(ctx, c.CompletedEvent())
	}
	return tx.Outbox.Stage(ctx, jobs.Job{
		ID: billing.NewID[billing.JobID](stamp), Kind: jobs.KindEligibility, Scope: c.Scope, Subject: c.ID, ReplyTo: replyTo,
	})
}

// answerKnown completes the check if a recent one has the answer.
func (s *Service) answerKnown(ctx context.Context, tx ports.Tx, c *coverage.Check, noCache bool) error {
	if noCache {
		return nil
	}
	source, err := tx.Checks.Recent(ctx, c.Digest(), c.CreatedAt.Add(-s.times.CacheTTL))
	if err != nil || source == nil {
		return err
	}
	return c.AnswerFromCache(source, c.CreatedAt)
}

// wait returns the check once it is completed, or errLost.
func (s *Service) wait(
	ctx context.Context, scope billing.Scope, id billing.CheckID, box ports.Mailbox,
) (c *coverage.Check, err error) {
	lost := false
	err = jobs.Wait(ctx, box.C, func(ctx context.Context) bool {
		r, failed := s.alone.read(ctx, scope, id)
		if err = failed; err == nil {
			c = r.check
		}
		lost = billing.IsNotFound(err)
		return lost || err == nil && c.State == coverage.CheckCompleted // another error proves nothing
	})
	if lost {
		return nil, errLost
	}
	return c, err
}

// timeout converts the end of a context to the caller's error.
func timeout(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &billing.Error{
			Code: billing.CodeTimeout,
			Message: "The check took too long; it may still finish. Send the same request again with the same Idempotency-Key, " +
				"or look the check up by request_id.",
			Cause: err,
		}
	}
	return err
}
