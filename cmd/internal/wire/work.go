package wire

import (
	"context"
	"errors"
	"time"

	"github.com/molar-billing/molar/adapters/pgstore"
	"github.com/molar-billing/molar/workers"
)

// work is what a process does in the background while its release fits the database's
// schema.
type work struct{ roles, relay *group }

// start starts the background work of the roles, and the relay, which every process
// runs.
func (g *graph) start(ctx context.Context, roles []Role, at Addresses, fail context.CancelCauseFunc) *work {
	w := &work{roles: newGroup(ctx, fail), relay: newGroup(ctx, fail)}
	w.relay.start(func(ctx context.Context) error { return g.relay.Run(ctx, g.store) })
	w.relay.start(g.connections.Run)
	for _, r := range roles {
		switch r {
		case RoleAPI:
			if err := g.access.RecordOrigin(ctx, g.origin(at)); err != nil {
				g.log.WarnContext(ctx, "the origin is not recorded", "error", err)
			}
			w.roles.start(g.audit.Run)
			w.roles.start(func(ctx context.Context) error { return g.access.Run(ctx, g.log) })
			w.roles.start(g.changes.Run)
		case RolePayerWorker:
			w.roles.handle(g.runner, workers.Eligibility(g.eligibility, g.settings.Parallel))
			w.roles.handle(g.runner, workers.BatchEligibility(g.eligibility, g.settings.Parallel))
			w.roles.handle(g.runner, workers.CheckBatch(g.eligibility, g.settings.Parallel))
			w.roles.handle(g.runner, workers.ClaimStatus(g.claimStatus, g.settings.Parallel))
			w.roles.handle(g.runner, workers.StatusPolicy(g.claimStatus, g.settings.Parallel))
			w.roles.handle(g.runner, workers.AttachmentSend(g.attachments, g.settings.Parallel))
			w.roles.handle(g.runner, workers.BatchSend(g.batches, g.settings.Parallel))
			w.roles.handle(g.runner, workers.Enrolled(g.claims, g.settings.Parallel))
			w.roles.handle(g.runner, workers.Advance(g.sandboxes, g.settings.Parallel))
			w.roles.handle(g.runner, workers.Reset(g.sandboxes, g.settings.Parallel))
			w.roles.start(func(ctx context.Context) error {
				return workers.CutBatches(ctx, g.batches, g.settings.BatchInterval, g.log)
			})
			w.roles.start(func(ctx context.Context) error { return workers.ReceiveFiles(ctx, g.batches, g.log) })
			w.roles.start(func(ctx context.Context) error { return workers.WatchAcknowledgements(ctx, g.batches, g.log) })
		case RoleERAWorker:
			w.roles.handle(g.runner, workers.ReceivedFiles(g.batches, g.log))
			w.roles.handle(g.runner, workers.ERA(g.remittances, g.settings.Parallel))
			w.roles.handle(g.runner, workers.Posting(g.remittances, g.settings.Parallel))
			w.roles.handle(g.runner, workers.Tasks(g.tasks, g.settings.Parallel))
			w.roles.handle(g.runner, workers.SecondPlan(g.tasks, g.settings.Parallel))
			w.roles.start(g.sweep)
		case RolePNGWorker:
			w.roles.handle(g.runner, workers.PNGConvert(g.attachments))
			w.roles.handle(g.runner, workers.Thumbnail(g.attachments))
		case RoleWebhookWorker:
			w.roles.start(g.dispatcher.Run)
			w.roles.start(func(ctx context.Context) error { return workers.Webhooks(ctx, g.queue, g.dispatcher) })
		}
	}
	return w
}

// stop ends the work, the relay last, and waits for it, but not longer than ctx. Nil
// does no work.
func (w *work) stop(ctx context.Context) error {
	if w == nil {
		return nil
	}
	return errors.Join(w.roles.stop(ctx), w.relay.stop(ctx))
}

func (w *work) stopWithin(ctx context.Context, d time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return w.stop(ctx)
}

// fitPoll is how often a process that starts asks its store whether its release fits the
// schema.
const fitPoll = 500 * time.Millisecond

// awaitFit waits until the process can work with the database. It returns false when
// ctx ends first. A process with another key than the database's ends, and so does one
// with a database that was made before the first release.
func (g *graph) awaitFit(ctx context.Context, fail func(error)) bool {
	reason := ""
	for {
		err := g.store.Fit()
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil && g.knowsLiveFiles(ctx):
			return true
		case err == nil:
			continue
		case errors.Is(err, pgstore.ErrOtherKey):
			fail(errOtherKey)
			return false
		case errors.Is(err, pgstore.ErrMadeBefore):
			fail(err)
			return false
		case err.Error() != reason:
			reason = err.Error()
			g.log.WarnContext(ctx, "waiting for the database", "error", err)
		}
		pause(ctx, fitPoll)
	}
}

// Copies of live files are listed within compareTimeout, and again after compareRetry while
// the blob store is away. No live file leaves or is removed before.
const (
	compareTimeout = 30 * time.Second
	compareRetry   = 5 * time.Second
)

// knowsLiveFiles makes the store expect every live file that has a copy, once, and returns
// false if the database does not know them all.
func (g *graph) knowsLiveFiles(ctx context.Context) bool {
	if g.compared || time.Since(g.tried) < compareRetry {
		return true
	}
	bounded, cancel := context.WithTimeout(ctx, compareTimeout)
	defer cancel()
	highest, err := g.recovery.Highest(bounded)
	if g.tried = time.Now(); err != nil {
		g.log.WarnContext(ctx, "live files not compared with the database yet; until then none leaves or is removed", "error", err)
		return true
	}
	g.compared = true
	return g.store.Expect(bounded, highest) == nil
}

// whileFit waits while the release fits the schema, and the database knows the live files.
// It returns false when ctx ended.
func (g *graph) whileFit(ctx context.Context) bool {
	for ctx.Err() == nil {
		next := g.store.Seen().Next
		if pgstore.Stops(g.store.Fit()) {
			return true
		}
		g.knowsLiveFiles(ctx)
		select {
		case <-ctx.Done():
		case <-next:
		}
	}
	return false
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
