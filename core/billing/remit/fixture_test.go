package remit_test

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

var (
	noon    = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	evening = noon.Add(6 * time.Hour)
)

func money(cents int) *billing.Money { return new(billing.Money(cents)) }
