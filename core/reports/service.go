// Package reports adds up what a practice is owed, collects and loses.
package reports

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/report"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of reports.
type Service struct{ store ports.Store }

// New creates the use cases.
func New(store ports.Store) *Service { return &Service{store} }

// Read is a report as it was at a time of the business, with the sum of its rows.
type Read[Row any] struct {
	At    time.Time
	Rows  []*Row
	Total *Row
}

// apart takes the total, which is the last row, from the others.
func (r *Read[Row]) apart() {
	last := len(r.Rows) - 1
	r.Rows, r.Total = r.Rows[:last], r.Rows[last]
}

// adding is a row that another can be added to.
type adding[Row any] interface {
	*Row
	Add(o *Row)
}

// read reads a report in a transaction of its own. Its total, which begins as given, is the sum of
// the rows.
func read[Row any, R adding[Row]](
	ctx context.Context, s *Service, scope billing.Scope, f report.Filter, total Row, rows func(context.Context, ports.Tx, billing.Date) ([]*Row, error),
) (Read[Row], error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (out Read[Row], err error) {
		out.At, out.Total = tx.Clock.Now(), &total
		if out.Rows, err = rows(ctx, tx, f.Today(out.At)); err != nil {
			return out, err
		}
		for _, row := range out.Rows {
			R(out.Total).Add(row)
		}
		return out, nil
	})
}

// Aging reports what is open, by its age.
func (s *Service) Aging(ctx context.Context, scope billing.Scope, f report.Filter) (Read[report.AgingRow], error) {
	return read[report.AgingRow](ctx, s, scope, f, report.AgingRow{Of: report.Subject{All: true}}, func(ctx context.Context, tx ports.Tx, today billing.Date) ([]*report.AgingRow, error) {
		return tx.Reports.Aging(ctx, f, today)
	})
}

// Collections reports what was collected and written off, and what the remittances of the period pay: nil for
// a report that selects by what remittances do not have.
func (s *Service) Collections(ctx context.Context, scope billing.Scope, f report.Filter) (all Read[report.CollectionsRow], paid *report.Payments, err error) {
	of, has := f.Remittances()
	all, err = read[report.CollectionsRow](ctx, s, scope, f, report.CollectionsRow{Of: report.Subject{All: true}}, func(ctx context.Context, tx ports.Tx, _ billing.Date) ([]*report.CollectionsRow, error) {
		rows, err := tx.Reports.Collections(ctx, f)
		if err == nil && has {
			var sum report.Payments
			sum, err = tx.Reports.Payments(ctx, of)
			paid = &sum
		}
		return rows, err
	})
	return all, paid, err
}

// Denials reports what payers refuse, and why. A claim counts in each row of which it has an amount, and
// once in the total.
func (s *Service) Denials(ctx context.Context, scope billing.Scope, f report.Filter) (Read[report.DenialsRow], error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (out Read[report.DenialsRow], err error) {
		out.At, out.Total = tx.Clock.Now(), &report.DenialsRow{}
		if out.Rows, err = tx.Reports.Denials(ctx, f); len(out.Rows) > 0 {
			out.apart()
		}
		return out, err
	})
}

// Payers reports how payers decide. The total is none while nothing is decided.
func (s *Service) Payers(ctx context.Context, scope billing.Scope, f report.Filter) (Read[report.PayerRow], error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (out Read[report.PayerRow], err error) {
		out.At = tx.Clock.Now()
		if out.Rows, err = tx.Reports.Payers(ctx, f); len(out.Rows) > 0 {
			out.apart()
		}
		return out, err
	})
}
