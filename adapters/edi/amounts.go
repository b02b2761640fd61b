package edi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
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
	level   coverage.BenefitLevel
	who     string // the members covered, if neither one person nor a family
	subject string // the service types, or the class
	tier    tier
	period  coverage.BenefitPeriod
	parts   [3]*billing.Money
	about   string // the subject in words
	class   string // the payer's name for the part of the benefit, if its message has one
}

// amounts combines the money rows of a code: F for maximums, C for deductibles. It
// skips rows for a single procedure.
func (a *answer) amounts(code string) []*sum {
	var totals, later []*row // later: used and remaining figures, attached after all amounts are read
	for _, r := range a.rows {
		if r.Code != code || r.money == nil || r.code != "" || r.foreign {
			continue
		}
		switch _, p, known := periodOf(r); {
		case !known:
			a.remarks = append(a.remarks, oddAmount(r))
		case p == partAmount:
			totals = append(totals, r)
		default:
			later = append(later, r)
		}
	}
	nameClasses(totals, later)
	var sums []*sum
	for _, r := range totals {
		s := newSum(r)
		if !slices.ContainsFunc(sums, func(have *sum) bool {
			return have.sameMoney(s) && have.tier == s.tier && *have.parts[partAmount] == *r.money
		}) {
			sums = append(sums, s)
		}
	}
	usual := usualPeriod(sums)
	var undated []*row // what remains of a benefit whose period another row may state
	for _, r := range later {
		if period, p, _ := periodOf(r); p == partRemaining && period == "" {
			undated = append(undated, r)
			continue
		}
		sums, _ = attach(sums, r, usual)
	}
	for _, r := range undated {
		var attached bool
		if sums, attached = attach(sums, r, ""); !attached {
			a.remarks = append(a.remarks, undatedAmount(r))
		}
	}
	for _, s := range sums {
		if s.period == "" {
			s.period = usual
		}
	}
	return sums
}

// maxClass is the length of the longest message that is read as the name of a class.
const maxClass = 60

// nameClasses names the amounts that differ in nothing but their message, such as
// "CLASS IV". Their used and remaining figures have the same message.
func nameClasses(totals, later []*row) {
	var named []*row
	for i, r := range totals {
		name := r.className()
		if name == "" {
			continue
		}
		for _, o := range totals[:i] {
			other := o.className()
			if other == "" || other == name || r.tier != o.tier || *r.money == *o.money && !bothClassed(r, o, later) {
				continue
			}
			if newSum(r).sameMoney(newSum(o)) {
				named = append(named, r, o)
			}
		}
	}
	if named == nil {
		return
	}
	for _, r := range slices.Concat(totals, later) {
		if name := r.className(); name != "" && slices.ContainsFunc(named, func(o *row) bool {
			return cmp.Or(o.named, o.className()) == name && newSum(o).subject == newSum(r).subject
		}) {
			r.named, r.notes = name, nil
		}
	}
}

// bothClassed reports whether there are used or remaining figures with the class
// name of each row.
func bothClassed(r, o *row, later []*row) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(later, func(l *row) bool { return l.className() == name })
	}
	return has(r.className()) && has(o.className())
}

// className returns the only message of the row if it is short, or an empty string.
func (r *row) className() string {
	if len(r.notes) == 1 && len(r.notes[0]) <= maxClass {
		return r.notes[0]
	}
	return ""
}

// periodOf returns the period of a money row and the figure that it states. It reads
// EB06, and EB05 where some payers mark the figure. The period is empty if the row
// states none.
func periodOf(r *row) (p coverage.BenefitPeriod, which part, known bool) {
	switch amountMarker(r.Plan) {
	case "MET", "USED":
		which = partUsed
	case "REMAINING":
		which = partRemaining
	}
	switch r.Period {
	case "23":
		return coverage.PeriodCalendarYear, which, true
	case "22", "25":
		return coverage.PeriodPlanYear, which, true
	case "", "21":
		return "", which, true
	case "32":
		return coverage.PeriodLifetime, which, true
	case "33":
		return coverage.PeriodLifetime, partRemaining, true
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

// newSum returns the sum that the row begins.
func newSum(r *row) *sum {
	period, which, _ := periodOf(r)
	types := slices.Sorted(slices.Values(r.ServiceTypes))
	s := &sum{subject: strings.Join(types, " "), tier: r.tier, period: period, about: r.about(), class: r.named}
	if r.class != "" {
		s.subject = r.class
	}
	s.level, s.who = levelOf(r.Level)
	s.parts[which] = r.money
	return s
}

// levelOf reads EB02. A code for one member of the family means an individual
// amount of that member.
func levelOf(code string) (level coverage.BenefitLevel, who string) {
	switch code {
	case "FAM", "ECH", "ESP", "SPC":
		return coverage.LevelFamily, ""
	case "EMP":
		return coverage.LevelIndividual, "employee"
	case "SPO":
		return coverage.LevelIndividual, "spouse"
	case "CHD":
		return coverage.LevelIndividual, "children"
	case "DEP":
		return coverage.LevelIndividual, "dependents"
	default:
		return coverage.LevelIndividual, ""
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
	return s.sameMember(o) && s.sameBenefit(o) && s.period == o.period
}

func (s *sum) sameMember(o *sum) bool  { return s.level == o.level && s.who == o.who }
func (s *sum) sameBenefit(o *sum) bool { return s.subject == o.subject && s.class == o.class }

// attach adds a used or remaining figure to its amount. Year to date (24) and
// remaining (29) state no period, so attach prefers a yearly amount to a lifetime
// one. A figure without an amount becomes its own sum, of its benefit's period or
// else the usual one. Attach reports false if it knows no period.
func attach(sums []*sum, r *row, usual coverage.BenefitPeriod) ([]*sum, bool) {
	n := newSum(r)
	_, which, _ := periodOf(r)
	benefit := keepSums(sums, func(s *sum) bool { return s.sameBenefit(n) && (n.period == "" || s.period == n.period) })
	found := keepSums(benefit, n.sameMember)
	if n.period == "" {
		benefit, found = yearly(benefit), yearly(found)
	}
	joined := false
	for _, s := range only(sameNetwork(found, n.tier), *r.money) {
		if s.parts[which] == nil {
			s.parts[which] = r.money
		}
		joined = joined || *s.parts[which] == *r.money
	}
	switch {
	case joined:
		return sums, true
	case n.period != "":
	case len(found) > 0:
		n.period = found[0].period
	case len(benefit) > 0:
		n.period = benefit[0].period
	case usual != "":
		n.period = usual
	default:
		return sums, false
	}
	return append(sums, n), true
}

// yearly returns the sums of the first yearly period, or else all.
func yearly(all []*sum) []*sum {
	i := slices.IndexFunc(all, func(s *sum) bool { return s.period != coverage.PeriodLifetime })
	if i < 0 {
		return all
	}
	return keepSums(all, func(s *sum) bool { return s.period == all[i].period })
}

// only returns the sums that the figure can belong to. If they are different amounts
// of one network, those below the figure do not count. If several remain, the
// figure may belong to any of them, so only returns none.
func only(all []*sum, figure billing.Money) []*sum {
	if whole := keepSums(all, func(s *sum) bool { return s.parts[partAmount] != nil }); len(whole) > 0 {
		all = whole
	}
	differ := func() bool {
		return slices.ContainsFunc(all, func(s *sum) bool {
			return slices.ContainsFunc(all, func(o *sum) bool { return s != o && s.tier == o.tier })
		})
	}
	if !differ() {
		return all
	}
	all = keepSums(all, func(s *sum) bool { return s.parts[partAmount] == nil || *s.parts[partAmount] >= figure })
	if differ() {
		return nil
	}
	return all
}

// open reports whether the tier names no network.
func (t tier) open() bool {
	return t.name == "" && (t.standing == unstated || t.standing == anyNetwork)
}

// same reports whether the two tiers are one network. A name may be missing.
func (t tier) same(o tier) bool {
	return t == o || t.standing == o.standing && (t.name == "" || o.name == "")
}

// sameNetwork returns the sums of the row's network. A row that names no network
// belongs to the best network, and to other networks with the same amount. Figures
// out of network never belong to another network; others may belong to an amount
// that names no network.
func sameNetwork(candidates []*sum, t tier) []*sum {
	chosen := keepSums(candidates, func(s *sum) bool { return s.tier == t })
	if len(chosen) == 0 {
		chosen = keepSums(candidates, func(s *sum) bool { return s.tier.same(t) })
	}
	if len(chosen) == 0 && !t.open() && t.standing != outOfNetwork {
		chosen = keepSums(candidates, func(s *sum) bool { return s.tier.open() })
	}
	if !t.open() || len(candidates) == 0 {
		return chosen
	}
	if len(chosen) == 0 {
		standing := slices.MinFunc(candidates, func(x, y *sum) int { return int(x.tier.standing) - int(y.tier.standing) }).tier.standing
		chosen = keepSums(candidates, func(s *sum) bool { return s.tier.standing == standing })
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
func usualPeriod(sums []*sum) coverage.BenefitPeriod {
	for _, s := range sums {
		if s.period != "" && s.period != coverage.PeriodLifetime {
			return s.period
		}
	}
	return coverage.PeriodCalendarYear
}

// list returns the amounts. Amounts of the whole plan come first, then the best
// network. An amount that is the same in all networks belongs to no network.
func list(sums []*sum) []coverage.BenefitAmount {
	slices.SortStableFunc(sums, func(x, y *sum) int {
		if (x.about == "") != (y.about == "") {
			if x.about == "" {
				return -1
			}
			return 1
		}
		return int(x.tier.standing) - int(y.tier.standing)
	})
	var out []coverage.BenefitAmount
	for i, s := range sums {
		b := s.benefit()
		others, repeats, rivals := false, false, false // rivals: only the names of the networks differ
		for j, o := range sums {
			if i == j || !s.sameMoney(o) {
				continue
			}
			equal := equalAmounts(b, o.benefit())
			others = others || !equal && o.tier != s.tier
			rivals = rivals || !equal && o.tier.standing == s.tier.standing && o.tier.name != s.tier.name && s.tier.name != ""
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
			if rivals {
				where = s.tier.name
			}
		}
		b.AppliesTo = join(", ", s.about, s.class, s.who, where)
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
func (s *sum) benefit() coverage.BenefitAmount {
	b := coverage.BenefitAmount{
		Level: s.level, Period: s.period, Amount: s.parts[partAmount], Used: s.parts[partUsed], Remaining: s.parts[partRemaining],
	}
	b.Derive()
	return b
}

func equalAmounts(a, b coverage.BenefitAmount) bool {
	equal := func(x, y *billing.Money) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return equal(a.Amount, b.Amount) && equal(a.Used, b.Used) && equal(a.Remaining, b.Remaining)
}

// oddAmount describes a row whose period is not one of coverage.BenefitPeriod, such
// as a visit.
func oddAmount(r *row) string {
	by := limit{unit: r.Period, n: 1}.words()
	if by == "" {
		by = "period " + r.Period
	}
	return r.moneyOf() + " per " + by
}

// undatedAmount describes what remains of a benefit whose period is unknown.
func undatedAmount(r *row) string {
	return join(", ", r.moneyOf()+" remaining", strings.ToLower(r.where(nil)))
}

func (r *row) moneyOf() string {
	kind := "Maximum"
	if r.Code == "C" {
		kind = "Deductible"
	}
	what := join(", ", r.about(), r.named)
	if what != "" {
		what = " for " + what
	}
	return kind + what + ": " + r.money.String()
}

func join(separator string, words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), separator)
}
