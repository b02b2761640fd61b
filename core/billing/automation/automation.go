// Package automation says what Molar does with the remittances of an organization without a
// person.
package automation

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Level is how much is done without a person.
type Level string

// The levels. Each does what the one before it does.
const (
	Review     Level = "review"     // nothing: a person posts every remittance
	Exceptions Level = "exceptions" // it posts remittances that Plain and Clean allow; people see the exceptions
	Automatic  Level = "automatic"  // it also reconciles the settled claims once the money is in the bank
)

// Levels lists every level.
func Levels() []Level { return []Level{Review, Exceptions, Automatic} }

// MaxPayers is how many payers have a level of their own at most.
const MaxPayers = 200

// Settings are the levels of an organization in one mode.
type Settings struct {
	Level     Level
	Payers    []PayerLevel // those with a level of their own
	UpdatedAt time.Time    // zero when nothing was ever set
	UpdatedBy string       // the key or the user
}

// PayerLevel is the level of a payer.
type PayerLevel struct {
	Payer directory.PayerSummary
	Level Level
}

// For returns the level for the remittances of a payer. A zero ID stands for one that the
// directory does not have.
func (s *Settings) For(payer billing.PayerID) Level {
	for _, p := range s.Payers {
		if p.Payer.ID == payer {
			return p.Level
		}
	}
	return s.Level
}

// Plain reports whether a rule may post the remittance by what it says as a whole. It was read
// to its end and balances by itself, every claim of it is applied, it adjusts no other payment,
// corrects no other remittance, and no person has begun with it.
func Plain(e *remit.ERA) bool {
	return e.Stage == remit.Done && e.State == remit.NeedsReview && e.Stands() && !e.ByHand && e.Posting == nil &&
		e.Balanced && len(e.Warnings) == 0 && len(e.ProviderAdjustments) == 0 && len(e.Corrects) == 0 && len(e.Corrections) == 0 &&
		e.ClaimCount > 0 && e.Progress.Applied == e.ClaimCount
}

// Clean reports whether a rule may post a remittance with the claim: it was applied without a
// person and without a warning, and takes nothing back. A denial is no reason to wait.
func Clean(r *remit.Claim) bool {
	return r.Status == remit.StatusApplied && len(r.Warnings) == 0 && !r.Reverses() && r.MatchedBy != remit.MatchedByUser
}
