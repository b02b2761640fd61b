package remittances

import (
	"context"
	"errors"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/quarantine"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// OwnQuarantine reads a page of the scope's own files in quarantine, without their
// content, the last received first, and the start of the next page: nil after the
// last.
func (s *Service) OwnQuarantine(
	ctx context.Context, scope billing.Scope, p billing.Page,
) ([]*quarantine.File, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*quarantine.File, error) {
		return tx.Quarantine.List(ctx, p)
	})
}

// Assign imports a file of the scope's own quarantine for one of its offices, and
// removes it from there, in one commit.
//
// Errors: those of the idempotency key, CodeNotFound for the file or the field
// office_id, and CodeConflict for a file that cannot be read as an 835.
func (s *Service) Assign(
	ctx context.Context, call idempotency.Write[*ImportedFile], id billing.FileID, in intake.AssignRequest,
) (caller.Reply, error) {
	office, faults := in.Office()
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*ImportedFile, error) {
		q, err := tx.Quarantine.Take(ctx, id)
		if err != nil {
			return nil, err
		}
		if _, err := tx.Offices.Get(ctx, office); err != nil {
			return nil, absent(err, "office", "office_id")
		}
		payments, err := s.own(q.Name, q.Content)
		if errors.Is(err, remit.ErrTooManyPayments) {
			return nil, &billing.Error{Code: billing.CodeConflict, Message: tooMany()}
		}
		if err != nil {
			return nil, &billing.Error{Code: billing.CodeConflict, Message: unreadable(err) + ". Ask the sender for the file again, then remove this one from the quarantine."}
		}
		q.Restore(payments)
		out := &ImportedFile{Name: q.Name}
		for i := range payments {
			made, err := s.insert(ctx, tx, call.Scope, &payments[i], office)
			if err != nil {
				return nil, err
			}
			out.Payments = append(out.Payments, made)
		}
		return out, nil
	})
}

// Remove removes a file from the scope's own quarantine for good.
//
// Errors: those of the idempotency key, and CodeNotFound.
func (s *Service) Remove(ctx context.Context, call idempotency.Write[*quarantine.File], id billing.FileID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*quarantine.File, error) {
		return tx.Quarantine.Take(ctx, id)
	})
}

// Quarantined lists the files in quarantine without their content, the newest
// first.
func (s *Service) Quarantined(ctx context.Context) ([]*quarantine.File, error) {
	return lists.Across(ctx, s.store, func(ctx context.Context, tx ports.SystemTx) ([]*quarantine.File, error) {
		return tx.Quarantine.List(ctx)
	})
}

// QuarantinedFile reads a file in quarantine. It returns CodeNotFound for the
// field id if there is none.
func (s *Service) QuarantinedFile(ctx context.Context, id billing.FileID) (q *quarantine.File, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		q, err = tx.Quarantine.Get(ctx, id)
		return absent(err, "file in quarantine", "id")
	})
	return q, err
}

// Discard removes a file from the quarantine for good, and returns it. It
// returns CodeNotFound for the field id if there is none.
func (s *Service) Discard(ctx context.Context, id billing.FileID) (q *quarantine.File, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if q, err = tx.Quarantine.Get(ctx, id); err != nil {
			return absent(err, "file in quarantine", "id")
		}
		return tx.Quarantine.Remove(ctx, id)
	})
	return q, err
}
