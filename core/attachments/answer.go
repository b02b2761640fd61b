package attachments

import (
	"cmp"
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Answer answers a payer request with an attachment, which it sends and closes.
// It uses the attachment that the request names, else the open one of the payer
// request, else a new one. For an answered payer request it returns the
// existing answer.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeInvalidRequest with every fault, CodeNotFound, CodeConflict when the
// attachment cannot answer the payer request or is being sent, and
// CodeUnavailable while its images cannot be read. The sending continues after
// CodeUnavailable. A network failure is returned as a reply, not as an error.
func (s *Service) Answer(
	ctx context.Context, call idempotency.Write[attachment.PayerRequestAnswer], id billing.PayerRequestID, in intake.AnswerRequest,
) (caller.Reply, error) {
	answer := sending[attachment.PayerRequestAnswer]{
		s, call,
		func(ctx context.Context, tx ports.Tx) (attachment.PayerRequestAnswer, *attachment.Attachment, error) {
			return s.answer(ctx, tx, id)
		},
	}
	return answer.run(ctx, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		named, faults := in.Named()
		request, err := tx.PayerRequests.Lock(ctx, id)
		if billing.IsNotFound(err) {
			return nil, cmp.Or(faults.Err(), err)
		}
		if err != nil {
			return nil, err
		}
		if request.State == attachment.PayerRequestAnswered {
			if err := faults.Err(); err != nil {
				return nil, err
			}
			return answering(ctx, tx, request)
		}
		if payer, ok := s.payers.Find(request.Payer.ID.String()); !ok || !payer.Capabilities.Attachments {
			return nil, &billing.Error{
				Code:    billing.CodeConflict,
				Message: "The payer accepts no attachments. Reply in the way that its letter describes.",
			}
		}
		a, err := s.choose(ctx, tx, call.Call, named, faults, in, request)
		if err != nil {
			return nil, err
		}
		return a, a.Answers(request)
	})
}

// answer reads a payer request with its answering or open attachment; nil when
// it has none. It locks the payer request, so that the attachment cannot close
// between the two reads: it would be neither open nor the answer.
func (s *Service) answer(
	ctx context.Context, tx ports.Tx, id billing.PayerRequestID,
) (out attachment.PayerRequestAnswer, a *attachment.Attachment, err error) {
	request, err := tx.PayerRequests.Lock(ctx, id)
	if err != nil {
		return out, nil, err
	}
	if request.State == attachment.PayerRequestAnswered {
		a, err = answering(ctx, tx, request)
	} else {
		a, err = s.open(ctx, tx, id)
	}
	return attachment.PayerRequestAnswer{Request: request, Attachment: a}, a, err
}

// answering returns the attachment that answers the request; nil for a request that was
// answered elsewhere.
func answering(ctx context.Context, tx ports.Tx, r *attachment.PayerRequest) (*attachment.Attachment, error) {
	if r.AnsweringAttachment.IsZero() {
		return nil, nil // an answer without an attachment is no error
	}
	return tx.Attachments.Get(ctx, r.AnsweringAttachment)
}

// open returns the open attachment of the payer request; nil when it has none.
func (s *Service) open(ctx context.Context, tx ports.Tx, id billing.PayerRequestID) (*attachment.Attachment, error) {
	found, err := tx.Attachments.List(ctx,
		attachment.Filter{PayerRequestID: id, State: attachment.Open}, billing.Page{Limit: 1})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// choose returns the answering attachment, locked, with the narrative of the
// answer: the named one, the open one, or a new one.
func (s *Service) choose(
	ctx context.Context, tx ports.Tx, call caller.Call, named billing.AttachmentID,
	faults billing.Faults, in intake.AnswerRequest, request *attachment.PayerRequest,
) (*attachment.Attachment, error) {
	if in.AttachmentID == nil {
		open, err := s.open(ctx, tx, request.ID)
		if err != nil {
			return nil, err
		}
		if open == nil {
			return s.make(ctx, tx, call, in.AttachmentRequest(request), request, nil)
		}
		named = open.ID
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	a, err := tx.Attachments.Lock(ctx, named)
	if billing.IsNotFound(err) {
		return nil, billing.NotFound("attachment", "attachment_id")
	}
	if err != nil || in.Narrative == nil || a.PayerRequestID != request.ID {
		return a, err // one of another payer request stays unchanged and is refused
	}
	return a, a.SetNarrative(*in.Narrative, call.Principal.ID, tx.Clock.Now())
}
