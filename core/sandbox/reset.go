package sandbox

import (
	"context"
	"slices"
	"time"

	"github.com/molar-billing/molar/core/billing"
	"github.com/molar-billing/molar/core/billing/attachment"
	"github.com/molar-billing/molar/core/billing/caller"
	"github.com/molar-billing/molar/core/billing/sandbox"
	"github.com/molar-billing/molar/core/idempotency"
	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/ports"
)

// Reset ends an advance, and begins to remove what the organization has in test mode. A job
// does it. Confirm is the ID of the organization, in the caller's words.
//
// Errors: those of the idempotency key, CodeInvalidRequest, and CodeSandboxResetting.
func (s *Service) Reset(ctx context.Context, call idempotency.Write[*sandbox.Status], confirm string) (caller.Reply, error) {
	if org := call.Scope.Org.String(); confirm != org && len(call.Request.Faults) == 0 {
		call.Request.Faults.Add("confirm", billing.FaultNotAllowed, "The value must be the ID of your organization, which GET /me shows.")
	}
	return s.change(ctx, call, func(ctx context.Context, tx ports.Tx, c *sandbox.Clock) error {
		if err := s.end(ctx, tx, call.Scope, c); err != nil {
			return err
		}
		now := tx.Real.Now()
		j := jobs.Job{ID: billing.NewID[billing.JobID](now), Kind: jobs.KindReset, Scope: call.Scope, Subject: call.Scope.Org}
		if err := c.BeginReset(j.ID, now.Time); err != nil {
			return err
		}
		return tx.Outbox.Stage(ctx, j)
	})
}

// DriveReset removes what the organization of a job has in test mode. It may run any number
// of times: each time it goes on with what is left.
func (s *Service) DriveReset(ctx context.Context, j jobs.Job) error {
	d := reset{Service: s, job: j}
	for _, step := range []func(context.Context) error{d.writers, d.work, d.images, d.rows, d.last, d.finish} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// FailReset lets a reset rest whose job failed.
func (s *Service) FailReset(ctx context.Context, j jobs.Job) error {
	return s.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error {
		return tx.Outbox.Postpone(ctx, j.ID, tx.Real.Now().Add(billing.ResetRetry))
	})
}

// reset is the reset of an organization's test mode by a job.
type reset struct {
	*Service

	job jobs.Job
}

// system runs one step of the reset in a transaction.
func (r *reset) system(ctx context.Context, step func(ctx context.Context, resets ports.Resets) error) error {
	return r.store.System(ctx, func(ctx context.Context, tx ports.SystemTx) error { return step(ctx, tx.Resets) })
}

// until repeats a look until it says that the wait is over. It waits for a minute at most:
// no transaction lasts as long, and the work that does is refused.
func (r *reset) until(ctx context.Context, over func(ctx context.Context, resets ports.Resets) (bool, error)) error {
	for began, pause := time.Now(), billing.ResetLeastPoll; ; pause = min(2*pause, billing.ResetMostPoll) {
		done := false
		err := r.system(ctx, func(ctx context.Context, resets ports.Resets) (err error) {
			done, err = over(ctx, resets)
			return err
		})
		if err != nil || done || time.Since(began) > billing.ResetPatience {
			return err
		}
		if err := rest(ctx, pause); err != nil {
			return err
		}
	}
}

// writers waits for the transactions that began before the reset, and may not know of it.
func (r *reset) writers(ctx context.Context) error {
	var before []string
	first := true
	return r.until(ctx, func(ctx context.Context, resets ports.Resets) (bool, error) {
		now, err := resets.Transactions(ctx)
		if first {
			before, first = now, err != nil
		}
		before = slices.DeleteFunc(before, func(t string) bool { return !slices.Contains(now, t) })
		return err == nil && len(before) == 0, err
	})
}

// work removes the jobs, and waits for those that run, and for files that are being applied.
// Each of their transactions is refused, so that they end.
func (r *reset) work(ctx context.Context) error {
	return r.until(ctx, func(ctx context.Context, resets ports.Resets) (bool, error) {
		return resets.Settle(ctx, r.job.Scope.Org, r.job.ID)
	})
}

// images removes the images before the rows that name them.
func (r *reset) images(ctx context.Context) error {
	for last := (billing.DocumentID{}); ; {
		var ids []billing.DocumentID
		err := r.system(ctx, func(ctx context.Context, resets ports.Resets) (err error) {
			ids, err = resets.Images(ctx, r.job.Scope.Org, last, resetImages)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			for _, prefix := range []string{attachment.DocumentBlobs, attachment.ThumbnailBlobs, attachment.StagingBlobs} {
				if err := r.blobs.Delete(ctx, prefix+id.String()); err != nil {
					return err
				}
			}
			last = id
		}
	}
}

// How much one transaction of a reset reads or removes.
const (
	resetImages = 500
	resetRows   = 5000
)

// rows removes all rows of test mode.
func (r *reset) rows(ctx context.Context) error {
	_, err := r.steps(ctx, ports.Resets.RemoveRows)
	return err
}

// last removes the other rows of an organization that is being removed. Its keys are
// remembered for a while, and the log of their requests comes later: it looks again until
// nothing came.
func (r *reset) last(ctx context.Context) error {
	for {
		removed, err := r.steps(ctx, ports.Resets.RemoveRest)
		if err != nil || removed == 0 {
			return err
		}
		if err := rest(ctx, billing.RemovalRest); err != nil {
			return err
		}
	}
}

// steps removes rows until none are left, and returns how many it removed.
func (r *reset) steps(ctx context.Context, remove func(ports.Resets, context.Context, billing.OrgID, int) (int, error)) (removed int, err error) {
	for {
		n := 0
		err := r.system(ctx, func(ctx context.Context, resets ports.Resets) (err error) {
			n, err = remove(resets, ctx, r.job.Scope.Org, resetRows)
			return err
		})
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}

// finish ends the reset.
func (r *reset) finish(ctx context.Context) error {
	err := r.system(ctx, func(ctx context.Context, resets ports.Resets) error {
		return resets.End(ctx, r.job.Scope.Org, r.job.ID)
	})
	if err == nil {
		r.log.InfoContext(ctx, "test mode was reset", "org_id", r.job.Scope.Org.String())
	}
	return err
}
