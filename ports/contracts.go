package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
)

// Contracts lets the claims of a scope follow its fee schedules.
type Contracts interface {
	// Changed lets what the fee schedules say of every claim be looked up again, and the tasks that
	// follow from it be computed again, after the commit. It can be called several times.
	Changed(ctx context.Context) error

	// Next reads the claims with the next IDs after the given one, at most limit, and keeps other
	// transactions from writing them.
	Next(ctx context.Context, after billing.ClaimID, limit int) ([]*claim.Claim, error)

	// OfPatient reads the claims of a patient that were sent, also those that wait for a decision, and keeps other
	// transactions from writing them.
	OfPatient(ctx context.Context, id billing.PatientID) ([]*claim.Claim, error)
}
