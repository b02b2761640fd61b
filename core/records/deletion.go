package records

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/restore"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// maxBackupsDays keeps dates of backups within what a calendar has.
const maxBackupsDays = 36_500

// Delete asks for the deletion of an organization, which goes with all that it has after 30
// days. Until then everything works. The name must be the organization's. A restored database asks
// again, with the first date. It returns
// CodeConflict while a hold keeps what the organization or one of its patients has.
func (s *Service) Delete(ctx context.Context, d *caller.Deletion, name string) error {
	var faults billing.Faults
	if d.BackupsDays < 0 || d.BackupsDays > maxBackupsDays {
		faults.Add("backups_kept", billing.FaultRange, "The number of days must be from 0 to 36500.")
		return faults.Err()
	}
	err := s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		holds, err := tx.Retention.Holds(ctx)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(holds, func(h retention.Hold) bool { return h.Keeps(d.Org, billing.PatientID{}) }) {
			return &billing.Error{Code: billing.CodeConflict, Message: "A hold keeps what the organization has. molar retention show lists the holds: release it, or wait."}
		}
		if err := tx.Deletions.Ask(ctx, d); err != nil {
			return err
		}
		if d.Name != name {
			faults.Add("name", billing.FaultNotAllowed, fmt.Sprintf("The name of the organization is %q. If you mean that one, give this name.", d.Name))
		}
		return faults.Err()
	})
	if err != nil {
		return err
	}
	return s.Remember(ctx, restore.Deletions+d.Org.String(), d)
}

// Keep takes a deletion back. It returns CodeNotFound if there is none, or it has begun. First it
// forgets the wish outside the database: one that a restore brings back must not be one that was taken back.
func (s *Service) Keep(ctx context.Context, org billing.OrgID) error {
	if err := s.taken(ctx, org); err != nil {
		return err
	}
	if err := s.blobs.Delete(ctx, restore.Deletions+org.String()); err != nil {
		return err
	}
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Deletions.Withdraw(ctx, org, tx.Real.Now().Time)
	})
}

// taken returns CodeNotFound unless the deletion of an organization waits.
func (s *Service) taken(ctx context.Context, org billing.OrgID) error {
	var now time.Time
	all, err := lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Deletion, error) {
		now = tx.Real.Now().Time
		return tx.Deletions.List(ctx)
	})
	if err == nil && !slices.ContainsFunc(all, func(d *caller.Deletion) bool { return d.Org == org && now.Before(d.DueAt()) }) {
		err = &billing.Error{Code: billing.CodeNotFound, Message: "No deletion of this organization waits. molar orgs deletions lists those that do."}
	}
	return err
}

// Deletions reads the deletions that are asked for, and the records of those that were done.
func (s *Service) Deletions(ctx context.Context) ([]*caller.Deletion, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Deletion, error) {
		return tx.Deletions.List(ctx)
	})
}

const (
	deletedRows = 1000

	// afterlife is how long what a running process wrote for a removed organization is removed.
	afterlife = 20 * time.Hour
)

// SweepDeletions removes rows of organizations whose deletion is due, a limited number, and
// returns how many. Before the first it stores what a restored database must learn. Images go by
// the sweep that removes images without rows.
func (s *Service) SweepDeletions(ctx context.Context) (removed int, err error) {
	var now time.Time
	due, err := lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*caller.Deletion, error) {
		now = tx.Real.Now().Time
		return tx.Deletions.List(ctx)
	})
	for _, d := range due {
		over := !d.RemovedAt.IsZero() && now.Sub(d.RemovedAt) > afterlife
		if err != nil || removed > 0 || over || now.Before(d.DueAt()) {
			continue
		}
		removed, err = s.remove(ctx, d)
	}
	return removed, err
}

func (s *Service) remove(ctx context.Context, d *caller.Deletion) (removed int, err error) {
	if err := s.Remember(ctx, restore.Deletions+d.Org.String(), d); err != nil {
		return 0, err
	}
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Deletions.Remove(ctx, d.Org, deletedRows)
	})
}
