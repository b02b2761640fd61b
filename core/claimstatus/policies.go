package claimstatus

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// PutPolicy lets a payer be asked about claims without a person, from now on, in place of the
// policy that there was for it.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound for
// the payer, and CodeConflict for one that does not answer inquiries.
func (s *Service) PutPolicy(ctx context.Context, call idempotency.Write[*claimstatus.Policy], payer string, in intake.StatusPolicyRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claimstatus.Policy, error) {
		p, faults := in.Policy()
		if err := faults.Err(); err != nil {
			return nil, err
		}
		of, err := s.payer(payer)
		if err != nil {
			return nil, err
		}
		if !of.Capabilities.ClaimStatus {
			return nil, errNoAnswer()
		}
		now, stamp := tx.Clock.Now(), tx.Real.Now()
		p.ID, p.Scope, p.Payer, p.CreatedAt, p.UpdatedAt = billing.NewID[billing.StatusPolicyID](stamp), call.Scope, of.PayerSummary, now, now
		p.Feed = billing.NewID[billing.JobID](stamp)
		stored, err := tx.StatusPolicies.Put(ctx, &p)
		if err != nil {
			return nil, err
		}
		return stored, tx.Outbox.Stage(ctx, jobs.Job{ID: stored.Feed, Kind: jobs.KindStatusPolicy, Scope: call.Scope, Subject: stored.ID})
	})
}

// DeletePolicy lets no payer be asked any more without a person. Questions that were asked
// already are answered.
//
// Errors: those of the idempotency key, and CodeNotFound for the payer and for one without a
// policy.
func (s *Service) DeletePolicy(ctx context.Context, call idempotency.Write[*claimstatus.Policy], payer string) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*claimstatus.Policy, error) {
		if err := call.Request.Faults.Err(); err != nil {
			return nil, err
		}
		of, err := s.payer(payer)
		if err != nil {
			return nil, err
		}
		return nil, tx.StatusPolicies.Delete(ctx, of.ID)
	})
}

// Policies reads a page of policies, newest first, and the start of the next page: nil after
// the last.
func (s *Service) Policies(ctx context.Context, scope billing.Scope, p billing.Page) ([]*claimstatus.Policy, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*claimstatus.Policy, error) {
		return tx.StatusPolicies.List(ctx, p)
	})
}

// payer finds a payer of a path.
func (s *Service) payer(id string) (*directory.Payer, error) {
	p, ok := s.payers.Find(id)
	if !ok {
		return nil, billing.NotFound("payer", "")
	}
	return p, nil
}

// errNoAnswer returns the error for a payer that is known not to answer.
func errNoAnswer() error {
	return &billing.Error{Code: billing.CodeConflict, Message: "This payer does not answer inquiries about claims. Call the payer, or look at its portal."}
}
