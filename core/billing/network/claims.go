package network

import (
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// ClaimsFile is the content of a batch file. The envelope, the route and the options
// are those of the batch's network.
type ClaimsFile struct {
	Batch    *clearing.Batch
	Envelope Envelope
	Route    Route // its payer IDs
	Options  Options
	Claims   []claim.OutgoingClaim
}
