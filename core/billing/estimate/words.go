package estimate

import (
	"strconv"

	"github.com/molar-billing/molar/core/billing/coverage"
)

// Step is one reason of an amount, in words. Path is the value of the check that it uses;
// empty if it uses none.
type Step struct {
	Text   string
	Path   string
	Amount *Range // nil for a step without one
}

// String returns the range as a sentence has it.
func (r Range) String() string {
	switch {
	case r.Known():
		return r.Least.Dollars()
	case r.Most >= unlimited:
		return "an unknown amount"
	}
	return r.Least.Dollars() + " to " + r.Most.Dollars()
}

// steps returns what the line is computed from, before it uses what is left.
func (t *terms) steps(l *Line) (out []Step) {
	add := func(text, path string, amount *Range) { out = append(out, Step{text, path, amount}) }
	if l.Allowed == nil {
		add("No allowance is known for this service. The fee of "+l.Fee.Dollars()+" stands in.", "", new(Exactly(l.Fee)))
	} else {
		add("The plan allows "+t.allowed.String()+" of the fee of "+l.Fee.Dollars()+".", "", new(t.allowed))
	}
	if t.struck != nil {
		add(t.struck.text, t.struck.path, nil)
		return out
	}
	if !t.maybe {
		add("The plan does not cover this service.", t.percentPath, nil)
		return out
	}
	if t.alternate.Most < unlimited {
		add("The plan pays as if for a less expensive service, which it allows "+t.alternate.lower(t.allowed).String()+" for.", t.share.Path, new(t.alternate.lower(t.allowed)))
	}
	undecided := func(p *pot, what string) {
		if used := (Range{min(p.claimed.Least, p.claimed.Most), max(p.claimed.Least, p.claimed.Most)}); used.Most > 0 {
			add("Claims that the payer still decides use "+used.String()+" of the "+p.limit.name(what)+".", p.limit.Path, &used)
		}
	}
	for _, p := range t.deductibles {
		undecided(p, "deductible")
		add("Of the "+p.limit.name("deductible")+", "+p.left.String()+" is left to pay.", p.limit.Path, new(p.left))
	}
	if t.share.DeductibleWaived {
		add("The deductible does not apply to this service.", t.percentPath, nil)
	}
	if t.copay > 0 {
		add("The patient pays a copayment of "+t.copay.Dollars()+".", t.share.Path, new(Exactly(t.copay)))
	}
	if len(t.percents) == 1 {
		add("The plan pays "+percentWords(t.percents[0])+" percent of the rest.", t.percentPath, nil)
	} else {
		add("The payer did not return the percent that the plan pays.", t.percentPath, nil)
	}
	for _, p := range t.maximums {
		undecided(p, "maximum")
		add("Of the "+p.limit.name("maximum")+", "+p.left.String()+" is left.", p.limit.Path, new(p.left))
	}
	return out
}

// outcome returns what each pays.
func (t *terms) outcome(o *joined, two bool) (out []Step) {
	add := func(text string, r Range) {
		r = Range{min(r.Least, r.Most), max(r.Least, r.Most)}
		out = append(out, Step{Text: text + r.String() + ".", Amount: &r})
	}
	add("The plan pays ", Range{o.least.PlanPays, o.most.PlanPays})
	if two {
		add("The second plan pays ", Range{o.least.SecondPlanPays, o.most.SecondPlanPays})
	}
	if o.least.WriteOff+o.most.WriteOff > 0 {
		add("The office writes off ", Range{o.least.WriteOff, o.most.WriteOff})
	}
	add("The patient pays ", Range{o.least.PatientPays, o.most.PatientPays})
	return out
}

// name returns the limit in words, such as "family deductible for the year".
func (l *Limit) name(what string) string {
	s := what
	if l.Level == coverage.LevelFamily {
		s = "family " + what
	}
	switch {
	case l.Code != "":
		s += " for " + l.Code
	case l.Category != "":
		s += " for " + words(l.Category)
	}
	if l.Period == coverage.PeriodLifetime {
		return "lifetime " + s
	}
	return s
}

func words(c coverage.Category) string {
	switch c { //nolint:exhaustive // the others are words already
	case coverage.CategoryOralSurgery:
		return "oral surgery"
	default:
		return string(c)
	}
}

func percentWords(p int64) string { return strconv.FormatFloat(float64(p)/100, 'f', -1, 64) }

// warnings returns what may stop a payment and changes no amount.
func (p *Plan) warnings() (out []string) {
	if p.Rules.PreAuthorization != "" {
		out = append(out, "The plan may want to approve this service first: "+p.Rules.PreAuthorization)
	}
	return out
}

// uncertain returns what the line lacks.
func (t *terms) uncertain(l *Line, p *Plan) (out []string) {
	if l.Allowed == nil {
		out = append(out, "The plan's allowance for this service is not known.")
	}
	if t.struck != nil || !t.maybe {
		return out
	}
	if t.maybeNot {
		out = append(out, "The payer did not say whether the plan covers this service.")
	}
	if len(t.percents) > 1 {
		out = append(out, "The payer did not return the percent that the plan pays.")
	}
	if t.alternate.Most < unlimited && !t.alternate.Known() {
		out = append(out, "The allowance of the less expensive service is not known.")
	}
	for _, pots := range [][]*pot{t.deductibles, t.maximums} {
		for _, q := range pots {
			at := p.placeOf(q.limit, l.ServiceDate)
			switch {
			case q.limit.Amount == nil && q.limit.Remaining == nil:
				out = append(out, "The payer did not return all amounts ("+q.limit.Path+").")
			case at.unknown:
				out = append(out, "The payer did not say when the benefit period begins, so the full amount may count ("+q.limit.Path+").")
			case at.year > 0:
				out = append(out, "The service is in a later benefit period, so the full amount counts ("+q.limit.Path+").")
			case at.year < 0:
				out = append(out, "The service is in an earlier benefit period than the check ("+q.limit.Path+").")
			case q.limit.Remaining == nil:
				out = append(out, "The payer did not say how much is left ("+q.limit.Path+").")
			}
		}
	}
	return out
}
