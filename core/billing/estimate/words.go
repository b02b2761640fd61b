package estimate

import (
	"slices"
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
	case r.open():
		return "an unknown amount"
	case r.Known():
		return r.Least.Dollars()
	}
	return r.Least.Dollars() + " to " + r.Most.Dollars()
}

// steps returns what the line is computed from, before it uses what is left.
func (t *terms) steps(l *Line) (out []Step) {
	add := func(text, path string, amount *Range) { out = append(out, Step{text, path, amount}) }
	if l.Allowed == nil {
		add("No fee schedule has what the plan allows for this service, so the fee of "+l.Fee.Dollars()+" counts.", "", new(Exactly(l.Fee)))
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
		add("The plan pays as if for a less expensive service, for which it allows "+t.alternate.lower(t.allowed).String()+".", t.share.Path, new(t.alternate.lower(t.allowed)))
	}
	for _, p := range t.deductibles {
		out = append(out, p.claims("deductible")...)
		add(p.sentence("deductible", " is left to pay.", "is met"), p.limit.Path, p.left.orNil())
		if p.left == (Range{}) {
			break // no other one counts
		}
	}
	if t.share.DeductibleWaived {
		add("The deductible does not apply to this service.", t.percentPath, nil)
	}
	if t.copay > 0 {
		add("The patient pays a copayment of "+t.copay.Dollars()+".", t.share.Path, new(Exactly(t.copay)))
	}
	if len(t.percents) == 1 {
		of := "."
		if t.copay > 0 || least(t.deductibles, 0).Most > 0 {
			of = " of the rest."
		}
		add("The plan pays "+percentWords(t.percents[0])+" percent"+of, t.percentPath, nil)
	} else {
		add("The payer did not return the percent that the plan pays.", t.percentPath, nil)
	}
	for _, p := range t.maximums {
		out = append(out, p.claims("maximum")...)
		add(p.sentence("maximum", " is left.", "is used up"), p.limit.Path, p.left.orNil())
	}
	return out
}

// sentence says what is left of a limit, such as "Of the maximum, $50.00 is left.".
func (p *pot) sentence(what, left, none string) string {
	switch name := p.limit.name(what); {
	case p.left == Range{}:
		return "The " + name + " " + none + "."
	case p.left.open():
		return "The payer did not return how much of the " + name + left
	default:
		return "Of the " + name + ", " + p.left.String() + left
	}
}

// claims returns what claims use of the limit that the check cannot know of.
func (p *pot) claims(what string) (out []Step) {
	add := func(text string, used Range) {
		if used.Most > 0 {
			out = append(out, Step{text + used.String() + " of the " + p.limit.name(what) + ".", p.limit.Path, &used})
		}
	}
	add("Claims that the payer has decided after the check used ", p.decided)
	add("The payer has taken back after the check what claims used: ", Range{-p.decided.Most, -p.decided.Least})
	add("Claims that the payer has not decided yet use ", Range{min(p.claimed.Least, p.claimed.Most), max(p.claimed.Least, p.claimed.Most)})
	return out
}

// secondSteps returns what claims use of the second plan, or why it pays nothing. The paths of its check are
// not those of the estimate's.
func (t *terms) secondSteps() (out []Step) {
	switch {
	case t.struck != nil:
		return []Step{{Text: "The second plan pays nothing. " + t.struck.text}}
	case !t.maybe:
		return []Step{{Text: "The second plan does not cover this service."}}
	}
	for _, p := range t.deductibles {
		out = append(out, p.claims("deductible")...)
	}
	for _, p := range t.maximums {
		out = append(out, p.claims("maximum")...)
	}
	for i := range out {
		out[i].Text, out[i].Path = "Second plan: "+out[i].Text, ""
	}
	return out
}

// secondUncertain returns what the line lacks under the second plan.
func (t *terms) secondUncertain(l *Line, p *Plan) (out []string) {
	for _, text := range t.uncertain(l.underSecond(), p) {
		out = append(out, "Second plan: "+text)
	}
	return out
}

// outcome returns what each pays.
func outcome(l *Result, two bool) (out []Step) {
	add := func(text string, r Range) { out = append(out, Step{Text: text + r.String() + ".", Amount: &r}) }
	add("The plan pays ", l.pays.first)
	if two {
		add("The second plan pays ", l.pays.second)
	}
	if l.pays.writeOff.Most > 0 {
		add("The office writes off ", l.pays.writeOff)
	}
	add("The patient pays ", Range{l.Least.PatientPays, l.Most.PatientPays})
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
		s += " for " + nameOf(l.Code)
	case l.Category != "":
		s += " for " + l.Category.Words()
	}
	if l.Period == coverage.PeriodLifetime {
		return "lifetime " + s
	}
	return s
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
		out = append(out, "The payer did not return whether the plan covers this service.")
	}
	if len(t.percents) > 1 {
		out = append(out, "The payer did not return the percent that the plan pays.")
	}
	if t.alternate.Most < unlimited && !t.alternate.Known() {
		out = append(out, "The allowance of the less expensive service is not known.")
	}
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, limits := range []struct {
		what string
		pots []*pot
	}{{"deductible", t.deductibles}, {"maximum", t.maximums}} {
		for _, q := range limits.pots {
			name := q.limit.name(limits.what)
			at := p.placeOf(q.limit, l.ServiceDate)
			switch {
			case q.limit.Amount == nil && q.limit.Remaining == nil:
				add("The payer did not return the " + name + ".")
			case at.unknown:
				add("The payer did not return when the benefit period begins, so the full " + name + " may count.")
			case at.year > 0:
				add("The service is in a later benefit period, so the full " + name + " counts.")
			case at.year < 0:
				add("The service is in an earlier benefit period than the check, so what was left of the " + name + " is not known.")
			case q.limit.Remaining == nil:
				add("The payer did not return how much of the " + name + " is left.")
			}
		}
	}
	return out
}
