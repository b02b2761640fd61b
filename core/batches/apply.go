package batches

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/event"
	"github.com/molar-billing/molar/core/billing/network"
	"github.com/molar-billing/molar/ports"
)

// apply commits the verdicts and reports of an acknowledgement for one
// organization, unless they were committed before.
func (s *Service) apply(ctx context.Context, o *network.Options, f clearing.IncomingFile, p *part) (rejected []Rejection, err error) {
	err = s.store.InTx(ctx, p.scope, func(ctx context.Context, tx ports.Tx) error {
		rejected = nil
		now := tx.Clock.Now()
		stored, err := tx.Acknowledgements.Keep(ctx, f, p.excerpt, now)
		if err != nil || stored.IsZero() {
			return err
		}
		for _, id := range p.batches() {
			if err := sent(ctx, tx, id, now); err != nil {
				return err
			}
			if !slices.Contains(p.readable, id) {
				continue
			}
			if err := tx.Acknowledgements.Link(ctx, id, stored, p.kind); err != nil {
				return err
			}
		}
		for _, v := range p.verdicts {
			news, err := acknowledge(ctx, tx, v, &p.file, now)
			if err != nil {
				return err
			}
			if news && v.Result == clearing.BatchRejected {
				rejected = append(rejected, Rejection{v.batch, v.Why})
			}
		}
		if err := s.reports(ctx, tx, p, now); err != nil {
			return err
		}
		for _, id := range p.batches() {
			if _, err := review(ctx, tx, id, o, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rejected, nil
}

// batches lists the batches that the part names, in the order of their IDs, so
// that no two transactions deadlock.
func (p *part) batches() (ids []billing.FileID) {
	for _, v := range p.verdicts {
		ids = append(ids, v.batch)
	}
	for _, r := range p.reports {
		if !r.batch.IsZero() {
			ids = append(ids, r.batch)
		}
	}
	slices.SortFunc(ids, func(a, b billing.FileID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// acknowledge applies the verdict on a batch; it returns false when there is none, or
// the batch already has it. The claims of a rejected batch return to the queue,
// or need attention.
func acknowledge(ctx context.Context, tx ports.Tx, v verdict, file *clearing.FileRef, now time.Time) (news bool, err error) {
	if v.Result == "" {
		return false, nil
	}
	b, err := tx.Batches.Lock(ctx, v.batch)
	if err != nil || !b.Acknowledge(v.Result, file.Name, now) {
		return false, err
	}
	if err := tx.Batches.Save(ctx, b); err != nil {
		return false, err
	}
	if err := tx.Events.Append(ctx, b.AcknowledgedEvent()); err != nil || v.Result == clearing.BatchAccepted {
		return err == nil, err
	}
	claims, err := tx.Clearing.OfBatch(ctx, b.ID)
	if err != nil {
		return false, err
	}
	for _, c := range claims {
		if e, moved := c.FileRejected(b, v.Why, claim.Cause{File: file, At: now}); moved {
			if err := keep(ctx, tx, c, e); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// reports applies the reports on claims, in the order of their status dates.
func (s *Service) reports(ctx context.Context, tx ports.Tx, p *part, now time.Time) error {
	if len(p.reports) == 0 {
		return nil
	}
	claims, err := lockReported(ctx, tx, p)
	if err != nil {
		return err
	}
	slices.SortStableFunc(p.reports, func(a, b report) int {
		return cmp.Compare(a.Effective.String(), b.Effective.String())
	})
	for _, r := range p.reports {
		about := claims.about(r)
		for _, c := range about {
			if err := claims.report(ctx, tx, c, r.ClaimReport, claim.Cause{File: &p.file, At: now}); err != nil {
				return err
			}
		}
		if r.Request != nil {
			if err := s.request(ctx, tx, about, r.ClaimReport, p.scope, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// report applies a report on a claim. When the payer accepts a void, the voided
// claim changes with it.
func (t *reported) report(ctx context.Context, tx ports.Tx, c *claim.Claim, r *clearing.ClaimReport, cause claim.Cause) error {
	e, moved := c.Reported(r, cause)
	if !moved {
		return nil
	}
	if err := keep(ctx, tx, c, e); err != nil || e.Type != event.ClaimAccepted {
		return err
	}
	if c.Frequency != claim.FrequencyVoid || c.State != claim.AcceptedPayer {
		return nil
	}
	parent, err := t.claim(ctx, tx, c.ParentID)
	if err != nil {
		return err
	}
	cause.Status = &r.Status
	if e, moved = parent.Voided(cause); !moved {
		return nil
	}
	return keep(ctx, tx, parent, e)
}

// request stores the payer's request, unless the claim has it already.
func (s *Service) request(
	ctx context.Context, tx ports.Tx, about []*claim.Claim, r *clearing.ClaimReport, scope billing.Scope, now time.Time,
) error {
	q := attachment.PayerRequest{
		ID: billing.NewID[billing.PayerRequestID](tx.Real.Now()), Scope: scope, State: attachment.PayerRequestOpen, Source: attachment.SourceNetwork,
		ReferenceNumber: cmp.Or(r.Request.Reference, r.PayerClaimNumber, r.ControlNumber), Requested: r.Request.Requested,
		DueDate: r.Request.Due, CreatedAt: now,
	}
	switch payer, known := s.payers.Find(r.PayerID); {
	case len(about) > 0:
		about[0].NameIn(&q)
		q.Payer = about[0].Payer
	case known:
		q.Payer = payer.PayerSummary
	default:
		return nil // no payer to answer; the file is stored
	}
	if have, err := tx.PayerRequests.Received(ctx, q.Payer.ID, q.ClaimID, q.ReferenceNumber); err != nil || have {
		return err
	}
	if err := tx.PayerRequests.Insert(ctx, &q); err != nil {
		return err
	}
	return tx.Events.Append(ctx, q.ReceivedEvent())
}
