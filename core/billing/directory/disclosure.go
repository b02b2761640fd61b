package directory

import (
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Disclosure records that somebody outside the practice got records of a patient, and why. A
// patient may ask for those of the last six years (45 CFR 164.528).
type Disclosure struct {
	Patient billing.PatientID
	To      string // the name of who got the records, and the address if it is known
	Purpose string
	By      string // the operator
	At      time.Time
}
