package eligibility

import (
	"context"

	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// ForgetAnswers deletes the saved answers that are too old for other checks, a
// limited number in one transaction, and returns how many. The checks stay.
func (s *Service) ForgetAnswers(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Answers(ctx, tx.Real.Now().Add(-s.times.CacheTTL))
	})
}
