package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing/fault"
)

// Faults stores the fault rules of an organization, in test mode.
type Faults interface {
	// Replace stores the rules in place of those that the organization has.
	Replace(ctx context.Context, rules []fault.Rule) error

	// List reads the rules that have not expired, in their order, with how often each
	// matched.
	List(ctx context.Context) ([]fault.Rule, error)

	// Match counts one more match of a rule and returns how many there are; zero for a
	// rule that was replaced or has expired.
	Match(ctx context.Context, serial int64) (int, error)
}
