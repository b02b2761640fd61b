// Package idempotency makes a change at most once for a key, and deletes
// expired keys. Each use case reserves its key and replays its reply in its
// first transaction; see caller.KeyUse.
package idempotency

import (
	"context"
	"time"

	"github.com/molar-billing/molar/ports"
)

// DefaultTTL is the time for which a key is stored.
const DefaultTTL = 7 * 24 * time.Hour

// Service deletes expired keys.
type Service struct {
	store ports.Store
	ttl   time.Duration
}

// New creates the use case; keys expire after ttl.
func New(store ports.Store, ttl time.Duration) *Service {
	return &Service{store, ttl}
}

// Forget deletes expired keys, a limited number in one transaction, and returns
// how many.
func (s *Service) Forget(ctx context.Context) (forgotten int, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		forgotten, err = tx.Forget.KeyUses(ctx, tx.Real.Now().Add(-s.ttl))
		return err
	})
	return forgotten, err
}
