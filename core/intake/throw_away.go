package intake

import (
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
)

// ThrowAwayRequest is a throw-away organization as a caller wrote it; nothing is parsed yet.
type ThrowAwayRequest struct {
	Name      string
	ExpiresIn *string        // a duration of ISO 8601; nil for a week
	Faults    billing.Faults // found when the body was decoded
}

// ThrowAway validates the request and returns how long the organization lasts; zero if the
// request does not say.
func (r ThrowAwayRequest) ThrowAway() (lasts time.Duration, f billing.Faults) {
	f = slices.Clone(r.Faults)
	f.Name("name", r.Name)
	if r.ExpiresIn == nil {
		return 0, f
	}
	lasts, fault := Duration(*r.ExpiresIn)
	switch {
	case fault != "":
		f.Add("expires_in", billing.FaultFormat, fault)
	case lasts <= 0 || lasts > caller.MaxThrowAway:
		f.Add("expires_in", billing.FaultRange, "An organization lasts at most 30 days: P30D.")
	}
	return lasts, f
}
