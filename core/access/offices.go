package access

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/ports"
)

// CreateOffice creates an office in the call's scope.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault,
// and CodeNotFound for the organization that an operator names.
func (s *Service) CreateOffice(
	ctx context.Context, call idempotency.Write[*billing.Office], in intake.OfficeRequest,
) (billing.Reply, error) {
	made, faults := in.Office()
	made.Scope = call.Scope
	return once(ctx, s, call, faults, func(ctx context.Context, tx ports.Tx) (*billing.Office, error) {
		return &made, insertOffice(ctx, tx, &made)
	})
}

// insertOffice stores a new office. An operator verifies the offices of live
// mode; in test mode every office is verified.
func insertOffice(ctx context.Context, tx ports.Tx, o *billing.Office) error {
	o.CreatedAt = tx.Clock.Now()
	o.ID = billing.NewID[billing.OfficeID](o.CreatedAt)
	if o.VerifiedAt = (time.Time{}); o.Scope.Mode == billing.ModeTest {
		o.VerifiedAt = o.CreatedAt
	}
	return tx.Offices.Insert(ctx, o)
}

// VerifyOffice records that the operator has verified an office of any
// organization. Verifying it again changes nothing. It returns CodeNotFound for
// the field id if there is none.
func (s *Service) VerifyOffice(ctx context.Context, id billing.OfficeID) (o *billing.Office, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if o, err = tx.Orgs.VerifyOffice(ctx, id, tx.Clock.Now()); billing.IsNotFound(err) {
			return billing.NotFound("office", "id")
		}
		return err
	})
	return o, err
}

// ListOffices reads a page of the offices of a scope, newest first, and the
// start of the next page: nil after the last.
func (s *Service) ListOffices(
	ctx context.Context, scope billing.Scope, p billing.Page,
) (page []*billing.Office, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Offices.List(ctx, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(o *billing.Office) billing.Position {
		return billing.Position{Time: o.CreatedAt, ID: o.ID}
	})
	return page, next, err
}
