package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/billing/report"
)

// Reports adds up the figures of claims. Its sums are those of the claims that Claims.List has for
// the filters that package report gives. Rows are in the order of their names, or of their sums.
type Reports interface {
	// Aging returns what is open by its age on a day.
	Aging(ctx context.Context, f report.Filter, today billing.Date) ([]*report.AgingRow, error)

	// Collections returns what was collected and written off.
	Collections(ctx context.Context, f report.Filter) ([]*report.CollectionsRow, error)

	// Denials returns what payers refuse, the largest sum first, and after the last row all of it,
	// with the number of its claims; none without a refusal.
	Denials(ctx context.Context, f report.Filter) ([]*report.DenialsRow, error)

	// Payers returns how each payer decides, and after the last row how all do; none without a
	// decision.
	Payers(ctx context.Context, f report.Filter) ([]*report.PayerRow, error)

	// Payments adds up what remittances that stand pay, their provider adjustments by reason in the order of the codes, and
	// the money that is on no claim.
	Payments(ctx context.Context, f remit.Filter) (report.Payments, error)

	// UnappliedOf adds up what claims of a remittance pay that are not applied, without those set
	// aside.
	UnappliedOf(ctx context.Context, era billing.ERAID) (remit.Unapplied, error)
}
