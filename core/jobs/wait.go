package jobs

import (
	"context"
	"time"

	"github.com/molar-billing/molar/core/billing"
)

// Wait returns nil once look reports that the work is done, and the error of
// ctx when that ends first. It looks when a reply arrives. A reply may be lost,
// so it also looks after billing.ReplyPoll, twice that, four times that and so
// on.
func Wait(ctx context.Context, replies <-chan struct{}, look func(context.Context) bool) error {
	pause := billing.ReplyPoll
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-replies:
		case <-timer.C:
			pause *= 2
			timer.Reset(pause)
		}
		if look(ctx) {
			return nil
		}
	}
}
