package batches

import (
	"context"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/clearing"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// FileProblem is a file of a connection that was not received, or not applied.
type FileProblem struct {
	*clearing.ReceivedFile

	Connection string // its name, or the ID of one that was removed
}

// FileProblems lists the files that wait for the operator, the oldest problem first.
func (s *Service) FileProblems(ctx context.Context) (all []FileProblem, err error) {
	err = s.named(ctx, func(ctx context.Context, tx ports.SystemTx, name func(network string) string) error {
		found, err := tx.Received.Problems(ctx)
		for _, f := range found {
			all = append(all, FileProblem{f, name(f.Network)})
		}
		return err
	})
	return all, err
}

// RetryFile applies a file with a problem again if all of it is stored. It forgets any
// other, so that it is downloaded again if the clearinghouse has it. It returns
// CodeNotFound for a file without a problem.
func (s *Service) RetryFile(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error) {
	return s.solve(ctx, id, func(ctx context.Context, tx ports.SystemTx, f *clearing.ReceivedFile) error {
		now := tx.Real.Now().Time
		if !f.Again(now) {
			return tx.Received.Forget(ctx, []billing.FileID{f.ID})
		}
		if err := tx.Received.Put(ctx, f); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, jobs.Job{Kind: jobs.KindReceivedFile, Scope: f.Scope, Subject: f.ID})
	})
}

// DismissFile takes a file with a problem off the list, with what is stored of it. It
// returns CodeNotFound for a file without a problem, and CodeConflict for one that the
// clearinghouse has: the next look would find it again.
func (s *Service) DismissFile(ctx context.Context, id billing.FileID) (*clearing.ReceivedFile, error) {
	return s.solve(ctx, id, func(ctx context.Context, tx ports.SystemTx, f *clearing.ReceivedFile) error {
		if f.Listed {
			return &billing.Error{Code: billing.CodeConflict, Message: "The clearinghouse still has " + f.Name + ". Remove it there, then dismiss it; or run molar files retry."}
		}
		return tx.Received.Forget(ctx, []billing.FileID{f.ID})
	})
}

func (s *Service) solve(
	ctx context.Context, id billing.FileID, how func(ctx context.Context, tx ports.SystemTx, f *clearing.ReceivedFile) error,
) (f *clearing.ReceivedFile, err error) {
	err = s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		if f, err = tx.Received.Lock(ctx, id); err != nil {
			return err
		}
		if !f.HasProblem() || f.State == clearing.FileNotWhole {
			return billing.NotFound("file with a problem", "")
		}
		return how(ctx, tx, f)
	})
	return f, err
}
