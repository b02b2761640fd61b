package intake_test

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// found lists faults as "field code".
func found(faults billing.Faults) (all []string) {
	for _, f := range faults {
		all = append(all, f.Field+" "+string(f.Code))
	}
	return all
}

func on(year int, month time.Month, day int) billing.Date {
	return billing.Date{Year: year, Month: month, Day: day}
}
