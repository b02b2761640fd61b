package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
)

// Totals counts what the transaction's scope has.
type Totals interface {
	// Claims returns the exact totals of the claims, and the activity up to today.
	Claims(ctx context.Context, today billing.Date) (billing.ClaimTotals, error)

	// Remittances counts the remittances that callers may see and that are not posted,
	// and the unfinished claims of all, each up to billing.MaxCount remittances, and the
	// files in quarantine, up to billing.MaxCount.
	Remittances(ctx context.Context) (billing.WaitingRemittances, error)

	// PayerRequests counts the open payer requests by the day on which they are due, up
	// to billing.MaxCount: those without a day first, then the earliest.
	PayerRequests(ctx context.Context) (billing.OpenRequests, error)

	// Checks counts the checks of each of the last billing.ActivityDays up to today, in
	// UTC, the earliest first, each up to billing.MaxDailyChecks.
	Checks(ctx context.Context, today billing.Date) ([]billing.DayCount, error)

	// PendingOffices reads up to 100 offices with a change that waits for the operator,
	// the oldest office first.
	PendingOffices(ctx context.Context) ([]*billing.Office, error)
}
