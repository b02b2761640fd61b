package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

type documents struct{ *tx }

const documentColumns = `id, attachment_id, document_type, medium, image_date, orientation, file_name, converted_from, size, md5,
	sha256, created_at`

// documentRow is a document, or the columns that uploads and documents share.
type documentRow struct {
	ID            billing.DocumentID     `db:"id"`
	AttachmentID  billing.AttachmentID   `db:"attachment_id"`
	Type          string                 `db:"document_type"`
	Medium        attachment.Medium      `db:"medium"`
	ImageDate     billing.Date           `db:"image_date"`
	Orientation   attachment.Orientation `db:"orientation"`
	FileName      string                 `db:"file_name"`
	ConvertedFrom attachment.ImageFormat `db:"converted_from"`
	Size          int64                  `db:"size"`
	MD5           []byte                 `db:"md5"`
	SHA256        []byte                 `db:"sha256"`
	CreatedAt     time.Time              `db:"created_at"`
}

func (r documentRow) document() *attachment.Document {
	d := &attachment.Document{
		ID: r.ID, Type: r.Type, Medium: r.Medium, ImageDate: r.ImageDate, Orientation: r.Orientation, FileName: r.FileName,
		ConvertedFrom: r.ConvertedFrom, Size: r.Size, CreatedAt: r.CreatedAt.UTC(),
	}
	copy(d.MD5[:], r.MD5)
	copy(d.SHA256[:], r.SHA256)
	return d
}

// of reads the documents of attachments, oldest first.
func (r documents) of(all []*attachment.Attachment) (string, []any) {
	var ids pq.StringArray
	for _, a := range all {
		ids = append(ids, a.ID.UUID())
	}
	q := r.query(documentColumns, "documents")
	q.where("attachment_id = ANY (%::uuid[])", ids)
	return q.text("ORDER BY created_at, id"), q.args
}

// addTo adds the documents to attachments.
func (r documents) addTo(ctx context.Context, all []*attachment.Attachment) error {
	if len(all) == 0 {
		return nil
	}
	byID := make(map[billing.AttachmentID]*attachment.Attachment, len(all))
	for _, a := range all {
		byID[a.ID] = a
	}
	text, args := r.of(all)
	var rows []documentRow
	if err := r.list(ctx, &rows, text, args...); err != nil {
		return fmt.Errorf("read documents: %w", err)
	}
	for _, row := range rows {
		a := byID[row.AttachmentID]
		a.Documents = append(a.Documents, row.document())
	}
	return nil
}

// Insert adds a document to an attachment.
func (r documents) Insert(ctx context.Context, a billing.AttachmentID, d *attachment.Document) error {
	r.evidence = rowEvidence("documents", d.ID)
	return r.later(ctx, d.ID, `
INSERT INTO documents (id, org_id, mode, attachment_id, document_type, medium, image_date, orientation, file_name, converted_from,
	size, md5, sha256, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		d.ID, r.scope.Org, r.scope.Mode, a, d.Type, d.Medium, d.ImageDate, d.Orientation, d.FileName, d.ConvertedFrom,
		d.Size, d.MD5[:], d.SHA256[:], micro(d.CreatedAt))
}

// Delete removes a document. It is not queued, so that the same transaction can add
// the image again.
func (r documents) Delete(ctx context.Context, id billing.DocumentID) error {
	_, err := r.do(ctx, "delete document "+id.String(), "DELETE FROM documents WHERE org_id = $1 AND mode = $2 AND id = $3", r.scope.Org, r.scope.Mode, id)
	return err
}

const uploadColumns = `id, attachment_id, document_type, medium, image_date, orientation, file_name, converted_from, size, sha256,
	idempotency_key, state, refusal, created_at`

type uploadRow struct {
	documentRow
	Key     string                 `db:"idempotency_key"`
	State   attachment.UploadState `db:"state"`
	Refusal []byte                 `db:"refusal"`
}

// refusal is the stored reason why an upload was refused. It omits the cause, which
// only the log has.
type refusal struct {
	Code    billing.Code
	Message string
	Faults  []billing.FieldFault
}

// refused returns the JSON column of a refusal.
func refused(e *billing.Error) (any, error) {
	if e == nil {
		return nil, nil
	}
	return encode(&refusal{e.Code, e.Message, e.Faults})
}

func (r uploadRow) upload() (*attachment.Upload, error) {
	u := &attachment.Upload{
		AttachmentID: r.AttachmentID, Document: *r.document(), Size: r.Size, Key: r.Key, State: r.State, CreatedAt: r.CreatedAt.UTC(),
	}
	u.SHA256, u.Document.SHA256 = u.Document.SHA256, [32]byte{}
	u.Document.Size, u.Document.CreatedAt = 0, time.Time{}
	var why *refusal
	if err := decode(r.Refusal, &why); err != nil {
		return nil, fmt.Errorf("read upload %s: %w", r.ID, err)
	}
	if why != nil {
		u.Refusal = &billing.Error{Code: why.Code, Message: why.Message, Faults: why.Faults}
	}
	return u, nil
}

// Receive stores a new upload.
func (r documents) Receive(ctx context.Context, u *attachment.Upload) error {
	why, err := refused(u.Refusal)
	if err != nil {
		return err
	}
	d := &u.Document
	r.evidence = rowEvidence("uploads", d.ID)
	return r.later(ctx, upload(d.ID), `
INSERT INTO uploads (id, org_id, mode, attachment_id, document_type, medium, image_date, orientation, file_name, converted_from,
	size, sha256, idempotency_key, state, refusal, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		d.ID, r.scope.Org, r.scope.Mode, u.AttachmentID, d.Type, d.Medium, d.ImageDate, d.Orientation, d.FileName, d.ConvertedFrom,
		u.Size, u.SHA256[:], u.Key, u.State, why, micro(u.CreatedAt))
}

// upload is the key of an upload in the queue of writes. Its document has the same ID,
// but is another row.
type upload billing.DocumentID

// Upload reads an upload.
func (r documents) Upload(ctx context.Context, id billing.DocumentID) (*attachment.Upload, error) {
	q := r.query(uploadColumns, "uploads")
	q.where("id = %", id)
	return one(ctx, r.tx, "upload", uploadRow.upload, q.text(""), q.args...)
}

// Settle stores the final state of a pending upload.
func (r documents) Settle(ctx context.Context, u *attachment.Upload) (bool, error) {
	why, err := refused(u.Refusal)
	if err != nil {
		return false, err
	}
	n, err := r.exec(ctx, `
UPDATE uploads
SET state = $4, refusal = $5
WHERE org_id = $1 AND mode = $2 AND id = $3 AND state = 'pending'`, r.scope.Org, r.scope.Mode, u.Document.ID, u.State, why)
	if err != nil {
		return false, fmt.Errorf("settle upload %s: %w", u.Document.ID, err)
	}
	return n == 1, nil
}

type imageNames struct{ *tx }

// Kept returns the images that have a row. It reads both tables in one statement.
// Between two statements, an upload could become a document, and Kept would miss it.
func (r imageNames) Kept(ctx context.Context, ids []billing.DocumentID) (kept, pending []billing.DocumentID, err error) {
	var rows []struct {
		ID      billing.DocumentID `db:"id"`
		Pending bool               `db:"pending"`
	}
	err = r.list(ctx, &rows, `
SELECT id, false AS pending FROM documents WHERE id = ANY ($1::uuid[])
UNION ALL
SELECT id, true FROM uploads WHERE id = ANY ($1::uuid[]) AND state = 'pending'`, uuids(ids))
	if err != nil {
		return nil, nil, fmt.Errorf("find images: %w", err)
	}
	for _, row := range rows {
		if row.Pending {
			pending = append(pending, row.ID)
		} else {
			kept = append(kept, row.ID)
		}
	}
	return kept, pending, nil
}
