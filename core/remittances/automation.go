package remittances

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/automation"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Automation reads how much is done with remittances without a person.
func (s *Service) Automation(ctx context.Context, scope billing.Scope) (*automation.Settings, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*automation.Settings, error) {
		return tx.Automation.Get(ctx)
	})
}

// PutAutomation sets how much is done with the remittances that are read from now on.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, and CodeNotFound for
// a payer.
func (s *Service) PutAutomation(ctx context.Context, call idempotency.Write[*automation.Settings], in intake.AutomationRequest) (caller.Reply, error) {
	set, faults, unknown := in.Settings(s.payers.Find)
	call.Request.Faults = faults
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*automation.Settings, error) {
		if err := unknown.Err(); err != nil {
			return nil, err
		}
		set.UpdatedAt, set.UpdatedBy = tx.Clock.Now(), call.Principal.ID
		return &set, tx.Automation.Put(ctx, &set)
	})
}

// offer stages the job that posts a remittance by a rule, if one may be for it. The work on the
// remittance has just ended.
func offer(ctx context.Context, tx ports.Tx, e *remit.ERA) error {
	if !automation.Plain(e) {
		return nil
	}
	set, err := tx.Automation.Get(ctx)
	if err != nil || set.For(e.Payer.ID) == automation.Review {
		return err
	}
	return tx.Outbox.Stage(ctx, jobs.ForPosting(e.Scope, e.ID))
}

// rule posts a remittance by the rule of its payer, or lets the rule begin with the claims of one
// that it posted. It reports whether it changed anything.
func (s *Service) rule(ctx context.Context, tx ports.Tx, e *remit.ERA) (bool, error) {
	set, err := tx.Automation.Get(ctx)
	if err != nil {
		return false, err
	}
	level := set.For(e.Payer.ID)
	switch {
	case level != automation.Review && automation.Plain(e):
		clean, err := s.clean(ctx, tx, e.ID)
		if err != nil || !clean {
			return false, err
		}
		if err := e.PostBy(string(level), level == automation.Automatic, tx.Clock.Now()); err != nil {
			return false, err
		}
		return true, tx.Audit.Insert(ctx, []*caller.AuditEntry{ruled(tx, e, "POST /eras/{id}/post", e.ID.String())})
	case e.MoneyArrived(): // it was posted under automatic: what the level is now makes no difference
		return e.Reconcile(""), nil
	}
	return false, nil
}

// clean reports whether a rule may post a remittance with each of its claims.
func (s *Service) clean(ctx context.Context, tx ports.Tx, era billing.ERAID) (bool, error) {
	for after := 0; ; {
		rows, more, err := claimsAfter(ctx, tx, era, after, s.chunk)
		if err != nil {
			return false, err
		}
		for _, r := range rows {
			if after = r.Ordinal; !automation.Clean(r) {
				return false, nil
			}
		}
		if !more {
			return true, nil
		}
	}
}

// ruled returns the entry of the audit for what the rule of a remittance did, as if a person had
// sent the request.
func ruled(tx ports.Tx, e *remit.ERA, operation, resource string) *caller.AuditEntry {
	now := tx.Real.Now()
	return &caller.AuditEntry{
		ID: billing.NewID[billing.AuditEntryID](now), Org: e.Scope.Org, Mode: e.Scope.Mode, Rule: e.Posting.Rule,
		Operation: operation, Resource: resource, CreatedAt: now.Time,
	}
}
