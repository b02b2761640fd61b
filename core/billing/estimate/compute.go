package estimate

import (
	"slices"
	"strconv"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Case is what an estimate is computed from.
type Case struct {
	Plan         *Plan
	Second       *Plan        // nil for none
	Readings     []*Plan      // others of Plan, where its payer also said other values
	Seconds      []*Plan      // others of Second
	Said         []Said       // what payers said otherwise than in their answers
	Coordination Coordination // of the second plan; empty is Standard
	Lines        []Line       // in the order in which they use what is left
	Decided      []Claimed    // since the check
	Undecided    []Claimed    // claims that were sent after the check; they use what is left by their own estimates
	Earlier      []Earlier    // services of claims that the payer may count
	// The same of the second plan.
	SecondDecided, SecondUndecided []Claimed
	Today                          billing.Date // of the estimate; zero is the day of the check
}

// Estimate is what a patient will pay.
type Estimate struct {
	Lines     []Result
	Least     Scenario // of all lines
	Most      Scenario
	Uncertain []string
}

// Result is a line of an estimate. Least is a scenario in which the patient pays the
// least, and Most one in which the patient pays the most.
type Result struct {
	Least     Scenario
	Most      Scenario
	Because   []Step
	Unless    []Unless
	Warnings  []string
	Uncertain []string
	PaidFrom  billing.Date // the day from which a line that is not paid is paid; zero for none
	// What is left after the line, of the deductible and of the maximum that it uses.
	DeductibleLeft *Range // nil for none
	MaximumLeft    *Range // nil for none

	reasons []Step // Because without what each pays
	seconds []Step // reasons of what the second plan pays
	beyond  []Step // reason of what the office charges beyond a limit
	pays    paying
}

// Unless is a condition of the plan whose facts are not known, with what the
// patient pays if it strikes.
type Unless struct {
	Text        string
	Path        string
	PatientPays Range
}

// run computes the lines of a case, on one side of what is missing or on both.
type run struct {
	c      *Case
	first  *ledger
	second *ledger
	uses   Claimed // what the line uses of the first plan
}

// compute returns the estimate of one reading of each plan.
func (c *Case) compute() *Estimate {
	e := &Estimate{}
	r := newRun(c, bothSides, bothSides)
	var ends []joined
	for i := range c.Lines {
		l := r.line(&c.Lines[i])
		e.Lines, ends = append(e.Lines, l), append(ends, joined{l.Least, l.Most, l.pays})
	}
	e.Uncertain = c.uncertain()
	e.Least, e.Most = c.totals(ends)
	return e
}

func newRun(c *Case, first, second side) *run {
	one := c.oneDate()
	r := &run{c: c, first: newLedger(c.Plan, first, one)}
	r.first.earlier = c.Earlier
	r.first.takeClaims(c.Decided, c.Undecided)
	if c.Second != nil {
		r.second = newLedger(c.Second, second, one)
		r.second.later = true
		r.second.takeClaims(c.SecondDecided, c.SecondUndecided)
	}
	return r
}

// oneDate reports whether all services are of one day.
func (c *Case) oneDate() bool {
	for i := range c.Lines {
		if c.Lines[i].ServiceDate != c.Lines[0].ServiceDate {
			return false
		}
	}
	for _, u := range slices.Concat(c.Decided, c.Undecided, c.SecondDecided, c.SecondUndecided) {
		if len(c.Lines) > 0 && u.ServiceDate != c.Lines[0].ServiceDate {
			return false
		}
	}
	return true
}

// ends returns both ends of a line, and takes what the line uses.
func (r *run) ends(l *Line) joined {
	out, _ := r.compute(l)
	return out
}

func (r *run) compute(l *Line) (joined, *terms) {
	first := r.first.termsOf(l)
	if n := r.first.left(l, &first.share); first.struck == nil && n < max(1, l.Quantity) {
		paid, rest := l.split(n)
		out, t := r.compute(paid)
		beyond, _ := r.compute(rest)
		return out.plus(beyond), t
	}
	parts := first.parts()
	var second *terms
	var seconds []part
	if r.second != nil {
		second = r.second.termsOf(l.underSecond())
		seconds = second.parts()
	}
	out := join(first, parts, seconds, r.c.coordination())
	deductible, benefit := first.used(parts)
	if l.Left != nil {
		benefit = Range{0, min(benefit.Most, *l.Left)}
	}
	r.uses.record(first, deductible, benefit)
	use(first.deductibles, deductible)
	use(first.maximums, benefit)
	r.first.cover(l, first)
	if second != nil {
		deductible, _ = second.used(seconds)
		use(second.deductibles, deductible)
		use(second.maximums, out.pays.second)
		r.second.cover(l, second)
	}
	return out, first
}

// split returns the first n units of the line, and the rest. Amounts are rounded half up to the cent.
func (l *Line) split(n int) (first, rest *Line) {
	all := billing.Money(l.Quantity)
	part := func(m billing.Money) billing.Money { return (m*billing.Money(n) + all/2) / all }
	one, two := *l, *l
	one.Quantity, two.Quantity = n, l.Quantity-n
	one.Fee = part(l.Fee)
	two.Fee = l.Fee - one.Fee
	for _, m := range []struct{ of, one, two **billing.Money }{
		{&l.Allowed, &one.Allowed, &two.Allowed},
		{&l.AlternateAllowed, &one.AlternateAllowed, &two.AlternateAllowed},
		{&l.Second.Allowed, &one.Second.Allowed, &two.Second.Allowed},
		{&l.Second.AlternateAllowed, &one.Second.AlternateAllowed, &two.Second.AlternateAllowed},
	} {
		if *m.of != nil {
			*m.one = new(part(**m.of))
			*m.two = new(**m.of - **m.one)
		}
	}
	return &one, &two
}

func (c *Case) warnings(code string) []string {
	out := c.Plan.warnings(theFirst(), code)
	if c.Second != nil {
		out = append(out, c.Second.warnings(theSecond(), code)...)
	}
	return out
}

func (c *Case) coordination() Coordination {
	if c.Coordination == "" {
		return Standard
	}
	return c.Coordination
}

// line returns a line with its reasons.
func (r *run) line(l *Line) Result {
	to := &target{code: l.Code, category: CategoryOf(l.Code), day: l.ServiceDate}
	unless := r.unless(l, to)
	before := r.first.termsOf(l)
	steps := before.steps(l, theFirst())
	parts, some := before.parts(), false // before the line uses anything
	if n, units := r.first.left(l, &before.share), max(1, l.Quantity); before.struck == nil && before.maybe && n < units {
		some = true
		steps = append(steps, Step{Text: "The plan pays for " + strconv.Itoa(n) + " of these " + strconv.Itoa(units) + ": it pays only " + often(before.share.Frequency) + ".", Path: before.share.FrequencyPath})
	}
	var doubts []string
	var seconds []Step
	var own, allowed Range
	if r.second != nil {
		second := r.second.termsOf(l.underSecond())
		seconds, own = second.secondSteps(l.underSecond())
		allowed, doubts = second.allowed, second.secondUncertain(l, r.c.Second)
	}
	out, t := r.compute(l)
	seconds = append(seconds, r.c.coordination().steps(own, allowed, out.pays)...)
	res := Result{
		Least: out.least, Most: out.most, Unless: unless, Warnings: r.c.warnings(l.Code), reasons: steps, seconds: seconds, pays: out.pays,
		beyond: before.beyond(parts, out.pays.writeOff, some),
	}
	res.Uncertain = append(t.uncertain(l, r.c.Plan), doubts...)
	if t.struck != nil {
		var others []Step
		res.PaidFrom, others = r.first.paidFrom(l, &t.share, t.struck)
		res.reasons = append(res.reasons, others...)
	}
	if len(t.deductibles) > 0 {
		res.DeductibleLeft = least(t.deductibles, 0).orNil()
	}
	if len(t.maximums) > 0 {
		res.MaximumLeft = least(t.maximums, 0).orNil()
	}
	return res
}

// paidFrom returns the first day from that of a strike on which nothing strikes the line; zero if there is none.
// Then another rule may, which is a step: a frequency when a waiting period has ended, or the end of the coverage.
func (g *ledger) paidFrom(l *Line, s *Share, struck *strike) (day billing.Date, others []Step) {
	later := *l
	for later.ServiceDate.Before(struck.from) {
		later.ServiceDate = struck.from
		if struck = g.strike(&later, &target{code: l.Code, category: CategoryOf(l.Code), day: later.ServiceDate}, s); struck == nil {
			return later.ServiceDate, others
		}
		others = append(others, Step{Text: "On " + inWords(later.ServiceDate) + ", another rule counts. " + struck.text, Path: struck.path})
	}
	return billing.Date{}, others
}

// unless returns each condition of either plan with what the patient pays if it strikes. It takes
// nothing from what is left.
func (r *run) unless(l *Line, to *target) (out []Unless) {
	first := r.first.termsOf(l)
	var second *terms
	if r.second != nil {
		second = r.second.termsOf(l.underSecond())
	}
	each := func(p *Plan, t *terms, of func(condition) condition) {
		if t.struck != nil || !t.maybe {
			return
		}
		for _, c := range p.conditions(l, to, &t.share) {
			c = of(c)
			t.struck = &strike{limit: c.limit}
			var seconds []part
			if second != nil {
				seconds = second.parts()
			}
			both := join(first, first.parts(), seconds, r.c.coordination())
			t.struck = nil
			out = append(out, Unless{c.text, c.path, Range{both.least.PatientPays, both.most.PatientPays}})
		}
	}
	each(r.c.Plan, first, func(c condition) condition { return c })
	if second != nil { // its paths are in another check
		each(r.c.Second, second, func(c condition) condition { return condition{c.text + ", under the second plan", "", c.limit} })
	}
	return out
}

// uncertain returns what makes the whole estimate uncertain.
func (c *Case) uncertain() (out []string) {
	today := c.Today
	if today.IsZero() {
		today = c.Plan.CheckedOn
	}
	for i, p := range []*Plan{c.Plan, c.Second} {
		if p == nil {
			continue
		}
		whose := []string{"The check", "The check of the second plan"}[i]
		if p.CheckedOn.Year != today.Year || p.CheckedOn.Month != today.Month {
			out = append(out, whose+" was made in an earlier month, on "+inWords(p.CheckedOn)+". Check again.")
		}
		for _, class := range p.Unmatched {
			out = append(out, whose+" has an amount for "+strconv.Quote(class)+", which this estimate does not use. Ask the payer what it is for.")
		}
		if p.Status == coverage.Unknown {
			out = append(out, whose+" does not show whether the plan is active.")
		}
	}
	return out
}
