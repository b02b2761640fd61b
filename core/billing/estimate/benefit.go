package estimate

import "github.com/molar-billing/molar/core/billing"

// hundred is 100 percent in hundredths of a percent.
const hundred = 100_00

// part is what one plan pays for a line with definite values.
type part struct {
	allowed    billing.Money // the plan's allowance, at most the fee
	base       billing.Money // what the benefit is computed on: the allowance, or the alternate's
	deductible billing.Money
	copay      billing.Money
	percent    int64         // in hundredths of a percent
	benefit    billing.Money // before the maximum
	pays       billing.Money
	beyond     bool // a limit strikes: nothing is left, or a frequency or an age
}

// parts returns what the plan pays for each combination of the ends of its values.
func (t *terms) parts() (out []part) {
	if t.struck != nil {
		for _, a := range t.allowed.ends() {
			out = append(out, part{allowed: a, base: a, beyond: t.struck.limit})
		}
		return out
	}
	deductibles, maximum := least(t.deductibles, 0), least(t.maximums, unlimited)
	for _, allowed := range t.allowed.ends() {
		if t.maybeNot {
			out = append(out, part{allowed: allowed, base: allowed})
		}
		if !t.maybe {
			continue
		}
		for _, alternate := range t.alternate.ends() {
			for _, deductible := range deductibles.ends() {
				for _, percent := range t.percents {
					for _, most := range maximum.ends() {
						out = append(out, paid(allowed, min(allowed, alternate), deductible, t.copay, percent, most))
					}
				}
			}
		}
	}
	return out
}

// paid applies the rules in their order: the deductible, the copayment, the percent, the
// maximum.
func paid(allowed, base, deductible, copay billing.Money, percent int64, most billing.Money) part {
	p := part{allowed: allowed, base: base, percent: percent, beyond: most == 0}
	p.deductible = min(deductible, base)
	p.copay = min(copay, base-p.deductible)
	p.benefit = shareOf(base-p.deductible-p.copay, percent)
	p.pays = min(p.benefit, most)
	return p
}

// shareOf returns a percent of an amount, rounded half up to the cent.
func shareOf(amount billing.Money, percent int64) billing.Money {
	return (amount*billing.Money(percent) + hundred/2) / hundred
}

// used returns the ranges of what a line takes from the deductibles and the maximums.
func (t *terms) used(parts []part) (deductible, benefit Range) {
	if t.struck != nil || !t.maybe {
		return Range{}, Range{}
	}
	base := t.allowed.lower(t.alternate)
	if t.maybeNot {
		base.Least = 0
	}
	benefit = Range{unlimited, 0}
	for _, p := range parts {
		benefit = Range{min(benefit.Least, p.benefit), max(benefit.Most, p.benefit)}
	}
	return base, benefit
}
