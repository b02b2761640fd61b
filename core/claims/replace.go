package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Replace puts other content in place of what the payer has of a claim, and
// queues it. The claim keeps its ID and its control number.
//
// Errors: as of Make, CodeInvalidRequest also for what the rules find, because
// the payer's claim must not be replaced by one that it would refuse, and
// CodeConflict for a claim that the payer does not have.
func (s *Service) Replace(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.ClaimID, in billing.ClaimRequest,
	render billing.Render[*billing.ClaimRecord],
) (billing.Answer, bool, error) {
	now := s.clock.Now()
	_, ill := in.Replacement(nil)
	return s.change(ctx, scope, req, id, ill, now, render, func(ctx context.Context, tx ports.Tx, c *billing.Claim) ([]billing.Event, error) {
		next, faults := in.Replacement(c)
		p, err := s.name(ctx, tx, &next, in, faults)
		if err != nil {
			return nil, err
		}
		queued, err := c.Replace(&next, now)
		if err != nil {
			return nil, err
		}
		found, err := s.judge(ctx, tx, c, p, now)
		if err != nil {
			return nil, err
		}
		return []billing.Event{queued}, billing.FindingFaults(found).Err()
	})
}
