package httpapi

import (
	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/estimate"
)

// getEstimateAccuracy handles GET /estimates/{id}/accuracy.
func (a *api) getEstimateAccuracy(x *exchange) (*reply, error) {
	return read(x, a.claims.Accuracy, pathID[billing.EstimateID](x, "id"), accuracyShape)
}

type accuracyJSON struct {
	Object     string             `json:"object"`
	EstimateID billing.EstimateID `json:"estimate_id"`
	ClaimID    billing.ClaimID    `json:"claim_id"`
	Payer      payerJSON          `json:"payer"`
	Lines      []lineAccuracyJSON `json:"lines"`
	Totals     totalAccuracyJSON  `json:"totals"`
	Uncertain  []string           `json:"uncertain"`
}

type lineAccuracyJSON struct {
	LineNumber      int                 `json:"line_number"`
	ClaimLineNumber *int                `json:"claim_line_number"`
	ProcedureCode   string              `json:"procedure_code"`
	Procedure       string              `json:"procedure"`
	Tooth           *string             `json:"tooth"`
	Estimated       estimateAmountsJSON `json:"estimated"`
	Decided         *decisionJSON       `json:"decided"`
	Difference      *string             `json:"difference"`
	Because         []string            `json:"because"`
}

type decisionJSON struct {
	Charge                string `json:"charge"`
	Allowed               string `json:"allowed"`
	DeductibleApplied     string `json:"deductible_applied"`
	Copay                 string `json:"copay"`
	PlanPaid              string `json:"plan_paid"`
	LaterPlansPaid        string `json:"later_plans_paid"`
	WriteOff              string `json:"write_off"`
	PatientResponsibility string `json:"patient_responsibility"`
}

type totalAccuracyJSON struct {
	Estimated             rangeJSON `json:"estimated"`
	PatientResponsibility string    `json:"patient_responsibility"`
	Difference            string    `json:"difference"`
	Because               []string  `json:"because"`
}

type payerAccuracyJSON struct {
	Payer             payerJSON `json:"payer"`
	Estimates         int       `json:"estimates"`
	Within            int       `json:"within"`
	MeanAbsoluteError string    `json:"mean_absolute_error"`
}

func accuracyShape(a *claim.Accuracy) accuracyJSON {
	e := a.Estimate
	shape := accuracyJSON{
		Object: "estimate_accuracy", EstimateID: e.ID, ClaimID: a.Claim.ID, Payer: payerJSON(e.Payer),
		Totals: totalAccuracyJSON{
			estimateAmounts(e.Estimate.Least, e.Estimate.Most).PatientPays, a.Standing.PatientResponsibility.String(), a.Off().String(), listOf(a.Because),
		},
		Uncertain: listOf(a.Uncertain),
	}
	for i := range a.Lines {
		l, s, r := &a.Lines[i], &e.Services[i], &e.Estimate.Lines[i]
		line := lineAccuracyJSON{
			LineNumber: i + 1, ClaimLineNumber: orNull(l.Number), ProcedureCode: s.Code, Procedure: s.Name(), Tooth: orNull(s.Tooth),
			Estimated: estimateAmounts(r.Least, r.Most), Because: listOf(l.Because),
		}
		if d := l.Decided; d != nil {
			line.Decided, line.Difference = decisionShape(d), new(d.Off(r).String())
		}
		shape.Lines = append(shape.Lines, line)
	}
	return shape
}

func decisionShape(d *claim.Decision) *decisionJSON {
	return &decisionJSON{
		d.Charge.String(), d.Allowed.String(), d.Deductible.String(), d.Copay.String(), d.Paid.String(), d.Later.String(), d.WriteOff.String(), d.Patient.String(),
	}
}

func payerAccuracyShape(a estimate.PayerAccuracy) payerAccuracyJSON {
	return payerAccuracyJSON{payerJSON(a.Payer), a.Estimates, a.Within, a.MeanError.String()}
}
