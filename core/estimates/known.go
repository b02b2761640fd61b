package estimates

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/ports"
)

// yearsKnown is how far back claims show earlier services: longer than any usual frequency.
const yearsKnown = 10

// known adds what the claims here show: what they use of the benefits beyond what the payers have counted
// in their answers, and when the patient last had a service.
func known(ctx context.Context, tx ports.Tx, p plans, r *estimate.Record, c *estimate.Case) (err error) {
	first := asked{p.check, p.answered, p.first, r.Network}
	if c.Decided, c.Undecided, err = first.since(ctx, tx, r); err != nil {
		return err
	}
	if p.second != nil {
		second := asked{p.second, p.secondAnswered, p.other, p.other.Network()}
		if c.SecondDecided, c.SecondUndecided, err = second.since(ctx, tx, r); err != nil {
			return err
		}
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
	var settled []billing.ClaimID
	for _, k := range claims {
		if !k.SettledAt.IsZero() {
			settled = append(settled, k.ID)
		}
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, settled)
	if err != nil {
		return err
	}
	c.Earlier = earlier(claims, entries, p.answered)
	for i := range r.Services {
		s := &r.Services[i]
		if s.LastService.IsZero() {
			s.LastService = lastService(c.Earlier, s)
		}
	}
	return nil
}

// earlier returns the services of claims that the payer did not refuse, one for each tooth.
func earlier(claims []*claim.Claim, entries map[billing.ClaimID][]*remit.LedgerEntry, checked time.Time) (out []estimate.Earlier) {
	for _, c := range claims {
		refused := c.Refused(entries[c.ID])
		for i := range c.Lines {
			if slices.Contains(refused, i) {
				continue
			}
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

// asked is a plan with the check that it was read from.
type asked struct {
	check    *coverage.Check
	answered time.Time // by the payer
	plan     *estimate.Plan
	network  fee.Network
}

// since returns what claims to the payer use of the benefits that it does not know of in its answer: what it
// has decided since, and what it still decides, by its own estimate.
func (a asked) since(ctx context.Context, tx ports.Tx, r *estimate.Record) (decided, undecided []estimate.Claimed, err error) {
	claims, err := tx.Claims.Since(ctx, a.check.Inquiry.Subscriber.MemberID, a.check.Payer.ID, a.answered)
	if err != nil {
		return nil, nil, err
	}
	var settled []billing.ClaimID
	for _, c := range claims {
		if !c.SettledAt.IsZero() {
			settled = append(settled, c.ID)
		}
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, settled)
	if err != nil {
		return nil, nil, err
	}
	var lines []sent
	for _, c := range claims {
		done, open := c.Since(entries[c.ID], a.answered, a.plan.CheckedOn)
		for _, one := range done {
			one.Family = c.PatientID != r.PatientID
			decided = append(decided, one)
		}
		for _, i := range open {
			lines = append(lines, sent{c, i})
		}
	}
	if len(lines) == 0 {
		return decided, nil, nil
	}
	undecided, err = a.uses(ctx, tx, r, lines, decided)
	return decided, undecided, err
}

// sent is a service that a payer still decides.
type sent struct {
	of   *claim.Claim
	line int // its position
}

// uses returns what services use by their own estimate: the one that their claim names, or what an estimate
// of now says. What a later payer pays depends on the payers before it, and is at most what they leave.
func (a asked) uses(ctx context.Context, tx ports.Tx, r *estimate.Record, all []sent, decided []estimate.Claimed) ([]estimate.Claimed, error) {
	told, err := a.told(ctx, tx, all)
	if err != nil {
		return nil, err
	}
	var prices []fee.Line
	for _, s := range all {
		l := &s.of.Lines[s.line]
		alternate := a.plan.Procedures[l.ProcedureCode].Alternate
		prices = append(prices, fee.Line{ProcedureCode: l.ProcedureCode, On: l.ServiceDate}, fee.Line{ProcedureCode: cmp.Or(alternate, l.ProcedureCode), On: l.ServiceDate})
	}
	q := fee.Question{OfficeID: r.OfficeID, PayerID: a.check.Payer.ID, Network: a.network}
	among, err := tx.FeeSchedules.Pricing(ctx, q, prices)
	if err != nil {
		return nil, err
	}
	found := q.Prices(among, prices)
	lines := make([]estimate.Line, len(all))
	for i, s := range all {
		l := &s.of.Lines[s.line]
		service := &estimate.Service{Alternate: a.plan.Procedures[l.ProcedureCode].Alternate}
		if t := told[s]; t != nil {
			service = t.Service
		} else {
			service.Allowed.Price(found[2*i].Allowed, l.Quantity)
			if service.Alternate != "" {
				service.AlternateAllowed.Price(found[2*i+1].Allowed, l.Quantity)
			}
		}
		lines[i] = service.Line()
		lines[i].Code, lines[i].Fee, lines[i].Quantity, lines[i].ServiceDate = l.ProcedureCode, l.Fee, l.Quantity, l.ServiceDate
		lines[i].Place = estimate.Place{Tooth: l.Tooth, Surfaces: l.Surfaces, Areas: l.OralCavity}
		lines[i].Person, lines[i].Family = s.of.PatientID, s.of.PatientID != r.PatientID
		if s.of.Turn() != billing.SequencePrimary {
			left, _ := s.of.Left()
			lines[i].Left = &left[s.line]
		}
	}
	out := (&estimate.Case{Plan: a.plan, Lines: lines, Decided: decided}).Uses()
	left := map[billing.ClaimID]billing.Money{} // by the payers before, of the lines that follow
	for i, s := range all {
		if t := told[s]; t != nil && t.network != a.network {
			out[i].Deductible, out[i].Pays = t.uses()
		}
		if lines[i].Left == nil {
			continue
		}
		if _, known := left[s.of.ID]; !known {
			_, left[s.of.ID] = s.of.Left()
		}
		out[i].Pays.Most = min(out[i].Pays.Most, left[s.of.ID])
		left[s.of.ID] -= out[i].Pays.Most
	}
	return out, nil
}

// toldService is a service of the estimate that its claim names.
type toldService struct {
	*estimate.Service

	network fee.Network
	result  *estimate.Result
}

// uses returns what the estimate says that the service uses. Terms of another network are not those of the plan here.
func (t *toldService) uses() (deductible, pays estimate.Range) {
	between := func(x, y billing.Money) estimate.Range { return estimate.Range{Least: min(x, y), Most: max(x, y)} }
	least, most := &t.result.Least, &t.result.Most
	return between(least.Deductible, most.Deductible), between(least.PlanPays, most.PlanPays)
}

// told returns the services of the estimates that claims to the first payer name.
func (a asked) told(ctx context.Context, tx ports.Tx, all []sent) (map[sent]*toldService, error) {
	out := map[sent]*toldService{}
	read := map[billing.ClaimID]bool{}
	for _, s := range all {
		c := s.of
		if c.EstimateID.IsZero() || c.Turn() != billing.SequencePrimary || read[c.ID] {
			continue
		}
		read[c.ID] = true
		e, err := tx.Estimates.Get(ctx, c.EstimateID)
		if err != nil {
			return nil, err
		}
		for line, i := range c.Told(e) {
			if i >= 0 {
				out[sent{c, line}] = &toldService{&e.Services[i], e.Network, &e.Estimate.Lines[i]}
			}
		}
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
