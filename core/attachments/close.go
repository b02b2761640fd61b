package attachments

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// sending is one request that has an attachment sent and waits for that. T is
// what it shows when the attachment was sent.
type sending[T any] struct {
	*Service
	scope  billing.Scope
	req    billing.Request
	render billing.Render[T]
	// show reads what the answer shows, with the attachment whose sending
	// counts, which is nil while there is none.
	show func(ctx context.Context, tx ports.Tx) (T, *billing.Attachment, error)
}

// errNotSent is the error when the network did not take the attachment.
func errNotSent() error {
	return &billing.Error{
		Code:    billing.CodeAttachmentsNetworkError,
		Message: "The attachment network did not finish. The attachment is still open and nothing is lost; close or answer again. " + billing.KeptFailure,
	}
}

// errStalled is the error while the attachment waits for its images.
func errStalled() error {
	return &billing.Error{
		Code: billing.CodeUnavailable,
		Message: "Images cannot be read now. The attachment is sent as soon as they can be. " +
			"Send the request again, with the same key, after the seconds of Retry-After.",
		Cause: errors.New("the worker cannot read the attachment's images; its log has the cause"),
	}
}

// replay answers from what an earlier request with the key came to. A request
// whose job was given up came to nothing, and its key is as new.
func (s *sending[T]) replay(ctx context.Context, tx ports.Tx) (answer billing.Answer, replayed bool, err error) {
	kept, work, err := idempotency.Claim(ctx, tx, s.req)
	switch {
	case err != nil:
		return answer, false, err
	case kept != nil:
		return *kept, true, nil
	case work.IsZero():
		return answer, false, nil
	}
	made, a, err := s.show(ctx, tx)
	switch {
	case err != nil:
		return answer, false, err
	case a != nil && a.State == billing.AttachmentClosed:
		answer = s.render(made, nil)
	case a != nil && a.Sending == work && a.Stalled == work:
		return answer, false, errStalled()
	case a != nil && a.Sending == work:
		return answer, false, billing.ErrKeyInUse()
	case a != nil && a.Stalled == work:
		return answer, false, nil
	default:
		answer = s.render(made, errNotSent())
	}
	return answer, true, tx.Keys.Record(ctx, s.req.Answered(answer, tx.Clock.Now()))
}

// keep answers at once with what is there.
func (s *sending[T]) keep(ctx context.Context, tx ports.Tx, made T) (billing.Answer, error) {
	answer := s.render(made, nil)
	return answer, tx.Keys.Record(ctx, s.req.Answered(answer, tx.Clock.Now()))
}

// begin gives the locked attachment to a job that sends it.
func (s *sending[T]) begin(ctx context.Context, tx ports.Tx, a *billing.Attachment, replyTo string) error {
	var serial int64
	if a.Number == "" {
		var err error
		if serial, err = tx.Attachments.Serial(ctx); err != nil {
			return err
		}
	}
	now := tx.Clock.Now()
	job := jobs.Job{
		ID: billing.NewID[billing.JobID](now), Kind: jobs.KindAttachmentSend, Scope: s.scope, Subject: a.ID, ReplyTo: replyTo,
	}
	if err := a.BeginSending(job.ID, serial, now); err != nil {
		return err
	}
	if err := tx.Attachments.Save(ctx, a); err != nil {
		return err
	}
	if err := tx.Keys.Record(ctx, s.req.Waiting(job.ID, now)); err != nil {
		return err
	}
	return tx.Outbox.Stage(ctx, job)
}

// wait waits until the attachment that a holds is sent, or is not, or waits for
// its images.
func (s *sending[T]) wait(ctx context.Context, a *billing.Attachment, box ports.Mailbox) error {
	return jobs.Wait(ctx, box.C, func(ctx context.Context) bool {
		now, err := s.Get(ctx, s.scope, a.ID)
		return err == nil && (now.Sending != a.Sending || now.Stalled == a.Sending) // a look that failed is no answer
	})
}

// Close sends an open, unsolicited attachment through its network and closes
// it. A closed one is returned as it is.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeNotFound, and CodeConflict when the attachment has no document, is
// solicited, or is being sent, CodeUnavailable while its images cannot be read:
// the sending goes on. An answer that the network failed is an answer.
func (s *Service) Close(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.AttachmentID, faults billing.Faults,
	render billing.Render[*billing.Attachment],
) (answer billing.Answer, replayed bool, err error) {
	closing := sending[*billing.Attachment]{
		s, scope, req, render,
		func(ctx context.Context, tx ports.Tx) (*billing.Attachment, *billing.Attachment, error) {
			a, err := tx.Attachments.Get(ctx, id)
			return a, a, err
		},
	}
	waiting, cancel := context.WithTimeout(ctx, s.times.SendWait) // from here on: waiting for the store counts
	defer cancel()
	box := s.queue.Await(id)
	defer box.Close()
	var a *billing.Attachment
	done := false
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		answer, replayed, err = closing.replay(ctx, tx)
		if done = replayed; err != nil || done {
			return err
		}
		if err := s.networks[scope.Mode].Available(); err != nil {
			return err
		}
		if err := faults.Err(); err != nil {
			return err
		}
		if a, err = tx.Attachments.Lock(ctx, id); err != nil {
			return err
		}
		if done = a.State == billing.AttachmentClosed; done {
			answer, err = closing.keep(ctx, tx, a)
			return err
		}
		if err := a.Closable(); err != nil {
			return err
		}
		return closing.begin(ctx, tx, a, box.Address)
	})
	if err != nil || done {
		return answer, replayed, err
	}
	if err := closing.wait(waiting, a, box); err != nil {
		return answer, false, err
	}
	answer, err = s.kept(ctx, scope, closing.replay)
	return answer, false, err
}
