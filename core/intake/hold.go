package intake

import (
	"slices"
	"strings"

	"github.com/molar-billing/molar/core/billing"
)

// HoldRequest asks to hold a claim back, as a caller wrote it.
type HoldRequest struct {
	Reason string
	Until  *string        // a day; nil for none
	Faults billing.Faults // found when the body was decoded
}

// Parsed validates the request and returns the reason and the day; zero for none.
func (r HoldRequest) Parsed() (reason string, until billing.Date, f billing.Faults) {
	f = slices.Clone(r.Faults)
	f.Required("reason", r.Reason, maxRemittanceNote)
	if r.Until != nil {
		until = dayOf(&f, "until", *r.Until)
	}
	return strings.TrimSpace(r.Reason), until, f
}

// dayOf reads a day.
func dayOf(f *billing.Faults, field, value string) billing.Date {
	day, err := billing.ParseDate(value)
	if err != nil {
		f.Add(field, billing.FaultFormat, "The value must be a valid date in the form YYYY-MM-DD.")
	}
	return day
}

// ToCome adds a fault to a day that has come at an office, whose day today is; the zero day is
// none. Without says what leaving it out does.
func ToCome(f *billing.Faults, field string, day, today billing.Date, without string) {
	if !day.IsZero() && !today.Before(day) {
		f.Add(field, billing.FaultRange, "The day must be after today. Send a later one, or leave it out "+without+".")
	}
}
