// Package unavailablenet is the network of live mode until a clearinghouse is
// configured: it answers every call with an error that says so.
package unavailablenet

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Eligibility answers no inquiry.
type Eligibility struct{}

var _ ports.EligibilityNetwork = Eligibility{}

// Name is "unavailable".
func (Eligibility) Name() string { return "unavailable" }

// Available is always CodeEligibilityUnavailable.
func (Eligibility) Available() error {
	return &billing.Error{
		Code:    billing.CodeEligibilityUnavailable,
		Message: "Eligibility checks are not available in live mode yet. Use a test key.",
	}
}

// Inquire is always CodeEligibilityUnavailable.
func (e Eligibility) Inquire(context.Context, []byte) ([]byte, error) { return nil, e.Available() }
