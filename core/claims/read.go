package claims

import (
	"context"
	"maps"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Get reads a claim with its attachments and its ledger. It returns CodeNotFound if there is
// none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.ClaimID) (r *claim.Record, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if r, err = tx.Claims.Get(ctx, id); err == nil {
			err = s.complete(ctx, tx, r)
		}
		return err
	})
	return r, err
}

// complete adds the attachments and the ledger of a claim, and why it waits.
func (s *Service) complete(ctx context.Context, tx ports.Tx, r *claim.Record) (err error) {
	if err := s.hold(ctx, tx, r); err != nil {
		return err
	}
	if r.Attachments, err = attachmentsOf(ctx, tx, r.ID); err != nil {
		return err
	}
	return weigh(ctx, tx, r)
}

// weigh reads the ledger of a claim that remittances can be about, and sets what it
// settles.
func weigh(ctx context.Context, tx ports.Tx, r *claim.Record) (err error) {
	if !r.Awaits() {
		return nil
	}
	if r.Ledger, err = ledgerOf(ctx, tx, r.Claim); err == nil {
		r.SetElsewhere(r.Ledger)
	}
	return err
}

// ledgerOf reads the ledger of a claim, beside those of the claims to other payers for the
// same services.
func ledgerOf(ctx context.Context, tx ports.Tx, c *claim.Claim) (*claim.Ledger, error) {
	all := map[billing.ClaimID]*claim.Claim{}
	if err := addBeside(ctx, tx, c, all); err != nil {
		return nil, err
	}
	entries, err := tx.RemittanceClaims.Ledger(ctx, slices.Collect(maps.Keys(all)))
	if err != nil {
		return nil, err
	}
	var beside []*claim.Ledger
	for _, other := range c.Beside(all) {
		beside = append(beside, other.Ledger(entries[other.ID]))
	}
	return c.Ledger(entries[c.ID], beside...), nil
}

// addBeside adds a claim to all, and those to other payers for the same services.
func addBeside(ctx context.Context, tx ports.Tx, c *claim.Claim, all map[billing.ClaimID]*claim.Claim) error {
	all[c.ID] = c
	for _, id := range []billing.ClaimID{c.SecondaryTo, c.SecondaryID} {
		if id.IsZero() || all[id] != nil {
			continue
		}
		other, err := tx.Claims.Get(ctx, id)
		if err != nil {
			return err
		}
		if err := addBeside(ctx, tx, other.Claim, all); err != nil {
			return err
		}
	}
	return nil
}

// attachmentsOf reads the attachments of a claim.
func attachmentsOf(ctx context.Context, tx ports.Tx, id billing.ClaimID) ([]*attachment.Attachment, error) {
	made, err := tx.Attachments.List(ctx, attachment.Filter{ClaimID: id}, billing.Page{Limit: billing.MaxPageLimit})
	return made[:min(len(made), billing.MaxPageLimit)], err
}

// List reads a page of claims, newest first, and the start of the next page:
// nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f claim.Filter, p billing.Page,
) ([]*claim.Record, *billing.Position, error) {
	at := func(r *claim.Record) billing.Position { return r.PositionBy(f.Sort) }
	return lists.PageBy(ctx, s.store, scope, p, at, func(ctx context.Context, tx ports.Tx) ([]*claim.Record, error) {
		rows, err := tx.Claims.List(ctx, f, p)
		if err == nil {
			err = s.hold(ctx, tx, rows...)
		}
		return rows, err
	})
}

// Count counts the claims of each state that the filter selects.
func (s *Service) Count(
	ctx context.Context, scope billing.Scope, f claim.Filter,
) (map[claim.State]claim.ClaimCount, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (map[claim.State]claim.ClaimCount, error) {
		return tx.Claims.Count(ctx, f)
	})
}

// Search reads a page of the claims with the control number or the member ID that
// a person typed, and those of the patients that the search finds. Truncated reports
// that there may be more claims or patients than a search finds.
func (s *Service) Search(
	ctx context.Context, scope billing.Scope, what billing.Search, p billing.Page,
) (page []*claim.Record, next *billing.Position, truncated bool, err error) {
	page, next, err = lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*claim.Record, error) {
		patients, morePatients, err := tx.Patients.Search(ctx, what)
		if err != nil {
			return nil, err
		}
		rows, moreClaims, err := tx.Claims.Search(ctx, what, patients, p)
		truncated = morePatients || moreClaims
		if err == nil {
			err = s.hold(ctx, tx, rows...)
		}
		return rows, err
	})
	return page, next, truncated, err
}
