package estimate

import (
	"math"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Line is a service of the estimate. Fee and allowances are those of all its units.
type Line struct {
	Code             string
	Fee              billing.Money
	Allowed          *billing.Money // by the plan; nil if unknown
	AlternateAllowed *billing.Money // of the alternate procedure; nil if unknown
	Quantity         int            // of units; 0 is 1
	Place
	ServiceDate      billing.Date
	LastService      billing.Date      // of the same procedure at the same place; zero if unknown
	ToothLostOn      billing.Date      // zero if unknown
	PriorPlacement   billing.Date      // of what the service replaces; zero if unknown
	Alternate        bool              // the office knows that the plan pays an alternate benefit
	Person           billing.PatientID // who has the service; the same for all lines of one patient
	Family           bool              // the person is another member of the patient's family
	NoWriteOffBeyond bool              // as Plan.NoWriteOffBeyondLimits, where the allowance says so
	Left             *billing.Money    // of a claim, the most that the payers before leave to this one; nil for the first payer
	Second           struct {          // the same under the second plan
		Allowed          *billing.Money
		AlternateAllowed *billing.Money
		Alternate        bool
	}
}

// underSecond returns the line as the second plan has it.
func (l *Line) underSecond() *Line {
	two := *l
	two.Allowed, two.AlternateAllowed, two.Alternate = l.Second.Allowed, l.Second.AlternateAllowed, l.Second.Alternate
	return &two
}

// target is what selects the limits of a line.
type target struct {
	code     string
	category coverage.Category
	day      billing.Date
	family   bool              // a service of another member, which uses family amounts only
	member   billing.PatientID // another member, with amounts of that member's own; zero for the patient
}

// terms are the values with which one plan pays one line. Unknown ones are ranges.
type terms struct {
	fee              billing.Money
	inNetwork        bool
	noWriteOffBeyond bool
	allowed          Range
	alternate        Range // the most that the benefit is computed on
	percents         []int64
	maybe, maybeNot  bool // it may be covered; it may not be
	copay            billing.Money
	deductibles      []*pot
	maximums         []*pot
	struck           *strike
	share            Share
	percentPath      string
}

// side is one end of all that is missing.
type side int

const (
	bothSides side = iota
	best           // for the patient
	worst
)

// of returns the end of a range that the side takes. LowIsBest says which end is best.
func (s side) of(r Range, lowIsBest bool) Range {
	switch {
	case s == bothSides:
		return r
	case (s == best) == lowIsBest:
		return Exactly(r.Least)
	}
	return Exactly(r.Most)
}

// termsOf returns the terms of a line.
func (g *ledger) termsOf(l *Line) *terms {
	p := g.plan
	t := &terms{fee: l.Fee, inNetwork: p.InNetwork, noWriteOffBeyond: p.NoWriteOffBeyondLimits || l.NoWriteOffBeyond, allowed: Range{0, l.Fee}, alternate: Exactly(unlimited)}
	if l.Allowed != nil {
		t.allowed = Exactly(max(0, min(*l.Allowed, l.Fee)))
	}
	t.allowed = g.side.of(t.allowed, p.InNetwork && !g.later)
	to := &target{code: l.Code, category: CategoryOf(l.Code), day: l.ServiceDate}
	if l.Family {
		to.member = l.Person
	}
	t.share, t.percentPath = p.shareOf(to)
	t.cover(g.side, p.Status)
	if t.share.Copay != nil {
		t.copay = *t.share.Copay * billing.Money(max(1, l.Quantity))
	}
	if t.share.Downgraded || l.Alternate {
		t.alternate = Range{0, t.allowed.Most}
		if l.AlternateAllowed != nil {
			t.alternate = Exactly(max(0, *l.AlternateAllowed))
		}
		t.alternate = g.side.of(t.alternate, false)
	}
	if !t.share.DeductibleWaived {
		t.deductibles = g.deductibles(to)
	}
	t.maximums = g.maximums(to)
	t.struck = g.strike(l, to, &t.share)
	return t
}

// strike returns what strikes the line by the facts that are known; nil if nothing does.
func (g *ledger) strike(l *Line, to *target, s *Share) *strike {
	if out := g.plan.strikes(l, to, s); out != nil {
		return out
	}
	return g.repeats(l, s)
}

// cover sets the percent, and whether the line is covered. A percent of 0 is not covered:
// such a line uses no deductible.
func (t *terms) cover(s side, status coverage.Status) {
	sh := &t.share
	switch {
	case sh.Covered != nil && !*sh.Covered, sh.Percent != nil && *sh.Percent <= 0:
		t.maybeNot = true
	case sh.Percent != nil:
		t.maybe, t.percents = true, []int64{int64(math.Round(min(100, *sh.Percent) * 100))}
	default:
		t.maybe, t.maybeNot, t.percents = true, sh.Covered == nil, []int64{0, hundred}
	}
	if status == coverage.Unknown {
		t.maybeNot = true
	}
	switch {
	case s == best && t.maybe:
		t.maybeNot, t.percents = false, t.percents[len(t.percents)-1:]
	case s == worst && t.maybeNot:
		t.maybe, t.percents = false, nil
	case s == worst:
		t.percents = t.percents[:1]
	}
}

// shareOf returns the coverage of a line: that of its procedure before that of its
// category before the general one, value by value. The path is that of the percent.
func (p *Plan) shareOf(t *target) (Share, string) {
	var out Share
	path := ""
	if s, ok := p.Procedures[t.code]; ok {
		out, path = s, s.Path
	}
	fill := func(s Share) {
		if out.Percent == nil && (out.Covered == nil || *out.Covered) {
			if path == "" || s.Percent != nil || out.Covered == nil && s.Covered != nil {
				path = s.Path
			}
			out.Percent = s.Percent
			if out.Covered == nil {
				out.Covered = s.Covered
			}
		}
		if out.Copay == nil {
			out.Copay, out.CopayPath = s.Copay, s.CopayPath
		}
		if out.Frequency == nil {
			out.Frequency, out.FrequencyPath, out.LimitedPerPlace = s.Frequency, s.FrequencyPath, s.LimitedPerPlace
		}
		out.DeductibleWaived = out.DeductibleWaived || s.DeductibleWaived
		out.MaximumExempt = out.MaximumExempt || s.MaximumExempt
		out.MaximumSeparate = out.MaximumSeparate || s.MaximumSeparate
		out.Downgraded = out.Downgraded || s.Downgraded
	}
	if s, ok := p.Categories[t.category]; ok && t.category != "" {
		fill(s)
	}
	if p.General != nil {
		fill(*p.General)
	}
	return out, path
}
