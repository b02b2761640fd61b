package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/directory"
)

// Totals counts what the transaction's scope has.
type Totals interface {
	// Claims returns the exact totals of the claims, and the activity up to today.
	Claims(ctx context.Context, today billing.Date) (claim.Totals, error)

	// Waiting counts the remittances that callers may see and that are not posted, those
	// that need attention, and the unfinished claims of all, each up to claim.MaxCount
	// remittances; the files in quarantine and the open attachments, up to claim.MaxCount.
	Waiting(ctx context.Context) (claim.Waiting, error)

	// ToSend counts the queued claims that are in no batch by their payers, the most first:
	// up to claim.MaxCount claims, and claim.MaxToSend rows. Those of offices that are not
	// verified are apart, with claim.HoldOffice.
	ToSend(ctx context.Context) ([]claim.ToSend, error)

	// PayerRequests counts the open payer requests by the day on which they are due, up
	// to claim.MaxCount: those without a day first, then the earliest.
	PayerRequests(ctx context.Context) (claim.OpenRequests, error)

	// Checks counts the checks of each of the last claim.ActivityDays up to today, in
	// UTC, the earliest first, each up to claim.MaxDailyChecks.
	Checks(ctx context.Context, today billing.Date) ([]claim.DayCount, error)

	// PendingOffices reads up to 100 offices with a change that waits for the operator,
	// the oldest office first.
	PendingOffices(ctx context.Context) ([]*directory.Office, error)
}
