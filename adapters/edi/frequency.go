package edi

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/molar-billing/molar/adapters/x12/eligibility"
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// The quantity qualifiers (EB09, HSD01) that this package reads.
const (
	highestAge = "S7"
	lowestAge  = "S8"
)

// limit is a frequency limit: a service is covered count times in n units. The unit
// is an EB06 code. The scope is a phrase such as "per tooth".
type limit struct {
	count int
	unit  string
	n     int
	scope string
}

// ofPlanYear reports whether the limit counts in years of the plan: a service year, or a contract's.
func (l *limit) ofPlanYear() bool { return l.unit == "22" || l.unit == "25" }

// limitOf returns a row's frequency limit, or nil if the row has none. If an HSD has
// several messages, or no count, the messages decide. For a procedure they also decide
// if no code does. Those of a category may be about one of its procedures.
func limitOf(r *row) *limit {
	if !r.limited {
		r.limited, r.limit = true, readLimit(r)
	}
	return r.limit
}

func readLimit(r *row) *limit {
	l := codedLimit(r)
	if l == nil && len(r.Deliveries) == 0 && r.code == "" {
		return nil
	}
	several := len(r.Messages) > 1 && (r.class == "" || len(r.Messages) > 2)
	uncounted := slices.ContainsFunc(r.Deliveries, func(d eligibility.Delivery) bool { return d.Quantity == uncounted })
	if l == nil && r.code != "" || uncounted || several && len(r.Deliveries) > 0 {
		if m := r.bindingLimit(); m != nil {
			return m
		}
	}
	return l
}

// uncounted is the quantity that some payers send if messages state the limit.
const uncounted = "999"

// codedLimit reads a frequency limit from HSD, or else from EB06, EB09 and EB10.
func codedLimit(r *row) *limit {
	for _, d := range r.Deliveries {
		count, err := strconv.ParseFloat(d.Quantity, 64)
		if !counts(d.Quantifier) || err != nil || count < 0 || count >= 999 {
			continue
		}
		l := &limit{count: int(count), unit: d.Period, n: 1, scope: scopeOf(r.notes)}
		if n, err := strconv.ParseFloat(d.Periods, 64); err == nil && n >= 1 && n < 1000 {
			l.n = int(n)
		}
		if l.unit == "" && d.Per != "" { // HSD03 and HSD04: every n units
			l.unit = map[string]string{"DA": "7", "MO": "34", "WK": "35", "YR": "21"}[d.Per]
			if n, err := strconv.ParseFloat(d.Every, 64); err == nil && n >= 1 && n < 1000 {
				l.n = int(n)
			}
		}
		if l.words() != "" {
			return l
		}
	}
	if r.quantity != nil && *r.quantity != 999 && counts(r.QuantityQualifier) && (limit{unit: r.Period, n: 1}).words() != "" {
		return &limit{count: *r.quantity, unit: r.Period, n: 1, scope: scopeOf(r.notes)}
	}
	return nil
}

// bindingLimit returns the strictest limit in the row's messages about the patient's
// age: the one with the longest time for each service. In a tie it is the shorter
// period. It returns nil if no message states a limit.
func (r *row) bindingLimit() *limit {
	var found *limit
	split := len(r.ages()) > 1
	for _, s := range r.stated() {
		if split && fitAll(s.ages, r.age) == outside {
			continue
		}
		for _, l := range s.limits {
			if found == nil || l.stricter(found) {
				found = l
			}
		}
	}
	if found == nil {
		return nil
	}
	l := *found
	l.scope = scopeOf(r.notes)
	return &l
}

// stricter reports whether the limit binds more than another one.
func (l *limit) stricter(o *limit) bool {
	mine, other := units[l.unit].days*l.n*o.count, units[o.unit].days*o.n*l.count
	return mine > other || mine == other && l.count < o.count
}

// counts reports whether the qualifier counts visits, services or units. One dental
// payer sends units (FL).
func counts(qualifier string) bool {
	return qualifier == "VS" || qualifier == "P6" || qualifier == "FL"
}

// units are the codes of EB06 that describe a frequency. The days compare limits.
//
//nolint:gochecknoglobals // a constant table
var units = map[string]struct {
	word   string
	period coverage.BenefitPeriod // what one is called
	days   int
}{
	"7":  {"day", "", 1},
	"21": {"year", "", 360},
	"22": {"plan year", coverage.PeriodPlanYear, 360},
	"23": {"calendar year", coverage.PeriodCalendarYear, 360},
	"25": {"plan year", coverage.PeriodPlanYear, 0},
	"27": {"visit", "", 0},
	"32": {"", coverage.PeriodLifetime, 360 * 100},
	"34": {"month", "", 30},
	"35": {"week", "", 7},
}

// words describes the period of the limit. It returns an empty string if the unit
// does not describe a frequency.
func (l limit) words() string {
	switch u := units[l.unit]; {
	case u.word == "", u.period != "" && l.n == 1:
		return string(u.period)
	case l.n == 1:
		return "1 " + u.word
	default:
		return strconv.Itoa(l.n) + " " + u.word + "s"
	}
}

func (l limit) frequency() *coverage.Frequency {
	return &coverage.Frequency{Count: new(l.count), Period: l.words(), Scope: l.scope}
}

func (l limit) String() string { return strconv.Itoa(l.count) + " per " + l.words() }

var scopeWords = regexp.MustCompile(`(?i)\b(?:PER|EACH) (TOOTH|QUADRANT|ARCH|SEXTANT|SURFACE)\b`)

func scopeOf(notes []string) string {
	for _, m := range notes {
		if !mentions(m, "TOOTH", "QUADRANT", "ARCH", "SEXTANT", "SURFACE") {
			continue
		}
		if found := scopeWords.FindStringSubmatch(m); found != nil {
			return "per " + strings.ToLower(found[1])
		}
	}
	return ""
}

// history is the payer's report of the visits that count toward a limit.
type history struct {
	visits []billing.Date // the latest first
	usedUp bool           // the payer's count shows that no visit remains
}

// nextEligible returns the first day on which the service is covered again, or zero
// if it is unknown. The payer must report every visit that the limit allows, or
// that the limit is used up. A rolling period starts at the oldest visit. A
// calendar or plan year resets the whole limit.
func (a *answer) nextEligible(l *limit, h history) billing.Date {
	if l == nil || l.count < 1 {
		return billing.Date{}
	}
	known := len(h.visits) >= l.count
	switch l.unit {
	case "7", "21", "34", "35":
		if known {
			return l.after(h.visits[l.count-1])
		}
	case "22", "23", "25":
		start := billing.Date{Year: a.inquiry.ServiceDate.Year, Month: time.January, Day: 1}
		if l.ofPlanYear() {
			start = cmp.Or(a.planYear(), a.year)
		}
		switch {
		case start.IsZero():
		case h.usedUp && l.n == 1:
			of := a.countedOn()
			return yearAfter(of, of, start, 1)
		case known:
			return yearAfter(h.visits[0], h.visits[l.count-1], start, l.n)
		}
	}
	return billing.Date{}
}

// countedOn returns a day of the period that the payer's count is of, as of its amounts: the present one, or
// that of a service in the past.
func (a *answer) countedOn() billing.Date {
	if a.asked.Before(a.inquiry.ServiceDate) {
		return a.asked
	}
	return a.inquiry.ServiceDate
}

// usedOf returns how many services of the limit in a row are used in the present period, as
// rows of its network count them, or what remains of it. It returns nil if none does.
func usedOf(rows []*row, of *row) *int {
	for _, r := range rows {
		if r.quantity == nil || !r.tier.same(of.tier) && !r.tier.open() {
			continue
		}
		switch counted, l := counts(r.QuantityQualifier), limitOf(of); {
		case r.Period == "24" && counted, r.QuantityQualifier == "99":
			return new(*r.quantity)
		case r.Period == "29" && counted && *r.quantity <= l.count:
			return new(l.count - *r.quantity)
		}
	}
	return nil
}

// after returns the day on which a rolling period from the given day ends.
func (l *limit) after(day billing.Date) billing.Date {
	switch l.unit {
	case "21":
		return day.AddMonths(12 * l.n)
	case "34":
		return day.AddMonths(l.n)
	case "35":
		return day.AddDays(7 * l.n)
	default:
		return day.AddDays(l.n)
	}
}

// yearAfter returns the first day of the nth year after the latest visit. Years
// begin on the month and day of start. For a one-year limit with visits in different
// years it returns zero, because no year is used up.
func yearAfter(latest, oldest, start billing.Date, n int) billing.Date {
	begin := billing.Date{Year: latest.Year, Month: start.Month, Day: 1}.AddDays(start.Day - 1)
	if latest.Before(begin) {
		begin = begin.AddMonths(-12)
	}
	if oldest.Before(begin) && n == 1 {
		return billing.Date{}
	}
	return begin.AddMonths(12 * n)
}

var yearWords = regexp.MustCompile(
	`(?i)\bFROM (JANUARY|FEBRUARY|MARCH|APRIL|MAY|JUNE|JULY|AUGUST|SEPTEMBER|OCTOBER|NOVEMBER|DECEMBER) 0?1\b`)

// planYear returns the first day of a plan year, or zero if the payer states none. That of its amounts can be another.
// It ignores the start of the member's own coverage.
func (a *answer) planYear() billing.Date {
	texts := slices.Clone(a.member.Messages)
	for _, r := range a.rows {
		texts = append(texts, r.Messages...)
	}
	for _, m := range texts {
		if !statesPeriod(m) {
			continue
		}
		if found := yearWords.FindStringSubmatch(m); found != nil {
			if t, err := time.Parse("January", found[1][:1]+strings.ToLower(found[1][1:])); err == nil {
				return billing.Date{Year: a.inquiry.ServiceDate.Year, Month: t.Month(), Day: 1}
			}
		}
	}
	if p := a.benefitDates(); !p.from.IsZero() {
		return p.from
	}
	for _, qualifier := range []string{"346", "291"} {
		if p := span(a.member.Dates, qualifier, a.inquiry.ServiceDate); !p.from.IsZero() && !p.to.IsZero() {
			return p.from
		}
	}
	return billing.Date{}
}
