package claims

import (
	"context"
	"slices"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// hold sets why each of the claims waits: the reason for which a queued one of live mode
// is in no batch, and the batch of one that the clearinghouse may not have.
func (s *Service) hold(ctx context.Context, tx ports.Tx, claims ...*claim.Record) error {
	if err := late(ctx, tx, claims); err != nil {
		return err
	}
	return s.held(ctx, tx, claims)
}

// late sets the batches of the claims that wait for the clearinghouse.
func late(ctx context.Context, tx ports.Tx, claims []*claim.Record) error {
	var ids []billing.FileID
	waits := func(c *claim.Record) bool {
		return !c.BatchID.IsZero() && (c.State == claim.Queued || c.State == claim.Submitted)
	}
	for _, c := range claims {
		c.Batch = nil
		if waits(c) && !slices.Contains(ids, c.BatchID) {
			ids = append(ids, c.BatchID)
		}
	}
	found, err := tx.Acknowledgements.Late(ctx, ids)
	for _, c := range claims {
		if at := slices.IndexFunc(found, func(b *clearing.Batch) bool { return b.ID == c.BatchID }); at >= 0 && waits(c) {
			c.Batch = found[at]
		}
	}
	return err
}

func (s *Service) held(ctx context.Context, tx ports.Tx, claims []*claim.Record) error {
	var (
		waiting []*claim.Record
		offices []billing.OfficeID
		payers  []billing.PayerID
	)
	for _, c := range claims {
		c.Hold = ""
		if c.Scope.Mode != billing.ModeLive || c.State != claim.Queued || !c.BatchID.IsZero() {
			continue
		}
		if c.Hold = s.unrouted(c.Claim); c.Hold == "" {
			waiting, offices, payers = append(waiting, c), append(offices, c.OfficeID), append(payers, c.Payer.ID)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	restoring, err := tx.LiveFiles.Held(ctx)
	if err != nil {
		return err
	}
	if restoring {
		for _, c := range waiting {
			c.Hold = claim.HoldRestore
		}
		return nil
	}
	found, err := tx.Enrollments.Find(ctx, network.Claims, offices, payers)
	if err != nil {
		return err
	}
	known := map[billing.OfficeID]*directory.Office{}
	for _, c := range waiting {
		if known[c.OfficeID] == nil {
			if known[c.OfficeID], err = tx.Offices.Get(ctx, c.OfficeID); err != nil {
				return err
			}
		}
		c.Hold = claim.Held(known[c.OfficeID], enrollmentOf(c.Claim, found))
	}
	return nil
}

// unrouted returns the reason for which no network carries the claim, if there is none.
func (s *Service) unrouted(c *claim.Claim) claim.Hold {
	_, err := s.networks.For(c.Scope, c.Payer.ID, network.Claims)
	return network.Unrouted(err, s.networks.Available(c.Scope, network.Claims))
}

// routed reports whether a network carries the claim to its payer.
func (s *Service) routed(c *claim.Claim) bool {
	_, err := s.networks.For(c.Scope, c.Payer.ID, network.Claims)
	return err == nil
}

// enrollmentOf returns the state of the enrollment of the claim's office with its payer,
// or none.
func enrollmentOf(c *claim.Claim, all []*network.Enrollment) directory.EnrollmentState {
	for _, e := range all {
		if e.OfficeID == c.OfficeID && e.Payer.ID == c.Payer.ID {
			return e.State
		}
	}
	return ""
}

// network sets what the rules use of the network that sends the claim. The sandbox
// sends every claim. A claim that is judged by an enrollment is committed before the next
// record of it, whose job then finds the claim.
func (s *Service) network(ctx context.Context, tx ports.Tx, c *claim.Claim, with *claim.RuleContext) error {
	if with.Sent = c.Scope.Mode == billing.ModeLive && s.routed(c); !with.Sent {
		return nil
	}
	found, err := tx.Enrollments.Share(ctx, network.Claims, []billing.OfficeID{c.OfficeID}, []billing.PayerID{c.Payer.ID})
	with.Enrollment = enrollmentOf(c, found)
	return err
}
