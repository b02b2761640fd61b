package edi

import (
	"slices"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// outside returns the benefits out of network that differ from those shown. It returns nil if
// the payer returned no such benefits, or none but those.
func (a *answer) outside(b *coverage.Benefits) *coverage.OutsideNetwork {
	valued := func(r *row) bool { return !r.foreign && (r.share != nil || r.money != nil || excludes(r)) }
	beside := slices.ContainsFunc(a.rows, func(r *row) bool { return valued(r) && r.tier.standing != outOfNetwork })
	if !beside {
		return nil
	}
	out := &coverage.OutsideNetwork{Maximums: outsideAmounts(a.maximums), Deductibles: outsideAmounts(a.deductibles)}
	for _, c := range coverage.Categories() {
		i := slices.IndexFunc(b.Coverage, func(o coverage.CategoryCoverage) bool { return o.Category == c })
		if i < 0 {
			continue
		}
		g := a.group(c)
		there := group{category: c, own: outsideRows(g.own), parts: outsideRows(g.parts)}
		if item, _ := there.values(); differs(&item, &b.Coverage[i]) {
			out.Coverage = append(out.Coverage, item)
		}
	}
	if len(out.Maximums)+len(out.Deductibles)+len(out.Coverage) == 0 {
		return nil
	}
	return out
}

func outsideRows(rows []*row) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool { return r.tier.standing != outOfNetwork })
}

// outsideAmounts returns the amounts out of network that no other network has.
func outsideAmounts(sums []*sum) (out []coverage.BenefitAmount) {
	for i, s := range sums {
		repeats := slices.ContainsFunc(sums[:i], func(o *sum) bool {
			return o.tier.standing == outOfNetwork && o.sameMoney(s) && equalAmounts(o.benefit(), s.benefit())
		})
		if s.tier.standing != outOfNetwork || repeats || agreed(sums, s) {
			continue
		}
		b := s.benefit()
		b.AppliesTo = join(", ", s.about, s.class, s.who)
		out = append(out, b)
	}
	return out
}

// differs reports whether the coverage states something that the one shown does not.
func differs(there, shown *coverage.CategoryCoverage) bool {
	return other(there.PercentPaid, shown.PercentPaid) || other(there.Covered, shown.Covered) || other(there.Copay, shown.Copay) ||
		there.Frequency != nil && (shown.Frequency == nil || there.Frequency.Period != shown.Frequency.Period ||
			other(there.Frequency.Count, shown.Frequency.Count))
}

func other[T comparable](stated, shown *T) bool {
	return stated != nil && (shown == nil || *stated != *shown)
}
