package attachments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// outgoing is an attachment that is ready for its network.
type outgoing struct {
	attachment   *attachment.Attachment
	transmission attachment.Transmission
	read         time.Time // in real time, like SendingSince
}

// Send sends an attachment through its network and closes it, with its event
// and the answer to its payer request, in one commit. It may run any number of
// times: the network identifies the attachment by its number, and the first
// commit counts. When the network fails the attachment is open again. When the
// images cannot be read now the job rests. Both return a *jobs.DoneError with
// the cause; after any other error the job runs again.
func (s *Service) Send(ctx context.Context, j jobs.Job) error {
	p, err := s.outgoing(ctx, j)
	if err != nil || p == nil {
		return err
	}
	silent := p.attachment.SendingSince.Add(s.times.Silence)
	// The network's time runs from the first request, however long the job
	// waited.
	sending, cancel := context.WithTimeout(ctx, max(silent.Sub(p.read), leastPatience))
	err = s.transmit(sending, p)
	cancel()
	later, postponed := errors.AsType[*billing.LaterError](err)
	ours := (*ownError)(nil)
	switch {
	case err == nil:
		return s.finish(ctx, j, func(a *attachment.Attachment, now time.Time) bool { return a.Sent(p.attachment.Number, now) })
	case postponed && later.Until.Before(silent):
		return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
			return tx.Outbox.Postpone(ctx, j.ID, later.Until)
		})
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours) && billing.CodeOf(ours.error) == billing.CodeUnavailable:
		return s.stall(ctx, j, ours.error)
	case errors.As(err, &ours):
		return ours.error
	}
	if err := s.finish(ctx, j, func(a *attachment.Attachment, _ time.Time) bool { return a.NotSent(j.ID) }); err != nil {
		return err
	}
	return &jobs.DoneError{Cause: fmt.Errorf("send the attachment: %w", err)}
}

// leastPatience is the minimum time for the network when the attachment has
// waited long.
const leastPatience = 10 * time.Second

// FailSend leaves an attachment open when its job cannot be done. The network
// did not fail, so the idempotency key of the request counts as new.
func (s *Service) FailSend(ctx context.Context, j jobs.Job) error {
	return s.finish(ctx, j, func(a *attachment.Attachment, _ time.Time) bool { return a.GiveUp(j.ID) })
}

// stall lets the job rest while the blob store is down, and notifies the
// waiting instance. It counts no attempt: the job continues however long the
// outage lasts.
func (s *Service) stall(ctx context.Context, j jobs.Job, fault error) error {
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Attachments.Lock(ctx, billing.AttachmentID(j.Subject))
		if err != nil {
			return err
		}
		if !a.Stall(j.ID) {
			return tx.Outbox.Done(ctx, j.ID)
		}
		if err := tx.Attachments.Save(ctx, a); err != nil {
			return err
		}
		now := tx.Real.Now()
		rest := min(max(now.Sub(a.SendingSince), billing.AttachmentLeastRest), billing.AttachmentMostRest)
		return tx.Outbox.Postpone(ctx, j.ID, now.Add(rest))
	})
	if err != nil {
		return err
	}
	s.reply(ctx, j)
	return &jobs.DoneError{Cause: fmt.Errorf("read the images of the attachment: %w", fault)}
}

// ownError marks an error on our side of the network.
type ownError struct{ error }

// outgoing reads the attachment and its context. When nothing is left to do it
// ends the job and returns nil.
func (s *Service) outgoing(ctx context.Context, j jobs.Job) (p *outgoing, err error) {
	err = s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		p = nil
		a, err := tx.Attachments.Get(ctx, billing.AttachmentID(j.Subject))
		if billing.IsNotFound(err) || err == nil && a.Sending != j.ID {
			return tx.Outbox.Done(ctx, j.ID)
		}
		if err != nil {
			return err
		}
		office, err := tx.Offices.Get(ctx, a.OfficeID)
		if err != nil {
			return err
		}
		number, earlier, err := s.context(ctx, tx, a)
		p = &outgoing{a, a.Transmission(office, number, earlier), tx.Real.Now().Time}
		return err
	})
	if err == nil && p == nil {
		s.reply(ctx, j)
	}
	return p, err
}

// context returns the control number of the attachment's claim, empty without one, and
// for an answer the number of the claim's attachment before it.
func (s *Service) context(ctx context.Context, tx ports.Tx, a *attachment.Attachment) (controlNumber, earlier string, err error) {
	if a.ClaimID.IsZero() {
		return "", "", nil
	}
	c, err := tx.Claims.Get(ctx, a.ClaimID)
	if err != nil {
		return "", "", err
	}
	if a.Kind != attachment.Solicited {
		return c.PatientControlNumber, "", nil
	}
	before, err := tx.Attachments.List(ctx,
		attachment.Filter{ClaimID: a.ClaimID, State: attachment.Closed}, billing.Page{Limit: 1})
	if err != nil || len(before) == 0 {
		return c.PatientControlNumber, "", err
	}
	return c.PatientControlNumber, before[0].Number, nil
}

// transmit sends the attachment to the network, file by file.
func (s *Service) transmit(ctx context.Context, p *outgoing) error {
	to, err := s.networks.For(p.attachment.Scope, p.attachment.Payer.ID, network.Attachments)
	if err != nil {
		return err
	}
	n := to.Attachments
	if err := n.Open(ctx, p.transmission); err != nil {
		return err
	}
	for _, d := range p.attachment.Documents {
		content, _, err := s.blobs.Open(ctx, d.Blob())
		if err != nil {
			return &ownError{internal(err)}
		}
		file := &image{Reader: content}
		err = n.Add(ctx, p.attachment.Number, d, file)
		_ = content.Close() // it was only read
		if file.err != nil && ctx.Err() == nil {
			return &ownError{billing.StorageUnavailable(file.err)}
		}
		if err != nil {
			return err
		}
	}
	return commit(ctx, n, p.attachment.Number)
}

// commit commits a transmission. When the response is lost the network may
// still have it, so commit asks again before it returns a failure.
func commit(ctx context.Context, n ports.AttachmentNetwork, number string) (err error) {
	for _, pause := range billing.AttachmentCommitPauses() {
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
		if err = n.Commit(ctx, number); err == nil {
			return nil
		}
	}
	return err
}

// image records the error that ended its reading early. Otherwise a network
// would report that error as its own.
type image struct {
	io.Reader
	err error
}

func (i *image) Read(b []byte) (n int, err error) {
	if n, err = i.Reader.Read(b); err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// finish commits the end of the sending, and notifies the waiting instance. End
// changes the locked attachment, or returns false.
func (s *Service) finish(ctx context.Context, j jobs.Job, end func(a *attachment.Attachment, now time.Time) bool) error {
	id := billing.AttachmentID(j.Subject)
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		a, err := tx.Attachments.Get(ctx, id)
		if billing.IsNotFound(err) {
			return tx.Outbox.Done(ctx, j.ID)
		}
		if err != nil {
			return err
		}
		var request *attachment.PayerRequest
		if !a.PayerRequestID.IsZero() { // the request is locked before its attachment
			if request, err = tx.PayerRequests.Lock(ctx, a.PayerRequestID); err != nil {
				return err
			}
		}
		if a, err = tx.Attachments.Lock(ctx, id); err != nil {
			return err
		}
		if end(a, tx.Clock.Now()) {
			if err := s.save(ctx, tx, a, request); err != nil {
				return err
			}
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
	if err == nil {
		s.reply(ctx, j)
	}
	return err
}

// save stores an attachment whose sending has ended: a closed one with its
// event, and with the payer request that it answers.
func (s *Service) save(ctx context.Context, tx ports.Tx, a *attachment.Attachment, request *attachment.PayerRequest) error {
	if err := tx.Attachments.Save(ctx, a); err != nil || a.State != attachment.Closed {
		return err
	}
	if request != nil {
		request.Answer(a)
		if err := tx.PayerRequests.Save(ctx, request); err != nil {
			return err
		}
	}
	return tx.Events.Append(ctx, a.CompletedEvent())
}
