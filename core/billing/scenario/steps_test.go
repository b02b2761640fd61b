package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
)

// TestStepsFollow tries orders of steps.
func TestStepsFollow(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]int{
		"accept:clearinghouse accept pay": -1, "accept pay reverse pay": -1, "accept pay reverse deny": -1, "accept request_information pay take_back": -1,
		"accept forward": -1, "accept estimate": -1, "reject": -1, "reject:clearinghouse": -1, "accept reject": -1, "accept:clearinghouse reject": -1,
		"pay": 0, "deny": 0, "reverse": 0, "request_information": 0, "accept:clearinghouse pay": 1, "accept accept": 1, "accept accept:clearinghouse": 1,
		"accept pay pay": 2, "accept reverse": 1, "accept take_back": 1, "reject accept": 1, "reject pay": 1, "accept reject:clearinghouse": 1,
		"accept pay reverse reverse": 3, "accept forward pay": 2, "accept pay take_back reverse": 3, "accept pay reject": 2, "accept pay request_information": 2,
	} {
		var steps []ClaimStep
		for word := range strings.FieldsSeq(order) {
			do, by, _ := strings.Cut(word, ":")
			steps = append(steps, ClaimStep{Do: Action(do), By: clearing.Side(by)})
		}
		if got := Misplaced(steps); got != want {
			t.Errorf("%s: %d, want %d", order, got, want)
		}
	}
	for _, a := range Actions() {
		if shown, what := (&ClaimStep{Do: a}).shows(); shown == "" || what == "" {
			t.Errorf("%s shows nothing", a)
		}
	}
}

// TestPeriods writes durations and reads them again.
func TestPeriods(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "PT0S", 300 * time.Millisecond: "PT0.3S", 2 * time.Minute: "PT2M", 26*time.Hour + 5*time.Second: "P1DT2H5S", 30 * 24 * time.Hour: "P30D",
	} {
		if got := Period(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
		if got, err := billing.ParseDuration(want); err != nil || got != d {
			t.Errorf("%s is %v, %v", want, got, err)
		}
	}
}
