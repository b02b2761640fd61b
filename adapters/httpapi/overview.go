package httpapi

import (
	"encoding/json"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
)

// getPatientOverview handles GET /patients/{id}/overview.
func (a *api) getPatientOverview(x *exchange) (*reply, error) {
	id := pathID[billing.PatientID](x, "id")
	x.resource = id.String()
	return read(x, a.claims.Overview, id, overviewShape)
}

type overviewJSON struct {
	Object        string             `json:"object"`
	Patient       patientJSON        `json:"patient"`
	MayBeSame     []patientJSON      `json:"may_be_same"`
	Owed          string             `json:"owed"`
	Coverages     []coveredJSON      `json:"coverages"`
	Checks        []json.RawMessage  `json:"checks"`
	Estimates     []costEstimateJSON `json:"estimates"`
	Claims        []claimSummaryJSON `json:"claims"`
	Attachments   []attachmentJSON   `json:"attachments"`
	PayerRequests []payerRequestJSON `json:"payer_requests"`
}

// coveredJSON is a plan of a patient, as the newest answer about it says.
type coveredJSON struct {
	Payer                   payerJSON             `json:"payer"`
	MemberID                string                `json:"member_id"`
	GroupNumber             *string               `json:"group_number"`
	SubscriberName          nameJSON              `json:"subscriber_name"`
	Relationship            coverage.Relationship `json:"relationship"`
	PlanName                *string               `json:"plan_name"`
	Status                  coverage.Status       `json:"status"`
	CoverageEffectiveDate   *billing.Date         `json:"coverage_effective_date"`
	CoverageTerminationDate *billing.Date         `json:"coverage_termination_date"`
	ServiceDate             billing.Date          `json:"service_date"`
	EligibilityID           billing.CheckID       `json:"eligibility_id"`
	CheckedAt               string                `json:"checked_at"`
}

func overviewShape(o *claim.Overview) overviewJSON {
	return overviewJSON{
		"patient_overview", patientShape(o.Patient), mapped(o.Alike, patientShape), o.Owed.String(), mapped(o.Coverages, coveredShape),
		mapped(o.Checks, (*coverage.Check).Data), mapped(o.Estimates, costEstimateShape), mapped(o.Claims, claimSummaryShape), mapped(o.Attached, attachmentShape), mapped(o.Requests, payerRequestShape),
	}
}

func coveredShape(c claim.Covered) coveredJSON {
	q, b := c.Check.Inquiry, c.Benefits
	out := coveredJSON{
		Payer: payerJSON(c.Check.Payer), MemberID: q.Subscriber.MemberID, GroupNumber: q.Subscriber.GroupNumber,
		SubscriberName: nameJSON{q.Subscriber.FirstName, q.Subscriber.LastName}, Relationship: coverage.RelationSelf,
		PlanName: orNull(b.Plan.Name), Status: b.Status,
		CoverageEffectiveDate: orNull(b.CoverageEffectiveDate), CoverageTerminationDate: orNull(b.CoverageTerminationDate),
		ServiceDate: q.ServiceDate, EligibilityID: c.Check.ID, CheckedAt: event.Timestamp(c.Check.CompletedAt),
	}
	if out.GroupNumber == nil {
		out.GroupNumber = orNull(b.Plan.GroupNumber)
	}
	if q.Patient != nil {
		out.Relationship = q.Patient.Relationship
	}
	return out
}
