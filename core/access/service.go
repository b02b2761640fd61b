// Package access manages organizations, their offices, providers and patients,
// the API keys of their programs, and their users with their sessions.
package access

import (
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of access. It remembers valid keys and sessions for
// billing.RememberKeys, so one that has been ended stops working everywhere within that
// time.
type Service struct {
	store       ports.Store
	payers      *directory.PayerDirectory
	clock       ports.Clock
	credentials ports.Credentials
	attempts    *attempts
	places      *places

	used       *used
	keys       *memory[*caller.APIKey]
	active     *memory[*signedIn] // sessions by requests of a person
	background *memory[*signedIn] // sessions by requests that a page makes by itself
}

// New creates the use cases.
func New(store ports.Store, payers *directory.PayerDirectory, clock ports.Clock, credentials ports.Credentials) *Service {
	return &Service{
		store: store, payers: payers, clock: clock, credentials: credentials, attempts: newAttempts(clock), places: newPlaces(),
		used: newUsed(), keys: newMemory[*caller.APIKey](clock), active: newMemory[*signedIn](clock), background: newMemory[*signedIn](clock),
	}
}
