package claims

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/ports"
)

// Get reads a claim with its attachments and its ledger. It returns CodeNotFound if there is
// none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.ClaimID) (r *billing.ClaimRecord, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if r, err = tx.Claims.Get(ctx, id); err == nil {
			err = complete(ctx, tx, r)
		}
		return err
	})
	return r, err
}

// complete adds the attachments and the ledger of a claim.
func complete(ctx context.Context, tx ports.Tx, r *billing.ClaimRecord) (err error) {
	if r.Attachments, err = attachmentsOf(ctx, tx, r.ID); err != nil || !r.Awaits() {
		return err
	}
	entries, err := tx.ERAClaims.Ledger(ctx, []billing.ClaimID{r.ID})
	r.Ledger = r.Claim.Ledger(entries[r.ID])
	return err
}

// attachmentsOf reads the attachments of a claim.
func attachmentsOf(ctx context.Context, tx ports.Tx, id billing.ClaimID) ([]*billing.Attachment, error) {
	made, err := tx.Attachments.List(ctx, billing.AttachmentFilter{ClaimID: id}, billing.Page{Limit: billing.MaxPageLimit})
	return made[:min(len(made), billing.MaxPageLimit)], err
}

// List reads a page of claims, newest first, and the start of the next page:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f billing.ClaimFilter, p billing.Page,
) (page []*billing.ClaimRecord, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.Claims.List(ctx, f, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(c *billing.ClaimRecord) billing.Position {
		return billing.Position{Time: c.CreatedAt, ID: c.ID}
	})
	return page, next, err
}
