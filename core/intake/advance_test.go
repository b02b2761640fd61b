package intake_test

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/intake"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"P14D": 14 * 24 * time.Hour, "PT90S": 90 * time.Second, "P2DT3H": 51 * time.Hour, "P1W": 7 * 24 * time.Hour, "PT0.5S": 500 * time.Millisecond,
		"P1DT2H3M4.000005S": 26*time.Hour + 3*time.Minute + 4*time.Second + 5*time.Microsecond, "PT0S": 0,
	} {
		if got, fault := intake.Duration(text); got != want || fault != "" {
			t.Errorf("%s: %v, %s, want %v", text, got, fault, want)
		}
	}
	for _, text := range []string{"", "P", "PT", "P1DT", "14D", "P1H", "PT1D", "P-1D", "-P1D", "P1.5D", "P1D ", "PT1M1H", "P1Y", "P1M", "P1MT1M", "p1d", "P123456D"} {
		got, fault := intake.Duration(text)
		if got != 0 || fault == "" {
			t.Errorf("%q: %v, want a fault", text, got)
		}
		if length := strings.Contains(fault, "no fixed length"); length != (text == "P1Y" || text == "P1M" || text == "P1MT1M") {
			t.Errorf("%q: %s", text, fault)
		}
	}
}

func FuzzDuration(f *testing.F) {
	f.Add("P2DT3H")
	f.Fuzz(func(t *testing.T, text string) {
		if d, fault := intake.Duration(text); d < 0 || d > 0 && fault != "" {
			t.Errorf("%q: %v, %s", text, d, fault)
		}
	})
}

func TestAdvanceRequest(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	noon := time.Date(2026, 11, 26, 12, 0, 0, 1, time.UTC)
	for name, test := range map[string]struct {
		in    intake.AdvanceRequest
		fault billing.FaultCode
	}{
		"by":            {intake.AdvanceRequest{By: text("P1D")}, ""},
		"to":            {intake.AdvanceRequest{To: noon}, ""},
		"until":         {intake.AdvanceRequest{Until: text("idle")}, ""},
		"nothing":       {intake.AdvanceRequest{}, billing.FaultRequired},
		"two":           {intake.AdvanceRequest{By: text("P1D"), To: noon}, billing.FaultTooMany},
		"no duration":   {intake.AdvanceRequest{By: text("1d")}, billing.FaultFormat},
		"another end":   {intake.AdvanceRequest{Until: text("later")}, billing.FaultNotAllowed},
		"a fault of it": {intake.AdvanceRequest{Faults: billing.Faults{{Field: "x", Code: billing.FaultUnknown}}}, billing.FaultUnknown},
	} {
		got, faults := test.in.Advance()
		switch {
		case test.fault == "" && len(faults) > 0, test.fault != "" && (len(faults) != 1 || faults[0].Code != test.fault):
			t.Errorf("%s: %v, want %q", name, faults, test.fault)
		case name == "to" && got.To.Nanosecond() != 0:
			t.Errorf("%s is not in microseconds: %v", name, got.To)
		case name == "until" && got.Until != sandbox.UntilIdle:
			t.Errorf("%s: %q", name, got.Until)
		}
	}
}
