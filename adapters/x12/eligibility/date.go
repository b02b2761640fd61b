package eligibility

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Span returns the first and the last day. It reports false for anything else
// than a day or a range of days. Payers send 99990101 and 00000000 for "none":
// the first is a day, the second is not.
func (d Date) Span() (from, to billing.Date, ok bool) {
	first, last, ranged := strings.Cut(d.Value, "-")
	if !ranged {
		last = first
	}
	from, err := billing.ParseX12Date(first)
	if err != nil {
		return from, to, false
	}
	to, err = billing.ParseX12Date(last)
	return from, to, err == nil
}
