package scenario

import (
	"regexp"
	"strconv"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// yearDay is the day that a year stands for in a field.
type yearDay int

const (
	firstDay     yearDay = iota // of the year of the check
	lastDay                     // of the same year
	nextFirstDay                // of the year after
)

var (
	yearWord = regexp.MustCompile(`^--(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$`)
	distance = regexp.MustCompile(`^([+-]?)P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?$`)
)

// maxYears bounds how far a date is from the day of the check.
const maxYears = 100

// date reads a date in one of these forms:
//
//   - a day, such as 2026-03-01
//   - a distance from the day of the check, as an ISO 8601 duration with a sign: -P6M, P90D
//   - calendar_year, or --07-01 for a year that begins on July 1: a day of the year with the
//     day of the check, which depends on the field
func (r *reading) date(field string, text *string, of yearDay) billing.Date {
	if text == nil || *text == "" {
		return billing.Date{}
	}
	day, err := billing.ParseDate(*text)
	begin, year := r.year(*text)
	switch m := distance.FindStringSubmatch(*text); {
	case err == nil:
	case year && of == firstDay:
		day = begin
	case year && of == lastDay:
		day = begin.AddMonths(12).AddDays(-1)
	case year:
		day = begin.AddMonths(12)
	case m != nil && m[2]+m[3]+m[4]+m[5] != "":
		day = r.away(m)
	default:
		r.add(field, billing.FaultFormat, "The value must be a date (YYYY-MM-DD), a distance from the day of the check (-P6M, P90D), "+
			"calendar_year, or a year that begins on another day (--07-01).")
		return billing.Date{}
	}
	if day.Before(r.day.AddMonths(-12*maxYears)) || r.day.AddMonths(12*maxYears).Before(day) {
		r.add(field, billing.FaultRange, "The date must be within 100 years of the check.")
	}
	return day
}

// away returns the day at a distance, whose form has the parts m.
func (r *reading) away(m []string) billing.Date {
	part := func(i int) int {
		n, _ := strconv.Atoi("0" + m[i]) // digits only
		if m[1] == "-" {
			return -n
		}
		return n
	}
	return r.day.AddMonths(12*part(2) + part(3)).AddDays(7*part(4) + part(5))
}

// year returns the first day of the year with the day of the check, and whether the text
// names a year.
func (r *reading) year(text string) (begin billing.Date, ok bool) {
	begin = billing.Date{Year: r.day.Year, Month: time.January, Day: 1}
	if text == string(coverage.PeriodCalendarYear) {
		return begin, true
	}
	m := yearWord.FindStringSubmatch(text)
	if m == nil {
		return begin, false
	}
	month, _ := strconv.Atoi(m[1])
	begin.Month = time.Month(month)
	begin.Day, _ = strconv.Atoi(m[2])
	if r.day.Before(begin) {
		begin.Year--
	}
	return begin, true
}

// benefitPeriod returns the benefit period. A year becomes its days, unless the amounts of
// the plan are for calendar years anyway.
func (r *reading) benefitPeriod(field string, text *string, b *coverage.Benefits) string {
	said := r.text(field, text)
	begin, ok := r.year(said)
	if !ok || said == string(b.YearOfAmounts()) {
		return said
	}
	return begin.String() + " to " + begin.AddMonths(12).AddDays(-1).String()
}
