// Package remittances imports remittances (835) and applies them to claims.
//
// A file is read to its end before any part of it is stored. Each payment of it
// is then stored for the organization that was paid, under its own identity,
// with a job. A file that cannot be read, or a payment without an organization,
// goes to the quarantine, and an operator imports it. So a file may come any
// number of times.
//
// A worker processes the remittances of a scope in the order in which they
// came, so that a reversal finds the payment that it reverses. The remittance
// of its own job waits its turn. The worker stores and matches the claims of a
// remittance in chunks. Then callers see the remittance, and the worker applies
// its claims, again in chunks, each in one commit with its events. A worker
// that dies leaves whole chunks, and the next one continues after them.
//
// A remittance on which the work fails repeatedly is given up, so that it does
// not hold up later ones. Callers see the claims that were read, including
// those that were not applied, and `molar era retry` applies the remittance again.
package remittances

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of remittances.
type Service struct {
	store  ports.Store
	edi    ports.ClaimsEDI
	payers *directory.PayerDirectory
	chunk  int // the number of claims that a commit stores or applies

	turns turns
	waits waits
}

// defaultChunk keeps a commit, and the locks on its claims, well below a second.
const defaultChunk = 300

// New creates the use cases.
func New(store ports.Store, edi ports.ClaimsEDI, payers *directory.PayerDirectory) *Service {
	return &Service{
		store: store, edi: edi, payers: payers, chunk: defaultChunk,
		turns: turns{held: map[billing.Scope]bool{}}, waits: waits{since: map[billing.ERAID]time.Time{}},
	}
}
