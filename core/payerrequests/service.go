// Package payerrequests stores payer requests: those from the network, and
// those that staff record from a letter. Package attachments answers them.
package payerrequests

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/lists"
	"github.com/molar-billing/molar/ports"
)

// Service has the use cases of payer requests.
type Service struct {
	store    ports.Store
	networks ports.Networks
	payers   *directory.PayerDirectory
}

// New creates the use cases. Networks with attachments carry the answers.
func New(store ports.Store, networks ports.Networks, payers *directory.PayerDirectory) *Service {
	return &Service{store, networks, payers}
}

// Get reads a payer request. It returns CodeNotFound if there is none.
func (s *Service) Get(ctx context.Context, scope billing.Scope, id billing.PayerRequestID) (*attachment.PayerRequest, error) {
	return lists.Read(ctx, s.store, scope, func(ctx context.Context, tx ports.Tx) (*attachment.PayerRequest, error) {
		return tx.PayerRequests.Get(ctx, id)
	})
}

// List reads a page of payer requests, newest first, and the start of the next
// page: nil after the last.
func (s *Service) List(
	ctx context.Context, scope billing.Scope, f attachment.PayerRequestFilter, p billing.Page,
) ([]*attachment.PayerRequest, *billing.Position, error) {
	return lists.Page(ctx, s.store, scope, p, func(ctx context.Context, tx ports.Tx) ([]*attachment.PayerRequest, error) {
		return tx.PayerRequests.List(ctx, f, p)
	})
}

// Record stores a payer request from a letter, with its event.
//
// Errors: those of the idempotency key, CodeAttachmentsUnavailable when no
// attachment could answer it, CodeInvalidRequest with every fault, and
// CodeNotFound for the claim and the payer.
func (s *Service) Record(ctx context.Context, call idempotency.Write[*attachment.PayerRequest], in intake.PayerRequestRecord) (caller.Reply, error) {
	return idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*attachment.PayerRequest, error) {
		if err := s.networks.Available(call.Scope, network.Attachments); err != nil {
			return nil, err
		}
		r, faults := in.PayerRequest()
		if err := s.payer(ctx, tx, &r, &faults, in.PayerID); err != nil {
			return nil, err
		}
		now := tx.Clock.Now()
		r.ID, r.Scope, r.CreatedAt = billing.NewID[billing.PayerRequestID](tx.Real.Now()), call.Scope, now
		if err := tx.PayerRequests.Insert(ctx, &r); err != nil {
			return nil, err
		}
		return &r, tx.Events.Append(ctx, r.ReceivedEvent())
	})
}

// payer finds the payer: that of the claim, when there is one. It reports the
// faults before absent resources.
func (s *Service) payer(ctx context.Context, tx ports.Tx, r *attachment.PayerRequest, faults *billing.Faults, ref *string) error {
	var absent billing.Absent
	if !r.ClaimID.IsZero() {
		c, err := tx.Claims.Lock(ctx, r.ClaimID) // who changes its office or patient names them in the request, too
		if err == nil {
			c.NameIn(r)
			r.Payer = c.Payer
		} else if err := absent.Note(err, "claim", "claim_id"); err != nil {
			return err
		}
	}
	if ref != nil {
		named, ok := s.payers.Find(*ref)
		switch {
		case !ok:
			absent.Add("payer", "payer_id")
		case r.Payer != (directory.PayerSummary{}) && named.ID != r.Payer.ID:
			faults.Add("payer_id", billing.FaultConflict, "The claim is for another payer. Leave out payer_id.")
		default:
			r.Payer = named.PayerSummary
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return absent.Err()
}
