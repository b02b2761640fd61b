// Package pngconvert makes documents of uploaded PNGs.
package pngconvert

import (
	"github.com/molar-billing/molar/core/attachments"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/workers"
)

// Handler converts one PNG at a time: each takes a processor and a good deal of
// memory, and more of them are more processes.
func Handler(s *attachments.Service) workers.Handler {
	return workers.Handler{Kind: jobs.KindPNGConvert, Parallel: 1, Do: s.Convert, Fail: s.FailConvert}
}
