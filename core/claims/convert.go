package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Convert creates the claim for the services of a predetermination that are
// done, and returns it, validated or with findings. The predetermination names
// the claim from then on.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// CodeNotFound, and CodeConflict. A conflict is a claim that is not a
// predetermination, or a predetermination that was converted already or that
// the payer does not have.
func (s *Service) Convert(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.ConvertRequest,
) (caller.Reply, error) {
	_, ill := in.ServiceDates(nil)
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claim.Record, error) {
		now := tx.Clock.Now()
		asked, err := s.lock(ctx, tx, call.Call, id, ill)
		if err != nil {
			return nil, err
		}
		days, faults := in.ServiceDates(asked.Claim)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		made := billing.NewID[billing.ClaimID](tx.Real.Now())
		c, err := asked.Convert(made, claim.NewControlNumber(made), days, call.Request.ID, now)
		if err != nil {
			return nil, err
		}
		return s.follow(ctx, tx, c, asked.Claim, now)
	})
}
