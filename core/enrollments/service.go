// Package enrollments records whether payers have enrolled an organization's offices,
// for each office, payer and transaction. The practice or the operator enrolls offices
// through the network, and records here what the network reports. Packages claims,
// batches and eligibility use the records.
package enrollments

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of enrollments.
type Service struct {
	store  ports.Store
	payers *directory.PayerDirectory
}

// New creates the use cases.
func New(store ports.Store, payers *directory.PayerDirectory) *Service {
	return &Service{store, payers}
}

// Put stores an enrollment, in place of the one that the office has with the payer for
// the transaction. One for claims that no longer stops any has them checked again.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and
// CodeNotFound for the office and the payer.
func (s *Service) Put(
	ctx context.Context, call idempotency.Write[*network.Enrollment], in intake.EnrollmentRequest,
) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*network.Enrollment, error) {
		e, faults := in.Enrollment()
		if err := faults.Err(); err != nil {
			return nil, err
		}
		var absent billing.Absent
		office, err := tx.Offices.Get(ctx, e.OfficeID)
		if err := absent.Note(err, "office", "office_id"); err != nil {
			return nil, err
		}
		payer, ok := s.payers.Find(in.PayerID)
		if !ok {
			absent.Add("payer", "payer_id")
		}
		if err := absent.Err(); err != nil {
			return nil, err
		}
		now := tx.Clock.Now()
		e.ID, e.Scope, e.Payer = billing.NewID[billing.EnrollmentID](tx.Real.Now()), call.Scope, payer.PayerSummary
		e.CreatedAt, e.UpdatedAt = now, now
		if e.Date.IsZero() {
			e.Date = office.Today(now)
		}
		stored, err := tx.Enrollments.Put(ctx, &e)
		if err != nil || e.Transaction != network.Claims || e.State.Blocks() {
			return stored, err
		}
		return stored, tx.Outbox.Stage(ctx, jobs.Job{
			Kind: jobs.KindEnrollment, Scope: call.Scope, Subject: stored.ID,
		})
	})
}

// List reads a page of enrollments, newest first, and the start of the next page: nil
// after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f network.EnrollmentFilter, p billing.Page,
) ([]*network.Enrollment, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*network.Enrollment, error) {
		return tx.Enrollments.List(ctx, f, p)
	})
}
