package eligibility

import (
	"context"

	"github.com/molar-billing/molar/ports"
)

// ForgetAnswers deletes the saved answers that are too old for other checks, a
// limited number in one transaction, and returns how many. The checks stay.
func (s *Service) ForgetAnswers(ctx context.Context) (forgotten int, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		forgotten, err = tx.Forget.Answers(ctx, tx.Real.Now().Add(-s.times.CacheTTL))
		return err
	})
	return forgotten, err
}
