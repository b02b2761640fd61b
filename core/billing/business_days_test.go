package billing_test

import "testing"

// TestBusinessDays has the holidays that the Federal Reserve published for 2026 and 2027, and
// days beside them.
func TestBusinessDays(t *testing.T) {
	t.Parallel()
	for _, closed := range []string{
		"2026-01-01", "2026-01-19", "2026-02-16", "2026-05-25", "2026-06-19", "2026-09-07", "2026-10-12", "2026-11-11", "2026-11-26", "2026-12-25",
		"2027-01-01", "2027-01-18", "2027-02-15", "2027-05-31", "2027-07-05", "2027-09-06", "2027-10-11", "2027-11-11", "2027-11-25",
		"2023-01-02", // New Year's Day was a Sunday
		"2026-11-28", "2026-11-29",
	} {
		if day(t, closed).IsBusinessDay() {
			t.Errorf("%s is a business day", closed)
		}
	}
	for _, open := range []string{
		"2026-07-03",               // the 4th is a Saturday
		"2027-06-18", "2027-12-24", // the same
		"2026-11-27", "2026-01-20", "2026-05-18", "2021-06-18",
	} {
		if !day(t, open).IsBusinessDay() {
			t.Errorf("%s is not a business day", open)
		}
	}
}

func TestAddBusinessDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from string
		n    int
		want string
	}{
		{"2026-11-25", 3, "2026-12-01"}, // Thanksgiving and a weekend
		{"2026-11-28", 0, "2026-11-30"},
		{"2026-11-28", 1, "2026-12-01"},
		{"2026-11-30", 5, "2026-12-07"},
		{"2026-11-30", 0, "2026-11-30"},
	} {
		if got := day(t, c.from).AddBusinessDays(c.n); got.String() != c.want {
			t.Errorf("%s and %d business days: %s, want %s", c.from, c.n, got, c.want)
		}
	}
}
