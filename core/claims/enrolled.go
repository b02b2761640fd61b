package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Enrolled checks the claims again that waited for the enrollment of the job, unless it
// stops claims again. It may run any number of times, even at the same time: a claim that
// was checked no longer waits.
func (s *Service) Enrolled(ctx context.Context, j jobs.Job) error {
	for after, done := (billing.ClaimID{}), false; !done; {
		var last billing.ClaimID
		err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) (err error) {
			last, done, err = s.recheck(ctx, tx, billing.EnrollmentID(j.Subject), after)
			if err == nil && done {
				err = tx.Outbox.Done(ctx, j.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
		after = last
	}
	return nil
}

// FailEnrolled gives up a job that cannot be done. The claims wait until one of them is
// changed, or the enrollment is recorded again.
func (s *Service) FailEnrolled(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error { return tx.Outbox.Done(ctx, j.ID) })
}

// recheck checks the next claims after the given one. Done reports that there are no more.
func (s *Service) recheck(
	ctx context.Context, tx ports.Tx, id billing.EnrollmentID, after billing.ClaimID,
) (last billing.ClaimID, done bool, err error) {
	e, err := tx.Enrollments.Get(ctx, id)
	if err != nil || e.State.Blocks() {
		return after, true, err
	}
	waiting, err := tx.Clearing.Awaiting(ctx, claim.FindingNotEnrolled, e.OfficeID, e.Payer.ID, after, s.chunk)
	if err != nil {
		return after, false, err
	}
	now := tx.Clock.Now()
	for _, c := range waiting {
		p, err := s.name(ctx, tx, &c.Content, intake.ClaimRequest{}, nil)
		if err != nil {
			return after, false, err
		}
		found, err := s.judge(ctx, tx, c, p, now)
		if err != nil {
			return after, false, err
		}
		events := c.Rechecked(claim.TriggerEnrolled, found, claim.Cause{At: now})
		if err := tx.Claims.Save(ctx, c); err != nil {
			return after, false, err
		}
		if err := emit(ctx, tx, events); err != nil {
			return after, false, err
		}
		after = c.ID
	}
	return after, len(waiting) < s.chunk, nil
}
