package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/posting"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// FollowPosting goes on with the claims of a remittance that was posted or unposted, in steps that
// each are a commit, or posts it by a rule. It may run any number of times, even at the same time:
// each step locks the remittance and begins after the claim where the last one ended.
func (s *Service) FollowPosting(ctx context.Context, j jobs.Job) error {
	for done := false; !done; {
		err := s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
			e, err := tx.ERAs.Lock(ctx, billing.ERAID(j.Subject))
			if billing.IsNotFound(err) {
				done = true
				return tx.Outbox.Done(ctx, j.ID)
			}
			if err != nil {
				return err
			}
			changed, err := s.follow(ctx, tx, e)
			if err == nil && changed {
				err = tx.ERAs.Save(ctx, e)
			}
			if done = !changed; err == nil && done {
				err = tx.Outbox.Done(ctx, j.ID)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// FailPosting lets a job that failed repeatedly rest. The claims are still to be looked at.
func (s *Service) FailPosting(ctx context.Context, j jobs.Job) error {
	return s.store.InTx(ctx, j.Scope, func(ctx context.Context, tx ports.Tx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.JobMaxLease))
	})
}

// follow takes the next step of a posting. It reports whether there was one.
func (s *Service) follow(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
	switch e.ReconcileStage() {
	case remit.ReconcileUnderWay:
		return true, s.reconcile(ctx, tx, e)
	case remit.ReconcileIsTakenBack:
		return true, s.reopen(ctx, tx, e)
	case remit.ReconcileNotAsked, remit.ReconcileAwaitsMoney:
		return s.rule(ctx, tx, e)
	case remit.ReconcileEnded:
	}
	return false, nil
}

// goOn takes the first step of a posting in the commit of a person's request, and stages the job
// that takes the others.
func (s *Service) goOn(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	if e.Posting == nil {
		return nil
	}
	if _, err := s.follow(ctx, tx, e); err != nil {
		return err
	}
	switch e.ReconcileStage() {
	case remit.ReconcileUnderWay, remit.ReconcileIsTakenBack:
		return tx.Outbox.Stage(ctx, jobs.ForPosting(e.Scope, e.ID))
	case remit.ReconcileNotAsked, remit.ReconcileAwaitsMoney, remit.ReconcileEnded:
	}
	return nil
}

// reconcile reconciles the next settled claims of a posted remittance.
func (s *Service) reconcile(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	p := e.Posting
	found, err := tx.Postings.Paid(ctx, e.ID, p.After, s.chunk)
	if err != nil {
		return err
	}
	requested, err := tx.Postings.Requested(ctx, idsOf(found))
	if err != nil {
		return err
	}
	now, entries := tx.Clock.Now(), []*caller.AuditEntry{}
	for _, c := range found {
		p.After = c.ID
		why, settled := posting.Settled(c, requested[c.ID])
		if settled && p.ByRule() && posting.Reopened(c.Claim) {
			why, settled = remit.LeftReopened, false
		}
		switch {
		case settled:
			if err := posting.Reconcile(c, e, p.By, now); err != nil {
				return err
			}
			if err := tx.Claims.Save(ctx, c.Claim); err != nil {
				return err
			}
			if p.Reconciled++; p.ByRule() {
				entries = append(entries, ruled(tx, e, "POST /claims/{id}/reconcile", c.ID.String()))
			}
		case why != "":
			p.LeaveOut(c.ID, why)
		}
	}
	if len(found) < s.chunk {
		p.Stage = remit.ReconcileEnded
	}
	if len(entries) == 0 {
		return nil
	}
	return tx.Audit.Insert(ctx, entries)
}

// reopen reopens the next claims that the posting of an unposted remittance reconciled.
func (s *Service) reopen(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	p := e.Posting
	found, err := tx.Postings.Reconciled(ctx, e.ID, p.After, s.chunk)
	if err != nil {
		return err
	}
	for _, c := range found {
		p.After = c.ID
		if _, err := posting.Reopen(c, p.By, tx.Clock.Now()); err != nil {
			return err
		}
		if err := tx.Claims.Save(ctx, c.Claim); err != nil {
			return err
		}
	}
	if len(found) < s.chunk {
		e.Posting = nil
	}
	return nil
}

func idsOf(claims []*claim.Record) []billing.ClaimID {
	ids := make([]billing.ClaimID, len(claims))
	for i, c := range claims {
		ids[i] = c.ID
	}
	return ids
}
