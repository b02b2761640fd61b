package eligibility

import (
	"context"

	"github.com/molar-billing/molar/ports"
)

// ForgetAnswers removes the saved answers that are too old for other checks, a
// bounded number in each transaction, and returns how many. The checks stay.
func (s *Service) ForgetAnswers(ctx context.Context) (forgotten int, err error) {
	for {
		var n int
		err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
			n, err = tx.Forget.Answers(ctx, tx.Clock.Now().Add(-s.times.CacheTTL))
			return err
		})
		if forgotten += n; err != nil || n == 0 {
			return forgotten, err
		}
	}
}
