package attachments

import (
	"context"
	"crypto/md5" //nolint:gosec // G501: blob stores compare MD5 sums; nothing trusts them
	"crypto/sha256"
	"errors"
	"io"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// File is an uploaded file as it arrived; Content is nil when none did.
type File struct {
	Content io.ReaderAt
	Size    int64
}

// upload is one request to add an image.
type upload struct {
	*Service
	scope      billing.Scope
	req        billing.Request
	attachment billing.AttachmentID
	now        time.Time // when the request was first looked at
	render     billing.Render[*billing.Attachment]
}

// Upload adds an image to an open attachment: a JPEG rewritten without its
// metadata, or a PNG that a worker makes a JPEG of. An image that the attachment
// has already changes nothing.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable,
// CodeInvalidRequest with every fault of the form or with what is wrong with
// the image, CodeNotFound, CodeConflict when the attachment is closed or being
// sent, and CodeTooManyRequests when no worker converted the PNG in time.
func (s *Service) Upload(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.AttachmentID, in billing.DocumentRequest, file File,
	render billing.Render[*billing.Attachment],
) (answer billing.Answer, replayed bool, err error) {
	u := upload{Service: s, scope: scope, req: req, attachment: id, render: render}
	var a *billing.Attachment
	var absent error
	var today billing.Date
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		u.now = tx.Clock.Now()
		today = billing.DateOf(u.now)
		answer, replayed, err = u.replay(ctx, tx)
		if err != nil || replayed {
			return err
		}
		if err := s.networks[scope.Mode].Available(); err != nil {
			return err
		}
		if a, absent = tx.Attachments.Get(ctx, id); billing.IsNotFound(absent) {
			return nil // what is wrong with the request is told first
		} else if absent != nil {
			return absent
		}
		office, err := tx.Offices.Get(ctx, a.OfficeID)
		if err == nil {
			today = office.Today(u.now)
		}
		return err
	})
	if err != nil || replayed {
		return answer, replayed, err
	}
	d, faults := in.Parse(today)
	format := sniff(&faults, file)
	if err := faults.Err(); err != nil {
		return answer, false, err
	}
	d.ID = billing.NewID[billing.DocumentID](u.now)
	if format == billing.FormatPNG {
		return u.png(ctx, a, absent, d, file)
	}
	return u.jpeg(ctx, a, absent, d, file)
}

// sniff tells the format of the file, and what is wrong when there is none.
func sniff(faults *billing.Faults, file File) billing.ImageFormat {
	if file.Content == nil {
		faults.Add("file", billing.FaultRequired, "Send the image as the part named file.")
		return ""
	}
	head := make([]byte, 8)
	n, _ := file.Content.ReadAt(head, 0)
	format := billing.SniffImage(head[:n])
	if format == "" {
		faults.Add("file", billing.FaultFormat, "The file is neither a JPEG nor a PNG. PDF and other formats are not taken: save it as one of them.")
	}
	return format
}

// replay answers from what an earlier request with the key came to.
func (u *upload) replay(ctx context.Context, tx ports.Tx) (answer billing.Answer, replayed bool, err error) {
	kept, work, err := idempotency.Claim(ctx, tx, u.req)
	switch {
	case err != nil:
		return answer, false, err
	case kept != nil:
		return *kept, true, nil
	case work.IsZero():
		return answer, false, nil
	}
	earlier, err := tx.Documents.Upload(ctx, billing.DocumentID(work))
	switch {
	case billing.IsNotFound(err):
		return answer, false, nil
	case err != nil:
		return answer, false, err
	case earlier.State == billing.UploadPending:
		return answer, false, billing.ErrKeyInUse()
	case earlier.State != billing.UploadDone:
		return answer, false, nil // it came to nothing, and the key is as new
	}
	a, err := tx.Attachments.Get(ctx, u.attachment)
	if err != nil {
		return answer, false, err
	}
	answer = u.render(a, nil)
	return answer, true, tx.Keys.Record(ctx, u.req.Answered(answer, tx.Clock.Now()))
}

// jpeg rewrites the image, keeps it, and then adds the document.
func (u *upload) jpeg(
	ctx context.Context, a *billing.Attachment, absent error, d billing.Document, file File,
) (answer billing.Answer, replayed bool, err error) {
	picture, err := u.images.Sanitize(ctx, file.Content, file.Size)
	if err != nil {
		return answer, false, err
	}
	defer picture.Content.Close() //nolint:errcheck // it was only read
	if absent != nil {
		return answer, false, absent
	}
	d.Size, d.MD5, d.SHA256 = picture.Size, picture.MD5, picture.SHA256
	trial := d
	added, err := a.Add(&trial, u.now) // as it looks now; the locked row decides
	if err != nil {
		return answer, false, err
	}
	if added {
		if err := u.keep(ctx, d.Blob(), picture); err != nil {
			return answer, false, err
		}
	}
	stored := added
	err = u.store.InTx(ctx, u.scope, func(ctx context.Context, tx ports.Tx) error {
		answer, replayed, err = u.replay(ctx, tx)
		if err != nil || replayed {
			return err
		}
		if a, err = tx.Attachments.Lock(ctx, u.attachment); err != nil {
			return err
		}
		document := d
		if added, err = a.Add(&document, tx.Clock.Now()); err != nil {
			return err
		}
		if added && !stored { // the twin was taken off in between
			return &billing.Error{Code: billing.CodeConflict, Message: "The attachment changed while the image was looked at. Send it again."}
		}
		if err := u.insert(ctx, tx, a, &document, added); err != nil {
			return err
		}
		answer = u.render(a, nil)
		return tx.Keys.Record(ctx, u.req.Answered(answer, tx.Clock.Now()))
	})
	_, refused := errors.AsType[*billing.Error](err)
	if stored && (refused || err == nil && (replayed || !added)) {
		u.discard(ctx, d.Blob())
	}
	return answer, replayed, err
}

// insert keeps what adding a document changed.
func (s *Service) insert(ctx context.Context, tx ports.Tx, a *billing.Attachment, d *billing.Document, added bool) error {
	if !added {
		return nil
	}
	if err := tx.Documents.Insert(ctx, a.ID, d); err != nil {
		return err
	}
	return tx.Attachments.Save(ctx, a)
}

// keep writes a picture to the blob store.
func (s *Service) keep(ctx context.Context, name string, p *ports.Picture) error {
	return s.blobs.Put(ctx, name, ports.Blob{Size: p.Size, MD5: p.MD5, SHA256: p.SHA256, Content: p.Content})
}

// png keeps the file for a worker to convert, and waits for that.
func (u *upload) png(
	ctx context.Context, a *billing.Attachment, absent error, d billing.Document, file File,
) (answer billing.Answer, replayed bool, err error) {
	if err := u.images.CheckPNG(ctx, file.Content, file.Size); err != nil {
		return answer, false, err
	}
	if absent != nil {
		return answer, false, absent
	}
	if err := a.Admits(); err != nil {
		return answer, false, err
	}
	d.ConvertedFrom = billing.FormatPNG
	up := billing.Upload{
		AttachmentID: u.attachment, Document: d, Size: file.Size, Key: u.req.Key, State: billing.UploadPending, CreatedAt: u.now,
	}
	if err := u.stage(ctx, &up, file); err != nil {
		return answer, false, err
	}
	box := u.queue.Await(d.ID)
	defer box.Close()
	job := jobs.Job{
		ID: billing.NewID[billing.JobID](u.now), Kind: jobs.KindPNGConvert, Scope: u.scope, Subject: d.ID, ReplyTo: box.Address,
	}
	err = u.store.InTx(ctx, u.scope, func(ctx context.Context, tx ports.Tx) error {
		answer, replayed, err = u.replay(ctx, tx)
		if err != nil || replayed {
			return err
		}
		if a, err = tx.Attachments.Lock(ctx, u.attachment); err != nil {
			return err
		}
		if err := a.Admits(); err != nil {
			return err
		}
		if err := tx.Documents.Receive(ctx, &up); err != nil {
			return err
		}
		if err := tx.Keys.Record(ctx, u.req.Waiting(up.Work(), tx.Clock.Now())); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, job)
	})
	if _, refused := errors.AsType[*billing.Error](err); refused || replayed {
		u.discard(ctx, up.Blob())
	}
	if err != nil || replayed {
		return answer, replayed, err
	}
	return u.wait(ctx, d.ID, job.ID, box)
}

// stage writes the PNG to the blob store.
func (u *upload) stage(ctx context.Context, up *billing.Upload, file File) error {
	md, sha := md5.New(), sha256.New() //nolint:gosec // G401: as above
	if _, err := io.Copy(io.MultiWriter(md, sha), io.NewSectionReader(file.Content, 0, file.Size)); err != nil {
		return err
	}
	up.SHA256 = [sha256.Size]byte(sha.Sum(nil))
	return u.blobs.Put(ctx, up.Blob(), ports.Blob{
		Size: file.Size, MD5: [md5.Size]byte(md.Sum(nil)), SHA256: up.SHA256, Content: io.NewSectionReader(file.Content, 0, file.Size),
	})
}

// wait waits until the upload is settled, and cancels it when that takes too
// long: nobody would learn of the document.
func (u *upload) wait(
	ctx context.Context, id billing.DocumentID, job billing.JobID, box ports.Mailbox,
) (answer billing.Answer, replayed bool, err error) {
	waiting, cancel := context.WithTimeout(ctx, u.times.ConvertWait)
	defer cancel()
	err = jobs.Wait(waiting, box.C, func(ctx context.Context) bool {
		up, err := u.read(ctx, id)
		return err == nil && up.State != billing.UploadPending // a look that failed is no answer
	})
	if ctx.Err() != nil {
		return answer, false, ctx.Err()
	}
	if err != nil {
		if err := u.cancel(ctx, id, job); err != nil {
			return answer, false, err
		}
	}
	up, err := u.read(ctx, id)
	switch {
	case err != nil:
		return answer, false, err
	case up.State == billing.UploadCancelled:
		u.discard(ctx, up.Blob())
		return answer, false, &billing.Error{
			Code: billing.CodeTooManyRequests, Message: "Too many PNGs wait for their conversion. Send it again later, or send a JPEG.",
		}
	case up.Refusal != nil:
		return answer, false, up.Refusal
	}
	answer, err = u.kept(ctx, u.scope, u.replay)
	return answer, false, err
}

func (u *upload) read(ctx context.Context, id billing.DocumentID) (up *billing.Upload, err error) {
	err = u.store.View(ctx, u.scope, func(ctx context.Context, tx ports.Tx) error {
		up, err = tx.Documents.Upload(ctx, id)
		return err
	})
	return up, err
}

// cancel gives the upload up, unless it was settled by now.
func (u *upload) cancel(ctx context.Context, id billing.DocumentID, job billing.JobID) error {
	return u.store.InTx(ctx, u.scope, func(ctx context.Context, tx ports.Tx) error {
		up, err := tx.Documents.Upload(ctx, id)
		if err != nil {
			return err
		}
		up.State = billing.UploadCancelled
		return settle(ctx, tx, up, job)
	})
}

// settle ends an upload that did not become a document: its key is as new. It
// does nothing when the upload is settled already.
func settle(ctx context.Context, tx ports.Tx, up *billing.Upload, job billing.JobID) error {
	first, err := tx.Documents.Settle(ctx, up)
	if err != nil || !first {
		return err
	}
	if err := tx.Keys.Release(ctx, up.Key, up.Work()); err != nil {
		return err
	}
	return tx.Outbox.Done(ctx, job)
}
