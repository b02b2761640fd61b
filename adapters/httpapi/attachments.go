package httpapi

import (
	"context"
	"io"
	"net/http"

	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/intake"
)

// documentTypes reads the types of documents, which are the same for every organization.
func documentTypes(context.Context, billing.Scope) ([]attachment.DocumentType, error) {
	return attachment.DocumentTypes(), nil
}

// listAttachments handles GET /attachments.
func (a *api) listAttachments(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bindOrdered("attachments", x.call.Scope)
	f := attachment.Filter{
		ClaimID:        id[billing.ClaimID](q, "claim_id"),
		PatientID:      id[billing.PatientID](q, "patient_id"),
		PayerRequestID: id[billing.PayerRequestID](q, "payer_request_id"),
		RequestID:      id[billing.RequestID](q, "request_id"),
		State:          oneOf(q, "state", attachment.Open, attachment.Closed),
		OfficeID:       id[billing.OfficeID](q, "office_id"),
		CreatedAfter:   q.instant("created_after"),
		CreatedBefore:  q.instant("created_before"),
	}
	return listed(a, x, q, l, f, a.attachments.List, attachmentShape)
}

// uploadDocument handles POST /attachments/{id}/documents.
func (a *api) uploadDocument(x *exchange) (*reply, error) {
	var in intake.DocumentRequest
	form := x.form(&in.Faults)
	in.DocumentType = form.Text("document_type")
	in.ImageDate = form.OptionalText("image_date")
	in.Orientation = form.OptionalText("orientation")
	var file attachments.File
	if sent := form.File(); sent != nil {
		file = attachments.File{Content: sent.Content, Size: sent.Size, Sums: x.sums(sent)}
		in.FileName = sent.Name
	}
	form.End()
	return kept(a.attachments.Upload(x.ctx, replying(x, http.StatusCreated, attachmentShape), attachmentID(x), in, file))
}

// deleteDocument handles DELETE /attachments/{id}/documents/{doc_id}.
func (a *api) deleteDocument(x *exchange) (*reply, error) {
	return kept(a.attachments.RemoveDocument(x.ctx, removing[*attachment.Attachment](x), attachmentID(x), documentID(x)))
}

// sendImage sends an image of the document that the path names.
func sendImage(
	open func(context.Context, billing.Scope, billing.AttachmentID, billing.DocumentID) (io.ReadCloser, int64, error), ending string,
) func(*exchange) (*reply, error) {
	return withoutQuery(func(x *exchange) (*reply, error) {
		a, document := attachmentID(x), documentID(x)
		s, err := x.openStream(func(ctx context.Context) (io.ReadCloser, int64, error) {
			return open(ctx, x.call.Scope, a, document)
		})
		if err != nil {
			return nil, err
		}
		return &reply{status: http.StatusOK, stream: s, mime: "image/jpeg", fileName: document.String() + ending}, nil
	})
}
