// Package access manages organizations, their offices, providers and patients,
// and the API keys of their programs.
package access

import (
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of access. It remembers valid keys for rememberKey,
// so a revoked key stops working everywhere within that time.
type Service struct {
	store ports.Store
	clock ports.Clock

	mu      sync.Mutex
	good    map[[32]byte]remembered
	lookups map[[32]byte]*lookup
}

// lookup is a running look-up of a key. Requests with the same key wait for it:
// a thousand requests with one key cost one look-up.
type lookup struct {
	done chan struct{} // closed when key and err are set
	key  *billing.APIKey
	err  error
}

type remembered struct {
	key   *billing.APIKey
	until time.Time
}

// rememberKey is half of the two seconds within which a revoked key stops.
const rememberKey = time.Second

// maxRemembered limits the number of remembered keys.
const maxRemembered = 10_000

// New creates the use cases.
func New(store ports.Store, clock ports.Clock) *Service {
	return &Service{store: store, clock: clock, good: map[[32]byte]remembered{}, lookups: map[[32]byte]*lookup{}}
}
