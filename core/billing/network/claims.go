package network

import "github.com/molar-billing/molar/core/billing"

// ClaimsFile is the content of a batch file. The envelope, the route and the options
// are those of the batch's network.
type ClaimsFile struct {
	Batch    *billing.Batch
	Envelope Envelope
	Route    Route // its payer IDs
	Options  Options
	Claims   []billing.OutgoingClaim
}
