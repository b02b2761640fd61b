package intake

import (
	"slices"
	"strings"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/sandbox"
)

// AdvanceRequest is a request to advance a clock as a caller wrote it; nothing is parsed
// yet. Nil, or the zero time, is a value that was left out or null.
type AdvanceRequest struct {
	By     *string
	To     time.Time
	Until  *string
	Faults billing.Faults // found when the body was decoded
}

// Advance validates the request and returns it parsed.
func (r AdvanceRequest) Advance() (parsed sandbox.Request, f billing.Faults) {
	f = slices.Clone(r.Faults)
	given := 0
	if r.By != nil {
		given++
		by, fault := Duration(*r.By)
		if parsed.By = &by; fault != "" {
			f.Add("by", billing.FaultFormat, fault)
		}
	}
	if !r.To.IsZero() {
		given++
		parsed.To = r.To.UTC().Truncate(time.Microsecond)
	}
	if r.Until != nil {
		given++
		if parsed.Until = sandbox.Until(*r.Until); parsed.Until != sandbox.UntilNext && parsed.Until != sandbox.UntilIdle {
			f.Add("until", billing.FaultNotAllowed, "The value must be next or idle.")
		}
	}
	switch {
	case len(f) > 0:
	case given == 0:
		f.Add("", billing.FaultRequired, "Send one of by, to and until.")
	case given > 1:
		f.Add("", billing.FaultTooMany, "Send only one of by, to and until.")
	}
	return parsed, f
}

// Duration parses a duration of ISO 8601. The fault is empty if it is one.
func Duration(text string) (d time.Duration, fault string) {
	d, err := billing.ParseDuration(text)
	date, _, _ := strings.Cut(text, "T")
	switch {
	case err == nil:
		return d, ""
	case strings.ContainsAny(date, "YM") && strings.HasPrefix(text, "P"):
		return 0, "Months and years have no fixed length. Send days, such as P30D."
	}
	return 0, "Send a duration of ISO 8601, such as P14D, PT90S or P2DT3H."
}
