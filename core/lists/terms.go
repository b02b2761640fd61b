package lists

import (
	"context"
	"maps"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/contract"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/limit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// ChangeTerms is part of a change of what Terms sets on claims: a job looks at all claims of the scope again, and
// computes their tasks.
func ChangeTerms(ctx context.Context, tx ports.Tx, scope billing.Scope) error {
	if err := tx.Contracts.Changed(ctx); err != nil {
		return err
	}
	return tx.Outbox.Stage(ctx, jobs.ForTasks(scope))
}

// Terms sets on claims what the fee schedules and the payers' limits of their scope say of them,
// and the zone of their offices, and returns the claims of which that changed. It asks once for all claims of an office to a
// payer. The claims are new or locked, so that what is stored meanwhile finds them.
func Terms(ctx context.Context, tx ports.Tx, claims ...*claim.Claim) (changed []*claim.Claim, err error) {
	lines, payers := map[fee.Question][]fee.Line{}, map[billing.PayerID]bool{}
	for _, c := range claims {
		k := c.Contracted()
		lines[k.Question] = append(lines[k.Question], k.Lines()...)
		if len(k.Services) > 0 && !k.Question.PayerID.IsZero() {
			payers[k.Question.PayerID] = true
		}
	}
	among := map[fee.Question][]*fee.Schedule{}
	for q, of := range lines {
		if among[q], err = tx.FeeSchedules.Pricing(ctx, q, of); err != nil {
			return nil, err
		}
	}
	limits, err := tx.PayerLimits.Of(ctx, slices.Collect(maps.Keys(payers)))
	if err != nil {
		return nil, err
	}
	zones := map[billing.OfficeID]limit.Zone{}
	for _, c := range claims {
		if _, known := zones[c.OfficeID]; !known {
			o, err := Office(ctx, tx, c.OfficeID)
			if err != nil {
				return nil, err
			}
			zones[c.OfficeID] = limit.ZoneOf(o)
		}
	}
	for _, c := range claims {
		k := c.Contracted()
		if set(k, among[k.Question], limits[k.Question.PayerID], zones[c.OfficeID]) {
			changed = append(changed, c)
		}
	}
	return changed, nil
}

// TermsOf sets on a claim what Terms does, with what was read beside its office.
func TermsOf(ctx context.Context, tx ports.Tx, c *claim.Claim, with *ports.Followed) error {
	k := c.Contracted()
	var among []*fee.Schedule
	if with.Schedules {
		var err error
		if among, err = tx.FeeSchedules.Pricing(ctx, k.Question, k.Lines()); err != nil {
			return err
		}
	}
	set(k, among, with.Limits, limit.ZoneOf(with.Office))
	return nil
}

// set reports whether it changed anything.
func set(k contract.Case, among []*fee.Schedule, payer limit.Terms, zone limit.Zone) bool {
	terms := k.SetTerms(among)
	return k.SetLimits(among, payer, zone) || terms
}
