package lists

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/ports"
)

// Office returns the office in whose time zone the days of a thing begin. The zero ID is that of a
// thing without an office.
func Office(ctx context.Context, tx ports.Tx, id billing.OfficeID) (*directory.Office, error) {
	if id.IsZero() {
		return directory.NoOffice(), nil
	}
	return tx.Offices.Get(ctx, id)
}
