package claim

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// Record is a claim with values from other rows at the time of reading.
type Record struct {
	*Claim

	OfficeName  string
	Provider    ProviderSummary          // the rendering provider; zero on a draft without one
	ReviewERA   billing.ERAID            // the first remittance with a claim that needs review for this one; zero for none
	ForwardedTo string                   // the payer that the claim's payer sent it on to, before anyone decided it; lists have it
	Requested   *OpenRequest             // what its payer asks for first; nil for nothing
	ReadAt      time.Time                `json:"-"` // when it was read, by the clock of its scope; zero for a new one
	Tasks       []OpenTask               `json:"-"` // its tasks, in the order of lists of tasks; nil for a claim that is made or changed
	HasVoid     bool                     // it has a void that is not rejected; lists leave it out
	Hold        Hold                     // why a queued claim of live mode is in no batch; stores leave it out
	Batch       *clearing.Batch          // of a claim that the clearinghouse may not have; stores leave it out
	Attachments []*attachment.Attachment // of the claim, newest first, at most a hundred; stores leave them out
	Ledger      *Ledger                  // nil where it is not read; stores leave it out
	Rules       []*advice.Rule           // of its organization about what goes with claims, for its payer and for all; lists have none
}

// OpenRequest is a payer request that nobody has answered.
type OpenRequest struct {
	ID  billing.PayerRequestID
	Due billing.Date // zero for none
}

// OpenTask is stored work about a claim that no person has put off until the claim changes. Package task has its rules.
type OpenTask struct {
	Reason string
	From   time.Time // when it came, or comes back; may lie in the future
}

// ProviderSummary names a provider inside another resource.
type ProviderSummary struct {
	ID        billing.ProviderID
	FirstName string
	LastName  string
	NPI       string
}

// OpenLines returns what is open of each line; see Ledger.OpenLines.
func (r *Record) OpenLines() []billing.Money {
	if r.Ledger == nil {
		return r.Claim.Ledger(nil).OpenLines()
	}
	return r.Ledger.OpenLines()
}
