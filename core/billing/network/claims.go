package network

import (
	"errors"

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

// Unrouted returns the reason for which no network carries a claim, if there is none. Route
// is the error of the route to its payer, and available that of any route for claims.
func Unrouted(route, available error) claim.Hold {
	switch {
	case route == nil:
		return ""
	case errors.Is(route, ErrPaused):
		return claim.HoldPaused
	case available != nil:
		return claim.HoldNoClearinghouse
	default:
		return claim.HoldNoRoute
	}
}
