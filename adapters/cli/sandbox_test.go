package cli

import (
	"strings"
	"testing"
)

// TestISODuration has durations as people type them; anything else stays as it is.
func TestISODuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "14d": "P14D", "90s": "PT90S", "2d3h": "P2DT3H", "1h30m": "PT1H30M", "P14D": "P14D", "PT90S": "PT90S", "1y": "1y", "3h2d": "3h2d", "-1d": "-1d",
	} {
		if got := isoDuration(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestHowFar has flags of an advance that are refused before the API is asked.
func TestHowFar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ by, to, until, want string }{
		"none":              {"", "", "", "one of --by, --to and --until"},
		"two":               {"1d", "", "idle", "one of --by, --to and --until"},
		"no duration":       {"banana", "", "", "--by banana is not a duration"},
		"months":            {"1M", "", "", "no fixed length"},
		"days":              {"14d", "", "", ""},
		"days for programs": {"P14D", "", "", ""},
		"until":             {"", "", "idle", ""},
	} {
		err := howFar(c.by, c.to, c.until)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestClockInALine describes a clock in each of its states.
func TestClockInALine(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]shownClock{
		"The clock shows NOW and runs. Nothing is due.":       {Now: "NOW", State: "ready", Running: true},
		"The clock shows NOW and is stopped. Nothing is due.": {Now: "NOW", State: "ready"},
		"The clock shows NOW and advances. Nothing has happened for a minute (blocked: broker). Nothing is due.": {
			Now: "NOW", State: "advancing", Running: true, Blocked: "broker",
		},
		"The clock shows NOW and is stopped. Next: era at THEN, 3 due in all.": {
			Now: "NOW", State: "ready", Pending: 3, Next: &struct {
				At   string `json:"at"`
				Kind string `json:"kind"`
			}{"THEN", "era"},
		},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
