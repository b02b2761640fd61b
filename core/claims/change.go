package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Change changes a claim that is a draft, needs attention or was rejected, and
// validates it again. It is a draft afterwards only when the request asks for
// one. It is queued when the request asks for that and validation finds
// nothing. A request that does not ask for that takes back SubmitWhenReady.
//
// Errors: those of Make, and CodeConflict for a claim in another state.
func (s *Service) Change(
	ctx context.Context, call idempotency.Write[*billing.ClaimRecord], id billing.ClaimID, in intake.ClaimRequest,
) (billing.Reply, error) {
	_, ill := in.Change(nil)
	return s.change(ctx, call, id, ill, func(ctx context.Context, tx ports.Tx, c *billing.ClaimRecord) ([]billing.Event, error) {
		next, faults := in.Change(c.Claim)
		p, err := s.name(ctx, tx, &next.ClaimContent, in, faults)
		if err != nil {
			return nil, err
		}
		if err := p.notRetired(&c.ClaimContent); err != nil {
			return nil, err
		}
		if c.Frequency == billing.FrequencyReplacement {
			if err := atPayer(c, next.Payer); err != nil {
				return nil, err
			}
		}
		withdraws := c.SubmitWhenReady && !in.Submit
		*c.Claim = next
		now := tx.Clock.Now()
		events, err := s.settle(ctx, tx, c, p, in.Draft, in.Submit, now)
		if err == nil && withdraws {
			c.Noted(billing.TriggerWithdraw, billing.ClaimCause{At: now}, call.Principal, "")
		}
		return events, err
	})
}
