package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/ports"
)

// overviewChecks is the number of the newest checks in which an overview looks for plans.
const overviewChecks = 25

// Overview reads a patient with what there is about them, as of one moment. It returns
// CodeNotFound if there is no such patient.
func (s *Service) Overview(ctx context.Context, scope billing.Scope, id billing.PatientID) (o *claim.Overview, err error) {
	rows := billing.Page{Limit: claim.OverviewRows}
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		o = &claim.Overview{}
		if o.Patient, err = tx.Patients.Get(ctx, id); err != nil {
			return err
		}
		if o.Alike, err = tx.Patients.Alike(ctx, o.Patient, claim.OverviewRows); err != nil {
			return err
		}
		if o.Owed, err = tx.Claims.Owed(ctx, id); err != nil {
			return err
		}
		checks, err := tx.Checks.List(ctx, coverage.CheckFilter{PatientID: id}, billing.Page{Limit: overviewChecks})
		if err != nil {
			return err
		}
		o.Checks = first(checks)
		if o.Coverages, err = claim.CoveragesOf(checks); err != nil {
			return err
		}
		estimates, err := tx.Estimates.List(ctx, estimate.Filter{PatientID: id}, rows)
		if err != nil {
			return err
		}
		o.Estimates = first(estimates)
		found, err := tx.Claims.List(ctx, claim.Filter{PatientID: id}, rows)
		if err != nil {
			return err
		}
		o.Claims = first(found)
		if err := s.hold(ctx, tx, o.Claims...); err != nil {
			return err
		}
		attached, err := tx.Attachments.List(ctx, attachment.Filter{PatientID: id}, rows)
		if err != nil {
			return err
		}
		o.Attached = first(attached)
		requests, err := tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{PatientID: id}, rows)
		o.Requests = first(requests)
		return err
	})
	return o, err
}

// first returns the rows of an overview, of which a list reads one more.
func first[T any](rows []T) []T { return rows[:min(len(rows), claim.OverviewRows)] }
