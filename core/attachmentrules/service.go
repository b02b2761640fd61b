// Package attachmentrules keeps an organization's own rules about what goes with claims. Advice of
// a claim follows them: see advice.Case.
package attachmentrules

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/advice"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of attachment rules.
type Service struct {
	store  ports.Store
	payers *directory.PayerDirectory
}

// New creates the use cases.
func New(store ports.Store, payers *directory.PayerDirectory) *Service {
	return &Service{store, payers}
}

// Create stores a rule. It counts at once, for claims that were made before, too.
//
// Errors: those of the idempotency key, CodeInvalidRequest with every fault, CodeNotFound for the
// payer, and CodeConflict for one rule too many.
func (s *Service) Create(ctx context.Context, call idempotency.Write[*advice.Rule], in intake.AttachmentRuleRequest) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*advice.Rule, error) {
		made, faults := in.Rule()
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if err := s.name(&made, in.PayerID); err != nil {
			return nil, err
		}
		have, err := tx.AttachmentRules.List(ctx, billing.PayerID{}, billing.Page{Limit: advice.MaxRules})
		if err != nil {
			return nil, err
		}
		if len(have) >= advice.MaxRules {
			return nil, advice.ErrTooMany()
		}
		now := tx.Clock.Now()
		made.ID, made.Scope, made.CreatedAt, made.UpdatedAt = billing.NewID[billing.AttachmentRuleID](tx.Real.Now()), call.Scope, now, now
		return &made, tx.AttachmentRules.Write(ctx, &made)
	})
}

// name sets the payer of a rule; nil stands for all payers.
func (s *Service) name(r *advice.Rule, payer *string) error {
	if payer == nil {
		return nil
	}
	found, ok := s.payers.Find(*payer)
	if !ok {
		return billing.NotFound("payer", "payer_id")
	}
	r.Payer = found.PayerSummary
	return nil
}

// Change changes the fields of a rule that the request names.
//
// Errors: those of Create, CodeNotFound for the rule, and CodeChangedMeanwhile.
func (s *Service) Change(
	ctx context.Context, call idempotency.Write[*advice.Rule], id billing.AttachmentRuleID, in intake.AttachmentRuleRequest,
) (caller.Reply, error) {
	_, ill := in.Change(&advice.Rule{When: advice.Initial}) // the faults that the request has for any rule
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*advice.Rule, error) {
		was, err := tx.AttachmentRules.Lock(ctx, id)
		if err == nil {
			err = was.Edits.Expect(call.Request.Seen)
		}
		if err != nil {
			if billing.CodeOf(err) != billing.CodeInternal && len(ill) > 0 {
				err = ill.Err()
			}
			return nil, err
		}
		next, faults := in.Change(was)
		if err := faults.Err(); err != nil {
			return nil, err
		}
		if next.Payer = was.Payer; in.Given["payer_id"] {
			next.Payer = directory.PayerSummary{}
			if err := s.name(&next, in.PayerID); err != nil {
				return nil, err
			}
		}
		changed := was.Changed(next, call.Principal.ID, tx.Clock.Now())
		return changed, tx.AttachmentRules.Write(ctx, changed)
	})
}

// Delete removes a rule.
//
// Errors: those of the idempotency key, and CodeNotFound.
func (s *Service) Delete(ctx context.Context, call idempotency.Write[*advice.Rule], id billing.AttachmentRuleID) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*advice.Rule, error) {
		return nil, tx.AttachmentRules.Delete(ctx, id)
	})
}

// Get reads a rule. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.AttachmentRuleID) (*advice.Rule, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*advice.Rule, error) {
		return tx.AttachmentRules.Get(ctx, id)
	})
}

// List reads a page of the rules for a payer, or of all for the zero ID, newest first, and the
// start of the next page: nil after the last.
func (s *Service) List(ctx context.Context, scope billing.Scope, payer billing.PayerID, p billing.Page) ([]*advice.Rule, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*advice.Rule, error) {
		return tx.AttachmentRules.List(ctx, payer, p)
	})
}
