package attachments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Convert converts an uploaded PNG to a document, or records the reason for
// refusing it. It may run any number of times, even at the same time; the first
// commit counts. A *jobs.DoneError reports that images cannot be stored or read
// now; after any other error the job runs again.
func (s *Service) Convert(ctx context.Context, j jobs.Job) error {
	up, err := s.pending(ctx, j)
	if err != nil || up == nil {
		return err
	}
	picture, err := s.picture(ctx, up)
	if refusal, ok := errors.AsType[*billing.Error](err); ok && refusal.Code == billing.CodeInvalidRequest {
		return s.refuse(ctx, j, up, refusal)
	}
	if err != nil {
		return s.unavailable(ctx, j, up, err)
	}
	defer picture.Content.Close() //nolint:errcheck // it was only read
	d := up.Document
	d.Size, d.MD5, d.SHA256 = picture.Size, picture.MD5, picture.SHA256
	if err := s.keep(ctx, d.Blob(), picture); err != nil {
		return s.unavailable(ctx, j, up, err)
	}
	twin, err := s.settleDocument(ctx, j, up, d)
	if refusal, ok := errors.AsType[*billing.Error](err); ok {
		return s.refuse(ctx, j, up, refusal)
	}
	if err != nil {
		return err
	}
	if twin {
		s.discard(ctx, d.Blob())
	}
	s.discard(ctx, up.Blob())
	s.reply(ctx, j)
	return nil
}

// FailConvert ends an upload whose job cannot be done.
func (s *Service) FailConvert(ctx context.Context, j jobs.Job) error {
	up, err := s.pending(ctx, j)
	if err != nil || up == nil {
		return err
	}
	return s.refuse(ctx, j, up, &billing.Error{Code: billing.CodeInternal, Message: "The image could not be converted."})
}

// pending reads the upload of the job. When nothing is left to do it ends the
// job and returns nil.
func (s *Service) pending(ctx context.Context, j jobs.Job) (up *attachment.Upload, err error) {
	err = s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		up, err = tx.Documents.Upload(ctx, billing.DocumentID(j.Subject))
		switch {
		case billing.IsNotFound(err):
			return tx.Outbox.Done(ctx, j.ID)
		case err != nil:
			return err
		case up.State != attachment.UploadPending:
			return tx.Outbox.Done(ctx, j.ID)
		}
		return nil
	})
	if err != nil || up != nil && up.State == attachment.UploadPending {
		return up, err
	}
	s.reply(ctx, j)
	return nil, nil // nothing to do, and no error
}

// picture reads the PNG and converts it. A PNG is no larger than an upload, so
// it is read into memory: the codec reads it more than once.
func (s *Service) picture(ctx context.Context, up *attachment.Upload) (*ports.Picture, error) {
	content, size, err := s.blobs.Open(ctx, up.Blob())
	if err != nil {
		return nil, internal(err)
	}
	defer content.Close() //nolint:errcheck // it is only read
	file := make([]byte, up.Size)
	if _, err := io.ReadFull(content, file); err != nil {
		return nil, billing.StorageUnavailable(err)
	}
	if size != up.Size || sha256.Sum256(file) != up.SHA256 {
		return nil, errors.New("the PNG in the blob store is not the one that was uploaded")
	}
	return s.images.Convert(ctx, bytes.NewReader(file), up.Size)
}

// internal hides the code of an error that the caller cannot fix.
// CodeUnavailable stays.
func internal(err error) error {
	if billing.CodeOf(err) == billing.CodeUnavailable {
		return err
	}
	return &billing.Error{Code: billing.CodeInternal, Cause: err}
}

// settleDocument commits the document if the attachment accepts it. Twin reports that
// the attachment had the image already, so that no row will ever name the new
// blob. If another commit settled the upload, the blob may belong to its
// document.
func (s *Service) settleDocument(ctx context.Context, j jobs.Job, up *attachment.Upload, d attachment.Document) (twin bool, err error) {
	done := *up
	done.State = attachment.UploadDone
	err = s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		twin = false
		a, err := tx.Attachments.Lock(ctx, up.AttachmentID)
		if err != nil {
			return err
		}
		first, err := tx.Documents.Settle(ctx, &done)
		if err != nil {
			return err
		}
		if first {
			document := d
			added, err := a.Add(&document, tx.Clock.Now())
			if err != nil {
				return err
			}
			if err := s.insert(ctx, tx, a, &document, added); err != nil {
				return err
			}
			twin = !added
		}
		return tx.Outbox.Done(ctx, j.ID)
	})
	return twin && err == nil, err
}

// refuse ends an upload that does not become a document, and records the
// reason.
func (s *Service) refuse(ctx context.Context, j jobs.Job, up *attachment.Upload, why *billing.Error) error {
	refused := *up
	refused.State, refused.Refusal = attachment.UploadRefused, why
	err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return settle(ctx, tx, &refused, j.ID)
	})
	if err == nil {
		s.discard(ctx, up.Blob())
		s.reply(ctx, j)
	}
	return err
}

// unavailable ends an upload that the blob store or a full disk stopped, and
// returns any other error. The client waits and still has the PNG, so a prompt
// 503 is better than attempts that outlast the wait.
func (s *Service) unavailable(ctx context.Context, j jobs.Job, up *attachment.Upload, fault error) error {
	why, ok := errors.AsType[*billing.Error](fault)
	if !ok || why.Code != billing.CodeUnavailable {
		return fault
	}
	if err := s.refuse(ctx, j, up, why); err != nil {
		return err
	}
	return &jobs.DoneError{Cause: fault}
}

// reply is best effort: a waiting instance also polls.
func (s *Service) reply(ctx context.Context, j jobs.Job) {
	if j.ReplyTo != "" {
		_ = s.queue.Reply(ctx, j.ReplyTo, j.Subject)
	}
}
