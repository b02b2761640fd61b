package billing

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// Date is a day of the calendar without a time zone. The zero Date stands for
// "none" and is NULL in SQL.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// errMalformedDate is the error of ParseDate and ParseX12Date.
var errMalformedDate = errors.New("malformed date")

// ParseDate reads YYYY-MM-DD and rejects days that do not exist.
func ParseDate(s string) (Date, error) { return parseDate(time.DateOnly, s) }

// ParseX12Date reads CCYYMMDD (format D8) and rejects days that do not exist.
func ParseX12Date(s string) (Date, error) { return parseDate("20060102", s) }

func parseDate(layout, s string) (Date, error) {
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() < 1 || len(s) != len(layout) {
		return Date{}, errMalformedDate
	}
	return DateOf(t), nil
}

// DateOf returns the day of t in t's own time zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, m, d}
}

// IsZero reports whether the Date stands for "none".
func (d Date) IsZero() bool { return d == Date{} }

// String returns YYYY-MM-DD, or the empty string for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day)
}

const digits = "0123456789"

// X12 returns CCYYMMDD.
func (d Date) X12() string {
	var b [8]byte
	n := d.Year*1_00_00 + int(d.Month)*1_00 + d.Day
	for i := len(b) - 1; i >= 0; i-- {
		b[i], n = digits[n%10], n/10
	}
	return string(b[:])
}

// Time returns midnight UTC of the day.
func (d Date) Time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool {
	return d.Compare(o) < 0
}

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return DateOf(d.Time().AddDate(0, 0, n)) }

// AddMonths returns the same day n months later, or the last day of a month that
// is shorter.
func (d Date) AddMonths(n int) Date {
	first := time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return Date{first.Year(), first.Month(), min(d.Day, last)}
}

// AgeOn returns the age on day, in whole years, of a person born on d.
func (d Date) AgeOn(day Date) int {
	age := day.Year - d.Year
	if day.Month < d.Month || day.Month == d.Month && day.Day < d.Day {
		age--
	}
	return age
}

// MarshalText returns YYYY-MM-DD, for JSON.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads YYYY-MM-DD; the empty string is the zero Date.
func (d *Date) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Date{}
		return nil
	}
	v, err := ParseDate(string(b))
	*d = v
	return err
}

// Value returns the day, or NULL for the zero Date.
func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.String(), nil
}

// Scan reads a date column or NULL.
func (d *Date) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*d = Date{}
		return nil
	case time.Time:
		*d = DateOf(v)
		return nil
	default:
		return fmt.Errorf("scan %T into a Date", src)
	}
}

// DateSpan is a span of days, both included.
type DateSpan struct {
	From Date
	To   Date
}

// Including returns the span extended to the day. The zero Date adds nothing.
func (s DateSpan) Including(day Date) DateSpan {
	if day.IsZero() {
		return s
	}
	if s.From.IsZero() || day.Before(s.From) {
		s.From = day
	}
	if s.To.IsZero() || s.To.Before(day) {
		s.To = day
	}
	return s
}

// Compare returns -1, 0 or 1 when d is before, equal to or after o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}
