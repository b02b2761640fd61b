// Package payerreply asks payers: it answers the pending eligibility checks.
package payerreply

import (
	"github.com/molar-billing/molar/core/eligibility"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/workers"
)

// Handler answers up to parallel checks at once.
func Handler(s *eligibility.Service, parallel int) workers.Handler {
	return workers.Handler{Kind: jobs.KindEligibility, Parallel: parallel, Do: s.Answer, Fail: s.Fail}
}
