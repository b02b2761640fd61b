package billing_test

import (
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"P14D": 14 * day, "PT90S": 90 * time.Second, "P2DT3H": 2*day + 3*time.Hour, "P1W": 7 * day, "PT0S": 0, "PT0.3S": 300 * time.Millisecond, "P1DT2H3M4S": day + 2*time.Hour + 3*time.Minute + 4*time.Second,
	} {
		if got, err := billing.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "P", "PT", "P1DT", "1D", "P1M", "P1Y", "P-1D", "-P1D", "P1.5D", "PT0.1234567S", "PT1H30", "p1d", "P1D ", "P999999W", "14d"} {
		if got, err := billing.ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func FuzzParseDuration(f *testing.F) {
	f.Add("P2DT3H")
	f.Add("P999999W")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := billing.ParseDuration(text); err == nil && d < 0 {
			t.Errorf("%q is %v", text, d)
		}
	})
}
