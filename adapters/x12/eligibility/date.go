package eligibility

import (
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// Span returns the first and the last day. It returns false unless the value is a
// day or a range of days. Payers send 99990101 or 00000000 to mean "no date". Span
// accepts 99990101, because it is a valid day.
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
