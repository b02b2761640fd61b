package claim_test

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

var (
	noon    = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	evening = noon.Add(6 * time.Hour)
)

func cas(group, reason string, cents billing.Money) remit.Adjustment {
	return remit.Adjustment{Group: group, Reason: reason, Amount: cents}
}
