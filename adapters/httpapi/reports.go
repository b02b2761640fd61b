package httpapi

import (
	"context"
	"math"
	"net/http"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
	"github.com/molar-billing/molar/core/reports"
)

// reportFilter reads the filter of a report. The first day is the one by which it selects claims
// when none is given.
func (a *api) reportFilter(q *query, by ...report.By) report.Filter {
	f := report.Filter{
		By: oneOf(q, "by", by...), OfficeID: id[billing.OfficeID](q, "office_id"), PayerID: q.payer(a.payers), ProviderID: id[billing.ProviderID](q, "provider_id"),
		Zone: q.timeZone("time_zone"),
	}
	if f.By == "" {
		f.By = by[0]
	}
	return f
}

// grouped reads what the rows of a report are.
func grouped(q *query, f *report.Filter) {
	if f.Group = oneOf(q, "group_by", report.ByPayer, report.ByOffice, report.ByProvider); f.Group == "" {
		f.Group = report.ByPayer
	}
}

// period reads the period of a report.
func period(q *query, f *report.Filter) {
	f.Span = billing.DateSpan{From: q.date("from"), To: q.date("to")}
	if !f.Span.From.IsZero() && !f.Span.To.IsZero() && f.Span.To.Before(f.Span.From) {
		q.faults.Add("to", billing.FaultRange, "The last day is before the first. Send a later day, or swap them.")
	}
}

// reported replies with a report, or with its rows as a file.
func reported[Row, J, Total any](
	a *api, x *exchange, q *query, name string, f report.Filter,
	read func(context.Context, billing.Scope, report.Filter) (reports.Read[Row], error), row func(report.Filter, *Row) J, total func(report.Filter, *Row) Total,
) (*reply, error) {
	l := q.bind(name, x.call.Scope)
	shape := func(r *Row) J { return row(f, r) }
	if x.prefersTable() {
		return asTable(a, x, q, l, f, func(ctx context.Context, scope billing.Scope, f report.Filter, _ billing.Page) ([]*Row, *billing.Position, error) {
			all, err := read(ctx, scope, f)
			return all.Rows, nil, err
		}, shape)
	}
	if err := q.end().Err(); err != nil {
		return nil, err
	}
	all, err := read(x.ctx, x.call.Scope, f)
	if err != nil {
		return nil, err
	}
	out := reportJSON[J, Total]{
		Object: name, AsOf: event.Timestamp(all.At), By: f.By, From: orNull(f.Span.From), To: orNull(f.Span.To), Rows: mapped(all.Rows, shape),
	}
	if all.Total != nil {
		out.Total = new(total(f, all.Total))
	}
	return &reply{status: http.StatusOK, body: out}, nil
}

type reportJSON[Row, Total any] struct {
	Object string        `json:"object"`
	AsOf   string        `json:"as_of"`
	By     report.By     `json:"by"`
	From   *billing.Date `json:"from"`
	To     *billing.Date `json:"to"`
	Rows   []Row         `json:"rows"`
	Total  *Total        `json:"total"`
}

// subjectJSON is what a row is about. Both are null in the total, and for claims without a provider.
type subjectJSON struct {
	ID   *string `json:"id"`
	Name *string `json:"name"`
}

func subjectShape(g report.Group, of report.Subject) subjectJSON {
	text := ""
	switch g {
	case report.ByOffice:
		text = idText(billing.OfficeID(of.ID))
	case report.ByProvider:
		text = idText(billing.ProviderID(of.ID))
	case report.ByPayer:
		text = idText(billing.PayerID(of.ID))
	}
	return subjectJSON{orNull(text), orNull(of.Name)}
}

// figureJSON is a sum, with the list of the claims that it is of.
type figureJSON struct {
	Amount string `json:"amount"`
	Claims int    `json:"claims"`
	Href   string `json:"href"`
}

// numberJSON is a number of claims, with their list.
type numberJSON struct {
	Claims int    `json:"claims"`
	Href   string `json:"href"`
}

type agesJSON struct {
	Days30  figureJSON `json:"days_0_30"`
	Days60  figureJSON `json:"days_31_60"`
	Days90  figureJSON `json:"days_61_90"`
	Days120 figureJSON `json:"days_91_120"`
	Over120 figureJSON `json:"over_120"`
	Total   figureJSON `json:"total"`
}

type agingRowJSON struct {
	subjectJSON

	Insurance agesJSON   `json:"insurance"`
	Patient   agesJSON   `json:"patient"`
	Unsent    figureJSON `json:"unsent"`
}

// reportAging handles GET /reports/aging.
func (a *api) reportAging(x *exchange) (*reply, error) {
	q := x.query()
	f := a.reportFilter(q, report.BySubmission, report.ByService)
	grouped(q, &f)
	var today billing.Date
	read := func(ctx context.Context, scope billing.Scope, f report.Filter) (reports.Read[report.AgingRow], error) {
		all, err := a.reports.Aging(ctx, scope, f)
		today = f.Today(all.At)
		return all, err
	}
	row := func(f report.Filter, r *report.AgingRow) agingRowJSON { return agingRowShape(f, today, r) }
	return reported(a, x, q, "aging_report", f, read, row, row)
}

func agingRowShape(f report.Filter, today billing.Date, r *report.AgingRow) agingRowJSON {
	out := agingRowJSON{subjectJSON: subjectShape(f.Group, r.Of), Unsent: figureShape(r.Unsent, claimsPath(f.UnsentClaims(r.Of)))}
	insurance, patient := r.Total()
	out.Insurance.Total = figureShape(insurance, claimsPath(f.InsuranceClaims(r.Of, billing.DateSpan{})))
	out.Patient.Total = figureShape(patient, claimsPath(f.PatientClaims(r.Of, billing.DateSpan{})))
	columns := func(a *agesJSON) []*figureJSON {
		return []*figureJSON{&a.Days30, &a.Days60, &a.Days90, &a.Days120, &a.Over120}
	}
	of, owed := columns(&out.Insurance), columns(&out.Patient)
	for i, age := range report.Ages(today) {
		*of[i] = figureShape(r.Insurance[i], claimsPath(f.InsuranceClaims(r.Of, age)))
		*owed[i] = figureShape(r.Patient[i], claimsPath(f.PatientClaims(r.Of, age)))
	}
	return out
}

func figureShape(f report.Figure, href string) figureJSON {
	return figureJSON{f.Amount.String(), f.Claims, href}
}

type collectionsRowJSON struct {
	subjectJSON

	Claims      numberJSON `json:"claims"`
	Paid        figureJSON `json:"paid"`
	Contractual figureJSON `json:"contractual"`
	WriteOff    figureJSON `json:"write_off"`
	Other       figureJSON `json:"other"`
	BillPatient figureJSON `json:"bill_patient"`
	PatientOwes figureJSON `json:"patient_owes"`
}

// reportCollections handles GET /reports/collections.
func (a *api) reportCollections(x *exchange) (*reply, error) {
	q := x.query()
	f := a.reportFilter(q, report.ByDecision, report.BySubmission, report.ByService)
	grouped(q, &f)
	period(q, &f)
	if x.prefersTable() {
		return a.collectionsFile(x, q, f)
	}
	var paid *report.Payments
	r, err := reported(a, x, q, "collections_report", f, func(ctx context.Context, scope billing.Scope, f report.Filter) (all reports.Read[report.CollectionsRow], err error) {
		all, paid, err = a.reports.Collections(ctx, scope, f)
		return all, err
	}, collectionsRowShape, collectionsRowShape)
	if err != nil {
		return nil, err
	}
	if body, ok := r.body.(reportJSON[collectionsRowJSON, collectionsRowJSON]); ok {
		r.body = collectionsJSON{body, reportedUnappliedShape(f, paid), paymentsShape(paid)}
	}
	return r, nil
}

// collectionsCells is a row of the file of the report of collections: what the report adds up for one
// subject, or in rows of their own what remittances pay, the provider adjustments of one reason, and what is on no claim.
// The cells of the others are empty.
type collectionsCells struct {
	*collectionsRowJSON

	Payments           *paymentSumJSON        `json:"payments"`
	ProviderAdjustment *adjustedJSON          `json:"provider_adjustment"`
	Unapplied          *reportedUnappliedJSON `json:"unapplied"`
}

// collectionsFile replies with the rows of the report as a file. What remittances pay follows, and what is on no claim is
// the last row: none if there is nothing, or if the report selects by what remittances do not have. So every column
// adds up to its sum.
//
// Errors: CodeInvalidRequest for a query that is not understood, and those of the store.
func (a *api) collectionsFile(x *exchange, q *query, f report.Filter) (*reply, error) {
	read := func(ctx context.Context, scope billing.Scope, f report.Filter, _ billing.Page) ([]collectionsCells, *billing.Position, error) {
		all, paid, err := a.reports.Collections(ctx, scope, f)
		rows := mapped(all.Rows, func(r *report.CollectionsRow) collectionsCells {
			row := collectionsRowShape(f, r)
			return collectionsCells{collectionsRowJSON: &row}
		})
		if err == nil && paid != nil {
			rows = append(rows, paidCells(f, paid)...)
		}
		return rows, nil, err
	}
	return asTable(a, x, q, q.bind("collections_report", x.call.Scope), f, read, func(r collectionsCells) collectionsCells { return r })
}

// paidCells are the rows of what remittances pay.
func paidCells(f report.Filter, paid *report.Payments) (rows []collectionsCells) {
	if p := paymentsShape(paid); p.Remittances > 0 {
		rows = append(rows, collectionsCells{Payments: &p.paymentSumJSON})
		for _, a := range p.ProviderAdjustments.Reasons {
			rows = append(rows, collectionsCells{ProviderAdjustment: &a})
		}
	}
	if u := paid.Unapplied; u.Ignored.Claims+u.Unfinished.Claims > 0 {
		rows = append(rows, collectionsCells{Unapplied: reportedUnappliedShape(f, paid)})
	}
	return rows
}

// collectionsJSON is the report of collections, with what remittances pay, and what of it is on no claim.
type collectionsJSON struct {
	reportJSON[collectionsRowJSON, collectionsRowJSON]

	Unapplied *reportedUnappliedJSON `json:"unapplied"`
	Payments  *paymentsJSON          `json:"payments"`
}

type paymentSumJSON struct {
	Amount      string `json:"amount"`
	Remittances int    `json:"remittances"`
}

type paymentsJSON struct {
	paymentSumJSON

	ProviderAdjustments adjustmentsJSON `json:"provider_adjustments"`
}

type adjustmentsJSON struct {
	Amount  string         `json:"amount"`
	Reasons []adjustedJSON `json:"reasons"`
}

type adjustedJSON struct {
	Reason string `json:"reason"`
	Label  string `json:"label"`
	paymentSumJSON
}

func paymentsShape(p *report.Payments) *paymentsJSON {
	if p == nil {
		return nil
	}
	reasons := mapped(p.Adjusted, func(a report.Adjusted) adjustedJSON {
		return adjustedJSON{a.Reason, remit.ProviderAdjustmentLabel(a.Reason), paymentSumJSON{a.Amount.String(), a.Remittances}}
	})
	return &paymentsJSON{paymentSumJSON{p.Total.String(), p.Remittances}, adjustmentsJSON{p.AdjustedTotal().String(), reasons}}
}

type reportedUnappliedJSON struct {
	Ignored    figureJSON `json:"ignored"`
	Unfinished figureJSON `json:"unfinished"`
}

func reportedUnappliedShape(f report.Filter, paid *report.Payments) *reportedUnappliedJSON {
	if paid == nil {
		return nil
	}
	u := paid.Unapplied
	of, _ := f.Remittances()
	figure := func(s remit.UnappliedSum, with remit.With) figureJSON {
		of.With = with
		return figureShape(report.Figure{Amount: s.Paid, Claims: s.Claims}, erasPath(of))
	}
	return &reportedUnappliedJSON{figure(u.Ignored, remit.WithIgnored), figure(u.Unfinished, remit.WithUnfinished)}
}

func collectionsRowShape(f report.Filter, r *report.CollectionsRow) collectionsRowJSON {
	out := collectionsRowJSON{subjectJSON: subjectShape(f.Group, r.Of), Claims: numberJSON{r.Claims, claimsPath(f.RowClaims(r.Of, ""))}}
	to := []*figureJSON{&out.Paid, &out.Contractual, &out.WriteOff, &out.Other, &out.BillPatient, &out.PatientOwes}
	for i, column := range report.Collected() {
		*to[i] = figureShape(r.Sums[i], claimsPath(f.RowClaims(r.Of, column)))
	}
	return out
}

type denialsRowJSON struct {
	Group   string     `json:"group"`
	Reason  string     `json:"reason"`
	Label   string     `json:"label"`
	Act     remit.Act  `json:"act"`
	Refused figureJSON `json:"refused"`
}

type denialsTotalJSON struct {
	Refused string     `json:"refused"`
	Claims  numberJSON `json:"claims"`
}

// reportDenials handles GET /reports/denials.
func (a *api) reportDenials(x *exchange) (*reply, error) {
	q := x.query()
	f := a.reportFilter(q, report.ByDecision, report.BySubmission, report.ByService)
	period(q, &f)
	return reported(a, x, q, "denials_report", f, a.reports.Denials, func(f report.Filter, r *report.DenialsRow) denialsRowJSON {
		d := r.Refusal
		return denialsRowJSON{
			d.Group, d.Reason, remit.ReasonLabel(d.Reason), d.Act, figureShape(report.Figure{Amount: d.Amount, Claims: r.Claims}, claimsPath(f.RefusedClaims(d))),
		}
	}, func(f report.Filter, r *report.DenialsRow) denialsTotalJSON {
		return denialsTotalJSON{r.Refusal.Amount.String(), numberJSON{r.Claims, claimsPath(f.RefusedClaims(r.Refusal))}}
	})
}

type payerRowJSON struct {
	subjectJSON

	Decided       numberJSON       `json:"decided"`
	FirstPass     numberJSON       `json:"first_pass"`
	Later         numberJSON       `json:"later"`
	FirstPassRate float64          `json:"first_pass_rate"`
	DaysToPay     daysJSON         `json:"days_to_pay"`
	Estimates     estimateErrorRow `json:"estimates"`
}

type daysJSON struct {
	Mean   float64 `json:"mean"`
	Median int     `json:"median"`
}

type estimateErrorRow struct {
	Compared          int    `json:"compared"`
	Within            int    `json:"within"`
	MeanAbsoluteError string `json:"mean_absolute_error"`
}

// reportPayers handles GET /reports/payers.
func (a *api) reportPayers(x *exchange) (*reply, error) {
	q := x.query()
	f := a.reportFilter(q, report.ByDecision, report.BySubmission, report.ByService)
	f.Group = report.ByPayer
	period(q, &f)
	return reported(a, x, q, "payers_report", f, a.reports.Payers, payerRowShape, payerRowShape)
}

func payerRowShape(f report.Filter, r *report.PayerRow) payerRowJSON {
	return payerRowJSON{
		subjectJSON: subjectShape(f.Group, r.Of), Decided: numberJSON{r.Decided, claimsPath(f.DecidedClaims(r.Of))},
		FirstPass: numberJSON{r.FirstPass, claimsPath(f.PassedClaims(r.Of, true))},
		Later:     numberJSON{r.Decided - r.FirstPass, claimsPath(f.PassedClaims(r.Of, false))},
		// In percent, with one decimal. A row has at least one decided claim.
		FirstPassRate: math.Round(1000*float64(r.FirstPass)/float64(r.Decided)) / 10,
		DaysToPay:     daysJSON{r.MeanDays, r.MedianDays}, Estimates: estimateErrorRow{r.Estimates, r.Within, r.MeanError.String()},
	}
}
