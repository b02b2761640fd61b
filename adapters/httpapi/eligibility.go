package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/intake"
)

// createCheck handles POST /eligibility.
func (a *api) createCheck(x *exchange) (*reply, error) {
	var in intake.EligibilityRequest
	for _, line := range x.req.Values("Cache-Control") {
		if in.NoCache = line == "no-cache"; !in.NoCache {
			in.Faults.Add("Cache-Control", billing.FaultNotAllowed, "The only value that is accepted is no-cache.")
			break
		}
	}
	doc := x.document(&in.Faults)
	readEligibilityRequest(doc, &in)
	c, replayed, err := a.eligibility.Check(x.ctx, x.call, in)
	if err != nil {
		return nil, err
	}
	x.resource = c.ID.String()
	if failure := c.Failure(); failure != nil {
		return nil, &failedCheckError{failure, c, replayed}
	}
	r := rawReply(c.Data())
	r.replayed = replayed
	return r, nil
}

func readEligibilityRequest(doc *object, in *intake.EligibilityRequest) {
	in.OfficeID = doc.text("office_id")
	in.PayerID = doc.text("payer_id")
	s := doc.object("subscriber")
	in.Subscriber = intake.SubscriberInput{
		FirstName:   s.text("first_name"),
		LastName:    s.text("last_name"),
		DateOfBirth: s.text("date_of_birth"),
		MemberID:    s.text("member_id"),
		GroupNumber: s.optionalText("group_number"),
	}
	s.end()
	if p := doc.optionalObject("patient"); p != nil {
		in.Patient = &intake.PatientInput{
			FirstName:    p.text("first_name"),
			LastName:     p.text("last_name"),
			DateOfBirth:  p.text("date_of_birth"),
			Relationship: p.text("relationship"),
		}
		p.end()
	}
	in.ServiceDate = doc.optionalText("service_date")
	in.ProcedureCodes = doc.optionalTexts("procedure_codes")
	in.DetailLevel = doc.optionalText("detail_level")
	in.TenantReference = doc.optionalText("tenant_reference")
	in.ParentID = doc.optionalText("parent_id")
	doc.end()
}

// getCheck handles GET /eligibility/{id}.
func (a *api) getCheck(x *exchange) (*reply, error) {
	id, err := billing.ParseID[billing.CheckID](x.params.Params("id"))
	if err != nil {
		return nil, billing.NotFound("eligibility check", "")
	}
	c, err := a.eligibility.Get(x.ctx, x.call.Scope, id)
	if err != nil {
		return nil, err
	}
	return rawReply(c.Data()), nil
}

// getCheckExchange handles GET /eligibility/{id}/exchange.
func (a *api) getCheckExchange(x *exchange) (*reply, error) {
	return read(x, a.eligibility.Exchange, pathID[billing.CheckID](x, "id"), func(e coverage.CheckExchange) exchangeJSON {
		if !e.Patient.IsZero() {
			x.about = []string{e.Patient.String()}
		}
		return exchangeShape(e)
	})
}

// listChecks handles GET /eligibility.
func (a *api) listChecks(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("eligibility", x.call.Scope, "limit", "cursor")
	reference, _ := q.text("tenant_reference")
	f := coverage.CheckFilter{
		PatientID: id[billing.PatientID](q, "patient_id"),
		RequestID: id[billing.RequestID](q, "request_id"),
		OfficeID:  id[billing.OfficeID](q, "office_id"),
		PayerID:   q.payer(a.payers),
		Outcome: oneOf(q, "outcome", coverage.OutcomeAnswered, coverage.OutcomeRejected,
			coverage.OutcomePayerUnavailable, coverage.OutcomeError),
		CreatedAfter:    q.instant("created_after"),
		CreatedBefore:   q.instant("created_before"),
		TenantReference: reference,
	}
	p := billing.Page{Limit: q.limit(), After: q.cursor(a.cursors, l)}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	checks, next, err := a.eligibility.List(x.ctx, x.call.Scope, f, p)
	if err != nil {
		return nil, err
	}
	return rawPage(checks, (*coverage.Check).Data, a.cursors.encode(l, next)), nil
}
