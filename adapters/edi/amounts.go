package edi

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// part is one of the three figures of an amount: total, used or remaining.
type part int

const (
	partAmount part = iota
	partUsed
	partRemaining
)

// sum collects the figures of one amount. Rows that share its level, member,
// subject, network and period belong to it. The period is empty until a row states
// it.
type sum struct {
	level   billing.BenefitLevel
	who     string // the members covered, if neither one person nor a family
	subject string // the service types, or the class
	tier    tier
	period  billing.BenefitPeriod
	parts   [3]*billing.Money
	about   string // the subject in words
}

// amounts combines the money rows of a code: F for maximums, C for deductibles. It
// skips rows for a single procedure.
func (a *answer) amounts(code string) []billing.BenefitAmount {
	var sums []*sum
	var later []*row // used and remaining figures, attached after all amounts are read
	for _, r := range a.rows {
		if r.Code != code || r.money == nil || r.code != "" || r.foreign {
			continue
		}
		period, p, known := periodOf(r)
		switch {
		case !known:
			a.remarks = append(a.remarks, oddAmount(r))
		case p == partAmount:
			s := newSum(r, period)
			s.parts[partAmount] = r.money
			if !slices.ContainsFunc(sums, func(have *sum) bool {
				return have.sameMoney(s) && have.tier == s.tier && *have.parts[partAmount] == *r.money
			}) {
				sums = append(sums, s)
			}
		default:
			later = append(later, r)
		}
	}
	usual := usualPeriod(sums)
	for _, r := range later {
		sums = attach(sums, r, usual)
	}
	for _, s := range sums {
		if s.period == "" {
			s.period = usual
		}
	}
	return list(sums)
}

// periodOf returns the period of a money row and the figure that it states. It reads
// EB06, and EB05 where some payers mark the figure. The period is empty if the row
// states none.
func periodOf(r *row) (p billing.BenefitPeriod, which part, known bool) {
	switch amountMarker(r.Plan) {
	case "MET", "USED":
		which = partUsed
	case "REMAINING":
		which = partRemaining
	}
	switch r.Period {
	case "23":
		return billing.PeriodCalendarYear, which, true
	case "22", "25":
		return billing.PeriodPlanYear, which, true
	case "", "21":
		return "", which, true
	case "32":
		return billing.PeriodLifetime, which, true
	case "33":
		return billing.PeriodLifetime, partRemaining, true
	case "24":
		return "", partUsed, true
	case "29":
		return "", partRemaining, true
	default:
		return "", which, false
	}
}

// amountMarker returns EB05 if it marks the figure of the row. Usually EB05 names a
// plan instead.
func amountMarker(plan string) string {
	switch m := strings.ToUpper(strings.TrimSpace(plan)); m {
	case "MET", "USED", "REMAINING":
		return m
	default:
		return ""
	}
}

func newSum(r *row, period billing.BenefitPeriod) *sum {
	types := slices.Sorted(slices.Values(r.ServiceTypes))
	s := &sum{subject: strings.Join(types, " "), tier: r.tier, period: period, about: r.about()}
	if r.class != "" {
		s.subject = r.class
	}
	s.level, s.who = levelOf(r.Level)
	return s
}

// levelOf reads EB02. A code for one member of the family means an individual
// amount of that member.
func levelOf(code string) (level billing.BenefitLevel, who string) {
	switch code {
	case "FAM", "ECH", "ESP", "SPC":
		return billing.LevelFamily, ""
	case "EMP":
		return billing.LevelIndividual, "employee"
	case "SPO":
		return billing.LevelIndividual, "spouse"
	case "CHD":
		return billing.LevelIndividual, "children"
	case "DEP":
		return billing.LevelIndividual, "dependents"
	default:
		return billing.LevelIndividual, ""
	}
}

// about describes the benefit that the row's amount applies to. It returns an empty
// string for the whole plan.
func (r *row) about() string {
	if r.general() {
		return ""
	}
	if r.subject != "" {
		return r.subject
	}
	words := make([]string, len(r.categories))
	for i, c := range r.categories {
		words[i] = string(c)
	}
	return strings.Join(words, ", ")
}

// sameMoney reports whether the two sums are the same amount, ignoring networks.
func (s *sum) sameMoney(o *sum) bool {
	return s.level == o.level && s.who == o.who && s.subject == o.subject && s.period == o.period
}

// attach adds a used or remaining figure to its amount. Year to date (24) and
// remaining (29) state no period, so attach prefers a yearly amount to a lifetime
// one. A figure without an amount becomes its own sum.
func attach(sums []*sum, r *row, usual billing.BenefitPeriod) []*sum {
	period, which, _ := periodOf(r)
	n := newSum(r, period)
	candidates := keepSums(sums, func(s *sum) bool {
		return s.level == n.level && s.who == n.who && s.subject == n.subject && (period == "" || s.period == period)
	})
	if period == "" {
		if years := keepSums(candidates, func(s *sum) bool { return s.period != billing.PeriodLifetime }); len(years) > 0 {
			candidates = keepSums(years, func(s *sum) bool { return s.period == years[0].period })
		}
	}
	if len(candidates) == 0 {
		if n.period == "" {
			n.period = usual
		}
		n.parts[which] = r.money
		return append(sums, n)
	}
	for _, s := range sameNetwork(candidates, n.tier) {
		if s.parts[which] == nil {
			s.parts[which] = r.money
		}
	}
	return sums
}

// sameNetwork returns the sums for the row's network, or else for the best network.
// A row that names no network also applies to other networks with the same amount.
func sameNetwork(candidates []*sum, t tier) []*sum {
	chosen := keepSums(candidates, func(s *sum) bool { return s.tier == t })
	if len(chosen) == 0 {
		standing := slices.MinFunc(candidates, func(x, y *sum) int { return int(x.tier.standing) - int(y.tier.standing) }).tier.standing
		chosen = keepSums(candidates, func(s *sum) bool { return s.tier.standing == standing })
	}
	if t != (tier{standing: unstated}) {
		return chosen
	}
	amount := chosen[0].parts[partAmount]
	return keepSums(candidates, func(s *sum) bool {
		other := s.parts[partAmount]
		return slices.Contains(chosen, s) || amount != nil && other != nil && *amount == *other
	})
}

func keepSums(all []*sum, wanted func(*sum) bool) []*sum {
	return slices.DeleteFunc(slices.Clone(all), func(s *sum) bool { return !wanted(s) })
}

// usualPeriod returns the first yearly period that an amount states, or else the
// calendar year.
func usualPeriod(sums []*sum) billing.BenefitPeriod {
	for _, s := range sums {
		if s.period != "" && s.period != billing.PeriodLifetime {
			return s.period
		}
	}
	return billing.PeriodCalendarYear
}

// list returns the amounts. Amounts of the whole plan come first, then the best
// network. An amount that is the same in all networks belongs to no network.
func list(sums []*sum) []billing.BenefitAmount {
	slices.SortStableFunc(sums, func(x, y *sum) int {
		if (x.about == "") != (y.about == "") {
			if x.about == "" {
				return -1
			}
			return 1
		}
		return int(x.tier.standing) - int(y.tier.standing)
	})
	var out []billing.BenefitAmount
	for i, s := range sums {
		b := s.benefit()
		others, repeats := false, false
		for j, o := range sums {
			if i == j || !s.sameMoney(o) {
				continue
			}
			equal := equalAmounts(b, o.benefit())
			others = others || !equal && o.tier != s.tier
			repeats = repeats || equal && j < i
		}
		if repeats {
			continue
		}
		where := ""
		if others || s.tier.standing == outOfNetwork && !agreed(sums, s) {
			if where = s.tier.label(); where != s.tier.name {
				where = strings.ToLower(where)
			}
		}
		b.AppliesTo = join(", ", s.about, s.who, where)
		out = append(out, b)
	}
	return out
}

// agreed reports whether another network has the same amount.
func agreed(sums []*sum, s *sum) bool {
	return slices.ContainsFunc(sums, func(o *sum) bool {
		return o.tier != s.tier && s.sameMoney(o) && equalAmounts(o.benefit(), s.benefit())
	})
}

// benefit returns the amount and computes a missing figure from the other two.
func (s *sum) benefit() billing.BenefitAmount {
	b := billing.BenefitAmount{
		Level: s.level, Period: s.period, Amount: s.parts[partAmount], Used: s.parts[partUsed], Remaining: s.parts[partRemaining],
	}
	b.Derive()
	return b
}

func equalAmounts(a, b billing.BenefitAmount) bool {
	equal := func(x, y *billing.Money) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return equal(a.Amount, b.Amount) && equal(a.Used, b.Used) && equal(a.Remaining, b.Remaining)
}

// oddAmount describes a row whose period is not one of billing.BenefitPeriod, such
// as a visit.
func oddAmount(r *row) string {
	kind := "Maximum"
	if r.Code == "C" {
		kind = "Deductible"
	}
	what := r.about()
	if what != "" {
		what = " for " + what
	}
	by := limit{unit: r.Period, n: 1}.words()
	if by == "" {
		by = "period " + r.Period
	}
	return kind + what + ": " + r.money.String() + " per " + by
}

func join(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}
