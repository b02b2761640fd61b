package remittances

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/remit"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Get reads a remittance with the first page of its claims. It returns CodeNotFound if
// there is none, or if its claims are not all read yet. For one that was just imported it
// first waits for the job that reads them.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.ERAID) (r *remit.Record, err error) {
	for begun := time.Now(); ; {
		r, err = lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*remit.Record, error) {
			e, err := tx.ERAs.Get(ctx, id)
			if err != nil {
				return nil, err
			}
			return record(ctx, tx, e)
		})
		if !errors.Is(err, remit.ErrNotRead) || time.Since(begun) > readWait {
			return r, err
		}
		select {
		case <-time.After(readPoll):
		case <-ctx.Done():
			return nil, err
		}
	}
}

const (
	readWait = 3 * time.Second // for the job that reads the claims of a remittance
	readPoll = 50 * time.Millisecond
)

// record adds to a remittance the first page of its claims, the claims that its provider
// adjustments name, and the balances that the payer has carried forward.
func record(ctx context.Context, tx ports.Tx, e *remit.ERA) (*remit.Record, error) {
	claims, more, err := claimsAfter(ctx, tx, e.ID, 0, billing.DefaultPageLimit)
	if err != nil {
		return nil, err
	}
	r := &remit.Record{ERA: e, Claims: claims, More: more, About: make([]billing.ClaimID, len(e.ProviderAdjustments))}
	named, err := tx.Adjustments.Named(ctx, e.Source(), e.References())
	if err != nil {
		return nil, err
	}
	for i := range e.ProviderAdjustments {
		r.About[i] = e.ProviderAdjustments[i].Named(named)
	}
	entries, err := tx.Adjustments.Forwarded(ctx, e.Source())
	if err != nil {
		return nil, err
	}
	r.Forwarded = remit.NewForwardedBalance(entries)
	if e.Stands() && e.ClaimCount > e.Progress.Applied {
		r.Unapplied, err = tx.Reports.UnappliedOf(ctx, e.ID)
	}
	return r, err
}

func claimsAfter(ctx context.Context, tx ports.Tx, id billing.ERAID, after, limit int) ([]*remit.Claim, bool, error) {
	claims, err := tx.RemittanceClaims.List(ctx, id, after, limit+1)
	if err != nil || len(claims) <= limit {
		return claims, false, err
	}
	return claims[:limit], true, nil
}

// Claims reads up to limit claims of the remittance, in the order of the file,
// beginning after the ordinal, and whether there are more. Errors are those of
// Get.
func (s *Service) Claims(
	ctx context.Context, scope billing.Scope, id billing.ERAID, after, limit int,
) (claims []*remit.Claim, more bool, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.ERAs.Get(ctx, id); err != nil {
			return err
		}
		claims, more, err = claimsAfter(ctx, tx, id, after, limit)
		return err
	})
	return claims, more, err
}

// File reads the 835 of a remittance as it was received, or with this payment
// alone when it had several. Errors are those of Get.
func (s *Service) File(ctx context.Context, scope billing.Scope, id billing.ERAID) (e *remit.ERA, content []byte, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if e, err = tx.ERAs.Get(ctx, id); err != nil {
			return err
		}
		content, err = tx.ERAs.Content(ctx, id)
		return err
	})
	return e, content, err
}

// List reads a page of remittances, the last received first, and the start of
// the next page: nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f remit.Filter, p billing.Page,
) ([]*remit.ERA, *billing.Position, error) {
	at := func(e *remit.ERA) billing.Position { return e.PositionBy(f.Sort) }
	return lists.PageBy(ctx, s.store, scope, p, at, func(ctx context.Context, tx ports.Tx) ([]*remit.ERA, error) {
		return tx.ERAs.List(ctx, f, p)
	})
}
