package estimates

import (
	"context"
	"slices"
	"time"

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
	span := billing.DateSpan{From: c.Today, To: c.Today}
	for i := range r.Services {
		switch day := r.Services[i].ServiceDate; {
		case day.Before(span.From):
			span.From = day
		case span.To.Before(day):
			span.To = day
		}
	}
	span.From = span.From.AddMonths(-12 * yearsKnown)
	claims, err := tx.Claims.Similar(ctx, r.PatientID, span)
	if err != nil {
		return err
	}
	claims = slices.DeleteFunc(claims, func(k *claim.Claim) bool { return k.Payer.ID != r.Payer.ID || !k.Awaits() || k.State == claim.Denied })
	c.Earlier = earlier(claims, p.check.CompletedAt)
	for i := range r.Services {
		s := &r.Services[i]
		if s.LastService.IsZero() {
			s.LastService = lastService(c.Earlier, s)
		}
	}
	return nil
}

// earlier returns the services of claims, one for each tooth.
func earlier(claims []*claim.Claim, checked time.Time) (out []estimate.Earlier) {
	for _, c := range claims {
		for i := range c.Lines {
			l := &c.Lines[i]
			one := estimate.Earlier{Since: !c.SentAt.Before(checked), Line: estimate.Line{
				Code: l.ProcedureCode, Quantity: l.Quantity, ServiceDate: l.ServiceDate, Place: estimate.Place{Surfaces: l.Surfaces, Areas: l.OralCavity},
			}}
			for _, tooth := range l.AllTeeth() {
				one.Tooth, one.Quantity = tooth, 1
				out = append(out, one)
			}
			if one.Tooth == "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// uses returns what undecided claims use of the benefits, by their own estimates.
func uses(ctx context.Context, tx ports.Tx, p plans, r *estimate.Record, claims []*claim.Claim) (out []estimate.Undecided, err error) {
	var lines []estimate.Line
	var asked []fee.Line
	for _, c := range claims {
		for i := range c.Lines {
			l := &c.Lines[i]
			lines = append(lines, estimate.Line{
				Person: c.PatientID, Family: c.PatientID != r.PatientID, Code: l.ProcedureCode, Fee: l.Fee, Quantity: l.Quantity,
				Place: estimate.Place{Tooth: l.Tooth, Surfaces: l.Surfaces, Areas: l.OralCavity}, ServiceDate: l.ServiceDate,
			})
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
			Code: lines[i].Code, ServiceDate: lines[i].ServiceDate, Family: lines[i].Family, Deductible: min(least.Deductible, most.Deductible),
			Pays: estimate.Range{Least: min(least.PlanPays, most.PlanPays), Most: max(least.PlanPays, most.PlanPays)},
		})
	}
	return out, nil
}

// lastService returns the day of the last earlier service of the same procedure at the same place;
// zero if there is none.
func lastService(earlier []estimate.Earlier, s *estimate.Service) (last billing.Date) {
	for i := range earlier {
		e := &earlier[i]
		elsewhere := s.Tooth != "" && s.Tooth != e.Tooth || s.Tooth == "" && apart(s.OralCavity, e.Areas) ||
			len(e.Surfaces) > 0 && apart(s.Surfaces, e.Surfaces)
		if e.Code == s.Code && !elsewhere && e.ServiceDate.Before(s.ServiceDate) && last.Before(e.ServiceDate) {
			last = e.ServiceDate
		}
	}
	return last
}

// apart reports whether places are named and none of them is among others.
func apart(named, others []string) bool {
	return len(named) > 0 && !slices.ContainsFunc(named, func(s string) bool { return slices.Contains(others, s) })
}
