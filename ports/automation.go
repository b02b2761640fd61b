package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/claim"
)

// Automation stores how much is done with remittances without a person.
type Automation interface {
	// Get reads the settings; automation.Review for all payers when none are stored.
	Get(ctx context.Context) (*automation.Settings, error)

	// Put stores the settings in place of others.
	Put(ctx context.Context, s *automation.Settings) error
}

// Postings finds the claims of posted remittances. Its transaction has locked the remittance.
type Postings interface {
	// Paid locks and reads our claims that have an applied remittance claim of the remittance,
	// or one that needs review: those with the next IDs after the given one, at most limit.
	Paid(ctx context.Context, era billing.ERAID, after billing.ClaimID, limit int) ([]*claim.Record, error)

	// Reconciled does so for those with the remittance in claim.Progress.ReconciledWith.
	Reconciled(ctx context.Context, era billing.ERAID, after billing.ClaimID, limit int) ([]*claim.Record, error)

	// Requested returns those of the claims that have an open payer request.
	Requested(ctx context.Context, claims []billing.ClaimID) (map[billing.ClaimID]bool, error)
}
