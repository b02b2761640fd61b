package scenarios

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/claim"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/billing/scenario"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/intake"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Simulate lets a step of a claim come now, and drops those that are due later. It waits
// for a while until what came before is applied, because the step follows it.
//
// Errors: those of the idempotency key, CodeNotFound, CodeInvalidRequest for a step that
// cannot follow, and CodeConflict for a claim that the sandbox does not have.
func (s *Service) Simulate(
	ctx context.Context, call idempotency.Write[*scenario.Simulated], id billing.ClaimID, in intake.SimulationRequest,
) (caller.Reply, error) {
	for until := time.Now().Add(billing.SimulateWait); ; {
		reply, err := idempotency.Once(ctx, s.store, call, func(ctx context.Context, tx ports.Tx) (*scenario.Simulated, error) {
			return s.simulate(ctx, tx, id, in)
		})
		if !errors.Is(err, scenario.ErrUnderWay) || time.Now().After(until) {
			return reply, err
		}
		select {
		case <-ctx.Done():
			return reply, ctx.Err()
		case <-time.After(billing.SimulatePoll):
		}
	}
}

func (s *Service) simulate(ctx context.Context, tx ports.Tx, id billing.ClaimID, in intake.SimulationRequest) (*scenario.Simulated, error) {
	step, faults := in.Step()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	batch, waiting, c, err := s.settled(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	sim := scenario.Simulation{
		Step: step, Number: tx.Real.Now().UnixMicro(), Numbers: c.Numbers(), Waiting: waiting, Now: tx.Clock.Now(),
		Batch: clearing.OutgoingFile{Scope: c.Scope, Name: batch.File.Name, At: batch.SentAt},
	}
	if sim.Batch.Content, err = tx.Batches.Content(ctx, batch.ID); err != nil {
		return nil, err
	}
	if sim.Decided, err = decision(ctx, tx, c.Claim); err != nil {
		return nil, err
	}
	sim.Follows = c.Follows(&step) && (len(sim.Decided) > 0 || step.Do != scenario.Reverse && step.Do != scenario.TakeBack)
	made, err := s.outside.Simulate(&sim)
	if err != nil {
		return nil, err
	}
	made.ClaimID = id
	if err := errors.Join(tx.SandboxMail.Change(ctx, made.Changed), tx.SandboxMail.Put(ctx, batch.Network, made.Message)); err != nil {
		return nil, err
	}
	if made.Note != nil {
		err = tx.SandboxMail.Note(ctx, *made.Note)
	}
	return made, err
}

// settled locks the claim and its batch, and reads the messages about it, once no
// remittance that has come is still to be applied.
func (s *Service) settled(ctx context.Context, tx ports.Tx, id billing.ClaimID) (*clearing.Batch, []scenario.Message, *claim.Record, error) {
	before, err := tx.Claims.Get(ctx, id)
	if err != nil {
		return nil, nil, nil, err
	}
	if _, sent := before.Stage(); !sent {
		return nil, nil, nil, &billing.Error{Code: billing.CodeConflict, Message: "The claim as it is was never sent. Submit it, and wait until its state is submitted."}
	}
	batch, err := tx.Batches.Lock(ctx, before.BatchID)
	if err != nil {
		return nil, nil, nil, err
	}
	if !slices.Contains(s.outside.Networks(before.Scope), batch.Network) {
		return nil, nil, nil, &billing.Error{Code: billing.CodeConflict, Message: "The claim was sent outside the sandbox. Only the sandbox's payers can be made to do something."}
	}
	waiting, err := tx.SandboxMail.Waiting(ctx, batch.Network, before.Files())
	if err != nil {
		return nil, nil, nil, err
	}
	work, err := tx.SandboxClock.Work(ctx, nil, false)
	if err == nil && work.Jobs[string(jobs.KindERA)] > 0 {
		err = scenario.ErrUnderWay
	}
	if err != nil {
		return nil, nil, nil, err
	}
	c, err := tx.Claims.Lock(ctx, id)
	if err == nil && c.BatchID != batch.ID {
		err = scenario.ErrUnderWay
	}
	return batch, waiting, c, err
}

// decision reads what the claim's payer has decided, from its remittances.
func decision(ctx context.Context, tx ports.Tx, c *claim.Claim) (all []scenario.DecidedClaim, err error) {
	applied, err := tx.RemittanceClaims.Ledger(ctx, []billing.ClaimID{c.ID})
	if err != nil {
		return nil, err
	}
	for _, e := range c.Ledger(applied[c.ID]).Decision() {
		one := scenario.DecidedClaim{Ordinal: e.Ordinal}
		if one.File, err = tx.ERAs.Content(ctx, e.ERA.ID); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
