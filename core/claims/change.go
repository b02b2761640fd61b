package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/event"
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
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.ClaimRequest,
) (caller.Reply, error) {
	_, ill := in.Change(nil)
	return s.change(ctx, call, id, ill, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		next, faults := in.Change(c.Claim)
		p, err := s.name(ctx, tx, &next.Content, in, faults)
		if err != nil {
			return nil, err
		}
		if err := p.notRetired(&c.Content); err != nil {
			return nil, err
		}
		if c.Frequency == claim.FrequencyReplacement {
			if err := atPayer(c, next.Payer); err != nil {
				return nil, err
			}
		}
		withdraws := c.SubmitWhenReady && !in.Submit
		*c.Claim = next
		now := tx.Clock.Now()
		events, err := s.settle(ctx, tx, c, p, in.Draft, in.Submit, now)
		if err == nil && withdraws {
			c.Noted(claim.TriggerWithdraw, claim.Cause{At: now}, call.Principal, "")
		}
		return events, err
	})
}
