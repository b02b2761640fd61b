package ports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// Deletions removes organizations with all that they have, and keeps the record of it.
type Deletions interface {
	// Ask stores that an organization is to be deleted, and sets AskedAt; asked again, the first
	// wish stays, and d is that. It returns CodeNotFound for an unknown or throw-away
	// organization.
	Ask(ctx context.Context, d *caller.Deletion) error

	// Again stores a deletion that the restored database lacks. A restore must be open.
	Again(ctx context.Context, d *caller.Deletion) error

	// Withdraw removes the wish. It returns CodeNotFound if there is none, or the organization
	// is being removed.
	Withdraw(ctx context.Context, org billing.OrgID, now time.Time) error

	// List reads all wishes and records, the oldest first.
	List(ctx context.Context) ([]*caller.Deletion, error)

	// Remove removes rows of an organization that is due and not held, a limited number a call, and
	// returns how many: zero when none is left, which it stores. An organization stays until those
	// that it has made are gone.
	Remove(ctx context.Context, org billing.OrgID, limit int) (int, error)
}
