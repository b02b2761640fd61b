package batches_test

import (
	"context"
	"testing"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/ports"
)

// TestARejectedClaimTakesOverTheNewDecision sends a claim to a secondary payer. Meanwhile
// the primary payer takes its decision back. The claim that comes back says so.
func TestARejectedClaimTakesOverTheNewDecision(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	first, second := b.claim(b.practice, ""), b.claim(b.practice, "-REJECTED")
	second.SecondaryTo, second.Coverage = first.ID, billing.SequenceSecondary
	second.OtherCoverage = []claim.OtherCoverage{{
		Sequence: billing.SequencePrimary, Payer: first.Payer, Relationship: coverage.RelationSelf,
		Adjudication: &claim.CoverageAdjudication{Paid: 1},
	}}
	b.keep(b.practice, first)
	b.keep(b.practice, second)
	b.cut(1)
	b.send()
	b.in(b.practice, func(ctx context.Context, tx ports.Tx) error {
		c, err := tx.Claims.Lock(ctx, second.ID)
		if err != nil {
			return err
		}
		c.Findings = []claim.Finding{{Code: claim.FindingEarlierChanged, Field: "other_coverage.0.adjudication"}}
		return tx.Claims.Save(ctx, c.Claim)
	})
	b.clock.Advance(untilAll)
	b.receive()
	c := b.get(b.practice, second.ID)
	if c.State != claim.Rejected || c.OtherCoverage[0].Adjudication != nil || len(c.Findings) != 1 || c.Findings[0].Code != "status_rejected" {
		t.Errorf("%s with %+v, which states %+v", c.State, c.Findings, c.OtherCoverage[0].Adjudication)
	}
}
