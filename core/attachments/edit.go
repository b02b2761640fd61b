package attachments

import (
	"context"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Narrate sets the narrative of an open attachment.
func (s *Service) Narrate(
	ctx context.Context, call idempotency.Write[*attachment.Attachment], id billing.AttachmentID, in intake.NarrativeRequest,
) (caller.Reply, error) {
	narrative, faults := in.Text()
	return s.change(ctx, call, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		a, err := tx.Attachments.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := a.Edits.Expect(call.Request.Seen); err != nil {
			return nil, err
		}
		if err := a.SetNarrative(narrative, call.Principal.ID, tx.Clock.Now()); err != nil {
			return nil, err
		}
		return a, tx.Attachments.Save(ctx, a)
	})
}

// RemoveDocument removes a document from an open attachment, and then its image
// and its thumbnail.
func (s *Service) RemoveDocument(
	ctx context.Context, call idempotency.Write[*attachment.Attachment], id billing.AttachmentID, document billing.DocumentID,
) (caller.Reply, error) {
	var removed *attachment.Document
	reply, err := s.change(ctx, call, func(ctx context.Context, tx ports.Tx) (*attachment.Attachment, error) {
		a, err := tx.Attachments.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		if removed, err = a.Remove(document, tx.Clock.Now()); err != nil {
			return nil, err
		}
		if err := tx.Documents.Delete(ctx, document); err != nil {
			return nil, err
		}
		return a, tx.Attachments.Save(ctx, a)
	})
	if err == nil && !reply.Replayed {
		s.discard(ctx, removed.Blob())
		s.discard(ctx, removed.ThumbnailBlob())
	}
	return reply, err
}

// Content opens the stored JPEG of a document. An absent attachment or document
// is CodeNotFound. The caller closes it.
func (s *Service) Content(
	ctx context.Context, scope billing.Scope, id billing.AttachmentID, document billing.DocumentID,
) (content io.ReadCloser, size int64, err error) {
	d, err := s.document(ctx, scope, id, document)
	if err != nil {
		return nil, 0, err
	}
	return s.blobs.Open(ctx, d.Blob())
}

// document reads a document of an attachment.
func (s *Service) document(
	ctx context.Context, scope billing.Scope, id billing.AttachmentID, document billing.DocumentID,
) (*attachment.Document, error) {
	a, err := s.Get(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	return a.Document(document)
}

// discard removes a blob that no row names any longer. It is best effort: the
// sweeper removes the rest.
func (s *Service) discard(ctx context.Context, blob string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	_ = s.blobs.Delete(ctx, blob)
}

const discardTime = 5 * time.Second
