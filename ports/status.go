package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
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

// StatusPolicies stores by which policies payers are asked about claims without a person, one
// for each payer.
type StatusPolicies interface {
	// Put stores a policy, in place of the one for its payer. It returns the stored one, which
	// keeps its first ID and creation time.
	Put(ctx context.Context, p *claimstatus.Policy) (*claimstatus.Policy, error)

	// Get reads the policy for a payer. It returns CodeNotFound if there is none.
	Get(ctx context.Context, payer billing.PayerID) (*claimstatus.Policy, error)

	// List reads a page of policies, newest first, and one extra row when there is a next page.
	List(ctx context.Context, p billing.Page) ([]*claimstatus.Policy, error)

	// Delete removes the policy for a payer. It returns CodeNotFound if there is none.
	Delete(ctx context.Context, payer billing.PayerID) error
}

// StatusFeed finds the claims that a policy has asked about.
type StatusFeed interface {
	// Lock reads a policy and keeps other transactions from writing it, or from asking by it. It
	// returns CodeNotFound if there is none.
	Lock(ctx context.Context, id billing.StatusPolicyID) (*claimstatus.Policy, error)

	// Room returns how many more questions without a person the payer may get in the mode of the
	// scope, of at most so many at once by all organizations. No other transaction gets past Room
	// for the payer until this one ends.
	Room(ctx context.Context, payer billing.PayerID, most int) (int, error)

	// Due locks and reads the claims that are due by a policy, the earliest first, at most limit.
	// It leaves out those that another transaction has locked.
	Due(ctx context.Context, p *claimstatus.Policy, now time.Time, limit int) ([]*claim.Record, error)

	// Next returns when the next claim is due by a policy; zero for none. It may be in the past.
	Next(ctx context.Context, p *claimstatus.Policy) (time.Time, error)
}
