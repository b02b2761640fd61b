// Package idempotency forgets keys whose time is over. Reserving and replaying
// are part of each use case's first transaction; see billing.KeyUse.
package idempotency

import (
	"context"
	"time"

	"github.com/molar-billing/molar/ports"
)

// DefaultTTL is how long a key is remembered.
const DefaultTTL = 7 * 24 * time.Hour

// Service is the use case of forgetting.
type Service struct {
	store ports.Store
	ttl   time.Duration
}

// New makes the use case; keys are remembered for ttl.
func New(store ports.Store, ttl time.Duration) *Service {
	return &Service{store, ttl}
}

// Forget removes the keys that are older than the time they are remembered
// for, a bounded number in one transaction, and returns how many.
func (s *Service) Forget(ctx context.Context) (forgotten int, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		forgotten, err = tx.Forget.KeyUses(ctx, tx.Clock.Now().Add(-s.ttl))
		return err
	})
	return forgotten, err
}
