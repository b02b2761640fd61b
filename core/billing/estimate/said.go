package estimate

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
)

// Said is a value of the plan that its payer said otherwise than in the answer.
type Said struct {
	Path        string // in the check
	By          coverage.AdditionSource
	On          billing.Date
	Contradicts bool
}

// words says where the value is from.
func (s *Said) words() string {
	how := map[coverage.AdditionSource]string{coverage.ByPhone: "by phone", coverage.ByPortal: "on its portal", coverage.ByLetter: "by letter"}[s.By] + " on " + s.On.String()
	if s.Contradicts {
		return "The payer said another value " + how + " than it said before, and both count (" + s.Path + ")."
	}
	return "The payer said this value " + how + ", and not in its answer (" + s.Path + ")."
}

// at reports whether what stands at the path is the value, has it, or is a part of it.
func (s *Said) at(path string) bool {
	return path != "" && (s.Path == path || strings.HasPrefix(s.Path, path+".") || strings.HasPrefix(path, s.Path+"."))
}
