package claimstatus

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Ask asks the payer of a claim where the claim is, and waits for the answer. The reply has
// the completed inquiry, whatever its outcome.
//
// Errors: those of the idempotency key, CodeNotFound, CodeConflict for a claim that was not
// sent or whose payer does not answer inquiries, CodeUnavailable without a route to the
// payer, and CodeTimeout when the payer took too long. After a timeout the inquiry continues,
// and the same request finds it later.
func (s *Service) Ask(ctx context.Context, call idempotency.Write[*claimstatus.Inquiry], id billing.ClaimID) (reply caller.Reply, err error) {
	inquiry := billing.NewID[billing.StatusInquiryID](billing.RealAt(time.Now()))
	box := s.queue.Await(inquiry)
	defer box.Close()
	waiting, cancel := context.WithTimeout(ctx, s.times.Wait) // the wait includes waiting for the store
	defer cancel()
	kept, err := s.begin(ctx, call, id, inquiry, box.Address)
	if err != nil || kept != nil {
		if kept != nil {
			reply = *kept
		}
		return reply, timeout(err)
	}
	err = jobs.Wait(waiting, box.C, func(ctx context.Context) bool {
		i, err := s.Get(ctx, call.Scope, inquiry)
		return billing.IsNotFound(err) || err == nil && i.State == claimstatus.Completed // another error proves nothing
	})
	if err != nil {
		return reply, timeout(err)
	}
	if kept, err = s.begin(ctx, call, id, inquiry, box.Address); err == nil && kept != nil {
		reply = *kept
		reply.Replayed = false
	}
	return reply, timeout(err)
}

// begin returns the reply to an earlier request with the key; if there is none, it stores the
// inquiry with the job that asks the payer, and returns nil.
func (s *Service) begin(
	ctx context.Context, call idempotency.Write[*claimstatus.Inquiry], id billing.ClaimID, inquiry billing.StatusInquiryID, replyTo string,
) (kept *caller.Reply, err error) {
	err = s.store.InTx(ctx, call.Scope, func(ctx context.Context, tx ports.Tx) error {
		var work billing.JobID
		if kept, work, err = idempotency.Reserve(ctx, tx, call.Request); err != nil || kept != nil {
			return err
		}
		if !work.IsZero() { // the use of a key for an inquiry waits for its ID
			kept, err = s.replay(ctx, tx, call, billing.StatusInquiryID(work))
			return err
		}
		if err := call.Request.Faults.Err(); err != nil {
			return err
		}
		i, err := s.prepare(ctx, tx, call.Call, id)
		if err != nil {
			return err
		}
		stamp := tx.Real.Now()
		i.ID = inquiry
		if err := tx.StatusInquiries.Insert(ctx, i); err != nil {
			return err
		}
		if err := tx.Keys.Record(ctx, call.Request.Waiting(billing.JobID(inquiry), stamp.Time)); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, jobs.Job{
			ID: billing.NewID[billing.JobID](stamp), Kind: jobs.KindClaimStatus, Scope: i.Scope, Subject: i.ID, ReplyTo: replyTo,
		})
	})
	return kept, err
}

// replay returns the reply of an inquiry that an earlier request with the key made. While it
// is pending, the key is in use.
func (s *Service) replay(ctx context.Context, tx ports.Tx, call idempotency.Write[*claimstatus.Inquiry], id billing.StatusInquiryID) (*caller.Reply, error) {
	i, err := tx.StatusInquiries.Get(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case i.State == claimstatus.Pending:
		return nil, caller.ErrKeyInUse()
	}
	reply, err := call.Keep(ctx, tx, i, nil)
	reply.Replayed = true
	return &reply, err
}

// prepare returns the inquiry about a claim that can be asked about.
func (s *Service) prepare(ctx context.Context, tx ports.Tx, call caller.Call, id billing.ClaimID) (*claimstatus.Inquiry, error) {
	c, err := tx.Claims.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := c.Edits.Expect(call.Request.Seen); err != nil {
		return nil, err
	}
	if err := claimstatus.Askable(c.Claim); err != nil {
		return nil, err
	}
	if payer, ok := s.payers.Find(c.Payer.ID.String()); ok && !payer.Capabilities.ClaimStatus {
		return nil, errNoAnswer()
	}
	if _, err := s.networks.For(call.Scope, c.Payer.ID, network.ClaimStatus); err != nil {
		return nil, err
	}
	if err := enrolled(ctx, tx, c.Claim); err != nil {
		return nil, err
	}
	return &claimstatus.Inquiry{
		Scope: call.Scope, ClaimID: c.ID, Payer: c.Payer, RequestID: call.Request.ID, OfPerson: call.Request.OfPerson,
		CreatedAt: tx.Clock.Now(), State: claimstatus.Pending,
	}, nil
}

// enrolled refuses a live inquiry of an office that the payer has not enrolled for it.
func enrolled(ctx context.Context, tx ports.Tx, c *claim.Claim) error {
	if c.Scope.Mode != billing.ModeLive {
		return nil
	}
	found, err := tx.Enrollments.Find(ctx, network.ClaimStatus, []billing.OfficeID{c.OfficeID}, []billing.PayerID{c.Payer.ID})
	if err != nil {
		return err
	}
	for _, e := range found {
		if message, fix := e.State.Refusal(); message != "" {
			return &billing.Error{Code: billing.CodeConflict, Message: message + " " + fix}
		}
	}
	return nil
}

// timeout converts the end of a context to the caller's error.
func timeout(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &billing.Error{
			Code: billing.CodeTimeout,
			Message: "The payer took too long; the inquiry may still finish. Send the same request again with the same Idempotency-Key, " +
				"or look the inquiry up by request_id among those of the claim.",
			Cause: err,
		}
	}
	return err
}
