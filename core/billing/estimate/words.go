package estimate

import (
	"slices"
	"strconv"
	"strings"

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

// speaker is whose plan steps are about.
type speaker struct {
	plan   string // as the begin of a sentence
	its    string // before the name of a limit
	second bool   // its paths are in another check, so its steps have none
}

func theFirst() speaker { return speaker{plan: "The plan", its: "the "} }
func theSecond() speaker {
	return speaker{plan: "The second plan", its: "the second plan's ", second: true}
}

// steps returns what the line is computed from, before it uses what is left.
func (t *terms) steps(l *Line, who speaker) (out []Step) {
	add := func(text, path string, amount *Range) {
		if who.second {
			path = ""
		}
		out = append(out, Step{text, path, amount})
	}
	switch {
	case l.Allowed != nil:
		add(who.plan+" allows "+t.allowed.String()+" of the fee of "+l.Fee.Dollars()+".", "", new(t.allowed))
	case who.second:
		add("No fee schedule has what the second plan allows for this service. It is at most the fee of "+l.Fee.Dollars()+".", "", new(t.allowed))
	default:
		add("No fee schedule has what the plan allows for this service, so the fee of "+l.Fee.Dollars()+" counts.", "", new(Exactly(l.Fee)))
	}
	if t.struck != nil {
		text := t.struck.text
		if who.second {
			text = "The second plan pays nothing. " + text
		}
		add(text, t.struck.path, nil)
		return out
	}
	if !t.maybe {
		add(who.plan+" does not cover this service.", t.percentPath, nil)
		return out
	}
	if t.alternate.Most < unlimited {
		add(who.plan+" pays as if for a less expensive service, for which it allows "+t.alternate.lower(t.allowed).String()+".", t.share.Path, new(t.alternate.lower(t.allowed)))
	}
	for _, p := range t.deductibles {
		out = append(out, p.claims("deductible", who)...)
		add(p.sentence("deductible", " is left to pay.", "is met", who), p.limit.Path, p.left.orNil())
		if p.left == (Range{}) {
			break // no other one counts
		}
	}
	if t.share.DeductibleWaived {
		add(capital(who.its)+"deductible does not apply to this service.", t.percentPath, nil)
	}
	if t.copay > 0 {
		text, taken := t.copayment(who)
		add(text, t.share.CopayPath, taken)
	}
	if len(t.percents) == 1 {
		of := "."
		if t.copay > 0 || least(t.deductibles, 0).Most > 0 {
			of = " of the rest."
		}
		add(who.plan+" pays "+percentWords(t.percents[0])+" percent"+of, t.percentPath, nil)
	} else {
		add("The payer did not return the percent that "+lower1(who.plan)+" pays.", t.percentPath, nil)
	}
	for _, p := range t.maximums {
		out = append(out, p.claims("maximum", who)...)
		add(p.sentence("maximum", " is left.", "is used up", who), p.limit.Path, p.left.orNil())
	}
	return out
}

// copayment says what the patient pays before the percent: the copayment, but no more than is left of the
// allowance after the deductible.
func (t *terms) copayment(who speaker) (string, *Range) {
	base, deductible := t.allowed.lower(t.alternate), least(t.deductibles, 0)
	rest := Range{max(0, base.Least-deductible.Most), max(0, base.Most-deductible.Least)}
	taken := rest.lower(Exactly(t.copay))
	switch {
	case taken.Most == t.copay && who.second:
		return "The second plan leaves a copayment of " + t.copay.Dollars() + " to the patient.", new(Exactly(t.copay))
	case taken.Most == t.copay:
		return "The patient pays a copayment of " + t.copay.Dollars() + ".", new(Exactly(t.copay))
	case deductible.Most > 0:
		return "Of the copayment of " + t.copay.Dollars() + ", " + taken.String() + " counts: what the deductible leaves of what " + lower1(who.plan) + " allows.", &taken
	}
	return "Of the copayment of " + t.copay.Dollars() + ", " + taken.String() + " counts: no more than " + lower1(who.plan) + " allows.", &taken
}

// sentence says what is left of a limit, such as "Of the maximum, $50.00 is left.".
func (p *pot) sentence(what, left, none string, who speaker) string {
	switch name := who.its + p.limit.name(what); {
	case p.left == Range{}:
		return capital(name) + " " + none + "."
	case p.left.open() && p.limit.Remaining != nil: // in the period of the check only
		return "The payer did not return how much of " + name + strings.TrimSuffix(left, ".") + " on the day of the service."
	case p.left.open():
		return "The payer did not return how much of " + name + left
	default:
		return "Of " + name + ", " + p.left.String() + left
	}
}

// claims returns what claims use of the limit that the check cannot know of.
func (p *pot) claims(what string, who speaker) (out []Step) {
	path := p.limit.Path
	if who.second {
		path = ""
	}
	add := func(text string, used Range) {
		if used.Most > 0 {
			out = append(out, Step{text + used.String() + " of " + who.its + p.limit.name(what) + ".", path, &used})
		}
	}
	add("Claims that the payer has decided after the check used ", p.decided)
	add("The payer has taken back after the check what claims used: ", Range{-p.decided.Most, -p.decided.Least})
	add("Claims that the payer has not decided yet use ", Range{min(p.claimed.Least, p.claimed.Most), max(p.claimed.Least, p.claimed.Most)})
	return out
}

// capital begins a sentence with words.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// lower1 has words within a sentence.
func lower1(words string) string { return strings.ToLower(words[:1]) + words[1:] }

// outcome returns what each pays, with what it needs to be understood.
func outcome(l *Result, two bool) (out []Step) {
	add := func(text string, r Range) { out = append(out, Step{Text: text + r.String() + ".", Amount: &r}) }
	add("The plan pays ", l.pays.first)
	if l.pays.writeOff.Most > 0 {
		add("The office writes off ", l.pays.writeOff)
	}
	out = append(out, l.beyond...)
	if two {
		out = append(out, l.seconds...)
		add("The second plan pays ", l.pays.second)
	}
	add("The patient pays ", Range{l.Least.PatientPays, l.Most.PatientPays})
	return out
}

// beyond says that the office may charge its fee beyond a limit of the plan, where its contract lets it.
func (t *terms) beyond(parts []part, writeOff Range, some bool) []Step {
	reached := slices.ContainsFunc(parts, func(p part) bool { return p.beyond })
	if !t.inNetwork || !t.noWriteOffBeyond || t.allowed.Least >= t.fee || !reached && !some {
		return nil
	}
	say := func(text string) []Step { return []Step{{Text: text, Amount: new(Exactly(t.fee))}} }
	switch fee := t.fee.Dollars(); {
	case writeOff.Most == 0:
		return say("A limit of the plan is reached, so the office may charge its whole fee of " + fee + ".")
	case reached:
		return say("If a limit of the plan is reached, the office may charge its whole fee of " + fee + ".")
	}
	return []Step{{Text: "For what is beyond the limit of the plan, the office may charge its fee."}}
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

// warnings returns what may stop a payment, or change it on another day, and changes no amount of the line.
func (p *Plan) warnings(who speaker, code string) (out []string) {
	if p.wantsApproval() {
		out = append(out, who.plan+" may want to approve this service first: "+p.Rules.PreAuthorization)
	}
	if p.Rules.MajorServicesPaidOn == "seat_date" && seated(code) {
		out = append(out, who.plan+" pays for this service on the seat date, not the prep date: use the seat date as the date of service.")
	}
	return out
}

// seated reports whether the service has a day of preparation and one of seating: an inlay, an onlay, a crown, a
// veneer, a denture, a crown of an implant or a bridge.
func seated(code string) bool {
	return slices.ContainsFunc([][2]string{
		{"D2510", "D2799"}, {"D2960", "D2962"}, {"D5110", "D5286"}, {"D6058", "D6077"}, {"D6205", "D6794"},
	}, func(of [2]string) bool { return of[0] <= code && code <= of[1] })
}

// wantsApproval reports whether the payer has words about an approval that say more than that none is required.
func (p *Plan) wantsApproval() bool {
	for part := range strings.FieldsFuncSeq(strings.ToUpper(p.Rules.PreAuthorization), func(r rune) bool { return strings.ContainsRune(";.,", r) }) {
		part = strings.TrimSpace(part)
		rest := strings.ReplaceAll(part, "NOT REQUIRED", "")
		if part != "" && !strings.HasPrefix(part, "NO ") && (rest == part || strings.Contains(rest, "REQUIRED")) {
			return true
		}
	}
	return false
}

// uncertain returns what the line lacks.
func (t *terms) uncertain(l *Line, p *Plan) (out []string) {
	if l.Allowed == nil {
		out = append(out, "The plan's allowance for this service is not known.")
	}
	if t.struck != nil || !t.maybe {
		return out
	}
	if p.Status == coverage.Inactive {
		out = append(out, "The payer says that the plan is not active on "+inWords(p.askedFor())+". Its dates cover the service: check again for that day.")
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
			case at.unknown && q.limit.Amount == nil:
				add("The payer did not return when the benefit period begins, nor the full " + name + ".")
			case at.unknown:
				add("The payer did not return when the benefit period begins, so the full " + name + " may count.")
			case at.year > 0 && q.limit.Amount == nil:
				add("The service is in a later benefit period, and the payer did not return the full " + name + ", which counts then.")
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
