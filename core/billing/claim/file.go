package claim

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/directory"
)

// OutgoingClaim is a claim with the details of the parties that it names. The
// claim's PayerClaimNumber is sent with replacements and voids.
type OutgoingClaim struct {
	Claim       *Claim
	Office      *directory.Office
	Payer       *directory.Payer                           // nil when it has left the directory
	OtherPayers []*directory.Payer                         // of the other coverages; nil for one that is not in the directory
	Provider    *directory.Provider                        // nil for none
	Providers   map[billing.ProviderID]*directory.Provider // by ID; those of the lines with one of their own are among them
	Attachments []*attachment.Attachment
}
