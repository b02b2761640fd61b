package caller_test

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

var (
	noon = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	mine = billing.JobID{15: 1}
)
