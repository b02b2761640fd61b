package batches

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/directory"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Cut puts all queued claims that a network carries to their payers into
// batches, and returns how many batches. Claims of a network with a schedule wait for
// its next time, and those of an organization whose clock stands for an advance. Several processes may cut at once:
// each skips the claims that another has locked. The error names every
// organization that failed; none holds up another.
func (s *Service) Cut(ctx context.Context) (batches int, err error) {
	queued := map[billing.Scope][]billing.PayerID{}
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		for _, mode := range []billing.Mode{billing.ModeTest, billing.ModeLive} {
			of, err := tx.Routes.Queued(ctx, mode)
			if err != nil {
				return err
			}
			maps.Copy(queued, of)
		}
		return nil
	})
	errs := []error{err}
	for scope, payers := range queued {
		n, err := s.cutAll(ctx, scope, payers, scheduled)
		if batches += n; err != nil && !billing.IsResetting(err) {
			errs = append(errs, fmt.Errorf("cut the claims of %s: %w", scope.Org, err))
		}
	}
	return batches, errors.Join(errs...)
}

// scheduled returns when batches leave that leave each time that the service looks, unless
// their network has a schedule.
func scheduled(o *network.Options) network.Schedule { return o.Schedule }

// cutAll makes batches of the scope until none of its queued claims are for a
// payer that a network reaches, and due by the schedule.
func (s *Service) cutAll(
	ctx context.Context, scope billing.Scope, payers []billing.PayerID, leaves func(*network.Options) network.Schedule,
) (batches int, err error) {
	reached := map[*ports.Network][]billing.PayerID{}
	for _, payer := range payers {
		if n, err := s.networks.For(scope, payer, network.Claims); err == nil {
			reached[n] = append(reached[n], payer)
		}
	}
	for n, payers := range reached {
		most := n.Options.MostClaims()
		for claims := most; claims == most; {
			if claims, err = s.cut(ctx, scope, n, payers, leaves(&n.Options)); err != nil {
				return batches, err
			}
			if claims > 0 {
				batches++
			}
		}
	}
	return batches, nil
}

// cut makes one batch of the scope for a network, of claims for the payers, and
// returns the number of claims.
func (s *Service) cut(
	ctx context.Context, scope billing.Scope, via *ports.Network, payers []billing.PayerID, leaves network.Schedule,
) (cut int, err error) {
	err = s.store.InTx(ctx, scope, func(ctx context.Context, tx ports.Tx) error {
		now := tx.Clock.Now()
		claims, err := tx.Clearing.Queued(ctx, payers, leaves.Last(now), via.Options.MostClaims())
		if cut = len(claims); err != nil || cut == 0 {
			return err
		}
		serial, err := tx.Clearing.Serial(ctx)
		if err != nil {
			return err
		}
		outgoing, err := s.outgoing(ctx, tx, claims)
		if err != nil {
			return err
		}
		b := clearing.NewBatch(scope, via.Name, serial, len(claims), tx.Real.Now(), now)
		content, err := s.edi.File(network.ClaimsFile{
			Batch: b, Envelope: via.Envelope, Route: via.Route, Options: via.Options, Claims: outgoing,
		})
		if err != nil {
			return err
		}
		for _, c := range claims {
			c.BatchID = b.ID
			if n := via.Options.SubmittedNumber(c); n != c.PatientControlNumber {
				c.SubmittedNumber = n
			}
			if err := tx.Claims.Save(ctx, c); err != nil {
				return err
			}
		}
		j := jobs.Job{Kind: jobs.KindBatchSend, Scope: scope, Subject: b.ID}
		if err := tx.Outbox.Stage(ctx, j); err != nil {
			return err
		}
		return insert(ctx, tx, via, b, content, now)
	})
	return cut, err
}

// insert stores the batch under the first free name of its network. A name may have a
// millisecond, from now on. Insert comes last, because another cutter of the same name
// waits until this transaction has committed. Without a millisecond in the name, the
// next cut has another number for it.
func insert(ctx context.Context, tx ports.Tx, via *ports.Network, b *clearing.Batch, content []byte, now time.Time) error {
	taken := ""
	for at := now; ; at = at.Add(time.Millisecond) {
		b.File.Name = via.Options.FileName(b, &via.Envelope, at)
		if b.File.Name == taken {
			return fmt.Errorf("another batch of %s has the name %s", via.Name, taken)
		}
		taken = b.File.Name
		if free, err := tx.Batches.Insert(ctx, b, content); free || err != nil {
			return err
		}
	}
}

// outgoing reads the parties that the file describes and the claims only name.
func (s *Service) outgoing(ctx context.Context, tx ports.Tx, claims []*claim.Claim) ([]claim.OutgoingClaim, error) {
	offices, providers := map[billing.OfficeID]*directory.Office{}, map[billing.ProviderID]*directory.Provider{}
	ids := make([]billing.ClaimID, len(claims))
	for i, c := range claims {
		ids[i] = c.ID
	}
	attached, err := tx.Clearing.Attached(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := map[billing.ClaimID][]*attachment.Attachment{}
	for _, a := range attached {
		of[a.ClaimID] = append(of[a.ClaimID], a)
	}
	out := make([]claim.OutgoingClaim, len(claims))
	for i, c := range claims {
		if offices[c.OfficeID] == nil {
			if offices[c.OfficeID], err = tx.Offices.Get(ctx, c.OfficeID); err != nil {
				return nil, err
			}
		}
		for _, id := range c.Providers() {
			if providers[id] == nil {
				if providers[id], err = tx.Providers.Get(ctx, id); err != nil {
					return nil, err
				}
			}
		}
		payer, _ := s.payers.Find(c.Payer.ID.String())
		out[i] = claim.OutgoingClaim{
			Claim: c, Office: offices[c.OfficeID], Payer: payer, Provider: providers[c.ProviderID], Providers: providers, Attachments: of[c.ID],
		}
		for k := range c.OtherCoverage {
			other, _ := s.payers.Find(c.OtherCoverage[k].Payer.PayerID)
			out[i].OtherPayers = append(out[i].OtherPayers, other)
		}
	}
	return out, nil
}
