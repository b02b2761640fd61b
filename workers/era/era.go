// Package era matches remittances and applies them to claims.
package era

import (
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/remittances"
	"github.com/molar-billing/molar/workers"
)

// Handler does up to parallel jobs at once, but one of a scope at a time.
func Handler(s *remittances.Service, parallel int) workers.Handler {
	return workers.Handler{Kind: jobs.KindERA, Parallel: parallel, Do: s.Apply, Fail: s.FailApply}
}
