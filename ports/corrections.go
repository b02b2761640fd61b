package ports

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
)

// Corrections finds the remittances of one payment, and the claims of those that do not
// stand: claims that remit.ERA.SetAside set aside.
type Corrections interface {
	// OfPayment locks the payment with the trace number and the date, so that no other
	// transaction inserts a remittance of it until this one ends. It locks and reads its
	// last 100 remittances, in the order in which they came. Those of another payer may
	// be among them.
	OfPayment(ctx context.Context, trace string, date billing.Date) ([]*remit.ERA, error)

	// Left reads claims of a remittance that are not set aside, in the order of the file,
	// beginning after the ordinal, at most limit.
	Left(ctx context.Context, era billing.ERAID, after, limit int) ([]*remit.Claim, error)

	// Aside reads claims of a remittance that are set aside, at most limit: those with one
	// of the control numbers, compared without case, or any when it is nil.
	Aside(ctx context.Context, era billing.ERAID, controlNumbers []string, limit int) ([]*remit.Claim, error)

	// Discard sets the claims of a remittance that are set aside to remit.StatusIgnored,
	// and returns how many were not.
	Discard(ctx context.Context, era billing.ERAID) (int, error)
}
