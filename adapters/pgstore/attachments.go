package pgstore

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/task"
)

type attachments struct{ *tx }

func attachmentFields(a *attachment.Attachment) []field {
	return scoped(&a.ID, &a.Scope, []field{
		{"kind", &a.Kind},
		{"claim_id", &a.ClaimID},
		{"office_id", &a.OfficeID},
		{"payer_id", &a.Payer.ID},
		{"payer_code", &a.Payer.PayerID},
		{"payer_name", &a.Payer.Name},
		{"payer_request_id", &a.PayerRequestID},
		{"payer_reference", &a.PayerReference},
		{"about", document{&a.About, "{}"}},
		{"request_id", &a.RequestID},
		{"created_at", instant{&a.CreatedAt}},
		{"state", &a.State},
		{"narrative", &a.Narrative},
		{"updated_at", instant{&a.UpdatedAt}},
		{"closed_at", instant{&a.ClosedAt}},
		{"number", orNull[string]{&a.Number}},
		{"sending", &a.Sending},
		{"sending_since", instant{&a.SendingSince}},
		{"stalled", &a.Stalled},
		{"edits", document{&a.Edits, "{}"}},
		{"decisions", document{&a.Decisions, "[]"}},
	})
}

// Insert stores a new attachment. It does not queue a solicited attachment, so that a
// second one for the same payer request fails here.
func (r attachments) Insert(ctx context.Context, a *attachment.Attachment) error {
	insert := func() error { return attachmentTable.insert(ctx, r.tx, a) }
	if !a.PayerRequestID.IsZero() {
		insert = func() error {
			_, err := attachmentTable.insertUnless(ctx, r.tx, a, "")
			return err
		}
	}
	if err := insert(); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfAttachment, ID: a.ID}, true, task.OfAnAttachment(a), a.Decisions)
}

// forUpdate is a clause that keeps other transactions from writing or locking the row.
const forUpdate = "FOR UPDATE"

// Get reads an attachment. It reads the documents after the attachment, so that a
// closed attachment has all of its documents.
func (r attachments) Get(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error) {
	return r.one(ctx, id, "")
}

// Lock reads and locks an attachment. It reads the documents in a second statement,
// which begins after the lock is acquired. It therefore sees the documents that the
// last lock holder added.
func (r attachments) Lock(ctx context.Context, id billing.AttachmentID) (*attachment.Attachment, error) {
	return r.one(ctx, id, forUpdate)
}

func (r attachments) one(ctx context.Context, id billing.AttachmentID, end string) (*attachment.Attachment, error) {
	a, err := attachmentTable.get(ctx, r.tx, id, end)
	if err != nil {
		return nil, err
	}
	return a, documents(r).addTo(ctx, []*attachment.Attachment{a})
}

// Save stores the fields of an attachment that can change.
func (r attachments) Save(ctx context.Context, a *attachment.Attachment) error {
	if err := attachmentTable.save(ctx, r.tx, a); err != nil {
		return err
	}
	return r.keepTasks(ctx, task.Resource{Kind: task.OfAttachment, ID: a.ID}, false, task.OfAnAttachment(a), a.Decisions)
}

func (r attachments) filter(f attachment.Filter) *query {
	q := attachmentTable.of(r.tx)
	whereSet(q, "claim_id = %", f.ClaimID)
	q.ofPatient("claim_id = ANY (ARRAY(%))", f.PatientID)
	whereSet(q, "payer_request_id = %", f.PayerRequestID)
	whereSet(q, "request_id = %", f.RequestID)
	whereSet(q, "state = %", f.State)
	whereSet(q, "office_id = %", f.OfficeID)
	q.span("created_at", f.CreatedAfter, f.CreatedBefore)
	return q
}

// List reads a page of attachments, newest first, and all their documents in
// one statement.
func (r attachments) List(ctx context.Context, f attachment.Filter, p billing.Page) ([]*attachment.Attachment, error) {
	all, err := attachmentTable.page(ctx, r.tx, r.filter(f), p)
	if err != nil {
		return nil, err
	}
	return all, documents(r).addTo(ctx, all)
}

// Serial returns the next number for an attachment.
func (r attachments) Serial(ctx context.Context) (n int64, err error) {
	err = r.fetch(ctx, "number an attachment", &n, "SELECT nextval('attachment_serials')")
	return n, err
}
