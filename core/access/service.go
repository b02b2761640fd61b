// Package access manages who uses the service: organizations, their offices,
// providers and patients, and the keys that their programs call the API with.
package access

import (
	"sync"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of access. It remembers good keys for a moment, so
// a revoked key stops everywhere within rememberKey.
type Service struct {
	store ports.Store
	clock ports.Clock

	mu      sync.Mutex
	good    map[[32]byte]remembered
	lookups map[[32]byte]*lookup
}

// lookup is a key that is being looked up. Whoever needs it meanwhile gets what
// comes of it: a thousand requests with one key are one look-up.
type lookup struct {
	done chan struct{} // closed when key and err are there
	key  *billing.APIKey
	err  error
}

type remembered struct {
	key   *billing.APIKey
	until time.Time
}

// rememberKey is half of the two seconds within which a revoked key stops.
const rememberKey = time.Second

// maxRemembered bounds the memory that keys take.
const maxRemembered = 10_000

// New makes the use cases.
func New(store ports.Store, clock ports.Clock) *Service {
	return &Service{store: store, clock: clock, good: map[[32]byte]remembered{}, lookups: map[[32]byte]*lookup{}}
}
