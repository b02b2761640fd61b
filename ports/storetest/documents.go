package storetest

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/ports"
)

// document returns a film with image n.
func (b *scoped) document(n int) *attachment.Document {
	return &attachment.Document{
		ID: id[billing.DocumentID](), Type: "12", Medium: attachment.MediumFilm, ImageDate: billing.Date{Year: 2026, Month: 4, Day: 30},
		Orientation: attachment.OrientationLeft, FileName: unicode, ConvertedFrom: attachment.FormatPNG, Size: 1 << 20,
		MD5:    md5.Sum([]byte(fmt.Sprint(n))),
		SHA256: digest(fmt.Sprint(n)), CreatedAt: b.now.Add(time.Duration(n) * time.Microsecond),
	}
}

// paper returns a document that is not a film.
func (b *scoped) paper(n int) *attachment.Document {
	d := b.document(n)
	d.Type, d.Medium, d.ImageDate, d.Orientation, d.ConvertedFrom = "7", attachment.MediumPaper, billing.Date{}, "", ""
	return d
}

// addDocument adds a document to the attachment in the store, and to a.
func (b *scoped) addDocument(a *attachment.Attachment, d *attachment.Document) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Attachments.Lock(ctx, a.ID); err != nil {
			return err
		}
		return tx.Documents.Insert(ctx, a.ID, d)
	})
	a.Documents = append(a.Documents, d)
}

func testDocuments(b *scoped) {
	t := b.t
	a, other := b.attachment(0), b.attachment(1)
	b.insertAttachments(a, other)
	first, second, third := b.document(1), b.paper(2), b.document(3)
	b.addDocument(a, second)
	b.addDocument(a, third)
	b.addDocument(a, first)
	b.addDocument(other, b.document(2))
	a.Documents = []*attachment.Document{first, second, third}
	equal(t, "attachment", b.getAttachment(a.ID), a)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		locked, err := tx.Attachments.Lock(ctx, a.ID)
		equal(t, "locked attachment", locked, a)
		return errors.Join(err, tx.Documents.Delete(ctx, second.ID), tx.Documents.Delete(ctx, id[billing.DocumentID]()))
	})
	a.Documents = []*attachment.Document{first, third}
	equal(t, "attachment without a document", b.getAttachment(a.ID), a)
	equal(t, "documents of the other attachment", len(b.getAttachment(other.ID).Documents), 1)

	// A transaction may delete an image and add it again.
	again := b.document(1)
	b.in(func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Attachments.Lock(ctx, a.ID); err != nil {
			return err
		}
		return errors.Join(tx.Documents.Delete(ctx, first.ID), tx.Documents.Insert(ctx, a.ID, again))
	})
	equal(t, "documents", b.getAttachment(a.ID).Documents, []*attachment.Document{again, third})
	wantCode(t, "an image for the second time", b.try(b.scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.Attachments.Lock(ctx, a.ID); err != nil {
			return err
		}
		return tx.Documents.Insert(ctx, a.ID, b.document(3))
	}), billing.CodeConflict)
}

// upload returns a pending upload with image n.
func (b *scoped) upload(n int) *attachment.Upload {
	d := b.document(n)
	return &attachment.Upload{
		AttachmentID: id[billing.AttachmentID](), Key: "Key-Aa",
		Document: attachment.Document{
			ID: d.ID, Type: d.Type, Medium: d.Medium, ImageDate: d.ImageDate, Orientation: d.Orientation, FileName: d.FileName,
			ConvertedFrom: attachment.FormatPNG,
		},
		SHA256: d.SHA256, Size: d.Size, State: attachment.UploadPending, CreatedAt: d.CreatedAt,
	}
}

func (b *scoped) receive(us ...*attachment.Upload) {
	b.t.Helper()
	b.in(func(ctx context.Context, tx ports.Tx) error {
		var errs []error
		for _, u := range us {
			errs = append(errs, tx.Documents.Receive(ctx, u))
		}
		return errors.Join(errs...)
	})
}

func (b *scoped) getUpload(id billing.DocumentID) *attachment.Upload {
	b.t.Helper()
	return read(b, func(ctx context.Context, tx ports.Tx) (*attachment.Upload, error) {
		return tx.Documents.Upload(ctx, id)
	})
}

func (b *scoped) settle(u *attachment.Upload) (settled bool, err error) {
	return try(b, b.scope, func(ctx context.Context, tx ports.Tx) (bool, error) { return tx.Documents.Settle(ctx, u) })
}

func testUploads(b *scoped) {
	t := b.t
	film, paper := b.upload(0), b.upload(1)
	paper.Document.Type, paper.Document.Medium, paper.Document.ImageDate, paper.Document.Orientation = "7", attachment.MediumPaper, billing.Date{}, ""
	paper.Document.ConvertedFrom = ""
	b.receive(film, paper)
	equal(t, "upload", b.getUpload(film.Document.ID), film)
	equal(t, "upload", b.getUpload(paper.Document.ID), paper)
	film.State = attachment.UploadRefused
	film.Refusal = &billing.Error{
		Code: billing.CodeInvalidRequest, Message: unicode, Faults: []billing.FieldFault{{Field: "file", Code: billing.FaultTooMany, Message: "m"}},
	}
	paper.State = attachment.UploadCancelled
	for _, u := range []*attachment.Upload{film, paper} {
		// The cause of a refusal is for the log, and is not stored.
		given := *u
		if u.Refusal != nil {
			given.Refusal = new(*u.Refusal)
			given.Refusal.Cause = errStop
		}
		if ok, err := b.settle(&given); !ok || err != nil {
			t.Errorf("settle: %v, %v", ok, err)
		}
		equal(t, "settled upload", b.getUpload(u.Document.ID), u)
		late := *u
		late.State, late.Refusal = attachment.UploadDone, nil
		if ok, err := b.settle(&late); ok || err != nil {
			t.Errorf("settle again: %v, %v", ok, err)
		}
		equal(t, "upload settled before", b.getUpload(u.Document.ID), u)
	}
	b.absent("an absent upload", func(ctx context.Context, tx ports.Tx) (any, error) {
		return tx.Documents.Upload(ctx, id[billing.DocumentID]())
	})
	if ok, err := b.settle(b.upload(2)); ok || err != nil {
		t.Errorf("settle an absent upload: %v, %v", ok, err)
	}
}

// testSettleRace settles an upload from the worker while the waiting request
// gives up, repeatedly.
func testSettleRace(b *scoped) {
	t := b.t
	u := b.upload(0)
	b.receive(u)
	var won atomic.Int32
	b.race(times(8, func(n int) error {
		mine := *u
		mine.State = []attachment.UploadState{attachment.UploadDone, attachment.UploadCancelled}[n%2]
		ok, err := b.settle(&mine)
		if ok {
			won.Add(1)
		}
		return err
	})...)
	equal(t, "those who settled the upload", won.Load(), int32(1))
}

func testKept(b *scoped) {
	t := b.t
	a, d := b.attachment(0), b.document(0)
	b.insertAttachments(a)
	b.addDocument(a, d)
	pending, cancelled, done := b.upload(1), b.upload(2), b.upload(3)
	done.Document.ID = d.ID
	cancelled.State, done.State = attachment.UploadCancelled, attachment.UploadDone
	b.receive(pending, cancelled, done)
	// Images of other scopes count too.
	b.scope = newScope()
	b.receive(b.upload(4))
	foreign := b.upload(5)
	b.receive(foreign)
	for _, test := range []struct{ ask, documents, pending []billing.DocumentID }{
		{},
		{ask: []billing.DocumentID{id[billing.DocumentID](), cancelled.Document.ID}},
		{
			ask:       []billing.DocumentID{d.ID, pending.Document.ID, cancelled.Document.ID, foreign.Document.ID, id[billing.DocumentID]()},
			documents: []billing.DocumentID{d.ID}, pending: []billing.DocumentID{pending.Document.ID, foreign.Document.ID},
		},
	} {
		b.system(func(ctx context.Context, tx ports.SystemTx) error {
			documents, pending, err := tx.Images.Kept(ctx, test.ask)
			for _, ids := range [][]billing.DocumentID{pending, test.pending} {
				slices.SortFunc(ids, func(x, y billing.DocumentID) int { return slices.Compare(x[:], y[:]) })
			}
			equal(t, "documents", documents, test.documents)
			equal(t, "pending uploads", pending, test.pending)
			return err
		})
	}
}

func testForgetUploads(b *scoped) {
	t := b.t
	var all []*attachment.Upload
	for _, state := range []attachment.UploadState{attachment.UploadPending, attachment.UploadDone, attachment.UploadCancelled} {
		for _, age := range []time.Duration{0, 8 * 24 * time.Hour} {
			u := b.upload(0)
			u.State, u.CreatedAt = state, b.now.Add(-age)
			all = append(all, u)
		}
	}
	b.receive(all...)
	b.forgets(ports.Forgetter.Uploads, b.now.Add(-7*24*time.Hour), 2)
	b.forgets(ports.Forgetter.Uploads, b.now.Add(-7*24*time.Hour), 0)
	for _, u := range all {
		err := b.Store.View(t.Context(), b.scope, func(ctx context.Context, tx ports.Tx) error {
			_, err := tx.Documents.Upload(ctx, u.Document.ID)
			return err
		})
		if old := u.CreatedAt.Before(b.now); old && u.State != attachment.UploadPending {
			wantCode(t, "an old upload, "+string(u.State), err, billing.CodeNotFound)
		} else if err != nil {
			t.Errorf("an upload that is kept, %s: %v", u.State, err)
		}
	}
}
