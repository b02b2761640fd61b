// Package claimstatus asks payers where claims are that were sent.
//
// An inquiry has two phases, as an eligibility check has. Ask commits the pending inquiry
// with the job that answers it, and waits. Answer, in a worker, asks the payer and commits
// the result with what it does to the claim. When a process dies in between, the job
// completes the inquiry, and a repeated request with the same idempotency key finds it.
package claimstatus

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claimstatus"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of inquiries about claims.
type Service struct {
	store    ports.Store
	queue    ports.Queue
	networks ports.Networks
	payers   *directory.PayerDirectory
	times    Times
}

// Times are the time limits that an operator can set.
type Times struct {
	Wait    time.Duration // how long a call waits for the payer
	Silence time.Duration // how long a payer may be silent before the inquiry ends as unavailable
}

// DefaultTimes are the limits of eligibility checks.
func DefaultTimes() Times { return Times{Wait: 25 * time.Second, Silence: 60 * time.Second} }

// New creates the use cases.
func New(store ports.Store, queue ports.Queue, networks ports.Networks, payers *directory.PayerDirectory, times Times) *Service {
	return &Service{store, queue, networks, payers, times}
}

// CanAsk reports whether a payer can be asked about claims: it answers inquiries, as far as is
// known, and a connection carries them.
func (s *Service) CanAsk(scope billing.Scope, payer billing.PayerID) bool {
	if p, ok := s.payers.Find(payer.String()); ok && !p.Capabilities.ClaimStatus {
		return false
	}
	_, err := s.networks.For(scope, payer, network.ClaimStatus)
	return err == nil
}

// Get reads an inquiry. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.StatusInquiryID) (*claimstatus.Inquiry, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*claimstatus.Inquiry, error) {
		return tx.StatusInquiries.Get(ctx, id)
	})
}

// List reads a page of the inquiries about a claim, newest first, and the start of the next
// page: nil after the last. It returns CodeNotFound if there is no such claim.
func (s *Service) List(ctx context.Context, scope billing.Scope, f claimstatus.Filter, p billing.Page) ([]*claimstatus.Inquiry, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*claimstatus.Inquiry, error) {
		if _, err := tx.Claims.Get(ctx, f.ClaimID); err != nil {
			return nil, err
		}
		return tx.StatusInquiries.List(ctx, f, p)
	})
}

// Exchanged reads the messages exchanged for an inquiry. It returns CodeNotFound if there is
// no such inquiry.
func (s *Service) Exchanged(ctx context.Context, scope billing.Scope, id billing.StatusInquiryID) (claimstatus.Exchanged, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (claimstatus.Exchanged, error) {
		return tx.StatusInquiries.Exchanged(ctx, id)
	})
}
