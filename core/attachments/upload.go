package attachments

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// File is an uploaded file as it arrived; Content is nil when there is none.
type File struct {
	Content io.ReaderAt
	Size    int64
	Sums    Sums
}

// Sums are the digests of a file, which its receiver computes as it arrives. A PNG goes to
// the blob store as it is.
type Sums struct {
	SHA256 [sha256.Size]byte
	MD5    [md5.Size]byte // of a PNG; blob stores compare it
}

// upload is a request that adds an image.
type upload struct {
	*Service

	call       idempotency.Write[*attachment.Attachment]
	attachment billing.AttachmentID
	now        time.Time    // when the request was first read
	real       billing.Real // the same, in real time
}

// Upload adds an image to an open attachment: a JPEG rewritten without its
// metadata, or a PNG that a worker converts to a JPEG. An image that the
// attachment has already changes nothing.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeInvalidRequest with every fault of the form or with the fault of the
// image, CodeNotFound, CodeConflict when the attachment is closed or being
// sent, and CodeTooManyRequests when no worker converted the PNG in time.
func (s *Service) Upload(
	ctx context.Context, call idempotency.Write[*attachment.Attachment], id billing.AttachmentID, in intake.DocumentRequest, file File,
) (reply caller.Reply, err error) {
	u := upload{Service: s, call: call, attachment: id}
	var a *attachment.Attachment
	var absent error
	var today billing.Date
	reply, err = s.first(ctx, call.Scope, u.replay, func(ctx context.Context, tx ports.Tx) (reply caller.Reply, err error) {
		u.now, u.real = tx.Clock.Now(), tx.Real.Now()
		today = directory.NoOffice().Today(u.now)
		if err := s.networks.Available(call.Scope, network.Attachments); err != nil {
			return reply, err
		}
		if a, absent = tx.Attachments.Get(ctx, id); billing.IsNotFound(absent) {
			return reply, nil // faults of the request are reported first
		} else if absent != nil {
			return reply, absent
		}
		office, err := tx.Offices.Get(ctx, a.OfficeID)
		if err == nil {
			today = office.Today(u.now)
		}
		return reply, err
	})
	if err != nil || reply.Replayed {
		return reply, err
	}
	d, faults := in.Document(today)
	format := sniff(&faults, file)
	if err := faults.Err(); err != nil {
		return reply, err
	}
	d.ID = billing.NewID[billing.DocumentID](u.real)
	if format == attachment.FormatPNG {
		return u.png(ctx, a, absent, d, file)
	}
	return u.jpeg(ctx, a, absent, d, file)
}

// sniff returns the format of the file, or adds a fault.
func sniff(faults *billing.Faults, file File) attachment.ImageFormat {
	if file.Content == nil {
		faults.Add("file", billing.FaultRequired, "Send the image in the part named file.")
		return ""
	}
	head := make([]byte, 8)
	n, _ := file.Content.ReadAt(head, 0)
	format := attachment.SniffImage(head[:n])
	if format == "" {
		faults.Add("file", billing.FaultFormat, "The file is neither a JPEG nor a PNG. Other formats, such as PDF, are not accepted. Save the file as a JPEG or a PNG.")
	}
	return format
}

// replay returns the reply to an earlier request with the key; nil when the key
// is new.
func (u *upload) replay(ctx context.Context, tx ports.Tx) (*caller.Reply, error) {
	kept, work, err := idempotency.Reserve(ctx, tx, u.call.Request)
	if err != nil || kept != nil || work.IsZero() {
		return kept, err
	}
	earlier, err := tx.Documents.Upload(ctx, billing.DocumentID(work))
	switch {
	case billing.IsNotFound(err):
		return nil, nil // the key is new
	case err != nil:
		return nil, err
	case earlier.State == attachment.UploadPending:
		return nil, caller.ErrKeyInUse()
	case earlier.State != attachment.UploadDone:
		return nil, nil // the earlier request failed, and the key counts as new
	}
	a, err := tx.Attachments.Get(ctx, u.attachment)
	if err != nil {
		return nil, err
	}
	reply, err := u.call.Keep(ctx, tx, a, nil)
	reply.Replayed = true
	return &reply, err
}

// jpeg rewrites the image, stores it, and then adds the document.
func (u *upload) jpeg(
	ctx context.Context, a *attachment.Attachment, absent error, d attachment.Document, file File,
) (reply caller.Reply, err error) {
	picture, err := u.images.Sanitize(ctx, file.Content, file.Size)
	if err != nil {
		return reply, err
	}
	defer picture.Content.Close() //nolint:errcheck // it was only read
	if absent != nil {
		return reply, absent
	}
	d.Size, d.MD5, d.SHA256 = picture.Size, picture.MD5, picture.SHA256
	trial := d
	added, err := a.Add(&trial, u.now) // a preview; the locked row decides
	if err != nil {
		return reply, err
	}
	if added {
		if err := u.keep(ctx, d.Blob(), picture); err != nil {
			return reply, err
		}
	}
	stored := added
	reply, err = u.first(ctx, u.call.Scope, u.replay, func(ctx context.Context, tx ports.Tx) (reply caller.Reply, err error) {
		if a, err = tx.Attachments.Lock(ctx, u.attachment); err != nil {
			return reply, err
		}
		document := d
		if added, err = a.Add(&document, tx.Clock.Now()); err != nil {
			return reply, err
		}
		if added && !stored { // the twin was removed in between
			return reply, &billing.Error{Code: billing.CodeConflict, Message: "The attachment changed while the image was checked. Send the image again."}
		}
		if err := u.insert(ctx, tx, a, &document, added); err != nil {
			return reply, err
		}
		return u.call.Keep(ctx, tx, a, nil)
	})
	_, refused := errors.AsType[*billing.Error](err)
	if stored && (refused || err == nil && (reply.Replayed || !added)) {
		u.discard(ctx, d.Blob())
	}
	return reply, err
}

// insert stores the changes of adding a document, and stages the work on its
// thumbnail.
func (s *Service) insert(ctx context.Context, tx ports.Tx, a *attachment.Attachment, d *attachment.Document, added bool) error {
	if !added {
		return nil
	}
	if err := tx.Documents.Insert(ctx, a.ID, d); err != nil {
		return err
	}
	if err := tx.Outbox.Stage(ctx, jobs.Job{Kind: jobs.KindThumbnail, Scope: a.Scope, Subject: d.ID}); err != nil {
		return err
	}
	return tx.Attachments.Save(ctx, a)
}

// keep writes a picture to the blob store.
func (s *Service) keep(ctx context.Context, name string, p *ports.Picture) error {
	return s.blobs.Put(ctx, name, ports.Blob{Size: p.Size, MD5: p.MD5, SHA256: p.SHA256, Content: p.Content})
}

// png stores the file for a worker to convert, and waits for the result.
func (u *upload) png(
	ctx context.Context, a *attachment.Attachment, absent error, d attachment.Document, file File,
) (reply caller.Reply, err error) {
	if err := u.images.CheckPNG(ctx, file.Content, file.Size); err != nil {
		return reply, err
	}
	if absent != nil {
		return reply, absent
	}
	if err := a.Admits(); err != nil {
		return reply, err
	}
	d.ConvertedFrom = attachment.FormatPNG
	up := attachment.Upload{
		AttachmentID: u.attachment, Document: d, Size: file.Size, Key: u.call.Request.Key, State: attachment.UploadPending, CreatedAt: u.now,
	}
	if err := u.stage(ctx, &up, file); err != nil {
		return reply, err
	}
	box := u.queue.Await(d.ID)
	defer box.Close()
	job := jobs.Job{
		ID: billing.NewID[billing.JobID](u.real), Kind: jobs.KindPNGConvert, Scope: u.call.Scope, Subject: d.ID, ReplyTo: box.Address,
	}
	reply, err = u.first(ctx, u.call.Scope, u.replay, func(ctx context.Context, tx ports.Tx) (reply caller.Reply, err error) {
		if a, err = tx.Attachments.Lock(ctx, u.attachment); err != nil {
			return reply, err
		}
		if err := a.Admits(); err != nil {
			return reply, err
		}
		if err := tx.Documents.Receive(ctx, &up); err != nil {
			return reply, err
		}
		if err := tx.Keys.Record(ctx, u.call.Request.Waiting(up.Work(), tx.Real.Now().Time)); err != nil {
			return reply, err
		}
		return reply, tx.Outbox.Stage(ctx, job)
	})
	if _, refused := errors.AsType[*billing.Error](err); refused || reply.Replayed {
		u.discard(ctx, up.Blob())
	}
	if err != nil || reply.Replayed {
		return reply, err
	}
	return u.wait(ctx, d.ID, job.ID, box)
}

// stage writes the PNG to the blob store.
func (u *upload) stage(ctx context.Context, up *attachment.Upload, file File) error {
	up.SHA256 = file.Sums.SHA256
	return u.blobs.Put(ctx, up.Blob(), ports.Blob{
		Size: file.Size, MD5: file.Sums.MD5, SHA256: up.SHA256, Content: io.NewSectionReader(file.Content, 0, file.Size),
	})
}

// wait waits until the upload is settled. When that takes too long it cancels
// the upload, because no reply would name the document.
func (u *upload) wait(
	ctx context.Context, id billing.DocumentID, job billing.JobID, box ports.Mailbox,
) (reply caller.Reply, err error) {
	waiting, cancel := context.WithTimeout(ctx, u.times.ConvertWait)
	defer cancel()
	err = jobs.Wait(waiting, box.C, func(ctx context.Context) bool {
		up, err := u.read(ctx, id)
		return err == nil && up.State != attachment.UploadPending // a failed read proves nothing
	})
	if ctx.Err() != nil {
		return reply, ctx.Err()
	}
	if err != nil {
		if err := u.cancel(ctx, id, job); err != nil {
			return reply, err
		}
	}
	up, err := u.read(ctx, id)
	switch {
	case err != nil:
		return reply, err
	case up.State == attachment.UploadCancelled:
		u.discard(ctx, up.Blob())
		return reply, &billing.Error{
			Code: billing.CodeTooManyRequests, Message: "Too many PNGs are waiting for conversion. Send the PNG again later, or send a JPEG.",
		}
	case up.Refusal != nil:
		return reply, up.Refusal
	}
	return u.kept(ctx, u.call.Scope, u.replay)
}

func (u *upload) read(ctx context.Context, id billing.DocumentID) (up *attachment.Upload, err error) {
	err = u.store.View(ctx, u.call.Scope, func(ctx context.Context, tx ports.Tx) error {
		up, err = tx.Documents.Upload(ctx, id)
		return err
	})
	return up, err
}

// cancel cancels the upload, unless it is settled by now.
func (u *upload) cancel(ctx context.Context, id billing.DocumentID, job billing.JobID) error {
	return u.store.InTx(ctx, u.call.Scope, func(ctx context.Context, tx ports.Tx) error {
		up, err := tx.Documents.Upload(ctx, id)
		if err != nil {
			return err
		}
		up.State = attachment.UploadCancelled
		return settle(ctx, tx, up, job)
	})
}

// settle ends an upload that did not become a document, and releases its key.
// It does nothing when the upload is settled already.
func settle(ctx context.Context, tx ports.Tx, up *attachment.Upload, job billing.JobID) error {
	first, err := tx.Documents.Settle(ctx, up)
	if err != nil || !first {
		return err
	}
	if err := tx.Keys.Release(ctx, up.Key, up.Work()); err != nil {
		return err
	}
	return tx.Outbox.Done(ctx, job)
}
