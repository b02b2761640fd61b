package payerrequests

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// AnswerElsewhere records that the practice answered a payer request in another way
// than with an attachment. For an answered request it returns the existing answer.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// CodeNotFound, and CodeConflict for a request that an attachment can answer.
func (s *Service) AnswerElsewhere(
	ctx context.Context, call idempotency.Write[attachment.PayerRequestAnswer], id billing.PayerRequestID, in intake.AnswerRequest,
) (caller.Reply, error) {
	note, faults := in.AnswerNote()
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (out attachment.PayerRequestAnswer, err error) {
		r, err := tx.PayerRequests.Lock(ctx, id)
		if billing.IsNotFound(err) && len(faults) > 0 {
			err = faults.Err()
		}
		if err != nil {
			return out, err
		}
		if err := faults.Err(); err != nil {
			return out, err
		}
		out.Request = r
		switch {
		case r.State == attachment.PayerRequestAnswered && r.AnsweringAttachment.IsZero():
			return out, nil
		case r.State == attachment.PayerRequestAnswered:
			out.Attachment, err = tx.Attachments.Get(ctx, r.AnsweringAttachment)
			return out, err
		case s.attachable(r):
			return out, &billing.Error{
				Code:    billing.CodeConflict,
				Message: "An attachment can answer this payer request. Answer it with one, and leave out answered_elsewhere.",
			}
		}
		r.AnswerElsewhere(note, tx.Clock.Now())
		return out, tx.PayerRequests.Save(ctx, r)
	})
}

// attachable reports whether an attachment can answer the request now: its payer
// accepts attachments, and a network carries them there.
func (s *Service) attachable(r *attachment.PayerRequest) bool {
	payer, ok := s.payers.Find(r.Payer.ID.String())
	if !ok || !payer.Capabilities.Attachments {
		return false
	}
	_, err := s.networks.For(r.Scope, r.Payer.ID, network.Attachments)
	return err == nil
}
