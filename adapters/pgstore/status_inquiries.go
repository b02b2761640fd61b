package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

type statusInquiries struct{ *tx }

// statusFields leaves out exchanges, which few callers read.
func statusFields(i *claimstatus.Inquiry) []field {
	return scoped(&i.ID, &i.Scope, []field{
		{"claim_id", &i.ClaimID},
		{"payer_id", &i.Payer.ID},
		{"payer_code", &i.Payer.PayerID},
		{"payer_name", &i.Payer.Name},
		{"request_id", &i.RequestID},
		{"person_request_id", &i.OfPerson},
		{"created_at", instant{&i.CreatedAt}},
		{"state", &i.State},
		{"outcome", &i.Outcome},
		{"network", &i.Network},
		{"completed_at", instant{&i.CompletedAt}},
		{"matches", &i.Matches},
		{"payer_claim_number", &i.PayerClaimNumber},
		{"others", &i.Others},
		{"statuses", document{&i.Statuses, "[]"}},
	})
}

// Insert stores a new inquiry.
func (r statusInquiries) Insert(ctx context.Context, i *claimstatus.Inquiry) error {
	return statusTable.insert(ctx, r.tx, i)
}

// Get reads an inquiry.
func (r statusInquiries) Get(ctx context.Context, id billing.StatusInquiryID) (*claimstatus.Inquiry, error) {
	return statusTable.get(ctx, r.tx, id, "")
}

// Lock reads an inquiry and keeps other transactions from writing it.
func (r statusInquiries) Lock(ctx context.Context, id billing.StatusInquiryID) (*claimstatus.Inquiry, error) {
	return statusTable.get(ctx, r.tx, id, forUpdate)
}

// Complete stores the answer to a locked inquiry.
func (r statusInquiries) Complete(ctx context.Context, i *claimstatus.Inquiry, sent []coverage.Exchange) error {
	var sealed any
	if len(sent) > 0 {
		sealed = r.seal(ctx, r.scope, i.ID, frame(sent))
	}
	return statusTable.save(ctx, r.tx, i, field{"exchanges = %", sealed})
}

func (r statusInquiries) filter(f claimstatus.Filter) *query {
	q := statusTable.of(r.tx)
	whereSet(q, "claim_id = %", f.ClaimID)
	whereSet(q, "request_id = %", f.RequestID)
	whereSet(q, "outcome = %", f.Outcome)
	return q
}

// List reads a page of inquiries, newest first.
func (r statusInquiries) List(ctx context.Context, f claimstatus.Filter, p billing.Page) ([]*claimstatus.Inquiry, error) {
	return statusTable.page(ctx, r.tx, r.filter(f), p)
}

// Exchanged reads and decrypts the messages exchanged for an inquiry.
func (r statusInquiries) Exchanged(ctx context.Context, id billing.StatusInquiryID) (claimstatus.Exchanged, error) {
	q := r.query("exchanges", "status_inquiries")
	q.where("id = %", id)
	found, err := columnOf[[]byte](ctx, r.tx, "read the messages of inquiry "+id.String(), q.text(""), q.args...)
	switch {
	case err == nil && len(found) == 0:
		return claimstatus.Exchanged{}, billing.NotFound("status inquiry", "")
	case err != nil || found[0] == nil:
		return claimstatus.Exchanged{Inquiry: id}, err
	}
	plain, err := r.unseal(ctx, r.scope, id, found[0])
	if err != nil {
		return claimstatus.Exchanged{}, fmt.Errorf("open the messages of inquiry %s: %w", id, err)
	}
	all, err := unframe(plain)
	return claimstatus.Exchanged{Inquiry: id, Messages: all}, err
}

// SentClaim returns the file that carried a claim last, and the time by the clock of its scope,
// for the payers of the sandbox. It returns CodeNotFound if none did.
func (s *Store) SentClaim(ctx context.Context, scope billing.Scope, id billing.ClaimID) (f clearing.OutgoingFile, now time.Time, err error) {
	err = s.transact(ctx, session{role: roleApp, scope: scope}, true, func(ctx context.Context, t *tx) error {
		now = t.ports(ctx).Clock.Now()
		c, err := claims{t}.Get(ctx, id)
		if err != nil {
			return err
		}
		b, err := batches{t}.Get(ctx, c.BatchID)
		if err != nil {
			return err
		}
		content, err := batches{t}.Content(ctx, b.ID)
		f = clearing.OutgoingFile{Scope: scope, Name: b.File.Name, Content: content, At: b.SentAt}
		return err
	})
	return f, now, err
}
