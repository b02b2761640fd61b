package records

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/appeal"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/coverage"
	"github.com/molar-billing/molar/core/billing/estimate"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// person finds what a patient has, for an archive and for an erasure.
type person struct {
	reading

	patient billing.PatientID
}

func (r *person) eachCheck(use func(*coverage.Check) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*coverage.Check, error) {
		return tx.Checks.List(ctx, coverage.CheckFilter{PatientID: r.patient}, p)
	}, use)
}

func (r *person) eachVisit(use func(*coverage.BatchItem) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*coverage.BatchItem, error) {
		return tx.CheckItems.List(ctx, coverage.ItemFilter{PatientID: r.patient}, p)
	}, use)
}

func (r *person) eachClaim(use func(*claim.Record) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*claim.Record, error) {
		return tx.Claims.List(ctx, claim.Filter{PatientID: r.patient}, p)
	}, use)
}

func (r *person) eachAppeal(of billing.ClaimID, use func(*appeal.Appeal) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*appeal.Appeal, error) {
		return appealsOf(ctx, tx, appeal.Filter{ClaimID: of}, p)
	}, use)
}

// eachRemittance calls use for each remittance with a claim that is applied to one of the patient's,
// or may be.
func (r *person) eachRemittance(use func(*remit.ERA) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*remit.ERA, error) {
		return tx.ERAs.List(ctx, remit.Filter{PatientID: r.patient}, p)
	}, use)
}

func (r *person) eachEstimate(use func(*estimate.Record) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*estimate.Record, error) {
		return tx.Estimates.List(ctx, estimate.Filter{PatientID: r.patient}, p)
	}, use)
}

func (r *person) eachPayerRequest(use func(*attachment.PayerRequest) error) error {
	return every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*attachment.PayerRequest, error) {
		return tx.PayerRequests.List(ctx, attachment.PayerRequestFilter{PatientID: r.patient}, p)
	}, use)
}

// eachAttachment calls use for the attachments of the patient's claims, and for those without a claim
// that are about the patient.
func (r *person) eachAttachment(use func(*attachment.Attachment) error) error {
	err := every(r.reading, func(ctx context.Context, tx ports.Tx, p billing.Page) ([]*attachment.Attachment, error) {
		return tx.Attachments.List(ctx, attachment.Filter{PatientID: r.patient}, p)
	}, use)
	if err != nil {
		return err
	}
	unclaimed, err := lists.Read(r.ctx, r.store, r.scope, func(ctx context.Context, tx ports.Tx) (found []*attachment.Attachment, err error) {
		ids, err := tx.Records.Unclaimed(ctx, r.patient)
		for _, id := range ids {
			one, err := tx.Attachments.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			found = append(found, one)
		}
		return found, err
	})
	for _, one := range unclaimed {
		if err == nil {
			err = use(one)
		}
	}
	return err
}
