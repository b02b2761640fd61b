package cli

import "testing"

// TestISODuration has durations as people type them; anything else is for the API to judge.
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
