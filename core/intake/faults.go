package intake

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/fault"
)

// FaultsRequest is the fault rules of an organization as a caller wrote them; nothing is
// parsed yet.
type FaultsRequest struct {
	Rules  []FaultRule
	Faults billing.Faults // found when the body was decoded
}

// FaultRule is one rule. Its ExpiresIn is nil for an hour.
type FaultRule struct {
	fault.Rule

	ExpiresIn *string
}

// Parse validates the request and returns the rules, which expire counting from now.
func (r FaultsRequest) Parse(now time.Time) ([]fault.Rule, billing.Faults) {
	f := slices.Clone(r.Faults)
	if len(r.Rules) > fault.MaxRules {
		f.Add("rules", billing.FaultTooMany, fmt.Sprintf("Send at most %d rules.", fault.MaxRules))
	}
	rules := make([]fault.Rule, len(r.Rules))
	for i, in := range r.Rules {
		at := "rules." + strconv.Itoa(i) + "."
		lasts := fault.Lasts
		if in.ExpiresIn != nil {
			var err error
			if lasts, err = billing.ParseDuration(*in.ExpiresIn); err != nil {
				f.Add(at+"expires_in", billing.FaultFormat, "Send an ISO 8601 duration, such as PT10M.")
			} else if lasts <= 0 || lasts > fault.MaxLasts {
				f.Add(at+"expires_in", billing.FaultRange, "The duration must be above zero and at most P1D.")
			}
		}
		rules[i] = in.Rule
		rules[i].ExpiresAt = now.Add(lasts)
		rules[i].Judge(&f, at)
	}
	return rules, f
}
