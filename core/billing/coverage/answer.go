package coverage

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/molar-billing/molar/core/billing"
)

// The dates of stored benefits read themselves from text.
var _ encoding.TextUnmarshaler = (*billing.Date)(nil)

// ErrNotAnswered is the error of reading the benefits of a check that has none.
var ErrNotAnswered = errors.New("read benefits: the payer has not answered the check")

// Answer returns the benefits of an answered check, as its stored bytes have them. For any
// other check it returns ErrNotAnswered.
func (c *Check) Answer() (*Benefits, error) {
	if c.State != CheckCompleted || c.Outcome != OutcomeAnswered || c.Benefits == nil {
		return nil, ErrNotAnswered
	}
	var d benefitsData
	if err := json.Unmarshal(c.Benefits, &d); err != nil {
		return nil, fmt.Errorf("read the benefits of check %s: %w", c.ID, err)
	}
	b, err := d.benefits()
	if err != nil {
		return nil, fmt.Errorf("read the benefits of check %s: %w", c.ID, err)
	}
	b.Status = c.Status
	return b, nil
}

func (d *benefitsData) benefits() (*Benefits, error) {
	b := &Benefits{
		CoverageEffectiveDate: orZero(d.CoverageEffectiveDate), CoverageTerminationDate: orZero(d.CoverageTerminationDate),
		NetworkStatus: orZero(d.NetworkStatus), PayerNotes: d.PayerNotes, NotReturned: d.NotReturned,
	}
	if p := d.Plan; p != nil {
		b.Plan = Plan{orZero(p.Name), orZero(p.Type), orZero(p.GroupNumber), orZero(p.BenefitPeriod)}
	}
	if r := d.PlanRules; r != nil {
		b.PlanRules = PlanRules{
			orZero(r.MissingToothClause), orZero(r.WaitingPeriod), orZero(r.PreAuthorization),
			orZero(r.CoordinationOfBenefits), orZero(r.MajorServicesPaidOn),
		}
	}
	var err error
	if b.Maximums, err = amountsOf(d.Maximums); err != nil {
		return nil, err
	}
	if b.Deductibles, err = amountsOf(d.Deductibles); err != nil {
		return nil, err
	}
	if b.Coverage, err = coverageOf(d.Coverage); err != nil {
		return nil, err
	}
	for _, x := range d.Differences {
		b.Differences = append(b.Differences, Difference(x))
	}
	for _, w := range d.WaitingPeriods {
		b.WaitingPeriods = append(b.WaitingPeriods, WaitingPeriod{w.Category, orZero(w.Months), orZero(w.Until)})
	}
	if b.OutOfNetwork, err = d.OutOfNetwork.outside(); err != nil {
		return nil, err
	}
	for _, p := range d.Procedures {
		copay, err := moneyOf(p.Copay)
		if err != nil {
			return nil, err
		}
		b.Procedures = append(b.Procedures, ProcedureBenefit{
			Code: p.Code, Description: orZero(p.Description), PercentPaid: p.PercentPaid, Covered: p.Covered, Copay: copay,
			Frequency: p.Frequency.frequency(), MaxAge: p.MaxAge, LastServiceDate: orZero(p.LastServiceDate),
			NextEligibleDate: orZero(p.NextEligibleDate), AlternateCode: orZero(p.AlternateCode), Status: orZero(p.Status), Note: orZero(p.Note),
		})
	}
	return b, nil
}

func (f *frequencyData) frequency() *Frequency {
	if f == nil {
		return nil
	}
	return &Frequency{Count: f.Count, Used: f.Used, Period: orZero(f.Period), Scope: orZero(f.Scope)}
}

func amountsOf(rows []amountData) (out []BenefitAmount, err error) {
	for _, r := range rows {
		a := BenefitAmount{Level: r.Level, Period: r.Period, AppliesTo: orZero(r.AppliesTo)}
		for _, figure := range []struct {
			text *string
			to   **billing.Money
		}{{r.Amount, &a.Amount}, {r.Used, &a.Used}, {r.Remaining, &a.Remaining}} {
			if *figure.to, err = moneyOf(figure.text); err != nil {
				return nil, err
			}
		}
		out = append(out, a)
	}
	return out, nil
}

func moneyOf(text *string) (*billing.Money, error) {
	if text == nil {
		return nil, nil // it was not returned
	}
	m, err := billing.ParseMoney(*text)
	return &m, err
}

func coverageOf(rows []coverageData) (out []CategoryCoverage, err error) {
	for _, c := range rows {
		copay, err := moneyOf(c.Copay)
		if err != nil {
			return nil, err
		}
		out = append(out, CategoryCoverage{c.Category, c.PercentPaid, c.Covered, copay, c.Frequency.frequency(), c.Notes})
	}
	return out, nil
}

func (d *outsideData) outside() (out *OutsideNetwork, err error) {
	if d == nil {
		return nil, nil // it was not returned
	}
	out = new(OutsideNetwork)
	if out.Maximums, err = amountsOf(d.Maximums); err != nil {
		return nil, err
	}
	if out.Deductibles, err = amountsOf(d.Deductibles); err != nil {
		return nil, err
	}
	out.Coverage, err = coverageOf(d.Coverage)
	return out, err
}

func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
