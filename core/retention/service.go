// Package retention removes records when they are old enough, and places and releases the
// holds that stop it. See ADR 125.
package retention

import (
	"context"
	"sync"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/retention"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of retention.
type Service struct {
	store ports.Store
	set   SetAge

	mu sync.Mutex
	at retention.Place // where the sweep of this process is
}

// SetAge stores an age as the owner of the database.
type SetAge func(ctx context.Context, a retention.Age) error

// New creates the use cases. A process that sets no ages has no set.
func New(store ports.Store, set SetAge) *Service { return &Service{store: store, set: set} }

// lookedAt is how many records one transaction looks at.
const lookedAt = 200

// Sweep looks at some old records, and removes those that can go. It returns how many, and
// whether there is more to look at. A process that dies goes on where it was.
func (s *Service) Sweep(ctx context.Context) (removed int, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next *retention.Place
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) (err error) {
		removed, next, err = tx.Retention.Forget(ctx, s.at, lookedAt)
		return err
	})
	if err != nil {
		return 0, false, err
	}
	if next == nil {
		s.at = 0
		return removed, false, nil
	}
	s.at = *next
	return removed, true, nil
}

// Ages reads how long data stays.
func (s *Service) Ages(ctx context.Context) ([]retention.Age, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]retention.Age, error) {
		return tx.Retention.Ages(ctx)
	})
}

// Set stores how long data of a kind and a mode stays.
func (s *Service) Set(ctx context.Context, a retention.Age) error {
	if err := a.Check(); err != nil {
		return err
	}
	return s.set(ctx, a)
}

// Count counts what is older than an age, without setting it.
func (s *Service) Count(ctx context.Context, a retention.Age) ([]retention.Old, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]retention.Old, error) {
		return tx.Retention.Old(ctx, a)
	})
}

// Hold stops every removal of what an organization or a patient has. Placed again, a hold
// stays as it is. It returns CodeNotFound if there is no such organization or patient.
func (s *Service) Hold(ctx context.Context, org billing.OrgID, patient billing.PatientID, reason string) error {
	reason, err := retention.Reason(reason)
	if err != nil {
		return err
	}
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Retention.Hold(ctx, &retention.Hold{Org: org, Patient: patient, Reason: reason, PlacedAt: tx.Real.Now().Time})
	})
}

// Release ends a hold. It returns CodeNotFound if there is none.
func (s *Service) Release(ctx context.Context, org billing.OrgID, patient billing.PatientID) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		_, err := tx.Retention.Release(ctx, org, patient)
		return err
	})
}

// Holds reads all holds, the oldest first.
func (s *Service) Holds(ctx context.Context) ([]retention.Hold, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]retention.Hold, error) {
		return tx.Retention.Holds(ctx)
	})
}
