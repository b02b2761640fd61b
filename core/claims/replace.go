package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// Replace replaces the content of a claim that the payer has, and queues it.
// The claim keeps its ID and its control number. The request may say why it goes without what its
// payer wants to see. A claim to a later payer takes over what the payers before have decided since
// it was sent, unless the request changes that.
//
// Errors: those of Make, and CodeConflict for a claim that the payer does not
// have or that has a void on its way. A change of payer is CodeInvalidRequest.
// So are findings of the rules, because the payer would reject the replacement.
func (s *Service) Replace(
	ctx context.Context, call idempotency.Write[*claim.Record], id billing.ClaimID, in intake.ClaimRequest,
) (caller.Reply, error) {
	_, ill := in.Replacement(nil)
	return s.change(ctx, call, id, ill, func(ctx context.Context, tx ports.Tx, c *claim.Record) ([]event.Event, error) {
		now := tx.Clock.Now()
		next, faults := in.Replacement(c.Claim)
		p, err := s.name(ctx, tx, &next, in, faults)
		if err != nil {
			return nil, err
		}
		if err := atPayer(c, next.Payer); err != nil {
			return nil, err
		}
		if c.Outdated() {
			l, err := ledgerOf(ctx, tx, c.Claim)
			if err != nil {
				return nil, err
			}
			next = c.Renewed(next, l.Earlier())
		}
		queued, err := c.Replace(next, now)
		if err != nil {
			return nil, err
		}
		found, err := s.judge(ctx, tx, p.of(c).Claim, p, now)
		if err != nil {
			return nil, err
		}
		if err := s.ignores(ctx, tx, c, in.Ignored(), call.Principal); err != nil {
			return nil, err
		}
		return []event.Event{queued}, claim.FindingFaults(found).Err()
	})
}

// atPayer refuses to replace a claim at a payer that does not have it.
func atPayer(c *claim.Record, payer directory.PayerSummary) error {
	var f billing.Faults
	if payer.ID != c.Payer.ID {
		f.Add("payer_id", billing.FaultNotAllowed, "Another payer has the claim. Create a new claim for this payer.")
	}
	return f.Err()
}
