package intake_test

import (
	"testing"

	"github.com/molar-billing/molar/core/billing"
)

func found(faults billing.Faults) (all []string) {
	for _, f := range faults {
		all = append(all, f.Field+" "+string(f.Code))
	}
	return all
}

func day(t *testing.T, s string) billing.Date {
	t.Helper()
	d, err := billing.ParseDate(s)
	if err != nil {
		t.Fatalf("ParseDate(%q): %v", s, err)
	}
	return d
}
