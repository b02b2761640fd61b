package attachments

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// sending is a call that starts sending an attachment and waits for the end. T
// is its result.
type sending[T any] struct {
	*Service

	call idempotency.Write[T]
	// show reads the content of the reply, and the attachment whose sending
	// decides it; nil while there is none.
	show func(ctx context.Context, tx ports.Tx) (T, *attachment.Attachment, error)
}

// errNotSent is the error when the network did not accept the attachment.
func errNotSent() error {
	return &billing.Error{
		Code:    billing.CodeAttachmentsNetworkError,
		Message: "The attachment network did not finish. The attachment is still open and nothing is lost. Close it or answer again. " + coverage.KeptFailure,
	}
}

// errStalled is the error while the attachment waits for its images.
func errStalled() error {
	return &billing.Error{
		Code: billing.CodeUnavailable,
		Message: "The images cannot be read now. The attachment will be sent as soon as they can be. " +
			"After the number of seconds in Retry-After, send the request again with the same key.",
		Cause: errors.New("the worker cannot read the attachment's images; its log has the cause"),
	}
}

// replay returns the reply to an earlier request with the key; nil when the key
// is new. After the job of an earlier request was given up, the key counts as
// new.
func (s *sending[T]) replay(ctx context.Context, tx ports.Tx) (*caller.Reply, error) {
	kept, work, err := idempotency.Reserve(ctx, tx, s.call.Request)
	if err != nil || kept != nil || work.IsZero() {
		return kept, err
	}
	made, a, err := s.show(ctx, tx)
	if err != nil {
		return nil, err
	}
	var failure error
	switch {
	case a != nil && a.State == attachment.Closed:
	case a != nil && a.Sending == work && a.Stalled == work:
		return nil, errStalled()
	case a != nil && a.Sending == work:
		return nil, caller.ErrKeyInUse()
	case a != nil && a.Stalled == work:
		return nil, nil // the earlier request failed, and the key counts as new
	default:
		failure = errNotSent()
	}
	reply, err := s.call.Keep(ctx, tx, made, failure)
	reply.Replayed = true
	return &reply, err
}

// begin assigns the locked attachment to a job that sends it.
func (s *sending[T]) begin(ctx context.Context, tx ports.Tx, a *attachment.Attachment, replyTo string) error {
	var serial int64
	if a.Number == "" {
		var err error
		if serial, err = tx.Attachments.Serial(ctx); err != nil {
			return err
		}
	}
	now := tx.Real.Now()
	job := jobs.Job{
		ID: billing.NewID[billing.JobID](now), Kind: jobs.KindAttachmentSend, Scope: s.call.Scope, Subject: a.ID, ReplyTo: replyTo,
	}
	if err := a.BeginSending(job.ID, serial, now.Time); err != nil {
		return err
	}
	if err := tx.Attachments.Save(ctx, a); err != nil {
		return err
	}
	if err := tx.Keys.Record(ctx, s.call.Request.Waiting(job.ID, now.Time)); err != nil {
		return err
	}
	return tx.Outbox.Stage(ctx, job)
}

// run sends the attachment that choose locks. It waits until the attachment is
// sent, fails, or waits for its images. A closed attachment is not sent again. Choose
// returns nil when there is nothing to send.
func (s *sending[T]) run(
	ctx context.Context, choose func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error),
) (reply caller.Reply, err error) {
	waiting, cancel := context.WithTimeout(ctx, s.times.SendWait) // the wait includes waiting for the store
	defer cancel()
	var a *attachment.Attachment
	var box ports.Mailbox
	defer func() {
		if box.Close != nil {
			box.Close()
		}
	}()
	reply, err = s.first(ctx, s.call.Scope, s.replay, func(ctx context.Context, tx ports.Tx) (reply caller.Reply, err error) {
		if err := s.networks.Available(s.call.Scope, network.Attachments); err != nil {
			return reply, err
		}
		if a, err = choose(ctx, tx); err != nil {
			return reply, err
		}
		if a == nil || a.State == attachment.Closed {
			made, _, err := s.show(ctx, tx)
			if err != nil {
				return reply, err
			}
			return s.call.Keep(ctx, tx, made, nil)
		}
		if box.Close != nil { // the transaction runs again
			box.Close()
		}
		box = s.queue.Await(a.ID)
		return reply, s.begin(ctx, tx, a, box.Address)
	})
	if err != nil || reply.Replayed || a == nil || a.State == attachment.Closed {
		return reply, err
	}
	err = jobs.Wait(waiting, box.C, func(ctx context.Context) bool {
		now, err := s.Get(ctx, s.call.Scope, a.ID)
		return err == nil && (now.Sending != a.Sending || now.Stalled == a.Sending) // a failed read proves nothing
	})
	if err != nil {
		return reply, err
	}
	return s.kept(ctx, s.call.Scope, s.replay)
}

// Close sends an open, unsolicited attachment through its network and closes
// it. It returns a closed attachment unchanged.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeNotFound, CodeConflict when the attachment has no document, is solicited,
// or is being sent, and CodeUnavailable while its images cannot be read. The
// sending continues after CodeUnavailable. A network failure is returned as a
// reply, not as an error.
func (s *Service) Close(ctx context.Context, call idempotency.Write[*attachment.Attachment], id billing.AttachmentID) (caller.Reply, error) {
	closing := sending[*attachment.Attachment]{s, call, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, *attachment.Attachment, error) {
		a, err := tx.Attachments.Get(ctx, id)
		return a, a, err
	}}
	return closing.run(ctx, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		if err := call.Request.Faults.Err(); err != nil {
			return nil, err
		}
		a, err := tx.Attachments.Lock(ctx, id)
		if err != nil || a.State == attachment.Closed {
			return a, err
		}
		return a, a.Closable()
	})
}
