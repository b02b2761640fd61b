package billing

import "time"

// isBusinessDay reports whether banks settle payments on the day: it is no weekend, and no
// holiday of the Federal Reserve Banks.
func (d Date) isBusinessDay() bool {
	w := d.Time().Weekday()
	return w != time.Saturday && w != time.Sunday && !d.isFederalHoliday()
}

// AddBusinessDays returns the business day n business days after the day. With 0 it is the day
// itself, or the next business day.
func (d Date) AddBusinessDays(n int) Date {
	for {
		if d.isBusinessDay() {
			if n == 0 {
				return d
			}
			n--
		}
		d = d.AddDays(1)
	}
}

// isFederalHoliday reports whether the Federal Reserve Banks are closed for a holiday. One on
// a Sunday is kept on the Monday; one on a Saturday is not kept on another day.
func (d Date) isFederalHoliday() bool {
	if fixedHoliday(d) {
		return true
	}
	if d.Time().Weekday() != time.Monday {
		return d.Month == time.November && d.Time().Weekday() == time.Thursday && nth(d) == 4 // Thanksgiving
	}
	switch d.Month { //nolint:exhaustive // the others have no holiday on a Monday
	case time.January, time.February: // Martin Luther King, Washington
		return nth(d) == 3 || fixedHoliday(d.AddDays(-1))
	case time.May: // Memorial Day, the last Monday
		return d.AddDays(7).Month != time.May
	case time.September: // Labor Day
		return nth(d) == 1
	case time.October: // Columbus Day
		return nth(d) == 2
	default:
		return fixedHoliday(d.AddDays(-1))
	}
}

// fixedHoliday reports whether a holiday has the day each year.
func fixedHoliday(d Date) bool {
	switch d.Month { //nolint:exhaustive // the others have none
	case time.January:
		return d.Day == 1
	case time.June: // Juneteenth, since 2022 at the Federal Reserve Banks
		return d.Day == 19 && d.Year >= 2022
	case time.July:
		return d.Day == 4
	case time.November: // Veterans Day
		return d.Day == 11
	case time.December:
		return d.Day == 25
	default:
		return false
	}
}

// nth returns which of its weekday in the month the day is, from 1.
func nth(d Date) int { return (d.Day-1)/7 + 1 }
