package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/limit"
)

// AttachmentRules stores the rules of a scope about what goes with claims. Claims reads those for
// the payer of a claim with the claim.
type AttachmentRules interface {
	// Write inserts a rule, or saves what can change of one. Only Lock serializes.
	Write(ctx context.Context, r *advice.Rule) error

	// Lock reads a rule and keeps other transactions from writing it. It returns CodeNotFound if
	// there is none.
	Lock(ctx context.Context, id billing.AttachmentRuleID) (*advice.Rule, error)

	// Get reads a rule. It returns CodeNotFound if there is none.
	Get(ctx context.Context, id billing.AttachmentRuleID) (*advice.Rule, error)

	// List reads a page of the rules for a payer, or of all for the zero ID, newest first, and
	// one extra row when there is a next page.
	List(ctx context.Context, payer billing.PayerID, p billing.Page) ([]*advice.Rule, error)

	// Delete removes a rule. It returns CodeNotFound if there is none.
	Delete(ctx context.Context, id billing.AttachmentRuleID) error

	// WithOffice reads an office as Offices.Get does, and what else claims of it to a payer
	// follow, in one round trip.
	WithOffice(ctx context.Context, office billing.OfficeID, payer billing.PayerID) (*Followed, error)
}

// Followed is what the claims of an office to a payer follow.
type Followed struct {
	Office    *directory.Office
	Rules     []*advice.Rule // every one of the scope, oldest first: IDs, payers' IDs, codes, needs, points and notes alone
	Limits    limit.Terms    // of the payer
	Schedules bool           // the scope has fee schedules
}
