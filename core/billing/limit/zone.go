package limit

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Zone is the time zone of an office, in which its days begin. It is empty for the zone of an
// office that names none.
type Zone string

// ZoneOf returns the zone of the office.
func ZoneOf(o *directory.Office) Zone {
	if o.TimeZone == directory.DefaultTimeZone {
		return ""
	}
	return Zone(o.TimeZone)
}

func (z Zone) office() *directory.Office {
	if z == "" {
		return directory.NoOffice()
	}
	return &directory.Office{TimeZone: string(z)}
}

// Day returns the day of a time in the zone. The zero time has none.
func (z Zone) Day(at time.Time) billing.Date {
	if at.IsZero() {
		return billing.Date{}
	}
	return z.office().Today(at)
}

// Begins returns when a day begins in the zone.
func (z Zone) Begins(day billing.Date) time.Time { return z.office().Begins(day) }
