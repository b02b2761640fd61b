package estimate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// strike is why the plan pays nothing for a line.
type strike struct {
	text  string
	path  string
	from  billing.Date // the first day on which it is paid; zero for none
	limit bool         // a frequency or an age, beyond which a plan may allow no write-off
}

// condition is a strike whose facts are not known.
type condition struct {
	text  string
	path  string
	limit bool
}

// strikes returns the first rule that strikes the line by the facts that are known; nil if
// none does.
func (p *Plan) strikes(l *Line, t *target, s *Share) *strike {
	day := l.ServiceDate
	switch {
	case p.Status == coverage.Inactive && p.askedFor().Before(p.Effective) && day.Before(p.Effective):
		return &strike{text: "The coverage begins on " + inWords(p.Effective) + ", after the service.", path: "coverage_effective_date", from: p.Effective}
	case p.Status == coverage.Inactive && !p.coveredByDates(day):
		return &strike{text: "The plan is not active, so it pays nothing.", path: "status"}
	case !p.Terminates.IsZero() && p.Terminates.Before(day):
		return &strike{text: "The coverage ends on " + inWords(p.Terminates) + ", before the service.", path: "coverage_termination_date"}
	case !p.Effective.IsZero() && day.Before(p.Effective):
		return &strike{text: "The coverage begins on " + inWords(p.Effective) + ", after the service.", path: "coverage_effective_date", from: p.Effective}
	case s.MaxAge != nil && !p.Born.IsZero() && p.Born.AgeOn(day) > *s.MaxAge:
		return &strike{text: "The plan pays for this service up to the age of " + strconv.Itoa(*s.MaxAge) + ".", path: s.Path + ".max_age", limit: true}
	}
	if from := p.waitsUntil(t); day.Before(from) {
		return &strike{text: "A waiting period lasts until " + inWords(from) + ".", path: "plan_rules.waiting_period", from: from}
	}
	if p.Rules.MissingToothClause != "" && replaces(t.category) && !l.ToothLostOn.IsZero() && !p.Effective.IsZero() && l.ToothLostOn.Before(p.Effective) {
		return &strike{text: "The tooth was lost on " + inWords(l.ToothLostOn) + ", before the coverage began.", path: "plan_rules.missing_tooth_clause"}
	}
	return nil
}

// coveredByDates reports whether the plan is not active because it begins after the day that the check is
// about, or ended before it, while it covers this day by its dates.
func (p *Plan) coveredByDates(day billing.Date) bool {
	asked, ends := p.askedFor(), !p.Terminates.IsZero()
	within := !day.Before(p.Effective) && (!ends || !p.Terminates.Before(day))
	return within && (asked.Before(p.Effective) || ends && p.Terminates.Before(asked))
}

func (p *Plan) askedFor() billing.Date { return cmp.Or(p.AskedFor, p.CheckedOn) }

// inWords returns a date such as January 9, 2026.
func inWords(d billing.Date) string { return d.Time().Format("January 2, 2006") }

// waitsUntil returns the first day of benefits of the category; zero if no waiting period
// has a known end.
func (p *Plan) waitsUntil(t *target) (from billing.Date) {
	for _, w := range p.Waits {
		if w.Category != t.category || t.category == "" {
			continue
		}
		end := w.From
		if end.IsZero() && w.Months > 0 && !p.Effective.IsZero() {
			end = p.Effective.AddMonths(w.Months)
		}
		if from.Before(end) {
			from = end
		}
	}
	return from
}

// conditions returns the conditions of the plan whose facts are not known.
func (p *Plan) conditions(l *Line, t *target, s *Share) (out []condition) {
	if p.Rules.MissingToothClause != "" && replaces(t.category) && (l.ToothLostOn.IsZero() || p.Effective.IsZero()) {
		out = append(out, condition{"the tooth was lost before the coverage began", "plan_rules.missing_tooth_clause", false})
	}
	if f := s.Frequency; f != nil && f.Count != nil && !s.tells(l) {
		out = append(out, condition{"it was done before, and the plan pays for it only " + often(f), s.FrequencyPath, true})
	}
	if s.MaxAge != nil && p.Born.IsZero() {
		out = append(out, condition{"the patient is older than " + strconv.Itoa(*s.MaxAge), s.Path + ".max_age", true})
	}
	undated := slices.ContainsFunc(p.Waits, func(w Wait) bool { return w.Category == t.category && w.From.IsZero() && p.Effective.IsZero() })
	if undated && t.category != "" || p.Rules.WaitingPeriod != "" && len(p.Waits) == 0 && !noWait(p.Rules.WaitingPeriod) {
		out = append(out, condition{"a waiting period has not ended", "plan_rules.waiting_period", false})
	}
	return out
}

// tells reports whether it is known how often the service was done: the payer counts, or says when it
// pays again, or the last service is known where the plan pays for one.
func (s *Share) tells(l *Line) bool {
	once := *s.Frequency.Count == 1
	if !s.LimitedPerPlace && (s.Frequency.Used != nil || !s.NextEligible.IsZero() || once && !s.LastService.IsZero()) {
		return true
	}
	before := func(on billing.Date) bool { return !on.IsZero() && !l.ServiceDate.Before(on) }
	return once && (before(l.LastService) || before(l.PriorPlacement))
}

// often says how often the plan pays, such as "twice each calendar year".
func often(f *coverage.Frequency) string {
	times := strconv.Itoa(*f.Count) + " times"
	switch *f.Count {
	case 1:
		times = "once"
	case 2:
		times = "twice"
	}
	period := "in " + f.Period
	switch f.Period {
	case string(coverage.PeriodCalendarYear):
		period = "each calendar year"
	case string(coverage.PeriodPlanYear):
		period = "each plan year"
	case string(coverage.PeriodLifetime):
		period = "in a lifetime"
	}
	return strings.TrimSpace(times + " " + period + " " + f.Scope)
}

// noWait reports whether the payer's words say that there is no waiting period.
func noWait(rule string) bool {
	rule = strings.ToUpper(rule)
	return strings.HasPrefix(rule, "NO ") || strings.Contains(rule, "NONE") || strings.Contains(rule, "NOT APPLY") || strings.Contains(rule, "WAIVED")
}

// replaces reports whether services of the category replace teeth.
func replaces(c coverage.Category) bool {
	return c == coverage.CategoryProsthodontics || c == coverage.CategoryImplants
}
