// Package remittances takes in what payers pay (835), and applies it to claims.
//
// A file is read whole before anything of it is kept. Each payment of it is
// then kept for the organization that was paid, under an identity of its own,
// with a job; what cannot be read, or is nobody's, goes to the quarantine, and
// an operator imports it. So a file may come any number of times.
//
// A worker takes the remittances of a scope in the order in which they came,
// whichever of them its job is about: a reversal finds the payment that it
// takes back. It keeps and matches the claims of a remittance, piece by piece;
// when all are there the remittance is shown to callers, and its claims are
// applied, again piece by piece, each piece in one commit with its events. A
// worker that dies leaves whole pieces, and the next one goes on after them.
//
// A remittance on which the work fails again and again is given up, so that it
// does not hold up those that came later: it is shown as far as it was read,
// with the claims that were not applied, and `molar era retry` takes it up
// once more.
package remittances

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/ports"
)

// Service is the use cases of remittances.
type Service struct {
	store  ports.Store
	edi    ports.ClaimsEDI
	payers *billing.PayerDirectory
	chunk  int // how many claims of a remittance are kept, or applied, in a commit

	turns turns
	waits waits
}

// defaultChunk keeps a commit, and the locks on its claims, well below a second.
const defaultChunk = 300

// New makes the use cases.
func New(store ports.Store, edi ports.ClaimsEDI, payers *billing.PayerDirectory) *Service {
	return &Service{
		store: store, edi: edi, payers: payers, chunk: defaultChunk,
		turns: turns{held: map[billing.Scope]bool{}}, waits: waits{since: map[billing.ERAID]time.Time{}},
	}
}

// Get reads a remittance with the first page of its claims. An absent one is
// CodeNotFound, and so is one that is not read to its end yet.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.ERAID) (r *billing.ERARecord, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		e, err := tx.ERAs.Get(ctx, id)
		if err != nil {
			return err
		}
		r, err = record(ctx, tx, e)
		return err
	})
	return r, err
}

// record adds the first page of claims to a remittance.
func record(ctx context.Context, tx ports.Tx, e *billing.ERA) (*billing.ERARecord, error) {
	claims, more, err := claimsAfter(ctx, tx, e.ID, 0, billing.DefaultPageLimit)
	return &billing.ERARecord{ERA: e, Claims: claims, More: more}, err
}

func claimsAfter(ctx context.Context, tx ports.Tx, id billing.ERAID, after, limit int) ([]*billing.ERAClaim, bool, error) {
	claims, err := tx.ERAClaims.List(ctx, id, after, false, limit+1)
	if err != nil || len(claims) <= limit {
		return claims, false, err
	}
	return claims[:limit], true, nil
}

// Claims reads up to limit claims of a remittance, in the order of the file,
// from the one after the ordinal on, and whether there are more. Errors are
// those of Get.
func (s *Service) Claims(
	ctx context.Context, scope billing.Scope, id billing.ERAID, after, limit int,
) (claims []*billing.ERAClaim, more bool, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if _, err := tx.ERAs.Get(ctx, id); err != nil {
			return err
		}
		claims, more, err = claimsAfter(ctx, tx, id, after, limit)
		return err
	})
	return claims, more, err
}

// File reads the 835 of a remittance, as it was received; with this payment
// alone when it had several. Errors are those of Get.
func (s *Service) File(ctx context.Context, scope billing.Scope, id billing.ERAID) (e *billing.ERA, content []byte, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		if e, err = tx.ERAs.Get(ctx, id); err != nil {
			return err
		}
		content, err = tx.ERAs.Content(ctx, id)
		return err
	})
	return e, content, err
}

// List reads a page of remittances, the last received first, and where the next
// page starts: nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f billing.ERAFilter, p billing.Page,
) (page []*billing.ERA, next *billing.Position, err error) {
	err = s.store.View(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		page, err = tx.ERAs.List(ctx, f, p)
		return err
	})
	page, next = billing.Cut(page, p.Limit, func(e *billing.ERA) billing.Position {
		return billing.Position{Time: e.ReceivedAt, ID: e.ID}
	})
	return page, next, err
}

// Post notes that the user has posted a remittance. One that is posted stays
// as it is.
//
// Errors: those of the idempotency key, and of Get.
func (s *Service) Post(
	ctx context.Context, scope billing.Scope, req billing.Request, id billing.ERAID, render billing.Render[*billing.ERARecord],
) (billing.Answer, bool, error) {
	return idempotency.Once(ctx, s.store, scope, req, render, func(ctx context.Context, tx ports.Tx) (*billing.ERARecord, error) {
		if _, err := tx.ERAs.Get(ctx, id); err != nil { // it cannot be seen until it is read
			return nil, err
		}
		e, err := tx.ERAs.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		if e.Post(tx.Clock.Now()) {
			if err := tx.ERAs.Save(ctx, e); err != nil {
				return nil, err
			}
		}
		return record(ctx, tx, e)
	})
}
