package pgstore

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/lib/pq"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
)

type documents struct{ *tx }

// filed is a document of an attachment.
type filed struct {
	scope billing.Scope
	to    billing.AttachmentID
	attachment.Document
}

func documentFields(d *filed) []field {
	return append(imageFields(&d.Document, &d.scope, &d.to),
		field{"size", &d.Size},
		field{"md5", sum{of: d.MD5[:]}},
		field{"sha256", sum{of: d.SHA256[:]}},
		field{"created_at", instant{&d.CreatedAt}})
}

// imageFields are the columns that documents and uploads share.
func imageFields(d *attachment.Document, in *billing.Scope, to *billing.AttachmentID) []field {
	return []field{
		{"id", &d.ID},
		{"org_id", &in.Org},
		{"mode", &in.Mode},
		{"attachment_id", to},
		{"document_type", &d.Type},
		{"medium", &d.Medium},
		{"image_date", &d.ImageDate},
		{"orientation", &d.Orientation},
		{"file_name", &d.FileName},
		{"converted_from", &d.ConvertedFrom},
	}
}

// of reads the documents of attachments, oldest first.
func (r documents) of(all []*attachment.Attachment) (string, []any) {
	var ids pq.StringArray
	for _, a := range all {
		ids = append(ids, a.ID.UUID())
	}
	q := documentTable.of(r.tx)
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
	rows, err := documentTable.many(ctx, r.tx, "read documents", text, args...)
	for _, d := range rows {
		a := byID[d.to]
		a.Documents = append(a.Documents, &d.Document)
	}
	return err
}

// Insert adds a document to an attachment.
func (r documents) Insert(ctx context.Context, a billing.AttachmentID, d *attachment.Document) error {
	return documentTable.insert(ctx, r.tx, &filed{to: a, Document: *d})
}

// Delete removes a document. It is not queued, so that the same transaction can add
// the image again.
func (r documents) Delete(ctx context.Context, id billing.DocumentID) error {
	_, err := r.do(ctx, "delete document "+id.String(), "DELETE FROM documents WHERE org_id = $1 AND mode = $2 AND id = $3", r.scope.Org, r.scope.Mode, id)
	return err
}

// sentUpload is an upload with its scope.
type sentUpload struct {
	scope billing.Scope
	attachment.Upload
}

func uploadFields(u *sentUpload) []field {
	return append(imageFields(&u.Document, &u.scope, &u.AttachmentID),
		field{"size", &u.Size},
		field{"sha256", sum{of: u.SHA256[:]}},
		field{"idempotency_key", &u.Key},
		field{"state", &u.State},
		field{"refusal", refused{&u.Refusal}},
		field{"created_at", instant{&u.CreatedAt}})
}

// refusal is the stored reason why an upload was refused. It omits the cause, which
// only the log has.
type refusal struct {
	Code    billing.Code
	Message string
	Faults  []billing.FieldFault
}

// refused is the column of a refusal, which is NULL for none.
type refused struct{ of **billing.Error }

// Value returns the refusal as JSON.
func (r refused) Value() (driver.Value, error) {
	var why *refusal
	if e := *r.of; e != nil {
		why = &refusal{e.Code, e.Message, e.Faults}
	}
	return maybe{&why}.Value()
}

// Scan reads the refusal.
func (r refused) Scan(src any) error {
	var why *refusal
	err := maybe{&why}.Scan(src)
	if why != nil {
		*r.of = &billing.Error{Code: why.Code, Message: why.Message, Faults: why.Faults}
	}
	return err
}

// Receive stores a new upload.
func (r documents) Receive(ctx context.Context, u *attachment.Upload) error {
	id, args, err := uploadTable.values(r.tx, &sentUpload{Upload: *u})
	if err != nil {
		return err
	}
	r.evidence = rowEvidence("uploads", id)
	return r.later(ctx, upload(u.Document.ID), uploadTable.inserting, args...)
}

// upload is the key of an upload in the queue of writes. Its document has the same ID,
// but is another row.
type upload billing.DocumentID

// Upload reads an upload.
func (r documents) Upload(ctx context.Context, id billing.DocumentID) (*attachment.Upload, error) {
	u, err := uploadTable.get(ctx, r.tx, id, "")
	if err != nil {
		return nil, err
	}
	return &u.Upload, nil
}

// Settle stores the final state of a pending upload.
func (r documents) Settle(ctx context.Context, u *attachment.Upload) (bool, error) {
	why, err := valueOf(refused{&u.Refusal})
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
	var id billing.DocumentID
	var waits bool
	use := func() {
		if waits {
			pending = append(pending, id)
		} else {
			kept = append(kept, id)
		}
	}
	err = r.each(ctx, "find images", []any{&id, &waits}, use, `
SELECT id, false AS pending FROM documents WHERE id = ANY ($1::uuid[])
UNION ALL
SELECT id, true FROM uploads WHERE id = ANY ($1::uuid[]) AND state = 'pending'`, uuids(ids))
	return kept, pending, err
}

// After reads the next documents.
func (r imageNames) After(ctx context.Context, after billing.DocumentID, limit int) ([]billing.DocumentID, error) {
	return columnOf[billing.DocumentID](ctx, r.tx, "list documents", "SELECT id FROM documents WHERE id > $1 ORDER BY id LIMIT $2", after.UUID(), limit)
}
