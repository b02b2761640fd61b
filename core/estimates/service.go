// Package estimates tells what patients will pay, from the answers of checks, fee schedules and
// the claims that are known here. The rules are in core/billing/estimate.
package estimates

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/fee"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of estimates.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Preview computes an estimate and stores nothing. Its errors are those of Make.
func (s *Service) Preview(ctx context.Context, scope billing.Scope, a intake.Asked, faults billing.Faults) (*estimate.Record, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*estimate.Record, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		return compute(ctx, tx, scope, a)
	})
}

// Make computes an estimate and stores it.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound for a
// check, and CodeConflict for one that the payer has not answered.
func (s *Service) Make(ctx context.Context, call idempotency.Write[*estimate.Record], a intake.Asked, faults billing.Faults) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*estimate.Record, error) {
		if err := faults.Err(); err != nil {
			return nil, err
		}
		r, err := compute(ctx, tx, call.Scope, a)
		if err != nil {
			return nil, err
		}
		r.ID = billing.NewID[billing.EstimateID](tx.Real.Now())
		return r, tx.Estimates.Insert(ctx, r)
	})
}

// keptMonths is how long an estimate is kept.
const keptMonths = 12

// Forget removes old estimates, a limited number a call, and returns how many.
func (s *Service) Forget(ctx context.Context) (int, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) (int, error) {
		return tx.Forget.Estimates(ctx, tx.Real.Now().AddDate(0, -keptMonths, 0))
	})
}

// Get reads an estimate. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.EstimateID) (*estimate.Record, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*estimate.Record, error) {
		return tx.Estimates.Get(ctx, id)
	})
}

// List reads a page of estimates, newest first, and the start of the next page: nil after the
// last.
func (s *Service) List(ctx context.Context, scope billing.Scope, f estimate.Filter, p billing.Page) ([]*estimate.Record, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*estimate.Record, error) {
		return tx.Estimates.List(ctx, f, p)
	})
}

// plans are the plans of an estimate.
type plans struct {
	check, second *coverage.Check // second is nil for none
	first, other  *estimate.Plan
	office        *directory.Office // of the check

	answered, secondAnswered time.Time // when the payers answered

	readings, others []*estimate.Plan // of the same plans, where a payer also said other values
	said             []estimate.Said
	assumed          bool // the network of the second plan is not known, and counts as that of the first
}

// compute answers what was asked, at the time of the transaction.
func compute(ctx context.Context, tx ports.Tx, scope billing.Scope, a intake.Asked) (*estimate.Record, error) {
	p, err := readPlans(ctx, tx, &a)
	if err != nil {
		return nil, err
	}
	today := p.office.Today(tx.Clock.Now())
	r := &estimate.Record{
		Scope: scope, CreatedAt: tx.Clock.Now(), CheckID: p.check.ID, PatientID: p.check.PatientID, OfficeID: p.check.OfficeID, Payer: p.check.Payer,
		SecondCheck: a.SecondCheck,
		Content:     estimate.Content{Network: a.Network, Coordination: a.Coordination, Services: slices.Clone(a.Services)},
	}
	for i := range r.Services {
		s := &r.Services[i]
		s.ServiceDate = cmp.Or(s.ServiceDate, today)
		if p.other != nil {
			s.SecondAlternate = cmp.Or(s.Alternate, p.other.Procedures[s.Code].Alternate)
		}
		s.Alternate = cmp.Or(s.Alternate, p.first.Procedures[s.Code].Alternate)
	}
	if err := price(ctx, tx, p, r); err != nil {
		return nil, err
	}
	c := &estimate.Case{
		Plan: p.first, Second: p.other, Readings: p.readings, Seconds: p.others, Said: p.said, Coordination: r.Coordination, Today: today,
	}
	if err := known(ctx, tx, p, r, c); err != nil {
		return nil, err
	}
	for i := range r.Services {
		c.Lines = append(c.Lines, r.Services[i].Line())
	}
	r.Estimate = estimate.Compute(c)
	if p.assumed {
		r.Estimate.Uncertain = append(r.Estimate.Uncertain, "The second plan's payer did not say whether your office is in its network. It counts as you are with the first plan: "+string(r.Network)+".")
	}
	return r, nil
}

// readPlans reads the plans. It sets the network that was left out to what the payer says.
func readPlans(ctx context.Context, tx ports.Tx, a *intake.Asked) (p plans, err error) {
	found, err := tx.Checks.Find(ctx, []billing.CheckID{a.CheckID, a.SecondCheck})
	if err != nil {
		return p, err
	}
	var absent billing.Absent
	if p.check = found[a.CheckID]; p.check == nil {
		absent.Add("check", "eligibility_id")
	}
	if p.second = found[a.SecondCheck]; p.second == nil && a.SecondCheck != (billing.CheckID{}) {
		absent.Add("check", "secondary_eligibility_id")
	}
	if err := absent.Err(); err != nil {
		return p, err
	}
	if p.second != nil && !samePerson(p.check, p.second) {
		var f billing.Faults
		f.Add("secondary_eligibility_id", billing.FaultConflict, "The second check is of another patient. Use one of this patient, or leave it out.")
		return p, f.Err()
	}
	if p.office, err = lists.Office(ctx, tx, p.check.OfficeID); err != nil {
		return p, err
	}
	first, err := answerOf(ctx, tx, p.check, "eligibility_id")
	if err != nil {
		return p, err
	}
	if a.Network = cmp.Or(a.Network, networkOf(first)); a.Network == "" {
		var f billing.Faults
		f.Add("network", billing.FaultRequired, "The payer did not say whether your office is in the plan's network. Send network: in or out.")
		return p, f.Err()
	}
	if p.answered, err = answeredAt(ctx, tx, p.check); err != nil {
		return p, err
	}
	all, err := estimate.PlansOf(first, p.office.Today(p.answered), new(a.Network == fee.In))
	if err != nil {
		return p, err
	}
	p.first, p.readings, p.said = all[0], all[1:], estimate.SaidOf(first)
	if p.second == nil {
		return p, nil
	}
	second, err := answerOf(ctx, tx, p.second, "secondary_eligibility_id")
	if err != nil {
		return p, err
	}
	if p.secondAnswered, err = answeredAt(ctx, tx, p.second); err != nil {
		return p, err
	}
	p.assumed = networkOf(second) == ""
	if all, err = estimate.PlansOf(second, p.office.Today(p.secondAnswered), new(cmp.Or(networkOf(second), a.Network) == fee.In)); err != nil {
		return p, err
	}
	p.other, p.others = all[0], all[1:]
	return p, nil
}

// samePerson reports whether two checks are of one patient, as the patient directory tells people apart: by the date of birth
// and the name, of which case, accents and signs do not count.
func samePerson(a, b *coverage.Check) bool {
	if !a.PatientID.IsZero() && a.PatientID == b.PatientID {
		return true
	}
	first, last, born := a.Inquiry.Person()
	otherFirst, otherLast, otherBorn := b.Inquiry.Person()
	name, _ := directory.PatientKey(first, last, born) // empty for a name without letters and digits
	other, _ := directory.PatientKey(otherFirst, otherLast, otherBorn)
	return name == other && born == otherBorn
}

// networkOf returns what a payer says of the office; empty if it does not say, or says both.
func networkOf(c *coverage.Amended) fee.Network {
	all, err := c.Readings()
	if err != nil || slices.ContainsFunc(all, func(b *coverage.Benefits) bool { return b.NetworkStatus != all[0].NetworkStatus }) {
		return ""
	}
	switch all[0].NetworkStatus {
	case coverage.InNetwork:
		return fee.In
	case coverage.OutOfNetwork:
		return fee.Out
	case coverage.NetworkUnknown:
	}
	return ""
}

// answerOf reads what people added to an answered check. For another one it returns CodeConflict at
// the field that names it.
func answerOf(ctx context.Context, tx ports.Tx, c *coverage.Check, field string) (*coverage.Amended, error) {
	if _, err := c.Answer(); errors.Is(err, coverage.ErrNotAnswered) {
		var f billing.Faults
		f.Add(field, billing.FaultConflict, notAnswered(c))
		return nil, &billing.Error{Code: billing.CodeConflict, Message: notAnswered(c), Faults: f}
	} else if err != nil {
		return nil, err
	}
	return lists.Amend(ctx, tx, c)
}

// answeredAt returns when the payer answered a check: that of the check whose answer was saved for it.
func answeredAt(ctx context.Context, tx ports.Tx, c *coverage.Check) (time.Time, error) {
	if c.CacheSource.IsZero() {
		return c.CompletedAt, nil
	}
	found, err := tx.Checks.Find(ctx, []billing.CheckID{c.CacheSource})
	if source := found[c.CacheSource]; source != nil {
		return source.CompletedAt, err
	}
	return c.CompletedAt, err
}

func notAnswered(c *coverage.Check) string {
	if c.State == coverage.CheckPending {
		return "The payer has not answered this check yet. Wait until it is completed."
	}
	return "The payer has not answered this check: its outcome is " + string(c.Outcome) + ". Check again."
}

// price fills the fees and allowances that the caller did not give from the fee schedules.
func price(ctx context.Context, tx ports.Tx, p plans, r *estimate.Record) error {
	ask := func(payer billing.PayerID, network fee.Network, alternate func(*estimate.Service) string) ([]fee.Price, error) {
		q := fee.Question{OfficeID: r.OfficeID, PayerID: payer, Network: network}
		lines := make([]fee.Line, 0, 2*len(r.Services))
		for i := range r.Services {
			s := &r.Services[i]
			lines = append(lines, fee.Line{ProcedureCode: s.Code, On: s.ServiceDate}, fee.Line{ProcedureCode: cmp.Or(alternate(s), s.Code), On: s.ServiceDate})
		}
		among, err := tx.FeeSchedules.Pricing(ctx, q, lines)
		if err != nil {
			return nil, err
		}
		return q.Prices(among, lines), nil
	}
	prices, err := ask(r.Payer.ID, r.Network, func(s *estimate.Service) string { return s.Alternate })
	if err != nil {
		return err
	}
	var faults billing.Faults
	for i := range r.Services {
		s, own, other := &r.Services[i], prices[2*i], prices[2*i+1]
		s.Fee.Price(own.OfficeFee, s.Quantity)
		s.Allowed.Price(own.Allowed, s.Quantity)
		if s.Alternate != "" {
			s.AlternateAllowed.Price(other.Allowed, s.Quantity)
		}
		if s.Fee.From == estimate.Missing {
			faults.Add("lines."+strconv.Itoa(i)+".fee", billing.FaultRequired,
				"No fee schedule of your office has "+s.Code+". Enter its fee, or add the procedure to the office's fees.")
		}
	}
	if p.second != nil {
		seconds, err := ask(p.second.Payer.ID, p.other.Network(), func(s *estimate.Service) string { return s.SecondAlternate })
		if err != nil {
			return err
		}
		for i := range r.Services {
			s := &r.Services[i]
			s.SecondAllowed.Price(seconds[2*i].Allowed, s.Quantity)
			if s.SecondAlternate != "" {
				s.SecondAlternateAllowed.Price(seconds[2*i+1].Allowed, s.Quantity)
			}
		}
	}
	return faults.Err()
}
