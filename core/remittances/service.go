// Package remittances takes in what payers pay (835), and applies it to claims.
//
// A file is read whole before anything of it is kept. Each payment of it is
// then kept for the organization that was paid, under an identity of its own,
// with a job; what cannot be read, or is nobody's, goes to the quarantine, and
// an operator imports it. So a file may come any number of times.
//
// A worker takes the remittances of a scope in the order in which they came,
// whichever of them its job is about: a reversal finds the payment that it
// takes back. It keeps and matches the claims of a remittance, piece by piece;
// when all are there the remittance is shown to callers, and its claims are
// applied, again piece by piece, each piece in one commit with its events. A
// worker that dies leaves whole pieces, and the next one goes on after them.
//
// A remittance on which the work fails again and again is given up, so that it
// does not hold up those that came later: it is shown as far as it was read,
// with the claims that were not applied, and `molar era retry` takes it up
// once more.
package remittances

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of remittances.
type Service struct {
	store  ports.Store
	edi    ports.ClaimsEDI
	payers *billing.PayerDirectory
	chunk  int // how many claims of a remittance are kept, or applied, in a commit

	turns turns
	waits waits
}

// defaultChunk keeps a commit, and the locks on its claims, well below a second.
const defaultChunk = 300

// New makes the use cases.
func New(store ports.Store, edi ports.ClaimsEDI, payers *billing.PayerDirectory) *Service {
	return &Service{
		store: store, edi: edi, payers: payers, chunk: defaultChunk,
		turns: turns{held: map[billing.Scope]bool{}}, waits: waits{since: map[billing.ERAID]time.Time{}},
	}
}
