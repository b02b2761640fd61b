package intake

import (
	"regexp"
	"slices"
	"strconv"
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

// isoDuration is a duration of ISO 8601 whose parts have a length.
var isoDuration = regexp.MustCompile(`^P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.(\d{1,6}))?S)?)?$`)

// Duration parses a duration of ISO 8601. The fault is empty if it is one.
func Duration(text string) (d time.Duration, fault string) {
	const want = "Send a duration of ISO 8601, such as P14D, PT90S or P2DT3H."
	m := isoDuration.FindStringSubmatch(text)
	date, _, _ := strings.Cut(text, "T")
	switch {
	case strings.ContainsAny(date, "YM") && strings.HasPrefix(text, "P"):
		return 0, "Months and years have no fixed length. Send days, such as P30D, or an instant in to."
	case m == nil || text == "P" || m[3] == "T":
		return 0, want
	}
	for i, unit := range map[int]time.Duration{1: 7 * 24 * time.Hour, 2: 24 * time.Hour, 4: time.Hour, 5: time.Minute, 6: time.Second} {
		n, _ := strconv.ParseInt("0"+m[i], 10, 64)
		d += time.Duration(n) * unit
	}
	micros, _ := strconv.ParseInt((m[7] + "000000")[:6], 10, 64)
	return d + time.Duration(micros)*time.Microsecond, ""
}
