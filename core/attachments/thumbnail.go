package attachments

import (
	"context"
	"io"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Thumbnail opens the thumbnail of a document, and makes it when it is missing.
// An absent attachment or document is CodeNotFound. The caller closes it.
func (s *Service) Thumbnail(
	ctx context.Context, scope billing.Scope, id billing.AttachmentID, document billing.DocumentID,
) (content io.ReadCloser, size int64, err error) {
	d, err := s.document(ctx, scope, id, document)
	if err != nil {
		return nil, 0, err
	}
	if content, size, err = s.blobs.Open(ctx, d.ThumbnailBlob()); !billing.IsNotFound(err) {
		return content, size, err
	}
	if err := s.reduce(ctx, d); err != nil {
		return nil, 0, err
	}
	return s.blobs.Open(ctx, d.ThumbnailBlob())
}

// MakeThumbnail makes the thumbnail of a new document. It may run any number of
// times, even at the same time: the thumbnail of an image is always the same.
// When the document was removed, nothing is left to do.
func (s *Service) MakeThumbnail(ctx context.Context, j jobs.Job) error {
	if err := s.reduce(ctx, &attachment.Document{ID: billing.DocumentID(j.Subject)}); err != nil && !billing.IsNotFound(err) {
		return err
	}
	return s.FailThumbnail(ctx, j)
}

// FailThumbnail ends a job. A thumbnail that is missing is made when it is
// requested.
func (s *Service) FailThumbnail(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
}

// reduce makes the thumbnail of a document from its stored JPEG.
func (s *Service) reduce(ctx context.Context, d *attachment.Document) error {
	content, _, err := s.blobs.Open(ctx, d.Blob())
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // it is only read
	picture, err := s.images.Thumbnail(ctx, content)
	if err != nil {
		return internal(err)
	}
	defer picture.Content.Close() //nolint:errcheck // it was only read
	return s.keep(ctx, d.ThumbnailBlob(), picture)
}
