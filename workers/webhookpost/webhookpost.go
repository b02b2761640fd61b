// Package webhookpost brings calls of webhook lanes to the dispatcher that
// delivers.
package webhookpost

import (
	"context"

	"github.com/molar-billing/molar/core/jobs"
	"github.com/molar-billing/molar/core/webhooks"
	"github.com/molar-billing/molar/ports"
)

// calls is how many are taken from the queue at once. They take no time: a
// call has no row, no lease and nothing to be done again.
const calls = 64

// Run takes calls until ctx ends.
func Run(ctx context.Context, queue ports.Queue, d *webhooks.Dispatcher) error {
	return queue.Consume(ctx, jobs.KindWebhook, calls, func(_ context.Context, call ports.Delivery) ports.Verdict {
		d.Call(call.Job) //nolint:contextcheck // a lane lives on when the call is done with
		return ports.Finished
	})
}
