package httpapi

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
)

var shapeTime = time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC)

func openAttachment() *attachment.Attachment {
	return &attachment.Attachment{
		ID: idOf[billing.AttachmentID](1), Scope: billing.Scope{Org: idOf[billing.OrgID](2), Mode: billing.ModeTest},
		State: attachment.Open, Kind: attachment.Unsolicited, OfficeID: idOf[billing.OfficeID](3),
		Payer:     directory.PayerSummary{ID: idOf[billing.PayerID](4), PayerID: "CHTEST", Name: "Molar Test Payer"},
		RequestID: idOf[billing.RequestID](5), CreatedAt: shapeTime, UpdatedAt: shapeTime,
	}
}

func fullAttachment(t *testing.T) *attachment.Attachment {
	t.Helper()
	a := openAttachment()
	a.ClaimID, a.Kind = idOf[billing.ClaimID](6), attachment.Solicited
	a.PayerRequestID, a.PayerReference = idOf[billing.PayerRequestID](7), "REF <1> & 2"
	a.Narrative = "Tooth 14 is fractured below the gum line; a crown is the only way to keep it, as the images show."
	a.Documents = []*attachment.Document{
		{
			ID: idOf[billing.DocumentID](8), Type: "13", Medium: attachment.MediumFilm, ImageDate: billing.Date{Year: 2026, Month: 1, Day: 2},
			Orientation: attachment.OrientationRight, FileName: "p\u00e4no <1>.jpg", Size: 123456, MD5: [16]byte{0xab, 15: 0x01}, CreatedAt: shapeTime,
		},
		{
			ID: idOf[billing.DocumentID](9), Type: "7", Medium: attachment.MediumPaper, FileName: "chart.png",
			ConvertedFrom: attachment.FormatPNG, Size: 1, CreatedAt: shapeTime.Add(time.Second),
		},
	}
	job := idOf[billing.JobID](10)
	if err := a.BeginSending(job, 42, shapeTime); err != nil || !a.Sent(a.Number, shapeTime.Add(time.Minute)) {
		t.Fatal("not sent", err)
	}
	return a
}

func attachmentShapes(t *testing.T) map[string]shown {
	t.Helper()
	a, sending := fullAttachment(t), fullAttachment(t)
	sending.State, sending.ClosedAt, sending.Sending = attachment.Open, time.Time{}, idOf[billing.JobID](10)
	open := &attachment.PayerRequest{
		ID: a.PayerRequestID, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork, Payer: a.Payer,
		ReferenceNumber: a.PayerReference, Requested: "Images of tooth 14 & 15.", CreatedAt: shapeTime,
	}
	answered := *open
	answered.ClaimID, answered.DueDate, answered.Source = a.ClaimID, billing.Date{Year: 2026, Month: 3, Day: 1}, attachment.SourceStaff
	answered.Answer(a)
	return map[string]shown{
		"attachment_open":      {"Attachment", attachmentShape(openAttachment())},
		"attachment_sending":   {"Attachment", attachmentShape(sending)},
		"attachment_closed":    {"Attachment", attachmentShape(a)},
		"payer_request_open":   {"PayerRequest", payerRequestShape(open)},
		"payer_request_answer": {"PayerRequestAnswer", answerShape(attachment.PayerRequestAnswer{Request: &answered, Attachment: a})},
	}
}

func TestDocumentTypeShapes(t *testing.T) {
	t.Parallel()
	all := mapped(attachment.DocumentTypes(), documentTypeShape)
	golden(t, "document_types", all)
	for _, d := range all {
		inSchema(t, "DocumentType", d)
	}
}
