package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// StatusInquiries stores inquiries about claims. They go with their claims. Who locks a claim
// and its inquiry locks the claim first.
type StatusInquiries interface {
	// Insert stores a new inquiry.
	Insert(ctx context.Context, i *claimstatus.Inquiry) error

	// Get reads an inquiry. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.StatusInquiryID) (*claimstatus.Inquiry, error)

	// Lock reads like Get, and no other transaction writes the inquiry until this one ends.
	Lock(ctx context.Context, id billing.StatusInquiryID) (*claimstatus.Inquiry, error)

	// Complete stores the answer to a locked inquiry, with the messages exchanged, encrypted.
	Complete(ctx context.Context, i *claimstatus.Inquiry, sent []coverage.Exchange) error

	// List reads a page of inquiries, newest first, and one extra row when there is a next
	// page.
	List(ctx context.Context, f claimstatus.Filter, p billing.Page) ([]*claimstatus.Inquiry, error)

	// Exchanged reads and decrypts the messages exchanged for an inquiry. One that was not sent
	// has none. It returns CodeNotFound if there is no such inquiry.
	Exchanged(ctx context.Context, id billing.StatusInquiryID) (claimstatus.Exchanged, error)
}
