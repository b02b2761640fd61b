package caller

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// DeletionWait is how long the deletion of an organization waits, and can be taken back.
const DeletionWait = 30 * 24 * time.Hour

// Deletion is the wish to delete an organization with all that it has, and the record of it.
type Deletion struct {
	Org         billing.OrgID
	Name        string // the organization's
	AskedAt     time.Time
	AskedBy     string    // the operator
	BackupsDays int       // for which the deployment keeps a backup
	RemovedAt   time.Time // zero until nothing is left
}

// DueAt is when the organization goes.
func (d *Deletion) DueAt() time.Time { return d.AskedAt.Add(DeletionWait) }

// GoneAt is when the last backup that has data of the organization ends, if the deletion is
// not late.
func (d *Deletion) GoneAt() time.Time {
	from := d.RemovedAt
	if from.IsZero() {
		from = d.DueAt()
	}
	return from.AddDate(0, 0, d.BackupsDays)
}
