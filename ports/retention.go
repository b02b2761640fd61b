package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/retention"
)

// Retention removes records that are old enough, and stores what stops that. The ages belong
// to the owner of the database.
type Retention interface {
	// Ages reads how long data stays: a row for each kind and mode, and for each organization
	// with an age of its own.
	Ages(ctx context.Context) ([]retention.Age, error)

	// Old counts what is older than the age, of its kind, mode and organization.
	Old(ctx context.Context, a retention.Age) ([]retention.Old, error)

	// Forget looks at so many old records at most, and removes those that are neither held
	// nor named by what stays. It returns how many, and where to go on: nil after the last.
	// It stores how far it came in a table.
	Forget(ctx context.Context, at retention.Place, limit int) (removed int, next *retention.Place, err error)

	// Hold stores a hold, unless it is there, with the organization of its patient. It
	// returns CodeNotFound if there is no such organization or patient.
	Hold(ctx context.Context, h *retention.Hold) error

	// Release removes the hold of an organization, or of a patient. It returns the
	// organization, and CodeNotFound if there is no hold.
	Release(ctx context.Context, org billing.OrgID, patient billing.PatientID) (billing.OrgID, error)

	// Holds reads all holds, the oldest first.
	Holds(ctx context.Context) ([]retention.Hold, error)
}
