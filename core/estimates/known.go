package estimates

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/ports"
)

// yearsKnown is how far back claims show earlier services: longer than any usual frequency.
const yearsKnown = 10

// known adds what the claims here show: what uses the benefits of the plan and is not decided,
// and when the patient last had a service.
func known(ctx context.Context, tx ports.Tx, p plans, r *estimate.Record, c *estimate.Case) error {
	undecided, err := tx.Claims.Undecided(ctx, p.check.Inquiry.Subscriber.MemberID, r.Payer.ID, p.check.CompletedAt)
	if err != nil {
		return err
	}
	if c.Undecided, err = uses(ctx, tx, p, r, undecided); err != nil {
		return err
	}
	first := c.Today
	for i := range r.Services {
		if day := r.Services[i].ServiceDate; day.Before(first) {
			first = day
		}
	}
	earlier, err := tx.Claims.Similar(ctx, r.PatientID, billing.DateSpan{From: first.AddMonths(-12 * yearsKnown), To: first})
	if err != nil {
		return err
	}
	for i := range r.Services {
		s := &r.Services[i]
		if s.LastService.IsZero() {
			s.LastService = lastService(earlier, r.Payer.ID, s)
		}
	}
	return nil
}

// uses returns what undecided claims use of the benefits, by their own estimates.
func uses(ctx context.Context, tx ports.Tx, p plans, r *estimate.Record, claims []*claim.Claim) (out []estimate.Undecided, err error) {
	var lines []estimate.Line
	var family []bool
	var asked []fee.Line
	for _, c := range claims {
		for i := range c.Lines {
			l := &c.Lines[i]
			lines = append(lines, estimate.Line{Person: c.PatientID, Code: l.ProcedureCode, Fee: l.Fee, Quantity: l.Quantity, Tooth: l.Tooth, ServiceDate: l.ServiceDate})
			family = append(family, c.PatientID != r.PatientID)
			asked = append(asked, fee.Line{ProcedureCode: l.ProcedureCode, On: l.ServiceDate})
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	q := fee.Question{OfficeID: r.OfficeID, PayerID: r.Payer.ID, Network: r.Network}
	among, err := tx.FeeSchedules.Pricing(ctx, q, asked)
	if err != nil {
		return nil, err
	}
	for i, price := range q.Prices(among, asked) {
		if price.Allowed != nil {
			lines[i].Allowed = new(price.Allowed.Amount * billing.Money(lines[i].Quantity))
		}
	}
	for i, result := range estimate.Compute(&estimate.Case{Plan: p.first, Lines: lines}).Lines {
		least, most := result.Least, result.Most
		out = append(out, estimate.Undecided{
			Code: lines[i].Code, ServiceDate: lines[i].ServiceDate, Family: family[i], Deductible: min(least.Deductible, most.Deductible),
			Pays: estimate.Range{Least: min(least.PlanPays, most.PlanPays), Most: max(least.PlanPays, most.PlanPays)},
		})
	}
	return out, nil
}

// lastService returns the day of the last earlier service of the same procedure at the same
// tooth that a payer has, by the claims here; zero without one.
func lastService(claims []*claim.Claim, payer billing.PayerID, s *estimate.Service) (last billing.Date) {
	for _, c := range claims {
		if c.Payer.ID != payer || !c.Awaits() || c.State == claim.Denied {
			continue
		}
		for i := range c.Lines {
			l := &c.Lines[i]
			same := l.ProcedureCode == s.Code && (s.Tooth == "" || slices.Contains(l.AllTeeth(), s.Tooth))
			if same && l.ServiceDate.Before(s.ServiceDate) && last.Before(l.ServiceDate) {
				last = l.ServiceDate
			}
		}
	}
	return last
}
