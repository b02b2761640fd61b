package httpapi

import (
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/event"
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
	x.document(&in.Faults).Fill(&in)
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

// addToCheck handles POST /eligibility/{id}/additions.
func (a *api) addToCheck(x *exchange) (*reply, error) {
	in := readBody[intake.AdditionsRequest](x)
	return kept(a.additions.Add(x.ctx, replying(x, http.StatusCreated, (*coverage.Amended).Data), pathID[billing.CheckID](x, "id"), in))
}

// strikeFromCheck handles DELETE /eligibility/{id}/additions/{n}.
func (a *api) strikeFromCheck(x *exchange) (*reply, error) {
	return kept(a.additions.Strike(x.ctx, replying(x, http.StatusOK, (*coverage.Amended).Data), pathID[billing.CheckID](x, "id"), positiveParam(x, "n")))
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

// checkRowJSON is a check in a file: what it comes to, without its benefits.
type checkRowJSON struct {
	ID                  billing.CheckID       `json:"id"`
	CreatedAt           string                `json:"created_at"`
	CompletedAt         *string               `json:"completed_at"`
	State               coverage.CheckState   `json:"state"`
	Outcome             *coverage.Outcome     `json:"outcome"`
	OfficeID            billing.OfficeID      `json:"office_id"`
	Payer               payerJSON             `json:"payer"`
	PatientID           *billing.PatientID    `json:"patient_id"`
	PatientName         nameJSON              `json:"patient_name"`
	DateOfBirth         billing.Date          `json:"date_of_birth"`
	MemberID            string                `json:"member_id"`
	ServiceDate         billing.Date          `json:"service_date"`
	Status              *coverage.Status      `json:"status"`
	Verdict             *string               `json:"verdict"`
	MaximumRemaining    *string               `json:"maximum_remaining"`
	DeductibleRemaining *string               `json:"deductible_remaining"`
	BatchID             *billing.CheckBatchID `json:"batch_id"`
	TenantReference     *string               `json:"tenant_reference"`
}

func checkRow(c *coverage.Check) checkRowJSON {
	first, last, born := c.Inquiry.Person()
	row := checkRowJSON{
		ID: c.ID, CreatedAt: event.Timestamp(c.CreatedAt), CompletedAt: timeOrNull(c.CompletedAt), State: c.State, Outcome: orNull(c.Outcome),
		OfficeID: c.OfficeID, Payer: payerJSON(c.Payer), PatientID: orNull(c.PatientID), PatientName: nameJSON{first, last}, DateOfBirth: born,
		MemberID: c.Inquiry.Subscriber.MemberID, ServiceDate: c.Inquiry.ServiceDate, Status: orNull(c.Status), BatchID: orNull(c.BatchID),
		TenantReference: c.TenantReference,
	}
	if c.Outcome != "" {
		s := c.Summary()
		row.MaximumRemaining, row.DeductibleRemaining = money(s.MaximumLeft), money(s.DeductibleLeft)
		if s.Verdict != nil {
			row.Verdict = &s.Verdict.Text
		}
	}
	return row
}

// listChecks handles GET /eligibility.
func (a *api) listChecks(x *exchange) (*reply, error) {
	q := x.query()
	l := q.bind("eligibility", x.call.Scope, "limit", "cursor")
	reference := q.free("tenant_reference")
	f := coverage.CheckFilter{
		PatientID: id[billing.PatientID](q, "patient_id"),
		RequestID: id[billing.RequestID](q, "request_id"),
		BatchID:   id[billing.CheckBatchID](q, "batch_id"),
		OfficeID:  id[billing.OfficeID](q, "office_id"),
		PayerID:   q.payer(a.payers),
		Outcome: oneOf(q, "outcome", coverage.OutcomeAnswered, coverage.OutcomeRejected,
			coverage.OutcomePayerUnavailable, coverage.OutcomeError),
		CreatedAfter:    q.instant("created_after"),
		CreatedBefore:   q.instant("created_before"),
		TenantReference: reference,
	}
	if x.prefersTable() {
		return asTable(a, x, q, l, f, a.eligibility.List, checkRow)
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
