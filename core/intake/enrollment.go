package intake

import (
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
)

// EnrollmentRequest is an enrollment as a caller wrote it; nothing is parsed yet. Nil is
// a value that was left out or null.
type EnrollmentRequest struct {
	OfficeID, PayerID    string
	Transaction, State   string
	Date                 *string // nil for today
	Note, NetworkMessage string
	Faults               billing.Faults // found when the body was decoded
}

// Enrollment validates the request and returns the requested enrollment, without ID,
// scope, payer and times. The date is zero for today.
func (r EnrollmentRequest) Enrollment() (network.Enrollment, billing.Faults) {
	f := slices.Clone(r.Faults)
	e := network.Enrollment{
		OfficeID:    optionalID[billing.OfficeID](&f, "office_id", &r.OfficeID, "office"),
		Transaction: network.Transaction(r.Transaction), State: directory.EnrollmentState(r.State),
		Note: r.Note, NetworkMessage: r.NetworkMessage,
	}
	f.Required("payer_id", r.PayerID, 0)
	if r.Date != nil {
		e.Date = day(&f, "date", *r.Date)
	}
	e.Judge(&f)
	return e, f
}
