package billing_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

func day(t *testing.T, s string) billing.Date {
	t.Helper()
	d, err := billing.ParseDate(s)
	if err != nil {
		t.Fatalf("ParseDate(%q): %v", s, err)
	}
	return d
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	if d := day(t, "2024-02-29"); d != (billing.Date{Year: 2024, Month: time.February, Day: 29}) || d.String() != "2024-02-29" || d.X12() != "20240229" {
		t.Errorf("2024-02-29 = %v %s", d, d.X12())
	}
	for _, in := range []string{"", "2023-02-29", "2024-13-01", "2024-1-1", "20240101", "2024-01-01T00:00:00Z", "0000-01-01", " 2024-01-01", "２０２４-01-01"} {
		if d, err := billing.ParseDate(in); err == nil {
			t.Errorf("ParseDate(%q) = %v, want an error", in, d)
		}
	}
	if d, err := billing.ParseX12Date("20240229"); err != nil || d != day(t, "2024-02-29") {
		t.Errorf("ParseX12Date = %v, %v", d, err)
	}
	if d, err := billing.ParseX12Date("20241301"); err == nil {
		t.Errorf("ParseX12Date(20241301) = %v, want an error", d)
	}
}

func TestDateArithmetic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from   string
		months int
		want   string
	}{
		{"2024-01-31", 1, "2024-02-29"},
		{"2023-01-31", 1, "2023-02-28"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-11-30", 3, "2025-02-28"},
		{"2024-03-31", -1, "2024-02-29"},
		{"2024-06-15", 24, "2026-06-15"},
	} {
		if got := day(t, c.from).AddMonths(c.months); got != day(t, c.want) {
			t.Errorf("%s + %d months = %s, want %s", c.from, c.months, got, c.want)
		}
	}
	born := day(t, "2008-02-29")
	for on, want := range map[string]int{"2026-02-28": 17, "2026-03-01": 18, "2008-02-29": 0, "2028-02-29": 20} {
		if got := born.AgeOn(day(t, on)); got != want {
			t.Errorf("age on %s = %d, want %d", on, got, want)
		}
	}
}

func TestOfficeDayIsThatOfItsTimeZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 3, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{"America/Los_Angeles": "2026-06-30", "America/New_York": "2026-06-30", "UTC": "2026-07-01", "": "2026-07-01"} {
		if got := (&directory.Office{TimeZone: zone}).Today(at); got != day(t, want) {
			t.Errorf("today in %q = %s, want %s", zone, got, want)
		}
	}
}
