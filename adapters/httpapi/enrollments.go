package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
)

// listEnrollments handles GET /enrollments.
func (a *api) listEnrollments(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("enrollments", x.call.Scope, "limit", "cursor")
	f := network.EnrollmentFilter{
		OfficeID:    id[billing.OfficeID](q, "office_id"),
		PayerID:     q.payer(a.payers),
		Transaction: oneOf(q, "transaction", network.EnrolledTransactions()...),
		State:       oneOf(q, "state", directory.EnrollmentStates()...),
	}
	return listed(a, x, q, l, f, a.enrollments.List, enrollmentShape)
}

type enrollmentJSON struct {
	ID             billing.EnrollmentID      `json:"id"`
	Object         string                    `json:"object"`
	Version        int                       `json:"version"`
	OfficeID       billing.OfficeID          `json:"office_id"`
	Payer          payerJSON                 `json:"payer"`
	Transaction    network.Transaction       `json:"transaction"`
	State          directory.EnrollmentState `json:"state"`
	Date           billing.Date              `json:"date"`
	Note           *string                   `json:"note"`
	NetworkMessage *string                   `json:"network_message"`
	CreatedAt      string                    `json:"created_at"`
	UpdatedAt      string                    `json:"updated_at"`
}

func enrollmentShape(e *network.Enrollment) enrollmentJSON {
	return enrollmentJSON{
		e.ID, "enrollment", e.Version, e.OfficeID, payerJSON(e.Payer), e.Transaction, e.State, e.Date, orNull(e.Note), orNull(e.NetworkMessage),
		event.Timestamp(e.CreatedAt), event.Timestamp(e.UpdatedAt),
	}
}
